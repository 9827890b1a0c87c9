// What is marked and what is masked in one document, cut into stretches that each have one meaning.

const OUTCOMES = ["leaked", "partly", "hidden", "free", "unasked"]; // as failures.py numbers them
const WORDS = {
  leaked: "leaked: can be read",
  partly: "partly leaked: a part of it can be read",
  hidden: "masked, as an annotator wanted",
  needless: "masked, though no annotator here wanted it",
  masked: "masked",
  free: "counted as hidden without a mask: a function word, a title or punctuation",
  unasked: "marked, but need not be masked",
};
const IDENTIFIERS = { DIRECT: "direct identifier", QUASI: "indirect identifier", NO_MASK: "not identifying" };
// A direct identifier is filled and a quasi-identifier tinted, whatever became of it and wherever it is shown.
const LEVELS = { DIRECT: "direct", QUASI: "quasi" };
const WORD = /[\p{L}\p{N}]/u;

/** All mentions of the chosen annotators, in order, with what became of each. */
function mentionsOf(document, name, annotators) {
  let number = 0;
  const found = [];
  for (const [annotator, mentions] of document.layers) {
    for (const [start, end, type, identifier] of mentions) {
      const outcome = OUTCOMES[Number(document.outcomes[name][number])];
      number += 1;
      if (annotators.has(annotator)) found.push({ start, end, type, identifier, annotator, outcome });
    }
  }
  return found.sort((one, two) => one.start - two.start || one.end - two.end);
}

/** Stretches of a document: where they are, what they are called, which mentions and which mask they belong to. */
function stretches(document, name, annotators) {
  document.points ??= Array.from(document.text); // offsets count code points
  const { points } = document;
  const mentions = mentionsOf(document, name, annotators);
  const masks = document.masks[name];
  const given = document.given[name]; // words under a mask that its replacement repeats
  const edges = [...masks, ...given].flatMap(([start, end]) => [start, end]);
  const cuts = [...new Set([0, points.length, ...mentions.flatMap((one) => [one.start, one.end]), ...edges])];
  cuts.sort((one, two) => one - two);
  const result = [];
  let open = [];
  let next = 0;
  let mask = 0;
  let word = 0;
  for (let place = 0; place + 1 < cuts.length; place += 1) {
    const [start, end] = [cuts[place], cuts[place + 1]];
    while (next < mentions.length && mentions[next].start <= start) open.push(mentions[next++]);
    open = open.filter((one) => one.end > start);
    while (mask < masks.length && masks[mask][1] <= start) mask += 1;
    const masked = mask < masks.length && masks[mask][0] <= start ? masks[mask] : null;
    while (word < given.length && given[word][1] <= start) word += 1;
    const repeated = word < given.length && given[word][0] <= start;
    const text = points.slice(start, end).join("");
    result.push({ start, end, text, mask: masked, mentions: open, ...meaning(text, open, masked, repeated, annotators.size > 0) });
  }
  return result;
}

function meaning(text, mentions, mask, repeated, judged) {
  const wanted = mentions.filter((one) => one.outcome !== "unasked");
  const has = (outcome) => wanted.some((one) => one.outcome === outcome);
  const level = wanted.some((one) => one.identifier === "DIRECT") ? "direct" : "quasi";
  if (mask && !(repeated && (has("leaked") || has("partly")))) {
    if (wanted.length) return { kind: "hidden", level, split: has("partly") };
    return { kind: judged && WORD.test(text) ? "needless" : "masked" };
  }
  if (has("leaked")) return { kind: "leaked", level };
  if (has("partly")) return { kind: "partly", level };
  if (wanted.length) return { kind: "free" };
  return { kind: mentions.length ? "unasked" : "" };
}

/** The places that can be read and should not be: each span once, however many annotators marked it. */
function leaksOf(document, name, annotators) {
  const found = new Map();
  for (const one of mentionsOf(document, name, annotators)) {
    if (one.outcome !== "leaked" && one.outcome !== "partly") continue;
    const key = `${one.start}-${one.end}`;
    if (!found.has(key)) found.set(key, { start: one.start, end: one.end, mentions: [] });
    found.get(key).mentions.push(one);
  }
  return [...found.values()];
}

const readable = (stretch) => stretch.kind === "leaked" || stretch.kind === "partly";

/** What a stretch is, in words. */
function told(stretch) {
  const lines = stretch.kind ? [WORDS[stretch.kind]] : [];
  if (stretch.mask && readable(stretch)) lines.push("the replacement repeats it");
  for (const { text, how } of stretch.again ?? []) lines.push(`can be read ${HOW[how]}: ${text}`);
  const same = new Map();
  for (const { type, identifier, annotator } of stretch.mentions) {
    const what = `${type || "(no type)"}, ${IDENTIFIERS[identifier] ?? identifier}`;
    same.set(what, [...(same.get(what) ?? []), annotator]);
  }
  for (const [what, annotators] of same) lines.push(`${what} (${annotators.join(", ")})`);
  if (stretch.mask) lines.push(stretch.mask[2]?.trim() ? `replaced by: ${stretch.mask[2]}` : "removed");
  return lines.join("\n");
}

