"""WebAnno TSV 3, which INCEpTION exports: one token a line, a column for each feature of each layer.

The header says which layers and features the columns are. Offsets count UTF-16 units; the tokens show whether they do.
Text is given sentence by sentence, and what stands between sentences is not. Chains, and relations of layers that are
called after co-reference, say what is the same entity. See "WebAnno TSV 3.3 File format" in INCEpTION's user guide.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

from showthrough.core.errors import quote_value, shorten
from showthrough.data.documents import Annotation, Document, Mention
from showthrough.data.levels import level_of
from showthrough.data.units import from_code_points
from showthrough.formats.annotation_tools._uima_layers import (
    IDENTIFIER_TYPE,
    NAMED_ENTITY,
    LayerMark,
    LayerSurvey,
    Same,
    identify_file,
    linguistic,
    means_coreference,
    mentions,
    merge_documents,
    select_annotated,
    short,
)
from showthrough.formats.annotation_tools._webanno_table import (
    START,
    Export,
    Layer,
    TokenRow,
    parse_export,
    restore_text,
    unescape,
)
from showthrough.formats.base import Files, Fit, Format, Input, unwritable
from showthrough.formats.clinical.phi import masks_from, single_layer
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, fail

_STACKED = re.compile(r"(?:[^\\|]|\\.)+", re.DOTALL)
_VALUE = re.compile(r"((?:[^\\]|\\.)*?)(?:\[(\d+)\]|->(\d+)-(\d+))?", re.DOTALL)
_SOURCE = re.compile(r"(\d+-\d+(?:\.\d+)?)(?:\[(\d+)(?:_(\d+))?\])?")
_IN_TEXT = str.maketrans({"\\": "\\\\", "\t": "\\t", "\r": "\\r", "\b": "\\b", "\f": "\\f"})
_RESERVED = re.compile(r"([\\\[\]|_;*]|->)")
_BREAKS = str.maketrans({"\t": "\\t", "\n": "\\n", "\r": "\\r"})
_TOKEN = re.compile(r"\w+|[^\w\s]")
_GAP = "what stood between its sentences is not in the file: a line feed was taken, and spaces where there was more"


def read(file: Input) -> list[Document]:
    """One document a file; of a folder of documents' folders, one layer of marks an annotator."""
    files = [
        tsv_path
        for tsv_path in file.head.files((".tsv",))
        if not file.head.folder or Head(tsv_path).start.startswith(START)
    ]
    files = select_annotated(files, file)
    if not files:
        raise fail(file.path, "holds no .tsv file of WebAnno; expected files that start with #FORMAT=WebAnno TSV 3")
    exports = collect_results(files, lambda tsv_path: parse_export(tsv_path, *identify_file(tsv_path, file.path)))
    layers = LayerSurvey(file)
    marks_found = collect_results(exports, lambda export: _Marks(export, layers).all)
    for export in exports:
        for layer in export.layers:
            if layer.is_mark:
                layers.see(layer.name, layer.own, ())
    for marks in marks_found:
        for mark in marks:
            layers.see(mark.layer, (), [mark])
    roles = layers.roles()
    gaps: set[bool] = set()

    def document(pair: tuple[Export, list[LayerMark]]) -> Document:
        export, marks = pair
        text, offsets = restore_text(export, file.originals.get(export.id), gaps)
        placed = [mark._replace(start=offsets[mark.start], end=offsets[mark.end]) for mark in marks]
        read_ = any(layer.is_mark for layer in export.layers) or any(tsv_path.chain for tsv_path in marks)
        layer = (Annotation(export.annotator, tuple(mentions(placed, roles))),) if read_ else ()
        return Document(export.id, text, layer)

    documents = collect_results(zip(exports, marks_found, strict=True), document)
    bare = sum(not document.annotations for document in documents)
    if 0 < bare < len(documents):
        layers.aside["files without any layer of marks, taken as not annotated"] += bare
    layers.note()
    if gaps:
        file.remarks.others.append(_GAP)
    return merge_documents(documents, file)


