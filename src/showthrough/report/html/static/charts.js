// The figures: Vega-Lite specifications that the page brings along, in the colours of the page.

/** What a specification leaves open: colours and fonts. */
function chartTheme(shapes) {
  const text = { color: colour("ink"), fontSize: 12.5 };
  const muted = colour("muted");
  return {
    background: "transparent",
    font: colour("sans"),
    text,
    rule: { color: colour("ink") },
    view: { stroke: null },
    range: {
      category: Array.from({ length: 8 }, (_, place) => colour(`c${place}`)),
      symbol: shapes,
      heatmap: [0, 1, 2, 3, 4].map((place) => colour(`heat-${place}`)),
    },
    style: { front: { color: muted }, level: { color: colour("ink") }, success: { color: colour("heat-4") } },
    axis: {
      grid: false, domainColor: muted, tickColor: muted, labelColor: colour("ink"), titleColor: muted,
      titleFontWeight: "normal", labelFontSize: 12, titleFontSize: 12.5, titlePadding: 10, labelLimit: 200,
    },
  };
}

/** The colours that a matrix names in its parameters. */
const inks = (heat) => ({
  on_pale: colour("ink"), on_strong: colour(heat ? "on-heat" : "on-strong"), pale: colour("pale"),
  strong: colour("strong"), faint: colour("faint"),
});

const drawn = new Map(); // what stands in each place, to be taken away before the next

/** Draws a specification. Expressions are interpreted, never compiled, as the page's policy demands. */
async function draw(place, specification, shapes) {
  const chart = structuredClone(specification);
  const heat = "cells" in (chart.datasets ?? {});
  for (const parameter of chart.params ?? []) parameter.value = inks(heat)[parameter.name] ?? parameter.value;
  const container = byId(place);
  if (typeof chart.width === "number") {
    chart.width = Math.max(220, Math.min(620, container.clientWidth - 70));
    if (typeof chart.height === "number") chart.height = Math.min(chart.height, Math.max(260, chart.width * 0.72));
  }
  drawn.get(place)?.finalize();
  const result = await vegaEmbed(container, chart, {
    actions: false, ast: true, defaultStyle: false, renderer: "svg", config: chartTheme(shapes),
    tooltip: (handler, event, item, value) => {
      if (value === null || value === undefined || value === "") hideTip();
      else showTip(String(value.tip ?? value), event.clientX, event.clientY);
    },
  });
  drawn.set(place, result);
}

function startCharts(start) {
  const { charts, shapes } = start;
  const redraw = [];

  /** A figure whose metric can be chosen. */
  function figure(name, charts) {
    const select = byId(`${name}-metric`);
    fill(select, Object.keys(charts).map((value) => ({ value })));
    select.closest("label").classList.toggle("single", Object.keys(charts).length === 1);
    const show = () => draw(`${name}-chart`, charts[select.value], shapes);
    select.addEventListener("change", show);
    redraw.push(show);
  }

  if (charts.plane) redraw.push(startPlane(charts.plane, shapes));
  for (const name of ["parts", "attack", "significance"]) if (charts[name]) figure(name, charts[name]);
  const all = () => Promise.all(redraw.map((show) => show()));
  themeChanged = all;
  let width = innerWidth;
  let waiting = 0;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's bars come and go
    width = innerWidth;
    clearTimeout(waiting);
    waiting = setTimeout(all, 150);
  });
  return all();
}

/** Privacy against utility, on whichever two metrics the reader wants. */
function startPlane(plane, shapes) {
  const across = byId("plane-across");
  const up = byId("plane-up");
  const options = plane.metrics.map(({ text, group }) => ({ value: text, group }));
  fill(across, options, plane.across);
  fill(up, options, plane.up);
  const metric = (text) => plane.metrics.find((one) => one.text === text);
  const before = new Map([[across, across.value], [up, up.value]]);

  /** A metric against itself says nothing: who is chosen on both axes gives way, and they change places. */
  function apart(changed, other) {
    if (changed.value === other.value) other.value = before.get(changed);
    for (const one of [across, up]) before.set(one, one.value);
    return show();
  }

  async function show() {
    const points = plane.points[across.value][up.value];
    const chart = structuredClone(plane.chart);
    chart.datasets = { points, front: points.filter((point) => point.best) };
    for (const layer of chart.layer) {
      for (const [channel, chosen] of [["x", metric(across.value)], ["y", metric(up.value)]]) {
        layer.encoding[channel].title = chosen.title;
        layer.encoding[channel].scale.reverse = chosen.reverse;
      }
    }
    chart.description = `${metric(up.value).title} against ${metric(across.value).title}: `
      + points.map((point) => point.tip.replaceAll("\n", ", ")).join("; ");
    await draw("plane-chart", chart, shapes);
  }

  across.addEventListener("change", () => apart(across, up));
  up.addEventListener("change", () => apart(up, across));
  return show;
}
