"""What stands behind the numbers, ranked: what leaks most, what one fix would win, whom an attack finds and how."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from showthrough.core.errors import shorten
from showthrough.metrics import Role
from showthrough.report._sentences import by_type, left_of_finds, share_of
from showthrough.report.cautions import scant_words
from showthrough.report.section import sections
from showthrough.report.table import format_score
from showthrough.report.wording import counted_words, list_documents, type_words
from showthrough.run.records import MetricRecord
from showthrough.run.roles import RESIDUAL, DocumentCounts, choose_metric, count_by_kind, find_metrics, headline, in_all
from showthrough.run.run import Run
from showthrough.run.weak_systems import almost_nothing

_TYPES = 2  # of each kind of identifier, that are told of an anonymization
_WORDS = 4  # that gave a person away
_SURE = 3  # documents that an attack is surest of
# A direct identifier tells by itself, a quasi-identifier only with others; an attacker needs to know something too.
_FOUND = 0.8
_UNEVEN = 0.3  # nobody says whether what is masked unevenly identifies
_DETECTED = 0.3  # nor whether what looks like an identifier is one
_SCANT = 2.0  # before all others
_WEIGHTS: dict[Role, float] = {"direct identifiers": 1.0, "quasi-identifiers": 0.3}


@dataclass(frozen=True)
class Finding:
    """Something that one anonymization leaves, and where to look first."""

    name: str  # of the anonymization
    what: str  # leaves 58 names (PERSON) readable, in 39 of 100 documents
    where: str = ""  # the documents to look at first
    fix: str = ""  # what it would win to mask all of it
    words: tuple[str, ...] = ()  # of the first of these, which gave the person away: not for everybody's eyes
    weight: float = 0.0


def findings(run: Run) -> list[Finding]:
    """Of all anonymizations, the gravest first: by the share of the documents that it concerns."""
    ways = (
        _scant,
        _find_leaks,
        _uneven,
        _find_residue,
        _find_reidentified,
        *(section.findings for section in sections()),
    )
    every = [finding for name in run.names for way in ways for finding in way(run, name)]
    return sorted(every, key=lambda finding: -finding.weight)  # equal ones in the order of the run


def _find_leaks(run: Run, name: str) -> Iterator[Finding]:
    for role, weight in _WEIGHTS.items():
        record = choose_metric(run, role)
        if record is None or headline(run, name, record) is None:
            continue
        for entity_type, leaking in list(by_type(run, record, name).items())[:_TYPES]:
            yield _leak(run, record, name, entity_type, leaking, weight)


def _leak(
    run: Run, record: MetricRecord, name: str, entity_type: str, leaking: DocumentCounts, weight: float
) -> Finding:
    count, documents = leaking.total, len(run.documents)
    kind = "direct identifier" if "direct identifiers" in record.roles else "indirect identifier"
    summary = f"leaves {counted_words(count, kind)} readable: {type_words(entity_type)}"
    right, every = (in_all(count_by_kind(run, record, name, which)) for which in ("right", "all"))
    now, then = right / every, (right + count) / every
    return Finding(
        name,
        f"{summary}, in {len(leaking):,} of {counted_words(documents, 'document')}",
        list_documents(leaking),
        f"hiding {'it' if count == 1 else 'all of them'} would bring {record.text} from {format_score(now)} "
        f"to {format_score(then)}",
        weight=weight * len(leaking) / documents,
    )


def _uneven(run: Run, name: str) -> Iterator[Finding]:
    """What is masked in one place and readable in another: one rule would mask both."""
    record = choose_metric(run, "inconsistency")
    if record is None or headline(run, name, record) is None:
        return
    wrong = count_by_kind(run, record, name, "wrong")
    where = DocumentCounts(run.documents, wrong)
    if where:
        strings = counted_words(where.total, "string")
        them = "it" if where.total == 1 else "them"
        yield Finding(
            name,
            f"masks {strings} in one place and leaves {them} readable in another, in {len(where):,} of "
            f"{counted_words(len(run.documents), 'document')}",
            list_documents(where),
            f"masking every occurrence of what is masked in a document would hide {them}",
            weight=_UNEVEN * len(where) / len(run.documents),
        )


def _scant(run: Run, name: str) -> Iterator[Finding]:
    if hiding := almost_nothing(run, name):
        yield Finding(name, scant_words(run, hiding), weight=_SCANT)


def _find_residue(run: Run, name: str) -> Iterator[Finding]:
    """What still looks like an identifier."""
    record = choose_metric(run, RESIDUAL)
    if record is None or headline(run, name, record) is None:
        return
    where = DocumentCounts(run.documents, count_by_kind(run, record, name, "wrong"))
    if where:
        yield Finding(
            name,
            f"leaves {left_of_finds(run, record, where.total)}, in {len(where):,} of "
            f"{counted_words(len(run.documents), 'document')}",
            list_documents(where),
            weight=_DETECTED * len(where) / len(run.documents),
        )


def _find_reidentified(run: Run, name: str) -> Iterator[Finding]:
    for record in find_metrics(run, "attack"):
        score = headline(run, name, record)
        if score is None or not score.value:
            continue
        evidence = run.evidence.get(record.text, {}).get(name, {})
        ranked = [
            (document, document_evidence)
            for document, document_evidence in evidence.items()
            if document_evidence.rank == 1
        ]
        ranked.sort(key=lambda pair: (-(pair[1].margin or 0.0), pair[0]))
        words = tuple(word for _, document_evidence in ranked[:1] for word, _ in document_evidence.words[:_WORDS])
        yield Finding(
            name,
            f"lets an attack ({record.name}) find the person of {share_of(score.value, len(run.documents))} documents",
            ", ".join(shorten(document) for document, _ in ranked[:_SURE])
            and f"most certain: {', '.join(shorten(document) for document, _ in ranked[:_SURE])}",
            words=words,
            weight=_FOUND * score.value,
        )
