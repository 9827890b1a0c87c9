"""Rules for forms: a date, a phone number or an id that training nearly always marked as a whole, under one type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from showthrough.systems.taggers.consistency import longest
from showthrough.systems.taggers.labels import TokenSpan, spans_of
from showthrough.systems.taggers.learners.base import Rows

_GROUP, _BEGINS = "t=", "^"  # how features name a form, and the token that begins one


class TrustedForm(msgspec.Struct, frozen=True):
    """The type that a form has, and how often it had it."""

    entity_type: str
    sure: float


class Forms(msgspec.Struct, frozen=True):
    """Forms that can be trusted, by name, or by name and number of tokens."""

    names: list[str]
    known: dict[str, TrustedForm] = {}

    def find_spans(self, rows: Rows) -> list[TokenSpan]:
        """What they say of a sequence; of two that overlap the longer one."""
        spans: list[TokenSpan] = []
        for name, first, last in _occurrences(rows, self.names):
            trusted = [self.known[condition] for condition in _conditions(name, first, last) if condition in self.known]
            if trusted:
                best = max(trusted, key=lambda form: (form.sure, form.entity_type))
                spans.append(TokenSpan(first, last, best.entity_type, best.sure))
        return longest(spans)


def trusted_forms(
    names: Sequence[str], sequences: Sequence[Rows], labels: Sequence[Sequence[str]], fewest: int, trust: float
) -> Forms:
    """Those of the named forms that were marked exactly, under one type, often enough and in enough sequences."""
    totals: Counter[str] = Counter()
    right: Counter[tuple[str, str]] = Counter()
    spread: Counter[tuple[str, str]] = Counter()
    for rows, answers in zip(sequences, labels, strict=True):
        marked = {(span.first, span.last): span.entity_type for span in spans_of(answers)}
        met = [
            (condition, marked.get((first, last), ""))
            for name, first, last in _occurrences(rows, names)
            for condition in _conditions(name, first, last)
        ]
        totals.update(condition for condition, _ in met)
        right.update(met)
        spread.update(set(met))
    forms: dict[str, TrustedForm] = {}
    for (condition, kind), count in sorted(right.items()):
        sure = count / (totals[condition] + 1)
        if kind and spread[condition, kind] >= fewest and sure >= trust:
            forms[condition] = TrustedForm(kind, sure)
    return Forms(list(names), forms)


def _conditions(name: str, first: int, last: int) -> tuple[str, str]:
    return name, f"{name} {last - first}"


def _occurrences(rows: Rows, names: Sequence[str]) -> Iterator[tuple[str, int, int]]:
    """Every form that stands in a sequence: from the token that begins it on."""
    for first, row in enumerate(rows):
        for feature in row:
            if feature.startswith(_GROUP) and feature.endswith(_BEGINS):
                goes_on = feature.removesuffix(_BEGINS)
                name = goes_on.removeprefix(_GROUP)
                if name in names:
                    last = first + 1
                    while last < len(rows) and goes_on in rows[last]:
                        last += 1
                    yield name, first, last
