// Paper: white, and two pages (or as many as the page says) whatever there is to say. Where that is much, all of it is
// smaller.

const SHEET = [700, 955]; // what A4 and Letter both have between their margins, in pixels
const SHEETS = 2;
const SPARE = 0.88; // what is kept together leaves a gap at the end of a sheet
const SPARE_ALONE = 0.96; // of a single sheet, which has no gap between two
const SMALLEST = 0.5;

/** The rules for paper, which are tried on the screen to know how long it gets. */
const paperRules = () => [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.media?.mediaText === "print");

function paperSize() {
  const rules = paperRules();
  const { style } = document.documentElement;
  const main = document.querySelector("main");
  const room = (main.dataset.sheets ? Number(main.dataset.sheets) * SPARE_ALONE : SHEETS * SPARE) * SHEET[1];
  for (const rule of rules) rule.media.mediaText = "all";
  let size = 1;
  for (; size > SMALLEST; size -= 0.04) {
    style.width = `${SHEET[0] / size}px`;
    if (main.scrollHeight * size <= room) break;
  }
  style.width = "";
  for (const rule of rules) rule.media.mediaText = "print";
  return size;
}

function startPrinting() {
  const { style } = document.documentElement;
  const folds = [...document.querySelectorAll("details.notes, details.folded, details.reasons")]; // all of it is on paper too
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = folds.map((fold) => fold.open);
    for (const fold of folds) fold.open = true;
    for (const table of document.querySelectorAll(".as-cards")) table.classList.remove("as-cards");
    style.setProperty("--paper-size", paperSize());
  });
  addEventListener("afterprint", () => {
    folds.forEach((fold, place) => { fold.open = opened[place]; });
    dispatchEvent(new Event("resize"));
  });
}
