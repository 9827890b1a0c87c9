"""The Text Anonymization Evaluator's JSON configuration, unchanged, as a request."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, quote_value, shorten
from showthrough.evaluation.requests import EvaluationRequest, Source, path_of
from showthrough.evaluation.settings import FileSettings
from showthrough.families.information.clustering import TAE_MARKS
from showthrough.families.information.preserved import SPACY
from showthrough.formats.registry import is_run
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
    with_parameters,
)
from showthrough.models.names import local_or_hub
from showthrough.storage.file_heads import Head
from showthrough.storage.paths import Remote
from showthrough.storage.reading import decode_json, object_entries, read_bytes, stem


class _Configuration(msgspec.Struct):
    corpus: str
    anonymizations: dict[str, str]
    metrics: dict[str, dict[str, Any]]
    results_file_path: str


_ATTACK, _BACKGROUND = "TRIR", "background_knowledge_file_path"
_TELLING = "verbose"  # how much TAE tells while it works


def is_tae(head: Head) -> bool:
    """Whether a JSON object is a configuration rather than a corpus of texts by id, by the keys at its start."""
    # Two of them will do: a configuration that lacks a key must not be taken for a corpus.
    return len(head.json.keys.keys() & set(_Configuration.__struct_fields__)) > 1 and not is_run(head)


def read_tae(path: Path) -> EvaluationRequest:
    """What a configuration asks for."""
    content = read_bytes(path)
    configuration = decode_json(content, msgspec.json.Decoder(_Configuration), path)
    for key, raw in object_entries(path, content).items():
        if key in ("anonymizations", "metrics"):
            object_entries(path, bytes(raw), key.removesuffix("s"))  # a name that occurs twice would lose one
    metrics = read_metrics(configuration.metrics, path)
    if metrics.faults:
        raise InputError(
            Problem(str(path), f"metrics.{shorten(label)}", fault)
            for label, faults in metrics.faults.items()
            for fault in faults
        )
    labels = metrics.labels
    # TAE takes paths relative to where it is started, not to its configuration.
    return EvaluationRequest(
        corpus=Source(path_of(configuration.corpus, path, "corpus")),
        anonymizations={
            name: Source(path_of(file_name, path, f"anonymizations.{shorten(name)}"))
            for name, file_name in configuration.anonymizations.items()
        },
        metrics=tuple(dict.fromkeys(labels.values())),
        labels=labels,
        unavailable=metrics.unavailable,
        results_file=path_of(configuration.results_file_path, path, "results_file_path"),
        settings=FileSettings(**metrics.options),
    )


@dataclass(frozen=True)
class AskedMetrics:
    """The metrics of a configuration by their names in it, and why others are none."""

    labels: Mapping[str, Metric]
    unavailable: Mapping[str, str]
    faults: Mapping[str, Sequence[str]]
    backgrounds: Mapping[Path, str]  # the files that attackers know, each with its name

    @property
    def options(self) -> dict[str, Any]:
        """The settings that the metrics need: backgrounds as an option names them, one alone or several by name."""
        files = {
            name: file.url if isinstance(file, Remote) else os.fspath(file) for file, name in self.backgrounds.items()
        }
        return {"background": files if len(files) > 1 else next(iter(files.values()), None)}


def read_metrics(metrics: Mapping[str, Mapping[str, Any]], file: Path) -> AskedMetrics:
    """What TAE's names and parameters of metrics ask for."""
    labels: dict[str, Metric] = {}
    unavailable: dict[str, str] = {}
    faults: dict[str, list[str]] = {}
    backgrounds = _backgrounds(metrics, file)
    for label, parameters in metrics.items():
        key = _key(label)
        try:
            if key == _ATTACK and _BACKGROUND not in parameters:
                unavailable[label] = f"it names no background; expected {_BACKGROUND}"
                continue
            metric = _metric(key, parameters)
            if key == _ATTACK and len(backgrounds) > 1:
                metric = with_parameters(metric, background=backgrounds[Path(parameters[_BACKGROUND])])
        except PlanError as error:
            faults[label] = [problem.message for problem in error.problems]
            continue
        labels[label] = metric
    return AskedMetrics(labels, unavailable, faults, backgrounds)


def _backgrounds(metrics: Mapping[str, Mapping[str, Any]], file: Path) -> dict[Path, str]:
    """The files that TRIR metrics name, each with a name that no other has: that of the file, or else its path."""
    paths = [
        path_of(str(parameters[_BACKGROUND]), file, f"metrics.{shorten(label)}.{_BACKGROUND}")
        for label, parameters in metrics.items()
        if _key(label) == _ATTACK and _BACKGROUND in parameters
    ]
    different = list(dict.fromkeys(paths))
    stems = [stem(path) for path in different]
    return {path: name if stems.count(name) == 1 else str(path) for path, name in zip(different, stems, strict=True)}


