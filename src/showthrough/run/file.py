"""The run file: written as a whole, and believed only where everything in it fits together."""

from __future__ import annotations

from collections.abc import Iterator, Set
from pathlib import Path

import msgspec

from showthrough.errors import (
    HALF_CHARACTER,
    InputError,
    OutputError,
    PlanError,
    Problem,
    ResourceError,
    quoted,
    shown,
    some,
)
from showthrough.files.reading import decoded, read_bytes, type_fault
from showthrough.files.writing import write_file
from showthrough.metrics import parse_metric
from showthrough.metrics.base import LARGEST, SMALLEST, beyond
from showthrough.run.journal import Journal, is_journal
from showthrough.run.provenance import Provenance
from showthrough.run.run import FORMAT, Run

_SHOWN = 80  # characters of a metric that a message shows


class _Head(msgspec.Struct):
    format: int


_HEAD = msgspec.json.Decoder(_Head)
_RUN = msgspec.json.Decoder(Run)


def write_run(run: Run, path: Path, *, force: bool) -> None:
    write_file(path, msgspec.json.format(encoded(run, path), indent=1), force=force)


def encoded(value: msgspec.Struct, path: Path) -> bytes:
    """JSON that is to be written there. Raises OutputError where a name could not be."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        raise OutputError(f"{path}: cannot be written: a name in the run {HALF_CHARACTER}") from error


def read_run(path: Path) -> Run:
    """A run file; or the journal of a run that is not finished, as the incomplete run that it is."""
    if is_journal(path):
        return read_journal(path).run
    content = read_bytes(path)
    try:
        number = decoded(content, _HEAD, path).format  # first: another format may have other fields
        run = decoded(content, _RUN, path) if number == FORMAT else None
    except InputError as error:
        raise InputError(Problem(str(path), "is not a run file", str(error).removeprefix(f"{path}: "))) from None
    if run is None:
        raise InputError(Problem(str(path), "format", f"found {number}; this version reads {FORMAT}"))
    _check(run, path)
    return run


def read_journal(path: Path) -> Journal:
    """The journal of a run that is not finished."""
    journal = Journal(path)
    _check(journal.head.run if journal.large else journal.run, path)
    return journal


def _check(run: Run, path: Path) -> None:
    if problems := [Problem(str(path), place, message) for place, message in faults(run)]:
        raise InputError(problems)


def faults(run: Run) -> Iterator[tuple[str, str]]:
    """What does not fit together, as place and message: a run that was edited by hand or cut by a tool."""
    beside = [one.name for one in run.references]
    if len({*run.names, *beside}) < len(run.names) + len(beside):
        yield "anonymizations", f"found {some((*run.names, *beside))}; expected unique names"
        return
    try:
        msgspec.convert(run.provenance, Provenance)
    except msgspec.ValidationError as error:
        yield type_fault(error, "provenance")
    for record in run.metrics:
        if not isinstance(name := record.parameters.get("background", ""), str):
            place = f"metrics.{shown(record.text, _SHOWN)}.parameters.background"
            yield place, f"found {quoted(name)}; expected text"
    if run.texts is not None:
        yield from run.texts.faults(run.names)
    if run.groups and len(run.groups) != len(run.documents):
        yield "groups", f"expected one for each of the {len(run.documents)} documents, or none"
    texts = {record.text for record in run.metrics}
    yield from _sweep_faults(run, texts)
    for text, by_name in run.rows.items():
        place = f"rows.{shown(text, _SHOWN)}"
        if text not in texts or set(by_name) - set(beside) != set(run.names):
            yield place, f"found {some(by_name)}; expected a metric of this run and all its names"
            continue
        for name in by_name:
            if fault := _row_fault(run, text, name):
                yield f"{place}.{shown(name)}", fault


def _sweep_faults(run: Run, texts: Set[str]) -> Iterator[tuple[str, str]]:
    for name, sweep in run.sweeps.items():
        place, count = f"sweeps.{shown(name)}", len(sweep.thresholds)
        if name not in run.names or not texts >= {*sweep.values}:
            yield place, "expected an anonymization and metrics of this run"
        elif not count or {len(sweep.masks), *map(len, sweep.values.values())} != {count}:
            yield place, f"expected as many masks and values as thresholds, {count}, and one at least"


def _row_fault(run: Run, text: str, name: str) -> str:
    """Why rows are not those of every document, or lack what the metric (or what it says of them) asks for."""
    columns = run.rows[text][name]
    if any(len(column) != len(run.documents) for column in columns.values()):
        return f"expected a value for each of the {len(run.documents)} documents"
    if any(map(beyond, columns.values())):
        return f"holds a number that no metric gives; expected 0, or {SMALLEST:g} to {LARGEST:g}"
    asked = [column for column, kind in run.record(text).counts.items() if kind != "wrong"]  # of what, and how many
    if lacking := [column for column in asked if columns and column not in columns]:
        return f"{lacking[0]} is missing"
    try:
        metric = parse_metric(text)
        metric.combine(metric.totals(run.rows_of(text, name)))
    except (PlanError, ResourceError):
        return ""  # a metric of another version or another package: its scores can be shown all the same
    except KeyError as error:
        return f"{error.args[0]} is missing"
    return ""
