"""De-identification as later challenges scored it: exact spans, with and without types, merged, and leaks.

i2b2 2014 (Stubbs, Kotfila and Uzuner 2015) and MEDDOCAN (Marimon et al. 2019).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.families.clinical._instances import TypedSpans, beginning_alike, match_one_to_one
from showthrough.families.clinical._partners import Pairs, complement, pair_by_union, pair_instances, pair_same_types
from showthrough.families.clinical._tokens import Letters
from showthrough.families.clinical.base import InstanceMetric, PhiGold, name_measures
from showthrough.metrics.base import HEADLINE, ratio
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.statistics.rows import Rows, Totals

_STOP = re.compile(r"\n|[.!?…]+[\"'”’»)\]]*\s+")
_WORD = re.compile(r"\w")
_SHARE = re.compile(r"iou>=(1|0\.\d*[1-9])")


def match_instances(gold: TypedSpans, system: TypedSpans, types: bool, tolerance: int) -> tuple[Bools, Bools]:
    """Which gold and which system instances have a partner of the same extent (and type)."""
    true, partner = beginning_alike(gold, system, tolerance)
    if types:
        fits = gold.kind[true] == system.kind[partner]
        true, partner = true[fits], partner[fits]
    distance = np.abs(gold.end[true] - system.end[partner])
    stands = match_one_to_one(true, partner, (partner, true, distance))
    return ~complement(len(gold), true[stands]), ~complement(len(system), partner[stands])


def _least_share(match: str) -> float:
    """The X of `iou>=X`; NaN where that is not what it says."""
    share = _SHARE.fullmatch(match)
    return float(share[1]) if share else np.nan


@dataclass(frozen=True)
class PhiSpan(InstanceMetric):
    """F of exact PHI spans, as MEDDOCAN and i2b2 2014 count them.

    `phi_strict`: a system's span is right when gold has the same start, end and type (MEDDOCAN's first track, and the
    strict view of i2b2 2014). `phi_span`: the types do not matter (MEDDOCAN's second track). `phi_merged`: nor does it
    matter where neighbours are cut. Spans with no letter or digit between them are merged, and every span inside a
    merged span that gold has too is right. `tolerance=2` is the relaxed view of i2b2 2014: the end may be two
    characters off. The same span counts once. Other `match` are SemEval's (Segura-Bedmar et al. 2013) and IoU:
    `overlap` takes one shared character, `partial` counts that as a half, and `iou>=0.5` asks for half of the union.
    Then each span has one partner at most.

    P = right / system's spans, R = found / gold's spans, F = 2PR / (P + R)

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mention, TypedMask, evaluate
    >>> gold = (Mention(0, 4, "NAME"), Mention(5, 10, "NAME"), Mention(14, 18, "CITY"))
    >>> corpus = Corpus([Document("1", "John Smith of Oslo", (Annotation("gold", gold),))])
    >>> masks = [TypedMask(0, 10, None, "NAME"), TypedMask(14, 18, None, "NAME")]
    >>> run = evaluate(corpus, {"a": Anonymization({"1": masks})}, ["phi_strict", "phi_span", "phi_merged"])
    >>> [run["a", name, "R"].value for name in ("phi_strict", "phi_span", "phi_merged")]  # 0, 1 and 3 of 3
    [0.0, 0.3333333333333333, 1.0]
    """

    version = 3
    group = "both"
    roles = ("F, P and R",)
    undefined = "no PHI in gold or in what was masked, or the masks do not say their types"

    merged: bool = parameter(False, "whether neighbouring spans are merged; not with types")
    tolerance: int = parameter(0, "how many characters the end may be off")
    match: str = parameter(
        "exact", "when two spans match: exact, partial (other overlaps count a half), overlap, iou>=X"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tolerance < 0:
            raise PlanError(f"tolerance={self.tolerance} is negative; expected 0 or more", type(self).__name__)
        if self.merged and (self.types or self.tolerance):
            raise PlanError("merged spans have no type and no tolerance; say types=False", type(self).__name__)

        if self.match not in ("exact", "partial", "overlap") and np.isnan(_least_share(self.match)):
            expected = "expected exact, partial, overlap or iou>=X with X above 0 and up to 1, such as iou>=0.5"
            raise PlanError(f"match={quote_value(self.match)} is not known; {expected}", type(self).__name__)
        if self.match != "exact" and (self.merged or self.tolerance):
            raise PlanError("merged spans and a tolerance need match='exact'", type(self).__name__)

    @property
    def title(self) -> str:
        ways = {"exact": "exact spans", "partial": "spans in part", "overlap": "spans that overlap"}
        return f"PHI, {ways.get(self.match, 'spans by their overlap')}"

    @property
    def summary(self) -> str:
        if self.match != "exact":
            sharing = {"partial": "that share a character; unless both bounds match they count a half"}
            sharing["overlap"] = "that share a character"
            least = _least_share(self.match)
            shared = sharing.get(self.match, f"that share at least {least:g} of their union")
            return f"F of PHI spans {shared}; types {'must' if self.types else 'need not'} match."
        if self.merged:
            return "F of PHI spans after neighbouring spans are joined; types need not match."
        matching = "start, end and type must match" if self.types else "start and end must match, the type need not"
        spare = f"; the end may be {self.tolerance} characters off" if self.tolerance else ""
        return f"F of exact PHI spans: {matching}{spare}."

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        gold = self.gold(chunk)
        true = self.select_instances(gold.instances)
        letters = Letters.of(gold.axis) if self.merged else None

        def rows(anonymized: Anonymized) -> Rows:
            marked = self.system(gold, anonymized)
            system = self.select_instances(marked.instances)
            if self.match != "exact":
                return self.rows(self._matched(gold, true, system), marked)
            hits, right = match_instances(true, system, self.types, self.tolerance)
            if letters is not None:
                (ours, of_true), (theirs, of_system) = _merge_adjacent(letters, true), _merge_adjacent(letters, system)
                both, also = match_instances(ours, theirs, False, 0)
                hits |= both[of_true]
                right |= also[of_system]
            sides = {"found": true.at(hits), "gold": true, "right": system.at(right), "system": system}
            return self.rows({name: gold.by_document(spans) for name, spans in sides.items()}, marked)

        return rows

    def _matched(self, gold: PhiGold, true: TypedSpans, system: TypedSpans) -> dict[str, Floats]:
        """Counts where bounds may differ. A partial match is a half on either side."""
        pairs = self._pairs(true, system)
        right = gold.by_document(true.at(pairs.gold))
        if self.match == "partial":
            right = (right + gold.by_document(true.at(pairs.gold[pairs.correct]))) / 2
        return {"found": right, "gold": gold.by_document(true), "right": right, "system": gold.by_document(system)}

    def _pairs(self, true: TypedSpans, system: TypedSpans) -> Pairs:
        if self.match not in ("partial", "overlap"):
            return pair_by_union(true, system, self.types, _least_share(self.match))
        return pair_same_types(true, system) if self.types else pair_instances(true, system, types=False)

    def combine(self, totals: Totals) -> dict[str, Floats]:
        precision, recall = ratio(totals["right"], totals["system"]), ratio(totals["found"], totals["gold"])
        # Where one side has no span at all the other's spans are all wrong: an F of 0, not an undefined one.
        p, r = np.nan_to_num(precision), np.nan_to_num(recall)
        f = np.where(p + r == 0, 0.0, ratio(2 * p * r, p + r))
        f = np.where(np.asarray(totals["system"]) + np.asarray(totals["gold"]) == 0, np.nan, f)
        return self.where_typed(name_measures({"P": precision, "R": recall, "F": f}), totals)


def _merge_adjacent(letters: Letters, instances: TypedSpans) -> tuple[TypedSpans, Ints]:
    """Instances merged where nothing but spaces and signs lies between neighbours, and the merged span of each."""
    if not len(instances):
        return instances, instances.start
    opens = np.append(True, instances.layer[1:] != instances.layer[:-1])
    next_to = np.flatnonzero(~opens)  # the one before
    reach = np.maximum.accumulate(instances.end)[next_to - 1]
    start = np.maximum(instances.start[next_to], reach)
    opens[next_to] = letters.between(instances.layer[next_to], reach, start) > 0
    return instances.merge(np.flatnonzero(opens)), np.cumsum(opens) - 1


@dataclass(frozen=True)
class PhiLeak(InstanceMetric):
    """PHI instances per sentence that no span of the system matches exactly.

    It is the leak score of MEDDOCAN (Marimon et al. 2019).

    leak = |gold instances that no span matches exactly| / |sentences|

    A sentence ends with its line, or at . ! ? … when white space follows and no small letter after it. `types=False`
    asks for the span alone.

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mention, TypedMask, evaluate
    >>> gold = (Mention(0, 4, "NAME"), Mention(20, 24, "CITY"))
    >>> corpus = Corpus([Document("1", "John came. He is in Oslo. It rains.", (Annotation("gold", gold),))])
    >>> run = evaluate(corpus, {"a": Anonymization({"1": [TypedMask(0, 4, None, "NAME")]})}, ["phi_leak"])
    >>> run["a", "phi_leak"].value  # 1 missed in 3 sentences
    0.3333333333333333
    """

    version = 3
    group = "privacy"
    title = "PHI missed, per sentence"
    better = "lower"
    unbounded = (HEADLINE,)  # a sentence may have several
    undefined = "there is no sentence, or the masks do not say their types"
    fixed = (("annotators", "micro"), ("sentences", "rules.1"))

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        gold = self.gold(chunk)
        true = self.select_instances(gold.instances)
        lines = chunk.once(
            "sentences", lambda: np.array([sentences(document.text) for document in gold.axis.documents], float)
        )

        def rows(anonymized: Anonymized) -> Rows:
            marked = self.system(gold, anonymized)
            hits, _ = match_instances(true, marked.instances, self.types, 0)
            missed = gold.by_document(true.at(~hits))
            return self.rows({"missed": missed, "sentences": lines * gold.axis.layers.count}, marked)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        return self.where_typed({HEADLINE: ratio(totals["missed"], totals["sentences"])}, totals)


def sentences(text: str) -> int:
    """How many sentences a text has, by punctuation and line ends.

    >>> sentences("Seen by Dr. Li. Slept well, e.g. at noon.\\nDischarged")
    4
    """
    count = begin = 0
    for stop in _STOP.finditer(text):
        if "\n" in stop[0] or not text[stop.end() : stop.end() + 1].islower():
            count += _WORD.search(text, begin, stop.end()) is not None
            begin = stop.end()
    return count + (_WORD.search(text, begin) is not None)
