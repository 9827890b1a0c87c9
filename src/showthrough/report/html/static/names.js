// Names of anonymizations where there is little room: shortened so that they can still be told apart.

/** A text without its middle. */
function withoutMiddle(letters, most) {
  if (letters.length <= most) return letters.join("");
  const head = Math.ceil((most - 1) / 2);
  return [...letters.slice(0, head), "…", ...letters.slice(letters.length - (most - 1 - head))].join("");
}

const shared = (lists, at) => {
  let count = 0;
  while (lists.every((one) => one.length > count && at(one, count) === at(lists[0], count))) count += 1;
  return count;
};

/** Names of at most so many letters, no two alike; of those that would be, the letters in which they differ are kept. */
function shortNames(names, most) {
  const letters = names.map((name) => Array.from(name));
  const short = letters.map((one) => withoutMiddle(one, most));
  const alike = new Map();
  short.forEach((name, place) => alike.set(name, [...(alike.get(name) ?? []), place]));
  for (const places of alike.values()) {
    if (places.length < 2) continue;
    const group = places.map((place) => letters[place]);
    const before = shared(group, (one, count) => one[count]);
    const rest = group.map((one) => one.slice(before));
    const after = shared(rest, (one, count) => one[one.length - 1 - count]);
    const room = Math.max(3, most - 5);
    places.forEach((place, number) => {
      const own = rest[number].slice(0, rest[number].length - after);
      const head = before > 3 ? [...letters[place].slice(0, 2), "…"] : letters[place].slice(0, before);
      short[place] = [...head, withoutMiddle(own, room), after ? "…" : ""].join("");
    });
  }
  const seen = new Map();
  for (const name of short) seen.set(name, (seen.get(name) ?? 0) + 1);
  return short.map((name, place) => (seen.get(name) > 1 ? `${place + 1} ${name}` : name));
}

/** The sign of an anonymization: its shape in its colour. */
function glyphOf([glyph, tint]) {
  return make("span", { class: `glyph colour-${tint}`, "aria-hidden": "true" }, glyph);
}
