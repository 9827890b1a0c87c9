"""Closed-set attribution: which of the authors of some problems wrote a text? Asked of texts before and after masking.

The authors are those of the known texts; problems that share a known text have one author. An attack of `trir` says how
well each text fits each author, from what is known of them. It learns from no text under question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.families.authorship.verifiers.traces import components
from showthrough.families.reidentification.attacks import approaches
from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.families.reidentification.attacks.ranks import plain
from showthrough.models import Resources
from showthrough.run.records import Comparison
from showthrough.statistics import (
    Spread,
    forms,
    holm,
    influences,
    judge_difference,
    pair_tests,
    resampled_totals,
    share_interval,
)
from showthrough.studies.agreement.values import Estimate

ORIGINAL = "original"
ACCURACY, AT_K, RANK = "accuracy", "at_k", "mrr"
MEASURES = (ACCURACY, AT_K, RANK)
_COLUMNS = (*MEASURES, "texts")
_SHUFFLES = 9_999
_UNIT = "author"


class AttributionScore(msgspec.Struct, frozen=True):
    """How often the texts of one anonymization, or the originals, are given to their author."""

    name: str
    measures: dict[str, Estimate]


class Attribution(msgspec.Struct, frozen=True):
    """Texts before and after masking, and by how much attribution differs; a comparison's metric is the measure."""

    problems: str
    attack: str
    texts: int  # that were asked about
    authors: int  # to choose from
    k: int
    chance: float  # what guessing reaches
    scores: tuple[AttributionScore, ...]
    compared: tuple[Comparison, ...]  # each anonymization against the originals
    confidence: float
    resamples: int
    shuffles: int
    seed: int


def attribution(
    corpus: Corpus,
    texts: Mapping[str, Mapping[str, str]],
    attack: str = "lexical",
    *,
    k: int = 5,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
    resources: Resources | None = None,
) -> Attribution:
    """Gives texts to one of the authors of the problems: the originals, and `texts` by anonymization and document.

    Problems that are known to be by another author are not asked about; their authors are among those to choose from.
    """
    way, *more = approaches(attack)
    if more or len(way.parts) > 1 or way.assignment or way.prior or way.model:
        raise PlanError(f"found {quote_value(attack)}; expected one attack, such as lexical or dense", "attack")
    asking = [document for document in corpus if document.authorship]
    authors = components([document.authorship.known for document in asking if document.authorship]).tolist()
    numbers: dict[int, dict[str, None]] = {}
    for document, author in zip(asking, authors, strict=True):
        numbers.setdefault(author, {}).update(dict.fromkeys(document.authorship.known if document.authorship else ()))
    places = [
        number
        for number, problem in enumerate(asking)
        if problem.authorship is not None and problem.authorship.same is not False
    ]
    if len(numbers) < 2 or not places:
        fault = f"found {len(numbers)} authors and {len(places)} texts to ask about; expected two authors and a text"
        raise PlanError(fault, f"problems {shorten(corpus.name)}")
    background = {str(author): "\n\n".join(sorted(own)) for author, own in sorted(numbers.items())}
    fitted = way.parts[0].attack.fit(background, resources or Resources())
    column = {author: number for number, author in enumerate(fitted.individuals)}
    truth = np.array([column[str(authors[at])] for at in places], dtype=np.int64)
    sizes = np.ones(len(column), dtype=np.int64)
    everything = {ORIGINAL: {problem.id: problem.text for problem in asking}, **texts}
    rows = []
    for by_document in everything.values():
        candidates = Candidates.of(fitted.scores([by_document[asking[at].id] for at in places]))
        ranks = plain(candidates, truth, sizes, k)
        table = np.column_stack([ranks.right, ranks.right_at_k, ranks.reciprocal, np.ones(len(places))])
        rows.append(np.stack([table[truth == problem].sum(axis=0) for problem in np.unique(truth)]))
    scores = _scores(list(everything), rows, confidence, resamples, seed)
    return Attribution(
        str(corpus.source or corpus.name),
        str(way),
        len(places),
        len(numbers),
        k,
        1 / len(numbers),
        scores,
        tuple(_compare(scores, rows, confidence, seed)),
        confidence,
        resamples,
        _SHUFFLES,
        seed,
    )


def _combine(sums: Mapping[str, Floats]) -> dict[str, Floats]:
    """Shares of the texts, from sums over authors."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return {name: sums[name] / sums["texts"] for name in MEASURES}


def _scores(
    names: Sequence[str], rows: Sequence[Floats], confidence: float, resamples: int, seed: int
) -> tuple[AttributionScore, ...]:
    """Each with its intervals over authors; the same draws of authors serve all."""
    every = forms(_combine, _COLUMNS, MEASURES)
    again = np.split(resampled_totals(np.hstack(rows), resamples, seed), len(rows), axis=1) if resamples else rows
    scores = []
    for name, table, drawn in zip(names, rows, again, strict=True):
        values = _combine(dict(zip(_COLUMNS, table.sum(axis=0), strict=True)))
        ends: dict[str, tuple[float, float]] = {}
        for form in every if resamples else ():
            influence = influences(form, form.sums(table))
            parts = _combine(dict(zip(_COLUMNS, drawn.T, strict=True)))
            spread = Spread.of(np.column_stack([parts[part] for part in form.parts]), influence)
            low, high = share_interval(np.clip(influence.values, 0, 1), spread, confidence)
            ends |= dict(zip(form.parts, zip(low.tolist(), high.tolist(), strict=True), strict=True))
        estimates = {part: Estimate(float(values[part]), *ends.get(part, ())) for part in MEASURES}
        scores.append(AttributionScore(name, estimates))
    return tuple(scores)


def _compare(
    scores: Sequence[AttributionScore], rows: Sequence[Floats], confidence: float, seed: int
) -> Iterator[Comparison]:
    """Each anonymization against the originals, with Holm's correction within each measure."""
    tests = {
        (test.part, test.second): test
        for test in pair_tests(_combine, _COLUMNS, list(rows), MEASURES, _SHUFFLES, seed, _UNIT)
        if test.first == 0
    }
    for part in MEASURES:
        before = scores[0].measures[part]
        compared = []
        for number, score in enumerate(scores[1:], start=1):
            after, test = score.measures[part], tests[part, number]
            difference = (before.value or 0.0) - (after.value or 0.0)
            sides = [
                None
                if sums.value is None or sums.low is None or sums.high is None
                else (sums.value, sums.low, sums.high)
                for sums in (before, after)
            ]
            low, high, p, note = judge_difference(test, difference, sides[0], sides[1], confidence, unit=_UNIT)
            compared.append(Comparison(part, "", ORIGINAL, score.name, difference, low, high, p, None, note))
        corrected = iter(holm([sums.p for sums in compared if sums.p is not None]))
        for sums in compared:
            yield sums if sums.p is None else msgspec.structs.replace(sums, p_holm=next(corrected))
