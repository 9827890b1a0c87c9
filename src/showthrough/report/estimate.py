"""What language models would be asked, as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from showthrough.errors import printable
from showthrough.evaluation.estimating import Estimate, Estimated
from showthrough.report.table import DASH
from showthrough.report.terminal import bare_table
from showthrough.resources.chat.estimate import LETTERS, SHARE

_UNKNOWN = "nobody knows what it costs: --price IN,OUT says it"


def show_estimate(estimate: Estimate, console: Console) -> None:
    """Per metric and anonymization what would be sent, then the sum and how it was estimated."""
    estimated = estimate.lines
    several = len({one.address.name for one in estimated}) > 1
    if not estimated:
        console.print(Text("no metric asks a language model: nothing would be sent"), soft_wrap=True)
        return
    heads = "calls", "recorded", "tokens sent", "answered", "at most", "$ about", "$ at most"
    table = bare_table(*heads)
    for text in dict.fromkeys(one.metric for one in estimated):
        table.add_section()
        table.add_row(Text(printable(text)))
        for one in (one for one in estimated if one.metric == text):
            who = f", {one.address.name}" if several else ""
            table.add_row(Text(printable(f"  {one.anonymization}{who}")), *map(Text, _cells(one)))
    console.print(table)
    for line in (*_lines(estimated), *map(_follows, estimate.following), _HOW):
        console.print(Text(printable(line)), soft_wrap=True)


def _cells(one: Estimated) -> list[str]:
    count = one.count
    calls = f"{count.calls:,}{f' + ≤ {count.further:,}' if count.further else ''}"
    tokens = count.tokens_in, count.tokens_out, count.tokens_most + count.further_out
    cost = [DASH, DASH] if one.cost is None else [_dollars(each) for each in one.cost]
    return [calls, f"{count.recorded:,}", *(f"{each:,}" for each in tokens), *cost]


def _dollars(cost: float) -> str:
    """To the cent, and never nothing where it is something."""
    return f"{math.ceil(cost * 100) / 100:,.2f}"


def _lines(estimated: Sequence[Estimated]) -> list[str]:
    """By model where it would go and what it would cost; then how that is known."""
    lines = []
    for name in dict.fromkeys(one.address.name for one in estimated):
        mine = [one for one in estimated if one.address.name == name]
        calls, further = (sum(getattr(one.count, what) for one in mine) for what in ("calls", "further"))
        where = "this machine" if mine[0].address.is_here else mine[0].address.host
        price, costs = mine[0].price, [one.cost for one in mine if one.cost is not None]
        what = _UNKNOWN
        if price is not None:
            about, most = (sum(each[at] for each in costs) for at in (0, 1))
            what = f"about ${_dollars(about)}, at most ${_dollars(most)} "
            what += f"(${price.sent:g} and ${price.answered:g} a million tokens, {price.said})"
        also = f" and at most {further:,} that follow from answers" if further else ""
        lines.append(f"{name}: {calls:,} calls{also} to {where}; {what}")
    return lines


def _follows(metric: str) -> str:
    return f"{metric}: its judge is asked about the answers; these calls are not counted here"


_PARTS = {2: "half", 3: "third", 4: "quarter"}
_HOW = (
    f"Estimated: {LETTERS} characters a token; an answer as long as recorded ones, or a {_PARTS[SHARE]} of what it may "
    "be; tries again are not counted. Equal questions are asked once, where they come first. Nothing was sent."
)
