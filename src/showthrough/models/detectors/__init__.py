"""Detectors find what looks like an identifier in a text. The table of them all, and how they are asked for.

They read the released text alone and know nothing of what stood there: finding nothing proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

import msgspec

from showthrough.core.call_syntax import call_text, placed_call, with_place
from showthrough.core.errors import InputError, PlanError, Problem, ResourceError, quote_value, shorten
from showthrough.core.plugins import Registry, describe_error, is_plugin, value_of
from showthrough.models.detectors.base import Detector, Find

DEFAULT = "patterns"
DETECTORS: Registry[Detector] = Registry(
    "detectors",
    {},
    partial(value_of, Detector, "detector"),
    {
        "patterns": "showthrough.models.detectors.patterns:Patterns",
        "presidio": "showthrough.models.detectors.presidio:Presidio",
        "spacy": "showthrough.models.detectors.spacy:Spacy",
        "gliner": "showthrough.models.detectors.gliner:GlinerDetector",
    },
    called=True,
)


class DetectorEntry(msgspec.Struct, frozen=True):
    """A detector, and the entry that it comes from.

    >>> str(parse_detector("spacy(model=en_core_web_sm)"))
    'spacy'
    """

    name: str
    detector: Detector

    def __str__(self) -> str:
        return call_text(self.name, self.detector, DETECTORS[self.name])

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """What a score's signature says of it beside its parameters."""
        return ((self.name, f"v{self.detector.version}"), *self.detector.pinned)

    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        """What it finds in each text, checked like input where it is somebody else's. Raises ResourceError."""
        try:
            finds = self.detector.find(texts)
        except Exception as error:  # of a plugin, anything
            raise ResourceError(
                f"detector {self.name} {describe_error(error, ours=not is_plugin(self.detector))}"
            ) from error
        if is_plugin(self.detector) and (fault := _fault(finds, texts)):
            raise ResourceError(f"detector {self.name} returned {fault}")
        return finds


def parse_detector(text: str) -> DetectorEntry:
    """The detector that a text asks for: a name, perhaps with parameters, the first also after a colon, as anonymizers.

    Raises PlanError.

    >>> parse_detector("spacy:en_core_web_md") == parse_detector('spacy(model="en_core_web_md")')
    True
    """
    head, parameters = placed_call(text.strip(), "detector", 'spacy(model="en_core_web_sm")')
    name, colon, location = head.partition(":")
    if name not in DETECTORS:
        raise PlanError(f"unknown detector; there are {', '.join(DETECTORS)}", f"detector {shorten(name)}")
    return DetectorEntry(
        name, with_place(f"detector {name}", name, DETECTORS[name], location if colon else None, parameters)
    )


def check_ready(detectors: Iterable[DetectorEntry]) -> None:
    """Raises InputError where one of them lacks what it finds by, before anything is read."""
    problems = []
    for detector in detectors:
        try:
            _ = detector.pinned
        except ResourceError as error:
            problems.append(Problem("", f"detector {shorten(str(detector))}", str(error)))
    if problems:
        raise InputError(problems)


def _fault(results: object, texts: Sequence[str]) -> str:
    """What is wrong with what a plugin found; empty where nothing is."""
    if not isinstance(results, list) or len(results) != len(texts):
        return f"a value of type {type(results).__name__}; expected a list of finds for each of {len(texts)} texts"
    for finds, text in zip(results, texts, strict=True):
        if not isinstance(finds, list | tuple):
            return f"a value of type {type(finds).__name__} for a text; expected a list of finds"
        for find in finds:
            if not isinstance(find, Find) or not isinstance(find.entity_type, str):
                return f"a value of type {type(find).__name__} among finds; expected a Find with a type"
            for low, high in ((find.start, find.end), find.telling):
                if type(low) is not int or type(high) is not int or not 0 <= low < high <= len(text):
                    return f"a find from {quote_value(low)} to {quote_value(high)} in a text of {len(text)} characters"
    return ""


__all__ = ["DEFAULT", "DETECTORS", "Detector", "DetectorEntry", "Find", "check_ready", "parse_detector"]
