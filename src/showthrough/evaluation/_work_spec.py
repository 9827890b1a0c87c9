"""What is asked of the documents of a plan: which metrics, of whom, and what a reader is to be told beside."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from showthrough.core.errors import InputError, Problem, ResourceError, UnavailableError
from showthrough.core.families import input_types, ranking_metrics
from showthrough.data.masks import Anonymization
from showthrough.evaluation._chunks import Cell, Work
from showthrough.evaluation._mask_notices import read_elsewhere, words_aside
from showthrough.evaluation.ceiling import has_ceiling
from showthrough.evaluation.plan import Plan
from showthrough.metrics import Metric, metric_text
from showthrough.metrics.chunk import HidingRule
from showthrough.metrics.language import words_of
from showthrough.models import Resources
from showthrough.run.documents import too_many


class WorkSpec:
    """A metric that failed is not asked again: `failures` grows while documents are worked on."""

    def __init__(self, plan: Plan, references: Sequence[Anonymization], failures: Mapping[str, str]) -> None:
        self.plan = plan
        self.metrics = {metric_text(metric): metric for metric in plan.metrics}
        self.anonymizations = [*plan.anonymizations, *references]
        self.revisions: dict[str, dict[str, str]] = {}  # of the models of each metric
        self._failures = failures

    def read_revisions(self, resources: Resources, *, resumed: bool = False) -> None:
        """The models of each metric with their revisions: now, since files may change while they are at work.

        Raises InputError with every model that is not on this machine, before anything is scored. A run that is
        `resumed` may have all that it needs of a model; if not, the metric fails.
        """
        problems = []
        for text, metric in self.metrics.items():
            try:
                self.revisions[text] = resources.revisions(metric.models)
            except UnavailableError as error:
                if resumed:
                    continue
                problems.append(Problem("", f"metric {text}", str(error)))
            except ResourceError:  # it fails the metric when it is asked for
                continue
        if problems:
            raise InputError(problems)

    def of_scope(self, scope: str) -> dict[str, Metric]:
        return {
            text: metric
            for text, metric in self.metrics.items()
            if metric.scope == scope and text not in self._failures
        }

    def of_chunk(self, anonymizations: Sequence[Anonymization] = (), *, counted: bool = False) -> Work:
        """What is asked of a chunk; of one that is `counted` already what a run does not keep."""
        planned = {} if counted else self.of_scope("document")
        shared = bool(self.plan.corpus.survey.shared)
        return Work(
            metrics={**planned, **self.ranking},
            anonymizations=anonymizations,
            refused=self.refused_cells,
            noticed=words_aside(self.plan.metrics),
            elsewhere=read_elsewhere(self.plan.metrics, len(self.plan.corpus)),
            kept=self.hiding if self.plan.texts and not too_many(self.plan.corpus) else None,
            types=self.plan.corpus.survey.types,
            entity_groups=self.plan.entity_groups,
            inputs={
                kind.name: self.plan.inputs[kind.name]
                for kind in input_types()
                if kind.travels and kind.name in self.plan.inputs
            },
            people={text: metric for text, metric in planned.items() if shared and has_ceiling(metric)},
        )

    @cached_property
    def refused_cells(self) -> frozenset[Cell]:
        """References that a metric cannot score."""
        return frozenset(
            (text, anonymization.name)
            for anonymization in self.anonymizations[len(self.plan.anonymizations) :]
            for text, metric in self.metrics.items()
            if text not in self._failures and metric.problems(self.plan.corpus, anonymization)
        )

    @property
    def cells(self) -> Iterator[Cell]:
        """All that there may be rows of, in the order in which it is scored."""
        texts = sorted(self.metrics, key=lambda text: self.metrics[text].scope == "corpus")
        return ((text, anonymization.name) for anonymization in self.anonymizations for text in (*texts, *self.ranking))

    @cached_property
    def hiding(self) -> HidingRule:
        """What documents are kept by, as far as can be told before metrics are at work."""
        return self.hiding_of(text for text in self.revisions if text not in self._failures)

    def hiding_of(self, texts: Iterable[str]) -> HidingRule:
        """When a mention is hidden, as the first of some metrics takes it that tells; else by the language's words."""
        chosen = (self.metrics[text].hiding_rule for text in texts)
        return next(filter(None, chosen), HidingRule(words_of(self.plan.settings.language)))

    @cached_property
    def ranking(self) -> dict[str, Metric]:
        """What tells the documents at most risk, where not all can be kept and the plan does not ask for it anyway."""
        return {text: metric for text, metric in self.all_ranking.items() if text not in self.metrics}

    @cached_property
    def all_ranking(self) -> dict[str, Metric]:
        """The same with those that the plan asks for."""
        if not (self.plan.texts and self.plan.corpus.survey.annotated and too_many(self.plan.corpus)):
            return {}
        ranking = ranking_metrics(self.hiding.function_words, self.plan.metrics)
        return {metric_text(metric): metric for metric in ranking}

    @property
    def retention_key(self) -> str:
        """Changes with what tells the words that may stay readable, and the documents at most risk."""
        content = repr((self.plan.texts, self.hiding, list(self.ranking)))
        return hashlib.blake2b(content.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
