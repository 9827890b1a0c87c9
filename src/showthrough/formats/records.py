"""Records, a JSON list or JSON Lines: texts, originals or released ones, or masks in every one, with an id."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from showthrough.core.errors import InputError, Problem, at_document, join_names, shorten
from showthrough.data.documents import Document
from showthrough.data.masks import Anonymization
from showthrough.data.silver import is_silver
from showthrough.formats import mask_lines
from showthrough.formats.base import Files, Fit, Format, Input, Masks, Texts, by_keys, in_characters
from showthrough.formats.benchmarks import tab, tae
from showthrough.formats.clinical.phi import masks_from
from showthrough.formats.mask_lines import NoMasksError, Record, RecordKeys, masks_of_lines
from showthrough.formats.objects import Entry, Id, Objects, objects_of
from showthrough.formats.remarks import Remarks
from showthrough.formats.tables.rows import IDS, RowHead, id_column
from showthrough.formats.texts import texts_of
from showthrough.storage.compression import compression_of
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import collect_results, fail, file_state, unique


def is_records(head: Head) -> bool:
    return head.lines or head.json.opening == b"["


class _Plain(msgspec.Struct, rename={"id": "doc_id"}):
    text: str
    id: Id = None
    group: str | int | None = None


def _plain(wire: _Plain, entry: Entry) -> Document:
    return Document(entry.named(wire.id), wire.text, (), "" if wire.group is None else str(wire.group))


_OBJECTS = Objects(_Plain, _plain)


def read_corpus(file: Input) -> Sequence[Document]:
    """Texts without annotations; where no record has an id, they are numbered."""
    first, columns = file.head.json, file.columns
    if columns.id and first.whole and first.keys.keys().isdisjoint((columns.id, *IDS)):
        raise fail(file.path, f"{shorten(columns.id)} is missing", "the first record")
    return _OBJECTS.read(replace(file, columns=columns._replace(id=id_column(columns, list(first.keys)))))


def read(file: Input) -> Masks | Texts:
    path = file.path
    columns = file.columns if file.released else file.keys(id="doc_id", text="text")
    usual, text_key = id_column(columns, list(file.head.json.keys)), columns.text or "text"
    keys = RecordKeys(path, usual or IDS[0], text_key, reported=file.is_corpus_file)  # by the corpus
    if file.head.lines and not (file.released or isinstance(file.head, RowHead)) and _stays_in_file(path):
        with suppress(NoMasksError):
            return _in_their_file(file, keys)
    alone = file.corpus is None and "masks" not in file.head.json.keys  # texts, of nobody's originals
    numbered = usual is None and (file.released or alone)

    def record(numbered_: tuple[int, tuple[str, bytes | msgspec.Raw]]) -> tuple[str, Record]:
        number, (location, content) = numbered_
        fields = keys.fields(content, location, file.remarks)
        file.remarks.numbered += numbered and alone
        return str(number) if numbered else keys.id_in(fields, location), fields

    try:
        records = unique(collect_results(enumerate(objects_of(file.head), 1), record), path)
    except InputError:
        _refuse_marks(file)  # which say more than an id that is missing
        raise
    if all("masks" in fields for fields in records.values()) and not file.released:
        return in_characters(tae.check_masks({key: fields["masks"] for key, fields in records.items()}, path), file)
    if lacking := [key for key, fields in records.items() if text_key not in fields]:
        fault = f"has no {shorten(text_key)}; expected text in every document, or masks in every document"
        raise InputError(Problem(str(path), at_document(key), fault) for key in lacking)
    _refuse_marks(file)
    texts = texts_of({key: fields[text_key] for key, fields in records.items()}, path)
    if not file.released and any(_holds_something(fields.get("annotations")) for fields in records.values()):
        return _marks(file, texts) or texts
    return texts


def _stays_in_file(path: Path) -> bool:
    """Whether masks are so many that they are left in their file; of a packed one, lines cannot be read by number."""
    return not compression_of(path) and file_state(path)[0] > mask_lines.SMALL


def _in_their_file(file: Input, keys: RecordKeys) -> Masks:
    """Masks that are read when they are asked for; raises NoMasksError where a record has none, and tells nothing."""
    remarks = Remarks()
    try:
        masks = masks_of_lines(replace(file, remarks=remarks), keys)
    except InputError:
        file.remarks.extend(remarks)
        _refuse_marks(file)
        raise
    file.remarks.extend(remarks)
    return in_characters(masks, file)


def _refuse_marks(file: Input) -> None:
    if spans := sorted(file.remarks.spans):
        fault = "looks like marks, and this format has released texts or masks"
        raise fail(file.path, f"{fault}; {file.remarks.hint()}", f"key {shorten(spans[0])}")


def _holds_something(raw: msgspec.Raw | None) -> bool:
    return raw is not None and bytes(raw) not in (b"null", b"{}", b"[]")


def _marks(file: Input, texts: Texts) -> Masks | None:
    """What programs annotated, as masks, where the texts are the originals: then it is what a system marked.

    Not where the annotations are the corpus's own, or texts differ: then they were only handed on. What people
    annotated in texts that are all there hides nothing, and would look as if everything were hidden: it is refused.
    """
    corpus = file.corpus
    if corpus is None or not all(file.originals.get(key) == text for key, text in texts.items()):
        file.remarks.others.append("its texts were taken as released, and its annotations were not used")
        return None
    read = tab.read_lines if file.head.lines else tab.read_list
    own = {document.id: document.annotations for document in corpus}
    documents = read(replace(file, remarks=Remarks()))
    if all(document.annotations in ((), own[document.id]) for document in documents):
        file.remarks.others.append("its texts and annotations are the corpus's own: nothing is masked")
        return None
    annotators = {annotation.annotator for document in documents for annotation in document.annotations}
    if people := sorted(annotator for annotator in annotators if not is_silver(annotator)):
        fault = f"its texts are the originals, annotated by {join_names(people)}: nothing in them is hidden"
        remedy = "if a system masks what is annotated there, make masks of it: showthrough convert FILE --to masks"
        raise fail(file.path, f"{fault}; {remedy}")
    file.remarks.others.append("its texts are the corpus's: what programs annotated in them was taken as masked")
    return masks_from(read)(file)


def write_masks(anonymization: Anonymization) -> Files:
    """JSON Lines."""
    lines = ({"doc_id": key, "masks": masks} for key, masks in anonymization.masks.items())
    return {"": b"".join(msgspec.json.encode(line) + b"\n" for line in lines)}


def _recognise(head: Head) -> Fit:
    """Of a corpus likely alone: the Text Anonymization Benchmark's objects have an id and a text too."""
    if not is_records(head):
        return Fit.NO
    return max(by_keys(head, {"doc_id", "masks"}, {"text"}), by_keys(head, {"doc_id", "text"}, set()))


FORMAT = Format(
    "texts, or masks, with an id: JSON Lines or a list",
    (".jsonl", ".json"),
    *(_recognise, read_corpus, read),
    write_masks=write_masks,
    sample={"sample.jsonl": '{"id": "case-1", "text": "Mr John Doe of Oslo left."}\n'},
)
