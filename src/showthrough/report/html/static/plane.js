// Privacy against utility, on whichever two metrics the reader wants: points, their intervals and the front.

const SIZE = 6; // of a point, from its middle
const NAME = 13; // letters of names and numbers, in pixels
const LINE = 17; // from one line of names to the next
const MOST_NAMED = 30; // of more points only those on the front have their names beside them
const MOST_TOGETHER = 10; // names in one joint label
const PEOPLE = "people"; // what stands beside their line

const SHAPES = {
  circle: "M-5.6,0a5.6,5.6 0 1,0 11.2,0a5.6,5.6 0 1,0 -11.2,0Z",
  square: "M-5.2,-5.2h10.4v10.4h-10.4Z",
  "triangle-up": "M0,-6L6,5.4H-6Z",
  diamond: "M0,-6L6,0L0,6L-6,0Z",
  cross: "M-2,-6h4v4h4v4h-4v4h-4v-4h-4v-4h4Z",
  "triangle-down": "M0,6L6,-5.4H-6Z",
  "triangle-right": "M6,0L-5.4,6V-6Z",
};

function drawing(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) if (value !== null) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Round numbers between two others. */
function ticks(low, high, most) {
  const rough = (high - low) / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  const found = [];
  for (let at = Math.ceil(low / step - 1e-6); at * step <= high + step * 1e-6; at += 1) found.push([at * step, (at * step).toFixed(digits)]);
  return found;
}

