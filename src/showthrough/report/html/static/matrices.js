// Matrices of anonymizations, as tables: differences between all pairs, and the parts of a metric.
// Where a table is too wide its heads become signs with numbers, and where that is too wide it becomes cards.

const VERDICTS = [["better", "better than"], ["worse", "worse than"], ["unclear", "not shown to differ from"], ["undefined", "cannot be compared with"]];

/** Shows something in the first of several ways that fits, else in the last. */
function fitting(container, ways) {
  for (const way of ways) {
    container.replaceChildren(...way());
    if (container.scrollWidth <= container.clientWidth) break;
  }
  rove(container);
}

const placeOf = (place) => make("span", { class: "place" }, String(place + 1));
const numbered = ({ names, signs }, place) => [glyphOf(signs[place]), placeOf(place), make("span", { class: "unseen" }, names[place])];
const signed = ({ names, signs }, place) => [make("span", { class: "system" }, glyphOf(signs[place]), make("span", {}, names[place]))];
const named = ({ names, signs }, place) => [make("span", { class: "system" }, glyphOf(signs[place]), placeOf(place), make("span", {}, names[place]))];
const key = (start) => make("ol", { class: "key", "aria-label": "Anonymizations" }, ...start.names.map((_, place) => make("li", {}, ...named(start, place))));

/** A table whose columns are anonymizations, by name or, where `short`, by sign and number. */
function matrix(start, corner, rows, short, label) {
  const heads = start.names.map((name, place) =>
    make("th", { scope: "col", "data-tip": short ? name : null }, ...(short ? numbered : signed)(start, place)));
  return make("table", { class: `matrix${short ? " short" : ""}`, "aria-label": label },
    make("thead", {}, make("tr", {}, corner, ...heads)), make("tbody", {}, ...rows));
}

const cell = (content, kind) => (content
  ? make("td", { class: `cell ${kind(content)}`, "data-tip": content.tip }, ...lines(content.label))
  : make("td", { class: "cell" }));
const lines = (label) => label.split(" ").flatMap((part, place) => (place ? [" ", make("wbr"), part] : [part]));

function startSignificance(charts, start) {
  const { names } = start;
  figure("significance", charts, start, (chart) => {
    const by = new Map(chart.cells.map((one) => [`${names.indexOf(one.row)} ${names.indexOf(one.column)}`, one]));
    const table = (short) => () => [matrix(start, make("td"), names.map((_, row) => make("tr", {},
      make("th", { scope: "row" }, ...(short ? named : signed)(start, row)),
      ...names.map((_, column) => cell(by.get(`${row} ${column}`), ({ result }) => result)))), short, chart.title)];
    const cards = () => [make("ul", { class: "cards", "aria-label": chart.title }, ...names.map((_, row) => make("li", {},
      make("strong", {}, ...named(start, row)),
      ...VERDICTS.map(([result, words]) => {
        const others = names.map((_, column) => column).filter((column) => by.get(`${row} ${column}`)?.result === result);
        return others.length ? make("p", { class: result }, make("span", { class: "words" }, words), ...others.map((column) =>
          make("span", { class: "pair", "data-tip": by.get(`${row} ${column}`).tip }, ...numbered(start, column),
            result === "undefined" ? "" : ` (p ${by.get(`${row} ${column}`).p})`))) : null;
      }))))];
    return [table(false), table(true), cards];
  });
}

function startParts(charts, start) {
  const { names } = start;
  figure("parts", charts, start, (chart) => {
    const parts = [...new Set(chart.cells.map((one) => one.part))];
    const by = new Map(chart.cells.map((one) => [`${parts.indexOf(one.part)} ${names.indexOf(one.name)}`, one]));
    const heat = ({ shade }) => `heat-${Math.min(4, Math.floor(shade * 5))}`;
    const table = (short) => () => [
      ...(short ? [key(start)] : []),
      matrix(start, make("td"), parts.map((part, row) => make("tr", {}, make("th", { scope: "row" }, part),
        ...names.map((_, column) => cell(by.get(`${row} ${column}`), heat)))), short, chart.title)];
    const cards = () => [key(start), make("ul", { class: "cards", "aria-label": chart.title }, ...parts.map((part, row) => make("li", {},
      make("strong", {}, part),
      make("p", {}, ...names.map((_, column) => [column, by.get(`${row} ${column}`)]).filter(([, found]) => found).map(([column, found]) =>
        make("span", { class: "pair", "data-tip": found.tip }, ...numbered(start, column), " ", make("span", { class: `value ${heat(found)}` }, found.label)))))))];
    return [table(false), table(true), cards];
  });
}
