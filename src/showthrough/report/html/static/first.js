// The first screen: whose numbers and whose sentence are shown. What the banner says is about the candidate alone.

const CHIPS = 12; // names that may stand beside each other; of more one is chosen from a list
const LETTERS = 20; // of a name there; all of them are in its tip and below

function startFirst(start) {
  const place = byId("choose-system");
  if (!place) return;
  const { ranked } = start;
  const panels = [...document.querySelectorAll("[data-panel]")];
  const show = (number) => panels.forEach((panel) => { panel.hidden = Number(panel.dataset.panel) !== number; });
  const short = shortNames(ranked.map(([name]) => name), LETTERS);
  const label = ([, sign, at], number) => [`${sign} `, glyphOf(start.signs[at]), make("bdi", {}, short[number])];
  if (ranked.length <= CHIPS) {
    choice(place, ranked, (_, number) => show(number), label);
    [...place.children].forEach((button, number) => { button.dataset.tip = ranked[number][0]; });
    return;
  }
  const select = make("select", { "aria-label": "Numbers of" });
  fill(select, ranked.map(([name, sign], number) => ({ value: String(number), text: `${sign} ${name}` })), "0");
  select.addEventListener("change", () => show(Number(select.value)));
  place.removeAttribute("role");
  place.replaceChildren(select);
}
