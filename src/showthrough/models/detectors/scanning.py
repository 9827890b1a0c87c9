"""What detectors find in released texts, with its places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from showthrough.data.documents import CHUNK_CHARACTERS
from showthrough.models.detectors import DetectorEntry
from showthrough.models.detectors.base import is_written


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
