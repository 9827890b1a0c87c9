// Where each anonymization fails: counts by kind and entity type, and examples that lead into the documents.

function startFailures(start) {
  const { failures, names } = start;
  const table = byId("failures-table");
  if (!table) return;
  const examples = byId("failures-examples");
  const many = (count) => count.toLocaleString("en");

  function show(name) {
    const counts = failures.counts[name];
    const most = Math.max(1, ...counts.flat()); // one scale for all kinds and types of an anonymization
    byId("failures-scale").textContent = `The longest bar of ${name} is ${many(most)}; others have their own scales.`;
    const failed = failures.types.map((_, row) => row).filter((row) => counts[row].some((count) => count > 0));
    const total = failures.kinds.map((_, kind) => counts.reduce((sum, row) => sum + row[kind], 0));

    function entry(count, type, kind) {
      const open = failures.examples && count > 0;
      const label = `${many(count)} ${failures.kinds[kind]}, ${failures.types[type] || "(no type)"}: show examples`;
      const content = open
        ? make("button", { type: "button", class: "count", "aria-label": label, onclick: () => list(name, type, kind) }, many(count))
        : make("span", { class: count ? "" : "none" }, many(count));
      const td = make("td", { class: `number${count ? " counted" : ""}` }, content);
      td.style.setProperty("--share", count / most);
      return td;
    }

    table.replaceChildren(
      make("thead", {}, make("tr", {},
        make("th", { scope: "col" }, "entity type"),
        ...failures.kinds.map((kind) => make("th", { scope: "col", class: "number" }, kind)))),
      make("tbody", {},
        ...failed.map((row) => make("tr", {},
          make("th", { scope: "row" }, failures.types[row] || "(no type)"),
          ...counts[row].map((count, kind) => entry(count, row, kind)))),
        make("tr", { class: "sum" },
          make("th", { scope: "row" }, failed.length ? "all" : "nothing fails"),
          ...total.map((count) => make("td", { class: "number" }, many(count))))),
    );
    examples.replaceChildren();
  }

  function list(name, type, kind) {
    const found = failures.examples[name][type][kind];
    const count = failures.counts[name][type][kind];
    const what = `${failures.kinds[kind]}, ${failures.types[type] || "(no type)"}, ${name}`;
    const some = found.length < count ? `: ${found.length} of ${many(count)}` : "";
    const outcome = ["leaked", "partly", "needless", "needless"][kind];
    examples.replaceChildren(
      make("h3", {}, `${what}${some}`),
      make("ul", { class: "examples" }, ...found.map(([document, at, before, middle, after, identifier]) => {
        const link = documentLink({ doc: start.index.ids[document], anonymization: name, at });
        return make("li", {},
          make("a", { href: link }, start.index.ids[document]),
          identifier ? make("span", { class: "identifier" }, IDENTIFIERS[identifier]) : null,
          make("span", { class: "snippet" },
            `…${before}`, make("mark", { class: `${outcome} ${LEVELS[identifier] ?? ""}`.trim() }, middle), `${after}…`));
      })));
  }

  choice(byId("failures-names"), names, show, (_, place) => signed(start, place));
  show(names[0]);
}
