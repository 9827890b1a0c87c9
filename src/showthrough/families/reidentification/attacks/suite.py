"""Attacks carried out together: each learns the background once, then every anonymization is attacked alone."""

from __future__ import annotations

import time
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.errors import ResourceError
from showthrough.data.background import Background
from showthrough.families.reidentification.attacks import Approach, AttackPart, _assignment, _prior
from showthrough.families.reidentification.attacks._assignment import assign_documents
from showthrough.families.reidentification.attacks._rerank import ReleasedDocuments, rerank_candidates
from showthrough.families.reidentification.attacks.base import (
    EVERYBODY,
    Candidates,
    FittedAttack,
    WatchedDocuments,
    standardise,
)
from showthrough.families.reidentification.attacks.ranks import NOBODY, RankResult, plain
from showthrough.families.reidentification.attacks.recorded import NOT_RUN as NOT_RECORDED, Recorded
from showthrough.models import Resources
from showthrough.statistics.numerics.control import pick_partners

Texts = Mapping[str, str]  # anonymized texts by document id


@dataclass(frozen=True, eq=False)
class AttackOutcome:
    """What came of attacking one anonymization: a standing for each approach, or why it was not run."""

    documents: tuple[str, ...]
    individuals: int
    in_background: Ints  # 1 where the document's individual is in the background
    controlled: Ints  # 1 where there is another document whose text stands in for a control
    standings: dict[str, RankResult | str]
    unanswered: dict[str, Ints]  # by approach, 1 where a language model or a file of answers has no valid one
    seconds: dict[str, float]
    evidence: dict[str, dict[str, Any]]


