"""Privacy without annotations: what detectors still find in the released text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Floats
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import UnavailableError, shorten
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.released_text import ReleasedText, Telling
from showthrough.models.detectors import DEFAULT, DetectorEntry, Find, parse_detector
from showthrough.statistics.rows import Rows, Totals

DOCUMENTS = "documents"
MOST_PLACES = 20  # of a document that are kept as evidence
_WORDS = "thousand_words"  # of the original: what an anonymizer writes or leaves out must not change the unit
_FINDS = "finds:"


@dataclass(frozen=True)
class Residual(Metric):
    """Identifiers that a detector still finds in the release, per 1,000 words of the original.

    A find wholly inside a replacement does not count, unless it repeats a word of what the mask hides, or words from
    elsewhere in the original: moved text still counts. A titled name counts by its name: "Mr PERSON" is none. Parts are
    the types, in the same unit, and `documents`: the share of documents with at least one find. A detector knows forms
    and not people, so 0 is no proof.

    residual = 1,000 · |{f in detector(released) : f shows something of the original}| / |words of the original|

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> corpus = Corpus([Document("a", "Mr Ole Berg was born on 3 May 1970 in Oslo.")])
    >>> masks = Anonymization({"a": [Mask(3, 11, "PERSON")]})
    >>> run = evaluate(corpus, {"names": masks}, metrics=["residual"])
    >>> round(run["names", "residual"].value, 3)  # the date is left: 1 find, 11 words
    90.909
    """

    version = 2  # 1 took text that stands in another place than it did for the anonymizer's own
    group = "privacy"
    slow = True
    title = "Likely identifiers left, per 1,000 words"
    tells = "what looks like an identifier"
    better = "lower"
    undefined = "the originals have no word"
    roles = ("residual",)
    counts = (("finds", "wrong"),)

    detector: str = parameter(DEFAULT, "detector that looks for identifiers: patterns, presidio, spacy, or a plugin's")

    def __post_init__(self) -> None:
        object.__setattr__(self, "detector", str(parse_detector(self.detector)))

    @property
    def _detector_entry(self) -> DetectorEntry:
        return parse_detector(self.detector)

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        return self._detector_entry.pinned

    @property
    def missing_resource(self) -> str:
        try:
            self.pinned  # noqa: B018 (what pins a detector is read from its files)
        except UnavailableError as error:
            return str(error)
        return ""

    def is_bounded(self, part: str) -> bool:
        return part == DOCUMENTS

    def unit_change(self, part: str, totals: Totals) -> float:
        """One find in every document, in finds for every 1,000 words."""
        return 1.0 if part == DOCUMENTS else float(totals[DOCUMENTS] / totals[_WORDS])

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        axis, detector = chunk.axis, self._detector_entry
        documents = axis.documents
        words = axis.by_document(axis.document_at(axis.tokens.start)) / 1_000

        def originals() -> list[list[Find]]:
            return detector.find([document.text for document in documents])

        @cache
        def telling(number: int) -> Telling:
            text = documents[number].text
            finds = chunk.once(("finds", self.detector), originals)[number]
            return Telling(text, (text[slice(*find.telling)] for find in finds))

        def rows(anonymized: Anonymized) -> Rows:
            released = [ReleasedText.of(document.text, anonymized.of(document.id)) for document in documents]
            touched = [number for number, release in enumerate(released) if release.masks]
            finds_by_document: list[list[Find]] = [[] for _ in documents]
            if len(touched) < len(documents):  # what nobody masked is looked at once for all
                finds_by_document = list(chunk.once(("finds", self.detector), originals))
            for number, finds in zip(touched, detector.find([released[index].text for index in touched]), strict=True):
                finds_by_document[number] = finds
            left = [
                _filter_finds(release, finds, partial(telling, number))
                for number, (release, finds) in enumerate(zip(released, finds_by_document, strict=True))
            ]
            columns: dict[str, ArrayLike] = {
                _WORDS: words,
                DOCUMENTS: np.ones(len(documents)),
                "with_finds": [bool(finds) for finds in left],
                "finds": [len(finds) for finds in left],
            }
            kinds = [Counter(find.entity_type for find in finds) for finds in left]
            for kind in sorted({*detector.detector.types, *(kind for counts in kinds for kind in counts)}):
                columns[f"{_FINDS}{kind}"] = [counts[kind] for counts in kinds]
            seen = zip(documents, released, left, strict=True)
            evidence = {document.id: _list_finds(release, finds) for document, release, finds in seen if finds}
            return replace(Rows.named(columns), evidence=evidence)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        words = totals[_WORDS]
        parts = {HEADLINE: ratio(totals["finds"], words)}
        parts[DOCUMENTS] = ratio(totals["with_finds"], totals[DOCUMENTS])
        for column in sorted(column for column in totals if column.startswith(_FINDS)):
            parts[column.removeprefix(_FINDS)] = ratio(totals[column], words)
        return parts


def _filter_finds(released: ReleasedText, finds: Sequence[Find], telling: Callable[[], Telling]) -> list[Find]:
    """The finds that tell something of the original; what it says itself is asked for where places do not decide."""
    return [
        find for find in finds if released.tells(*find.telling) or telling().has(released.text[slice(*find.telling)])
    ]


def _list_finds(released: ReleasedText, finds: Sequence[Find]) -> dict[str, Any]:
    """The first finds of a document, for a reader."""
    text = released.text
    return {
        "places": [
            {
                "entity_type": find.entity_type,
                "start": find.start,
                "end": find.end,
                "line": text.count("\n", 0, find.start) + 1,
                "original": released.original(find.start, find.end),
                "text": shorten(text[find.start : find.end]),
            }
            for find in finds[:MOST_PLACES]
        ]
    }
