"""Privacy of authors: can somebody who has other texts of theirs still tell that they wrote these?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, Problem, ResourceError, quote_value, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.references import REFERENCES
from showthrough.families.authorship._attackers import attackers_of
from showthrough.families.authorship.family import BEFORE, FALSE, LOST, TOLD
from showthrough.families.authorship.problems import Problems, problems_of
from showthrough.families.authorship.verifiers.adaptive import ADAPTIVE, AUTHORS, FOLDS, VERSION
from showthrough.families.authorship.verifiers.base import UNANSWERED
from showthrough.families.authorship.verifiers.measures import (
    AUC,
    BRIER,
    C_AT_1,
    F1,
    F_HALF_U,
    OVERALL,
    compute_measures,
    statistics_of,
)
from showthrough.families.authorship.verifiers.table import learner_named
from showthrough.metrics.base import HEADLINE, OUTSIDE, Metric, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.statistics.rows import Rows, Totals

# Remarks tell the readers of a report how far its numbers about authors can be trusted.

_FEATURES = 4  # that a note names
_FALSE_ALARMS = "held_out_authors", "false_alarms"  # where a trained verifier's figures have them


def remarks_of(tables: Mapping[str, Rows], verifiers: Sequence[Any]) -> list[str]:
    """A sentence each, from the rows of all anonymizations."""
    sums = {name: rows.totals() for name, rows in tables.items() if name not in REFERENCES}
    if not sums:
        return []
    documents, first = len(next(iter(tables.values()))), next(iter(sums.values()))
    return [*_question_remarks(first, documents, verifiers), *_text_remarks(sums, documents)]


def _question_remarks(totals: Totals, documents: int, verifiers: Sequence[Any]) -> Iterator[str]:
    if untold := int(totals["untold"]):
        named = {column.partition(":")[2] for column in totals}
        shares = [(verifier.name, _false_alarms(verifier)) for verifier in verifiers if verifier.name in named]
        own = [f"{shorten(name)} {share:.0%}" for name, share in shares if share is not None]
        yield (
            f"the corpus does not say whether these {untold} documents are by the authors of their known texts. All "
            f"count as if they were: a verifier that always says yes would have a c@1 of 1"
            + (
                f"; in training, verifiers took this share of other authors for the right one: {', '.join(own)}"
                * bool(own)
            )
        )
    if alone := int(totals["alone"]):
        yield (
            f"{alone} of {documents} documents do not count in safety: no other text of their author is known, or "
            f"their author is not known"
        )
    if f"problems:{ADAPTIVE}" in totals and not totals[f"problems:{ADAPTIVE}"]:
        yield (
            f"no verifier learned from masked texts, which needs at least {AUTHORS} authors: an attacker who can "
            f"mask texts may recognise more authors than these numbers say"
        )


def _false_alarms(verifier: Any) -> float | None:
    """What its training told of them: of a plugin nobody knows what it tells."""
    share: object = getattr(verifier, "figures", None)
    for key in _FALSE_ALARMS:
        share = share.get(key) if isinstance(share, Mapping) else None
    return share if isinstance(share, float) else None


def _text_remarks(sums: Mapping[str, Totals], documents: int) -> Iterator[str]:
    for name, totals in sums.items():
        if wordless := int(totals["wordless"]):
            verb = "has" if wordless == 1 else "have"
            yield (
                f"{shorten(name)}: {wordless} of {documents} released texts {verb} no word: "
                "verifiers are not asked about them; they count as unanswered"
            )
        for column in totals:
            statistic, _, verifier = column.partition(":")
            if statistic == OUTSIDE:
                yield f"{shorten(name)}: {_unlike_remark(totals, verifier)}"


def _unlike_remark(totals: Totals, verifier: str) -> str:
    """That many texts are unlike all that a verifier learned from, and by what."""
    lead, end = f"{OUTSIDE} ", f":{verifier}"
    columns = [column for column in totals if column.startswith(lead) and column.endswith(end)]
    counts = {column[len(lead) : -len(end)]: int(totals[column]) for column in columns}
    most = [f"{column} {counts[column]}" for column in sorted(counts, key=lambda feature: -counts[feature])[:_FEATURES]]
    count, problems = int(totals[f"{OUTSIDE}{end}"]), int(totals[f"problems{end}"])
    return (
        f"{count} of {problems} problems are unlike everything that the verifier {shorten(verifier)} learned from "
        f"({', '.join(most)}). Its answers there are extrapolated: a low c@1 is no evidence that authors are hidden"
    )


_BOTH_KINDS = (AUC, F_HALF_U, F1, OVERALL)  # say nothing where the right answer is always the same
_MOST = 1000  # known texts, and more than anybody reads
_MANY = 0.4  # of problems; of PAN's own training problems it is 0.17


@dataclass(frozen=True)
class Safety(Metric):
    """How well author verifiers still recognise who wrote the texts (c@1); the best verifier counts.

    Potthast, Hagen and Stein 2016 (PAN, author masking): each document asks whether it is by the author of some known
    texts. Where documents ask nothing but have groups, a group is an author. A verifier answers with a probability:
    above 0.5 is yes, below is no, and exactly 0.5 is no answer. The headline is the largest c@1 after masking of all
    verifiers that ran. One of them, `adaptive`, learned from masked texts.

    c@1 = (right + right · unanswered / problems) / problems

    Parts, for each verifier: `c@1`, and `before` on the originals. `lost`, the share of those found before that is
    denied now (FN/TP); `auc`, `f0.5u`, `f1`, `brier` (1 − Brier) and `overall`, their mean with c@1. `false`, the share
    of other authors that it takes for the right one; and `told`, the mean of how often it accepts the right one and
    denies others, where guessing gives 0.5. Where no problem is by another author, known texts of others are put beside
    the text for these two.
    """

    group = "privacy"
    needs = frozenset({"verifiers"})
    scope = "corpus"
    title = "Authors a verifier recognises"
    better = "lower"
    neutral = (BEFORE, LOST, FALSE)  # who loses more hides more, and the others are the verifier's own
    tells = "whether authors are recognised by their style"
    roles = ("authors",)
    undefined = "no verifier answered a question about these documents"

    verifier: str = parameter("", f"which verifiers, with commas between; empty: all that were given, and {ADAPTIVE}")
    learner: str = parameter("glad", f"what the verifier {ADAPTIVE} learns by")
    known: int = parameter(5, "known texts of each author, at most; only for documents that ask nothing themselves")
    seed: int = parameter(0, f"seed for the questions that are drawn, and for {ADAPTIVE}")

    def __post_init__(self) -> None:
        names = [name.strip() for name in self.verifier.split(",")]
        object.__setattr__(self, "verifier", ", ".join(dict.fromkeys(filter(None, names))))
        learner_named(self.learner)
        if not 1 <= self.known <= _MOST:
            raise PlanError(
                f"known={quote_value(self.known)} is out of range; expected 1 to {_MOST}", type(self).__name__
            )
        if self.seed < 0:
            raise PlanError(f"seed={quote_value(self.seed)} is negative; expected 0 or more", type(self).__name__)

    @property
    def verifiers(self) -> tuple[str, ...]:
        """Those that it names; none: all."""
        return tuple(filter(None, self.verifier.split(", ")))

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        if self.verifiers and ADAPTIVE not in self.verifiers:
            return ()
        return ((ADAPTIVE, f"v{VERSION}/{FOLDS} folds/{self.learner}.v{learner_named(self.learner).version}"),)

    def interval_fault(self, part: str) -> str:
        if part != f"{TOLD}:{ADAPTIVE}":
            return ""
        return "with little to learn from, chance in learning changes it more than other documents would"

    def test_fault(self, part: str) -> str:
        return "it depends on the originals alone" if part.startswith(f"{BEFORE}:") else self.interval_fault(part)

    def problems(self, corpus: Corpus, anonymization: Anonymization) -> list[Problem]:
        groups = [group for group in corpus.survey.groups if group]
        if corpus.survey.questions or len({*groups}) < len(groups):
            return []
        expected = "expected problems of author verification, or documents with groups (--group-by author)"
        fault = f"no document says what else its author wrote, which the metric safety needs; {expected}"
        return [Problem(corpus.source, "", fault)]

    def why_undefined(self, part: str, totals: Totals) -> str:
        measure, _, name = part.partition(":")
        if not name:
            return self.undefined
        if not totals[f"problems:{name}"]:
            return f"it was not trained: it needs at least {AUTHORS} authors whose texts are different"
        if measure == LOST:
            return "it found no author before masking"
        if measure in (TOLD, FALSE):
            return "it was not asked about both the right author and others"
        if totals[f"rarer:{name}"]:
            return "no problem was answered that F1 counts: no answer rightly or wrongly says that it is one author"
        return "it needs problems by the same author and by different authors, and these are all of one kind"

    def remarks(self, tables: Mapping[str, Rows], resources: Resources) -> list[str]:
        return remarks_of(tables, resources.inputs.get("verifiers", ()))

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        problems = problems_of(chunk.corpus, self.known, self.seed)
        originals = {attacker.id: attacker.text for attacker in chunk.corpus}
        attackers = attackers_of(self.verifiers, self.learner, self.seed, problems, originals, chunk.resources)

        def rows(anonymized: Anonymized) -> Rows:
            texts = anonymized.texts
            columns: dict[str, ArrayLike] = {"untold": problems.untold, "alone": problems.alone}
            columns["wordless"] = problems.wordless(texts) & ~problems.alone
            answers = {
                attacker.name: (attacker.before, attacker.after(anonymized.name, texts)) for attacker in attackers
            }
            if all(after is None for _, after in answers.values()):
                raise ResourceError("nobody knows what these verifiers would answer")
            for attacker in attackers:
                before, after = answers[attacker.name]
                if after is not None:
                    counted = counted_by(problems, before, after) | _count_outliers(problems, attacker.outside(texts))
                    columns |= {f"{statistic}:{attacker.name}": column for statistic, column in counted.items()}
            return Rows.named(columns)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        sums: dict[str, dict[str, Floats]] = {}
        for column, total in totals.items():
            statistic, colon, name = column.partition(":")
            if colon:
                sums.setdefault(name, {})[statistic] = total
        parts = {
            f"{part}:{name}": value
            for name, verifier_sums in sums.items()
            for part, value in _parts(verifier_sums).items()
        }
        worst = reduce(np.fmax, [parts[f"{C_AT_1}:{name}"] for name in sums])
        return {HEADLINE: worst, **parts}


def counted_by(problems: Problems, before: Floats, after: Floats) -> dict[str, Floats]:
    """What one verifier's answers add to each document's row, and the answers themselves."""
    is_asked, counted = ~np.isnan(after), problems.counted & ~np.isnan(after)
    earlier = statistics_of(problems.same[counted], before[counted])
    later = statistics_of(problems.same[counted], after[counted])
    recognized, about = earlier["tp"], problems.documents[counted]
    second = ~problems.same[counted] & np.isin(about, about[problems.same[counted]])  # of a document's two problems

    def rows(values: ArrayLike, rows_of: Ints = about) -> Floats:
        return np.bincount(rows_of, np.asarray(values, dtype=np.float64), len(problems.ids)).astype(np.float64)

    columns = {statistic: rows(values) for statistic, values in later.items()}
    columns |= {f"before_{statistic}": rows(earlier[statistic]) for statistic in ("right", "unanswered")}
    columns |= {"found": rows(recognized), "lost": rows(recognized * later["fn"])}
    columns |= {"own": rows(problems.same[counted]), "known": rows(problems.same[counted] * _side(after[counted]))}
    no = is_asked & ~problems.same
    negatives = {"others": no[no], "denied": _side(1 - after[no]), "alarms": after[no] > UNANSWERED}
    columns |= {statistic: rows(values, problems.documents[no]) for statistic, values in negatives.items()}
    for prefix, selected in {"": ~second, "other_": second}.items():
        if selected.any():
            columns[f"before_{prefix}answer"] = rows(before[counted] * selected)
            columns[f"{prefix}answer"] = rows(after[counted] * selected)
    return columns


def _count_outliers(problems: Problems, by_feature: Mapping[str, Bools]) -> dict[str, Floats]:
    """How many problems of each document are unlike what a verifier learned from, and by which feature, if many are."""
    features = {feature: flags for feature, flags in by_feature.items() if flags.any()}
    outside = np.any([*features.values()], axis=0) if features else np.zeros(len(problems.same), dtype=bool)
    if outside.sum() <= _MANY * problems.counted.sum():
        return {}
    document_indices, size = problems.documents, len(problems.ids)
    named = {OUTSIDE: outside, **{f"{OUTSIDE} {feature}": flags for feature, flags in features.items()}}
    return {name: np.bincount(document_indices, flags, size).astype(np.float64) for name, flags in named.items()}


def _side(answers: Floats) -> Floats:
    """1 for yes, 0 for no, and one half for no answer."""
    return (np.sign(answers - UNANSWERED) + 1) / 2


def _parts(sums: Totals) -> dict[str, Floats]:
    """All that is told of one verifier."""
    measures = compute_measures(sums)
    for measure in _BOTH_KINDS:
        measures[measure] = np.where(sums["rarer"] > 0, measures[measure], np.nan)
    earlier = {**sums, "right": sums["before_right"], "unanswered": sums["before_unanswered"]}
    return {
        C_AT_1: measures[C_AT_1],
        BEFORE: compute_measures(earlier)[C_AT_1],
        LOST: ratio(sums["lost"], sums["found"]),
        **{measure: measures[measure] for measure in (AUC, F_HALF_U, F1, BRIER, OVERALL)},
        TOLD: (ratio(sums["known"], sums["own"]) + ratio(sums["denied"], sums["others"])) / 2,
        FALSE: ratio(sums["alarms"], sums["others"]),
    }
