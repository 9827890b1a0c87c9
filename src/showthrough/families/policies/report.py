"""Policies in reports and in the gate: each rule, how much it was about, and what breaks it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from showthrough.core.errors import shorten
from showthrough.data.documents import Document
from showthrough.data.masks import Mask, apply_masks
from showthrough.report.findings import Finding
from showthrough.report.section import Section
from showthrough.report.sheets import Case, Cases
from showthrough.report.table import CountCell, OwnTable, ScoreColumn
from showthrough.report.wording import counted_words, list_documents
from showthrough.run.gate.checks import RuleCheck
from showthrough.run.records import MetricRecord, PlaceEvidence, Score
from showthrough.run.roles import DocumentCounts, in_all
from showthrough.run.run import Run
from showthrough.studies.cases import context_of

_NAME, _INPUT = "policy", "policy"
_JUDGED, _BROKEN = "judged", "broken"
_WORDS = 4  # leaks that a finding quotes
_WEIGHT = 0.9  # of a finding: somebody asked for these very rules


def _records(run: Run) -> list[MetricRecord]:
    return [record for record in run.metrics if record.name == _NAME and record.text in run.rows]


def _policy_name(run: Run) -> str:
    return next((record.name for record in run.inputs.get(_INPUT, [])), _NAME)


def _rules(run: Run, record: MetricRecord) -> list[str]:
    """The rules as tables call them, in the order of the policy."""
    columns = (column for name in run.names for column in run.rows[record.text].get(name, ()))
    starts = f"{_JUDGED}:"
    return list(dict.fromkeys(column.removeprefix(starts) for column in columns if column.startswith(starts)))


def _counts(run: Run, record: MetricRecord, name: str, what: str, rule: str) -> DocumentCounts:
    return DocumentCounts(run.documents, run.rows[record.text].get(name, {}).get(f"{what}:{rule}", ()))


def rule_checks(run: Run, name: str) -> Iterator[RuleCheck]:
    """Whether an anonymization keeps each rule that anything is marked for."""
    for record in _records(run):
        for rule in _rules(run, record):
            judged = round(in_all(run.rows[record.text][name].get(f"{_JUDGED}:{rule}", ())))
            broken = _counts(run, record, name, _BROKEN, rule)
            if judged:
                sentence = f"kept: {judged:,} of {judged:,}"
                if broken:
                    sentence = f"broken: {broken.total:,} of {judged:,}, in {list_documents(broken)}"
                yield RuleCheck(
                    f"{_policy_name(run)} {rule}", not broken, sentence, record.text, rule, judged, broken.total
                )


def _case(document: Document, masks: Sequence[Mask], location: PlaceEvidence, rule: str) -> Case:
    """A leak in its context; where nobody knows its place in the release, as it was marked."""
    text, span = apply_masks(document.text, masks), (location.start, location.end)
    if location.start == location.end:
        text, span = document.text, location.original
    remark = f"{shorten(location.entity_type)}, {location.how.removeprefix(f'{rule}: ')}"
    return Case(document.id, span[0], *context_of(text, *span), remark)


class _Policies(Section):
    def tables(self, run: Run) -> Iterator[OwnTable]:
        """For each anonymization the rules as rows: how many mentions each is about, and how many break it."""
        for record in _records(run):
            every = _rules(run, record)
            first = run.rows[record.text][run.names[0]]
            rules = [rule for rule in every if in_all(first.get(f"{_JUDGED}:{rule}", ()))]
            columns = []
            for what, names in ((_JUDGED, run.names[:1]), (_BROKEN, run.names)):
                for name in names:
                    totals = run.rows[record.text][name]
                    sums = (in_all(totals.get(f"{what}:{rule}", ())) for rule in rules)
                    scores = (Score(name, record.text, what, number, None, None, "", "") for number in sums)
                    head, better = (what, "neither") if what == _JUDGED else (name, "lower")
                    columns.append(ScoreColumn(head, record.group, better, tuple(map(CountCell, scores))))
            unmarked = ", ".join(rule.partition(" ")[0] for rule in every if rule not in rules)
            asides = ["marked places that each rule is about, and of each anonymization those that break it"]
            asides += [f"nothing is marked for {unmarked}: nothing shows whether these are kept"] if unmarked else []
            if rules:
                title = f"{_policy_name(run)}, broken by rule"
                yield OwnTable(title, tuple(rules), tuple(columns), asides=tuple(asides))

    def place_of(self, record: MetricRecord, part: str) -> Literal["own", "column", ""]:
        return "own" if record.name == _NAME and ":" in part else ""

    def cases(self, run: Run, name: str) -> Iterator[Cases]:
        """Every leak that the run keeps, under the rule that it breaks."""
        if run.texts is None:
            return
        documents = {document.id: document for document in run.texts.documents}
        masks = dict(zip(documents, run.texts.masks[name], strict=True))
        for record in _records(run):
            evidence = run.evidence.get(record.text, {}).get(name, {})
            for rule in _rules(run, record):
                cases = [
                    _case(documents[document], masks[document], location, rule)
                    for document, shown in evidence.items()
                    for location in (shown.places if document in documents else ())
                    if location.how.startswith(f"{rule}: ")
                ]
                if cases:
                    note = "Offsets are those of the release."
                    yield Cases(f"Breaks {_policy_name(run)} {rule}", tuple(cases), (note,))

    def findings(self, run: Run, name: str) -> Iterator[Finding]:
        """The rules that an anonymization breaks, each with its leaks."""
        for record in _records(run):
            evidence = run.evidence.get(record.text, {}).get(name, {})
            for rule in _rules(run, record):
                broken = _counts(run, record, name, _BROKEN, rule)
                if not broken:
                    continue
                words = [
                    f"{shorten(location.text)} ({shorten(document)}: {location.how.removeprefix(f'{rule}: ')})"
                    for document, shown in evidence.items()
                    for location in shown.places
                    if location.how.startswith(f"{rule}: ")
                ]
                yield Finding(
                    name,
                    f"breaks {_policy_name(run)} {rule}: {counted_words(broken.total, 'marked place')}, in "
                    f"{len(broken):,} of {counted_words(len(run.documents), 'document')}",
                    list_documents(broken),
                    words=tuple(words[:_WORDS]),
                    weight=_WEIGHT * len(broken) / len(run.documents),
                )


SECTION = _Policies()
