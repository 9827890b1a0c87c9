// Passages side by side: what they were, what they are, and what changed; those first that keep least of their meaning.

function startPassages(start) {
  const { passages: given, names } = start;
  const list = byId("passages-list");
  if (!list) return;
  const everybody = "all";

  const side = (head, stretches, tag) => make("div", { class: "side" },
    make("p", { class: "side-head" }, head),
    make("p", { class: "snippet" }, make("bdi", {},
      ...(stretches.length ? stretches.map(([text, changed]) => (changed ? make(tag, {}, text) : text)) : [make("em", {}, "nothing")]))));

  function show(place) {
    const some = given.passages.filter(([system]) => place < 0 || system === place);
    list.replaceChildren(...some.map(([system, id, at, value, before, after]) => make("li", {},
      make("p", { class: "where" },
        make("span", { class: "system" }, glyphOf(start.signs[system]), " ", make("bdi", {}, names[system])), " ",
        make("a", { href: documentLink({ doc: id, anonymization: names[system], at }) }, id), " ",
        make("span", { class: "value" }, `${value.toFixed(2)} of 5`)),
      make("div", { class: "sides" }, side("was", before, "del"), side("is", after, "ins")))));
    byId("passages-told").textContent = `${some.length.toLocaleString("en")} shown`;
  }

  choice(byId("passages-names"), [everybody, ...names], (_, place) => show(place - 1),
    (name, place) => (place ? signed(start, place - 1) : [name]));
  show(-1);
}
