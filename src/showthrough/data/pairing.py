"""Corpus and anonymizations checked together, before any work starts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from showthrough.columns.index import Finder
from showthrough.columns.strings import Ints
from showthrough.data.documents import Corpus, span_fault
from showthrough.data.masks import Anonymization, Mask, NumberedMasks
from showthrough.data.provenance import texts_digest
from showthrough.errors import InputError, Problem, at_document

_BLOCK = 4096  # ids that are looked up at once
_TOLD = 10  # problems for which the text is read that tells more
Missing = Literal["error", "unmasked"]
Pairing = Literal["check", "trust"]  # whether it is looked at whose releases are


def check_pair(corpus: Corpus, anonymization: Anonymization, missing: Missing = "error") -> list[Problem]:
    """Everything that keeps an anonymization from being scored against a corpus."""
    file, masks = anonymization.source or anonymization.name, anonymization.masks
    strange = f"is not in the corpus {corpus.source or corpus.name}"
    lacking = "is in the corpus but not here; add it (an empty list means nothing is masked), or say missing=unmasked"
    foreign, documents = _by_number(corpus, masks) if isinstance(masks, NumberedMasks) else _by_id(corpus, masks)
    problems = [Problem(file, at_document(one), strange) for one in foreign]
    for document_id, length, found in documents:
        place = at_document(document_id)
        if found is None and missing == "error":
            problems.append(Problem(file, place, lacking))
        for index, mask in enumerate(found or ()):
            if not 0 <= mask.start < mask.end <= length:
                text = _text_of(corpus, document_id) if len(problems) < _TOLD else ""
                fault = span_fault(mask.start, mask.end, length, ("start", "end"), text)
                problems.append(Problem(file, f"{place}: masks[{index}]", fault))
    return problems or _of_other_texts(corpus, anonymization, file)


def _text_of(corpus: Corpus, document_id: str) -> str:
    return corpus.documents[Finder(corpus.ids).number(document_id)].text


_Found = tuple[str, int, Sequence[Mask] | None]  # a document of the corpus, its length, its masks where there are some


def _by_id(corpus: Corpus, masks: Mapping[str, Sequence[Mask]]) -> tuple[list[str], Iterator[_Found]]:
    """Documents that the corpus does not have; and all of the corpus."""
    known = sum(one in masks for one in corpus.ids)
    foreign: list[str] = []
    if known < len(masks):
        finder, ids = Finder(corpus.ids), list(masks)
        foreign = [ids[number] for number in np.flatnonzero(finder.numbers(ids) < 0).tolist()]
    documents = zip(corpus.ids, map(int, corpus.survey.lengths), strict=True)
    return foreign, ((one, length, masks.get(one)) for one, length in documents)


def _by_number(corpus: Corpus, masks: NumberedMasks) -> tuple[list[str], Iterator[_Found]]:
    """Documents that the corpus does not have; and those of the corpus alone with which something may be wrong."""
    ids, lengths = corpus.ids, corpus.survey.lengths
    if masks.ids == ids:
        return [], _of_numbers(corpus, masks, masks.outside(lengths))
    finder = Finder(ids)
    blocks = (masks.ids.part(start, start + _BLOCK) for start in range(0, len(masks), _BLOCK))
    places = np.concatenate([np.zeros(0, dtype=np.int64), *map(finder.numbers, blocks)])  # in the corpus; -1: not there
    here = np.zeros(len(ids), dtype=bool)
    here[places[places >= 0]] = True
    longest = np.append(lengths, np.iinfo(lengths.dtype).max)  # of what is not in the corpus nothing is past the end
    suspects = places[masks.outside(longest[places])]
    numbers = np.union1d(np.flatnonzero(~here), suspects[suspects >= 0])
    return list(masks.ids.taken(np.flatnonzero(places < 0))), _of_numbers(corpus, masks, numbers)


def _of_numbers(corpus: Corpus, masks: Mapping[str, Sequence[Mask]], numbers: Ints) -> Iterator[_Found]:
    for number in numbers.tolist():
        document_id = corpus.ids[number]
        yield document_id, int(corpus.survey.lengths[number]), masks.get(document_id)


def _of_other_texts(corpus: Corpus, anonymization: Anonymization, file: str) -> list[Problem]:
    """Offsets of other texts may fit by chance, and would then hide what nobody masked."""
    made = anonymization.provenance
    if made is None or not made.texts:
        return []
    if made.texts == texts_digest(document for document in corpus if document.id in anonymization.masks):
        return []
    fault = f"was made of other texts than those of {corpus.source or corpus.name}, though their ids are the same"
    return [Problem(file, "", f"{fault}; expected masks of these texts: anonymize them again")]


def pair(corpus: Corpus, anonymizations: Sequence[Anonymization], missing: Missing = "error") -> None:
    """Raises InputError with every problem of every anonymization."""
    problems = [problem for one in anonymizations for problem in check_pair(corpus, one, missing)]
    if problems:
        raise InputError(problems)
