// Everything begins here.

startTheme();
startTips();
startPrinting();
startScores();
startFitting();
startCopying();
const start = await unpack("start");
startFailures(start);
const laid = startViewer(start);
startCharts(start);
await laid;
document.documentElement.dataset.ready = String(Math.round(performance.now())); // when the page could be used
