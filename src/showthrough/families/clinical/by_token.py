"""De-identification as the i2b2 challenge of 2006 scored it (Uzuner, Luo and Szolovits 2007): tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from showthrough.core.arrays import Bools, Floats, Ints
from showthrough.core.call_syntax import parameter
from showthrough.families.clinical import base
from showthrough.families.clinical._instances import NONE, PhiSystem, TypedSpans
from showthrough.families.clinical._tokens import TokenGold
from showthrough.families.clinical.base import ClinicalMetric, PhiGold, measures
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.statistics.rows import Rows, Totals

_OUTCOMES = ("TP", "FP", "FN")


@dataclass(frozen=True)
class PhiToken(ClinicalMetric):
    """F of protected health information (PHI), counted token by token.

    Uzuner, Luo and Szolovits 2007: every token has one category or none. The headline, P and R ask whether PHI was
    found, whatever its category. `P:DATE` and the like count one category, micro counts all of them, and macro is their
    mean. Tokens are the challenge's, runs without a space and without the signs at their edges, so `10/29` is one;
    `tokens="words"` takes runs of word characters. In gold, a token is PHI when gold marks a letter or digit of it. A
    system finds it when it masks all that gold marks of it. Any other token counts as masked when a letter or digit of
    it is masked.

    P = TP / (TP + FP), R = TP / (TP + FN), F = 2PR / (P + R)

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mention, TypedMask, evaluate
    >>> gold = (Mention(4, 14, "PATIENT"), Mention(18, 23, "DATE"))
    >>> corpus = Corpus([Document("1", "Mr. John Smith on 10/29 slept", (Annotation("gold", gold),))])
    >>> masks = [TypedMask(4, 8, None, "PATIENT"), TypedMask(18, 29, None, "DATE")]
    >>> run = evaluate(corpus, {"a": Anonymization({"1": masks})}, metrics=["phi_token"])
    >>> [run["a", "phi_token", part].value for part in ("P", "R", "R:PATIENT", "P:DATE")]  # 2/3; 2/3; 1/2; 1/2
    [0.6666666666666666, 0.6666666666666666, 0.5, 0.5]
    """

    version = 3
    group = "both"
    title = "PHI, token by token"
    roles = ("F, P and R",)
    counts = (("TP", "right"), ("FP", "wrong"), ("FN", "wrong"))
    undefined = "no such PHI in gold or in what was masked, or the masks do not say their types"

    tokens: Literal["challenge", "words"] = parameter(
        "challenge", "what a token is: as in the challenge (10/29 is one), or runs of word characters"
    )

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        gold = self.gold(chunk)
        tokens = self.token_gold(chunk)
        counts = self.build_filter(tokens, chunk)
        chosen = counts(tokens.gold_tokens)
        inside = tokens.gold_tokens.at(chosen)

        def rows(anonymized: Anonymized) -> Rows:
            marked = self.system(gold, anonymized)
            token_kinds, beyond = tokens.taken(marked.instances)
            return _rows(gold, inside, token_kinds[chosen], beyond.at(counts(beyond)), marked)

        return rows

    def token_gold(self, chunk: Chunk) -> TokenGold:
        gold = self.gold(chunk)
        key = ("clinical tokens", self.map, self.labels, self.tokens)
        return chunk.once(key, lambda: TokenGold(gold.axis, gold.instances, self.tokens))

    def build_filter(self, tokens: TokenGold, chunk: Chunk) -> Callable[[TypedSpans], Bools]:
        """Says which of some tokens count: all."""
        return lambda spans: np.ones(len(spans), dtype=bool)

    def combine(self, totals: Totals) -> dict[str, Floats]:
        right, extra, lost = (np.asarray(totals[outcome]) for outcome in _OUTCOMES)
        parts = base.name_measures(measures(right, right + extra, right + lost))
        kinds, (right, extra, lost) = base.of_categories(totals, _OUTCOMES)
        if kinds:
            micro = measures(*(count.sum(axis=0) for count in (right, right + extra, right + lost)))
            typed = {f"micro {measure}": value for measure, value in micro.items()}
            typed |= base.parts_by_category(measures(right, right + extra, right + lost), right + lost, kinds)
            parts |= base.where_typed(typed, totals)
        return parts


def _rows(gold: PhiGold, inside: TypedSpans, token_kinds: Ints, beyond: TypedSpans, marked: PhiSystem) -> Rows:
    """TP, FP and FN of PHI against the rest, and of every category.

    `token_kinds` are what gold's tokens were taken for; the tokens beyond gold have the kinds that they were taken for.
    """
    hidden, same = token_kinds != NONE, token_kinds == inside.kind
    retyped = replace(inside, kind=token_kinds).at(hidden & ~same)
    outcomes = {"TP": inside.at(hidden), "FP": beyond, "FN": inside.at(~hidden)}
    overall = {outcome: gold.by_document(tokens) for outcome, tokens in outcomes.items()} | marked.type_columns
    typed = {"TP": inside.at(same), "FP": beyond, "FN": inside.at(~same)}
    tables = {outcome: gold.by_category(tokens, len(marked.names)) for outcome, tokens in typed.items()}
    tables["FP"] += gold.by_category(retyped, len(marked.names))
    return base.build_rows(overall, tables, marked.names)