# What TAE takes for a parameter that a configuration leaves out. Its README and its code (1.2.0) agree on all of these;
# on one of TRIR's they do not (see `_attack`), and numbers are made by the code.
_LEVEL = {"token_level": True}
_IC = {"weighting_model_name": "google-bert/bert-base-uncased", "weighting_max_segment_length": 100}
_TERMS = {**_IC, "term_alterning": 6, "use_chunking": True}
_RECALL = {**_LEVEL, "include_direct": True, "include_quasi": True}
_DEFAULTS: dict[str, dict[str, Any]] = {
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
_TYPES: dict[str, tuple[type | tuple[type, ...], str]] = {
    "weighting_model_name": ((str, type(None)), "the name of a model, or null"),
    "similarity_model_name": ((str, type(None)), "the name of a model, or null"),
    "term_alterning": ((int, str), 'a whole number above 1 or "sentence"'),
}
_KINDS = {bool: "true or false", int: "a whole number", str: "the name of a model", list: "a list of marks"}


def _key(label: str) -> str:
    """The metric that a label begins with, in TAE's own writing; TAE does not mind capitals."""
    key = label.split("_")[0]
    return {name.lower(): name for name in (*_DEFAULTS, _ATTACK)}.get(key.lower(), key)


def _metric(key: str, parameters: Mapping[str, Any]) -> Metric:
    if key == _ATTACK:
        return _attack(parameters)
    if key not in _DEFAULTS:
        raise PlanError(
            f"found {shorten(key)}; expected one of {', '.join([*_DEFAULTS, _ATTACK])}, then anything after _"
        )
    defaults = _DEFAULTS[key]
    parameters = {name: value for name, value in parameters.items() if name != _TELLING}
    for name, value in parameters.items():
        if name not in defaults:
            raise PlanError(f"unknown parameter {shorten(name)}; expected one of {', '.join(defaults)}")
        kind = type(defaults[name])
        types, expected = _TYPES.get(name) or (kind, _KINDS[kind])
        if not isinstance(value, types) or (isinstance(value, bool) and kind is not bool):
            raise PlanError(f"{name} is {quote_value(value)}; expected {expected}")
    chosen = {**defaults, **parameters}
    if key == "NMI":
        return _clustering(chosen)
    if key in ("TPI", "TPS"):
        return _terms(key, chosen)
    unit: Any = "token" if chosen["token_level"] else "mention"
    if key == "Precision" and chosen["weighting_model_name"] is None:
        return Precision(unit=unit)
    if key in ("Precision", "PrecisionWeighted"):
        return WeightedPrecision(unit=unit, **_information(chosen))
    include = ",".join(kind for kind in ("direct", "quasi") if chosen[f"include_{kind}"])
    if not include:
        raise PlanError("include_direct and include_quasi are both false; expected at least one true")
    return (Recall if key == "Recall" else RecallPerType)(unit=unit, include=include)


def _attack(parameters: Mapping[str, Any]) -> Metric:
    """TRIR as TAE's code makes it.

    Its README has `only_use_anonymized_background_knowledge` false by default, its code true. (It also has three
    `load_saved_…` true that the code has false; they change no number here, where nothing that was made otherwise is
    ever loaded.)
    """
    chosen = {name: value for name, value in parameters.items() if name != _BACKGROUND}
    if chosen.get("anonymize_background_knowledge", True):
        chosen = {"only_use_anonymized_background_knowledge": True} | chosen
    return ReIdentification(f"transformer({', '.join(f'{name}={value!r}' for name, value in chosen.items())})")


def _information(chosen: Mapping[str, Any]) -> dict[str, Any]:
    name = chosen["weighting_model_name"]
    ic = "uniform" if name is None else local_or_hub(name, "hf")
    return {"ic": ic, "segment_length": chosen["weighting_max_segment_length"]}


def _terms(key: str, chosen: Mapping[str, Any]) -> Metric:
    chunking = SPACY if chosen["use_chunking"] else f"spacy-tokens:{SPACY.removeprefix('spacy:')}"
    rounds = chosen["term_alterning"]
    rounds = rounds.lower() if isinstance(rounds, str) else rounds
    shared = {**_information(chosen), "chunking": chunking, "term_alterning": rounds}
    if key == "TPI":
        return TextPreservedInformation(**shared)
    name = chosen["similarity_model_name"]
    # Without a model TAE compares the word vectors of its spaCy pipeline.
    return TextPreservedSimilarity(**shared, similarity=SPACY if name is None else local_or_hub(name, "st"))


def _clustering(chosen: Mapping[str, Any]) -> Metric:
    marks = chosen["mask_marks"]
    if unusable := [mark for mark in marks if not isinstance(mark, str) or not mark.strip() or "," in mark]:
        raise PlanError(f"mask_marks has {quote_value(unusable[0])}; expected words without a comma")
    listed = "tae" if set(marks) == set(TAE_MARKS) else ",".join(dict.fromkeys(marks))
    if marks in (["none"], ["tae"]):
        listed += ","  # keeps the list of a single mark a list
    return ClusteringAgreement(
        embedding=local_or_hub(chosen["embedding_model_name"], "st"),
        mask_marks=listed if chosen["remove_mask_marks"] and marks else "none",
        **{name: chosen[name] for name in ("min_k", "max_k", "k_multiplier", "n_clusterings")},
        n_tries=chosen["n_tries_per_clustering"],
    )
