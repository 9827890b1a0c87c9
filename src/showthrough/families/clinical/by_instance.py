"""De-identification as the i2b2 challenge of 2006 scored it (Uzuner, Luo and Szolovits 2007): whole instances."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.core.errors import PlanError, quote_value
from showthrough.families.clinical._partners import complement, pair_instances
from showthrough.families.clinical.base import (
    InstanceMetric,
    build_rows,
    measures,
    name_measures,
    of_categories,
    parts_by_category,
)
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.statistics.rows import Rows, Totals


@dataclass(frozen=True)
class PhiInstance(InstanceMetric):
    """F of whole PHI instances, with every error sorted into substitution, insertion or deletion.

    Uzuner, Luo and Szolovits 2007, after MUC and NIST. Gold and system instances that overlap are paired one to one,
    best overlap first. A pair with the same type and extent is *correct* (C), any other pair a *substitution* (S). A
    system instance without a partner is an *insertion* (I), a gold one a *deletion* (D). So a name found in two pieces
    gives an insertion, and two names found as one give a deletion. The same span with the same type counts once. With
    `types=False` the extent alone has to match, as in Figure 8 of the paper.

    P = C / (C + S + I), R = C / (C + S + D), F = 2PR / (P + R)

    Over all categories this is the micro-average. For one category, a substitution counts towards recall when the gold
    instance is of that category (S) and towards precision when the system's is (S*).

    >>> from showthrough import Anonymization, Annotation, Corpus, Document, Mention, TypedMask, evaluate
    >>> gold = (Mention(4, 14, "PATIENT"), Mention(18, 23, "DATE"))
    >>> corpus = Corpus([Document("1", "Mr. John Smith on 10/29 slept", (Annotation("gold", gold),))])
    >>> masks = [TypedMask(4, 8, None, "PATIENT"), TypedMask(18, 23, None, "DATE"), TypedMask(24, 29, None, "DATE")]
    >>> run = evaluate(corpus, {"a": Anonymization({"1": masks})}, metrics=["phi_instance"])
    >>> [run["a", "phi_instance", part].value for part in ("P", "R")]  # C = 1, S = 1, I = 1, D = 0
    [0.3333333333333333, 0.5]
    """

    version = 3
    group = "both"
    title = "PHI, instance by instance"
    roles = ("F, P and R",)
    counts = (("C", "right"), ("S", "wrong"), ("I", "wrong"), ("D", "wrong"), ("S*", "wrong"))
    undefined = "no such PHI in gold or in what was masked, or the masks do not say their types"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.types, bool):
            raise PlanError(f"types={quote_value(self.types)}; expected True or False", type(self).__name__)

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        gold = self.gold(chunk)
        true = self.select_instances(gold.instances)

        def rows(anonymized: Anonymized) -> Rows:
            marked = self.system(gold, anonymized)
            system = self.select_instances(marked.instances)
            pairs = pair_instances(true, system, self.types)
            outcomes = {
                "C": true.at(pairs.gold[pairs.correct]),
                "S": true.at(pairs.gold[~pairs.correct]),
                "I": system.at(complement(len(system), pairs.system)),
                "D": true.at(complement(len(true), pairs.gold)),
            }
            overall = {outcome: gold.by_document(spans) for outcome, spans in outcomes.items()}
            if not self.types:
                return Rows.named(overall)
            outcomes["S*"] = system.at(pairs.system[~pairs.correct])  # the same substitutions, by the system's category
            tables = {outcome: gold.by_category(spans, len(marked.names)) for outcome, spans in outcomes.items()}
            return build_rows(overall | marked.type_columns, tables, marked.names)

        return rows

    def combine(self, totals: Totals) -> dict[str, Floats]:
        correct, substituted, inserted, deleted = (np.asarray(totals[outcome]) for outcome in "CSID")
        parts = name_measures(measures(correct, correct + substituted + inserted, correct + substituted + deleted))
        kinds, (correct, gold_substituted, system_substituted, inserted, deleted) = of_categories(
            totals, ("C", "S", "S*", "I", "D")
        )
        if kinds:
            gold = correct + gold_substituted + deleted
            parts |= parts_by_category(measures(correct, correct + system_substituted + inserted, gold), gold, kinds)
        return self.where_typed(parts, totals)
