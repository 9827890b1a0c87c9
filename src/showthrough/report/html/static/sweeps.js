// Recall against precision as masks with lower scores are left out: a line for each anonymization.

const STEP = 2.6; // of a dot on a line, from its middle

function startSweeps(sweeps, start) {
  const { names, signs, shapes } = start;
  const across = byId("sweeps-across");
  const up = byId("sweeps-up");
  const container = byId("sweeps-chart");
  for (const [select, options] of [[across, sweeps.across], [up, sweeps.up]]) {
    fill(select, options.map(([value, text]) => ({ value, text })));
    select.closest("label").hidden = options.length < 2;
    select.addEventListener("change", show);
  }
  const titled = (options, { value }) => options.find(([text]) => text === value)[1];

  function show() {
    const lines = sweeps.curves[across.value][up.value];
    const [x, y] = [titled(sweeps.across, across), titled(sweeps.up, up)];
    byId("sweeps-up-title").textContent = `↑ ${y}, higher is better`;
    byId("sweeps-across-title").textContent = `${x}, higher is better →`;
    draw(lines, x, y);
    byId("sweeps-key").replaceChildren(make("ol", { class: "key", "aria-label": "Anonymizations in the picture" }, ...lines.map(([place, points]) =>
      make("li", {}, ...signed(start, place), points.length > 1 ? null : " (a point: its scores do not differ, or there are none)"))));
  }

  function draw(lines, x, y) {
    const [wide, high] = [Math.max(280, container.clientWidth), Math.max(200, container.clientHeight)];
    const bottom = high - 24;
    const every = lines.flatMap(([, points]) => points);
    const vertical = axis(every.map((point) => point[3]), false, bottom - 16, 16, Math.max(3, high / 60));
    const left = 46;
    const horizontal = axis(every.map((point) => point[2]), false, left + 16, wide - 20, Math.max(3, (wide - left) / 80));
    const at = ([, , h, v]) => [horizontal.at(h), vertical.at(v)];

    const point = (place, one, number, alone) => {
      const masks = alone ? "" : `, threshold ${one[0]}${number ? "" : " (all masks)"}: ${one[1].toLocaleString("en")} masks`;
      const tip = `${names[place]}${masks}\n${x} ${one[2].toFixed(3)}\n${y} ${one[3].toFixed(3)}`;
      const [h, v] = at(one);
      const mark = number
        ? drawing("circle", { class: `step colour-${signs[place][1]}`, cx: h, cy: v, r: STEP })
        : drawing("path", { class: `symbol colour-${signs[place][1]}`, d: SHAPES[shapes[place % shapes.length]], transform: `translate(${h},${v})` });
      return drawing("g", { class: "point", "data-tip": tip, role: "img", "aria-label": tip.replaceAll("\n", ", ") },
        drawing("circle", { class: "ring", cx: h, cy: v, r: number ? 6 : SIZE + 4 }), mark);
    };

    container.replaceChildren(drawing("svg", {
      viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "group",
      "aria-label": `${y} against ${x} at every threshold; the numbers are in tables below`,
    }, ...frame(horizontal, vertical, left, bottom, wide),
      ...lines.map(([place, points]) => drawing("polyline", { class: `curve colour-${signs[place][1]}`, points: points.map((one) => at(one).join(",")).join(" ") })),
      ...lines.flatMap(([place, points]) => points.map((one, number) => point(place, one, number, points.length === 1)))));
    rove(container);
  }

  whenResized(container, show);
}
