"""Systems at work: all that could stop them is looked for first, and one that fails does not stop the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace

import msgspec

from showthrough.core.errors import LINE, ChangedError, ResourceError, ShowthroughError, join_names, shorten
from showthrough.core.plugins import describe_error
from showthrough.data.masks import Anonymization
from showthrough.data.references import references_of
from showthrough.evaluation.engine import evaluate_plan
from showthrough.evaluation.estimate import check_asking
from showthrough.evaluation.plan import Plan
from showthrough.families.clinical.base import ClinicalMetric
from showthrough.metrics import metric_text
from showthrough.models.cache import Cache, usual_cache
from showthrough.models.settings import Watch
from showthrough.run.run import Run
from showthrough.systems.anonymizing import Progress, anonymize, check_ready
from showthrough.systems.base import Anonymizer
from showthrough.systems.replacing import Way

Watched = Callable[[str], AbstractContextManager[Progress | None]]  # by the name of the system that works


@dataclass(frozen=True)
class Bench:
    """Systems by name, how their masks are made, and what they are scored by, beside anonymizations that are there."""

    plan: Plan  # its anonymizations come after the systems
    systems: Mapping[str, Anonymizer]
    replacement: Way = "label"
    threshold: float | None = None
    seen: bool = False  # whether a system may have been trained on the documents

    def check(self) -> None:
        """Raises InputError with what would stop it: of the plan, then of the systems."""
        unmasked = dict.fromkeys(self.plan.corpus.ids, ())
        still_to_be_made = [Anonymization(unmasked, name) for name in self.systems]
        plan = replace(self.plan, anonymizations=(*still_to_be_made, *self.plan.anonymizations))
        plan.retype(early=True).check()
        check_asking(plan, references_of(plan.corpus) if plan.settings.references else (), early=True)
        check_ready(self.plan.corpus, self.systems, self.seen, self.cache)

    @property
    def cache(self) -> Cache:
        """Where what systems find is kept, unless that is not wanted."""
        return usual_cache(self.plan.settings.cache)


@dataclass(frozen=True)
class BenchOutcome:
    """What came of the systems."""

    anonymizations: tuple[Anonymization, ...]
    failed: dict[str, str] = field(default_factory=dict)  # by name, and why


def nobody_watches(name: str) -> AbstractContextManager[None]:
    """For those who ask for no progress."""
    return nullcontext()


def put_to_work(
    bench: Bench, watched: Watched = nobody_watches, tell: Callable[[str], None] | None = None
) -> BenchOutcome:
    """Lets every system anonymize the corpus, each in processes of its own, one after the other.

    Of one that fails `told` hears at once. Raises ResourceError where none is left and nothing else is to be scored.
    """
    anonymizations: list[Anonymization] = []
    failed: dict[str, str] = {}
    plan, cache = bench.plan, bench.cache
    for name, system in bench.systems.items():
        try:
            with watched(name) as progress:
                anonymizations.append(
                    anonymize(
                        plan.corpus, system, name=name, replacement=bench.replacement, threshold=bench.threshold,
                        jobs=plan.settings.jobs or 1, seen=bench.seen, progress=progress, cache=cache,
                    )
                )  # fmt: skip
        except ChangedError:
            raise
        except Exception as error:  # of a plugin and of a model's library, anything: hours of the others are not lost
            failed[name] = _reason(error)
            if tell:
                tell(f"{shorten(name)} failed: {failed[name]}")
    if not (anonymizations or plan.anonymizations):
        raise ResourceError("; ".join(f"{shorten(name)} failed: {why}" for name, why in failed.items()))
    return BenchOutcome(tuple(anonymizations), failed)


def _reason(error: Exception) -> str:
    if isinstance(error, ShowthroughError):
        return shorten(next(iter(str(error).splitlines()), ""), LINE)
    return "memory ran out" if isinstance(error, MemoryError) else describe_error(error)


def score(bench: Bench, outcome: BenchOutcome, progress: Progress | None = None, watch: Watch | None = None) -> Run:
    """All of them scored by the plan; what failed is noted."""
    plan, notes = _with_their_types(
        replace(bench.plan, anonymizations=(*outcome.anonymizations, *bench.plan.anonymizations))
    )
    run = evaluate_plan(plan, progress=progress, watch=watch)
    absent = [f"{shorten(name)} is missing here, because it failed: {why}" for name, why in outcome.failed.items()]
    return msgspec.structs.replace(run, notes=[*absent, *notes, *run.notes])


def _with_their_types(plan: Plan) -> tuple[Plan, list[str]]:
    """The plan with types that the corpus lacks counted as wrong, and what there is to say of them.

    Of files such types are refused before anything is done. What a system calls things is known when its work is done,
    which is not to be lost.
    """
    now = plan.retype()
    by_type = [metric for metric in now.metrics if isinstance(metric, ClinicalMetric)]
    unknown = {
        anonymization.name: sorted(
            {kind for metric in by_type for kind in metric.unknown_in(now.corpus, anonymization)}
        )
        for anonymization in now.anonymizations
    }
    unknown = {name: kinds for name, kinds in unknown.items() if kinds}
    if not unknown:
        return plan, []
    replacements = {
        metric: replace(metric, unknown_types="keep") if isinstance(metric, ClinicalMetric) else metric
        for metric in plan.metrics
    }
    texts = {metric_text(metric): metric_text(new_metric) for metric, new_metric in replacements.items()}
    thresholds = (
        msgspec.structs.replace(threshold, metric=texts.get(threshold.metric, threshold.metric))
        for threshold in plan.thresholds
    )
    plan = replace(plan, metrics=tuple(dict.fromkeys(replacements.values())), thresholds=tuple(thresholds))
    fault = 'are types that the corpus does not have: they count as wrong ones (unknown_types="keep")'
    remedy = "--map says what they are, as in --map {}=TYPE"
    return plan, [
        f"{shorten(name)}: {join_names(map(shorten, kinds))} {fault}; {remedy.format(shorten(kinds[0]))}"
        for name, kinds in unknown.items()
    ]
