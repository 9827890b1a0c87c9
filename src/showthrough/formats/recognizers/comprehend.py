"""Amazon Comprehend: `DetectPiiEntities`, `DetectEntities`, `DetectPHI` of its medical kin, batches, and files of jobs.

Its documentation says that offsets count code points (PiiEntity, API reference). Files of jobs have one answer a line,
with the file that a text came from, and the line where a file has one text a line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import msgspec
from msgspec.structs import replace

from showthrough.core.errors import at_document
from showthrough.data.masks import Mask, Score
from showthrough.formats.objects import strict
from showthrough.formats.recognizers._containers import AnswerShape, ServiceAnswer, TextRecord, errors_in
from showthrough.formats.recognizers.answers import AnswerFormat, AnswerReader, build_mask
from showthrough.formats.remarks import Remarks
from showthrough.storage.reading import stem


class _Entity(msgspec.Struct, gc=False, rename="pascal"):
    aside: ClassVar = ("Id", "Category", "Traits", "Attributes", "BlockReferences")

    begin_offset: int
    end_offset: int
    type: str = ""
    text: str | None = None
    score: Score | None = None


class _Record(TextRecord, gc=False, rename={"entities": "Entities"}):
    entities: list[_Entity]

    @property
    def value(self) -> list[_Entity]:
        return self.entities


_KNOWN = strict(list[_Entity])


def _is_finding(value: Any) -> bool:
    return isinstance(value, dict) and {"BeginOffset", "EndOffset"} <= value.keys()


def _findings(value: Any) -> list[Any] | None:
    entities = value.get("Entities") if isinstance(value, dict) else None
    return entities if isinstance(entities, list) else None


def _unmistakable(value: Any) -> bool:
    return _findings(value) is not None and value.keys() <= {"Entities", "File", "Line", "ResponseMetadata"}


def _batch(value: Any, source: ServiceAnswer) -> list[ServiceAnswer] | None:
    """Answers of one request to several texts, and lines of a job, which name their texts in ways of their own."""
    if not isinstance(value, dict):
        return None
    if isinstance(results := value.get("ResultList"), list):
        several = [*results, *errors_in(value.get("ErrorList"))]
        return [
            replace(source, location=f"Index {result.get('Index')}", value=result, number=_whole(result.get("Index")))
            for result in map(_object, several)
        ]
    if not isinstance(value.get("File"), str):
        return None
    if "Line" in value:
        return [replace(source, value=value, number=_whole(value["Line"]))]
    name = stem(Path(value["File"]))
    return [replace(source, value=value, id=name, location=at_document(name))]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else -1


def _parse(answer: ServiceAnswer, remarks: Remarks | None) -> list[_Entity]:
    value = answer.value
    entities = value if isinstance(value, list) else value["Entities"]
    if isinstance(value, dict) and value.get("PaginationToken"):
        raise answer.fail("is a part of the answer, since it has a PaginationToken; expected all pages in one")
    return answer.parse_findings(entities, _Entity, _KNOWN, remarks, "Entities")  # type: ignore[no-any-return]


class _Masks(AnswerReader):
    def masks(self, answer: ServiceAnswer) -> list[Mask]:
        for number, entity in enumerate(answer.value):
            answer.check_covered(entity.begin_offset, entity.end_offset, entity.text, "Entities", number)
        return [
            build_mask(entity.begin_offset, entity.end_offset, entity.type, entity.score) for entity in answer.value
        ]


SHAPE = AnswerShape(
    '"Entities" with "BeginOffset" and "EndOffset"',
    (b'"Entities"', b'"BeginOffset"'),
    _is_finding,
    _findings,
    _batch,
    unmistakable=_unmistakable,
    own=frozenset({"Entities", "ResultList", "ErrorList", "Index", "File", "Line"}),
    aside=frozenset({"ResponseMetadata", "ModelVersion", "DocumentMetadata", "DocumentType", "PaginationToken"}),
)
_SERVICE = AnswerFormat("comprehend", SHAPE, _parse, _Masks, _Record, ("begin_offset", "end_offset"))
FORMAT = _SERVICE.format(
    "Amazon Comprehend: entities with BeginOffset; by id, in a list, in records, files of jobs, or one alone",
    """\
[{"doc_id": "case-1", "text": "Mr John Doe of Oslo left.", "Entities": [
  {"Score": 0.99, "Type": "NAME", "BeginOffset": 3, "EndOffset": 11},
  {"Score": 0.98, "Type": "ADDRESS", "BeginOffset": 15, "EndOffset": 19}]}]
""",
)
