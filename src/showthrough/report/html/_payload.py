"""The data inside the page: one small block that it starts with, and documents in packets that it opens on demand.

Every block is JSON, compressed and written in base 64, so nothing in it can ever be read as markup.
"""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import astuple
from functools import cache
from itertools import groupby, islice, zip_longest
from operator import itemgetter
from typing import Any

import msgspec
import numpy as np

from showthrough.core.arrays import Ints
from showthrough.data.documents import Identifier
from showthrough.data.masks import flatten_masks
from showthrough.metrics import Role
from showthrough.metrics.matching.entities import NEARLY
from showthrough.report.charts.attack import attack_bars
from showthrough.report.charts.parts import part_cells, with_parts
from showthrough.report.charts.significance import pair_cell
from showthrough.report.privacy_utility import PlaneMetric, first_choice, on_front, plane_metrics
from showthrough.report.significance import pairs
from showthrough.report.sweeps import axes, curves
from showthrough.run.records import Evidence, MetricRecord
from showthrough.run.roles import choose_metric, find_metrics
from showthrough.run.run import Run
from showthrough.studies.failures import KINDS, NOT_MARKED, FailureAnalysis, Inspection, Location

PACKET_CHARACTERS = 150_000  # of text in a packet: opening one takes a few milliseconds
EXAMPLES = 24  # of each kind of failure, for each entity type
_PEOPLE = 8  # annotators that a tip has room for
_AROUND = 60  # characters that an example shows on either side
_LONGEST = 2_000  # characters of the place itself that it shows


def pack(content: Any) -> str:
    """JSON, compressed, in base 64; the same content always gives the same characters."""
    return base64.b64encode(gzip.compress(msgspec.json.encode(content), compresslevel=6, mtime=0)).decode("ascii")


def charts(run: Run) -> dict[str, Any]:
    """What the page draws, by kind: the plane, and for the others the data of each metric."""
    numbers = plane_metrics(run)
    axes = first_choice(numbers)
    compared = pairs(run)
    drawn: dict[str, Any] = {"plane": _plane(run, numbers, *axes)} if axes else {}
    drawn["sweeps"] = _sweeps(run)
    drawn["attack"] = {
        record.text: {"title": _metric_title(run, record), "bars": attack_bars(run, record)}
        for record in find_metrics(run, "attack")
    }
    drawn["parts"] = {
        record.text: {"title": _metric_title(run, record), "cells": part_cells(run, record)}
        for record in with_parts(run)
    }
    drawn["significance"] = {
        metric: {
            "title": _metric_title(run, run.record(metric)),
            "cells": [pair_cell(run, comparison) for comparison in both],
        }
        for metric, both in compared.items()
    }
    return {kind: data for kind, data in drawn.items() if data}


def _metric_title(run: Run, record: MetricRecord) -> str:
    """What people call a metric, then its short name, and its parameters only where another has that name too."""
    alone = sum(other.name == record.name for other in run.metrics) == 1
    return f"{record.title} ({record.name if alone else record.text})"


def _plane(run: Run, numbers: Sequence[PlaneMetric], across: PlaneMetric, up: PlaneMetric) -> dict[str, Any]:
    return {
        "across": across.record.text,
        "up": up.record.text,
        "metrics": [
            {
                "text": metric.record.text,
                "title": _metric_title(run, metric.record),
                "group": metric.record.group,
                "reverse": metric.record.better == "lower",
                "values": [metric.values.get(name) for name in run.names],
                "people": _people(metric),
            }
            for metric in numbers
        ],
        # For any two metrics the numbers of those on the front. None against itself.
        "front": {
            metric.record.text: {
                two.record.text: [run.names.index(name) for name in on_front(run.names, metric, two)]
                for two in numbers
                if two is not metric
            }
            for metric in numbers
        },
    }


