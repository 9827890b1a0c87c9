// Everything begins here.

startTheme();
startTips();
startPrinting();
startScores();
startFitting();
startCopying();
const start = await unpack("start");
startFirst(start);
startFailures(start);
startPassages(start);
const laid = startViewer(start);
startCharts(start);
await laid;
byId(location.hash.slice(1))?.scrollIntoView({ behavior: "instant" }); // what was drawn above it pushed it down
document.documentElement.dataset.ready = String(Math.round(performance.now())); // when the page could be used