/** From numbers to pixels: `from` is where the worst end stands, `to` the best. */
function axis(values, reverse, from, to, most) {
  let [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const share = low >= 0 && high <= 1;
  const least = share ? 0.02 : Math.max(1e-9, Math.abs(high) * 0.02);
  if (high - low < least) [low, high] = [low - least, high + least];
  if (share) [low, high] = [Math.max(0, low), Math.min(1, high)];
  const at = (value) => from + ((reverse ? high - value : value - low) / (high - low)) * (to - from);
  return { at, ticks: ticks(low, high, most) };
}

/** Both axes with their numbers. */
function frame(horizontal, vertical, left, bottom, wide) {
  return [
    drawing("path", { class: "axis", d: `M${left},2V${bottom}H${wide}` }),
    ...horizontal.ticks.flatMap(([value, text]) => [
      drawing("line", { class: "tick", x1: horizontal.at(value), x2: horizontal.at(value), y1: bottom, y2: bottom + 5 }),
      drawing("text", { class: "number", x: horizontal.at(value), y: bottom + 19, "text-anchor": "middle" }, text)]),
    ...vertical.ticks.flatMap(([value, text]) => [
      drawing("line", { class: "tick", x1: left - 5, x2: left, y1: vertical.at(value), y2: vertical.at(value) }),
      drawing("text", { class: "number", x: left - 8, y: vertical.at(value) + 4.5, "text-anchor": "end" }, text)]),
  ];
}

function startPlane(plane, { names, signs, shapes }) {
  const across = byId("plane-across");
  const up = byId("plane-up");
  const container = byId("plane-chart");
  const options = plane.metrics.map(({ text, title, group }) => ({ value: text, text: title, group }));
  fill(across, options, plane.across);
  fill(up, options, plane.up);
  const metric = (text) => plane.metrics.find((one) => one.text === text);
  const before = new Map([[across, across.value], [up, up.value]]);

  /** A metric against itself says nothing: who is chosen on both axes gives way, and they change places. */
  function apart(changed, other) {
    if (changed.value === other.value) other.value = before.get(changed);
    for (const one of [across, up]) before.set(one, one.value);
    show();
  }

  const axisTitle = ({ title, reverse }) => `${title}, ${reverse ? "lower" : "higher"} is better`;
  const number = ([value, low, high]) => `${value.toFixed(3)}${low < high ? ` (${low.toFixed(3)}–${high.toFixed(3)})` : ""}`;

  function show() {
    const [x, y] = [metric(across.value), metric(up.value)];
    const front = new Set(plane.front[x.text][y.text]);
    const points = names.map((name, place) => ({ name, place, x: x.values[place], y: y.values[place], best: front.has(place) }))
      .filter((point) => point.x && point.y);
    for (const point of points) point.tip = `${point.name}\n${x.title} ${number(point.x)}\n${y.title} ${number(point.y)}`;
    byId("plane-up-title").textContent = `↑ ${axisTitle(y)}`;
    byId("plane-across-title").textContent = `${axisTitle(x)} →`;
    const absent = names.filter((_, place) => !(x.values[place] && y.values[place]));
    const { together, unnamed } = draw(points, x, y);
    const places = together.length === 1 ? "1 place" : `${together.length} places`;
    const lists = together.flat().some((point) => unnamed.includes(point.name)) ? "the tip" : "one label";
    const sentences = together.length ? [`Where points cover each other, ${lists} lists their names (${places}).`] : [];
    const lines = [x, y].filter((one) => one.people);
    if (lines.length) sentences.unshift(peopleSentence(lines));
    if (unnamed.length) sentences.push(`Not named in the picture: ${unnamed.join(", ")}.`);
    if (absent.length) sentences.push(`Without a number on both: ${absent.join(", ")}.`);
    byId("plane-told").textContent = sentences.join(" ");
    byId("plane-told").hidden = !sentences.length;
  }

  function peopleSentence(lines) {
    const ranges = lines.filter(({ people: { value } }) => value[1] < value[2]).length;
    const bands = ranges ? `; the ${ranges > 1 ? "bands are their intervals" : "band is its interval"}` : "";
    return `Grey ${lines.length > 1 ? "lines" : "line"}: what people reach, each scored against the others, on ${lines[0].people.sample}${bands}.`;
  }

  /** What the tip of a line says: people together, and one by one. */
  function peopleTip({ title, people }) {
    const counted = (many) => (many === 1 ? "1 document" : `${many} documents`);
    const each = people.each.map(([name, value, documents]) => `${name} ${number(value)}, ${counted(documents)}`);
    if (people.more) each.push(`and ${people.more} more`);
    return [`People, each against the others (${people.sample})`, `${title} ${number(people.value)}`, ...each].join("\n");
  }

  /** Draws the points, and says which stand together and which have no name beside them. */
  function draw(points, x, y) {
    const [wide, high] = [Math.max(280, container.clientWidth), Math.max(200, container.clientHeight)];
    const pencil = document.createElement("canvas").getContext("2d");
    pencil.font = `${NAME}px ${getComputedStyle(container).fontFamily}`;
    const long = (text) => pencil.measureText(text).width;
    const bottom = high - 24;
    const reached = ({ people }) => (people && points.length ? [people.value[0]] : []);
    const vertical = axis([...points.flatMap((point) => point.y), ...reached(y)], y.reverse, bottom - 22, 22, Math.max(3, high / 60));
    const left = 14 + Math.max(...vertical.ticks.map(([, text]) => long(text)));
    const horizontal = axis([...points.flatMap((point) => point.x), ...reached(x)], x.reverse, left + 22, wide - 26, Math.max(3, (wide - left) / 80));
    for (const point of points) point.at = [horizontal.at(point.x[0]), vertical.at(point.y[0])];
    const groups = grouped(points);
    const crossed = points.flatMap((point) => intervals(point));
    const best = points.filter((point) => point.best).sort((one, two) => one.at[0] - two.at[0] || one.at[1] - two.at[1]);
    const front = best.slice(1).map((point, place) => [best[place].at, point.at]);
    const named = groups.filter((group) => points.length <= MOST_NAMED || group.some((point) => point.best));
    const people = peopleLines();
    const { boxes, texts } = withNames(named, [...crossed, ...front, ...people.map((one) => one.line)], { left: left + 4, right: wide - 2, top: 2, bottom: bottom - 3 });

    function intervals({ x: [, low, highest], y: [, lowest, top], at: [h, v] }) {
      return [[[horizontal.at(low), v], [horizontal.at(highest), v]], [[h, vertical.at(lowest)], [h, vertical.at(top)]]];
    }

    /** Lines at what people reach, with bands, and a word at an end of each where neither a point nor the other line is. */
    function peopleLines() {
      const within = (value, low, most) => Math.min(Math.max(value, low), most);
      const room = { wide: long(PEOPLE) + 4, high: LINE - 2 };
      const box = (from, top) => ({ left: from, right: from + room.wide, top, bottom: top + room.high });
      const found = [];
      if (y.people) {
        const [at, ...ends] = y.people.value.map((value) => within(vertical.at(value), 2, bottom));
        found.push({
          of: y, line: [[left, at], [wide, at]],
          band: { x: left, width: wide - left, y: Math.min(...ends), height: Math.abs(ends[1] - ends[0]) },
          ends: [wide - room.wide, left + 4].flatMap((from) => [at - room.high - 3, at + 2].map((top) => box(from, top))),
        });
      }
      if (x.people) {
        const [at, ...ends] = x.people.value.map((value) => within(horizontal.at(value), left, wide));
        found.push({
          of: x, line: [[at, 2], [at, bottom]],
          band: { x: Math.min(...ends), width: Math.abs(ends[1] - ends[0]), y: 2, height: bottom - 2 },
          ends: [2, bottom - room.high - 2].flatMap((top) => [at + 3, at - room.wide - 3].map((from) => box(from, top))),
        });
      }
      const taken = groups.map(around);
      for (const one of found) {
        const inside = one.ends.filter((end) => end.left >= left && end.right <= wide && end.top >= 0 && end.bottom <= bottom);
        const clear = (end) => !taken.some((other) => overlap(end, other)) && !found.some(({ line: [from, to] }) => crosses(from, to, end));
        one.box = inside.find(clear) ?? inside[0] ?? one.ends[0];
        taken.push(one.box);
      }
      return found;
    }

    function withNames(some, lines, room) {
      for (const share of [0.5, 0.36, 0.25, 0.16]) {
        const short = fitted(Math.max(50, Math.min(300, (room.right - room.left) * share)));
        const words = some.map((group) => labelLines(group, short));
        const spots = some.map((group, place) => ({
          ...around(group), wide: 8 + Math.max(...words[place].map(({ text }) => long(text))), high: LINE * words[place].length,
        }));
        const found = placeNames(spots, room, lines, people.map((one) => one.box));
        if (found.every(Boolean) || share === 0.16) return { boxes: found, texts: words };
      }
      return null;
    }

    /** Names that are no longer than so many pixels. */
    function fitted(room) {
      for (let most = Math.max(...names.map((name) => name.length)); most > 5; most -= 1) {
        const short = shortNames(names, most);
        if (short.every((name) => long(name) <= room)) return short;
      }
      return shortNames(names, 5);
    }

    const group = (some) => {
      const tip = some.map((point) => point.tip).join("\n\n");
      const label = some.map((point) => point.name).join(", ") + (some.length > 1 ? ": at the same place" : "");
      const [h, v] = some[0].at;
      return drawing("g", { class: "point", "data-tip": tip, role: "img", "aria-label": label },
        drawing("circle", { class: "ring", cx: h, cy: v, r: SIZE + 4 }),
        ...some.map((point) => drawing("path", {
          class: `symbol colour-${signs[point.place][1]}`, d: SHAPES[shapes[point.place % shapes.length]],
          transform: `translate(${point.at[0]},${point.at[1]})`,
        })));
    };

    const drawnPeople = ({ of, line: [[x1, y1], [x2, y2]], box }) => drawing("g", {
      class: "people", "data-tip": peopleTip(of), "data-under": "", role: "img", "aria-label": `people, each against the others: ${of.title}`,
    },
      drawing("line", { class: "ring", x1, y1, x2, y2 }), drawing("line", { class: "line", x1, y1, x2, y2 }),
      drawing("text", { x: box.left + 2, y: box.top + NAME - 1 }, PEOPLE));

    const name = (some, box, words) => drawing("g", { class: "label", "aria-hidden": "true" },
      ...(box.leader ? [drawing("line", { class: "leader", x1: some[0].at[0], y1: some[0].at[1], x2: box.leader[0], y2: box.leader[1] })] : []),
      ...words.map(({ text, point }, place) => drawing("text", {
        x: box.left + 4, y: box.top + LINE * place + NAME, class: point ? "" : "more",
      }, ...(point && some.length > 1 ? [drawing("tspan", { class: `colour-${signs[point.place][1]}` }, `${signs[point.place][0]} `), text.slice(2)] : [text]))));

    const description = `${axisTitle(y)}, against ${axisTitle(x)}: ${points.map((point) => point.tip.replaceAll("\n", ", ")).join("; ")}`;
    container.replaceChildren(drawing("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "group", "aria-label": description },
      ...people.map(({ band }) => drawing("rect", { class: "band", ...band })),
      ...frame(horizontal, vertical, left, bottom, wide),
      ...people.map(drawnPeople),
      drawing("polyline", { class: "front", points: best.map((point) => point.at.join(",")).join(" ") }),
      ...points.flatMap((point) => intervals(point).map(([[x1, y1], [x2, y2]]) =>
        drawing("line", { class: `range colour-${signs[point.place][1]}`, x1, y1, x2, y2 }))),
      ...named.flatMap((some, place) => (boxes[place] ? [name(some, boxes[place], texts[place])] : [])),
      ...groups.map(group)));
    rove(container);
    const shown = new Set(named.flatMap((some, place) => (boxes[place] ? texts[place].map(({ point }) => point) : [])));
    return {
      together: groups.filter((some) => some.length > 1),
      unnamed: points.filter((point) => !shown.has(point)).map((point) => point.name),
    };
  }

  /** What stands beside a group of points: a line for each name. */
  function labelLines(group, short) {
    if (group.length === 1) return [{ text: short[group[0].place], point: group[0] }];
    const some = group.length > MOST_TOGETHER ? group.slice(0, MOST_TOGETHER - 1) : group;
    const lines = some.map((point) => ({ text: `${signs[point.place][0]} ${short[point.place]}`, point }));
    return some.length < group.length ? [...lines, { text: `and ${group.length - some.length} more`, point: null }] : lines;
  }

  across.addEventListener("change", () => apart(across, up));
  up.addEventListener("change", () => apart(up, across));
  whenResized(container, show);
}

/** Points that cover each other on the screen, together. */
function grouped(points) {
  const groups = [];
  for (const point of points) {
    const near = groups.filter((group) => group.some((other) =>
      Math.abs(other.at[0] - point.at[0]) < 2 * SIZE + 1 && Math.abs(other.at[1] - point.at[1]) < 2 * SIZE + 1));
    const joined = [...near.flat(), point];
    for (const group of near) groups.splice(groups.indexOf(group), 1);
    groups.push(joined);
  }
  return groups;
}

/** The box around a group of points. */
function around(group) {
  const [xs, ys] = [0, 1].map((side) => group.map((point) => point.at[side]));
  const edge = SIZE + 1;
  return { left: Math.min(...xs) - edge, right: Math.max(...xs) + edge, top: Math.min(...ys) - edge, bottom: Math.max(...ys) + edge };
}
