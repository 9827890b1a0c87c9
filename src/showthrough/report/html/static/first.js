// The first screen: whose numbers and whose sentence are shown. What the banner says is about the candidate alone.

const CHIPS = 12; // names that may stand beside each other; of more one is chosen from a list

function startFirst(start) {
  const place = byId("choose-system");
  if (!place) return;
  const { ranked } = start;
  const panels = [...document.querySelectorAll("[data-panel]")];
  const show = (number) => panels.forEach((panel) => { panel.hidden = Number(panel.dataset.panel) !== number; });
  const label = ([name, sign, at]) => {
    const [glyph] = [glyphOf(start.signs[at])];
    return [`${sign} `, glyph, make("bdi", {}, name)];
  };
  if (ranked.length <= CHIPS) {
    choice(place, ranked, (_, number) => show(number), label);
    return;
  }
  const select = make("select", { "aria-label": "Numbers of" });
  fill(select, ranked.map(([name, sign], number) => ({ value: String(number), text: `${sign} ${name}` })), "0");
  select.addEventListener("change", () => show(Number(select.value)));
  place.removeAttribute("role");
  place.replaceChildren(select);
}
