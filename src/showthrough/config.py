"""Files that say what to evaluate, read into a plan that is checked completely before any work starts.

Two kinds: our own TOML, and the Text Anonymization Evaluator's JSON configuration, unchanged.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from showthrough.background import Background
from showthrough.errors import InputError, PlanError, Problem, quoted, shown
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.background import read_background
from showthrough.formats.files import decoded, first_byte, is_folder, object_entries, read_bytes, stem, suffix, text_of
from showthrough.masks import Anonymization
from showthrough.metrics import (
    ClusteringAgreement,
    Metric,
    Precision,
    Recall,
    RecallPerType,
    ReIdentification,
    TextPreservedInformation,
    TextPreservedSimilarity,
    WeightedPrecision,
    metric_text,
    metrics_of,
    preset,
    with_parameters,
)
from showthrough.metrics.clustering import TAE_MARKS
from showthrough.metrics.information import SPACY
from showthrough.metrics.language import ENGLISH, in_language
from showthrough.plan import Plan
from showthrough.resources import function_words_from
from showthrough.resources.names import local_or_hub
from showthrough.retyping import Retyping
from showthrough.run import Settings

_FAULT = 100  # characters of what a reader of TOML says


@dataclass(frozen=True)
class Source:
    """Where an anonymization is, and which columns hold it if it is a table."""

    path: Path
    id_column: str = "doc_id"
    text_column: str = "text"


@dataclass(frozen=True)
class Request:
    """What a user asked for, by path and name; nothing has been read yet."""

    corpus: Path
    anonymizations: Mapping[str, Source]
    metrics: tuple[Metric, ...]
    settings: Settings = field(default_factory=Settings)
    jobs: int = 1
    output: Path | None = None
    id_column: str = "doc_id"
    text_column: str = "text"
    device: str = "auto"
    cache: bool = True
    format: str | None = None
    # Of a TAE configuration: its metric names and what they stand for, what it names that is not there, its table.
    labels: Mapping[str, str] = field(default_factory=dict)
    unavailable: Mapping[str, str] = field(default_factory=dict)
    results_file: Path | None = None
    background: Path | None = None
    types: Retyping = field(default_factory=Retyping.of)
    group_by: str | None = None
    language: str = ENGLISH  # of the documents
    worded: bool = False  # whether one source of function words was named for all metrics
    backgrounds: Mapping[str, Path] = field(default_factory=dict)  # where there are several, by name
    references: bool = True

    def plan(self) -> Plan:
        """Reads everything; raises InputError with all that is wrong. Evaluating it checks it together."""
        plan, problems = self.read()
        if problems:
            raise InputError(problems)
        return plan.retyped(self.types)

    def read(self) -> tuple[Plan, list[Problem]]:
        """What can be read, and what is wrong with the rest; types as the files have them."""
        problems: list[Problem] = []
        anonymizations: list[Anonymization] = []
        columns = {"id_column": self.id_column, "text_column": self.text_column}
        corpus = read_corpus(self.corpus, format=self.format, group_by=self.group_by, **columns)
        for name, source in self.anonymizations.items():
            try:
                columns = {"id_column": source.id_column, "text_column": source.text_column}
                found = read_anonymization(source.path, corpus, name=name, format=self.format, **columns)
                anonymizations.append(found)
            except InputError as error:
                problems += error.problems
        background = None
        backgrounds: list[Background] = []
        try:
            background = read_background(self.background) if self.background else None
            backgrounds = [read_background(path, name=name) for name, path in self.backgrounds.items()]
        except InputError as error:
            problems += error.problems
        plan = Plan(
            *(corpus, tuple(anonymizations), self.with_language(self.language).metrics),
            *(self.settings, self.jobs, self.unavailable),
            device=self.device,
            cache=self.cache,
            background=background,
            language=self.language,
            backgrounds=tuple(backgrounds),
            references=self.references,
        )
        return plan, problems

    def with_function_words(self, name: str) -> Request:
        """The same with another source of function words in every metric that has one."""
        function_words_from(name)  # raises for a source that does not exist, also where no metric would ask for it
        return replace(self._with(function_words=name), worded=True)

    def with_language(self, language: str) -> Request:
        """The same for documents in a language: its lists wherever a metric has those of English."""
        spoken = self._changed(lambda metric: in_language([metric], language, words=not self.worded)[0])
        return replace(spoken, language=language)

    def _with(self, **values: str) -> Request:
        return self._changed(lambda metric: with_parameters(metric, **values))

    def _changed(self, change: Callable[[Metric], Metric]) -> Request:
        changed = {metric_text(metric): change(metric) for metric in self.metrics}
        labels = {label: metric_text(changed[text]) for label, text in self.labels.items()}
        return replace(self, metrics=tuple(dict.fromkeys(changed.values())), labels=labels)


def is_request(path: Path) -> bool:
    """Whether a file is a plan or a TAE configuration rather than a corpus."""
    if suffix(path) == ".toml":
        return True
    if is_folder(path) or suffix(path) != ".json" or first_byte(path) != b"{":
        return False
    # Two of them will do: a configuration that lacks a key must not be taken for a corpus of texts by id.
    return len(object_entries(path, read_bytes(path)).keys() & set(_Tae.__struct_fields__)) > 1


def _path(given: str, file: Path, place: str) -> Path:
    if not given or "\0" in given:
        raise InputError(Problem(str(file), place, f"found {quoted(given)}; expected the path of a file"))
    return Path(given)


def read_request(path: Path) -> Request:
    """What a plan (TOML) or a TAE configuration (JSON) asks for."""
    return _read_toml(path) if suffix(path) == ".toml" else _read_tae(path)


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    path: str
    id_column: str = "doc_id"
    text_column: str = "text"


class _Toml(msgspec.Struct, forbid_unknown_fields=True):
    corpus: str | _Table
    anonymizations: dict[str, str | _Table]
    metrics: list[str] = []
    preset: str | None = None
    missing: str = "error"
    seed: int = 0
    resamples: int = 1000
    confidence: float = 0.95
    jobs: int = 1
    output: str | None = None
    device: str = "auto"
    dtype: str = "fp32"
    cache: bool = True
    format: str | None = None
    background: str | dict[str, str] | None = None
    references: bool = True
    map: dict[str, str] = {}
    direct: list[str] = []
    quasi: list[str] = []
    ignore: list[str] = []
    group_by: str | None = None
    language: str = ENGLISH


def _read_toml(path: Path) -> Request:
    try:
        content = tomllib.loads(text_of(path, read_bytes(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(Problem(str(path), "", f"is not valid TOML: {shown(str(error), _FAULT)}")) from error
    except ValueError:  # the only other one: a number of more digits than Python reads
        raise InputError(
            Problem(str(path), "", "has a number of thousands of digits; expected a smaller one")
        ) from None
    except RecursionError:
        raise InputError(Problem(str(path), "", "is nested too deeply; expected a few levels")) from None
    known = _Toml.__struct_fields__
    if strangers := [key for key in content if key not in known]:
        raise InputError(
            Problem(str(path), shown(key), f"unknown key; expected one of {', '.join(known)}") for key in strangers
        )
    # Through JSON and back: one decoder, one wording of errors.
    found = decoded(msgspec.json.encode(content, enc_hook=str), msgspec.json.Decoder(_Toml), path)
    home = path.parent

    def source(given: str | _Table, place: str) -> Source:
        table = _Table(given) if isinstance(given, str) else given
        return Source(home / _path(table.path, path, place), table.id_column, table.text_column)

    try:
        metrics = metrics_of([*(preset(found.preset) if found.preset else ()), *found.metrics] or preset("default"))
        types = Retyping.of(found.map, found.direct, found.quasi, found.ignore)
    except PlanError as error:
        raise InputError([Problem(str(path), one.place, one.message) for one in error.problems]) from error
    corpus = source(found.corpus, "corpus")
    named = found.background if isinstance(found.background, dict) else {}
    alone = found.background if isinstance(found.background, str) else None
    return Request(
        corpus=corpus.path,
        anonymizations={
            name: source(given, f"anonymizations.{shown(name)}") for name, given in found.anonymizations.items()
        },
        metrics=tuple(metrics),
        settings=Settings(found.seed, found.resamples, found.confidence, found.missing, found.dtype),
        jobs=found.jobs,
        device=found.device,
        cache=found.cache,
        format=found.format,
        output=None if found.output is None else home / _path(found.output, path, "output"),
        id_column=corpus.id_column,
        text_column=corpus.text_column,
        background=None if alone is None else home / _path(alone, path, "background"),
        backgrounds={name: home / _path(given, path, f"background.{shown(name)}") for name, given in named.items()},
        references=found.references,
        types=types,
        group_by=found.group_by,
        language=found.language,
    )


class _Tae(msgspec.Struct):
    corpus: str
    anonymizations: dict[str, str]
    metrics: dict[str, dict[str, Any]]
    results_file_path: str


_TAE_ATTACK, _TAE_BACKGROUND = "TRIR", "background_knowledge_file_path"
_TAE_TELLING = "verbose"  # how much TAE tells while it works


def _read_tae(path: Path) -> Request:
    content = read_bytes(path)
    found = decoded(content, msgspec.json.Decoder(_Tae), path)
    for key, raw in object_entries(path, content).items():
        if key in ("anonymizations", "metrics"):
            object_entries(path, bytes(raw), key.removesuffix("s"))  # a name that occurs twice would lose one
    labels: dict[str, str] = {}
    unavailable: dict[str, str] = {}
    metrics: list[Metric] = []
    problems: list[Problem] = []
    backgrounds = _tae_backgrounds(found.metrics, path)
    for label, parameters in found.metrics.items():
        key = _tae_key(label)
        try:
            if key == _TAE_ATTACK and _TAE_BACKGROUND not in parameters:
                unavailable[label] = f"it names no background; expected {_TAE_BACKGROUND}"
                continue
            metric = _tae_metric(key, parameters)
            if key == _TAE_ATTACK and len(backgrounds) > 1:
                metric = with_parameters(metric, background=backgrounds[Path(parameters[_TAE_BACKGROUND])])
        except PlanError as error:
            problems += [Problem(str(path), f"metrics.{shown(label)}", one.message) for one in error.problems]
            continue
        metrics.append(metric)
        labels[label] = metric_text(metric)
    if problems:
        raise InputError(problems)
    # TAE takes paths relative to where it is started, not to its configuration.
    return Request(
        corpus=_path(found.corpus, path, "corpus"),
        anonymizations={
            name: Source(_path(given, path, f"anonymizations.{shown(name)}"))
            for name, given in found.anonymizations.items()
        },
        metrics=tuple(dict.fromkeys(metrics)),
        labels=labels,
        unavailable=unavailable,
        results_file=_path(found.results_file_path, path, "results_file_path"),
        background=next(iter(backgrounds)) if len(backgrounds) == 1 else None,
        backgrounds={name: file for file, name in backgrounds.items()} if len(backgrounds) > 1 else {},
    )


def _tae_backgrounds(metrics: Mapping[str, Mapping[str, Any]], file: Path) -> dict[Path, str]:
    """The files that TRIR metrics name, each with a name that no other has: that of the file, or else its path."""
    paths = [
        _path(str(parameters[_TAE_BACKGROUND]), file, f"metrics.{shown(label)}.{_TAE_BACKGROUND}")
        for label, parameters in metrics.items()
        if _tae_key(label) == _TAE_ATTACK and _TAE_BACKGROUND in parameters
    ]
    different = list(dict.fromkeys(paths))
    stems = [stem(path) for path in different]
    return {path: name if stems.count(name) == 1 else str(path) for path, name in zip(different, stems, strict=True)}


# What TAE takes for a parameter that a configuration leaves out. Its README and its code (1.2.0) agree on all of these;
# on one of TRIR's they do not (see `_tae_attack`), and numbers are made by the code.
_LEVEL = {"token_level": True}
_IC = {"weighting_model_name": "google-bert/bert-base-uncased", "weighting_max_segment_length": 100}
_TERMS = {**_IC, "term_alterning": 6, "use_chunking": True}
_RECALL = {**_LEVEL, "include_direct": True, "include_quasi": True}
_TAE_DEFAULTS: dict[str, dict[str, Any]] = {
    "Precision": {**_LEVEL, **_IC, "weighting_model_name": None},
    "PrecisionWeighted": {**_LEVEL, **_IC},
    "TPI": _TERMS,
    "TPS": {**_TERMS, "similarity_model_name": "paraphrase-albert-base-v2"},
    "NMI": {
        "embedding_model_name": "all-MiniLM-L6-v2",
        "remove_mask_marks": True,
        "mask_marks": list(TAE_MARKS),
        "min_k": 2,
        "max_k": 32,
        "k_multiplier": 2,
        "n_clusterings": 5,
        "n_tries_per_clustering": 50,
    },
    "Recall": _RECALL,
    "RecallPerEntityType": _RECALL,
}
_TAE_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "weighting_model_name": ((str, type(None)), "the name of a model, or null"),
    "similarity_model_name": ((str, type(None)), "the name of a model, or null"),
    "term_alterning": ((int, str), 'a whole number above 1 or "sentence"'),
}
_TAE_KINDS = {bool: "true or false", int: "a whole number", str: "the name of a model", list: "a list of marks"}


def _tae_key(label: str) -> str:
    """The metric that a label begins with, in TAE's own writing; TAE does not mind capitals."""
    key = label.split("_")[0]
    return {known.lower(): known for known in (*_TAE_DEFAULTS, _TAE_ATTACK)}.get(key.lower(), key)


