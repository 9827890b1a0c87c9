"""Whether somebody who has nothing but a release tells which of its documents are about one person."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, Problem, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.families.inference.controls import CONTROL, RISK, risk, risk_interval
from showthrough.families.reidentification._document_pairs import ALL_PAIRS, Scored, score_pairs
from showthrough.metrics.base import HEADLINE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.statistics.rows import Rows, Totals

PRECISION = 0.9  # of the pairs that an attacker names
NAMED = f"named@{PRECISION:g}"
_PERMUTATIONS = 20
_WON, _PAIRS = "won", "pairs"  # columns; of the control with its name before them
_FEW = 20  # documents with another of the same person, below which a number says little


@dataclass(frozen=True)
class Linkability(Metric):
    """How well an attacker without background finds the pairs of documents that are about one person (AUC).

    The second of three risks in Article 29 Working Party, Opinion 05/2014: linking records of one person. The groups of
    the corpus say which documents are about one person. An attack scores every pair of released documents by what both
    have and few others: words, pseudonyms, dates, days between dates; and by style. The headline is the probability
    that a pair of one person has a higher score than another pair: one half is guessing. The part `named@0.9` is the
    share of the right pairs that an attacker names who goes down the list while 0.9 of the named pairs are right.
    `control` is the same for permuted groups, and `risk` is what the attack finds above it.

    linkability = |{(p, q) : score p > score q}| / |{(p, q)}|, p pairs of one person, q others; ties are worth one half

    >>> from showthrough import Anonymization, Corpus, Document, Mask, evaluate
    >>> texts = {"a": "KX7 came in", "b": "a call to KX7", "c": "QP2 is ill", "d": "we met QP2"}
    >>> corpus = Corpus([Document(key, text, group="x" if "X" in text else "q") for key, text in texts.items()])
    >>> run = evaluate(corpus, {"names": Anonymization({key: [] for key in texts})}, metrics=["linkability"])
    >>> run["names", "linkability"].value  # both pairs share a code, and the four others nothing
    1.0
    """

    group = "privacy"
    scope = "corpus"
    title = "Documents of one person linked"
    better = "lower"
    neutral = (CONTROL, f"{CONTROL} {NAMED}")
    tells = "which documents are about one person"
    roles = ("linkage",)
    undefined = "no two documents are of one group, or all are"
    fixed = (("permutations", str(_PERMUTATIONS)),)

    seed: int = parameter(0, "seed of the permuted groups")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.seed < 0:
            raise PlanError(f"seed={quote_value(self.seed)} is negative; expected 0 or more", type(self).__name__)

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        groups = [group for group in corpus.survey.groups if group]
        if len({*groups}) < len(groups):
            return []
        expected = "expected a field group, or --group-by FIELD"
        fault = f"no two documents are of one person, which the metric linkability needs; {expected}"
        return [Problem(corpus.source, "", fault)]

    def interval_fault(self, part: str) -> str:
        return "the threshold was chosen with knowledge of who is right, which no attacker has" if NAMED in part else ""

    def test_fault(self, part: str) -> str:
        if part in (CONTROL, RISK):
            return "a control takes documents of different people for one, so no document can be exchanged alone"
        return self.interval_fault(part)

    def own_interval(self, part: str, units: Rows, confidence: float) -> tuple[float, float] | None:
        if part != RISK:
            return None
        own, control = (
            (units.column(f"{side}{_WON}"), units.column(f"{side}{_PAIRS}")) for side in ("", f"{CONTROL} ")
        )
        return risk_interval(own, control, confidence)

    def why_undefined(self, part: str, totals: Totals) -> str:
        return "the control links everything" if part.startswith(RISK) and totals[_PAIRS] else self.undefined

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        return [
            line for name, rows in tables.items() if name not in REFERENCES for line in _remarks_on(shorten(name), rows)
        ]

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        corpus = chunk.corpus
        people = _People.of(corpus.ids, corpus.survey.groups, self.seed)

        def rows(anonymized: Anonymized) -> Rows:
            texts = [anonymized.texts[key] for key in corpus.ids]
            ranking = _Ranking.of(score_pairs(texts), len(texts))
            return Rows.named(
                {**people.columns(ranking, [people.codes]), **people.columns(ranking, people.permuted, f"{CONTROL} ")}
            )

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        sides = [f"{CONTROL} ", ""]
        control, own = (ratio(totals[f"{side}{_WON}"], totals[f"{side}{_PAIRS}"]) for side in sides)
        by_chance, named = (ratio(totals[f"{side}{NAMED}"], totals[f"{side}{_PAIRS}"]) for side in sides)
        parts = {HEADLINE: own, NAMED: named, CONTROL: control, f"{CONTROL} {NAMED}": by_chance}
        return {**parts, RISK: risk(own, control), f"{RISK} {NAMED}": risk(named, by_chance)}


def _remarks_on(name: str, rows: Rows) -> Iterator[str]:
    pairs = rows.column(_PAIRS)
    sides = "", f"{CONTROL} "
    own, control = (ratio(rows.column(f"{side}{_WON}").sum(), rows.column(f"{side}{_PAIRS}").sum()) for side in sides)
    if 0 < (linked := int((pairs > 0).sum())) < _FEW:
        yield f"linkability, {name}: only {linked} documents have another of the same person, which shows little"
    if pairs.sum() and own <= control:
        yield (
            f"linkability, {name}: the attack finds no more than with permuted groups ({own:.2f}; control "
            f"{control:.2f}). Another attack may find more"
        )
    if len(rows) > ALL_PAIRS:
        yield (
            f"linkability, {name}: with more than {ALL_PAIRS:,} documents, pairs that share nothing rare are not "
            f"compared by style"
        )


class _Ranking(NamedTuple):
    """All pairs of documents in the order of their scores; pairs without a score share the lowest place."""

    left: Ints
    right: Ints
    rank: Floats  # of each pair with a score, from 1 for the lowest; equal scores share theirs
    order: Ints  # the same pairs, the highest first
    last: Bools  # in this order: whether the next pair has a lower score
    documents: int

    @classmethod
    def of(cls, pairs: Scored, documents: int) -> _Ranking:
        unscored = documents * (documents - 1) // 2 - len(pairs.score)
        order = np.argsort(-pairs.score, kind="stable")
        ordered = pairs.score[order]
        last = np.append(ordered[1:] < ordered[:-1], True)[: len(ordered)]
        return cls(pairs.left, pairs.right, unscored + _mid_ranks(pairs.score), order, last, documents)


class _People:
    """Which documents are about one person, and the same with groups permuted."""

    def __init__(self, codes: Ints, permuted: list[Ints]) -> None:
        self.codes, self.permuted = codes, permuted

    @classmethod
    def of(cls, ids: Sequence[str], groups: Sequence[str], seed: int) -> _People:
        """A document without a group is about somebody whom no other is about. Order and names do not matter."""
        numbers: dict[str, int] = {}
        names = [group or f"\0{number}" for number, group in enumerate(groups or [""] * len(ids))]
        codes = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        by_id = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
        random = np.random.default_rng(seed)
        permuted = []
        for _ in range(_PERMUTATIONS):
            turned = np.empty_like(codes)
            turned[by_id] = codes[by_id[random.permutation(len(codes))]]
            permuted.append(turned)
        return cls(codes, permuted)

    def columns(self, ranking: _Ranking, codings: Sequence[Ints], before: str = "") -> dict[str, Floats]:
        """By document: pairs of one person, how many others each beats, and which are named; half to either side."""
        count = ranking.documents
        sums = {column: np.zeros(count) for column in (_WON, _PAIRS, NAMED)}
        for codes in codings:
            sizes = np.bincount(codes)
            own = float((sizes * (sizes - 1) // 2).sum())
            others = count * (count - 1) / 2 - own
            if not own or not others:
                continue
            same = codes[ranking.left] == codes[ranking.right]
            rank = ranking.rank[same]
            unscored = own - len(rank)
            won = (rank - unscored - _mid_ranks(rank)) / others
            # A pair without a score beats half of the others that have none.
            lowest = (count * (count - 1) / 2 - len(same) - unscored) / 2 / others
            with_one = np.bincount(ranking.left[same], minlength=count) + np.bincount(
                ranking.right[same], minlength=count
            )
            without = (sizes[codes] - 1) - with_one
            named = _named(same[ranking.order], ranking.last)
            is_named = np.zeros(len(same), dtype=bool)
            is_named[ranking.order[:named]] = True
            for column, worth in ((_WON, won), (NAMED, is_named[same].astype(np.float64))):
                for side in (ranking.left[same], ranking.right[same]):
                    sums[column] += np.bincount(side, worth, count) / 2 / len(codings)
            sums[_WON] += without * lowest / 2 / len(codings)
            sums[_PAIRS] += (sizes[codes] - 1) / 2 / len(codings)
        return {f"{before}{column}": values for column, values in sums.items()}


def _named(right: Bools, last: Bools) -> int:
    """How many pairs of a ranking somebody names who stops where so many of the named are still right."""
    precise = last & (np.cumsum(right) >= PRECISION * np.arange(1, len(right) + 1))
    ends = np.flatnonzero(precise)
    return int(ends[-1]) + 1 if len(ends) else 0


def _mid_ranks(values: Floats) -> Floats:
    """The place of each value from the lowest, 1, on; equal values share the middle of theirs.

    >>> _mid_ranks(np.array([0.5, 0.1, 0.5])).tolist()
    [2.5, 1.0, 2.5]
    """
    ordered = np.sort(values)
    below, above = np.searchsorted(ordered, values), np.searchsorted(ordered, values, side="right")
    return np.asarray((below + above + 1) / 2, dtype=np.float64)
