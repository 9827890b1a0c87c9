"""A run for others: without the words of its documents, and without the folders that it was read from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar, cast

import msgspec
from msgspec.structs import replace

from showthrough.run.places import Places
from showthrough.run.records import Columns, Evidence, Failure
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.run.stored import StoredEvidence
from showthrough.storage.columns.tables import Table

Record = TypeVar("Record", bound=msgspec.Struct)


def without_text(run: Run) -> Run:
    bare = without_folders(run)
    evidence = {
        metric: {name: _wordless(by) for name, by in by_name.items()} for metric, by_name in bare.evidence.items()
    }
    ceiling = None if bare.ceiling is None else bare.ceiling.unnamed
    provenance = {**bare.provenance, WITHOUT_TEXT: True}
    return replace(bare, provenance=provenance, texts=None, evidence=evidence, ceiling=ceiling)


def _wordless(evidence: Mapping[str, Evidence]) -> Mapping[str, Evidence]:
    """What can be shown without a word of the texts. Places go as well: with the released text, they lead to it."""
    return _changed(evidence, _bare)


def _bare(one: Evidence) -> Evidence | None:
    if not one.attack and (one.places or one.strings or one.passages or one.inferred):
        return None
    nothing: dict[str, list[object]] = {each: [] for each in ("words", "places", "strings", "passages", "inferred")}
    return replace(one, **nothing)


def _changed(evidence: Mapping[str, Evidence], change: Callable[[Evidence], Evidence | None]) -> Mapping[str, Evidence]:
    """Something else about each document, or nothing; of what is in files when it is asked for."""
    if isinstance(evidence, StoredEvidence):
        return evidence.told(change)
    return {document: told for document, one in evidence.items() if (told := change(one)) is not None}


def _called(columns: Columns, told: Callable[[str], str]) -> Columns:
    """The same columns under other names."""
    if isinstance(columns, Table):
        return cast(Columns, columns.called(list(map(told, columns))))
    return {told(column): values for column, values in columns.items()}


def without_folders(run: Run) -> Run:
    places = Places(run.metrics)

    def told(one: Record, *fields: str) -> Record:
        return replace(one, **{field: places.told(getattr(one, field)) for field in fields})

    return replace(
        run,
        corpus=run.corpus.unplaced,
        anonymizations=[one.unplaced for one in run.anonymizations],
        inputs={name: [one.unplaced for one in records] for name, records in run.inputs.items()},
        asked=[told(one, "name", "model") for one in run.asked],
        metrics=[told(record, "text", "parameters", "neutral") for record in run.metrics],
        scores=[told(score, "metric", "part", "reason", "signature", "note") for score in run.scores],
        rows={
            places.told(metric): {name: _called(columns, places.told) for name, columns in by_name.items()}
            for metric, by_name in run.rows.items()
        },
        failures=[Failure(places.told(one.metric), places.told_of_failure(one.reason)) for one in run.failures],
        provenance=places.told(run.provenance),
        evidence={
            places.told(metric): {name: _changed(by, lambda one: told(one, "attack")) for name, by in by_name.items()}
            for metric, by_name in run.evidence.items()
        },
        notes=places.told(run.notes),
        thresholds=[told(one, "metric", "part") for one in run.thresholds],
        ceiling=None if run.ceiling is None else run.ceiling.called(places.told),
        sweeps={name: one.called(places.told) for name, one in run.sweeps.items()},
    )


def with_folders_of(kept: Run, run: Run) -> Run:
    places = Places(run.metrics)
    texts = {places.told(record.text): record.text for record in run.metrics}
    here = [(places.told(record.text), record.version) for record in run.metrics]
    if not kept.provenance.get(WITHOUT_TEXT) or [(one.text, one.version) for one in kept.metrics] != here:
        return kept
    models = kept.provenance.get("models", {})
    columns = {text: {column for by in by_name.values() for column in by} for text, by_name in kept.rows.items()}
    rows = {texts[text]: by_name for text, by_name in kept.rows.items() if not places.named_in(columns[text])}
    return replace(
        kept,
        metrics=run.metrics,
        rows=rows,
        failures=[Failure(texts[one.metric], one.reason) for one in kept.failures],
        provenance={**kept.provenance, "models": {places.full(name): models[name] for name in models}},
        evidence={texts[text]: by_name for text, by_name in kept.evidence.items() if texts[text] in rows},
    )
