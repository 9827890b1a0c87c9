"""Checks that corpus and anonymizations fit together, before any work starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.core.errors import InputError, Problem, at_document, shorten
from showthrough.data.documents import Corpus, span_fault
from showthrough.data.masks import Anonymization, Mask, NumberedMasks
from showthrough.data.provenance import texts_digest
from showthrough.storage.columns.index import Finder

_BLOCK = 4096  # ids that are looked up at once
_IDS = 3  # that a message shows of either side
_MAX_TEXTS = 10  # problems for which the text is read that tells more
Missing = Literal["error", "unmasked"]
Extra = Literal["error", "ignore"]
Pairing = Literal["check", "trust"]  # whether it is looked at whose releases are


def check_pair(corpus: Corpus, anonymization: Anonymization, missing: Missing = "error") -> list[Problem]:
    """Everything that keeps an anonymization from being scored against a corpus."""
    file, masks = anonymization.source or anonymization.name, anonymization.masks
    strange = stranger_fault(corpus)
    lacking = "is in the corpus but not here; add it (an empty list means nothing is masked), or say --missing unmasked"
    foreign, documents = _by_number(corpus, masks) if isinstance(masks, NumberedMasks) else _by_id(corpus, masks)
    if len(foreign) == len(masks) > 1:
        return [Problem(file, "", no_id_fits(corpus, foreign))]
    problems = [Problem(file, at_document(foreign_id), strange) for foreign_id in foreign]
    for document_id, length, document_masks in documents:
        location = at_document(document_id)
        if document_masks is None and missing == "error":
            problems.append(Problem(file, location, lacking))
        for index, mask in enumerate(document_masks or ()):
            if not 0 <= mask.start < mask.end <= length:
                text = _text_of(corpus, document_id) if len(problems) < _MAX_TEXTS else ""
                fault = span_fault(mask.start, mask.end, length, ("start", "end"), text)
                problems.append(Problem(file, f"{location}: masks[{index}]", fault))
    return problems or _check_texts(corpus, anonymization, file)


def stranger_fault(corpus: Corpus) -> str:
    """Of a document that only an anonymization has, as where a sample of what was released is annotated."""
    return f"is not in the corpus {corpus.source or corpus.name}; leave it out (of a file: evaluate --extra ignore)"


def no_id_fits(corpus: Corpus, ids: Sequence[str]) -> str:
    """Of an anonymization that has no document of the corpus: then the ids of one of the two are somewhere else."""
    own_ids, corpus_ids = (
        ", ".join(shorten(some[number]) for number in range(min(len(some), _IDS))) for some in (ids, corpus.ids)
    )
    return (
        f"none of its documents is in the corpus {corpus.source or corpus.name}: found ids such as {own_ids}; "
        f"expected ids such as {corpus_ids}. If the ids are in another column or key, name it with --id-column"
    )


def _text_of(corpus: Corpus, document_id: str) -> str:
    return corpus.documents[Finder(corpus.ids).number(document_id)].text


_Row = tuple[str, int, Sequence[Mask] | None]  # a document of the corpus, its length, its masks where there are some


def _by_id(corpus: Corpus, masks: Mapping[str, Sequence[Mask]]) -> tuple[list[str], Iterator[_Row]]:
    """Documents that the corpus does not have; and all of the corpus."""
    shared = sum(document_id in masks for document_id in corpus.ids)
    foreign: list[str] = []
    if shared < len(masks):
        finder, ids = Finder(corpus.ids), list(masks)
        foreign = [ids[number] for number in np.flatnonzero(finder.numbers(ids) < 0).tolist()]
    documents = zip(corpus.ids, map(int, corpus.survey.lengths), strict=True)
    return foreign, ((document_id, length, masks.get(document_id)) for document_id, length in documents)


def _by_number(corpus: Corpus, masks: NumberedMasks) -> tuple[list[str], Iterator[_Row]]:
    """Documents that the corpus does not have; and those of the corpus alone with which something may be wrong."""
    ids, lengths = corpus.ids, corpus.survey.lengths
    if masks.ids == ids:
        return [], _rows_of_numbers(corpus, masks, masks.outside(lengths))
    finder = Finder(ids)
    blocks = (masks.ids.part(start, start + _BLOCK) for start in range(0, len(masks), _BLOCK))
    positions = np.concatenate(
        [np.zeros(0, dtype=np.int64), *map(finder.numbers, blocks)]
    )  # in the corpus; -1: not there
    present = np.zeros(len(ids), dtype=bool)
    present[positions[positions >= 0]] = True
    longest = np.append(lengths, np.iinfo(lengths.dtype).max)  # of what is not in the corpus nothing is past the end
    suspects = positions[masks.outside(longest[positions])]
    numbers = np.union1d(np.flatnonzero(~present), suspects[suspects >= 0])
    return list(masks.ids.taken(np.flatnonzero(positions < 0))), _rows_of_numbers(corpus, masks, numbers)


def _rows_of_numbers(corpus: Corpus, masks: Mapping[str, Sequence[Mask]], numbers: Ints) -> Iterator[_Row]:
    for number in numbers.tolist():
        document_id = corpus.ids[number]
        yield document_id, int(corpus.survey.lengths[number]), masks.get(document_id)


def _check_texts(corpus: Corpus, anonymization: Anonymization, file: str) -> list[Problem]:
    """Offsets of other texts may fit by chance, and would then hide what nobody masked."""
    origin = anonymization.provenance
    if origin is None or not origin.texts:
        return []
    if origin.texts == texts_digest(document for document in corpus if document.id in anonymization.masks):
        return []
    fault = f"was made of other texts than those of {corpus.source or corpus.name}, though their ids are the same"
    return [Problem(file, "", f"{fault}; expected masks of these texts: anonymize them again")]


def pair(corpus: Corpus, anonymizations: Sequence[Anonymization], missing: Missing = "error") -> None:
    """Raises InputError with every problem of every anonymization."""
    problems = [problem for anonymization in anonymizations for problem in check_pair(corpus, anonymization, missing)]
    if problems:
        raise InputError(problems)
