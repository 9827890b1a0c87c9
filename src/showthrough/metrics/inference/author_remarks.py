"""What a reader must know before believing how little can be inferred about authors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.data.references import REFERENCES
from showthrough.errors import shown
from showthrough.inference.asking import ANSWERS, READER
from showthrough.inference.controls import CONTROL, CONTROLS, OTHER
from showthrough.metrics.base import Rows, Totals

RIGHT, ALL = "inferred", "attributes"  # columns; of a part with its name behind
OWN = "own"  # of a control: what the attack itself finds of the attributes that the control was asked for
UNANSWERED, UNGUESSED = "unanswered", "unguessed"


def remarks_of(attacker: str, judge: str, tables: Mapping[str, Rows]) -> list[str]:
    """A sentence each, from the rows of all anonymizations."""
    sums = {name: rows.totals() for name, rows in tables.items() if name not in REFERENCES}
    return [*_of_attack(attacker, judge, sums), *(line for name, totals in sums.items() for line in _of(name, totals))]


def _of_attack(attacker: str, judge: str, sums: Mapping[str, Totals]) -> Iterator[str]:
    if attacker == READER:
        yield (
            "attributes: the attacker reader finds only what stands in the text in so many words: this is a floor, and "
            "somebody who draws conclusions, or a language model, may infer more"
        )
    if judge.startswith(ANSWERS) and any(totals[f"{ALL}:{CONTROL}:{OTHER}"] for totals in sums.values()):
        yield (
            "attributes: nobody recorded verdicts on controls, so that rules judge these; rules find some guesses wrong "
            "that judges find right, which makes the risk above a control seem larger"
        )


def _of(name: str, totals: Totals) -> Iterator[str]:
    if unanswered := int(totals[UNANSWERED]):
        yield (
            f"{shown(name)}: {unanswered} documents have no answer of the attacker: they count nowhere in attributes, "
            "which says nothing of what can be inferred about their authors"
        )
    if unguessed := int(totals[UNGUESSED]):
        yield (
            f"{shown(name)}: answers have no guess for {unguessed} of {int(totals[ALL])} attributes, "
            "which count as not inferred"
        )
    for which, where in CONTROLS.items():
        tried, right = totals[f"{ALL}:{CONTROL}:{which}"], totals[f"{RIGHT}:{CONTROL}:{which}"]
        if tried and right >= totals[f"{RIGHT}:{OWN}:{which}"]:
            yield (
                f"{shown(name)}: the attacker guesses as many attributes {where} as from what was released: "
                "these numbers say nothing of what the released texts tell"
            )
