// Sorts and filters the tables. All of it is in the page without this.
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];

document.getElementById("theme").addEventListener("click", () => document.documentElement.classList.toggle("dark"));

function sortBy(table, head, at) {
  const falling = head.getAttribute("aria-sort") !== "descending";
  const body = table.tBodies[0];
  const numeric = head.classList.contains("number");
  const key = (row) => (numeric ? row.cells[at].dataset.value : row.cells[at].textContent.trim());
  const rows = [...body.rows].sort((one, other) => {
    const [a, b] = [key(one), key(other)];
    if (a === "" || b === "") return (a === "") - (b === "");
    const order = numeric ? Number(a) - Number(b) : a.localeCompare(b);
    return falling === numeric ? -order : order;
  });
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", falling ? "descending" : "ascending");
  body.append(...rows);
}

for (const table of all("table[data-sortable]")) {
  [...table.tHead.rows[0].cells].forEach((head, at) => {
    head.querySelector("button")?.addEventListener("click", () => sortBy(table, head, at));
  });
}

for (const form of all("form.filters")) {
  const table = form.parentElement.querySelector("table[data-sortable]");
  const passes = (row, field) => {
    const kind = field.dataset.filter;
    const value = field.value.trim();
    const own = row.dataset[kind];
    if (!value) return true;
    if (kind === "name") return own.toLowerCase().includes(value.toLowerCase());
    if (kind === "rate") return own !== "" && Number(own) >= Number(value);
    return kind === "threats" ? own.split(" ").includes(value) : own === value;
  };
  const filter = () => {
    const fields = all("[data-filter]", form);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !fields.every((field) => passes(row, field));
      shown += row.hidden ? 0 : 1;
    }
    form.querySelector("[data-count]").textContent = `${shown} of ${table.tBodies[0].rows.length} shown`;
    const threat = form.querySelector("[data-columns]")?.value;
    for (const cell of all("[data-threat]", table)) cell.hidden = Boolean(threat) && cell.dataset.threat !== threat;
  };
  form.addEventListener("input", filter);
  form.addEventListener("submit", (event) => event.preventDefault());
}

document.documentElement.dataset.ready = String(Math.round(performance.now()));
