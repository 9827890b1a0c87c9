"""What is different in a second run of the same corpus: on the terminal, and as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text

from showthrough.core.errors import shorten
from showthrough.metrics import HEADLINE
from showthrough.report.significance import describes, p_text, result
from showthrough.report.table import DASH, format_score
from showthrough.run.records import Comparison, Input
from showthrough.run.run import Run

_WIDTH = 100
_NAME = 24  # characters of a name


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
