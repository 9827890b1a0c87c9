"""Label Studio's JSON: a task is a document, and each of its annotations a layer.

Its editor is a JavaScript program and counts UTF-16 units, while what scripts put into it counts code points. Every
mark repeats the text that it covers, which tells the two apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, get_args

import msgspec

from showthrough.core.errors import join_names, shorten
from showthrough.data.documents import Annotation, Document, Identifier, Mention
from showthrough.data.units import from_code_points
from showthrough.formats.annotation_tools._relations import COREFERENCE, EntityLinks
from showthrough.formats.base import Files, Fit, Format
from showthrough.formats.clinical.phi import ANNOTATOR, masks_from, with_score
from showthrough.formats.objects import Entry, Id, Objects
from showthrough.formats.recognizers.unstated_units import UnitSpan, placed_in
from showthrough.storage.file_heads import Head

ID = "doc_id"  # of a task's data, where it has one: the document's own id, and not the task's number
_IDENTIFIERS = get_args(Identifier)
MARKS = ("labels", "hypertextlabels", "paragraphlabels")  # the types of results that are marks in a text


class _Offsets(msgspec.Struct, gc=False):
    start: int
    end: int


class Value(msgspec.Struct):
    aside: ClassVar = ("rating", "number", "taxonomy", "datetime")  # of a mark, what people said beside its label

    start: int | str | None = None  # text: an XPath, or the number of a paragraph
    end: int | str | None = None
    text: str | list[Any] | None = None
    labels: list[str] | None = None
    hypertextlabels: list[str] | None = None
    paragraphlabels: list[str] | None = None
    choices: list[Any] | None = None
    startOffset: int | None = None  # noqa: N815
    endOffset: int | None = None  # noqa: N815
    globalOffsets: _Offsets | None = None  # noqa: N815


class _Result(msgspec.Struct):
    aside: ClassVar = (
        "from_name", "origin", "source", "meta", "readonly", "hidden", "locked", "direction", "parentID",
        "item_index", "image_rotation", "original_width", "original_height", "original_length",
    )  # fmt: skip

    type: str = ""
    id: Id = None
    value: Value | None = None
    to_name: str | None = None
    from_id: Id = None
    to_id: Id = None
    labels: list[str] | None = None
    score: Any = None


class _User(msgspec.Struct):
    aside: ClassVar = ("first_name", "last_name", "avatar", "username", "initials")

    id: Id = None
    email: str | None = None


class _Annotation(msgspec.Struct):
    aside: ClassVar = (
        "created_at", "updated_at", "lead_time", "ground_truth", "result_count", "task", "project", "prediction",
        "parent_prediction", "parent_annotation", "unique_id", "import_id", "last_action", "last_created_by",
        "updated_by", "draft_created_at", "bulk_created", "created_username", "created_ago", "state", "honeypot",
        "reviews", "history",
    )  # fmt: skip

    result: list[_Result]
    id: Id = None
    completed_by: int | str | _User | None = None
    was_cancelled: bool | None = None
    skipped: bool | None = None  # what that was called once


class _Prediction(msgspec.Struct):
    aside: ClassVar = (
        "id", "created_at", "updated_at", "created_ago", "score", "cluster", "neighbors", "mislabeling", "task",
        "project", "model", "model_run",
    )  # fmt: skip

    result: list[_Result] | dict[str, Any] = []  # an empty object: nothing found
    model_version: str | int | None = None


class _Task(msgspec.Struct, rename={"task_id": "id"}):
    aside: ClassVar = (
        "file_upload", "meta", "created_at", "updated_at", "inner_id", "total_annotations", "cancelled_annotations",
        "total_predictions", "comment_count", "unresolved_comment_count", "last_comment_updated_at", "project",
        "updated_by", "comment_authors", "allow_skip", "is_labeled", "overlap", "state", "agreement", "annotators",
        "reviewers", "precomputed_agreement", "annotations_ids", "annotations_results", "predictions_results",
        "predictions_score", "predictions_model_versions", "completed_at", "avg_lead_time", "storage_filename",
        "ground_truth", "reviewed",
    )  # fmt: skip

    data: dict[str, Any]
    task_id: Id = None  # not `id`: --id-column names a key of the data
    annotations: list[_Annotation] | None = None
    completions: list[_Annotation] | None = None  # what they were called once
    predictions: list[int | _Prediction] | None = None  # a number where an export left out what is in them
    drafts: list[Any] | None = None


class LabelStudioMark(msgspec.Struct, gc=False, frozen=True):
    """A mark as a file has it."""

    span: UnitSpan
    kinds: Sequence[str]  # labels
    name: str = ""  # of the region
    identifier: Identifier | None = None
    score: Any = None  # how sure a system is, where it is one


def _build_document(wire: _Task, entry: Entry, *, predictions: bool) -> Document:
    name = entry.named(document_id(wire.data, wire.task_id, entry))
    annotations = [*(wire.annotations or ()), *(wire.completions or ())]
    valid_annotations = [item for item in annotations if not (item.was_cancelled or item.skipped)]
    if len(valid_annotations) < len(annotations):
        entry.remarks.left["cancelled annotations"] += len(annotations) - len(valid_annotations)
    if wire.drafts:
        entry.remarks.left["drafts"] += len(wire.drafts)
    layers = [(_annotator_name(item), item.id, item.result) for item in valid_annotations]
    guesses = [item for item in wire.predictions or () if isinstance(item, _Prediction)]
    if predictions and not valid_annotations:
        layers = [(str(item.model_version or "prediction"), None, _as_list(item.result)) for item in guesses]
    elif guesses:
        entry.remarks.left["predictions of models"] += len(guesses)
    text, paragraphs = _choose_text(wire.data, [item for _, _, results in layers for item in results], entry)
    fields = [f"annotations[{number}].result" for number in range(len(layers))]
    layers_read = [
        _Layer(layer[2], field, paragraphs, entry, scored=predictions)
        for layer, field in zip(layers, fields, strict=True)
    ]
    placed = iter(placed_in(text, [mark.span for layer in layers_read for mark in layer.marks], entry))
    names = distinct([(annotator, number) for annotator, number, _ in layers])
    annotations_read = tuple(
        Annotation(annotator, tuple(layer.mentions(text, placed, entry)))
        for annotator, layer in zip(names, layers_read, strict=True)
    )
    return Document(name, text, annotations_read, group_in(wire.data, entry))


def _as_list(result: list[_Result] | dict[str, Any]) -> list[_Result]:
    return result if isinstance(result, list) else []


def document_id(data: dict[str, Any], number: Id, entry: Entry) -> Id:
    """The id that a user named a key for, or that the data has, or else the task's number."""
    key = entry.columns.id or ID
    value = data.get(key, number if key in (ID, "id") else None)
    if not isinstance(value, Id):
        raise entry.fail("expected text or a whole number", f"data.{shorten(key)}")
    if value is None and entry.columns.id:
        raise entry.fail(f"has no {shorten(key)}, which is to be the id; there are {join_names(data)}", "data")
    return value


