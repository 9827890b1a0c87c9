"""Remarks in a report on how far its numbers about inference on authors can be trusted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.core.errors import shorten
from showthrough.data.references import REFERENCES
from showthrough.families.inference.asking import ANSWERS, READER
from showthrough.families.inference.controls import CONTROL, CONTROLS, OTHER, Units, as_good
from showthrough.families.inference.parts import ALL, RIGHT, UNANSWERED, UNJUDGED
from showthrough.statistics.rows import Rows, Totals

OWN = "own"  # of a control: what the attack itself finds of the attributes that the control was asked for
UNGUESSED = "unguessed"


def against(units: Rows, control: str) -> tuple[Units, Units]:
    """By unit what the attack inferred, of how much, and the same of a control."""
    tried = units.column(f"{ALL}:{CONTROL}:{control}")
    return (units.column(f"{RIGHT}:{OWN}:{control}"), tried), (units.column(f"{RIGHT}:{CONTROL}:{control}"), tried)


def remarks_of(attacker: str, judge: str, tables: Mapping[str, Rows]) -> list[str]:
    """A sentence each, from the rows of all anonymizations."""
    ours = {name: rows for name, rows in tables.items() if name not in REFERENCES}
    sums = {name: rows.totals() for name, rows in ours.items()}
    lines = [*_of_attack(attacker, judge, sums)]
    for name, rows in ours.items():
        lines += _of_answers(name, sums[name], attacker, judge)
        lines += _of_controls(name, rows)
    return lines


def _of_attack(attacker: str, judge: str, sums: Mapping[str, Totals]) -> Iterator[str]:
    if attacker == READER:
        yield (
            f"attributes asks {READER}, who finds what can simply be read off: whoever knows more or thinks further "
            "may infer more"
        )
    if judge.startswith(ANSWERS) and any(totals[f"{ALL}:{CONTROL}:{OTHER}"] for totals in sums.values()):
        yield (
            "nobody recorded verdicts on the controls of attributes, which rules judge: these find fewer guesses right "
            "than other judges do, so that the risk above a control may be too large"
        )


def _of_answers(name: str, totals: Totals, attacker: str, judge: str) -> Iterator[str]:
    if missing := int(totals[UNANSWERED]):
        yield (
            f"{shorten(name)}: {missing} documents have no answer of {shorten(attacker)}: these count nowhere in "
            "attributes, and nobody knows what can be inferred from them"
        )
    if missing := int(totals[UNJUDGED]):
        yield (
            f"{shorten(name)}: {missing} attributes count nowhere in attributes: {shorten(judge)} did not say whether "
            "their first guesses are right"
        )
    if (missing := int(totals[UNGUESSED])) and attacker != READER:
        yield (
            f"{shorten(name)}: answers have no guess for {missing} of {int(totals[ALL])} attributes, "
            "which count as not inferred"
        )


def _of_controls(name: str, rows: Rows) -> Iterator[str]:
    for control in CONTROLS:
        if remark := as_good(*against(rows, control), control):
            yield f"{shorten(name)}, attributes: {remark}"
