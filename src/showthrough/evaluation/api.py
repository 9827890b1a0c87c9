"""Python's `evaluate`: whatever it was given, made into a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING

from showthrough.core.errors import InputError, PlanError, quote_value
from showthrough.core.families import family_fields, input_types
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.evaluation._defaults import with_inputs
from showthrough.evaluation.engine import evaluate_plan
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.runner import Progress
from showthrough.evaluation.settings import Settings, settings_problems, takes_arguments_of
from showthrough.metrics import Metric, metrics_of
from showthrough.models.settings import Watch
from showthrough.run.gate.parsing import parse_thresholds, resolve_thresholds
from showthrough.run.provenance import metric_record
from showthrough.run.run import Run

if TYPE_CHECKING:
    from showthrough.core.families import FamilyArguments as FamilyArguments
else:
    FamilyArguments = family_fields("arguments")


@dataclass(frozen=True, kw_only=True)
class EvaluationCall(Settings, FamilyArguments):
    """What `evaluate` takes: inputs, who is told how far it is, and every setting."""

    corpus: Corpus = field(kw_only=False)
    anonymizations: Anonymization | Mapping[str, Anonymization] | Sequence[Anonymization] = field(kw_only=False)
    metrics: str | Metric | Iterable[str | Metric] | None = field(default=None, kw_only=False)
    progress: Progress | None = None
    resume: Run | None = None
    texts: bool = True
    watch: Watch | None = None
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@takes_arguments_of(EvaluationCall)
def evaluate(call: EvaluationCall) -> Run:
    """Scores anonymizations of a corpus.

    `anonymizations` are one, several, or several by name. `metrics` are names, text forms such as
    `recall(unit="mention")`, `preset:tab`, or metric values; by default the preset `default`, or `unannotated` where no
    document has annotations, or `pan` where documents ask who wrote them, and `trir` with a background. `background` is
    what an attacker knows, individual id to text; `trir` needs it. Of several, a metric names its own:
    `trir(background="web")`. `verifiers` are asked who wrote the documents: folders that `train_verifier` saved, names,
    or verifiers; and `answers` are those of others, probabilities by document id for the originals and each
    anonymization, `{"original": {…}, "A": {…}}`, or these by verifier. `ratings` are what people say of passages.
    `progress` is told how many documents are done, and of how many; `watch` what models are doing, and how far they
    are. `resume` takes an incomplete run of the same plan and completes it. With `texts` the
    run keeps the documents (of many, those at most risk), which a report needs to show them. `thresholds` are what
    numbers have to reach, `{"min": {"er_di": 0.95}, "max": {"trir": 0.09}}`: the run keeps them, for reports and gates.

    Settings, as on the command line and in plans:
    """
    return evaluate_plan(build_plan(call), progress=call.progress, resume=call.resume, watch=call.watch)


def build_plan(call: EvaluationCall, systems: int = 0) -> Plan:
    """The plan of a call, beside whose anonymizations so many systems are still to be scored."""
    corpus = call.corpus
    if not isinstance(corpus, Corpus):
        # Only a path is shown: what is in anything else may be the very text that must not leak.
        description = (
            quote_value(str(corpus)) if isinstance(corpus, str | PathLike) else f"a value of type {_kind(corpus)}"
        )
        raise PlanError(f"found {description}; expected a Corpus: read a file with read_corpus", "corpus")
    if call.resume is not None and not isinstance(call.resume, Run):
        raise PlanError(f"found a value of type {_kind(call.resume)}; expected a Run: Run.load reads one", "resume")
    if not isinstance(call.texts, bool):
        raise PlanError(f"found {quote_value(call.texts)}; expected True or False", "texts")
    for name in ("progress", "watch"):
        if (told := getattr(call, name)) is not None and not callable(told):
            raise PlanError(f"found a value of type {_kind(told)}; expected a function", name)
    settings = call.part(Settings)
    if problems := settings_problems(settings):
        raise InputError(problems)
    named = _list_anonymizations(call.anonymizations)
    accepted = {kind: kind.accept(call) for kind in input_types()}
    inputs = {kind.name: value for kind, value in accepted.items() if value is not None}
    metrics = None if call.metrics is None else metrics_of(call.metrics)
    keys = {kind: kind.keys_of(value) for kind, value in accepted.items()}
    chosen = with_inputs(metrics, corpus, len(named) + systems, keys)
    chosen = tuple(dict.fromkeys(map(settings.applied_to, chosen)))
    thresholds = resolve_thresholds(parse_thresholds(call.thresholds), map(metric_record, chosen), settings.applied_to)
    return Plan(corpus, tuple(named), chosen, settings, texts=call.texts, thresholds=thresholds, inputs=inputs)


def _list_anonymizations(
    anonymizations: Anonymization | Mapping[str, Anonymization] | Sequence[Anonymization],
) -> list[Anonymization]:
    """All of them under their names. Raises PlanError for what is none."""
    if isinstance(anonymizations, Anonymization):
        return [anonymizations]
    expected = "expected an Anonymization: read a file with read_anonymization"
    if isinstance(anonymizations, str) or not isinstance(anonymizations, Iterable):
        raise PlanError(f"found a value of type {_kind(anonymizations)}; {expected}", "anonymizations")
    names = list(anonymizations) if isinstance(anonymizations, Mapping) else None
    values = list(anonymizations.values() if isinstance(anonymizations, Mapping) else anonymizations)
    for anonymization in values:
        if not isinstance(anonymization, Anonymization):
            raise PlanError(f"found a value of type {_kind(anonymization)}; {expected}", "anonymizations")
    if names is None:
        return values
    return [anonymization.with_name(name) for name, anonymization in zip(names, values, strict=True)]


def _kind(value: object) -> str:
    return type(value).__name__
