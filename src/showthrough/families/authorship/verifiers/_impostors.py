"""General impostors: is a text nearer to these than to texts that others wrote? (Koppel and Winter 2014, Seidman 2013)

The impostors are texts of training by other authors: those that are most similar to the text, and to each known one. In
each trial a random half of the features counts, and so do a few of the impostors. How often the pair beats them is what
the method asks; how similar they are goes with it into a logistic regression, since texts of one kind are all similar.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.families.authorship.verifiers._calibration import Calibration, fit_and_calibrate, logistic
from showthrough.families.authorship.verifiers.base import Question
from showthrough.families.authorship.verifiers.traces import components, trace

SPACES = (1000, 3000)  # words and pairs of words: those that the most texts of training have
TRIALS = 50
SHARE = 0.5  # of the features that count in a trial
NEAR, DRAWN = 50, 10  # impostors that are most similar to a text, and how many of them a trial has
_COLUMNS = 5  # of each space
_TOKEN = re.compile(r"\w+|[^\w\s]")
_BITS = 52  # of a digest, so that a float holds it
_TINY = 1e-9
_REMEMBERED = 4096  # texts


class _Counts(NamedTuple):
    """The features of a text, ascending, and the share of all that each is."""

    codes: Ints
    shares: Floats


@dataclass(frozen=True, eq=False)
class _Space:
    """Features that count, with what makes their shares alike; and the impostors in them, as a sparse table."""

    features: Ints  # ascending
    scale: Floats
    text: Ints  # of each entry
    feature: Ints
    value: Floats
    texts: int
    seed: int

    @cached_property
    def table(self) -> Floats:
        """Features × impostors, so that a text's few features lie together."""
        table = np.zeros((len(self.features), self.texts))
        table[self.feature, self.text] = self.value
        return table

    @cached_property
    def trials(self) -> Floats:
        """Features × trials: 1 where it counts."""
        drawn = np.random.default_rng(self.seed).random((len(self.features), TRIALS))
        return (drawn.argsort(axis=0) < max(round(SHARE * len(self.features)), 1)).astype(np.float64)

    @cached_property
    def sizes(self) -> Floats:
        """Impostors × trials."""
        return np.asarray(self.table.T @ self.trials)

    @cached_property
    def wholes(self) -> Floats:
        return np.asarray(self.table.sum(axis=0))

    def row(self, counts: _Counts) -> Floats:
        """What a text has of the features."""
        if not len(counts.codes):
            return np.zeros(len(self.features))
        at = np.minimum(np.searchsorted(counts.codes, self.features), len(counts.codes) - 1)
        return np.where(counts.codes[at] == self.features, counts.shares[at], 0.0) * self.scale

    def nearest(self, row: Floats, others: Ints) -> Ints:
        """Those of some impostors that are most similar to a text, the first one first."""
        has = np.flatnonzero(row)
        both = np.minimum(self.table[has], row[has, None]).sum(axis=0)[others]
        similarities = both / np.maximum(row.sum() + self.wholes[others] - both, _TINY)
        return others[np.argsort(-similarities, kind="stable")[:NEAR]]

    def to_impostors(self, row: Floats, impostors: Ints) -> Floats:
        """How similar a text is to impostors: impostors × trials."""
        return self._similarities(row, self.table[:, impostors].T, self.sizes[impostors])

    def between(self, row: Floats, other: Floats) -> Floats:
        """How similar two texts are, by trial."""
        (similarities,) = self._similarities(row, other[None], other[None] @ self.trials)
        return np.asarray(similarities)

    def _similarities(self, row: Floats, others: Floats, sizes: Floats) -> Floats:
        """Min–max: Σ min / Σ max, of which Σ max is both sums less Σ min."""
        has = np.flatnonzero(row)
        both = np.minimum(others[:, has], row[has]) @ self.trials[has]
        return np.asarray(both / np.maximum(row @ self.trials + sizes - both, _TINY))

    def saved(self) -> dict[str, Floats]:
        return {
            "features": self.features.astype(np.float64),
            "scale": self.scale,
            "entries": np.column_stack([self.text, self.feature, self.value]).astype(np.float64),
        }


