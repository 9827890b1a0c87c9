"""Presidio: what its analyzer found (`RecognizerResult`), and what its anonymizer made of it (`EngineResult`).

Results are read as `to_dict`, `__dict__`, `str` and the HTTP service give them. Offsets of an `EngineResult` are those
of the anonymized text, so the original has to tell where its masks were.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from showthrough.data.masks import Anonymization, Mask, TypedMask
from showthrough.errors import OutputError, at_document, quoted
from showthrough.formats.answers import Reader, Service, found
from showthrough.formats.base import Files, Format, unlike
from showthrough.formats.containers import Answer, Record, Shape, known_or_none
from showthrough.formats.placement import NoPlacementError, Placement, placed
from showthrough.formats.remarks import Remarks
from showthrough.formats.strict import strict

_SAID = r"type: (.*?), start: (\d{1,18}), end: (\d{1,18}), score: [^,\s]+"
_RESULT = re.compile(_SAID, re.DOTALL)
_RESULTS = re.compile(rf"\[(?:{_SAID}(?:, (?=type: )|(?=\]$)))*\]", re.DOTALL)


class _Result(msgspec.Struct, gc=False):
    aside: ClassVar = ("score", "analysis_explanation", "recognition_metadata")  # no mask is more or less of one

    start: int
    end: int
    entity_type: str


class _Item(msgspec.Struct, gc=False):
    aside: ClassVar = ("score",)

    start: int
    end: int
    entity_type: str
    text: str
    operator: str | None = None


class _Engine(msgspec.Struct):
    text: str
    items: list[_Item]


class _Record(Record, gc=False):
    results: list[_Result]

    @property
    def value(self) -> list[_Result]:
        return self.results


_KNOWN_RESULTS = strict(list[_Result])
_KNOWN_ITEMS = strict(list[_Item])


def _finding(value: Any) -> bool:
    if isinstance(value, str):
        return _RESULT.fullmatch(value) is not None
    return isinstance(value, dict) and {"entity_type", "start", "end"} <= value.keys()


def _findings(value: Any) -> list[Any] | None:
    if isinstance(value, str):
        return [one[0] for one in _RESULT.finditer(value)] if _RESULTS.fullmatch(value) else None
    if isinstance(value, dict) and isinstance(value.get("text"), str) and isinstance(value.get("items"), list):
        items: list[Any] = value["items"]
        return items
    return None


def _parsed(answer: Answer, remarks: Remarks | None) -> list[_Result] | _Engine:
    value = answer.value
    known: list[_Result] | None = known_or_none(value, _KNOWN_RESULTS) if isinstance(value, list) else None
    if known is not None:  # as most are
        return known
    if isinstance(value, dict):
        return _Engine(value["text"], answer.found(value["items"], _Item, _KNOWN_ITEMS, remarks, "items"))
    results = value if isinstance(value, list) else _findings(value) or []
    if any(isinstance(one, str) for one in results):
        return [_of_text(one, answer) for one in results]
    if any(isinstance(one, dict) and "operator" in one for one in results):
        fault = "are items of anonymized text, whose offsets they have, and that text is not here"
        raise answer.fail(f"{fault}; expected the whole answer: text and items")
    return answer.found(results, _Result, _KNOWN_RESULTS, remarks)  # type: ignore[no-any-return]


def _of_text(said: Any, answer: Answer) -> _Result:
    match = _RESULT.fullmatch(said) if isinstance(said, str) else None
    if match is None:
        raise answer.fail(f"found {quoted(said)}; expected 'type: …, start: …, end: …, score: …'")
    return _Result(int(match[2]), int(match[3]), match[1])


class _Masks(Reader):
    """Counts what there is to say of anonymized texts."""

    def __init__(self, answers: Sequence[Answer], path: Path) -> None:
        self._several = self._unsure = self._kept = 0

    def masks(self, answer: Answer) -> list[Mask]:
        if isinstance(answer.value, _Engine):
            return self._of_engine(answer, answer.value)
        return [found(one.start, one.end, one.entity_type) for one in answer.value]

    def _of_engine(self, answer: Answer, engine: _Engine) -> list[Mask]:
        original = answer.original()
        items = _in_order(answer, engine)
        masked = [item for item in items if item.operator != "keep"]
        self._kept += len(items) - len(masked)
        ends = [0, *(item.end for item in masked)]
        starts = [*(item.start for item in masked), len(engine.text)]
        kept = [engine.text[end:start] for end, start in zip(ends, starts, strict=True)]
        placement = _same_length(original, masked, kept) or self._placed(answer, original, kept)
        self._several += placement.several
        readable = {
            at for start, end in placement.doubtful for at in range(start, end) if original[at].isalnum()
        }  # where one placement keeps a word, nobody may call it hidden
        self._unsure += bool(readable)
        pairs = zip(masked, placement.spans, strict=True)
        return [mask for item, span in pairs for mask in _without(item, span, readable)]

    def _placed(self, answer: Answer, original: str, kept: Sequence[str]) -> Placement:
        try:
            return placed(original, kept)
        except NoPlacementError as error:
            piece = quoted(kept[error.piece])
            fault = f"{piece} stands between masks, and the original has no place for it; expected the answer to it"
            raise answer.fail(fault, "text") from None

    @property
    def notes(self) -> list[str]:
        notes = []
        if self._several:
            notes.append(
                f"in {_documents(self._several)} the anonymized text does not tell where one mask ends and the next "
                f"starts, and in {self._unsure} of them not which of equal words was kept: all such count as readable"
            )
        if self._kept:
            notes.append(f"left as they are (operator keep), and so no masks: {self._kept} of the items")
        return notes


def _same_length(original: str, masked: Sequence[_Item], kept: Sequence[str]) -> Placement | None:
    """Where every mask is a character a character, it is where it was."""
    spans = [(item.start, item.end) for item in masked]
    ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(original)]
    same = all(item.operator == "mask" for item in masked) and all(
        original[end:start] == piece for end, start, piece in zip(ends, starts, kept, strict=True)
    )
    return Placement(spans, [], several=False) if same else None


def _documents(number: int) -> str:
    return "1 document" if number == 1 else f"{number} documents"


def _in_order(answer: Answer, engine: _Engine) -> list[_Item]:
    """The items as they stand in the text, which they must fit; raises InputError."""
    end = 0
    for number, item in sorted(enumerate(engine.items), key=lambda pair: (pair[1].start, pair[1].end)):
        field = f"items[{number}]"
        if not end <= item.start <= item.end <= len(engine.text):
            span = f"{item.start}–{item.end}"
            raise answer.fail(f"{span} is not in what is left of the anonymized text ({end}–{len(engine.text)})", field)
        if engine.text[item.start : item.end] != item.text:
            where = f"at {item.start}–{item.end}"
            raise answer.fail(unlike(where, engine.text[item.start : item.end], "the item says", item.text), field)
        end = item.end
    return sorted(engine.items, key=lambda item: (item.start, item.end))


def _without(item: _Item, span: tuple[int, int], readable: set[int]) -> list[Mask]:
    """The mask of an item, less what may be readable; what is put there stands at its start."""
    replacement = item.text or None
    if readable.isdisjoint(range(*span)):
        return [TypedMask(*span, replacement, item.entity_type)]
    masks: list[Mask] = []
    for gone, places in groupby(range(*span), lambda at: at not in readable):
        if gone:
            run = list(places)
            masks.append(TypedMask(run[0], run[-1] + 1, None if masks else replacement, item.entity_type))
    return masks


def _written(anonymization: Anonymization) -> Files:
    """Results by id. Presidio needs a score; masks have none and are certain."""
    results: dict[str, list[dict[str, Any]]] = {}
    for document_id, masks in anonymization.masks.items():
        if any(mask.replacement is not None for mask in masks):
            raise OutputError(f"{at_document(document_id)}: results of an analyzer hold no replacements; choose masks")
        results[document_id] = [
            {"entity_type": mask.entity_type, "start": mask.start, "end": mask.end, "score": 1.0} for mask in masks
        ]
    return {"": msgspec.json.encode(results)}


SHAPE = Shape(
    'a list of results with "entity_type", "start" and "end", or "text" and "items"',
    (b'"entity_type"', b"type: "),
    _finding,
    _findings,
    own=frozenset({"text", "items"}),
)
_SERVICE = Service("presidio", SHAPE, _parsed, _Masks, _Record)
FORMAT = Format(
    "Presidio: results of the analyzer, or of the anonymizer; by id, in a list, in records, or one alone",
    (".json", ".jsonl"),
    SHAPE.recognise,
    _SERVICE.read,
    _SERVICE.read_masks,
    write_masks=_written,
    in_folders=True,
    sample={
        "sample.json": """\
[{"doc_id": "case-1", "text": "Mr John Doe of Oslo left.", "results": [
  {"entity_type": "PERSON", "start": 3, "end": 11, "score": 0.85},
  {"entity_type": "LOCATION", "start": 15, "end": 19, "score": 0.85}]}]
"""
    },
)