class _Marks:
    """The marks of a file, by offsets of the file."""

    def __init__(self, export: Export, layers: LayerSurvey) -> None:
        self._export = export
        self._layers = layers
        self._spans: dict[tuple[object, ...], list[int]] = {}  # by layer and name: start and end
        self._features: dict[tuple[object, ...], dict[str, str | None]] = {}
        self._at: dict[tuple[str, str], list[tuple[object, ...]]] = {}  # by layer and unit
        self._same = Same()
        rows = [
            row for row in export.rows if row.columns.count("_") < len(row.columns)
        ]  # of most tokens nothing is said
        ends = list(accumulate(layer.width for layer in export.layers))
        columns = [(layer, slice(end - layer.width, end)) for layer, end in zip(export.layers, ends, strict=True)]
        for row in rows:
            for layer, own in columns:
                if layer.sort == "SP":
                    self._take(layer, row, row.columns[own])
                elif layer.sort == "CH":
                    self._link(layer, row, row.columns[own])
        for row in rows:
            for layer, own in columns:
                if layer.sort == "RL" and row.columns[own][-1] != "_":
                    self._relate(layer, row, row.columns[own][-1])

    def _take(self, layer: Layer, row: TokenRow, cells: list[str]) -> None:
        if not layer.is_mark:
            if layer.sort == "SP" and not linguistic(layer.name) and cells[0] != "_":
                self._layers.aside[f"the layer {shorten(short(layer.name))}"] += 1
            return
        for feature, cell in zip(layer.features or ("",), cells, strict=True):
            slot = feature.startswith("ROLE_") or "." in feature
            if cell == "_" or (slot and cell == "*"):
                continue
            if slot:
                self._layers.aside[f"links of {shorten(short(layer.name))}"] += feature.startswith("ROLE_")
                continue
            for index, stacked in enumerate(_STACKED.findall(cell)):
                value, number, _, _ = _parse_value(stacked)
                name = (layer.name, number) if number else (layer.name, row.unit, index)
                span = self._spans.setdefault(name, [row.start, row.end])
                span[:] = min(span[0], row.start), max(span[1], row.end)
                features = self._features.setdefault(name, {})
                if feature:
                    features.setdefault(feature, None if value == "*" else unescape(value))
                at = self._at.setdefault((layer.name, row.unit), [])
                if name not in at:
                    at.append(name)

    def _link(self, layer: Layer, row: TokenRow, cells: list[str]) -> None:
        by_feature = dict(zip(layer.features, cells, strict=True))
        kinds = _STACKED.findall(by_feature.get("referenceType", ""))
        for index, stacked in enumerate(_STACKED.findall(by_feature.get("referenceRelation", "_"))):
            _, _, chain, link = _parse_value(stacked)
            if not chain:
                continue
            name = (layer.name, chain, link, "link")
            span = self._spans.setdefault(name, [row.start, row.end])
            span[:] = min(span[0], row.start), max(span[1], row.end)
            kind = _parse_value(kinds[index])[0] if index < len(kinds) else "*"
            self._features.setdefault(name, {}).setdefault("referenceType", None if kind == "*" else unescape(kind))

    def _relate(self, layer: Layer, row: TokenRow, cell: str) -> None:
        base = (layer.features[-1] if layer.features else "").removeprefix("BT_")
        for stacked in _STACKED.findall(cell):
            source = _SOURCE.fullmatch(stacked)
            if not means_coreference(layer.name) or source is None:
                if not linguistic(layer.name):
                    self._layers.aside[f"relations of {shorten(short(layer.name))}"] += 1
                continue
            ends = [
                self._resolve_mark(base, unit, number)
                for unit, number in ((source[1], source[2]), (row.unit, source[3]))
            ]
            if ends[0] is None or ends[1] is None:
                raise self._export.fault(
                    row.line, f"found the relation {quote_value(stacked)}, but one of its ends is missing"
                )
            self._same.join(*ends)

    def _resolve_mark(self, layer: str, unit: str, number: str | None) -> tuple[object, ...] | None:
        if number and number != "0":
            return (layer, number) if (layer, number) in self._spans else None
        at = self._at.get((layer, unit), [])
        return at[0] if at else None

    @property
    def all(self) -> list[LayerMark]:
        links = {name: span for name, span in self._spans.items() if name[-1] == "link"}
        spans = {name: span for name, span in self._spans.items() if name not in links}
        several = len({name[0] for name in links}) > 1
        chains = {
            (span[0], span[1]): f"{short(str(name[0]))}-{name[1]}" if several else str(name[1])
            for name, span in links.items()
        }
        same = self._same.names()
        marks = []
        for name, (start, end) in spans.items():
            if start == end:
                self._layers.aside["marks of no length"] += 1
                continue
            chain = chains.get((start, end)) or same.get(name, "")
            marks.append(LayerMark(str(name[0]), start, end, self._features[name], chain))
        if spans or any(layer.is_mark for layer in self._export.layers):
            marked = {(mark.start, mark.end) for mark in marks}
            if lone := sum(span not in marked for span in chains):
                self._layers.aside["links of chains where nothing is marked"] += lone
            return marks
        return [
            LayerMark(str(name[0]), span[0], span[1], self._features[name], chains[span[0], span[1]])
            for name, span in links.items()
        ]