def _space(counts: Sequence[_Counts], most: int, seed: int) -> _Space:
    codes, many = np.unique(
        np.concatenate([np.zeros(0, np.int64), *(each.codes for each in counts)]), return_counts=True
    )
    features = np.sort(codes[np.argsort(-many, kind="stable")[:most]])
    empty = np.zeros(0, dtype=np.int64)
    plain = _Space(features, np.ones(len(features)), empty, empty, np.zeros(0), len(counts), seed)
    table = np.array([plain.row(each) for each in counts]).reshape(len(counts), len(features))
    spread = table.std(axis=0)
    scale = 1 / np.where(spread > 0, spread, 1.0)  # so that a rare word says as much as a frequent one
    text, feature = np.nonzero(table)
    return _Space(features, scale, text, feature, (table * scale)[text, feature], len(counts), seed)


@dataclass(frozen=True, eq=False)
class _Pool:
    """The impostors: who wrote each, and what tells it from other texts."""

    traces: Ints
    authors: Ints
    spaces: tuple[_Space, ...]

    def columns(self, question: Question) -> Floats:
        """What the trials tell, of each space: the mean over known texts."""
        texts = [text for text in (question.text, *question.known) if trace(text)]
        numbers = [_number(trace(text)) for text in texts]
        own = np.isin(self.authors, self.authors[np.isin(self.traces, numbers)])  # nobody is an impostor of themselves
        others = np.flatnonzero(~own)
        author_texts = [text for text in question.known if trace(text)]
        if not len(others) or not author_texts or not trace(question.text):
            return np.zeros(_COLUMNS * len(self.spaces))
        return np.concatenate([
            _tell(space, others, _counts(question.text)[at], [_counts(text)[at] for text in author_texts])
            for at, space in enumerate(self.spaces)
        ])  # fmt: skip


def _tell(space: _Space, others: Ints, text: _Counts, own: Sequence[_Counts]) -> Floats:
    """How often a text and a known one are more similar than impostors are to both, and logarithms of how much."""
    row = space.row(text)
    near = space.nearest(row, others)
    to_text = space.to_impostors(row, near)
    drawn = np.random.default_rng(space.seed).random(to_text.shape).argsort(axis=0) < DRAWN
    columns = []
    for counts in own:
        other = space.row(counts)
        pair, to_known = space.between(row, other), space.to_impostors(other, near)
        to_own = space.to_impostors(other, space.nearest(other, others))
        won = (pair**2 > to_text * to_known)[drawn].mean()
        logs = [np.log(np.maximum(each, _TINY)) for each in (pair, to_text[drawn], to_known[drawn], to_own[drawn])]
        columns.append([won, *(each.mean() for each in logs)])
    return np.asarray(np.mean(columns, axis=0))


@lru_cache(maxsize=_REMEMBERED)
def _counts(text: str) -> tuple[_Counts, ...]:
    """Of words, signs among them, and of their pairs."""
    words = _TOKEN.findall(text.lower())
    return tuple(_shares(tokens) for tokens in (words, list(map(" ".join, pairwise(words)))))


def _shares(tokens: Sequence[str]) -> _Counts:
    codes, many = np.unique(np.array([_code(token) for token in tokens], dtype=np.int64), return_counts=True)
    return _Counts(codes, many / max(len(tokens), 1))


@lru_cache(maxsize=1_000_000)
def _code(token: str) -> int:
    return _number(hashlib.blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest())


def _number(digest: str) -> int:
    return int(digest[:16], 16) >> (64 - _BITS)


@dataclass(frozen=True, eq=False)
class _Regression:
    mean: Floats
    scale: Floats
    weights: Floats  # the constant first

    def margins(self, rows: Floats) -> Floats:
        """Row by row, so that none depends on which others are asked for beside it."""
        return np.asarray(((rows - self.mean) / self.scale * self.weights[1:]).sum(axis=1) + self.weights[0])