def group_in(data: dict[str, Any], entry: Entry) -> str:
    group = data.get(entry.columns.group)
    return str(group) if isinstance(group, str | int) else ""


def _annotator_name(annotation: _Annotation) -> str:
    annotator = annotation.completed_by
    annotator = (annotator.email or annotator.id) if isinstance(annotator, _User) else annotator
    return ANNOTATOR if annotator is None else str(annotator)


def distinct(names: Sequence[tuple[str, Id]]) -> list[str]:
    """The annotators of a task; of one who marked it twice, the number of the annotation tells."""
    counts = Counter(name for name, _ in names)
    distinct_names = []
    for order, (name, number) in enumerate(names, 1):
        distinct_names.append(name if counts[name] == 1 else f"{name} ({order if number is None else number})")
    return distinct_names


def _choose_text(data: dict[str, Any], results: Iterable[_Result], entry: Entry) -> tuple[str, list[int]]:
    """The text that marks are in; of paragraphs, all of them, one a line, and where each starts."""
    key = entry.columns.text
    if key is None:
        aims = {item.to_name for item in results if item.type in MARKS and item.to_name}
        if len(aims) > 1:
            raise entry.fail(f"marks are in {join_names(sorted(aims))}; expected one text: choose with --text-column")
        texts = [name for name, value in data.items() if isinstance(value, str) and name not in (ID, entry.columns.id)]
        likely = [name for name in (*aims, "text") if isinstance(data.get(name), str | list)] or texts
        if len(likely) > 1 and not aims & set(likely) and "text" not in likely:
            raise entry.fail(f"has several texts: {join_names(likely)}; choose with --text-column", "data")
        if not likely:
            raise entry.fail(f"has no text; there are {join_names(data) or 'no keys'}", "data")
        key = likely[0]
    value = data.get(key)
    if isinstance(value, str):
        return value, []
    if isinstance(value, list) and all(isinstance(item, dict) and isinstance(item.get("text"), str) for item in value):
        lines: list[str] = [item["text"] for item in value]
        entry.remarks.taken["dialogues: their texts were put one a line, without who speaks"] += 1
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        return "\n".join(lines), starts
    fault = f"has no {shorten(key)}; there are {join_names(data)}" if value is None else f"{shorten(key)} is no text"
    raise entry.fail(fault, "data")


