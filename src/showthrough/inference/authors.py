"""What an attacker's guesses about authors are worth: the first of each attribute, and the best of three."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from showthrough.data.documents import Document
from showthrough.data.subjects import AUTHOR, Subject
from showthrough.inference.base import Answer, Compared, Guess, Judge
from showthrough.inference.judging import Judged, judged
from showthrough.inference.matching import by_tag
from showthrough.inference.profiles import right

Array = NDArray[np.float64]
TOP = 3  # guesses that count
_NONE = -1.0  # no guess


class Asked(NamedTuple):
    """One attribute of the author of a document; its values are all true."""

    place: int  # of the document
    tag: str
    values: tuple[str, ...]
    certainty: int
    hardness: int


class Scores(NamedTuple):
    """Of each attribute that was asked for: what the first guess and the best of three are worth.

    NaN where nobody answered, or where a judge was asked and said nothing that could decide.
    """

    answered: NDArray[np.bool_]
    guessed: NDArray[np.bool_]
    first: Array
    best: Array
    best_guess: list[Guess | None]
    judged: Judged
    owners: NDArray[np.int64]  # of judged pairs, the attributes that they are about


def author_of(document: Document) -> Subject | None:
    """The one who wrote a document, or the only one it is about; nobody where there are several."""
    named = [subject for subject in document.subjects if subject.id == AUTHOR]
    among = named or document.subjects
    return among[0] if len(among) == 1 else None


def asked_of(documents: Iterable[Document], certainty: int) -> list[Asked]:
    """All attributes of authors that are at least so certain; several values of one tag are one attribute."""
    found = []
    for place, document in enumerate(documents):
        author = author_of(document)
        sure = [one for one in author.attributes if one.certainty >= certainty] if author else []
        for tag, each in by_tag(sure).items():
            found.append(Asked(place, tag, tuple(one.value for one in each), each[0].certainty, each[0].hardness))
    return found


def guesses_of(answer: Answer | None) -> dict[str, list[tuple[int, Guess]]]:
    """By tag the guesses about the author that count, with their ranks; those that are not certain at all say nothing."""
    named = [person for person in answer or () if AUTHOR in (person.matches, person.id)]
    person = next(iter(named or answer or ()), None)
    said = {} if person is None else by_tag(person.guesses)
    return {tag: [(rank, one) for rank, one in enumerate(each) if one.certainty][:TOP] for tag, each in said.items()}


def scored(
    asked: Sequence[Asked],
    answers: Sequence[Answer | None],
    judge: Judge | None,
    human: Judge | None = None,
    about: tuple[str, Sequence[str]] = ("", ()),
) -> Scores:
    """What answers, by document, are worth. `about` are the anonymization and the ids, for those who recorded verdicts.

    A judge who cannot lower what rules say is asked where it matters: about first guesses, and about others as long as
    none of the three is right.
    """
    guesses = [guesses_of(answer) for answer in answers]
    name, ids = about
    pairs, owners, order = [], [], []
    for owner, one in enumerate(asked):
        for place, (rank, guess) in enumerate(guesses[one.place].get(one.tag, ())):
            for value in one.values:
                pairs.append(Compared(one.tag, value, guess.value, name, ids[one.place] if ids else "", rank))
                owners.append(owner)
                order.append(place)
    at, nth = np.array(owners, dtype=np.int64), np.array(order, dtype=np.int64)
    counted = _counted(pairs, at, nth, judge, human)
    table = np.full((len(asked), TOP), _NONE)
    np.maximum.at(table, (at, nth), counted.scores)  # what is missing stays missing
    full = counted.scores == 1
    table[at[full], nth[full]] = 1.0
    answered = np.array([answers[one.place] is not None for one in asked], dtype=bool)
    guessed = ~(table[:, 0] == _NONE) if len(asked) else np.zeros(0, dtype=bool)
    first, best = (np.where(answered, np.where(guessed, each, 0.0), np.nan) for each in (table[:, 0], _best(table)))
    shown = [_shown(guesses[one.place].get(one.tag, ()), row) for one, row in zip(asked, table, strict=True)]
    return Scores(answered, guessed & answered, first, best, shown, counted, at)


def _counted(
    pairs: Sequence[Compared],
    owners: NDArray[np.int64],
    order: NDArray[np.int64],
    judge: Judge | None,
    human: Judge | None,
) -> Judged:
    rules = np.array([right(pair.tag, pair.true, pair.guess) for pair in pairs], dtype=np.float64)
    if judge is None or judge.overrules:
        return judged(pairs, rules, judge, human)
    settled = {*owners[rules == 1].tolist()}
    open_ones = [place for place, owner in enumerate(owners.tolist()) if not order[place] or owner not in settled]
    scores = rules.copy()
    scores[open_ones] = judged([pairs[place] for place in open_ones], rules[open_ones], judge).scores
    return Judged(scores, judged(pairs, rules, None, human).recorded)


def _best(table: Array) -> Array:
    """The best of each row; missing where a missing one might have been better."""
    return np.where((table == 1).any(axis=1), 1.0, table.max(axis=1, initial=_NONE))


def _shown(guesses: Sequence[tuple[int, Guess]], row: Array) -> Guess | None:
    """The guess that is worth most, the first of several."""
    return guesses[int(np.nanargmax(np.where(np.isnan(row), _NONE, row)))][1] if guesses else None


def sums(places: Sequence[int], values: Mapping[str, Array], documents: int) -> dict[str, Array]:
    """Columns of rows from values of attributes: their sums by document."""
    at = np.array(places, dtype=np.int64)
    return {name: np.bincount(at, each, documents).astype(np.float64) for name, each in values.items()}
