"""Attacks carried out together: each learns the background once, then every anonymization is attacked alone."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from showthrough.attacks import Approach, Part, assignment, fusion
from showthrough.attacks.assignment import assigned
from showthrough.attacks.base import Candidates, Fitted, Floats, Ints, Watched
from showthrough.attacks.standing import NOBODY, Standing, plain
from showthrough.data.background import Background
from showthrough.errors import ResourceError
from showthrough.resources import Resources

Texts = Mapping[str, str]  # anonymized texts by document id


@dataclass(frozen=True, eq=False)
class Outcome:
    """What came of attacking one anonymization: a standing for each approach, or why it was not run."""

    documents: tuple[str, ...]
    individuals: int
    known: Ints  # 1 where the document's individual is in the background
    standings: dict[str, Standing | str]
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
        # Of individuals with the same text the first stands for all, so that no order can matter.
        first = {self.profiles.of[individual]: individual for individual in sorted(self.profiles.of, reverse=True)}
        self.names = tuple(first[number] for number in range(len(self.profiles)))
        text_of = dict(zip(self.names, self.profiles.texts, strict=True))
        documents = {name: self._watched(texts) for name, texts in watched.items()}
        self.fit_seconds: dict[str, float] = {}
        self._fitted: dict[Part, Fitted] = {}
        for part in dict.fromkeys(part for approach in chosen for part in approach.parts):
            started = time.perf_counter()
            fitted = part.attack.fit(text_of, resources, documents if part.attack.watches else {})
            individuals = getattr(fitted, "individuals", ())
            if sorted(individuals) != sorted(self.names):
                message = f"knows {len(individuals)} individuals; expected the {len(self.names)} it was given"
                raise ResourceError(f"attack {part}: {message}")
            self._fitted[part] = fitted
            self.fit_seconds[str(part)] = time.perf_counter() - started

    def _watched(self, texts: Texts) -> Watched:
        own = [self.names[self.profiles.of[key]] if key in self.profiles.of else key for key in texts]
        return Watched(tuple(own), tuple(texts.values()))

    def attack(self, texts: Texts, k: int) -> Outcome:
        """Attacks the documents of one anonymization; nothing depends on their order, or on any other's."""
        documents = tuple(texts)
        distinct = sorted(set(texts.values()))
        row = {text: number for number, text in enumerate(distinct)}
        document = np.array([row[texts[key]] for key in documents], dtype=np.int64)
        truth = np.array([self.profiles.of.get(key, NOBODY) for key in documents], dtype=np.int64)
        in_background = (truth != NOBODY).astype(np.int64)
        scored: dict[Part, Candidates] = {}
        part_seconds: dict[Part, float] = {}
        for part, fitted in self._fitted.items():
            started = time.perf_counter()
            scores = _sound(part, fitted.scores(distinct), len(distinct), len(self.names))
            scored[part] = _ordered(scores, fitted.individuals, self.names)
            part_seconds[part] = time.perf_counter() - started
        standings: dict[str, Standing | str] = {}
        seconds: dict[str, float] = {}
        ran: dict[str, tuple[Standing, Candidates]] = {}
        for approach in self.chosen:
            started = time.perf_counter()
            name, parts = str(approach), [scored[part] for part in approach.parts]
            if why := self._obstacle(approach, parts, len(documents)):
                standings[name] = why
                continue
            base = parts[0] if len(parts) == 1 else fusion.fused(parts)
            if approach.assignment:
                standing = assigned(base, document, truth, self.profiles.sizes, k)
            else:
                standing = plain(base.of_documents(document), truth, self.profiles.sizes, k)
            standings[name], ran[name] = standing, (standing, base)
            seconds[name] = time.perf_counter() - started + sum(part_seconds[part] for part in approach.parts)
        evidence = self._evidence(documents, document, truth, ran)
        return Outcome(documents, self.profiles.individuals, in_background, standings, seconds, evidence)

    def _obstacle(self, approach: Approach, parts: Sequence[Candidates], documents: int) -> str:
        if len(parts) > 1 and any(part.column is not None for part in parts):
            return fusion.NOT_RUN
        too_large = not assignment.fits(documents, self.profiles.individuals)
        if approach.assignment and (too_large or parts[0].column is not None):
            return assignment.NOT_RUN
        return ""

    def _evidence(
        self, documents: Sequence[str], document: Ints, truth: Ints, ran: Mapping[str, tuple[Standing, Candidates]]
    ) -> dict[str, dict[str, Any]]:
        """How the strongest attack fared with each document, and the words that speak for its guess."""
        if not ran or not documents:
            return {}
        name, (standing, base) = max(ran.items(), key=lambda item: float(item[1][0].right.mean()))
        words = base.explained(document, standing.guess)
        return {
            key: {
                "attack": name,
                "guess": None if standing.guess[number] == NOBODY else self.names[standing.guess[number]],
                "rank": float(standing.rank[number]) or None,
                "margin": None if truth[number] == NOBODY else float(standing.margin[number]),
                "words": words[number],
            }
            for number, key in enumerate(documents)
        }


def _sound(part: Part, scores: Floats | Candidates, documents: int, individuals: int) -> Candidates:
    """What an attack returned, checked like input: a guest's mistake must not come out as a low risk."""
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


def _ordered(candidates: Candidates, given: Sequence[str], wanted: Sequence[str]) -> Candidates:
    """The same with columns in another order of individuals."""
    if tuple(given) == tuple(wanted):
        return candidates
    place = {individual: number for number, individual in enumerate(wanted)}
    moved = np.array([place[individual] for individual in given])
    given_at = np.argsort(moved)
    if explain := candidates.explain:
        own = np.append(given_at, -1)  # of a document that is not asked about, -1 as well
        candidates = replace(candidates, explain=lambda columns: explain(own[columns]))
    if candidates.column is not None:
        return replace(candidates, column=moved[candidates.column])
    return replace(candidates, score=candidates.score[:, given_at])