def _sweeps(run: Run) -> dict[str, Any]:
    """Curves by the metric across and the metric up: the number of the anonymization, and its points."""
    recall, precision = axes(run)
    by_axes = {
        across.text: {
            up.text: [
                [run.names.index(curve.name), [astuple(point) for point in curve.points]]
                for curve in curves(run, across, up)
            ]
            for up in precision
        }
        for across in recall
    }
    titles = {
        side: [[record.text, _metric_title(run, record)] for record in records]
        for side, records in zip(("across", "up"), (recall, precision), strict=True)
    }
    return {**titles, "curves": by_axes} if by_axes else {}


def _people(metric: PlaneMetric) -> dict[str, Any] | None:
    if metric.people is None:
        return None
    first = list(islice(metric.people.each.items(), _PEOPLE))
    return {
        "value": metric.people.value,
        "sample": metric.people.sample,
        "each": [(name, value, documents) for name, (value, documents) in first],
        "more": metric.people.more + len(metric.people.each) - len(first),
    }


def failures(run: Run, findings: dict[str, FailureAnalysis], *, with_text: bool) -> dict[str, Any]:
    """Counts by anonymization, kind and entity type, with examples where text may be shown."""
    if run.texts is None:
        return {}
    documents = run.texts.documents
    failed = {entity_type for own_findings in findings.values() for _, entity_type in own_findings.failures}
    types = sorted(failed, key=lambda entity_type: (entity_type == NOT_MARKED, entity_type))

    def example(location: Location) -> list[Any]:
        text = documents[location.document].text
        before, after = (
            text[max(0, location.start - _AROUND) : location.start],
            text[location.end : location.end + _AROUND],
        )
        level = levels(location.document).get((location.start, location.end), "")
        return [location.document, location.start, before, _quote_location(text, location), after, level]

    @cache
    def levels(number: int) -> dict[tuple[int, int], Identifier]:
        """How the spans of a document identify; direct for one annotator is direct."""
        marks = [mark for annotation in documents[number].annotations for mark in annotation.mentions]
        spans = sorted((mark.identifier, mark.start, mark.end) for mark in marks if mark.must_mask)
        return {(start, end): identifier for identifier, start, end in reversed(spans)}  # DIRECT comes before QUASI

    def table(own_findings: FailureAnalysis, entry: Callable[[Sequence[Location]], Any]) -> list[list[Any]]:
        return [[entry(own_findings.failures.get((kind, entity_type), ())) for kind in KINDS] for entity_type in types]

    def examples(locations: Sequence[Location]) -> list[Any]:
        return [example(location) for location in _sample_locations(locations)]

    counts = {name: table(own_findings, len) for name, own_findings in findings.items()}
    shown = {name: table(own_findings, examples) for name, own_findings in findings.items()} if with_text else None
    return {"kinds": KINDS, "types": types, "counts": counts, "examples": shown}


def _quote_location(text: str, location: Location) -> str:
    """What stands at a place, of a very long one the beginning and the end."""
    if location.end - location.start <= _LONGEST:
        return text[location.start : location.end]
    half = _LONGEST // 2
    return f"{text[location.start : location.start + half]} … {text[location.end - half : location.end]}"


def _sample_locations(locations: Iterable[Location]) -> list[Location]:
    """A few of them, in order, from as many documents as possible."""
    by_document = [list(group) for _, group in groupby(locations, key=itemgetter(0))]
    turns = (location for turn in zip_longest(*by_document) for location in turn if location is not None)
    return list(islice(turns, EXAMPLES))


