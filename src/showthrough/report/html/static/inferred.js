// What an attacker inferred about people in a document: who, what, and where it was read.

/** By anonymization, what was inferred; metrics that tell the same are told together. */
function inferencesOf(document, name) {
  const found = new Map();
  for (const [metric, by] of Object.entries(document.evidence ?? {})) {
    const inferred = by[name]?.inferred ?? [];
    if (!inferred.length) continue;
    const key = JSON.stringify(inferred);
    if (found.has(key)) found.get(key).metrics.push(metric);
    else found.set(key, { metrics: [metric], inferred });
  }
  return [...found.values()];
}

/** The stretches of the original that something was read from, each with what: `[start, end, words]`, in order. */
function readPlaces(document, name) {
  const places = new Map();
  for (const one of inferencesOf(document, name).flatMap(({ inferred }) => inferred)) {
    if (!one.original) continue;
    const [start, end] = one.original;
    const key = `${start}-${end}`;
    if (!places.has(key)) places.set(key, { start, end, words: new Set() });
    places.get(key).words.add(one.subject ? `shows ${one.tag} of ${one.subject}: ${one.guess}` : `lets somebody guess ${one.tag}: ${one.guess}`);
  }
  return [...places.values()].sort((one, two) => one.start - two.start || one.end - two.end);
}

/** What stands beside a document: person by person. `leap` goes to a place in the released text. */
function inferredList(name, { metrics, inferred }, leap) {
  const people = new Map();
  for (const one of inferred) people.set(one.subject, [...(people.get(one.subject) ?? []), one]);
  const entry = (one) => make("li", {}, make("strong", {}, one.tag), ": ", make("bdi", {}, one.true),
    one.rank ? ` was guess ${one.rank}` : " was inferred", one.guess === one.true ? "" : " as ", one.guess === one.true ? "" : make("bdi", {}, one.guess),
    one.agreement < 1 ? ", less precisely" : "",
    one.words?.length ? make("small", {}, " (from ", make("bdi", {}, one.words.map(([word]) => word).join(", ")), ")") : "", " ",
    one.original ? make("button", { type: "button", class: "where", onclick: () => leap(name, one.original[0]) }, "where")
      : make("small", {}, one.start === null ? "(the attacker does not say where)" : `(at ${one.start} of the released text)`));
  const many = `${inferred.length} ${inferred[0].rank ? "masked mention" : "attribute"}${inferred.length === 1 ? "" : "s"}`;
  const told = inferred[0].rank ? many : `${many} of ${people.size === 1 ? "one person" : `${people.size} people`}`;
  return make("details", { class: "attack", open: "" },
    make("summary", {}, make("strong", {}, inferred[0].rank ? "Recovered. " : "Inferred. "), `${metrics.join(", ")} on ${name}: ${told}`),
    make("ul", { class: "inferred", tabindex: "0", "aria-label": `Inferred from ${name}` },
      ...[...people].map(([person, all]) => make("li", {}, person === "author" || !person ? "" : "person ", make("bdi", {}, person), make("ul", {}, ...all.map(entry))))));
}
