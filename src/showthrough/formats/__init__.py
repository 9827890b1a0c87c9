"""Files in, corpora and anonymizations out. What a file holds is told by its ending and its first character."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization
from showthrough.errors import InputError, Problem, at_document
from showthrough.files.reading import fail, first_byte, is_folder, object_entries, read_bytes, stem, suffix
from showthrough.formats import tab, tae, texts
from showthrough.formats.groups import GroupBy

CORPUS_KINDS = "a TAB .json, .jsonl, .csv or .tsv file, or a folder of .txt files"
ANONYMIZATION_KINDS = "a TAE .json, .jsonl, .csv or .tsv file, or a folder of .txt files"


def read_corpus(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    format: str | None = None,
    id_column: str = "doc_id",
    text_column: str = "text",
    group_by: str | None = None,
) -> Corpus:
    """Reads and checks a corpus: TAB's JSON or JSON Lines, `{"id": "text"}`, a table, or a folder of texts.

    `format` is the name of one that a file's ending does not tell, such as `i2b2`, `brat` or `conll`. Documents that
    share a group, such as the records of one patient, say so in a field or column `group`; `group_by` names another, or
    a regular expression on their ids: `id:^(\\d+)-`.
    """
    from showthrough.formats.named import format_named, told  # clinical formats: XML readers and the like

    path = Path(path)
    groups = GroupBy(group_by)
    known = format or told(path)
    chosen = format_named(known) if known else None
    if chosen and chosen.read and chosen.reads(path):
        documents: Sequence[Document] = chosen.read(path, None)
    else:
        documents = _documents(path, id_column, text_column, groups.field)
    corpus = Corpus(groups.grouped(documents), name or stem(path), str(path))
    _ = corpus.survey  # raises with everything that is wrong
    groups.check(corpus)
    return corpus


def _documents(path: Path, id_column: str, text_column: str, group: str) -> list[Document] | tab.JsonLines:
    if is_folder(path):
        return _plain(texts.read_folder(path))
    kind = suffix(path)
    if kind == ".jsonl":
        return tab.JsonLines.of_file(path, group)
    if kind in (".csv", ".tsv"):
        rows = texts.read_grouped(path, id_column, text_column, group)
        return [Document(key, text, group=name) for key, (text, name) in rows.items()]
    opening = first_byte(path)
    if opening == b"[":
        return tab.read_list(path, group)
    if opening == b"{":
        entries = object_entries(path, read_bytes(path))
        if entries and all(bytes(memoryview(raw)[:1]) == b"[" for raw in entries.values()):
            raise fail(path, "looks like masks, not a corpus; the corpus comes first")
        return _plain(texts.texts_of(entries, path))
    raise _unknown(path, opening, CORPUS_KINDS)


def _plain(found: dict[str, str]) -> list[Document]:
    return [Document(key, text) for key, text in found.items()]


def read_anonymization(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    name: str | None = None,
    format: str | None = None,
    id_column: str = "doc_id",
    text_column: str = "text",
) -> Anonymization:
    """Reads an anonymization: masks with offsets, or anonymized texts, which are aligned to the corpus's originals.

    In a named `format` of marked texts, such as `i2b2`, what is marked is masked, and its type is kept.
    """
    from showthrough.formats.named import format_named, masks_of, told

    path = Path(path)
    name = name or stem(path)
    known = format or told(path)
    chosen = format_named(known) if known else None
    if chosen and chosen.reads(path):
        return Anonymization(masks_of(path, chosen, corpus), name, str(path))
    kind = suffix(path)
    opening = b"" if is_folder(path) or kind in (".csv", ".tsv") else first_byte(path)
    if opening == b"{" and kind != ".jsonl":
        entries = object_entries(path, read_bytes(path))
        first = next(iter(entries.values()), None)
        if first is not None and bytes(memoryview(first)[:1]) == b'"':
            return _aligned(texts.texts_of(entries, path), corpus, path, name)
        return Anonymization(tae.checked(entries, path), name, str(path))
    if is_folder(path):
        return _aligned(texts.read_folder(path), corpus, path, name)
    if kind in (".csv", ".tsv"):
        return _aligned(texts.read_table(path, id_column, text_column), corpus, path, name)
    if kind == ".jsonl" or opening == b"[":
        records = texts.read_records(path)
        if all("masks" in fields for fields in records.values()):
            return Anonymization(
                tae.checked({key: fields["masks"] for key, fields in records.items()}, path), name, str(path)
            )
        lacking = [key for key, fields in records.items() if "text" not in fields]
        if lacking:
            raise InputError(
                Problem(
                    str(path),
                    at_document(key),
                    "has no text; expected text in every document, or masks in every document",
                )
                for key in lacking
            )
        return _aligned(
            texts.texts_of({key: fields["text"] for key, fields in records.items()}, path), corpus, path, name
        )
    raise _unknown(path, opening, ANONYMIZATION_KINDS)


def _aligned(found: dict[str, str], corpus: Corpus | None, path: Path, name: str) -> Anonymization:
    if corpus is None:
        raise fail(path, "holds anonymized texts without offsets; reading it needs the corpus with the originals")
    known = set(corpus.ids)
    strangers = [key for key in found if key not in known]
    if strangers:
        raise InputError(
            Problem(str(path), at_document(key), f"is not in the corpus {corpus.source or corpus.name}")
            for key in strangers
        )
    from showthrough.data.alignment import align  # asked for only where offsets are missing

    masks = {document.id: align(document.text, found[document.id]) for document in corpus if document.id in found}
    return Anonymization(masks, name, str(path))


def _unknown(path: Path, opening: bytes, kinds: str) -> InputError:
    if not opening:
        return fail(path, f"is empty; expected {kinds}")
    return fail(path, f"is not JSON: it starts with {opening.decode('latin-1')!r}; expected {kinds}")


__all__ = ["read_anonymization", "read_corpus"]
