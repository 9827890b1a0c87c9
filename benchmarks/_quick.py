"""The speed of everything that users wait for, in one table and under five minutes: `make bench-quick`.

Every row has its figure, its limit where there is one, and the figure that was committed last (`ledger.json`). Exits 1
where a limit is missed, or a figure is worse than 1.3 times the committed one; what looks so is measured a second time,
and the better figure counts. `make bench-quick UPDATE=1` writes the figures of now to the ledger, and then only limits
count. All times are processor time; seconds are those of the machine for which limits were set (`_turns.CALIBRATION`).
Without SHOWTHROUGH_DATA, rows that need real corpora are skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from _ledger import Figure, print_table, read_ledger, write_ledger
from _turns import processor_time, quickest_calibrated, run_python

SIX = [word for name in ("er_di", "er_qi", "recall", "recall_per_type", "precision", "f1") for word in ("-m", name)]
DEFAULT = ["--preset", "default"]
COMMAND = ("-m", "showthrough")
_MODULES = """import sys
from showthrough.__main__ import main
sys.argv[1:] = ["--version"]
try:
    main()
except SystemExit:
    pass
print(sum(name.partition(".")[0] == "showthrough" for name in sys.modules))
"""
FORMATS = ["jsonl", "tab", "presidio", "conll", "i2b2-2014", "brat"]


Measure = Callable[[Path, Path | None], list[Figure]]


def without_data(what: str) -> Figure:
    return Figure(what, None, skipped="SHOWTHROUGH_DATA is not set")


def start_up(_folder: Path, _data: Path | None) -> list[Figure]:
    seconds = quickest_calibrated(
        5,
        {
            "version": lambda: run_python(*COMMAND, "--version"),
            "import": lambda: run_python("-c", "import showthrough"),
        },
    )
    printed = subprocess.run([sys.executable, "-c", _MODULES], check=True, capture_output=True, text=True).stdout
    return [
        Figure("showthrough --version, s", seconds["version"], 0.25),
        Figure("showthrough --version, modules of ours", int(printed.split()[-1]), 120),
        Figure("import showthrough, s", seconds["import"]),
    ]


def small_job(folder: Path, _data: Path | None) -> list[Figure]:
    """The first 31 documents of the demo corpus and its five anonymizations."""
    from showthrough.cli import demo_corpus as demo

    documents = json.loads(demo.corpus_path().read_bytes())[:31]
    (folder / "small.json").write_text(json.dumps(documents), encoding="utf-8")
    files = [str(folder / "small.json")]
    for name, path in demo.anonymization_paths().items():
        masks = json.loads(path.read_bytes())
        chosen = {document["doc_id"]: masks[document["doc_id"]] for document in documents}
        (folder / f"small.{name}.json").write_text(json.dumps(chosen), encoding="utf-8")
        files.append(f"{name}={folder / f'small.{name}.json'}")
    run = ["-o", folder / "small.run.json", "--force"]
    seconds = quickest_calibrated(
        3,
        {
            "six": lambda: run_python(*COMMAND, "evaluate", *files, *SIX, *run),
            "default": lambda: run_python(*COMMAND, "evaluate", *files, *DEFAULT, *run),
        },
    )
    return [
        Figure("31 documents × 5 systems, six metrics, s", seconds["six"], 0.6),
        Figure("31 documents × 5 systems, default preset, s", seconds["default"]),
    ]


def _many(what: str, files: tuple[Path, Path], limits: tuple[float | None, float | None], folder: Path) -> list[Figure]:
    """Processor time and memory of the six metrics, twice, and of the default preset, once."""
    peaks: dict[str, float] = {}

    def evaluate(name: str, asked: list[str]) -> None:
        run = ["-o", folder / "many.run.json", "--force"]
        peaks[name] = run_python(*COMMAND, "evaluate", files[0], f"presidio={files[1]}", *asked, *run)

    seconds = quickest_calibrated(2, {"six": lambda: evaluate("six", SIX)})
    seconds |= quickest_calibrated(1, {"default": lambda: evaluate("default", DEFAULT)})
    return [
        Figure(f"{what}, six metrics, s", seconds["six"], limits[0]),
        Figure(f"{what}, six metrics, MB", peaks["six"], limits[1]),
        Figure(f"{what}, default preset, s", seconds["default"]),
        Figure(f"{what}, default preset, MB", peaks["default"]),
    ]


def notes(folder: Path, _data: Path | None) -> list[Figure]:
    from scale import write_notes

    return _many("5,000 notes", write_notes(folder, 5_000), (None, None), folder)


def cases(folder: Path, data: Path | None) -> list[Figure]:
    if data is None:
        return [without_data("5,000 TAB documents")]
    from scale import write

    return _many("5,000 TAB documents", write(data, folder, 5_000), (3.2, 250), folder)


def page(folder: Path, _data: Path | None) -> list[Figure]:
    run, html = folder / "demo.json", folder / "demo.html"
    run_python(*COMMAND, "demo", "-o", run, "--force")
    work = {"page": lambda: run_python(*COMMAND, "report", run, "--html", html, "--force")}
    seconds = quickest_calibrated(3, work)["page"]
    return [
        Figure("report page of the demo, s", seconds),
        Figure("report page of the demo, MB", html.stat().st_size / 1e6),
    ]


def reading(_folder: Path, _data: Path | None) -> list[Figure]:
    from formats import OURS, TABLE, measured, times_ours

    best = measured(FORMATS, 4_000, goes=2)
    return [
        Figure(f"read {name}, a record / {OURS}", times_ours(name, best), TABLE[name].limit)
        for name in FORMATS
        if name != OURS
    ]


def masking(_folder: Path, data: Path | None) -> list[Figure]:
    if data is None:
        return [without_data("masking metrics / json.loads")]
    from masking import figures

    return figures(data, 3)


def clinical(_folder: Path, data: Path | None) -> list[Figure]:
    what = "clinical metrics, × nervaluate"
    if data is None:
        return [without_data(what)]
    if find_spec("nervaluate") is None:
        return [Figure(what, None, skipped="nervaluate is not installed")]
    from clinical import against_nervaluate, records

    return against_nervaluate(records(data), 3)


# Commands come first, while this process is small: the memory of a process counts what its parent held.
MEASURES: tuple[Measure, ...] = (start_up, small_job, notes, cases, page, reading, masking, clinical)


def better(first: Figure, second: Figure) -> Figure:
    if first.value is None or second.value is None:
        return first
    return second if first.is_worse_than(second.value) else first


def measured(measure: Measure, folder: Path, data: Path | None, committed: Mapping[str, float]) -> list[Figure]:
    """What is worse than committed may have met a busy machine: it is measured again."""
    figures = measure(folder, data)
    if any(figure.has_grown(committed) for figure in figures):
        figures = [better(*pair) for pair in zip(figures, measure(folder, data), strict=True)]
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--update", action="store_true", help="write the figures of now to the ledger")
    update = parser.parse_args().update
    committed = {} if update else read_ledger()
    given = os.environ.get("SHOWTHROUGH_DATA")
    start = processor_time()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory() as name:
        for measure in MEASURES:
            print(f"measuring {measure.__name__.replace('_', ' ')}", file=sys.stderr)
            figures += measured(measure, Path(name), Path(given) if given else None, committed)
            if update:  # so that whoever is interrupted keeps what was measured
                write_ledger(figures, complete=measure is MEASURES[-1])
    good = print_table(figures, committed)
    print(f"measured in {processor_time() - start:.0f} s of processor time")
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
