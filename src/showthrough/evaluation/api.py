"""Python's `evaluate`: whatever it was given, made into a plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard

from showthrough.core.errors import InputError, PlanError, quote_value, shorten
from showthrough.core.families import family_fields, input_types
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.data.slicing import NO_TABLE, keys_of, parse_slices
from showthrough.evaluation.engine import evaluate_plan
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.requests import with_inputs
from showthrough.evaluation.runner import Progress
from showthrough.evaluation.settings import Settings, settings_problems, takes_arguments_of
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.people.names import read_names
from showthrough.metrics import Metric, metrics_of
from showthrough.models.settings import Watch
from showthrough.run.gate.parsing import parse_thresholds, resolve_thresholds
from showthrough.run.provenance import metric_record
from showthrough.run.run import Run

if TYPE_CHECKING:
    from showthrough.core.families import FamilyArguments as FamilyArguments
else:
    FamilyArguments = family_fields("arguments")

# What a corpus or an anonymization is made of. A data frame is of any library that has one.
CorpusSource: TypeAlias = str | PathLike[str] | Mapping[str, str] | Any
MaskSource: TypeAlias = str | PathLike[str] | Mapping[str, str] | Mapping[str, Iterable[Any]] | Any


@dataclass(frozen=True, kw_only=True)
class EvaluationCall(Settings, FamilyArguments):
    """What `evaluate` takes: inputs, who is told how far it is, and every setting."""

    corpus: Corpus | CorpusSource = field(kw_only=False)
    anonymizations: Anonymization | Mapping[str, Anonymization | MaskSource] | Sequence[Anonymization] = field(
        kw_only=False
    )
    metrics: str | Metric | Iterable[str | Metric] | None = field(default=None, kw_only=False)
    progress: Progress | None = None
    resume: Run | None = None
    texts: bool = True
    watch: Watch | None = None
    thresholds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    names: str | PathLike[str] | None = None


@takes_arguments_of(EvaluationCall)
def evaluate(call: EvaluationCall) -> Run:
    """Scores anonymizations of a corpus.

    `corpus` is a corpus, or what makes one: a file, texts by id, or a data frame. `anonymizations` are one, several, or
    several by name; by name they may also be files, released texts by id, spans by id, or data frames.

    `metrics` are names, text forms such as `recall(unit="mention")`, `preset:tab`, or metric values. The default is the
    preset `default`, `unannotated` if no document has annotations, or `pan` if documents ask who wrote them.

    `progress` gets the number of documents that are done and of all; `watch` hears what models are doing. `resume`
    takes an incomplete run of the same plan and completes it. With `texts` the run keeps the documents (of many, those
    at most risk), so that a report can show them. `thresholds` are limits for numbers, `{"min": {"er_di": 0.95}, "max":
    {"trir": 0.09}}`: the run keeps them, for reports and gates. `names` is a table of documents (column
    doc_id) or of people (column name), for `slices`.

    Further inputs, and settings as on the command line and in plans:
    """
    return evaluate_plan(build_plan(call), progress=call.progress, resume=call.resume, watch=call.watch)


def build_plan(call: EvaluationCall, systems: int = 0) -> Plan:
    """The plan of a call, beside whose anonymizations so many systems are still to be scored."""
    slices = parse_slices(call.slices)
    metrics = None if call.metrics is None else metrics_of(call.metrics)
    corpus = _build_corpus(
        call.corpus, keys_of((*slices, *(name for metric in metrics or () for name in metric.fields)))
    )
    if call.resume is not None and not isinstance(call.resume, Run):
        raise PlanError(f"found a value of type {_kind(call.resume)}; expected a Run: Run.load reads one", "resume")
    if not isinstance(call.texts, bool):
        raise PlanError(f"found {quote_value(call.texts)}; expected True or False", "texts")
    for name in ("progress", "watch"):
        if (observer := getattr(call, name)) is not None and not callable(observer):
            raise PlanError(f"found a value of type {_kind(observer)}; expected a function", name)
    settings = call.part(Settings)
    if problems := settings_problems(settings):
        raise InputError(problems)
    named = _list_anonymizations(call.anonymizations, corpus)
    accepted = {kind: kind.accept(call) for kind in input_types()}
    inputs = {kind.name: value for kind, value in accepted.items() if value is not None}
    keys = {kind: kind.keys_of(value) for kind, value in accepted.items()}
    chosen = with_inputs(metrics, corpus, len(named) + systems, keys)
    chosen = tuple(dict.fromkeys(map(settings.applied_to, chosen)))
    records = map(metric_record, chosen)
    thresholds = resolve_thresholds(parse_thresholds(call.thresholds), records, settings.applied_to, slices)
    return Plan(
        corpus,
        tuple(named),
        chosen,
        settings,
        texts=call.texts,
        thresholds=thresholds,
        inputs=inputs,
        names=read_names(call.names, corpus) if call.names else NO_TABLE,
    )


def _build_corpus(source: Corpus | CorpusSource, fields: Sequence[str] = ()) -> Corpus:
    """The corpus, read or made where it is not one yet."""
    if isinstance(source, Corpus):
        return source
    if isinstance(source, str | PathLike):
        return read_corpus(source, fields=fields)
    if _are_texts(source):
        return Corpus.from_texts(source)
    if hasattr(source, "columns") or _are_rows(source):
        names = _column_names(source)
        columns = [name for name in fields if name in names]
        return Corpus.from_frame(source, spans="spans" if "spans" in names else None, fields=columns)
    # What is in anything else is not shown: it may be the very text that must not leak.
    expected = "expected a Corpus, a file, texts by id, a data frame or rows; Corpus.from_texts takes a list"
    raise PlanError(f"found a value of type {_kind(source)}; {expected}", "corpus")


def _list_anonymizations(anonymizations: Any, corpus: Corpus) -> list[Anonymization]:
    """All of them under their names. Raises PlanError for what is none."""
    if isinstance(anonymizations, Anonymization):
        return [anonymizations]
    if isinstance(anonymizations, Mapping):
        return [_build_anonymization(source, corpus, name) for name, source in anonymizations.items()]
    is_frame = hasattr(anonymizations, "columns")  # it would give its columns' names, one by one
    if is_frame or isinstance(anonymizations, str) or not isinstance(anonymizations, Iterable):
        expected = "expected anonymizations by name, such as {'presidio': 'presidio.json'}"
        raise PlanError(f"found a value of type {_kind(anonymizations)}; {expected}", "anonymizations")
    values = list(anonymizations)
    for value in values:
        if not isinstance(value, Anonymization):
            expected = "expected an Anonymization: read_anonymization reads a file"
            raise PlanError(f"found a value of type {_kind(value)}; {expected}", "anonymizations")
    return values


def _build_anonymization(source: Anonymization | MaskSource, corpus: Corpus, name: str) -> Anonymization:
    if isinstance(source, Anonymization):
        return source.with_name(name)
    if isinstance(source, str | PathLike):
        return read_anonymization(source, corpus, name=name)
    if _are_texts(source):
        return Anonymization.from_texts(source, corpus, name)
    if isinstance(source, Mapping):
        return Anonymization.from_spans(source, corpus, name)
    if hasattr(source, "columns") or _are_rows(source):
        if {"text", name} <= {*_column_names(source)}:
            way = f"Anonymization.from_frame(frame, corpus, text={str(name)!r}) takes that column"
            raise PlanError(f"found a column text and one of this name; {way}", f"anonymization {shorten(str(name))}")
        return Anonymization.from_frame(source, corpus, name=name)
    expected = (
        "expected an Anonymization, a file, texts or spans by id, or a data frame; from_texts takes a list, and "
        "Anonymization.from_frame a column (text=…)"
    )
    raise PlanError(f"found a value of type {_kind(source)}; {expected}", f"anonymization {shorten(str(name))}")


def _are_texts(source: object) -> TypeGuard[Mapping[str, str]]:
    return isinstance(source, Mapping) and bool(source) and all(isinstance(text, str) for text in source.values())


def _are_rows(source: object) -> TypeGuard[list[Mapping[str, Any]]]:
    return isinstance(source, list) and bool(source) and all(isinstance(row, Mapping) for row in source)


def _column_names(frame: Any) -> list[str]:
    return list(frame[0]) if isinstance(frame, list) else list(getattr(frame, "column_names", frame.columns))


def _kind(value: object) -> str:
    return type(value).__name__