class _Layer:
    """What one annotator marked."""

    def __init__(
        self, results: Sequence[_Result], field: str, paragraphs: Sequence[int], entry: Entry, *, scored: bool
    ) -> None:
        self.marks: list[LabelStudioMark] = []
        self._relations: list[tuple[int, _Result]] = []
        self._field = field
        marks = [result for result in results if result.type in MARKS]
        identifiers = _stated_identifiers(results) if len(marks) < len(results) else {}
        regions = {result.id for result in marks}
        elsewhere = _other_texts(marks, entry.columns.text)
        for number, result in enumerate(results):
            location = f"{field}[{number}]"
            if result.type not in MARKS:
                self._take(result, number, result.id in regions, identifiers, entry)
            elif result.to_name in elsewhere:
                entry.remarks.left[f"marks in {result.to_name}"] += 1
            elif result.value is None:
                raise entry.fail("value is missing", location)
            else:
                name = "" if result.id is None else str(result.id)
                mark = mark_of(result.value, paragraphs, f"{location}.value", entry, name, identifiers.get(name))
                self.marks.append(msgspec.structs.replace(mark, score=result.score if scored else None))

    def _take(
        self, result: _Result, number: int, of_mark: bool, identifiers: Mapping[str, Identifier], entry: Entry
    ) -> None:
        """What is no mark."""
        if result.type == "relation":
            self._relations.append((number, result))
        elif result.type != "choices" or str(result.id) not in identifiers or not of_mark:
            if _has_span(result) and not of_mark:
                fault = f"marks text and is of type {shorten(result.type)}; expected {join_names(MARKS)}"
                raise entry.fail(fault, f"{self._field}[{number}]")
            entry.remarks.left[f"results of type {result.type or '(none)'}"] += 1

    def mentions(self, text: str, placed: Iterator[tuple[int, int]], entry: Entry) -> Iterator[Mention]:
        entities = EntityLinks(mark.name for mark in self.marks) if self._relations else EntityLinks()
        for number, relation in self._relations:
            ends = [str(end) for end in (relation.from_id, relation.to_id)]
            if lacking := [end for end in ends if end not in entities]:
                raise entry.fail(f"is to {shorten(lacking[0])}, which is no mark", f"{self._field}[{number}]")
            entities.relate(relation.labels or (), ends[0], ends[1], entry.remarks)
        spans: dict[str, tuple[int, int]] = {}
        for mark in self.marks:
            start, end = next(placed)
            if mark.name and spans.setdefault(mark.name, (start, end)) != (start, end):
                raise entry.fail(f"its id {shorten(mark.name)} is that of another mark", mark.span.field)
            for entity_type in mark.kinds or ("",):
                entity, field = entities.of(mark.name), mark.span.field
                result = entry.mention(
                    text, start, end, entity_type, entity_id=entity, identifier=mark.identifier, field=field
                )
                yield with_score(result, mark.score, entry, f"{field.removesuffix('.value')}.score")


def _other_texts(marks: Sequence[_Result], chosen: str | None) -> set[str | None]:
    """Texts that are marked as well, where a user chose one of several."""
    aims = {mark.to_name for mark in marks} if chosen else set()
    return aims - {chosen} if len(aims) > 1 and chosen in aims else set()


def _stated_identifiers(results: Iterable[_Result]) -> dict[str, Identifier]:
    """Regions of which a choice says DIRECT, QUASI or NO_MASK."""
    return {
        str(result.id): result.value.choices[0]
        for result in results
        if result.type == "choices"
        and result.value
        and result.value.choices
        and result.value.choices[0] in _IDENTIFIERS
    }


def _has_span(result: _Result) -> bool:
    return result.value is not None and isinstance(result.value.start, int | str) and result.value.end is not None


