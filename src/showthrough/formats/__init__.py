"""Files in, corpora and anonymizations out: one module a format, one table of them in `registry`."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence

from showthrough.core.errors import InputError, PlanError, Problem, at_document
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization, apply_masks
from showthrough.data.offsets import Offsets, check_offsets, offset_problems, parse_offsets
from showthrough.data.originals import Originals
from showthrough.data.pairing import Extra, check_pair
from showthrough.data.text_anonymizations import Rewriting
from showthrough.engines.base import Engine, Watch
from showthrough.formats._shards import read_anonymization_of, read_corpus_of, released_texts_of
from showthrough.formats.annotation_tools.groups import GroupBy
from showthrough.formats.base import (
    ColumnNames,
    Fit,
    Format,
    Input,
    Masks,
    Passages,
    Texts,
    aligned_texts,
    can,
    check_spans,
    without_strangers,
)
from showthrough.formats.registry import FORMATS, format_named, look_closer, read_as, recognise_format
from showthrough.formats.remarks import Remarks
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import fail, files_in, read_bytes, stem, text_of

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]  # one, a pattern, or several
CORPUS_KINDS = "a TAB .json, .jsonl, .csv or .tsv file, a folder of .txt files, or what showthrough list formats shows"
ANONYMIZATION_KINDS = (
    "a TAE .json, .jsonl, .csv or .tsv file, a folder of .txt files, or what showthrough list formats shows"
)


def read_corpus(
    path: Paths,
    *,
    name: str | None = None,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    group_by: str | None = None,
    released: str | Collection[str] | None = None,
    fields: Sequence[str] = (),
    offsets: Offsets | None = None,
    engine: Engine | None = None,
    watch: Watch | None = None,
) -> Corpus:
    """Reads and checks a corpus, in whichever format it is: `showthrough list formats` shows them.

    `path` may be a pattern, such as `notes/corpus-*.jsonl.zst`, or a list: all files are then one corpus. It may be a
    URL, such as `s3://bucket/corpus.jsonl`. With an `engine`, its workers share the reading;
    `watch` is told how far it is.
    `format` names one, which then holds whatever the file looks like. Documents that share a group, such as the records
    of one patient, say so in a field or column `group`; `group_by` names another, or a regular expression on their ids:
    `id:^(\\d+)-`. `released` are columns beside the texts that are read as anonymizations, and so not told as unused.
    `fields` are further columns or keys that documents keep (`Document.fields`), for slices.
    `offsets` are what those of the file count, if not characters: `utf-16` units, or `bytes` of UTF-8. A file whose
    marks look so is refused, unless `characters` insists.
    """
    _check_path(path, "Corpus.from_frame takes a data frame, and Corpus.from_texts takes texts")
    groups, head = GroupBy(group_by), Head.of(path)
    columns = ColumnNames(id_column, text_column, groups.field, parse_offsets(offsets), tuple(fields))
    elsewhere = frozenset([*([released] if isinstance(released, str) else released or ()), *fields])
    if head.shards is not None:
        corpus = read_corpus_of(head.shards, format, columns, groups, elsewhere, CORPUS_KINDS, engine, name, watch)
        check_offsets(corpus)
        return corpus
    file = Input(head, columns, remarks=Remarks(elsewhere=elsewhere), engine=engine, watch=watch)
    documents = groups.assign_groups(read_as(format, file, "read", CORPUS_KINDS))
    corpus = Corpus(documents, name or stem(file.path), str(file.path), file.remarks.notes, columns.offsets)
    _ = corpus.survey  # raises with everything that is wrong
    check_offsets(corpus)
    groups.check(corpus)
    check_spans(file, lambda: corpus.survey.mentions)
    return corpus


def _check_path(path: object, takes: str) -> None:
    """Raises PlanError where a path is none, and no list of them."""
    paths = [path] if isinstance(path, str) or not isinstance(path, Sequence) else path
    for item in paths:
        if not isinstance(item, str | os.PathLike):
            raise PlanError(f"found a value of type {type(item).__name__}; expected a path; {takes}", "path")


def read_anonymization(
    path: Paths,
    corpus: Corpus | None = None,
    *,
    name: str | None = None,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    offsets: Offsets | None = None,
    extra: Extra = "error",
    engine: Engine | None = None,
    watch: Watch | None = None,
) -> Anonymization:
    """Reads an anonymization: masks with offsets, or anonymized texts, which are aligned to the corpus's originals.

    In a format of marked texts, such as `i2b2`, what is marked is masked, and its type is kept. `path` may be a
    pattern, a list or a URL, as that of a corpus; documents and masks are matched by id, whichever files they are in.
    `offsets` say what is counted, as those of a corpus do, and are then counted again by its texts. With `extra`
    "ignore", documents that the corpus does not have are left out, and a note counts them.
    """
    takes = "Anonymization.from_frame takes a data frame, from_texts takes texts, and from_spans takes spans"
    _check_path(path, takes)
    head = Head.of(path)
    columns = ColumnNames(id_column, text_column, offsets=parse_offsets(offsets), extra=extra)
    if head.shards is not None:
        kinds = ANONYMIZATION_KINDS
        anonymization = read_anonymization_of(head.shards, corpus, format, columns, kinds, engine, name, watch=watch)
        check_offsets(corpus, anonymization)
        return anonymization
    file = Input(head, columns, corpus, engine=engine, watch=watch)
    content: Masks | Texts = read_as(format, file, "read_anonymization", ANONYMIZATION_KINDS)
    content = without_strangers(content, file)
    masks = aligned_texts(content, file) if isinstance(content, Texts) else content
    check_spans(file, lambda: isinstance(content, Texts) or sum(map(len, masks.values())))
    description = name or stem(file.path), str(file.path), file.remarks.notes, file.remarks.provenance
    if isinstance(content, Passages):
        return Rewriting(content, *description, content.written)
    # Masks that were found by aligning texts count characters.
    anonymization = Anonymization(masks, *description, "characters" if isinstance(content, Texts) else columns.offsets)
    check_offsets(corpus, anonymization)
    return anonymization


def read_anonymized(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    offsets: Offsets | None = None,
) -> dict[str, str]:
    """Reads anonymized texts as they are; masks with offsets are applied to the corpus's originals.

    With a corpus, every document of it has to be there.
    """
    head, columns = Head.of(path), ColumnNames(id_column, text_column, offsets=parse_offsets(offsets))
    source = os.fspath(head)
    content: Masks | Texts | None
    if head.shards is not None:
        texts = released_texts_of(head.shards, corpus, format, columns, ANONYMIZATION_KINDS)
        content = None if texts is None else texts[0]
    else:
        file = Input(head, columns, corpus)
        content = read_as(format, file, "read_anonymization", ANONYMIZATION_KINDS)
        content = Texts(content.written) if isinstance(content, Passages) else content
    if isinstance(content, Texts):
        if corpus is not None and (lacking := [key for key in corpus.ids if key not in content]):
            fault = f"is in the corpus {corpus.source or corpus.name} but not here"
            raise InputError(Problem(source, at_document(key), fault) for key in lacking)
        return content
    if corpus is None:
        raise fail(source, "holds masks with offsets; expected --corpus with the originals that they belong to")
    if content is None:
        anonymization = read_anonymization(
            head, corpus, format=format, id_column=id_column, text_column=text_column, offsets=offsets
        )
    else:
        provenance = file.remarks.provenance
        anonymization = Anonymization(content, stem(head.path), source, (), provenance, columns.offsets)
    if problems := check_pair(corpus, anonymization) or offset_problems(corpus, [anonymization]):
        raise InputError(problems)
    return {document.id: apply_masks(document.text, anonymization.of(document.id)) for document in corpus}


def read_released(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """Reads released texts whose originals nobody has: texts by id, or those of a corpus, whatever is marked in it.

    One `.txt` is a text with the name of its file. Beside them is what there is to say of the file, a sentence each.
    """
    head = Head.of(path)
    if head.shards is not None:
        return _read_released_files(head, format, id_column, text_column)
    head = _enter_folder(look_closer(head))
    name = format or recognise_format(head, "read_anonymization")
    if name and can(format_named(name), "read_anonymization"):
        file = Input(head, ColumnNames(id_column, text_column))
        content = read_as(name, file, "read_anonymization", CORPUS_KINDS)
        if isinstance(content, Texts):
            return content, file.remarks.notes
        if not can(format_named(name), "read"):
            raise fail(head.path, "holds masks with offsets and no text; expected the texts as they are released")
    elif name is None and head.suffix == ".txt":
        return {stem(head.path): text_of(head.path, read_bytes(head.path, RECORD))}, ()
    corpus = read_corpus(head, format=format, id_column=id_column, text_column=text_column)
    return Originals(corpus), corpus.notes


def _read_released_files(
    head: Head, format: str | None, id_column: str | None, text_column: str | None
) -> tuple[Mapping[str, str], tuple[str, ...]]:
    """The same of several files."""
    name = format or recognise_format(look_closer(Head(head.path)), "read_anonymization")
    if head.shards is not None and name and can(format_named(name), "read_anonymization"):
        columns = ColumnNames(id_column, text_column)
        texts = released_texts_of(head.shards, None, format, columns, CORPUS_KINDS)
        if texts is not None:
            return texts[0], texts[1].notes
        if not can(format_named(name), "read"):
            raise fail(os.fspath(head), "holds masks with offsets and no text; expected the texts as they are released")
    corpus = read_corpus(head, format=format, id_column=id_column, text_column=text_column)
    return Originals(corpus), corpus.notes


def _enter_folder(head: Head) -> Head:
    """Of a folder that is in no format and has one file in it, such as `apply` writes, that file."""
    if not head.folder or recognise_format(head, "read_anonymization") or recognise_format(head, "read"):
        return head
    files = [file for file in files_in(head.path) if not file.is_dir()]
    return look_closer(Head(files[0])) if len(files) == 1 else head


__all__ = [
    "FORMATS", "Fit", "Format", "Input", "Texts", "read_anonymization", "read_anonymized", "read_corpus",
    "read_released",
]  # fmt: skip
