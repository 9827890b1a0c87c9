"""How far one document goes through `showthrough evaluate`: functions, files and changes of package.

Counts, for one document of the demo, one anonymization and six metrics, what is called of the package itself while the
command runs: distinct functions, the files that they are in, and how often a call goes from one package
(`showthrough.data`, `showthrough.run`, …) to another. What modules do while they are imported is left out. Prints the
three numbers and, with `--list`, all functions by file.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import tempfile
from collections import defaultdict
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import showthrough
from _ledger import Figure, print_table
from showthrough.__main__ import main as run_command
from showthrough.cli import demo_corpus as demo

METRICS = ("er_di", "er_qi", "recall", "recall_per_type", "precision", "f1")
FUNCTIONS, FILES, CHANGES = 1_560, 180, 3_600  # no longer than it is now, with some room
_HOME = str(Path(showthrough.__file__).parent)


class Walk:
    """What is called, once it is told of every call and return (`sys.setprofile`)."""

    def __init__(self) -> None:
        self.functions: defaultdict[str, set[str]] = defaultdict(set)  # by file
        self.changes = 0
        self._packages: list[str] = []  # of the calls that are under way
        self._importing = 0

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event not in ("call", "return") or not code.co_filename.startswith(_HOME):
            return
        step = 1 if event == "call" else -1
        if code.co_name == "<module>":
            self._importing += step
        elif not self._importing:
            self._go(code, step)

    def _go(self, code: CodeType, step: int) -> None:
        if step < 0:
            if self._packages:
                self._packages.pop()
            return
        path = code.co_filename.removeprefix(_HOME).lstrip("/")
        package = path.partition("/")[0]
        self.functions[path].add(code.co_qualname)
        self.changes += bool(self._packages) and self._packages[-1] != package
        self._packages.append(package)


def write_inputs(folder: Path) -> list[str]:
    document = json.loads(demo.corpus_path().read_bytes())[0]
    (folder / "corpus.json").write_text(json.dumps([document]), encoding="utf-8")
    masks = json.loads(demo.anonymization_paths()["ner"].read_bytes())
    chosen = {document["doc_id"]: masks[document["doc_id"]]}
    (folder / "ner.json").write_text(json.dumps(chosen), encoding="utf-8")
    return [str(folder / "corpus.json"), str(folder / "ner.json")]


def walked() -> Walk:
    with tempfile.TemporaryDirectory() as name:
        files = write_inputs(Path(name))
        asked = [word for metric in METRICS for word in ("-m", metric)]
        sys.argv[1:] = ["evaluate", *files, *asked, "-o", f"{name}/run.json"]
        walk, printed = Walk(), io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            sys.setprofile(walk)
            try:
                run_command()
            except SystemExit as left:
                status = left.code
            finally:
                sys.setprofile(None)
    if status:
        raise SystemExit(printed.getvalue())
    return walk


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print all functions by file")
    everything = parser.parse_args().list
    walk = walked()
    if everything:
        for path, functions in sorted(walk.functions.items()):
            print(path, *sorted(functions), sep="\n    ")
    figures = [
        Figure("functions of one document", sum(map(len, walk.functions.values())), FUNCTIONS),
        Figure("files of one document", len(walk.functions), FILES),
        Figure("changes of package of one document", walk.changes, CHANGES),
    ]
    return int(not print_table(figures))


if __name__ == "__main__":
    sys.exit(main())
