"""What detectors find in released texts, with its places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import CHUNK_CHARACTERS
from showthrough.models.detectors import DEFAULT, DetectorEntry, check_ready, parse_detector
from showthrough.models.detectors.base import is_written

_PIPELINE = lazy_pattern(r"([a-z]{2})_\w+\Z")  # of spaCy: the language comes first


@dataclass(frozen=True)
class Sighting:
    """A find in a document: what it looks like, who found it and where. Offsets are code points, lines count from 1."""

    document: str
    entity_type: str
    detector: str
    start: int
    end: int
    line: int
    text: str
    score: float


@dataclass(frozen=True)
class Scan:
    """All that was found in some texts, in the order of the documents and of the places in them."""

    documents: int
    characters: int
    detectors: tuple[str, ...]
    sightings: tuple[Sighting, ...]

    def by_type(self) -> dict[tuple[str, str], list[Sighting]]:
        """Sightings by detector and type, most first."""
        groups: dict[tuple[str, str], list[Sighting]] = {}
        for sighting in self.sightings:
            groups.setdefault((sighting.detector, sighting.entity_type), []).append(sighting)
        order = sorted(groups, key=lambda key: (self.detectors.index(key[0]), -len(groups[key]), key[1]))
        return {key: groups[key] for key in order}

    def by_document(self) -> list[tuple[str, int]]:
        """Documents in which something was found, most first."""
        counts = Counter(sighting.document for sighting in self.sightings)
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def scan(texts: Mapping[str, str], detectors: Sequence[DetectorEntry]) -> Scan:
    """Looks at every text with every detector, some at a time.

    >>> from showthrough.models.detectors import parse_detector
    >>> scanned = scan({"a": "Seen by\\nDr Rask."}, [parse_detector("patterns")])
    >>> [(sighting.text, sighting.line) for sighting in scanned.sightings]
    [('Dr Rask', 2)]
    """
    sightings: list[Sighting] = []
    size = 0
    for part in _parts(texts):
        size += sum(len(text) for _, text in part)
        finds_by_detector = [(str(detector), detector.find([text for _, text in part])) for detector in detectors]
        for number, (key, text) in enumerate(part):
            text_finds = [(find, name) for name, finds in finds_by_detector for find in finds[number]]
            line = position = 0
            for find, name in sorted(text_finds, key=lambda pair: (pair[0].start, pair[0].end)):
                line += text.count("\n", position, find.start)
                position = find.start
                span = find.start, find.end
                written = text[find.start : find.end]
                if is_written(text[slice(*find.telling)]):  # PERSON, which tools may take for a name
                    continue
                sightings.append(Sighting(key, find.entity_type, name, *span, line + 1, written, find.score))
    return Scan(len(texts), size, tuple(dict.fromkeys(map(str, detectors))), tuple(sightings))


def leaks(text: str, language: str = "en", detectors: str | Sequence[str] = DEFAULT) -> list[Sighting]:
    """What looks like an identifier in one text, such as the answer of a language model.

    Finding nothing proves nothing. `detectors` are named as for `showthrough scan`. Those that read one language alone
    must read this one; `patterns` knows forms of many.

    >>> [(leak.entity_type, leak.text) for leak in leaks("Ask Dr Rask at rask@example.org.")]
    [('PERSON', 'Dr Rask'), ('EMAIL', 'rask@example.org')]
    """
    if not isinstance(text, str):
        raise PlanError(f"found a value of type {type(text).__name__}; expected one text", "text")
    names = [detectors] if isinstance(detectors, str) else list(detectors)
    if not names:
        raise PlanError("found none; expected names, such as patterns", "detectors")
    entries = [_reading(parse_detector(name), language) for name in names]
    check_ready(entries)
    return list(scan({"": text}, entries).sightings)


def _reading(entry: DetectorEntry, language: str) -> DetectorEntry:
    """A detector with its language set, if it has one to set. Raises PlanError if its pipeline is for another."""
    own = {field.name: field.default for field in fields(entry.detector)}
    if "language" in own and entry.detector.language == own["language"]:  # type: ignore[attr-defined]
        entry = DetectorEntry(entry.name, replace(entry.detector, language=language))  # type: ignore[call-arg]
    read = _PIPELINE.match(str(getattr(entry.detector, "model", "")))
    if read and read[1] != language:
        expected = f"expected language={read[1]!r}, or a pipeline for {quote_value(language)}"
        raise PlanError(f"reads {read[1]} with the pipeline {read[0]}; {expected}", f"detector {shorten(str(entry))}")
    return entry


def _parts(texts: Mapping[str, str]) -> Iterator[list[tuple[str, str]]]:
    """Documents that are looked at together, and are in memory together: about a million characters."""
    part: list[tuple[str, str]] = []
    size = 0
    for key, text in texts.items():
        part.append((key, text))
        size += len(text)
        if size > CHUNK_CHARACTERS:
            yield part
            part, size = [], 0
    if part:
        yield part
