"""Corpus and anonymizations checked together, before any work starts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from showthrough.data.documents import Corpus, span_fault
from showthrough.data.masks import Anonymization
from showthrough.data.provenance import texts_digest
from showthrough.errors import InputError, Problem, at_document

Missing = Literal["error", "unmasked"]


def check_pair(corpus: Corpus, anonymization: Anonymization, missing: Missing = "error") -> list[Problem]:
    """Everything that keeps an anonymization from being scored against a corpus."""
    lengths = dict(zip(corpus.ids, corpus.survey.lengths.tolist(), strict=True))
    file = anonymization.source or anonymization.name
    foreign = f"is not in the corpus {corpus.source or corpus.name}"
    lacking = "is in the corpus but not here; add it (an empty list means nothing is masked), or say missing=unmasked"
    problems = [Problem(file, at_document(one), foreign) for one in anonymization.masks if one not in lengths]
    for document_id, length in lengths.items():
        place = at_document(document_id)
        if document_id not in anonymization.masks and missing == "error":
            problems.append(Problem(file, place, lacking))
        for index, mask in enumerate(anonymization.of(document_id)):
            if not 0 <= mask.start < mask.end <= length:
                fault = span_fault(mask.start, mask.end, length, ("start", "end"))
                problems.append(Problem(file, f"{place}: masks[{index}]", fault))
    return problems or _of_other_texts(corpus, anonymization, file)


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