def mark_of(
    value: Value,
    paragraphs: Sequence[int],
    field: str,
    entry: Entry,
    name: str = "",
    identifier: Identifier | None = None,
) -> LabelStudioMark:
    start, end = _offsets(value, paragraphs, field, entry)
    covered = value.text if isinstance(value.text, str) else None
    kinds = value.labels or value.hypertextlabels or value.paragraphlabels or []
    return LabelStudioMark(UnitSpan(start, end, covered, field), kinds, name, identifier)


def _offsets(value: Value, paragraphs: Sequence[int], field: str, entry: Entry) -> tuple[int, int]:
    if paragraphs:
        try:
            first, last = (int(number) for number in (value.start, value.end) if number is not None)
            return paragraphs[first] + (value.startOffset or 0), paragraphs[last] + (value.endOffset or 0)
        except (ValueError, IndexError):
            fault = f"found {shorten(str(value.start))}–{shorten(str(value.end))}; expected numbers of paragraphs"
            raise entry.fail(fault, field) from None
    if isinstance(value.start, int) and isinstance(value.end, int):
        return value.start, value.end
    if value.globalOffsets is not None:
        return value.globalOffsets.start, value.globalOffsets.end
    fault_start = f"found start {shorten(str(value.start))}, end {shorten(str(value.end))}"
    raise entry.fail(f"{fault_start}, no places in a plain text; expected whole numbers, or globalOffsets", field)


def write(documents: Iterable[Document]) -> Files:
    """Tasks with all annotators, as Label Studio imports them: numbers of tasks are its own, ids are among the data."""
    tasks = [_build_task(document, number) for number, document in enumerate(documents, 1)]
    return {"": msgspec.json.format(msgspec.json.encode(tasks), indent=1)}


def _build_task(document: Document, number: int) -> dict[str, Any]:
    data = {ID: document.id, "text": document.text, **({"group": document.group} if document.group else {})}
    annotations = [
        {
            "completed_by": {"email": annotation.annotator},
            "was_cancelled": False,
            "result": list(_build_results(document.text, annotation)),
        }
        for annotation in document.annotations
    ]
    return {"id": number, "data": data, "annotations": annotations}


def _build_results(text: str, annotation: Annotation) -> Iterator[dict[str, Any]]:
    mentions = annotation.mentions
    edges = from_code_points(text, [edge for mention in mentions for edge in (mention.start, mention.end)], "utf-16")
    used_ids = {mention.entity_id for mention in mentions}
    first: dict[str, str] = {}  # the region that an entity is named after
    relations = []
    for number, mention in enumerate(mentions, 1):
        entity = mention.entity_id
        region = entity if entity and entity not in first else f"mark-{number}"
        while region in used_ids and region != entity:
            region += "-"
        if entity and first.setdefault(entity, region) != region:
            ends = {"from_id": region, "to_id": first[entity]}
            relations.append({"type": "relation", **ends, "direction": "right", "labels": [COREFERENCE]})
        span = {"start": edges[2 * number - 2], "end": edges[2 * number - 1], "text": text[mention.start : mention.end]}
        shared = {"id": region, "to_name": "text"}
        labels = {"labels": [mention.entity_type]} if mention.entity_type else {"labels": []}
        yield {**shared, "from_name": "label", "type": "labels", "value": {**span, **labels}}
        if mention.stated:
            yield {
                **shared,
                "from_name": "identifier",
                "type": "choices",
                "value": {**span, "choices": [mention.identifier]},
            }
    yield from relations


def _recognise(head: Head) -> Fit:
    """Sure of a task with annotations, and of one that has nothing else than tasks have."""
    task = head.first
    if not isinstance(task, dict):
        return Fit.NO
    if _has_results(task.get("annotations")) or _has_results(task.get("completions")):
        return Fit.SURE
    known_keys = {"data", "id", "annotations", "completions", "predictions", "drafts", *_Task.aside}
    return Fit.SURE if isinstance(task.get("data"), dict) and task.keys() <= known_keys else Fit.NO


def _has_results(annotations: Any) -> bool:
    return isinstance(annotations, list) and any(
        isinstance(annotation, dict) and "result" in annotation for annotation in annotations
    )


TASKS = Objects(_Task, partial(_build_document, predictions=False))
SYSTEM = Objects(
    _Task, partial(_build_document, predictions=True)
)  # whose marks are predictions, where nobody annotated
FORMAT = Format(
    "Label Studio JSON: tasks with the annotations of one or several annotators",
    *((".json", ".jsonl"), _recognise, TASKS.read, masks_from(SYSTEM.read), write),
)