def _tae_metric(key: str, given: Mapping[str, Any]) -> Metric:
    if key == _TAE_ATTACK:
        return _tae_attack(given)
    if key not in _TAE_DEFAULTS:
        raise PlanError(
            f"found {shown(key)}; expected one of {', '.join([*_TAE_DEFAULTS, _TAE_ATTACK])}, then anything after _"
        )
    defaults = _TAE_DEFAULTS[key]
    given = {name: value for name, value in given.items() if name != _TAE_TELLING}
    for name, value in given.items():
        if name not in defaults:
            raise PlanError(f"unknown parameter {shown(name)}; expected one of {', '.join(defaults)}")
        kind = type(defaults[name])
        types, expected = _TAE_TYPES.get(name) or (kind, _TAE_KINDS[kind])
        if not isinstance(value, types) or (isinstance(value, bool) and kind is not bool):
            raise PlanError(f"{name} is {quoted(value)}; expected {expected}")
    chosen = {**defaults, **given}
    if key == "NMI":
        return _tae_clustering(chosen)
    if key in ("TPI", "TPS"):
        return _tae_terms(key, chosen)
    unit: Any = "token" if chosen["token_level"] else "mention"
    if key == "Precision" and chosen["weighting_model_name"] is None:
        return Precision(unit=unit)
    if key in ("Precision", "PrecisionWeighted"):
        return WeightedPrecision(unit=unit, **_tae_information(chosen))
    include = ",".join(kind for kind in ("direct", "quasi") if chosen[f"include_{kind}"])
    if not include:
        raise PlanError("include_direct and include_quasi are both false; expected at least one true")
    return (Recall if key == "Recall" else RecallPerType)(unit=unit, include=include)


