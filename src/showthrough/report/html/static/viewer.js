// The document viewer: a list sorted by risk, one or two anonymizations side by side, and what leaks in them.

const documentLink = (parameters) => `#${new URLSearchParams(parameters)}`;

/** Ends when a document is on the desk. */
async function startViewer(start) {
  const root = byId("viewer");
  if (!root) return null;
  const { names, index } = start;
  const state = { document: 0, first: names[0], second: "", view: "both", hidden: new Set(), leak: -1 };
  const packets = new Map();
  let leaks = [];
  let shown = null; // the document that is on the desk

  // Where a document is: packets hold consecutive documents.
  const packetOf = [];
  index.packets.forEach((size, packet) => {
    for (let place = 0; place < size; place += 1) packetOf.push([packet, place]);
  });

  async function load(number) {
    const [packet, place] = packetOf[number];
    if (!packets.has(packet)) packets.set(packet, unpack(`packet-${packet}`));
    return (await packets.get(packet))[place];
  }

  // ---- the list

  const search = make("input", { type: "search", placeholder: "Find an id", "aria-label": "Find a document by its id" });
  const sorting = make("select", { "aria-label": "Order of the documents" });
  fill(sorting, [{ value: "risk", text: "by what shows" }, { value: "corpus", text: "as in the corpus" }], "risk");
  const list = make("ol", { class: "ids" });
  const aside = make("div", { class: "list" }, make("div", { class: "find" }, search, sorting), list);

  const risk = (number, name) => {
    const [direct, quasi] = index.leaks[name][number];
    const [found, seen, inferred] = ["found", "seen", "inferred"].map((what) => index[what]?.[name]?.[number] ?? 0);
    return [direct, found, quasi, seen, inferred];
  };

  function ordered() {
    const wanted = search.value.trim().toLowerCase();
    const numbers = index.ids.map((_, number) => number).filter((number) => index.ids[number].toLowerCase().includes(wanted));
    if (sorting.value === "corpus") return numbers;
    const risks = numbers.map((number) => [number, risk(number, state.first)]);
    risks.sort(([one, left], [two, right]) => {
      const place = left.findIndex((value, at) => value !== right[at]);
      return place < 0 ? one - two : right[place] - left[place];
    });
    return risks.map(([number]) => number);
  }

  let order = [];

  function fillList() {
    order = ordered();
    list.replaceChildren(...order.map((number) => {
      const [direct, found, quasi, seen, inferred] = risk(number, state.first);
      const leaking = [[direct, "direct"], [quasi, "quasi"]].filter(([count]) => count);
      const says = [
        ...leaking.map(([count, level]) => make("mark", { class: `leaked ${level}` }, `${count} ${level}`)),
        ...[found ? "found" : "", seen ? `${seen} shown as still there` : "", inferred ? `${inferred} inferred` : ""].filter(Boolean),
      ].flatMap((one, place) => (place ? [" · ", one] : [one]));
      const button = make("button", { type: "button", "data-number": number, onclick: () => go({ document: number, leak: -1 }) },
        make("span", { class: "id" }, index.ids[number]),
        make("span", { class: `risk${direct || found ? " high" : ""}` }, ...(says.length ? says : [index.annotated[number] ? "nothing marked leaks" : "not annotated"])));
      return make("li", {}, button);
    }));
    if (!order.length) list.append(make("li", { class: "none" }, "No document has such an id."));
    markList();
  }

  function markList() {
    for (const button of list.querySelectorAll("button")) {
      const current = Number(button.dataset.number) === state.document;
      button.toggleAttribute("aria-current", current);
      if (current) {
        button.setAttribute("aria-current", "true");
        // Not scrollIntoView, which would move the page as well.
        const [top, bottom] = [button.offsetTop - list.offsetTop, button.offsetTop - list.offsetTop + button.offsetHeight];
        if (top < list.scrollTop) list.scrollTop = top;
        if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
      }
    }
  }

  // ---- the tools

  const title = make("h3", { class: "title", tabindex: "-1" });
  const first = make("select", { "aria-label": "Anonymization" });
  const second = make("select", { "aria-label": "Second anonymization, beside it" });
  fill(first, names.map((value) => ({ value })), names[0]);
  fill(second, [{ value: "", text: "nothing beside it" }, ...names.map((value) => ({ value, text: `beside ${value}` }))], "");
  second.hidden = names.length < 2;
  const views = make("div", { class: "choice", role: "radiogroup", "aria-label": "What to show" });
  const pressView = choice(views, ["both", "original", "released"], (view) => go({ view }), (view) => [
    { both: "both texts", original: "original", released: "released" }[view],
  ]);
  const readers = make("fieldset", { class: "readers" });
  const status = make("span", { class: "status", role: "status" });
  const step = (text, key, action, label) => make("button", { type: "button", onclick: action, "aria-label": label, "aria-keyshortcuts": key }, text, make("kbd", { "aria-hidden": "true" }, key));
  const tools = make("div", { class: "tools" },
    make("div", { class: "row" }, title, make("span", { class: "steps" },
      step("‹", "k", () => move(-1), "Previous document"), step("›", "j", () => move(1), "Next document"))),
    make("div", { class: "row" }, first, second, views, readers),
    make("div", { class: "row guide" }, make("span", { class: "steps" },
      step("↑ leak", "p", () => leap(-1), "Previous leak"), step("↓ leak", "n", () => leap(1), "Next leak")), status, legend()));
  const evidence = make("div", { class: "evidence" });
  const panes = make("div", { class: "panes" });
  root.append(aside, make("div", { class: "desk" }, tools, evidence, panes));

  function legend() {
    const sample = (kind, text) => make("mark", { class: kind }, text);
    const both = (kind, words) => make("li", {}, `${words} `, sample(`${kind} direct`, "direct"), " ", sample(`${kind} quasi`, "quasi"));
    return make("ul", { class: "legend", "aria-label": "Legend: direct identifiers are filled, indirect identifiers tinted" },
      both("leaked", "leaked"), both("partly", "in part"), both("hidden", "masked"),
      make("li", {}, sample("needless", "masked, not marked")), make("li", {}, sample("unasked", "marked to stay")),
      ...(Object.keys(index.left ?? {}).length ? [make("li", {}, sample("hidden direct again", "masked, readable elsewhere"))] : []),
      ...(Object.values(index.inferred ?? {}).flat().some(Boolean) ? [make("li", {}, make("b", { class: "read" }, "inferred from"))] : []));
  }

  function fillReaders() {
    const annotators = shown.layers.map(([annotator]) => annotator);
    readers.replaceChildren(make("legend", { class: "unseen" }, "Annotators"), ...annotators.map((annotator) => {
      const box = make("input", { type: "checkbox", checked: !state.hidden.has(annotator), onchange: () => {
        if (box.checked) state.hidden.delete(annotator);
        else state.hidden.add(annotator);
        go({ leak: -1 });
      } });
      return make("label", {}, box, ` ${annotator}`);
    }));
    readers.hidden = annotators.length < 2;
  }

  // ---- the desk

  const chosen = () => new Set(shown.layers.map(([annotator]) => annotator).filter((annotator) => !state.hidden.has(annotator)));

  function pane(name, kind) {
    const found = stretches(shown, name, chosen());
    const own = Object.values(shown.evidence ?? {}).map((by) => by[name]).filter(Boolean);
    const uneven = own.flatMap(({ strings }) => strings ?? []).flatMap(({ readable }) => readable.map(([start, end]) => at(start, end)));
    const words = finder([...own.flatMap(({ words }) => words.map(([word]) => word)), ...uneven]);
    const left = leftPlaces(shown, name, start);
    const nodes = kind === "original" ? original(found, left) : released(found, words, readPlaces(shown, name), left);
    const text = make("div", { class: "text", dir: "auto" }, ...nodes);
    rove(text);
    return make("article", { class: "pane", "data-name": name, "data-kind": kind, "aria-label": `${name}, ${kind}` },
      make("h4", {}, ...signed(start, names.indexOf(name)), " ", make("small", {}, kind === "original" ? "original, marked" : "as released")),
      text);
  }

  const at = (start, end) => (shown.points ??= Array.from(shown.text)).slice(start, end).join(""); // code points

  function uneven(name, metric, strings) {
    const entry = ({ text, readable, elsewhere }) => make("li", {}, make("b", { class: "telling" }, text),
      readable.length
        ? ` can be read here: ${readable.map(([start, end]) => `“${at(start, end)}” at ${start}`).join(", ")}`
        : ` can be read in ${elsewhere.map(([document, start]) => `${document} at ${start}`).join(", ")}`);
    return make("details", { class: "attack" },
      make("summary", {}, make("strong", {}, "Masked here, readable there. "),
        `${metric} on ${name}: ${strings.length === 1 ? "1 string" : `${strings.length} strings`}`),
      make("ul", {}, ...strings.map(entry)));
  }

  function fillEvidence() {
    const both = [state.first, state.second].filter(Boolean);
    const inferred = both.flatMap((name) => inferencesOf(shown, name).map((one) => inferredList(name, one, leapTo)));
    const pairs = both.flatMap((name) => Object.entries(shown.evidence ?? {}).map(([metric, by]) => [name, metric, by[name]]))
      .filter(([, metric, one]) => one && !one.inferred?.length && !one.passages?.length && !(metric in (index.left ?? {})));
    const left = both.flatMap((name) => Object.entries(index.left ?? {}).map(([metric], number) =>
      [name, metric, leftPlaces(shown, name, start).filter((one) => one.key.split(".")[1] === String(number))])).filter(([, , places]) => places.length);
    evidence.replaceChildren(...inferred, ...left.map(([name, metric, places]) => leftList(name, metric, places, leapToLeft)), ...pairs.map(([name, metric, { guess, rank, margin, words, attack, places, strings, reasons }]) => {
      if (places?.length) {
        return make("div", { class: "attack" },
          make("p", {}, make("strong", {}, "Still there. "), `${metric} finds in what ${name} leaves:`),
          make("p", { class: "words" }, ...places.map((place) =>
            make("span", {}, make("b", { class: "telling" }, place.text), make("small", {}, ` ${place.entity_type}, line ${place.line}`)))));
      }
      if (strings?.length) return uneven(name, metric, strings);
      const right = rank === 1;
      return make("div", { class: "attack" },
        make("p", {}, make("strong", {}, right ? "Found. " : "Not found. "),
          `${metric}${attack ? ` (${attack})` : ""} on ${name} guesses `, make("code", {}, guess ?? "nobody"), right ? ", which is right" : "",
          rank === null || rank === undefined ? "; the attacker does not know the person" : `; the person is at rank ${rank}`,
          margin === null || margin === undefined ? "" : `, margin ${margin.toFixed(3)}`, "."),
        words.length ? make("p", { class: "words" }, right ? "Given away by " : "Led to that guess by ", ...words.map(([word, weight]) =>
          make("span", {}, make("b", { class: "telling" }, word), make("small", {}, ` ${weight.toFixed(2)}`)))) : null,
        reasons?.length ? make("p", {}, "Whatever it says: ", ...reasons.map(([reason, weight]) => `${reason} (${weight.toFixed(2)})`)) : null);
    }));
    evidence.hidden = !pairs.length && !inferred.length && !left.length;
  }

  async function show(scroll) {
    const number = state.document;
    const document = await load(number);
    if (number !== state.document) return; // the reader has gone on
    shown = document;
    title.textContent = index.ids[number];
    first.value = state.first;
    second.value = state.second;
    pressView(state.view);
    fillReaders();
    fillEvidence();
    const kinds = state.view === "both" ? ["original", "released"] : [state.view];
    const columns = [state.first, state.second].filter(Boolean);
    panes.replaceChildren(...kinds.flatMap((kind) => columns.map((name) => pane(name, kind))));
    panes.classList.toggle("one", kinds.length * columns.length === 1);
    const all = columns.flatMap((name) => [...leaksOf(document, name, chosen()), ...leftLeaks(document, name)]);
    leaks = [...new Map(all.map((leak) => [`${leak.start}-${leak.end}-${leak.left?.key ?? ""}`, leak])).values()];
    leaks.sort((one, two) => one.start - two.start || one.end - two.end);
    markList();
    markLeak(scroll);
  }

  /** Identifiers that can be read where they were not marked, as leaks to go to. */
  function leftLeaks(document, name) {
    return leftPlaces(document, name, start).filter(isLeak).map((left) => ({ start: left.original[0], end: left.original[1], left }));
  }

  function markLeak(scroll) {
    for (const old of panes.querySelectorAll(".current")) old.classList.remove("current");
    const leak = leaks[state.leak];
    if (!leak) {
      const count = leaks.length === 1 ? "1 leak" : leaks.length ? `${leaks.length} leaks` : "nothing that was marked leaks";
      const found = shown.layers.length ? count : "not annotated: nobody said what has to be masked";
      status.textContent = shown.protected ? `${found}; annotated to protect ${shown.protected}` : found;
      return;
    }
    const inside = leak.left ? leftMarks(leak.left) : [...panes.querySelectorAll("mark[data-start]")].filter((mark) =>
      Number(mark.dataset.start) >= leak.start && Number(mark.dataset.end) <= leak.end && !mark.classList.contains("hidden"));
    for (const mark of inside) mark.classList.add("current");
    if (leak.left) {
      status.textContent = `leak ${state.leak + 1} of ${leaks.length}: ${leak.left.words}`;
      if (scroll) inside.at(-1)?.scrollIntoView({ block: "center", behavior: "instant" });
      return;
    }
    // Direct for one annotator is direct.
    const { type, identifier } = leak.mentions.find((one) => one.identifier === "DIRECT") ?? leak.mentions[0];
    status.textContent = `leak ${state.leak + 1} of ${leaks.length}: ${type || "(no type)"}, ${IDENTIFIERS[identifier] ?? identifier}`;
    if (scroll) inside[0]?.scrollIntoView({ block: "center", behavior: "instant" });
  }

  const leftMarks = ({ key }) => [...panes.querySelectorAll("mark[data-left]")].filter((mark) => mark.dataset.left.split(" ").includes(key));

  // ---- moving about

  /** Goes somewhere, and says so in the address. */
  function go(change, scroll = false) {
    const before = state.first;
    Object.assign(state, change);
    if (state.second === state.first) state.second = "";
    if (state.first !== before) fillList();
    remember();
    return show(scroll);
  }

  function remember() {
    const address = { doc: index.ids[state.document], anonymization: state.first };
    if (state.second) address.with = state.second;
    if (state.view !== "both") address.view = state.view;
    if (leaks[state.leak]) address.at = leaks[state.leak].start;
    history.replaceState(null, "", documentLink(address));
  }

  /** The next or previous document of the list. */
  function move(by) {
    const place = order.indexOf(state.document);
    const next = order[Math.max(0, Math.min(order.length - 1, place + by))];
    if (next === undefined || next === state.document) return;
    go({ document: next, leak: -1 });
    if (root.getBoundingClientRect().top < 0) root.scrollIntoView({ block: "start", behavior: "instant" });
  }

  /** The next or previous leak of the document. */
  function leap(by) {
    if (!leaks.length) return;
    state.leak = state.leak < 0 ? (by > 0 ? 0 : leaks.length - 1) : (state.leak + by + leaks.length) % leaks.length;
    remember();
    markLeak(true);
  }

  /** An identifier that can be read where it was not marked. */
  async function leapToLeft(left) {
    if (state.view === "original") await go({ view: "released" });
    const place = leaks.findIndex((leak) => leak.left?.key === left.key);
    if (place >= 0) {
      state.leak = place;
      remember();
      markLeak(true);
      return;
    }
    for (const old of panes.querySelectorAll(".current")) old.classList.remove("current");
    leftMarks(left).forEach((mark) => mark.classList.add("current"));
    leftMarks(left).at(-1)?.scrollIntoView({ block: "center", behavior: "instant" });
  }

  /** A place of the original in the released text; shown where it was not. */
  async function leapTo(name, place) {
    if (state.view === "original") await go({ view: "released" });
    const pane = [...panes.querySelectorAll(".pane")].find((one) => one.dataset.name === name && one.dataset.kind === "released");
    const spot = [...(pane?.querySelectorAll("[data-read]") ?? [])].find((one) => one.dataset.read.split(" ").includes(String(place)));
    for (const old of panes.querySelectorAll(".current")) old.classList.remove("current");
    spot?.classList.add("current");
    spot?.scrollIntoView({ block: "center", behavior: "instant" });
  }

  /** Follows an address such as #doc=court-01&anonymization=rules&at=120. */
  async function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    const number = index.ids.indexOf(wanted.get("doc"));
    if (number < 0) return false;
    const known = (name, otherwise) => (names.includes(name) ? name : otherwise);
    const view = ["original", "released"].includes(wanted.get("view")) ? wanted.get("view") : "both";
    const before = state.first;
    Object.assign(state, { document: number, first: known(wanted.get("anonymization"), state.first), second: known(wanted.get("with"), ""), view, leak: -1 });
    if (state.second === state.first) state.second = "";
    if (state.first !== before || !order.length) fillList();
    if (!order.includes(number)) {
      search.value = "";
      fillList();
    }
    await show(false);
    const at = Number(wanted.get("at") ?? -1);
    state.leak = leaks.findIndex((leak) => leak.start <= at && at < leak.end);
    markLeak(false);
    const spot = panes.querySelector(".current") ?? (at >= 0 ? [...panes.querySelectorAll("[data-start]")].find((mark) => Number(mark.dataset.start) >= at) : null);
    if (spot) spot.scrollIntoView({ block: "center", behavior: "instant" });
    else byId("documents").scrollIntoView({ block: "start", behavior: "instant" });
    if (spot && state.leak < 0) spot.classList.add("current");
    return true;
  }

  search.addEventListener("input", fillList);
  sorting.addEventListener("change", fillList);
  first.addEventListener("change", () => go({ first: first.value, leak: -1 }));
  second.addEventListener("change", () => go({ second: second.value, leak: -1, view: second.value ? "original" : "both" }));
  addEventListener("hashchange", follow);
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, select, textarea")) return;
    const action = { j: () => move(1), k: () => move(-1), n: () => leap(1), p: () => leap(-1) }[event.key];
    if (action) {
      event.preventDefault();
      action();
    }
  });

  return follow().then((followed) => {
    if (followed) return null;
    fillList();
    state.document = order[0];
    return show(false);
  });
}
