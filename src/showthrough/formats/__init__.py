"""Files in, corpora and anonymizations out: one module a format, one table of them in `choice`."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping

from showthrough.data.documents import Corpus
from showthrough.data.given import aligned
from showthrough.data.masks import Anonymization, Rewriting, apply_masks
from showthrough.data.originals import Originals
from showthrough.data.pairing import check_pair
from showthrough.errors import InputError, Problem, at_document, shown, some
from showthrough.files.heads import Head
from showthrough.files.reading import fail, files_in, stem
from showthrough.formats.base import Columns, Fit, Format, Input, Masks, Passages, Texts, can
from showthrough.formats.choice import FORMATS, format_named, read_as, recognised, telling
from showthrough.formats.groups import GroupBy
from showthrough.formats.remarks import Remarks

CORPUS_KINDS = "a TAB .json, .jsonl, .csv or .tsv file, a folder of .txt files, or what showthrough formats lists"
ANONYMIZATION_KINDS = (
    "a TAE .json, .jsonl, .csv or .tsv file, a folder of .txt files, or what showthrough formats lists"
)


def read_corpus(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
    group_by: str | None = None,
    released: str | Collection[str] | None = None,
) -> Corpus:
    """Reads and checks a corpus, in whichever format it is: `showthrough formats` lists them.

    `format` names one, which then holds whatever the file looks like. Documents that share a group, such as the records
    of one patient, say so in a field or column `group`; `group_by` names another, or a regular expression on their ids:
    `id:^(\\d+)-`. `released` are columns beside the texts that are read as anonymizations, and so not told as unused.
    """
    groups = GroupBy(group_by)
    remarks = Remarks(elsewhere=frozenset([released] if isinstance(released, str) else released or ()))
    file = Input(Head.of(path), Columns(id_column, text_column, groups.field), remarks=remarks)
    documents = groups.grouped(read_as(format, file, "read", CORPUS_KINDS))
    corpus = Corpus(documents, name or stem(file.path), str(file.path), file.remarks.notes)
    _ = corpus.survey  # raises with everything that is wrong
    groups.check(corpus)
    _check_spans(file, lambda: corpus.survey.mentions)
    return corpus


def _check_spans(file: Input, marks: Callable[[], int]) -> None:
    """Raises InputError where no mark was read, and a key that the format does not know holds what looks like some."""
    if (keys := sorted(file.remarks.spans)) and not marks():
        fault = "looks like marks, which this format has elsewhere, and no others were found"
        raise fail(file.path, f"{fault}; {file.remarks.hint()}", f"key {shown(keys[0])}")


def read_anonymization(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    name: str | None = None,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> Anonymization:
    """Reads an anonymization: masks with offsets, or anonymized texts, which are aligned to the corpus's originals.

    In a format of marked texts, such as `i2b2`, what is marked is masked, and its type is kept.
    """
    file = Input(Head.of(path), Columns(id_column, text_column), corpus)
    given: Masks | Texts = read_as(format, file, "read_anonymization", ANONYMIZATION_KINDS)
    masks = _aligned(given, file) if isinstance(given, Texts) else given
    _check_spans(file, lambda: isinstance(given, Texts) or sum(map(len, masks.values())))
    told = name or stem(file.path), str(file.path), file.remarks.notes, file.remarks.provenance
    return Rewriting(given, *told, given.written) if isinstance(given, Passages) else Anonymization(masks, *told)


def read_anonymized(
    path: str | os.PathLike[str],
    corpus: Corpus | None = None,
    *,
    format: str | None = None,
    id_column: str | None = None,
    text_column: str | None = None,
) -> dict[str, str]:
    """Reads anonymized texts as they are; masks with offsets are applied to the corpus's originals.

    With a corpus, every document of it has to be there.
    """
    file = Input(Head.of(path), Columns(id_column, text_column), corpus)
    given: Masks | Texts = read_as(format, file, "read_anonymization", ANONYMIZATION_KINDS)
    given = Texts(given.written) if isinstance(given, Passages) else given
    if isinstance(given, Texts):
        if corpus is not None and (lacking := [key for key in corpus.ids if key not in given]):
            fault = f"is in the corpus {corpus.source or corpus.name} but not here"
            raise InputError(Problem(str(file.path), at_document(key), fault) for key in lacking)
        return given
    if corpus is None:
        raise fail(file.path, "holds masks with offsets; expected --corpus with the originals that they belong to")
    anonymization = Anonymization(given, stem(file.path), str(file.path), provenance=file.remarks.provenance)
    if problems := check_pair(corpus, anonymization):
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

    Beside them is what there is to say of the file, a sentence each.
    """
    head = _inside(telling(Head.of(path)))
    name = format or recognised(head, "read_anonymization")
    if name and can(format_named(name), "read_anonymization"):
        file = Input(head, Columns(id_column, text_column))
        given = read_as(name, file, "read_anonymization", CORPUS_KINDS)
        if isinstance(given, Texts):
            return given, file.remarks.notes
        if not can(format_named(name), "read"):
            raise fail(head.path, "holds masks with offsets and no text; expected the texts as they are released")
    corpus = read_corpus(head, format=format, id_column=id_column, text_column=text_column)
    return Originals(corpus), corpus.notes


def _inside(head: Head) -> Head:
    """Of a folder that is in no format and has one file in it, such as `apply` writes, that file."""
    if not head.folder or recognised(head, "read_anonymization") or recognised(head, "read"):
        return head
    files = [one for one in files_in(head.path) if not one.is_dir()]
    return telling(Head(files[0])) if len(files) == 1 else head


def _aligned(texts: Texts, file: Input) -> Masks:
    path, corpus = file.path, file.corpus
    if corpus is None:
        raise fail(path, "holds anonymized texts without offsets; reading it needs the corpus with the originals")
    if file.released and tuple(texts) != corpus.ids:
        fault = "its rows have other ids here than the corpus has; expected the same column of ids for both"
        raise fail(path, f"{fault} (choose with --id-column)")
    if empty := [key for key, text in texts.items() if not text.strip()]:
        column = f"column {shown(file.columns.text or '')}: " if file.released else ""
        count = "an empty text counts" if len(empty) == 1 else f"{len(empty)} empty texts count"
        file.remarks.others.append(f"{column}nothing is left of {some(empty)}: {count} as all suppressed")
    return aligned(texts, corpus, str(path))


__all__ = [
    "FORMATS", "Fit", "Format", "Input", "Texts", "read_anonymization", "read_anonymized", "read_corpus",
    "read_released",
]  # fmt: skip
