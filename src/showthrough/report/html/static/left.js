// Identifiers that can be read somewhere else in the release than where they were marked.

const HOW = {
  elsewhere: "in another place than marked",
  otherwise: "written in another way",
  encoded: "encoded",
  nearly: "nearly readable, not counted",
};

/** Of one anonymization: where such identifiers stand in the released text and in the original; `levels` by metric. */
function leftPlaces(document, name, { names, index }) {
  return Object.entries(index.left ?? {}).flatMap(([metric, level], number) =>
    (document.evidence?.[metric]?.[name]?.places ?? []).map((place, at) => ({
      ...place, level, key: `${names.indexOf(name)}.${number}.${at}`, shown: place.end > 0 && place.original[1] > 0,
      words: `${IDENTIFIERS[level === "direct" ? "DIRECT" : "QUASI"]}, ${place.entity_type || "(no type)"}: can be read ${HOW[place.how]}`,
    })));
}

const isLeak = (place) => place.how !== "nearly";

/** A stretch of the released text, `from` where it begins there, with the identifiers in it marked; else the pieces that `plain` makes. */
function leftIn(text, from, places, plain) {
  const points = Array.from(text);
  const until = from + points.length;
  const here = places.filter((one) => one.shown && one.start < until && from < one.end);
  if (!here.length) return plain(text, 0);
  const cuts = [...new Set([from, until, ...here.flatMap((one) => [one.start, one.end])])].filter((cut) => from <= cut && cut <= until);
  cuts.sort((one, two) => one - two);
  return cuts.slice(1).flatMap((end, number) => {
    const start = cuts[number];
    const pieces = plain(points.slice(start - from, end - from).join(""), start - from);
    const mine = here.filter((one) => one.start < end && start < one.end);
    return mine.length ? [leftMark(mine, pieces)] : pieces;
  });
}

function leftMark(places, pieces) {
  const level = places.some((one) => one.level === "direct") ? "direct" : "quasi";
  return make("mark", { class: `leaked ${level} left`, "data-left": places.map((one) => one.key).join(" "), "data-tip": places.map((one) => one.words).join("\n") }, ...pieces);
}

/** What stands above a document: each such identifier, and a way to it. `leap` goes to a place in the released text. */
function leftList(name, metric, places, leap) {
  const count = places.filter(isLeak).length;
  const near = places.length - count;
  const said = [count ? `${count} can be read` : "", near ? `${near} nearly` : ""].filter(Boolean).join(", ");
  const entry = (one) => make("li", {}, make("b", { class: "telling" }, one.text), make("small", {}, ` ${one.entity_type || "(no type)"}, ${HOW[one.how]} `),
    one.shown ? make("button", { type: "button", class: "where", onclick: () => leap(one) }, "where") : null);
  return make("details", { class: "attack", open: "" },
    make("summary", {}, make("strong", {}, "In the release. "), `${metric} on ${name}, where they were not marked: ${said}`),
    make("ul", { class: "inferred", tabindex: "0", "aria-label": `Readable in what ${name} releases` }, ...places.map(entry)));
}
