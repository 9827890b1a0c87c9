"""The significance matrix of Uzuner, Luo and Szolovits 2007 (their Tables 8 and 16).

Each cell holds the letters of the measures (F, P, R) in which two systems do *not* differ significantly, and a dash for
each measure that is undefined for one of them: of those nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass

from rich.console import Console
from rich.text import Text

from showthrough.core.errors import printable
from showthrough.metrics import HEADLINE
from showthrough.report.terminal import bare_table
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run

ALPHA = 0.1
PARTS = {"F": HEADLINE, "P": "P", "R": "R"}


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
