"""Python's `bench`: systems as they are written, put to work and scored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from typing import cast

from showthrough.core.errors import InputError
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.evaluation.api import EvaluationCall, FamilyArguments, build_plan
from showthrough.evaluation.plan import name_problems
from showthrough.evaluation.runner import Progress
from showthrough.evaluation.settings import Settings, takes_arguments_of
from showthrough.metrics import Metric
from showthrough.models.settings import Watch
from showthrough.run.run import Run
from showthrough.systems import Anonymizer
from showthrough.systems.outside.answers import Function
from showthrough.systems.replacing import Way
from showthrough.systems.spec import resolve_anonymizer
from showthrough.systems.workbench.runner import Bench, put_to_work, score

System = str | Anonymizer | Function
Systems = System | Mapping[str, System] | Iterable[System]


@dataclass(frozen=True, kw_only=True)
class BenchCall(Settings, FamilyArguments):
    """What `bench` takes: the corpus, systems, what their masks are made by, and all that `evaluate` takes."""

    corpus: Corpus = field(kw_only=False)
    systems: Systems = field(kw_only=False)
    metrics: str | Metric | Iterable[str | Metric] | None = field(default=None, kw_only=False)
    anonymizations: Anonymization | Mapping[str, Anonymization] | Sequence[Anonymization] = ()
    replacement: Way = "label"
    threshold: float | None = None
    progress: Progress | None = None
    texts: bool = True
    watch: Watch | None = None
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    names: str | PathLike[str] | None = None


@takes_arguments_of(BenchCall)
def bench(call: BenchCall) -> Run:
    """Lets systems anonymize a corpus, and scores them side by side.

    `systems` are one, several, or several by name: as the command line writes them (`"presidio+crf/"`), anonymizers, or
    functions. `replacement` is what replaces masked text, and below `threshold` a system is not sure
    enough. What a model was trained on is refused unless it may be `seen`. `anonymizations` that are there already are
    scored beside them. The rest is as in `evaluate`. A system that fails is missing in the run, whose notes say why.

    Settings, as on the command line and in plans:
    """
    systems = name_systems(call.systems)
    shared = [setting.name for setting in fields(EvaluationCall) if setting.init and setting.name != "resume"]
    evaluate_call = EvaluationCall(**{name: getattr(call, name) for name in shared})
    workbench = Bench(build_plan(evaluate_call, len(systems)), systems, call.replacement, call.threshold, call.seen)
    workbench.check()
    return score(workbench, put_to_work(workbench), call.progress, call.watch)


def name_systems(systems: Systems) -> dict[str, Anonymizer]:
    """All of them by name. Raises PlanError for what is none, and where two have one name."""
    if isinstance(systems, Mapping):
        return {str(name): resolve_anonymizer(system)[1] for name, system in systems.items()}
    several = isinstance(systems, Iterable) and not isinstance(systems, str | Anonymizer)
    pairs = list(map(resolve_anonymizer, cast(Iterable[System], systems) if several else [cast(System, systems)]))
    if problems := name_problems([name for name, _ in pairs]):
        raise InputError(problems)
    return dict(pairs)