def _parse_value(stacked: str) -> tuple[str, str | None, str | None, str | None]:
    """A value, the number that tells it from others, and of a link its chain and its place in it."""
    match = _VALUE.fullmatch(stacked)
    return (stacked, None, None, None) if match is None else match.groups()  # type: ignore[return-value]


def write(documents: Iterable[Document]) -> Files:
    """One file a document, with its marks as named entities."""
    return {f"{document.id}.tsv": _format_document(document).encode() for document in documents}


def _format_document(document: Document) -> str:
    marks = single_layer(document)
    levels = any(mark.stated and mark.identifier != level_of(mark.entity_type) for mark in marks)
    features = ("identifier", *((IDENTIFIER_TYPE,) if levels else ()), "value")
    header = [f"#T_SP={NAMED_ENTITY}|{'|'.join(features)}"] if document.annotations else []
    lines = ["#FORMAT=WebAnno TSV 3.3", *header, "", *_format_lines(document, marks, features if header else ())]
    return "\n".join(lines) + "\n"


def _format_lines(document: Document, marks: Sequence[Mention], features: Sequence[str]) -> Iterator[str]:
    text = document.text
    tokens = _cut_tokens(document, marks)
    offsets = sorted({edge for token in tokens for edge in token})
    units = dict(zip(offsets, from_code_points(text, offsets, "utf-16"), strict=True))
    covering = _marks_by_token(tokens, marks)
    breaks = ["\n" in text[before[1] : after[0]] for before, after in pairwise(tokens)]
    starts = [0, *(number for number, broken in enumerate(breaks, 1) if broken)]
    for sentence, (low, high) in enumerate(zip(starts, [*starts[1:], len(tokens)], strict=True), 1):
        stop = tokens[high][0] if high < len(tokens) else len(text)
        sentence_text = text[tokens[low][0] : stop]
        if high < len(tokens) and text[tokens[high - 1][1] : stop] == "\n":
            sentence_text = sentence_text[:-1]  # which readers put there
        yield ""
        yield from (f"#Text={line.translate(_IN_TEXT)}" for line in sentence_text.split("\n"))
        for number, (start, end) in enumerate(tokens[low:high], 1):
            cells = [_format_cell(covering[low + number - 1], feature) for feature in features]
            form = text[start:end].translate(_IN_TEXT)
            yield "\t".join([f"{sentence}-{number}", f"{units[start]}-{units[end]}", form, *cells, ""])


def _cut_tokens(document: Document, marks: Sequence[Mention]) -> list[tuple[int, int]]:
    """The words and signs of a text, cut where marks start and end."""
    text = document.text
    for mark in marks:
        if text[mark.start].isspace() or text[mark.end - 1].isspace():
            fault = f"the mention {mark.start}–{mark.end} starts or ends with white space, which no token holds"
            raise unwritable(document, f"{fault}; choose brat")
    edges = sorted({0, len(text), *(edge for mark in marks for edge in (mark.start, mark.end))})
    tokens = [match.span() for low, high in pairwise(edges) for match in _TOKEN.finditer(text, low, high)]
    if not tokens or text[: tokens[0][0]].strip(" "):
        raise unwritable(document, "has no word, or starts with a line end, which this format cannot hold")
    return tokens


def _marks_by_token(tokens: Sequence[tuple[int, int]], marks: Sequence[Mention]) -> list[list[tuple[int, Mention]]]:
    """Of each token the marks around it, with their numbers."""
    starts = [start for start, _ in tokens]
    marks_by_token: list[list[tuple[int, Mention]]] = [[] for _ in tokens]
    for number, mark in enumerate(marks, 1):
        for token in range(bisect_left(starts, mark.start), bisect_left(starts, mark.end)):
            marks_by_token[token].append((number, mark))
    return marks_by_token


def _format_cell(marks: Sequence[tuple[int, Mention]], feature: str) -> str:
    values = []
    for number, mark in marks:
        value = {"identifier": mark.entity_id, "value": mark.entity_type}.get(feature, "")
        if feature == IDENTIFIER_TYPE and mark.stated:
            value = mark.identifier
        values.append(f"{_escape(value) or '*'}[{number}]")
    return "|".join(values) or "_"


def _escape(value: str) -> str:
    return _RESERVED.sub(r"\\\1", value).translate(_BREAKS)


def _recognise(head: Head) -> Fit:
    if not head.folder:
        return Fit.CERTAIN if head.start.startswith(START) else Fit.NO
    return Fit.SURE if any(Head(path).start.startswith(START) for path in head.files((".tsv",))[:1]) else Fit.NO


FORMAT = Format(
    "WebAnno TSV 3, which INCEpTION exports: a file or a folder of them",
    *((".tsv",), _recognise, read, masks_from(read), write),
    in_folders=True,
)
