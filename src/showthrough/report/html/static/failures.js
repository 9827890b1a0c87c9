// Where each anonymization fails: counts by kind and entity type, and examples that lead into the documents.

function startFailures(start) {
  const { failures, names, signs } = start;
  const table = byId("failures-table");
  if (!table) return;
  const examples = byId("failures-examples");
  const sign = (name, place) => [
    make("span", { class: `glyph colour-${signs[place][1]}`, "aria-hidden": "true" }, signs[place][0]), ` ${name}`,
  ];

  function show(name) {
    const counts = failures.counts[name];
    const most = Math.max(1, ...counts.flat());
    const total = failures.kinds.map((_, kind) => counts.reduce((sum, row) => sum + row[kind], 0));

    function cell(count, type, kind) {
      const shown = count.toLocaleString("en");
      const open = failures.examples && count > 0;
      const label = `${shown} ${failures.kinds[kind]}, ${failures.types[type] || "(no type)"}: show examples`;
      const content = open
        ? make("button", { type: "button", class: "count", "aria-label": label, onclick: () => list(name, type, kind) }, shown)
        : make("span", { class: count ? "" : "none" }, shown);
      const td = make("td", { class: "number" }, content);
      // The square root lets small counts be seen beside large ones.
      if (count) td.style.setProperty("--share", `${Math.round(100 * Math.sqrt(count / most))}%`);
      td.classList.toggle("counted", count > 0);
      return td;
    }

    table.replaceChildren(
      make("thead", {}, make("tr", {},
        make("th", { scope: "col" }, "entity type"),
        ...failures.kinds.map((kind) => make("th", { scope: "col", class: "number" }, kind)))),
      make("tbody", {},
        ...failures.types.map((type, row) => make("tr", {},
          make("th", { scope: "row" }, type || "(no type)"),
          ...counts[row].map((count, kind) => cell(count, row, kind)))),
        make("tr", { class: "sum" },
          make("th", { scope: "row" }, "all"),
          ...total.map((count) => make("td", { class: "number" }, count.toLocaleString("en"))))),
    );
    examples.replaceChildren();
  }

  function list(name, type, kind) {
    const found = failures.examples[name][type][kind];
    const count = failures.counts[name][type][kind];
    const what = `${failures.kinds[kind]}, ${failures.types[type] || "(no type)"}, ${name}`;
    const some = found.length < count ? `: ${found.length} of ${count.toLocaleString("en")}` : "";
    examples.replaceChildren(
      make("h3", {}, `${what}${some}`),
      make("ul", { class: "examples" }, ...found.map(([document, at, before, middle, after]) => {
        const link = documentLink({ doc: start.index.ids[document], anonymization: name, at });
        return make("li", {},
          make("a", { href: link }, start.index.ids[document]),
          make("span", { class: "snippet" },
            `…${before}`, make("mark", { class: kind < 2 ? "leaked" : "needless" }, middle), `${after}…`));
      })));
  }

  choice(byId("failures-names"), names, show, sign);
  show(names[0]);
}
