"""What an attacker's guesses about authors are worth: the first of each attribute, and the best of three."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.data.documents import Document
from showthrough.data.subjects import AUTHOR, Attribute, Subject
from showthrough.families.inference._findings import InferenceFinding
from showthrough.families.inference._matching import by_tag
from showthrough.families.inference._verdicts import Judgements, judge_pairs
from showthrough.families.inference.base import Answer, Guess, GuessPair, Judge
from showthrough.families.inference.profiles import right

TOP = 3  # guesses that count
_NONE = -1.0  # no guess


class AuthorAttribute(NamedTuple):
    """One attribute of the author of a document; all values of it are true."""

    document: int  # of the document
    subject: str
    tag: str
    true: tuple[Attribute, ...]


class AttributeScores(NamedTuple):
    """Of each attribute that was asked for: what the first guess and the best of three are worth.

    NaN where nobody answered, or where a judge was asked and said nothing that could decide.
    """

    answered: Bools
    guessed: Bools
    first: Floats
    best: Floats
    findings: list[InferenceFinding]  # the best pair of each
    judged: Judgements
    owners: Ints  # of judged pairs, the attributes that they are about


def author_of(document: Document) -> Subject | None:
    """The one who wrote a document, or the only one it is about; nobody where there are several."""
    named = [subject for subject in document.subjects if subject.id == AUTHOR]
    among = named or document.subjects
    return among[0] if len(among) == 1 else None


def collect_attributes(documents: Iterable[Document], certainty: int) -> list[AuthorAttribute]:
    """All attributes of authors that are at least so certain; several values of one tag are one attribute."""
    attributes = []
    for index, document in enumerate(documents):
        if author := author_of(document):
            sure = [attribute for attribute in author.attributes if attribute.certainty >= certainty]
            attributes += [
                AuthorAttribute(index, author.id, tag, tuple(values)) for tag, values in by_tag(sure).items()
            ]
    return attributes


def guesses_of(answer: Answer | None) -> dict[str, list[tuple[int, Guess]]]:
    """By tag the guesses about the author that count, with their ranks; those with certainty 0 say nothing."""
    named = [person for person in answer or () if AUTHOR in (person.matches, person.id)]
    person = next(iter(named or answer or ()), None)
    by_tag_guesses = {} if person is None else by_tag(person.guesses)
    return {
        tag: [(rank, guess) for rank, guess in enumerate(tag_guesses) if guess.certainty][:TOP]
        for tag, tag_guesses in by_tag_guesses.items()
    }


def score_answers(
    attributes: Sequence[AuthorAttribute],
    answers: Sequence[Answer | None],
    judge: Judge | None,
    human: Judge | None = None,
    about: tuple[str, Sequence[str]] = ("", ()),
) -> AttributeScores:
    """What answers, by document, are worth. `about` are the anonymization and the ids, for those who recorded verdicts.

    A judge who cannot lower what rules say is asked where it matters: about first guesses, and about others as long as
    none of the three is right.
    """
    guesses = [guesses_of(answer) for answer in answers]
    name, ids = about
    pairs: list[GuessPair] = []
    where: list[tuple[int, int, Attribute, Guess]] = []  # the attribute, which guess of it, and what is compared
    for owner, attribute in enumerate(attributes):
        document = ids[attribute.document] if ids else ""
        for nth, (rank, guess) in enumerate(guesses[attribute.document].get(attribute.tag, ())):
            for true in attribute.true:
                pairs.append(GuessPair(attribute.tag, true.value, guess.value, name, document, rank))
                where.append((owner, nth, true, guess))
    owners, order = (np.array([entry[side] for entry in where], dtype=np.int64) for side in (0, 1))
    counted = _judge_guesses(pairs, owners, order, judge, human)
    table = np.full((len(attributes), TOP), _NONE)
    np.maximum.at(table, (owners, order), counted.scores)  # what is missing stays missing
    full = counted.scores == 1
    table[owners[full], order[full]] = 1.0
    answered = np.array([answers[attribute.document] is not None for attribute in attributes], dtype=bool)
    guessed = answered & (table[:, 0] != _NONE)
    first, best = (np.where(answered, np.where(guessed, column, 0.0), np.nan) for column in (table[:, 0], _best(table)))
    findings = [
        InferenceFinding(attribute.subject, attribute.tag, attribute.true[0], None, worth)
        for attribute, worth in zip(attributes, best, strict=True)
    ]
    for (owner, _, true, guess), score in zip(where, counted.scores.tolist(), strict=True):
        if findings[owner].guess is None and score == best[owner]:
            findings[owner] = InferenceFinding(attributes[owner].subject, attributes[owner].tag, true, guess, score)
    return AttributeScores(answered, guessed, first, best, findings, counted, owners)


def _judge_guesses(
    pairs: Sequence[GuessPair],
    owners: Ints,
    order: Ints,
    judge: Judge | None,
    human: Judge | None,
) -> Judgements:
    rules = np.array([right(pair.tag, pair.true, pair.guess) for pair in pairs], dtype=np.float64)
    if judge is None or judge.overrules:
        return judge_pairs(pairs, rules, judge, human)
    settled = {*owners[rules == 1].tolist()}
    open_ones = [index for index, owner in enumerate(owners.tolist()) if not order[index] or owner not in settled]
    scores = rules.copy()
    scores[open_ones] = judge_pairs([pairs[index] for index in open_ones], rules[open_ones], judge).scores
    return Judgements(scores, judge_pairs(pairs, rules, None, human).recorded)


def _best(table: Floats) -> Floats:
    """The best of each row; missing where a missing one might have been better."""
    return np.where((table == 1).any(axis=1), 1.0, table.max(axis=1, initial=_NONE))


def sums(document_indices: Sequence[int], values: Mapping[str, Floats], documents: int) -> dict[str, Floats]:
    """Columns of rows from values of attributes: their sums by document."""
    at = np.array(document_indices, dtype=np.int64)
    return {name: np.bincount(at, column, documents).astype(np.float64) for name, column in values.items()}