class Suite:
    """The approaches that were asked for, ready to attack.

    `watched` are all the anonymizations under attack, for attacks that report on the way.
    """

    def __init__(
        self, chosen: Sequence[Approach], background: Background, resources: Resources, watched: Mapping[str, Texts]
    ) -> None:
        self.chosen = chosen
        self.profiles = background.profiles
        self.resources = resources
        weighing = any(approach.prior for approach in chosen)
        self.known = _prior.measure_knowledge(self.profiles.texts, self.profiles.sizes) if weighing else np.zeros(0)
        # Of individuals with the same text the first stands for all, so that no order can matter.
        first = {self.profiles.of[individual]: individual for individual in sorted(self.profiles.of, reverse=True)}
        self.names = tuple(first[number] for number in range(len(self.profiles)))
        text_of = dict(zip(self.names, self.profiles.texts, strict=True))
        documents = {name: self._watch_documents(texts) for name, texts in watched.items()}
        self.fit_seconds: dict[str, float] = {}
        self.fitted: dict[AttackPart, FittedAttack] = {}
        for part in dict.fromkeys(part for approach in chosen for part in approach.parts):
            if part.recorded:
                continue
            started = time.perf_counter()
            fitted = part.attack.fit(text_of, resources, documents if part.attack.watches else {})
            individuals = getattr(fitted, "individuals", ())
            if sorted(individuals) != sorted(self.names):
                message = f"knows {len(individuals)} individuals; expected the {len(self.names)} it was given"
                raise ResourceError(f"attack {part}: {message}")
            self.fitted[part] = fitted
            self.fit_seconds[str(part)] = time.perf_counter() - started

    def _watch_documents(self, texts: Texts) -> WatchedDocuments:
        own = [self.names[self.profiles.of[key]] if key in self.profiles.of else key for key in texts]
        return WatchedDocuments(tuple(own), tuple(texts.values()))

    def attack(
        self, texts: Texts, k: int, name: str = "", groups: Mapping[str, Hashable] | None = None
    ) -> AttackOutcome:
        """Attacks the documents of one anonymization; nothing depends on their order, or on any other's.

        Documents of one of the `groups` do not stand in for each other in the control.
        """
        documents = tuple(texts)
        distinct = sorted(set(texts.values()))
        row = {text: number for number, text in enumerate(distinct)}
        document = np.array([row[texts[key]] for key in documents], dtype=np.int64)
        truth = np.array([self.profiles.of.get(key, NOBODY) for key in documents], dtype=np.int64)
        another = _another(documents, truth, groups)
        first = {texts[key]: key for key in sorted(documents, reverse=True)}
        attempt = _Attempt(self, ReleasedDocuments(name, [first[text] for text in distinct], distinct))
        standings: dict[str, RankResult | str] = {}
        seconds: dict[str, float] = {}
        unnamed: dict[str, Ints] = {}
        ran: dict[str, tuple[RankResult, Candidates, Ints]] = {}
        for approach in self.chosen:
            attack = approach.parts[0].attack
            if isinstance(attack, Recorded):  # answers are of documents, and not of texts
                named = attack.named(name, documents)
                if named is None:
                    standings[str(approach)] = NOT_RECORDED
                    continue
                unnamed[str(approach)] = np.array([people is None for people in named], dtype=np.int64)
                base = attack.candidates(
                    [people or () for people in named], self.profiles.of, self.profiles.individuals
                )
                standing = plain(base, truth, self.profiles.sizes, k, another)
                rows = np.arange(len(documents))
                standings[str(approach)], ran[str(approach)] = standing, (standing, base, rows)
                continue
            if why := attempt.obstacle(approach, len(documents)):
                standings[str(approach)] = why
                continue
            base, took = attempt.fits(approach.fitting)
            started = time.perf_counter()
            if approach.assignment:
                standing = assign_documents(base, document, truth, self.profiles.sizes, k, another)
            else:
                standing = plain(base.of_documents(document), truth, self.profiles.sizes, k, another)
            standings[str(approach)], ran[str(approach)] = standing, (standing, base, document)
            seconds[str(approach)] = took + time.perf_counter() - started
        has_truth, controlled = ((column != NOBODY).astype(np.int64) for column in (truth, another))
        unanswered_rows = {key: base.unanswered for key, (_, base, _) in ran.items() if base.unanswered is not None}
        unanswered = {key: rows[document].astype(np.int64) for key, rows in unanswered_rows.items()}
        unanswered |= unnamed
        evidence = self._evidence(documents, truth, ran)
        individuals = self.profiles.individuals
        return AttackOutcome(documents, individuals, has_truth, controlled, standings, unanswered, seconds, evidence)

    def _evidence(
        self, documents: Sequence[str], truth: Ints, ran: Mapping[str, tuple[RankResult, Candidates, Ints]]
    ) -> dict[str, dict[str, Any]]:
        """How the strongest attack fared with each document, and the words that speak for its guess."""
        if not ran or not documents:
            return {}
        name, (standing, base, rows) = max(ran.items(), key=lambda item: float(item[1][0].right.mean()))
        words = base.explain_rows(rows, standing.guess)
        reason = base.reason or (lambda _: [])
        return {
            key: {
                "attack": name,
                "guess": None if standing.guess[number] == NOBODY else self.names[standing.guess[number]],
                "rank": float(standing.rank[number]) or None,
                "margin": None if truth[number] == NOBODY else float(standing.margin[number]),
                "words": words[number],
                "reasons": [] if standing.guess[number] == NOBODY else reason(standing.guess[number]),
            }
            for number, key in enumerate(documents)
        }


class _Attempt:
    """One anonymization under attack: how well its texts fit, each approach worked out once."""

    def __init__(self, suite: Suite, released: ReleasedDocuments) -> None:
        self._suite = suite
        self._released = released
        self._scored: dict[AttackPart, Candidates] = {}
        self._seconds: dict[AttackPart, float] = {}
        self._fits: dict[Approach, tuple[Candidates, float]] = {}
        for part, fitted in suite.fitted.items():
            started = time.perf_counter()
            scores = _sound(part, fitted.scores(released.texts), len(released.texts), len(suite.names))
            self._scored[part] = _reorder(scores, fitted.individuals, suite.names)
            self._seconds[part] = time.perf_counter() - started

    def obstacle(self, approach: Approach, documents: int) -> str:
        """Why an approach cannot be taken; empty where it can."""
        parts = [self._scored[part] for part in approach.parts]
        if len(parts) > 1 and any(part.column is not None for part in parts):
            return NOT_FUSED
        if approach.prior and not _prior.fits(parts[0]):
            return _prior.NOT_RUN
        too_large = not _assignment.fits(documents, self._suite.profiles.individuals)
        if approach.assignment and (too_large or parts[0].column is not None):
            return _assignment.NOT_RUN
        return ""

    def fits(self, approach: Approach) -> tuple[Candidates, float]:
        """The fits of an approach, before anybody is named by them, and the seconds that they took."""
        if approach not in self._fits:
            started = time.perf_counter()
            parts = [self._scored[part] for part in approach.parts]
            base = parts[0] if len(parts) == 1 else fuse(parts)
            if approach.prior:
                base = _prior.apply_prior(base, self._suite.known, self._suite.profiles.sizes)
            if approach.model:
                chat = self._suite.resources.chat(approach.model)
                base = rerank_candidates(base, self._released, self._suite.profiles.texts, chat)
            seconds = time.perf_counter() - started + sum(self._seconds[part] for part in approach.parts)
            self._fits[approach] = base, seconds
        return self._fits[approach]


