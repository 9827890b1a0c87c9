"""What was found out about people: of every tag that is true of somebody, the best pair of a true value and a guess."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from showthrough.data.subjects import Attribute, Subject
from showthrough.families.inference._matching import Matched, by_tag
from showthrough.families.inference._verdicts import judge_pairs
from showthrough.families.inference.agreement import FULL, NOT
from showthrough.families.inference.base import Guess, GuessPair, Judge
from showthrough.families.inference.profiles import right


class Claim(NamedTuple):
    """What is true of a person under one tag, and what was said of it; guesses with their ranks."""

    document: str  # empty in a control, of which nobody recorded a verdict
    subject: str
    tag: str
    true: tuple[Attribute, ...]
    guesses: tuple[tuple[int, Guess], ...] = ()

    @property
    def pairs(self) -> list[tuple[Attribute, tuple[int, Guess]]]:
        return list(product(self.true, self.guesses))


class InferenceFinding(NamedTuple):
    """A claim's best pair; the first true value without a guess where nothing was said.

    The agreement is NaN where a judge was asked and a verdict that might have been better is missing.
    """

    subject: str
    tag: str
    true: Attribute
    guess: Guess | None
    agreement: float


def claims_of(document: str, truth: Sequence[Subject], seen: Matched) -> list[Claim]:
    """Of every true person all tags. Guesses with certainty 0 say nothing; ranks count those of a tag."""
    claims = []
    for subject, person in zip(truth, seen, strict=True):
        guesses = {} if person is None else by_tag(person.guesses)
        for tag, true in by_tag(subject.attributes).items():
            tag_guesses = tuple((rank, guess) for rank, guess in enumerate(guesses.get(tag, ())) if guess.certainty)
            claims.append(Claim(document, subject.id, tag, tuple(true), tag_guesses))
    return claims


def findings_of(claims: Sequence[Claim], judge: Judge | None, anonymization: str = "") -> list[InferenceFinding]:
    """The best pair of each claim, by rules and, where there is one, a judge, who is asked once about all of them."""
    scores = [[right(claim.tag, true.value, guess.value) for true, (_, guess) in claim.pairs] for claim in claims]
    if judge is not None:
        _ask(claims, scores, judge, anonymization)
    return [_best(claim, own) for claim, own in zip(claims, scores, strict=True)]


def _ask(claims: Sequence[Claim], scores: list[list[float]], judge: Judge, anonymization: str) -> None:
    """Puts what counts in place of the rules' scores. A claim with a full score needs no judge who cannot lower it."""
    cells = [
        (number, index)
        for number, own in enumerate(scores)
        if judge.overrules or FULL not in own
        for index in range(len(own))
    ]
    pairs = []
    for number, index in cells:
        claim = claims[number]
        true, (rank, guess) = claim.pairs[index]
        pairs.append(GuessPair(claim.tag, true.value, guess.value, anonymization, claim.document, rank))
    counted = judge_pairs(pairs, [scores[number][index] for number, index in cells], judge).scores
    for (number, index), score in zip(cells, counted.tolist(), strict=True):
        scores[number][index] = score


def _best(claim: Claim, scores: Sequence[float]) -> InferenceFinding:
    """The first of the pairs that agree best."""
    if not scores:
        return InferenceFinding(claim.subject, claim.tag, claim.true[0], None, NOT)
    comparable = [NOT - 1 if math.isnan(score) else score for score in scores]
    best = max(comparable)
    true, (_, guess) = claim.pairs[comparable.index(best)]
    missing = best < FULL and any(map(math.isnan, scores))
    return InferenceFinding(claim.subject, claim.tag, true, guess, math.nan if missing else best)
