"""What is different in a second run of the same corpus: on the terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from showthrough.core.errors import printable, shorten
from showthrough.metrics import HEADLINE
from showthrough.report.significance import describes, p_text, result
from showthrough.report.table import DASH, format_score
from showthrough.report.terminal import bare_table
from showthrough.run.records import Comparison, Input
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run

_WIDTH = 100
_NAME = 24  # characters of a name
ALPHA = 0.1
PARTS = {"F": HEADLINE, "P": "P", "R": "R"}


def show_differences(run: Run, compared: Sequence[Comparison], alpha: float, console: Console) -> None:
    """For each metric a line for each pair: what it is, what it was, and whether chance may have made it."""
    width = min(console.width, _WIDTH)
    for metric, part in dict.fromkeys((comparison.metric, comparison.part) for comparison in compared):
        console.print()
        console.print(Text(metric if part == HEADLINE else f"{metric}, {part}", style="bold"), width=width)
        rich = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for head in ("", "against"):
            rich.add_column(head, overflow="fold", max_width=_NAME)
        for head in ("is", "was", "difference", "p"):
            rich.add_column(head, justify="right", no_wrap=True)
        rich.add_column("", overflow="fold")
        for comparison in (
            row_comparison
            for row_comparison in compared
            if (row_comparison.metric, row_comparison.part) == (metric, part)
        ):
            rich.add_row(*map(Text, _cells(run, comparison, alpha)))
        console.print(rich, width=width)


def _cells(run: Run, comparison: Comparison, alpha: float) -> list[str]:
    scores = [run.parts(name, comparison.metric).get(comparison.part) for name in (comparison.first, comparison.second)]
    values = [DASH if score is None or score.value is None else format_score(score.value) for score in scores]
    size = DASH if comparison.difference is None else f"{comparison.difference:+.3f}"
    if comparison.low is not None and comparison.high is not None:
        size += f"\n{comparison.low:+.3f} to {comparison.high:+.3f}"
    return [
        shorten(comparison.first),
        shorten(comparison.second),
        *values,
        size,
        p_text(comparison.p_holm),
        _in_words(run, comparison, alpha),
    ]


def _in_words(run: Run, comparison: Comparison, alpha: float) -> str:
    """`better`, `worse`, or what is not known."""
    if comparison.p_holm is None:
        return f"not tested: {comparison.note or 'it is undefined for one of the two'}"
    if not comparison.significant(alpha):
        return "not shown to differ"
    return "differs" if describes(run, comparison) else result(run, comparison, alpha)


def _inputs(run: Run) -> list[Input]:
    return [anonymization.without_path for anonymization in run.anonymizations]


def compared_json(
    runs: Sequence[tuple[str, Run]], compared: Sequence[Comparison], same: Sequence[str], alpha: float, shuffles: int
) -> str:
    """All comparisons with full precision, and of which runs they are."""
    content: dict[str, Any] = {
        "runs": [
            {"name": name, "corpus": run.corpus.without_path, "anonymizations": _inputs(run)} for name, run in runs
        ],
        "alpha": alpha,
        "shuffles": shuffles,
        "identical": list(same),
        "comparisons": list(compared),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


@dataclass(frozen=True)
class Matrix:
    """p values of all pairs, by measure; `None` where a measure is undefined."""

    metric: str
    names: tuple[str, ...]
    p: dict[tuple[str, str], dict[str, float | None]]

    def letters(self, first: str, two: str, alpha: float = ALPHA) -> str:
        """The measures in which two systems do not differ significantly; a dash for each that is undefined."""
        by_letter = self.p[(first, two) if (first, two) in self.p else (two, first)]
        return "".join("–" if p is None else letter for letter, p in by_letter.items() if p is None or p > alpha)


def comparable(run: Run) -> list[str]:
    """The metrics of a run that have a precision and a recall beside their F."""
    return [record.text for record in find_metrics(run, "F, P and R")]


def significance(run: Run, metric: str, *, shuffles: int = 9999, seed: int | None = None) -> Matrix:
    """Approximate randomization over records between all pairs of systems, on F, P and R.

    As the challenge did it: by plain differences, and without correction for many pairs.
    """
    p: dict[tuple[str, str], dict[str, float | None]] = {}
    for comparison in run.compare(metric, parts=PARTS.values(), shuffles=shuffles, seed=seed, test="plain"):
        p.setdefault((comparison.first, comparison.second), dict.fromkeys(PARTS))[comparison.part or "F"] = comparison.p
    return Matrix(metric, tuple(run.names), p)


def show_matrix(matrix: Matrix, alpha: float, console: Console) -> None:
    rich = bare_table(*(Text(printable(name)) for name in matrix.names[1:]), justify="center")
    for index, row_name in enumerate(matrix.names[:-1]):
        cells = [Text(matrix.letters(row_name, two, alpha) or "·") for two in matrix.names[index + 1 :]]
        rich.add_row(Text(printable(row_name)), *[Text("")] * index, *cells)
    console.print()
    console.print(Text(f"{matrix.metric}: measures in which two systems do not differ significantly", style="bold"))
    console.print(rich)
