"""Who wrote these documents? The questions that verifiers are asked, and their right answers, as far as known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from showthrough.axis.spans import Bools, Ints
from showthrough.data.documents import Corpus, Document
from showthrough.verifiers.base import Question
from showthrough.verifiers.folds import components
from showthrough.verifiers.traces import traces


@dataclass(frozen=True)
class Problems:
    """Questions, an entry each: the document they are about, what is known of an author, whether it is the same.

    Those that are not `counted` were made to tell false alarms: known texts of one problem, the text of another. No
    text is in two `circles`, so whoever learns from some circles has seen nothing of the others.
    """

    ids: Sequence[str]  # of all documents, in the order of the corpus
    documents: Ints
    known: Sequence[tuple[str, ...]]
    same: Bools
    counted: Bools
    circles: Ints
    authors: int  # sets of problems that share no text and no group
    untold: Bools  # of all documents: whose right answer nobody says, taken as the same author
    alone: Bools  # of all documents: those of which nothing can be asked
    asked: bool  # whether documents ask themselves; else their groups are asked about

    def questions(self, texts: Mapping[str, str], which: Ints) -> list[Question]:
        """Some of them, about these texts."""
        return [Question(self.known[place], texts[self.ids[self.documents[place]]]) for place in which.tolist()]

    def wordless(self, texts: Mapping[str, str]) -> Bools:
        """Of all documents: those of which nothing is left to read."""
        return np.array([not any(map(str.isalnum, texts[key])) for key in self.ids], dtype=bool)


def problems_of(corpus: Corpus, known: int, seed: int) -> Problems:
    """What documents ask themselves; where none does, whether their groups can be told, a group being an author.

    Neither depends on the order of the documents.
    """
    documents = list(corpus)
    order = np.argsort(np.array([one.id for one in documents], dtype=object), kind="stable")
    ordered = [documents[place] for place in order.tolist()]
    random = np.random.default_rng(seed)
    asking = any(one.authorship for one in ordered)
    found = _asked(ordered, random) if asking else _grouped(ordered, known, random)
    return found.placed(corpus.ids, order)


@dataclass(frozen=True)
class _Found:
    """Questions about documents in the order of their ids."""

    questions: Sequence[tuple[int, tuple[str, ...], bool, bool]]  # document, known texts, same, counted
    circles: Ints  # of the documents
    authors: int
    untold: Bools
    asked: bool

    def placed(self, ids: Sequence[str], order: Ints) -> Problems:
        """The same with the places that documents have in the corpus."""
        about = np.array([place for place, *_ in self.questions], dtype=np.int64)
        same, counted = (np.array([one[at] for one in self.questions], dtype=bool) for at in (2, 3))
        untold = np.zeros(len(ids), dtype=bool)
        untold[order] = self.untold
        alone = np.ones(len(ids), dtype=bool)
        alone[order[about[counted]]] = False
        known = [one[1] for one in self.questions]
        circles = self.circles[about]
        return Problems(ids, order[about], known, same, counted, circles, self.authors, untold, alone, self.asked)


def _asked(documents: Sequence[Document], random: np.random.Generator) -> _Found:
    """The questions that documents ask. Without any right answer all count as by the same author."""
    asked = {place: one.authorship for place, one in enumerate(documents) if one.authorship}
    told = {place: one for place, one in asked.items() if one.same is not None}
    used = told or asked
    sets = components([traces(documents[place]) for place in used])
    circles = _circles(sets, random)
    questions = [(place, one.known, one.same is not False, True) for place, one in used.items()]
    ours: dict[int, list[tuple[int, int]]] = {}  # by circle, the same-author problems with their sets
    for (place, _, same, _), number, circle in zip(questions, sets.tolist(), circles.tolist(), strict=True):
        if same:
            ours.setdefault(circle, []).append((place, number))
    pairs = [(place, [other for other, at in each if at != number]) for each in ours.values() for place, number in each]
    different = len(questions) - len(pairs)  # and so many are made that there are as many of both kinds
    for at in random.permutation(len(pairs))[: max(len(pairs) - different, 0)].tolist():
        place, others = pairs[at]
        if others:
            questions.append((place, used[others[random.integers(len(others))]].known, False, False))
    everyone, untold = np.full(len(documents), -1), np.zeros(len(documents), dtype=bool)
    everyone[list(used)], untold[[] if told else list(asked)] = circles, True
    return _Found(questions, everyone, _count(sets), untold, asked=True)


def _grouped(documents: Sequence[Document], known: int, random: np.random.Generator) -> _Found:
    """Of each document whether it is by its own author, and whether it is by another one of the same circle."""
    groups: dict[str, list[int]] = {}
    for place, one in enumerate(documents):
        groups.setdefault(one.group, []).append(place)
    authors = [places for group, places in groups.items() if group and len(places) > 1]
    used = [place for places in authors for place in places]
    sets, everyone = components([traces(documents[place]) for place in used]), np.full(len(documents), -1)
    everyone[used] = _circles(sets, random)
    number = dict(zip(used, sets.tolist(), strict=True))
    circles: dict[int, list[list[int]]] = {}
    for places in authors:
        circles.setdefault(int(everyone[places[0]]), []).append(places)

    def drawn(places: Sequence[int]) -> tuple[str, ...]:
        return tuple(documents[place].text for place in np.sort(random.permutation(places)[:known]).tolist())

    questions = []
    for own in authors:
        others = [one for one in circles[int(everyone[own[0]])] if number[one[0]] != number[own[0]]]
        for place in own:
            questions.append((place, drawn([one for one in own if one != place]), True, True))
            if others:
                questions.append((place, drawn(others[random.integers(len(others))]), False, True))
    return _Found(questions, everyone, _count(sets), np.zeros(len(documents), dtype=bool), asked=False)


def _count(sets: Ints) -> int:
    return int(sets.max(initial=-1)) + 1


def _circles(sets: Ints, random: np.random.Generator) -> Ints:
    """Two sets each, by chance; the last has three where their number is odd."""
    count = _count(sets)
    circles = np.empty(count, dtype=np.int64)
    circles[random.permutation(count)] = np.minimum(np.arange(count) // 2, max(count // 2 - 1, 0))
    return circles[sets]
