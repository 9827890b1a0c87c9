"""Who wrote these documents? The questions that verifiers are asked, and their right answers, as far as known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.data.documents import Corpus, Document
from showthrough.families.authorship.verifiers.base import Question
from showthrough.families.authorship.verifiers.traces import components, traces


@dataclass(frozen=True)
class Problems:
    """Questions, an entry each: the document they are about, what is known of an author, whether it is the same.

    Those that are not `counted` were made to tell false alarms: known texts of one problem, the text of another. No
    text is in two `circles`, so whoever learns from some circles has seen nothing of the others.
    """

    ids: Sequence[str]  # of all documents, in the order of the corpus
    documents: Ints
    author_texts: Sequence[tuple[str, ...]]
    same: Bools
    counted: Bools
    circles: Ints
    authors: int  # sets of problems that share no text and no group
    untold: Bools  # of all documents: whose right answer nobody says, taken as the same author
    alone: Bools  # of all documents: those of which nothing can be asked
    has_questions: bool  # whether documents ask themselves; else their groups are asked about

    def questions(self, texts: Mapping[str, str], indices: Ints) -> list[Question]:
        """Some of them, about these texts."""
        return [
            Question(self.author_texts[index], texts[self.ids[self.documents[index]]]) for index in indices.tolist()
        ]

    def wordless(self, texts: Mapping[str, str]) -> Bools:
        """Of all documents: those of which nothing is left to read."""
        return np.array([not any(map(str.isalnum, texts[key])) for key in self.ids], dtype=bool)


def problems_of(corpus: Corpus, known_count: int, seed: int) -> Problems:
    """What documents ask themselves; where none does, whether their groups can be told, a group being an author.

    Neither depends on the order of the documents.
    """
    documents = list(corpus)
    order = np.argsort(np.array([document.id for document in documents], dtype=object), kind="stable")
    ordered = [documents[index] for index in order.tolist()]
    random = np.random.default_rng(seed)
    asking = any(document.authorship for document in ordered)
    draft = _draft_from_questions(ordered, random) if asking else _draft_from_groups(ordered, known_count, random)
    return draft.to_problems(corpus.ids, order)


@dataclass(frozen=True)
class _Draft:
    """Questions about documents in the order of their ids."""

    questions: Sequence[tuple[int, tuple[str, ...], bool, bool]]  # document, known texts, same, counted
    circles: Ints  # of the documents
    authors: int
    untold: Bools
    has_questions: bool

    def to_problems(self, ids: Sequence[str], order: Ints) -> Problems:
        """The same with the places that documents have in the corpus."""
        about = np.array([index for index, *_ in self.questions], dtype=np.int64)
        same, counted = (np.array([question[at] for question in self.questions], dtype=bool) for at in (2, 3))
        untold = np.zeros(len(ids), dtype=bool)
        untold[order] = self.untold
        alone = np.ones(len(ids), dtype=bool)
        alone[order[about[counted]]] = False
        known_texts = [question[1] for question in self.questions]
        circles = self.circles[about]
        return Problems(
            ids, order[about], known_texts, same, counted, circles, self.authors, untold, alone, self.has_questions
        )


def _draft_from_questions(documents: Sequence[Document], random: np.random.Generator) -> _Draft:
    """The questions that documents ask. Without any right answer all count as by the same author."""
    authorships = {index: document.authorship for index, document in enumerate(documents) if document.authorship}
    answered = {index: authorship for index, authorship in authorships.items() if authorship.same is not None}
    used = answered or authorships
    sets = components([traces(documents[index]) for index in used])
    circles = _draw_circles(sets, random)
    questions = [(index, authorship.known, authorship.same is not False, True) for index, authorship in used.items()]
    ours: dict[int, list[tuple[int, int]]] = {}  # by circle, the same-author problems with their sets
    for (index, _, same, _), number, circle in zip(questions, sets.tolist(), circles.tolist(), strict=True):
        if same:
            ours.setdefault(circle, []).append((index, number))
    pairs = [
        (index, [candidate for candidate, at in members if at != number])
        for members in ours.values()
        for index, number in members
    ]
    different = len(questions) - len(pairs)  # and so many are made that there are as many of both kinds
    for at in random.permutation(len(pairs))[: max(len(pairs) - different, 0)].tolist():
        index, candidates = pairs[at]
        if candidates:
            questions.append((index, used[candidates[random.integers(len(candidates))]].known, False, False))
    everyone, untold = np.full(len(documents), -1), np.zeros(len(documents), dtype=bool)
    everyone[list(used)], untold[[] if answered else list(authorships)] = circles, True
    return _Draft(questions, everyone, _count_sets(sets), untold, has_questions=True)


def _draft_from_groups(documents: Sequence[Document], known_count: int, random: np.random.Generator) -> _Draft:
    """Of each document whether it is by its own author, and whether it is by another one of the same circle."""
    groups: dict[str, list[int]] = {}
    for index, document in enumerate(documents):
        groups.setdefault(document.group, []).append(index)
    authors = [indices for group, indices in groups.items() if group and len(indices) > 1]
    used = [index for indices in authors for index in indices]
    sets, everyone = components([traces(documents[index]) for index in used]), np.full(len(documents), -1)
    everyone[used] = _draw_circles(sets, random)
    number = dict(zip(used, sets.tolist(), strict=True))
    circles: dict[int, list[list[int]]] = {}
    for indices in authors:
        circles.setdefault(int(everyone[indices[0]]), []).append(indices)

    def drawn(indices: Sequence[int]) -> tuple[str, ...]:
        return tuple(documents[index].text for index in np.sort(random.permutation(indices)[:known_count]).tolist())

    questions = []
    for own in authors:
        other_authors = [
            document for document in circles[int(everyone[own[0]])] if number[document[0]] != number[own[0]]
        ]
        for index in own:
            questions.append((index, drawn([document for document in own if document != index]), True, True))
            if other_authors:
                questions.append((index, drawn(other_authors[random.integers(len(other_authors))]), False, True))
    return _Draft(questions, everyone, _count_sets(sets), np.zeros(len(documents), dtype=bool), has_questions=False)


def _count_sets(sets: Ints) -> int:
    return int(sets.max(initial=-1)) + 1


def _draw_circles(sets: Ints, random: np.random.Generator) -> Ints:
    """Two sets each, by chance; the last has three where their number is odd."""
    count = _count_sets(sets)
    circles = np.empty(count, dtype=np.int64)
    circles[random.permutation(count)] = np.minimum(np.arange(count) // 2, max(count // 2 - 1, 0))
    return circles[sets]
