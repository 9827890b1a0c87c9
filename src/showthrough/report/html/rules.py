"""What one more rule would win, on the page: a few rules for each anonymization, where there is time to look."""

from __future__ import annotations

from typing import NamedTuple

from showthrough.analysis.rules.greedy import RuleBook
from showthrough.report.rules import worth_blocks, worth_sentences
from showthrough.report.sheets import Grid
from showthrough.run.run import Run

_RULES = 5  # of each list
_CHARACTERS = 6_000_000  # of all texts that are looked at, anonymization after anonymization


class Told(NamedTuple):
    """What rules would win for one anonymization: a sentence, and the tables."""

    name: str
    sentence: str
    grids: tuple[Grid, ...]


def told(run: Run, *, without_text: bool) -> list[Told]:
    """Of the first anonymizations, as many as there is time for; at least one."""
    if run.texts is None or not any(document.annotations for document in run.texts.documents):
        return []
    size = sum(len(document.text) for document in run.texts.documents)
    book, found = RuleBook(run), []
    for name in run.names[: max(1, _CHARACTERS // size)]:
        worth = book.worth(name, _RULES, alone=False)
        worth = worth.without_text() if without_text else worth
        found.append(Told(name, worth_sentences(worth)[0], worth_blocks(worth)))
    return found
