"""`leaks`: the scan of one text, for programs."""

from __future__ import annotations

import pytest

from showthrough import DETECTORS, Detector, Find, PlanError, Sighting, leaks


def test_it_is_the_scan_of_one_text() -> None:
    [name, address] = leaks("Mr PERSON met\nMs Rask at rask@example.org.")
    assert name == Sighting("", "PERSON", "patterns", 14, 21, 2, "Ms Rask", name.score)
    assert (address.text, address.line, address.end - address.start) == ("rask@example.org", 2, 16)


@pytest.mark.parametrize("text", ["", "Nothing here.", "Mr PERSON left on [DATE_1]."])
def test_what_stands_for_a_name_is_none(text: str) -> None:
    assert leaks(text) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"text": ["a"]}, "text: found a value of type list; expected one text"),
        ({"text": "a", "detectors": []}, "detectors: found none; expected names, such as patterns"),
        ({"text": "a", "detectors": "nobody"}, "unknown detector"),
        ({"text": "a", "language": "es", "detectors": "spacy"}, "reads en with the pipeline en_core_web_sm"),
        ({"text": "a", "language": "de", "detectors": "presidio"}, "expected language='en', or a pipeline for 'de'"),
    ],
)
def test_what_cannot_be_searched(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        leaks(**arguments)  # type: ignore[arg-type]


def test_a_detector_of_one_language_reads_the_language(monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Reader(Detector):
        """Says which language it reads."""

        language: str = "en"

        def find(self, texts):  # type: ignore[no-untyped-def]
            return [[Find(0, 1, self.language)] for _ in texts]

    DETECTORS.register("reader", Reader)
    try:
        names = ["reader", 'reader(language="de")']
        assert [leak.entity_type for leak in leaks("Hola", "es", names)] == ["es", "de"]
    finally:
        del DETECTORS["reader"]
