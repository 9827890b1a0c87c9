// What every part of the page uses: elements, the data blocks, choices, the theme.
// All files of this folder run as one script, in the order that page.py lists.

/** An element. Strings become text and never markup. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const byId = (id) => document.getElementById(id);

/** The content of a data block: base 64, compressed, JSON. */
async function unpack(id) {
  const letters = atob(byId(id).textContent);
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** A choice among a few names: buttons of which one is pressed. Returns a function that presses one. */
function choice(container, names, chosen, label = (name) => [name]) {
  const buttons = names.map((name, place) => {
    const button = make("button", { type: "button", role: "radio", "aria-checked": "false", onclick: () => press(place, true) });
    button.append(...label(name, place));
    return button;
  });
  container.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const place = (buttons.indexOf(document.activeElement) + step + buttons.length) % buttons.length;
    buttons[place].focus();
    press(place, true);
  });
  function press(place, tell) {
    buttons.forEach((button, number) => {
      button.setAttribute("aria-checked", String(number === place));
      button.tabIndex = number === place ? 0 : -1;
    });
    if (tell) chosen(names[place], place);
  }
  container.replaceChildren(...buttons);
  press(0, false);
  return (name) => press(names.indexOf(name), false);
}

/** Fills a select; groups are optional. */
function fill(select, options, chosen) {
  const groups = new Map();
  for (const { value, text = value, group = "" } of options) {
    const option = make("option", { value, selected: value === chosen }, text);
    if (!groups.has(group)) groups.set(group, group ? make("optgroup", { label: group }) : select);
    groups.get(group).append(option);
  }
  select.append(...[...groups.values()].filter((group) => group !== select));
}

// Light and dark: what the system says, until the reader says otherwise. Paper is white.

const darkWanted = matchMedia("(prefers-color-scheme: dark)");
const { classList: look } = document.documentElement;
const setTheme = (dark) => look.toggle("dark", dark);

function startTheme() {
  setTheme(darkWanted.matches);
  darkWanted.addEventListener("change", (event) => setTheme(event.matches));
  const button = byId("theme");
  button.hidden = false;
  button.addEventListener("click", () => setTheme(!look.contains("dark")));
  addEventListener("beforeprint", () => look.contains("dark") && look.replace("dark", "was-dark"));
  addEventListener("afterprint", () => look.contains("was-dark") && look.replace("was-dark", "dark"));
}
