"""Files that say what to evaluate: our own TOML, and the Text Anonymization Evaluator's configuration."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from showthrough.core.errors import InputError, PlanError, Problem, shorten
from showthrough.core.families import families
from showthrough.evaluation.requests import EvaluationRequest, Source, path_of, resolve_path, seen_from
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.metrics import metrics_of, preset
from showthrough.run.gate.parsing import parse_thresholds
from showthrough.storage.file_heads import Head
from showthrough.storage.reading import decode_json, read_bytes, suffix, text_of

_FAULT = 100  # characters of what a reader of TOML says


def is_request(path: Path | Head) -> bool:
    """Whether a file is a plan or a TAE configuration rather than a corpus."""
    head = Head.of(path)
    if suffix(head.path) == ".toml":
        return True
    if head.suffix != ".json" or head.json.opening != b"{":
        return False
    return any(family.is_request(head) for family in families())


def read_request(path: Path, kind: type[FileSettings] = FileSettings) -> EvaluationRequest:
    """What a plan (TOML) or a TAE configuration (JSON) asks for; `kind` has the settings that a plan may name."""
    if suffix(path) == ".toml":
        return _read_toml(path, kind)
    head = Head.of(path)
    readers = [family for family in families() if family.reads_requests]
    return next((family for family in readers if family.is_request(head)), readers[0]).read_request(path)


class _Table(msgspec.Struct, forbid_unknown_fields=True):
    path: str | list[str]  # a file or a pattern, or several
    id_column: str | None = None
    text_column: str | None = None


class _Inputs(msgspec.Struct, forbid_unknown_fields=True):
    corpus: str | list[str] | _Table
    anonymizations: dict[str, str | list[str] | _Table] = {}  # none where released texts stand beside the originals
    metrics: list[str] = []
    preset: str | None = None
    output: str | None = None
    thresholds: dict[str, dict[str, float]] = {}


def plan_keys(kind: type[FileSettings] = FileSettings) -> type[msgspec.Struct]:
    """What a plan may say: what there is to evaluate, and any setting."""
    settings = [(option.name, option.type, option.default) for option in options_of(kind).values()]
    return msgspec.defstruct("Keys", settings, bases=(_Inputs,), forbid_unknown_fields=True)


def _read_toml(path: Path, kind: type[FileSettings]) -> EvaluationRequest:
    keys = plan_keys(kind)
    plan: Any = decode_json(_json_of(path, keys.__struct_fields__), msgspec.json.Decoder(keys), path)
    if not (plan.anonymizations or plan.released):
        expected = "none was given; expected at least one, or columns that are released"
        raise InputError(Problem(str(path), "anonymizations", expected))
    try:
        settings = kind(**{name: getattr(plan, name) for name in options_of(kind)})
        if settings.names:
            settings = replace(settings, names=seen_from(path, settings.names, "names"))
        for family in families():
            settings = replace(settings, **family.relocate(settings, path))
        metrics = metrics_of([*(preset(plan.preset) if plan.preset else ()), *plan.metrics])
    except PlanError as error:
        raise InputError([Problem(str(path), problem.place, problem.message) for problem in error.problems]) from error

    def file(value: str, location: str) -> Path:
        return resolve_path(path, path_of(value, path, location))

    def source(value: str | list[str] | _Table, location: str) -> Source:
        table = value if isinstance(value, _Table) else _Table(value)
        files = [file(entry, location) for entry in ([table.path] if isinstance(table.path, str) else table.path)]
        columns = {"id_column": table.id_column, "text_column": table.text_column}
        own = {name: column for name, column in columns.items() if column is not None}
        whole = files[0] if isinstance(table.path, str) else Head.of(files)
        return Source(whole, {**settings.columns, **own})

    return EvaluationRequest(
        source(plan.corpus, "corpus"),
        {name: source(value, f"anonymizations.{shorten(name)}") for name, value in plan.anonymizations.items()},
        tuple(metrics) or None,
        settings,
        output=None if plan.output is None else file(plan.output, "output"),
        thresholds=parse_thresholds(plan.thresholds, str(path)),
    )


def _json_of(path: Path, keys: tuple[str, ...]) -> bytes:
    """A TOML file in JSON: one decoder, one wording of errors."""
    import tomllib  # here: few evaluations have a plan

    try:
        content = tomllib.loads(text_of(path, read_bytes(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(Problem(str(path), "", f"is not valid TOML: {shorten(str(error), _FAULT)}")) from error
    except ValueError:  # the only other one: a number of more digits than Python reads
        raise InputError(
            Problem(str(path), "", "has a number of thousands of digits; expected a smaller one")
        ) from None
    except RecursionError:
        raise InputError(Problem(str(path), "", "is nested too deeply; expected a few levels")) from None
    if strangers := [key for key in content if key not in keys]:
        expected = f"unknown key; expected one of {', '.join(keys)}"
        raise InputError(Problem(str(path), shorten(key), expected) for key in strangers)
    return msgspec.json.encode(content, enc_hook=str)
