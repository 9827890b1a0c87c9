"""Azure Language: personal data that it recognised, in answers to requests, of jobs, or as its Python client has them.

What offsets count is the choice of whoever asked (`stringIndexType`), and answers do not repeat it: text elements by
default, code points from Python, UTF-16 units from Java and JavaScript. Where the file says it, it holds. Else the
texts of the entities tell; and where they do not and it matters, nobody can, which is an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from showthrough.core.errors import InputError, at_document, quote_value
from showthrough.data.masks import Mask, Score
from showthrough.data.units import Unit, counts_alike, to_code_points
from showthrough.formats.objects import strict
from showthrough.formats.recognizers._containers import AnswerShape, ServiceAnswer, TextRecord, errors_in
from showthrough.formats.recognizers.answers import AnswerFormat, AnswerReader, build_mask
from showthrough.formats.remarks import Remarks

_UNITS: dict[str, Unit] = {
    "TextElements_v8": "text elements", "TextElement_v8": "text elements", "UnicodeCodePoint": "code points",
    "Utf16CodeUnit": "utf-16",
}  # fmt: skip
_CANDIDATE_UNITS: tuple[Unit, ...] = ("text elements", "code points", "utf-16")
_WARNED = "the service gave warnings with some of its answers: see there"

Spans = tuple[tuple[int, int], ...]


class _Entity(msgspec.Struct, gc=False):
    aside: ClassVar = ("type", "tags", "metadata", "bingId", "bing_id")

    offset: int
    length: int
    category: str
    subcategory: str | None = None
    text: str | None = None
    confidenceScore: Score | None = None  # noqa: N815
    confidence_score: Score | None = None

    @property
    def entity_type(self) -> str:
        return f"{self.category}/{self.subcategory}" if self.subcategory else self.category

    @property
    def score(self) -> float | None:
        return self.confidence_score if self.confidenceScore is None else self.confidenceScore


class _Record(TextRecord, gc=False):
    aside: ClassVar = ("redactedText", "redacted_text", "modelVersion", "statistics", "detectedLanguage")

    entities: list[_Entity]

    @property
    def value(self) -> list[_Entity]:
        return self.entities


_KNOWN = strict(list[_Entity])


def _is_finding(value: Any) -> bool:
    return isinstance(value, dict) and {"category", "offset", "length"} <= value.keys()


def _findings(value: Any) -> list[Any] | None:
    entities = value.get("entities") if isinstance(value, dict) else None
    return entities if isinstance(entities, list) else None


def _is_redacted(value: Any) -> bool:
    return _findings(value) is not None and bool({"redactedText", "redacted_text"} & value.keys())


def _split_batch(value: Any, source: ServiceAnswer) -> list[ServiceAnswer] | None:
    """The documents of an answer to one request, or of the tasks of a job; and its errors, which are none."""
    if not isinstance(value, dict):
        return None
    source = replace(source, unit=_unit(value) or source.unit)
    if isinstance(tasks := value.get("tasks"), dict) and isinstance(tasks.get("items"), list):
        inner = [_split_batch(item, source) for item in tasks["items"]]
        return None if None in inner else [answer for several in inner if several for answer in several]
    if isinstance(value.get("results"), dict):
        return _split_batch(value["results"], source)
    if not isinstance(value.get("documents"), list):
        return None
    listed = [*value["documents"], *errors_in(value.get("errors"))]
    several = [document if isinstance(document, dict) else {"error": quote_value(document)} for document in listed]
    return [
        replace(source, location=at_document(str(document.get("id", "without an id"))), value=document, id="")
        for document in several
    ]


def _unit(value: dict[str, Any]) -> str:
    for holder in (value, value.get("parameters")):
        if isinstance(holder, dict):
            for key in ("stringIndexType", "string_index_type"):
                if key in holder:
                    return str(holder[key])
    return ""


def _parse(answer: ServiceAnswer, remarks: Remarks | None) -> list[_Entity]:
    value = answer.value
    entities = value if isinstance(value, list) else value["entities"]
    if isinstance(value, dict) and value.get("warnings") and remarks and _WARNED not in remarks.others:
        remarks.others.append(_WARNED)
    return answer.parse_findings(entities, _Entity, _KNOWN, remarks, "entities")  # type: ignore[no-any-return]


class _Masks(AnswerReader):
    """Finds out what the offsets of a file count before any is taken."""

    def __init__(self, answers: Sequence[ServiceAnswer], path: Path) -> None:
        self._units = _CANDIDATE_UNITS
        for answer in answers:
            if answer.unit or answer.text is None or _counts_alike_in_all(answer.text):
                continue
            if fitting := [unit for unit in _CANDIDATE_UNITS if not isinstance(_spans(answer, unit), InputError)]:
                self._units = tuple(unit for unit in self._units if unit in fitting)
            if not self._units:
                raise answer.fail(
                    "its offsets count something else than those of documents before it; expected one unit"
                )

    def masks(self, answer: ServiceAnswer) -> list[Mask]:
        if not answer.unit and answer.text is not None and _counts_alike_in_all(answer.text):
            return [_build_plain_mask(answer, number, entity) for number, entity in enumerate(answer.value)]
        spans = self._agreed_spans(answer, self._units_of(answer))
        return [
            build_mask(*span, entity.entity_type, entity.score)
            for span, entity in zip(spans, answer.value, strict=True)
        ]

    def _units_of(self, answer: ServiceAnswer) -> tuple[Unit, ...]:
        if not answer.unit:
            return self._units
        if answer.unit not in _UNITS:
            raise answer.fail(
                f"found {quote_value(answer.unit)}; expected one of {', '.join(_UNITS)}", "stringIndexType"
            )
        return (_UNITS[answer.unit],)

    def _agreed_spans(self, answer: ServiceAnswer, units: Sequence[Unit]) -> Spans:
        """The spans in code points, which must be the same whatever may be counted."""
        text = answer.text if units == ("code points",) else answer.original()
        ways = [
            _spans(answer, unit) for unit in (units if text is None or not _counts_alike_in_all(text) else units[:1])
        ]
        fitting = {way for way in ways if not isinstance(way, InputError)}
        if not fitting and "text elements" in units:  # should the service count them as Unicode does today
            way = _spans(answer, "graphemes")
            fitting = set() if isinstance(way, InputError) else {way}
        if len(fitting) > 1:
            fault = "its offsets may count text elements, code points or UTF-16 units, which differ in this text"
            raise answer.fail(f'{fault}; say which in the file: "stringIndexType": "UnicodeCodePoint"')
        for way in (*fitting, *ways):
            if not isinstance(way, InputError):
                return way
            raise way
        return ()


def _build_plain_mask(answer: ServiceAnswer, number: int, entity: _Entity) -> Mask:
    """Of a text of which it does not matter what is counted."""
    start, end = entity.offset, entity.offset + entity.length
    answer.check_covered(start, end, entity.text, "entities", number)
    return build_mask(start, end, entity.entity_type, entity.score)


def _counts_alike_in_all(text: str) -> bool:
    """Whether offsets into it are the same in all units."""
    if text.isascii():
        return "\r\n" not in text
    return all(counts_alike(text, unit) for unit in _CANDIDATE_UNITS)


def _spans(answer: ServiceAnswer, unit: Unit) -> Spans | InputError:
    """Where the entities are if offsets count this; an error where another text stands there."""
    spans = []
    for number, entity in enumerate(answer.value):
        start, end = entity.offset, entity.offset + entity.length
        try:
            if answer.text is not None:
                start, end = to_code_points(answer.text, (start, end), unit)
            answer.check_covered(start, end, entity.text, "entities", number)
        except InputError as error:
            return error if error.problems[0].file else answer.fail(error.problems[0].message, f"entities[{number}]")
        spans.append((start, end))
    return tuple(spans)


_ASIDE = frozenset((
    "modelVersion", "model_version", "statistics", "warnings", "redactedText", "redacted_text", "kind", "jobId",
    "status", "createdDateTime", "createdDate", "lastUpdatedDateTime", "expirationDateTime", "displayName", "is_error",
    "error", "detectedLanguage", "detected_language", "string_index_type",
))  # fmt: skip
SHAPE = AnswerShape(
    '"entities" with "category", "offset" and "length", in "documents" or alone',
    (b'"category"', b'"redactedText"', b'"redacted_text"'),
    _is_finding,
    _findings,
    _split_batch,
    unmistakable=_is_redacted,
    own=frozenset({"entities", "documents", "errors", "results", "tasks", "parameters", "stringIndexType"}),
    aside=_ASIDE,
)
_SERVICE = AnswerFormat("azure", SHAPE, _parse, _Masks, _Record)
FORMAT = _SERVICE.format(
    "Azure Language: recognised personal data; documents of requests or jobs, in a list, in records, or one alone",
    """\
[{"id": "case-1", "text": "Mr John Doe of Oslo left.", "redactedText": "Mr ******** of Oslo left.", "entities": [
  {"text": "John Doe", "category": "Person", "offset": 3, "length": 8, "confidenceScore": 0.99}]}]
""",
)
