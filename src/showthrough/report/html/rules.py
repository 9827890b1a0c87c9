"""What one more rule would win, on the page: a few rules for each anonymization, where there is time to look."""

from __future__ import annotations

from typing import NamedTuple

from showthrough.report.rules import worth_blocks, worth_sentences
from showthrough.report.sheets import Grid
from showthrough.run.run import Run
from showthrough.studies.rules.greedy import RuleBook

_RULES = 5  # of each list
_CHARACTERS = 3_000_000  # that are looked at, once for each anonymization: some two seconds


class RuleSection(NamedTuple):
    """What rules would win for one anonymization: a sentence, and the tables."""

    name: str
    sentence: str
    grids: tuple[Grid, ...]


def rule_sections(run: Run, *, without_text: bool) -> list[RuleSection]:
    """Of the first anonymizations, as many as a page can wait for; of many documents, none."""
    size = sum(len(document.text) for document in run.texts.documents) if run.texts else 0
    names = run.names[: _CHARACTERS // size] if size else []
    if not names:
        return []
    book, sections = RuleBook(run), []
    for name in names:
        worth = book.worth(name, _RULES, alone=False)
        worth = worth.without_text() if without_text else worth
        sections.append(RuleSection(name, worth_sentences(worth)[0], worth_blocks(worth)))
    return sections