def _another(documents: Sequence[str], truth: Ints, groups: Mapping[str, Hashable] | None) -> Ints:
    """Of each document one that is about somebody else, and who can be told from its own individual; or NOBODY."""
    alone = [
        f"?{key}" if number == NOBODY else str(number) for key, number in zip(documents, truth.tolist(), strict=True)
    ]
    another = pick_partners(documents, [groups[key] for key in documents] if groups else alone, seed=0)
    same = (truth[another] == truth) & (truth != NOBODY)
    return np.where(same, NOBODY, another)


def _sound(part: AttackPart, scores: Floats | Candidates, documents: int, individuals: int) -> Candidates:
    """What an attack returned, checked like input: a plugin's mistake must not come out as a low risk."""
    table = scores.score if isinstance(scores, Candidates) else scores
    column = scores.column if isinstance(scores, Candidates) else None
    shape = (documents, individuals) if column is None else column.shape
    numbers = isinstance(table, np.ndarray) and table.dtype.kind in "fiu"
    if not numbers or table.shape != shape or len(table) != documents:
        size = "×".join(map(str, table.shape)) if numbers else f"a value of type {type(table).__name__}"
        raise ResourceError(f"attack {part}: scores are {size}; expected {documents} documents × {individuals} numbers")
    if not np.isfinite(table).all():
        raise ResourceError(f"attack {part}: a score is infinite or no number; expected finite numbers")
    if column is not None and column.size and not 0 <= column.min() <= column.max() < individuals:
        raise ResourceError(f"attack {part}: a column is no individual; expected 0 to {individuals - 1}")
    candidates = Candidates.of(scores)
    if (candidates.individuals, candidates.heard.shape) != (individuals, (documents,)):
        expected = f"{individuals} individuals, and of {documents} documents whether they were heard"
        raise ResourceError(f"attack {part}: the candidates do not fit; expected {expected}")
    return candidates


def _reorder(candidates: Candidates, individuals: Sequence[str], order: Sequence[str]) -> Candidates:
    """The same with columns in another order of individuals."""
    if tuple(individuals) == tuple(order):
        return candidates
    column_of = {individual: number for number, individual in enumerate(order)}
    moved = np.array([column_of[individual] for individual in individuals])
    given_at = np.argsort(moved)
    if explain := candidates.explain:
        own = np.append(given_at, -1)  # of a document that is not asked about, -1 as well
        candidates = replace(candidates, explain=lambda columns: explain(own[columns]))
    if candidates.column is not None:
        return replace(candidates, column=moved[candidates.column])
    return replace(candidates, score=candidates.score[:, given_at])


# Several attacks as one: their fits, made comparable and averaged.

NOT_FUSED = f"fusing attacks takes at most {EVERYBODY:,} individuals"


def fuse(parts: Sequence[Candidates]) -> Candidates:
    """Each attack's fits centred and scaled per document, standardised per individual, then averaged.

    >>> left = Candidates.of(np.array([[3.0, 1.0], [0.0, 1.0]]))
    >>> right = Candidates.of(np.array([[9.0, 0.0], [0.0, 0.0]]))
    >>> fuse([left, right]).score.argmax(axis=1).tolist()
    [0, 1]
    """
    heard = np.any([part.heard for part in parts], axis=0)
    score = np.mean([comparable(part) for part in parts], axis=0)
    explain = next((part.explain for part in parts if part.explain), None)
    return Candidates(score, parts[0].individuals, heard, explain=explain)


def comparable(part: Candidates) -> Floats:
    score = np.zeros(part.score.shape)
    fit = part.score[part.heard] - part.score[part.heard].mean(axis=1, keepdims=True)
    deviation = fit.std(axis=1, keepdims=True)
    score[part.heard] = standardise(fit / np.where(deviation == 0, 1, deviation))[0]
    return score
