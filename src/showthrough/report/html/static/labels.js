// Where names stand in the plane: beside their points, and never over a point or another name.

const AWAY = [3, 9, 18, 30, 44, 60, 80, 104, 132, 165, 200, 240]; // from a point to its name
const AROUND = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [-1, -1], [1, 1], [-1, 1], [1, -0.4], [-1, -0.4], [1, 0.4], [-1, 0.4], [0.4, -1], [-0.4, -1], [0.4, 1], [-0.4, 1]];
const LEADER = 14; // from here on a line leads from the name to its point

const overlap = (one, two) => one.left < two.right && two.left < one.right && one.top < two.bottom && two.top < one.bottom;

/** Whether a line from one place to another runs through a box. */
function crosses([x, y], [toX, toY], box) {
  let [from, to] = [0, 1];
  for (const [start, step, low, high] of [[x, toX - x, box.left, box.right], [y, toY - y, box.top, box.bottom]]) {
    if (Math.abs(step) < 1e-9) {
      if (start < low || start > high) return false;
    } else {
      const [one, two] = [(low - start) / step, (high - start) / step];
      from = Math.max(from, Math.min(one, two));
      to = Math.min(to, Math.max(one, two));
    }
  }
  return from < to;
}

/** Boxes of a size around a box, the near ones first. */
function* boxesAround({ left, right, top, bottom }, wide, high) {
  for (const away of AWAY) {
    for (const [across, down] of AROUND) {
      const x = (left + right) / 2 + across * ((right - left) / 2 + away + wide / 2);
      const y = (top + bottom) / 2 + down * ((bottom - top) / 2 + away + high / 2);
      yield { away, left: x - wide / 2, right: x + wide / 2, top: y - high / 2, bottom: y + high / 2 };
    }
  }
}

const inside = (box, room) => box.left >= room.left && box.right <= room.right && box.top >= room.top && box.bottom <= room.bottom;
const nearest = (box, [x, y]) => [Math.max(box.left, Math.min(x, box.right)), Math.max(box.top, Math.min(y, box.bottom))];

/** The box of one name: the one that costs least, and none where there is no room. `lines` may be crossed, at a cost. */
function placed(spot, room, taken, lines) {
  let best = null;
  for (const box of boxesAround(spot, spot.wide, spot.high)) {
    if (best && box.away > best.cost) break;
    if (!inside(box, room) || taken.some((other) => overlap(box, other))) continue;
    const middle = [(spot.left + spot.right) / 2, (spot.top + spot.bottom) / 2];
    const end = nearest(box, middle);
    const hindered = box.away >= LEADER && taken.some((other) => other !== spot && crosses(middle, end, other));
    const cost = box.away + (hindered ? 120 : 0) + 14 * lines.filter(([from, to]) => crosses(from, to, box)).length;
    if (!best || cost < best.cost) best = { ...box, cost, leader: box.away >= LEADER ? end : null };
  }
  return best;
}

/** The boxes of all names, in whichever order of choosing costs least. A name without a box has `null`. `kept` stay free. */
function placeNames(spots, room, lines, kept = []) {
  const numbers = spots.map((_, place) => place);
  const by = (value) => [...numbers].sort((one, two) => value(spots[one]) - value(spots[two]) || one - two);
  const crowd = (one) => -spots.filter((two) => Math.abs(one.left - two.left) < one.wide && Math.abs(one.top - two.top) < 40).length;
  const orders = [by(crowd), by((one) => one.left), by((one) => -one.left), by((one) => one.top), by((one) => -one.top), by((one) => -one.wide)];
  let best = null;
  for (const order of orders) {
    const boxes = spots.map(() => null);
    const taken = [...spots, ...kept];
    for (const place of order) {
      boxes[place] = placed(spots[place], room, taken, lines);
      if (boxes[place]) taken.push(boxes[place]);
    }
    const cost = boxes.reduce((sum, box) => sum + (box ? box.cost : 1e4), 0);
    if (!best || cost < best.cost) best = { boxes, cost };
  }
  return best.boxes;
}