def _tae_attack(given: Mapping[str, Any]) -> Metric:
    """TRIR as TAE's code makes it.

    Its README has `only_use_anonymized_background_knowledge` false by default, its code true. (It also has three
    `load_saved_…` true that the code has false; they change no number here, where nothing that was made otherwise is
    ever loaded.)
    """
    chosen = {name: value for name, value in given.items() if name != _TAE_BACKGROUND}
    if chosen.get("anonymize_background_knowledge", True):
        chosen = {"only_use_anonymized_background_knowledge": True} | chosen
    return ReIdentification(f"transformer({', '.join(f'{name}={value!r}' for name, value in chosen.items())})")


def _tae_information(chosen: Mapping[str, Any]) -> dict[str, Any]:
    name = chosen["weighting_model_name"]
    ic = "uniform" if name is None else local_or_hub(name, "hf")
    return {"ic": ic, "segment_length": chosen["weighting_max_segment_length"]}


def _tae_terms(key: str, chosen: Mapping[str, Any]) -> Metric:
    chunking = SPACY if chosen["use_chunking"] else f"spacy-tokens:{SPACY.removeprefix('spacy:')}"
    rounds = chosen["term_alterning"]
    rounds = rounds.lower() if isinstance(rounds, str) else rounds
    shared = {**_tae_information(chosen), "chunking": chunking, "term_alterning": rounds}
    if key == "TPI":
        return TextPreservedInformation(**shared)
    name = chosen["similarity_model_name"]
    # Without a model TAE compares the word vectors of its spaCy pipeline.
    return TextPreservedSimilarity(**shared, similarity=SPACY if name is None else local_or_hub(name, "st"))


def _tae_clustering(chosen: Mapping[str, Any]) -> Metric:
    marks = chosen["mask_marks"]
    if unusable := [mark for mark in marks if not isinstance(mark, str) or not mark.strip() or "," in mark]:
        raise PlanError(f"mask_marks has {quoted(unusable[0])}; expected words without a comma")
    listed = "tae" if set(marks) == set(TAE_MARKS) else ",".join(dict.fromkeys(marks))
    if marks in (["none"], ["tae"]):
        listed += ","  # keeps the list of a single mark a list
    return ClusteringAgreement(
        embedding=local_or_hub(chosen["embedding_model_name"], "st"),
        mask_marks=listed if chosen["remove_mask_marks"] and marks else "none",
        **{name: chosen[name] for name in ("min_k", "max_k", "k_multiplier", "n_clusterings")},
        n_tries=chosen["n_tries_per_clustering"],
    )
