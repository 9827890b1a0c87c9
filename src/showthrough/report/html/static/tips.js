// The tip: one box for the whole page, for the mouse, the finger and the keyboard.

const tip = byId("tip");
let tipped = null; // what it is about
let pinned = false; // by a finger or the keyboard: it goes with the page, and stays until it is sent away

function showTip(element, x, y) {
  hideTip();
  tipped = element;
  tip.textContent = element.dataset.tip;
  tip.hidden = false;
  element.setAttribute("aria-describedby", "tip");
  placeTip({ left: x, top: y, bottom: y });
}

function pinTip(element) {
  showTip(element, 0, 0);
  pinned = true;
  placeTip(element.getBoundingClientRect());
}

/** Below a place, or above it where there is no room below. */
function placeTip({ left, top, bottom }) {
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(left + 8, innerWidth - box.width - 8))}px`;
  tip.style.top = `${bottom + 10 + box.height > innerHeight ? Math.max(8, top - box.height - 10) : bottom + 10}px`;
}

function hideTip() {
  tip.hidden = true;
  tipped?.removeAttribute("aria-describedby");
  tipped = null;
  pinned = false;
}

/** A pinned tip follows what it is about, as long as that can be seen. */
function followTip() {
  if (!pinned) return hideTip();
  const box = tipped.getBoundingClientRect();
  if (!tipped.isConnected || box.bottom < 0 || box.top > innerHeight) hideTip();
  else placeTip(box);
}

function startTips() {
  const about = (event) => event.target.closest?.("[data-tip]");
  let pointer = "mouse"; // what was used last
  let dismissed = null; // what the reader does not want to hear about while the mouse is on it
  let waiting = false;
  addEventListener("pointerdown", (event) => { pointer = event.pointerType; }, { passive: true, capture: true });
  document.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "mouse") return;
    const found = about(event);
    if (found !== dismissed) dismissed = null;
    if (found && found !== tipped && found !== dismissed) showTip(found, event.clientX, event.clientY + 8);
    else if (!found && !pinned) hideTip();
  }, { passive: true });
  document.addEventListener("click", (event) => {
    if (pointer === "mouse" || event.detail === 0) return; // 0: no finger, but a key
    const found = about(event);
    if (found && found !== tipped) pinTip(found);
    else hideTip();
  });
  document.addEventListener("focusin", (event) => {
    const found = about(event);
    if (found?.matches(":focus-visible")) pinTip(found);
    else if (found !== tipped) hideTip();
  });
  document.addEventListener("focusout", hideTip);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    dismissed = tipped;
    hideTip();
  });
  document.addEventListener("scroll", () => {
    if (waiting || !tipped) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      if (tipped) followTip();
    });
  }, { passive: true, capture: true });
}

const roving = new WeakSet();

/** Makes what has tips one stop for the keyboard; inside, arrows go from one to the next, in a table also up and down. */
function rove(container) {
  // What is drawn under the rest comes after it.
  const all = () => ["[data-tip]:not([data-under])", "[data-tip][data-under]"].flatMap((which) => [...container.querySelectorAll(which)]);
  all().forEach((stop, place) => { stop.tabIndex = place ? -1 : 0; });
  if (roving.has(container)) return;
  roving.add(container);
  container.addEventListener("keydown", (event) => {
    const stops = all();
    const place = stops.indexOf(event.target);
    const across = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const down = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (place < 0 || !(across || down)) return;
    event.preventDefault();
    const next = across || !stops[place].closest("tr") ? stops[place + (across || down)] : beyond(stops[place], down);
    if (!next) return;
    for (const stop of stops) stop.tabIndex = stop === next ? 0 : -1;
    next.focus();
  });
}

/** The next cell with a tip above or below another. */
function beyond(cell, by) {
  const rows = [...cell.closest("table").rows];
  for (let row = rows.indexOf(cell.parentElement) + by; rows[row]; row += by) {
    if (rows[row].cells[cell.cellIndex]?.dataset.tip) return rows[row].cells[cell.cellIndex];
  }
  return null;
}
