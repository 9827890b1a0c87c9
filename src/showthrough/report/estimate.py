"""What language models would be asked, as a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from showthrough.core.errors import printable
from showthrough.evaluation.estimate import CallEstimate
from showthrough.models.chat.estimate import LETTERS, SHARE
from showthrough.report.table import DASH
from showthrough.report.terminal import bare_table

_UNKNOWN = "the price is not known: give it with --price IN,OUT"


def show_estimate(estimated: Sequence[CallEstimate], console: Console) -> None:
    """Per metric and anonymization what would be sent, then the sum and how it was estimated."""
    if not estimated:
        console.print(Text("no metric asks a language model: nothing would be sent"), soft_wrap=True)
        return
    for text in dict.fromkeys(item.metric for item in estimated):
        console.print(Text(printable(text), style="bold"), soft_wrap=True)
        if new := [item for item in estimated if item.metric == text and item.count.has_questions]:
            console.print(_table(new))
        else:
            console.print(Text("asks nothing new"))
        console.print()
    for line in (*_lines(estimated), _HOW):
        console.print(Text(printable(line)), soft_wrap=True)


def _table(estimated: Sequence[CallEstimate]) -> Table:
    """Of one metric. Models are called by their names alone, if these tell them apart: URLs are long."""
    names = {item.address.name: item.address.model for item in estimated}
    plain = len({*names.values()}) == len(names)
    table = bare_table("calls", "recorded", "tokens\nsent", "answered\nabout", "\nat most", "$\nabout", "\nat most")
    for item in estimated:
        model = f", {names[item.address.name] if plain else item.address.name}" if len(names) > 1 else ""
        table.add_row(Text(printable(f"{item.anonymization}{model}")), *map(Text, _cells(item)))
    return table


def _cells(item: CallEstimate) -> list[str]:
    count = item.count
    calls = " + ".join([f"{count.calls:,}"] * (count.calls > 0 or not count.further) + _upper_bound(count.further))
    tokens = count.total_in, count.about, count.most
    cost = [DASH, DASH] if item.cost is None else [_dollars(number) for number in item.cost]
    return [calls, f"{count.recorded:,}", *(f"{number:,}" for number in tokens), *cost]


def _upper_bound(further: int) -> list[str]:
    return [f"≤ {further:,}"] if further else []


def _dollars(cost: float) -> str:
    """To the cent, and never nothing where it is something."""
    return f"{math.ceil(cost * 100) / 100:,.2f}"


def _lines(estimated: Sequence[CallEstimate]) -> list[str]:
    """By model where it would go and what it would cost; then how that is known."""
    lines = []
    for name in dict.fromkeys(item.address.name for item in estimated):
        mine = [item for item in estimated if item.address.name == name]
        calls, further = (sum(getattr(item.count, field) for item in mine) for field in ("calls", "further"))
        where = "this machine" if mine[0].address.is_local else mine[0].address.host
        price, costs = mine[0].price, [item.cost for item in mine if item.cost is not None]
        cost_words = _UNKNOWN
        if price is not None:
            about, most = (sum(pair[side] for pair in costs) for side in (0, 1))
            cost_words = f"about ${_dollars(about)}, at most ${_dollars(most)} "
            cost_words += f"(${price.sent:g} and ${price.answered:g} a million tokens, {price.said})"
        also = f" and up to {further:,} more, {_FURTHER}," if further else ""
        lines.append(f"{name}: {calls:,} calls{also} to {where}; {cost_words}")
    return lines


_FURTHER = "which judge the answers if these name one value for an attribute, or three of an author"
_PARTS = {2: "half", 3: "third", 4: "quarter"}
_HOW = (
    f"Estimated: {LETTERS} characters a token; an answer as long as recorded ones, or a {_PARTS[SHARE]} of what it may "
    "be; retries are not counted. Equal questions are asked only once. Nothing was sent."
)
