"""A run for others: without the words of its documents, and without the folders that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import msgspec
from msgspec.structs import replace

from showthrough.run.folders import PathNames
from showthrough.run.records import Columns, Evidence, Failure
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.run.stored_rows import StoredEvidence
from showthrough.storage.columns.tables import ColumnTable

Record = TypeVar("Record", bound=msgspec.Struct)


def without_text(run: Run) -> Run:
    bare = without_folders(run)
    evidence = {
        metric: {name: _wordless(by) for name, by in by_name.items()} for metric, by_name in bare.evidence.items()
    }
    ceiling = None if bare.ceiling is None else bare.ceiling.unnamed
    provenance = {**bare.provenance, WITHOUT_TEXT: True}
    renamed = {field: each.new_names for field, each in bare.slices.items()}
    thresholds = [
        replace(threshold, group=renamed.get(threshold.slice, {}).get(threshold.group, threshold.group))
        for threshold in bare.thresholds
    ]
    return replace(
        bare,
        provenance=provenance,
        texts=None,
        evidence=evidence,
        ceiling=ceiling,
        thresholds=thresholds,
        slices={field: each.unnamed() for field, each in bare.slices.items()},
    )


def _wordless(evidence: Mapping[str, Evidence]) -> Mapping[str, Evidence]:
    """What can be shown without a word of the texts. Places go as well: with the released text, they lead to it."""
    return _map_evidence(evidence, _bare)


def _bare(evidence: Evidence) -> Evidence | None:
    texts = ("places", "strings", "passages", "inferred", "surrogates")
    if not evidence.attack and any(getattr(evidence, field) for field in texts):
        return None
    nothing: dict[str, list[object]] = {field: [] for field in ("words", *texts)}
    return replace(evidence, **nothing)


def _map_evidence(
    evidence: Mapping[str, Evidence], change: Callable[[Evidence], Evidence | None]
) -> Mapping[str, Evidence]:
    """Something else about each document, or nothing; of what is in files when it is asked for."""
    if isinstance(evidence, StoredEvidence):
        return evidence.with_change(change)
    return {document: replacement for document, entry in evidence.items() if (replacement := change(entry)) is not None}


def _rename_columns(columns: Columns, rename: Callable[[str], str]) -> Columns:
    """The same columns under other names."""
    if isinstance(columns, ColumnTable):
        return cast(Columns, columns.rename(list(map(rename, columns))))
    return {rename(column): values for column, values in columns.items()}


def without_folders(run: Run) -> Run:
    path_names = PathNames(run.metrics)

    def shorten_fields(record: Record, *fields: str) -> Record:
        return replace(record, **{field: path_names.shorten(getattr(record, field)) for field in fields})

    return replace(
        run,
        corpus=run.corpus.without_path,
        anonymizations=[anonymization.without_path for anonymization in run.anonymizations],
        inputs={name: [record.without_path for record in records] for name, records in run.inputs.items()},
        asked=[shorten_fields(model, "name", "model") for model in run.asked],
        metrics=[shorten_fields(record, "text", "parameters", "neutral") for record in run.metrics],
        scores=[shorten_fields(score, "metric", "part", "reason", "signature", "note") for score in run.scores],
        rows={
            path_names.shorten(metric): {
                name: _rename_columns(columns, path_names.shorten) for name, columns in by_name.items()
            }
            for metric, by_name in run.rows.items()
        },
        failures=[
            Failure(path_names.shorten(failure.metric), path_names.shorten_reason(failure.reason))
            for failure in run.failures
        ],
        provenance=path_names.shorten(run.provenance),
        evidence={
            path_names.shorten(metric): {
                name: _map_evidence(by, lambda entry: shorten_fields(entry, "attack")) for name, by in by_name.items()
            }
            for metric, by_name in run.evidence.items()
        },
        notes=path_names.shorten(run.notes),
        thresholds=[shorten_fields(threshold, "metric", "part") for threshold in run.thresholds],
        ceiling=None if run.ceiling is None else run.ceiling.rename_metrics(path_names.shorten),
        slices={field: each.rename_metrics(path_names.shorten) for field, each in run.slices.items()},
        sweeps={name: sweep.rename_metrics(path_names.shorten) for name, sweep in run.sweeps.items()},
    )


def with_folders_of(earlier: Run, run: Run) -> Run:
    path_names = PathNames(run.metrics)
    texts = {path_names.shorten(record.text): record.text for record in run.metrics}
    versions = [(path_names.shorten(record.text), record.version) for record in run.metrics]
    if (
        not earlier.provenance.get(WITHOUT_TEXT)
        or [(record.text, record.version) for record in earlier.metrics] != versions
    ):
        return earlier
    models = earlier.provenance.get("models", {})
    columns = {text: {column for by in by_name.values() for column in by} for text, by_name in earlier.rows.items()}
    rows = {texts[text]: by_name for text, by_name in earlier.rows.items() if not path_names.named_in(columns[text])}
    return replace(
        earlier,
        metrics=run.metrics,
        rows=rows,
        failures=[Failure(texts[failure.metric], failure.reason) for failure in earlier.failures],
        provenance={**earlier.provenance, "models": {path_names.full(name): models[name] for name in models}},
        evidence={texts[text]: by_name for text, by_name in earlier.evidence.items() if texts[text] in rows},
    )