/** The original text with everything laid over it. */
function original(found, left = []) {
  const stands = left.map((one) => ({ ...one, start: one.original[0], end: one.original[1] }));
  return found.flatMap((one) => {
    const again = left.filter((place) => isLeak(place) && place.marked.some(([start, end]) => start <= one.start && one.end <= end));
    const pieces = one.mask ? [one.text] : leftIn(one.text, one.start, stands, (text) => [text]);
    return one.kind ? [marked({ ...one, again }, ...pieces)] : pieces;
  });
}

/** The text as it was released; `words` gave the person away, in `places` something was read, `left` are identifiers. */
function released(found, words, places = [], left = []) {
  const nodes = [];
  const repeating = new Set(found.filter((one) => one.mask && readable(one)).map((one) => one.mask));
  let last = null;
  let at = 0; // in the released text
  for (const one of found) {
    if (!one.mask) {
      const pieces = leftIn(one.text, at, left, (text, from) => {
        const start = one.start + from;
        return readIn({ start, end: start + lengthOf(text), text }, places, words);
      });
      nodes.push(...(readable(one) ? [marked(one, ...pieces)] : pieces));
      at += one.end - one.start;
    } else if (one.mask !== last) {
      const pieces = leftIn(one.mask[2] ?? "", at, left, (text) => [text]);
      nodes.push(readFrom(instead(one.mask, one, repeating.has(one.mask), pieces), one.mask[0], one.mask[1], places));
      at += lengthOf(one.mask[2] ?? "");
    }
    last = one.mask;
  }
  return nodes;
}

const lengthOf = (text) => Array.from(text).length; // code points

/** A stretch that was left, with the places in it from which something was read. */
function readIn({ start, end, text }, places, words) {
  const inside = places.filter((one) => one.start < end && start < one.end);
  if (!inside.length) return telling(text, words);
  const points = Array.from(text);
  const cuts = [...new Set([start, end, ...inside.flatMap((one) => [one.start, one.end])])].filter((cut) => start <= cut && cut <= end);
  cuts.sort((one, two) => one - two);
  return cuts.slice(1).flatMap((until, place) => {
    const pieces = telling(points.slice(cuts[place] - start, until - start).join(""), words);
    const here = inside.filter((one) => one.start < until && cuts[place] < one.end);
    return here.length ? [readFrom(make("b", {}, ...pieces), cuts[place], until, here)] : pieces;
  });
}

/** A node, marked as read where a place lies in it; what it tells is in its tip. */
function readFrom(node, start, end, places) {
  const here = places.filter((one) => one.start < end && start < one.end);
  if (!here.length) return node;
  node.classList.add("read");
  node.dataset.read = here.map((one) => one.start).join(" ");
  node.dataset.tip = [node.dataset.tip, ...here.flatMap((one) => [...one.words])].filter(Boolean).join("\n");
  return node;
}

function marked(one, ...content) {
  const classes = [one.kind, one.level, one.split ? "split" : "", one.again?.length ? "again" : ""].filter(Boolean).join(" ");
  return make("mark", { class: classes, "data-start": one.start, "data-end": one.end, "data-tip": told(one) }, ...content);
}

function instead([start, , replacement], one, repeating, pieces) {
  const faults = [one.kind === "needless" ? WORDS.needless : "", repeating ? "repeats words that have to be masked" : ""];
  const tip = [`in place of: ${one.text}`, ...faults].filter(Boolean).join("\n");
  const gone = !replacement?.trim();
  return make("ins", { class: gone ? "gap" : `replacement${repeating ? " repeating" : ""}`, "data-start": start, "data-tip": tip }, ...(gone ? ["␣"] : pieces));
}

/** What finds words or phrases in a text, longer ones first; null where there are none. */
function finder(words) {
  const literal = (word) => word.trim().replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&").replace(/\s+/g, "\\s+");
  const known = [...new Set(words)].filter((word) => word.trim()).sort((one, two) => two.length - one.length).map(literal);
  return known.length ? new RegExp(`(?<![\\p{L}\\p{N}])(${known.join("|")})(?![\\p{L}\\p{N}])`, "giu") : null;
}

/** A text with the telling words in it marked. */
function telling(text, words) {
  if (!words) return [text];
  return text.split(words).map((piece, place) => (place % 2 ? make("b", { class: "telling" }, piece) : piece));
}
