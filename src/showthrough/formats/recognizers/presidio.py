"""Presidio: what its analyzer found (`RecognizerResult`), and what its anonymizer made of it (`EngineResult`).

Results are read as `to_dict`, `__dict__`, `str` and the HTTP service give them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import OutputError, at_document, join_names, quote_value
from showthrough.data.engine_results import EngineResults
from showthrough.data.masks import Anonymization, Mask, Score, score_fault
from showthrough.formats.base import Files
from showthrough.formats.objects import strict
from showthrough.formats.recognizers._containers import AnswerShape, ServiceAnswer, TextRecord, convert_or_none
from showthrough.formats.recognizers.answers import AnswerFormat, AnswerReader, build_mask
from showthrough.formats.remarks import Remarks

_SAID = r"type: (.*?), start: (\d{1,18}), end: (\d{1,18}), score: ([^,\s\]]+)"
_RESULT = re.compile(_SAID, re.DOTALL)
_RESULTS = re.compile(rf"\[(?:{_SAID}(?:, (?=type: )|(?=\]$)))*\]", re.DOTALL)


class _Result(msgspec.Struct, gc=False):
    aside: ClassVar = ("analysis_explanation", "recognition_metadata")

    start: int
    end: int
    entity_type: str
    score: Score | None = None
    confidence: Score | None = None  # what others call it who write such results
    probability: Score | None = None

    @property
    def sure(self) -> float | None:
        return next((value for value in (self.score, self.confidence, self.probability) if value is not None), None)


class _Item(msgspec.Struct, gc=False):
    start: int
    end: int
    entity_type: str
    text: str
    operator: str | None = None
    score: Score | None = None


class _Engine(msgspec.Struct):
    text: str
    items: list[_Item]


class _Record(TextRecord, gc=False):
    results: list[_Result]

    @property
    def value(self) -> list[_Result]:
        return self.results


_KNOWN_RESULTS = strict(list[_Result])
_KNOWN_ITEMS = strict(list[_Item])


def _is_finding(value: Any) -> bool:
    if isinstance(value, str):
        return _RESULT.fullmatch(value) is not None
    return isinstance(value, dict) and {"entity_type", "start", "end"} <= value.keys()


def _findings(value: Any) -> list[Any] | None:
    if isinstance(value, str):
        return [match[0] for match in _RESULT.finditer(value)] if _RESULTS.fullmatch(value) else None
    if isinstance(value, dict) and isinstance(value.get("text"), str) and isinstance(value.get("items"), list):
        items: list[Any] = value["items"]
        return items
    return None


def _parse(answer: ServiceAnswer, remarks: Remarks | None) -> list[_Result] | _Engine:
    value = answer.value
    plain_results: list[_Result] | None = convert_or_none(value, _KNOWN_RESULTS) if isinstance(value, list) else None
    if plain_results is not None:  # as most are
        return plain_results
    if isinstance(value, dict):
        if _findings(value) is None:
            raise answer.fail(f"found keys {join_names(value)}; expected a list of results, or text and items")
        return _Engine(value["text"], answer.parse_findings(value["items"], _Item, _KNOWN_ITEMS, remarks, "items"))
    results = value if isinstance(value, list) else _findings(value) or []
    if any(isinstance(result, str) for result in results):
        return [_of_text(result, answer) for result in results]
    if any(isinstance(result, dict) and "operator" in result for result in results):
        fault = "are items of anonymized text, whose offsets they have, and that text is not here"
        raise answer.fail(f"{fault}; expected the whole answer: text and items")
    return answer.parse_findings(results, _Result, _KNOWN_RESULTS, remarks)  # type: ignore[no-any-return]


def _of_text(text: Any, answer: ServiceAnswer) -> _Result:
    match = _RESULT.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise answer.fail(f"found {quote_value(text)}; expected 'type: …, start: …, end: …, score: …'")
    score: Any = match[4]
    with suppress(ValueError):
        score = float(score)
    if wrong := score_fault(score):
        raise answer.fail(wrong, "score")
    return _Result(int(match[2]), int(match[3]), match[1], score)


class _Masks(AnswerReader):
    def __init__(self, answers: Sequence[ServiceAnswer], path: Path) -> None:
        self._made = EngineResults()

    def masks(self, answer: ServiceAnswer) -> list[Mask]:
        if isinstance(answer.value, _Engine):
            return self._made.masks(answer.original(), answer.value.text, answer.value.items, answer.fail)
        return [build_mask(result.start, result.end, result.entity_type, result.sure) for result in answer.value]

    @property
    def notes(self) -> list[str]:
        return self._made.notes


def _encode_results(anonymization: Anonymization) -> Files:
    """Results by id. Presidio needs a score: what masks do not say is certain."""
    results: dict[str, list[dict[str, Any]]] = {}
    for document_id, masks in anonymization.masks.items():
        if any(mask.replacement is not None for mask in masks):
            raise OutputError(f"{at_document(document_id)}: results of an analyzer hold no replacements; choose masks")
        scores = [1.0 if mask.score is None else mask.score for mask in masks]
        results[document_id] = [
            {"entity_type": mask.entity_type, "start": mask.start, "end": mask.end, "score": score}
            for mask, score in zip(masks, scores, strict=True)
        ]
    return {"": msgspec.json.encode(results)}


SHAPE = AnswerShape(
    'a list of results with "entity_type", "start" and "end", or "text" and "items"',
    (b'"entity_type"', b"type: "),
    _is_finding,
    _findings,
    own=frozenset({"text", "items"}),
)
_SERVICE = AnswerFormat("presidio", SHAPE, _parse, _Masks, _Record, ("start", "end"))
FORMAT = _SERVICE.format(
    "Presidio: results of the analyzer, or of the anonymizer; by id, in a list, in records, or one alone",
    """\
[{"doc_id": "case-1", "text": "Mr John Doe of Oslo left.", "results": [
  {"entity_type": "PERSON", "start": 3, "end": 11, "score": 0.85},
  {"entity_type": "LOCATION", "start": 15, "end": 19, "score": 0.85}]}]
""",
    write_masks=_encode_results,
)
