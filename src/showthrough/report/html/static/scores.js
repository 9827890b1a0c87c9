// The score table, sorted by whatever column the reader chooses.

function startScores() {
  const table = byId("scores");
  if (!table) return;
  const body = table.tBodies[0];
  const buttons = [...table.querySelectorAll(".sort")];
  const first = [...body.rows];
  const key = (row, column) => (column === 0 ? first.indexOf(row) : parseFloat(row.cells[column].dataset.value));

  buttons.forEach((button, column) => button.addEventListener("click", () => {
    const head = button.closest("th");
    const direction = head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
    for (const other of buttons) other.closest("th").removeAttribute("aria-sort");
    head.setAttribute("aria-sort", column === 0 ? "ascending" : direction);
    const sign = column !== 0 && direction === "descending" ? -1 : 1;
    const rows = [...body.rows].sort((one, two) => {
      const [left, right] = [key(one, column), key(two, column)];
      // What has no number comes last, whichever way the others go.
      return Number.isNaN(left) - Number.isNaN(right) || sign * (left - right) || first.indexOf(one) - first.indexOf(two);
    });
    body.append(...rows);
  }));
}

/** Tables whose columns have no room turn into cards. */
function startFitting() {
  const tables = [...document.querySelectorAll(".fitting")];

  function fit() {
    for (const table of tables) table.classList.remove("as-cards");
    const wide = tables.filter((table) => table.offsetWidth > table.parentElement.clientWidth + 1);
    for (const table of wide) table.classList.add("as-cards");
  }

  fit();
  addEventListener("resize", fit);
  document.addEventListener("toggle", fit, true); // what is folded away has no width
}

function startCopying() {
  const button = byId("copy");
  const text = byId("paragraph");
  button.hidden = false;
  button.addEventListener("click", async () => {
    let copied = true;
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      getSelection().selectAllChildren(text); // no leave to write: the reader copies what is selected
      copied = false;
    }
    byId("copied").textContent = copied ? "Copied." : "Selected: press Ctrl+C or ⌘C.";
  });
}