def documents(run: Run, inspection: Inspection, findings: dict[str, FailureAnalysis]) -> Iterator[list[dict[str, Any]]]:
    """Packets of documents as the viewer wants them: text, layers of mentions, masks, what became of each mention.

    `given` are the words that can be read in the replacement of their mask.
    """
    texts = inspection.texts
    repeated = {name: _by_document(findings[name].echoes) for name in run.names}
    codes = {name: (findings[name].outcome + ord("0")).astype(np.uint8).tobytes().decode() for name in run.names}
    position = size = 0  # of the next mention among all of them; of the packet
    packet: list[dict[str, Any]] = []
    for number, document in enumerate(texts.documents):
        first = position
        position += sum(len(annotation.mentions) for annotation in document.annotations)
        layers = [
            [
                annotation.annotator,
                [(mark.start, mark.end, mark.entity_type, mark.identifier) for mark in annotation.mentions],
            ]
            for annotation in document.annotations
        ]
        masks = {name: flatten_masks(texts.masks[name][number]) for name in run.names}
        packet.append(
            {
                "text": document.text,
                **({"protected": document.protected} if document.protected else {}),
                "layers": layers,
                "masks": {
                    name: [(mask.start, mask.end, mask.replacement) for mask in masks[name]] for name in run.names
                },
                "given": {name: repeated[name].get(number, []) for name in run.names},
                "outcomes": {name: codes[name][first:position] for name in run.names},
                "evidence": {
                    metric: {
                        name: msgspec.to_builtins(by_id[document.id])
                        for name, by_id in by_name.items()
                        if document.id in by_id
                    }
                    for metric, by_name in run.evidence.items()
                },
            }
        )
        size += len(document.text)
        if size > PACKET_CHARACTERS:
            yield packet
            packet, size = [], 0
    if packet:
        yield packet


def _by_document(locations: Iterable[Location]) -> dict[int, list[tuple[int, int]]]:
    spans: dict[int, list[tuple[int, int]]] = {}
    for location in locations:
        spans.setdefault(location.document, []).append((location.start, location.end))
    return spans


def index(run: Run, findings: dict[str, FailureAnalysis], packets: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """The list of documents: which packet each is in, and how much of it can be read."""
    if run.texts is None:
        return {}
    ids = [document.id for document in run.texts.documents]
    by_name = {name: [by[name] for by in run.evidence.values() if name in by] for name in run.names}
    # Whether an attack's first guess is the person; a tie at the first place is none.
    first = {
        name: {key for by in by_name[name] for key in ids if key in by and by[key].rank == 1} for name in run.names
    }
    return {
        "ids": ids,
        "packets": [len(packet) for packet in packets],
        "leaks": {name: _readable(run, name, ids, own_findings.leaks) for name, own_findings in findings.items()},
        "left": _left_metrics(run),
        "seen": {
            name: [sum(_count_seen(by[key]) for by in by_name[name] if key in by) for key in ids] for name in run.names
        },
        "inferred": {
            name: [max((len(by[key].inferred) for by in by_name[name] if key in by), default=0) for key in ids]
            for name in run.names
        },
        "found": {name: [key in first[name] for key in ids] for name in run.names},
        "annotated": [bool(document.annotations) for document in run.texts.documents],
    }


def _left_metrics(run: Run) -> dict[str, str]:
    """The metrics that tell which identifiers can be read where they were not marked, and of which kind these are."""
    roles: dict[Role, str] = {"direct identifiers": "direct", "quasi-identifiers": "quasi"}
    chosen_records = ((choose_metric(run, role), kind) for role, kind in roles.items())
    return {record.text: kind for record, kind in chosen_records if record and "release" in record.roles}


def _readable(run: Run, name: str, ids: Sequence[str], marked: Ints) -> list[list[int]]:
    """By document, how many direct identifiers and quasi-identifiers can be read, where they were marked or not."""
    counts = marked.copy()
    for text, kind in _left_metrics(run).items():
        evidence = run.evidence.get(text, {}).get(name, {})
        for number, key in enumerate(ids):
            if key in evidence:
                counts[number, int(kind == "quasi")] += sum(location.how != NEARLY for location in evidence[key].places)
    return list(counts.tolist())


def _count_seen(evidence: Evidence) -> int:
    """What the page shows of a document as still there: finds, and strings that are masked elsewhere in it."""
    finds = sum(location.how in ("", NEARLY) for location in evidence.places)
    return finds + sum(bool(string.readable) for string in evidence.strings)
