// The figures: which metric each is about, and when it is drawn anew.

/** Calls now, and again whenever a place has another width. */
function whenResized(place, show) {
  let width = place.clientWidth;
  show();
  new ResizeObserver(() => {
    if (place.clientWidth === width || !place.clientWidth) return;
    width = place.clientWidth;
    show();
  }).observe(place);
}

/** A figure whose metric can be chosen; `ways` are those to show a chart, the widest first. */
function figure(name, charts, start, ways) {
  const select = byId(`${name}-metric`);
  const container = byId(`${name}-chart`);
  fill(select, Object.entries(charts).map(([value, { title }]) => ({ value, text: title })));
  const title = byId(`${name}-title`); // on paper, where there is no choice
  const show = () => {
    fitting(container, ways(charts[select.value]));
    if (title) title.textContent = charts[select.value].title;
  };
  select.addEventListener("change", show);
  whenResized(container, show);
}

/** How often an attack succeeds, on a scale that reaches from nobody to everybody. */
function startAttacks(charts, start) {
  const percent = (value) => `${(100 * value).toFixed(1)} %`;
  figure("attack", charts, start, (chart) => {
    const by = new Map(chart.bars.map((bar) => [bar.name, bar]));
    const mark = (kind, value, end = value) => {
      if (value === undefined || value === null) return null;
      const element = make("span", { class: kind });
      element.style.setProperty("--from", value);
      element.style.setProperty("--to", end);
      return element;
    };
    const row = (name, place) => {
      const bar = by.get(name);
      const track = bar
        ? make("div", { class: "track", "data-tip": bar.tip, role: "img", "aria-label": bar.tip.replaceAll("\n", ", ") },
          mark("found", 0, bar.value), mark("range", bar.low, bar.high), mark("chance", bar.chance), mark("ceiling", bar.ceiling))
        : make("div", { class: "track none" }, "no number");
      return make("li", {}, make("span", { class: "name" }, ...signed(start, place)),
        make("span", { class: "value" }, bar ? percent(bar.value) : "–"), track);
    };
    const scale = make("li", { class: "scale", "aria-hidden": "true" }, make("span", { class: "name" }), make("span", { class: "value" }),
      make("div", { class: "ticks" }, ...[0, 25, 50, 75, 100].map((tick) => make("span", {}, `${tick} %`))));
    return [() => [make("ul", { class: "bars", "aria-label": chart.title }, ...start.names.map(row), scale)]];
  });
}

function startCharts(start) {
  const { charts } = start;
  if (charts.plane) startPlane(charts.plane, start);
  if (charts.sweeps) startSweeps(charts.sweeps, start);
  if (charts.attack) startAttacks(charts.attack, start);
  if (charts.parts) startParts(charts.parts, start);
  if (charts.significance) startSignificance(charts.significance, start);
}