def _regression(rows: Floats, same: Bools) -> _Regression:
    spread = rows.std(axis=0)
    mean, scale = rows.mean(axis=0), np.where(spread > _TINY, spread, 1.0)
    return _Regression(mean, scale, logistic((rows - mean) / scale, same))


@dataclass(frozen=True, eq=False)
class FittedImpostors:
    """The impostors, the regression, and how its margins become probabilities."""

    pool: _Pool
    regression: _Regression
    calibration: Calibration

    def answers(self, questions: Sequence[Question]) -> Floats:
        return self.calibration.chances(self.regression.margins(_rows(self.pool, questions)))

    def saved(self) -> Mapping[str, Floats]:
        regression, pool = self.regression, self.pool
        seed = pool.spaces[0].seed
        return {
            "pool": np.column_stack([pool.traces, pool.authors]).astype(np.float64),
            **{f"{name} {at}": array for at, space in enumerate(pool.spaces) for name, array in space.saved().items()},
            "regression": np.stack([regression.mean, regression.scale, regression.weights[1:]]),
            "constants": np.array([regression.weights[0], float(seed)]),
            **self.calibration.saved(),
        }


def _rows(pool: _Pool, questions: Sequence[Question]) -> Floats:
    rows = [pool.columns(question) for question in questions]
    return np.array(rows).reshape(len(questions), _COLUMNS * len(pool.spaces))


@dataclass(frozen=True)
class Impostors:
    """Impostors: asks whether the text is nearer to the author than to texts by other people."""

    name: ClassVar[str] = "impostors"
    version: ClassVar[int] = 1
    oldest: ClassVar[int] = 1

    def prepare(self, questions: Sequence[Question]) -> None:
        """Nothing: who the impostors are depends on all others."""

    def fit(self, questions: Sequence[Question], same: Bools, authors: Ints, seed: int = 0) -> FittedImpostors:
        pool = _collect(questions, same, seed)
        return FittedImpostors(pool, *fit_and_calibrate(_rows(pool, questions), same, authors, seed, _regression))

    def loaded(self, arrays: Mapping[str, Floats]) -> FittedImpostors:
        traces, authors = arrays["pool"].astype(np.int64).T
        constant, seed = arrays["constants"].tolist()
        spaces = tuple(_loaded_space(arrays, at, len(traces), int(seed)) for at in range(len(SPACES)))
        mean, scale, weights = arrays["regression"]
        regression = _Regression(mean, scale, np.append(constant, weights))
        return FittedImpostors(_Pool(traces, authors, spaces), regression, Calibration.loaded(arrays))


def _loaded_space(arrays: Mapping[str, Floats], at: int, texts: int, seed: int) -> _Space:
    features, scale, entries = (arrays[f"{name} {at}"] for name in ("features", "scale", "entries"))
    text, feature = entries[:, :2].astype(np.int64).T
    return _Space(features.astype(np.int64), scale, text, feature, entries[:, 2], texts, seed)


def _collect(questions: Sequence[Question], same: Bools, seed: int) -> _Pool:
    """Each text once, with a number for its author: texts that are known to be by one author have one."""
    sides = [
        side
        for question, is_same in zip(questions, same.tolist(), strict=True)
        for side in ([(*question.known, question.text)] if is_same else [question.known, (question.text,)])
    ]
    named = [{trace(text): text for text in side if trace(text)} for side in sides]
    author = components(named)
    texts: dict[str, tuple[str, int]] = {}
    for side, number in zip(named, author.tolist(), strict=True):
        texts |= {key: (text, number) for key, text in side.items() if key not in texts}
    numbers = np.array([_number(key) for key in texts], dtype=np.int64)
    counts = [_counts(text) for text, _ in texts.values()]
    spaces = tuple(_space([each[at] for each in counts], most, seed) for at, most in enumerate(SPACES))
    return _Pool(numbers, np.array([author for _, author in texts.values()], dtype=np.int64), spaces)
