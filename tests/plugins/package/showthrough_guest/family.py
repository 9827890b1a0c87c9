"""A family with an input, an option, an argument, a metric and a report section: how much each document matters."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from showthrough import Metric, Problem, Rows
from showthrough.core.families import Family, InputType
from showthrough.metrics.base import HEADLINE, ratio
from showthrough.run.records import Input


@dataclass(frozen=True, kw_only=True)
class Options:
    weights: Annotated[str | None, Meta(title="FILE", description="How much each document matters, for spared.")] = None


@dataclass(frozen=True, kw_only=True)
class Arguments:
    weights: Mapping[str, float] | None = None


class Weights(InputType):
    name = "weights"
    travels = True

    def read(self, options, anonymizations):
        return None if options.weights is None else json.loads(Path(options.weights).read_text())

    def accept(self, arguments):
        return arguments.weights

    def items(self, value):
        return ()

    def record(self, value, corpus):
        return [Input("weights", f"{sum(value.values()):g}", len(value))]


class Importance(Family):
    @property
    def arguments(self):
        return Arguments

    @property
    def section(self):
        from showthrough_guest.report import SECTION

        return SECTION

    def problems(self, plan):
        if any("weights" in metric.needs for metric in plan.metrics) and "weights" not in plan.inputs:
            return [Problem("", "weights", "none were given, which the metric spared needs; expected --weights FILE")]
        unknown = sorted(plan.inputs.get("weights", {}).keys() - set(plan.corpus.ids))
        return [Problem("", "weights", f"found the document {key}; expected one of the corpus") for key in unknown]

    def notices(self, plan):
        return ["weights are ours, not the annotators'"] if "weights" in plan.inputs else []

    def files(self, options, metrics):
        return [] if options.weights is None else [Path(options.weights)]


FAMILY = Importance("importance", (Weights(),), options=Options)


@dataclass(frozen=True)
class Spared(Metric):
    """Share of the weight of all documents that lies on those without a mask."""

    title = "Weight that was spared"
    group = "utility"
    undefined = "no document has a weight"
    needs = frozenset({"weights"})

    def bind(self, chunk):
        weights = [chunk.resources.inputs["weights"].get(document.id, 0.0) for document in chunk.corpus]

        def rows(anonymized):
            spared = [
                0.0 if anonymized.of(document.id) else weight
                for document, weight in zip(chunk.corpus, weights, strict=True)
            ]
            return Rows.of(spared=spared, weight=weights)

        return rows

    def combine(self, totals):
        return {HEADLINE: ratio(totals["spared"], totals["weight"])}
