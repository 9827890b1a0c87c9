"""How many of the others each anonymization is better and worse than, by more than chance: a comparison at a glance."""

from __future__ import annotations

from collections import Counter

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from showthrough.core.errors import printable
from showthrough.report.significance import ALPHA, pairs, result
from showthrough.report.terminal import bare_table, side_by_side
from showthrough.run.run import Run

_NOT_TESTED = "–"


def wins(run: Run) -> dict[str, dict[str, tuple[int, int] | None]]:
    """By metric and name: how many others it is significantly better and worse than; `None` where none was tested."""
    counted: dict[str, dict[str, tuple[int, int] | None]] = {}
    for metric, compared in pairs(run).items():
        for name in run.names:
            counts = Counter(result(run, comparison) for comparison in compared if comparison.first == name)
            tested = counts["better"] + counts["worse"] + counts["unclear"]
            counted.setdefault(metric, {})[name] = (counts["better"], counts["worse"]) if tested else None
    return counted


def show_wins(run: Run, console: Console, saved: str = "") -> None:
    """A table of them, where differences are tested; `saved` is the run file, for who wants to see every pair."""
    counted = wins(run)
    if not counted:
        return
    names = list(map(printable, run.names))
    heads = _heads(list(counted))
    console.print()
    rivals = "the other" if len(names) == 2 else f"how many of the {len(names) - 1} others"
    console.print(Text(f"Significantly better than | worse than {rivals}", style="bold"))
    room = console.width - max(map(cell_len, names)) - 4
    for indexes in side_by_side([max(cell_len(head), 7) + 3 for head in heads], room):
        table = bare_table(*(Text(heads[index]) for index in indexes))
        chosen = [list(counted.values())[index] for index in indexes]
        for name, shown in zip(run.names, names, strict=True):
            table.add_row(Text(shown), *(_cell(column[name]) for column in chosen))
        console.print(table)
    pair = f"showthrough compare {saved or 'RUN'} shows every pair{'' if saved else ' of a run that -o wrote'}"
    for line in (
        f"paired randomization over {run.sample}, Holm's correction within each metric, p at most {ALPHA:g};",
        f"0 | 0: no difference was shown, which does not mean that there is none; {_NOT_TESTED}: not tested",
        pair,
    ):
        console.print(Text(line, style="dim"), soft_wrap=True)


def _cell(counts: tuple[int, int] | None) -> Text:
    if counts is None:
        return Text(_NOT_TESTED, style="dim")
    better, worse = counts
    return Text(f"{better} | {worse}", style="bold green" if better and not worse else "" if better or worse else "dim")


def _heads(metrics: list[str]) -> list[str]:
    """Their names, with parameters where two have one name."""
    short = [metric.partition("(")[0] for metric in metrics]
    return [printable(metric if short.count(name) > 1 else name) for metric, name in zip(metrics, short, strict=True)]
