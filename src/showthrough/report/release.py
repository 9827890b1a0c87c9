"""How identifiers can be read in a release, in words: where marked, elsewhere, written otherwise, encoded, nearly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from showthrough.core.errors import shorten
from showthrough.data.documents import Document
from showthrough.data.masks import apply_masks
from showthrough.data.reading import reading_form
from showthrough.metrics.matching.entities import LEFT, NEARLY, WAYS
from showthrough.report.wording import Clause
from showthrough.run.records import MetricRecord
from showthrough.run.roles import DocumentCounts, in_all
from showthrough.run.run import WITHOUT_TEXT, Run

_, _ELSEWHERE, _OTHERWISE, _ENCODED = WAYS
# What follows a number of identifiers.
_HOW: Mapping[str, str] = {
    _ELSEWHERE: "in another place than marked",
    _OTHERWISE: "written in another way",
    _ENCODED: "encoded",
}
_CONTEXT = 3  # words before an identifier that a sentence quotes
_SENTENCE = re.compile(r"[.!?]\s+|[\r\n]+")


def readable_how(run: Run, record: MetricRecord, name: str) -> Iterator[Clause]:
    """Of the identifiers that can be read, those that cannot be where they were marked; and where one stands."""
    columns = run.rows[record.text][name]
    counts = {way: round(in_all(columns.get(f"{LEFT}:{way}", ()))) for way in _HOW}
    ways = [(way, count) for way, count in counts.items() if count]
    for index, (way, count) in enumerate(ways):
        quote = _quote(run, record, name, way)
        yield Clause("", f"{count:,}", f"{' of them' if not index else ''} {_HOW[way]}{quote}")


def nearly_readable(run: Run, record: MetricRecord, name: str) -> Iterator[Clause]:
    """What is not counted as readable, and is nearly so."""
    count = round(in_all(run.rows[record.text][name].get(NEARLY, ())))
    if count:
        verb = "is" if count == 1 else "are"
        yield Clause(
            "",
            f"{count:,} more",
            f" {verb} nearly readable: a letter off, a part of it, initials, or a name that is a word too",
        )


def _quote(run: Run, record: MetricRecord, name: str, way: str) -> str:
    """`: "Patient: …" (note-07)`: what stands before an identifier, and never the identifier itself.

    Without the texts the document alone; nothing where no document is known.
    """
    where = DocumentCounts(run.documents, run.rows[record.text][name][f"{LEFT}:{way}"])
    document = next((key for key, _ in where.most(1)), None)
    if document is None:
        return ""
    before = _words_before(run, record, name, way, document)
    quoted = f': "{before} …"' if before else ""
    return f"{quoted} ({shorten(document)})"


def _words_before(run: Run, record: MetricRecord, name: str, way: str, key: str) -> str:
    """The words before the first such place of a document; empty where a run holds no text, or nothing stands there."""
    evidence = run.evidence.get(record.text, {}).get(name, {})
    if run.texts is None or run.provenance.get(WITHOUT_TEXT) or key not in evidence:
        return ""
    locations = [location for location in evidence[key].places if location.how == way and location.end]
    number = next((number for number, candidate in enumerate(run.texts.documents) if candidate.id == key), None)
    if not locations or number is None:
        return ""
    document = run.texts.documents[number]
    text = apply_masks(document.text, run.texts.masks[name][number])
    telling = _telling_words(document)
    for location in locations:
        words = _SENTENCE.split(text[: location.start])[-1].split()[-_CONTEXT:]
        while words and not telling.isdisjoint(reading_form(words[-1]).split()):
            words.pop()
        if words and telling.isdisjoint(reading_form(" ".join(words)).split()):
            return shorten(" ".join(words))
    return ""


def _telling_words(document: Document) -> frozenset[str]:
    """All words that somebody wants masked in a document."""
    marks = (mark for layer in document.annotations for mark in layer.mentions if mark.identifier != "NO_MASK")
    return frozenset(word for mark in marks for word in reading_form(document.text[mark.start : mark.end]).split())
