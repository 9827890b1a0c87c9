// A sheet is there without a script. This adds the theme, and a search in long lists of cases.

function startFilter(input) {
  const cases = [...byId(input.dataset.of).children];
  const told = input.closest("p").querySelector("[role='status']");
  const words = cases.map((one) => one.textContent.toLowerCase());
  input.closest("p").hidden = false;
  input.addEventListener("input", () => {
    const wanted = input.value.toLowerCase().trim();
    cases.forEach((one, place) => { one.hidden = !words[place].includes(wanted); });
    told.textContent = wanted ? `${cases.filter((one) => !one.hidden).length} of ${cases.length}` : "";
  });
}

/** Only what scrolls is a stop for the keyboard. */
function startStops() {
  const regions = [...document.querySelectorAll(".scroll")];
  const stop = () => regions.forEach((one) => {
    if (one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight) one.tabIndex = 0;
    else one.removeAttribute("tabindex");
  });
  addEventListener("resize", stop);
  stop();
}

startTheme();
document.querySelectorAll(".filter").forEach(startFilter);
startStops();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
