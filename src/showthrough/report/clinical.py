"""The significance matrix of Uzuner, Luo and Szolovits 2007 (their Tables 8 and 16).

Each cell holds the letters of the measures (F, P, R) in which two systems do *not* differ significantly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from showthrough.errors import printable
from showthrough.metrics import HEADLINE, Rows, parse_metric
from showthrough.run.run import Run
from showthrough.statistics import p_value, shuffled_shifts

ALPHA = 0.1
PARTS = {"F": HEADLINE, "P": "P", "R": "R"}


@dataclass(frozen=True)
class Matrix:
    """p values of all pairs, by measure; `None` where a measure is undefined."""

    metric: str
    names: tuple[str, ...]
    p: dict[tuple[str, str], dict[str, float | None]]

    def letters(self, one: str, two: str, alpha: float = ALPHA) -> str:
        """The measures in which two systems do not differ significantly."""
        found = self.p[(one, two) if (one, two) in self.p else (two, one)]
        return "".join(letter for letter, p in found.items() if p is None or p > alpha)


def comparable(run: Run) -> list[str]:
    """The metrics of a run that have a precision and a recall beside their F."""
    return [
        record.text
        for record in run.metrics
        if record.text in run.rows and set(PARTS.values()) <= set(run.parts(run.names[0], record.text))
    ]


def significance(run: Run, metric: str, *, shuffles: int = 9999, seed: int | None = None) -> Matrix:
    """Approximate randomization over records between all pairs of systems, on F, P and R.

    Two systems' whole records are exchanged by a coin flip, N times; p = (n + 1) / (N + 1), where n counts how often
    the difference after that is at least the real one. All systems share the coins, so one product of coins and rows
    serves all pairs.
    """
    chosen = parse_metric(metric)
    # Categories are left aside: what is asked for is made of the counts of everything.
    tables = [run.units(_overall(chosen.counted(run.rows_of(metric, name)))) for name in run.names]
    columns = tuple(dict.fromkeys(column for table in tables for column in table.columns))
    rows = [Rows.joined([Rows(columns, np.zeros((0, len(columns)))), table]).values for table in tables]
    sums = shuffled_shifts(np.hstack(rows), shuffles, run.settings.seed if seed is None else seed)
    moved = np.split(sums, len(rows), axis=1)
    totals = [values.sum(axis=0) for values in rows]

    def parts(values: np.ndarray) -> dict[str, np.ndarray]:
        return chosen.combine({column: values[..., place] for place, column in enumerate(columns)})

    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for one, two in combinations(range(len(rows)), 2):
        shift = moved[two] - moved[one]
        real = (parts(totals[one]), parts(totals[two]))
        shuffled = (parts(totals[one] + shift), parts(totals[two] - shift))
        cell = found[run.names[one], run.names[two]] = {}
        for letter, part in PARTS.items():
            difference = float(real[0][part] - real[1][part])
            undefined = np.isnan(difference)
            cell[letter] = None if undefined else p_value(difference, shuffled[0][part] - shuffled[1][part])
    return Matrix(metric, tuple(run.names), found)


def _overall(rows: Rows) -> Rows:
    kept = [place for place, column in enumerate(rows.columns) if ":" not in column]
    return Rows(tuple(rows.columns[place] for place in kept), rows.values[:, kept])


def show_matrix(matrix: Matrix, alpha: float, console: Console) -> None:
    rich = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    rich.add_column("", no_wrap=True)
    for name in matrix.names[1:]:
        rich.add_column(Text(printable(name)), justify="center", no_wrap=True)
    for place, one in enumerate(matrix.names[:-1]):
        cells = [
            Text("") if other <= place else Text(matrix.letters(one, two, alpha) or "·")
            for other, two in enumerate(matrix.names)
            if other > 0
        ]
        rich.add_row(Text(printable(one)), *cells)
    console.print()
    console.print(Text(f"{matrix.metric}: measures in which two systems do not differ significantly", style="bold"))
    console.print(rich)
