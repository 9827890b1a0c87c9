"""What people reach against each other, for those who read what systems reach."""

from __future__ import annotations

from itertools import islice

import msgspec

from showthrough.metrics import Role
from showthrough.report.table import format_score
from showthrough.report.wording import join_names
from showthrough.run.records import Human
from showthrough.run.roles import PRECISION, RECALL, choose_metric
from showthrough.run.run import Run

# What a sentence is about, the first few of them.
_TOLD: tuple[Role, ...] = ("direct identifiers", "quasi-identifiers", PRECISION, RECALL, "F, P and R")
_MOST = 3

Value = tuple[float, float, float]  # a number with the low and the high end of its interval


class HumanScores(msgspec.Struct, frozen=True):
    """What people reach on a metric, each scored against the others: together, and one by one."""

    value: Value
    sample: str  # where it was counted, such as `21 of 100 documents`
    each: dict[str, tuple[Value, int]]  # by annotator: the number, and in how many documents
    more: int = 0  # annotators who are not among these


def people(run: Run, metric: str) -> HumanScores | None:
    """What people reach on a metric, where several marked a document and it can tell."""
    ceiling = run.ceiling
    together = None if ceiling is None else _value(ceiling.people.get(metric))
    if ceiling is None or together is None:
        return None
    by_annotator = {}
    for name, by_metric in ceiling.annotators.items():
        human = by_metric.get(metric)
        if human is not None and (value := _value(human)):
            by_annotator[name] = value, human.documents
    shared, total = ceiling.documents, len(run.documents)
    sample = f"{shared:,} of {total:,} documents" if shared < total else f"all {total:,} documents"
    return HumanScores(together, sample, by_annotator, max(0, ceiling.readers - len(by_annotator)))


def _value(human: Human | None) -> Value | None:
    if human is None or human.value is None:
        return None
    return (
        human.value,
        human.value if human.low is None else human.low,
        human.value if human.high is None else human.high,
    )


def against_each_other(run: Run) -> list[str]:
    """The same in a sentence; none where nobody could be scored so."""
    texts = [record.text for role in _TOLD if (record := choose_metric(run, role))]
    reached = {text: group for text in texts if (group := people(run, text))}
    if not reached:
        return []
    shown_metrics = dict(islice(reached.items(), _MOST))
    numbers = join_names([f"{text} {_with_ends(group.value)}" for text, group in shown_metrics.items()])
    sample = next(iter(shown_metrics.values())).sample
    where = sample if sample.startswith("all") else f"the {sample} that several marked; systems are scored on all"
    return [
        f"People reach {numbers} when each is scored against the others (on {where}). A system above that follows "
        f"the marks more closely than one person follows another's. That does not show a better judgement of what "
        f"identifies."
    ]


def _with_ends(value: Value) -> str:
    """`0.844 (0.709–0.933)`."""
    return format_score(value[0]) + (
        f" ({format_score(value[1])}–{format_score(value[2])})" if value[1] < value[2] else ""
    )
