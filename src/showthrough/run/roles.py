"""Which metric of a run a sentence is about: asked by what its record says it is, never by how it is called."""

from __future__ import annotations

from showthrough.metrics import HEADLINE, Count, Role
from showthrough.run.records import MetricRecord, Score
from showthrough.run.run import Run


def playing(run: Run, role: Role) -> list[MetricRecord]:
    """The metrics that were computed and have a role, in the order of the run."""
    here = [record for record in run.metrics if role in record.roles and record.text in run.rows]
    return [record for record in here if role != "direct identifiers" or _tells_leaks(run, record)]


def _tells_leaks(run: Run, record: MetricRecord) -> bool:
    """Whether it can be told from the rows what leaks: without counts nothing would, and that must not be said."""
    columns = [column for column, kind in record.counts.items() if kind != "wrong"]
    complete = all(column in run.rows[record.text][name] for name in run.names for column in columns)
    return complete and {"right", "all"} <= set(record.counts.values())


def chosen(run: Run, *roles: Role) -> MetricRecord | None:
    """The one metric that sentences about all anonymizations are about, so that like is compared with like.

    Of several, one that has a number for every anonymization goes before one that has not, the first role before the
    next, the metric without parameters of its own before others, and then the order of the run decides.
    """
    ranked = [
        ((not all(headline(run, name, record) for name in run.names), place, record.text != record.name), record)
        for place, role in enumerate(roles)
        for record in playing(run, role)
    ]
    return min(ranked, key=lambda pair: pair[0], default=(None, None))[1]


def headline(run: Run, name: str, record: MetricRecord | None) -> Score | None:
    """The number that a metric is known by; `None` where it has none for this anonymization."""
    score = None if record is None else run.parts(name, record.text).get(HEADLINE)
    return None if score is None or score.value is None else score


def counted(run: Run, record: MetricRecord, name: str, kind: Count) -> list[float]:
    """How many things a metric counts in each document: what is `right`, what is `wrong`, or `all`."""
    columns = run.rows[record.text][name]
    return [
        sum(each) for each in zip(*(columns[one] for one, is_ in record.counts.items() if is_ == kind), strict=True)
    ]


def leaks(run: Run, record: MetricRecord, name: str) -> dict[str, int]:
    """Documents in which a marked identifier can still be read, and how many (as annotators count them)."""
    return {
        document: int(count)
        for document, count in zip(run.documents, wrongs(run, record, name), strict=True)
        if count > 0
    }


def wrongs(run: Run, record: MetricRecord, name: str) -> list[float]:
    """How many of the things that a metric counts are wrong in each document; 0 where it does not tell."""
    kinds = set(record.counts.values())
    if {"right", "all"} <= kinds:
        right, every = (counted(run, record, name, kind) for kind in ("right", "all"))
        return [total - gone for gone, total in zip(right, every, strict=True)]
    columns = run.rows[record.text][name]
    there = [columns[one] for one, kind in record.counts.items() if kind == "wrong" and one in columns]
    return [sum(each) for each in zip(*there, strict=True)] or [0.0] * len(run.documents)
