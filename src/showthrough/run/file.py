"""The run file: written as a whole, and believed only where everything in it fits together."""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import partial
from pathlib import Path

import msgspec
import numpy as np

from showthrough.core.errors import (
    HALF_CHARACTER,
    InputError,
    OutputError,
    Problem,
    join_names,
    quote_value,
    shorten,
)
from showthrough.core.families import input_types
from showthrough.metrics import Rows, parse_metric
from showthrough.metrics.base import LARGEST, SMALLEST, beyond
from showthrough.run.folder import (
    FORMAT as WITH_TABLES,
    folder_of,
    is_zip,
    read_folder,
    read_zip,
    remove_folder,
    with_tables,
    write_with_folder,
    write_zip,
)
from showthrough.run.journal import Journal, is_journal, is_unfinished
from showthrough.run.provenance import RunProvenance
from showthrough.run.records import Input
from showthrough.run.run import FORMAT, Run
from showthrough.storage.columns.tables import ColumnTable
from showthrough.storage.reading import decode_json, decoder_of, read_bytes, type_fault
from showthrough.storage.writing import check_new, write_file

_SHOWN = 80  # characters of a metric that a message shows


class _Head(msgspec.Struct):
    format: int
    inputs: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET


def write_run(run: Run, path: Path, *, force: bool) -> None:
    def content(stored_run: Run) -> bytes:
        return msgspec.json.format(encode_json(stored_run, path), indent=1)

    if is_unfinished(run):
        why = "an unfinished run of so many documents is not held in memory; evaluate with an output file, or resume it"
        raise OutputError(f"{path}: cannot be written: {why}")
    packed = path.suffix.lower() == ".zip"
    if not (packed or run.in_files):
        before = folder_of(path)
        write_file(path, content(run), force=force)
        remove_folder(before)
        return
    check_new(path, force=force)
    (write_zip if packed else write_with_folder)(run, path, content)


def encode_json(value: msgspec.Struct, path: Path) -> bytes:
    """JSON that is to be written there. Raises OutputError where a name could not be."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError as error:
        raise OutputError(f"{path}: cannot be written: a name in the run {HALF_CHARACTER}") from error


def read_run(path: Path) -> Run:
    """A run file; or the journal of a run that is not finished, as the incomplete run that it is."""
    if is_journal(path):
        return read_journal(path).run
    packed = is_zip(path)
    content, tables_of = read_zip(path) if packed else (read_bytes(path), partial(read_folder, path))
    try:
        head = decode_json(content, decoder_of(_Head), path)  # first: another format may have other fields
        number = head.format
        run = decode_json(content, decoder_of(Run), path) if number in (FORMAT, WITH_TABLES) else None
        if run is not None and head.inputs is msgspec.UNSET:
            run.inputs = _former_inputs(content, path)
    except InputError as error:
        why = str(error).removeprefix(f"{path}: ")
        no_run = why == "format is missing" or why.startswith("found ")  # such as a list: a corpus, most often
        remedy = "; showthrough evaluate … -o FILE writes one" if no_run else ""
        raise InputError(Problem(str(path), "is not a run file", f"{why}{remedy}")) from None
    if run is None:
        raise InputError(Problem(str(path), "format", f"found {number}; this version reads {FORMAT} and {WITH_TABLES}"))
    if number == WITH_TABLES and run.tables is not None:
        run = with_tables(run, path, *tables_of(run.tables))
    elif number == WITH_TABLES or run.tables is not None:
        raise InputError(
            Problem(str(path), "tables", f"expected them in a run of format {WITH_TABLES}, and there alone")
        )
    _check(run, path)
    return run


def _former_inputs(content: bytes, path: Path) -> dict[str, list[Input]]:
    """The inputs of a run file that has a key for each of them instead of one mapping."""
    fields = decode_json(content, msgspec.json.Decoder(dict[str, msgspec.Raw]), path)
    former = {key: msgspec.json.decode(raw) for key, raw in fields.items() if key not in Run.__struct_fields__}
    records = {kind.name: kind.former_records(former) for kind in input_types()}
    try:
        return msgspec.convert({name: inputs for name, inputs in records.items() if inputs}, dict[str, list[Input]])
    except msgspec.ValidationError as error:
        raise InputError(Problem(str(path), *type_fault(error, "inputs"))) from None


def read_journal(path: Path) -> Journal:
    """The journal of a run that is not finished."""
    journal = Journal(path)
    _check(journal.head.run if journal.large else journal.run, path)
    return journal


def _check(run: Run, path: Path) -> None:
    if problems := [Problem(str(path), location, message) for location, message in faults(run)]:
        raise InputError(problems)


def faults(run: Run) -> Iterator[tuple[str, str]]:
    """What does not fit together, as place and message: a run that was edited by hand or cut by a tool."""
    beside = [reference.name for reference in run.references]
    if len({*run.names, *beside}) < len(run.names) + len(beside):
        yield "anonymizations", f"found {join_names((*run.names, *beside))}; expected unique names"
        return
    try:
        msgspec.convert(run.provenance, RunProvenance)
    except msgspec.ValidationError as error:
        yield type_fault(error, "provenance")
    for record in run.metrics:
        for name in (kind.name for kind in input_types()):  # a parameter of that name chooses among several
            if not isinstance(chosen := record.parameters.get(name, ""), str):
                location = f"metrics.{shorten(record.text, _SHOWN)}.parameters.{name}"
                yield location, f"found {quote_value(chosen)}; expected text"
    if run.texts is not None:
        yield from run.texts.faults(run.names)
    if run.groups and len(run.groups) != len(run.documents):
        yield "groups", f"expected one for each of the {len(run.documents)} documents, or none"
    texts = {record.text for record in run.metrics}
    yield from _sweep_faults(run, texts)
    for text, by_name in run.rows.items():
        location = f"rows.{shorten(text, _SHOWN)}"
        if text not in texts or set(by_name) - set(beside) != set(run.names):
            yield location, f"found {join_names(by_name)}; expected a metric of this run and all its names"
            continue
        for name in by_name:
            if fault := _row_fault(run, text, name):
                yield f"{location}.{shorten(name)}", fault


def _sweep_faults(run: Run, texts: Set[str]) -> Iterator[tuple[str, str]]:
    for name, sweep in run.sweeps.items():
        location, count = f"sweeps.{shorten(name)}", len(sweep.thresholds)
        if name not in run.names or not texts >= {*sweep.values}:
            yield location, "expected an anonymization and metrics of this run"
        elif not count or {len(sweep.masks), *map(len, sweep.values.values())} != {count}:
            yield location, f"expected as many masks and values as thresholds, {count}, and one at least"


def _row_fault(run: Run, text: str, name: str) -> str:
    """Why rows are not those of every document, or lack what the metric (or what it says of them) asks for."""
    columns = run.rows[text][name]
    sizes = {columns.documents} if isinstance(columns, ColumnTable) else {len(column) for column in columns.values()}
    if sizes - {len(run.documents)}:
        return f"expected a value for each of the {len(run.documents)} documents"
    # A table was written by a program, and its digest says that nobody changed it since: it is not read for this.
    if not isinstance(columns, ColumnTable) and any(map(beyond, columns.values())):
        return f"holds a number that no metric gives; expected 0, or {SMALLEST:g} to {LARGEST:g}"
    required = [column for column, kind in run.record(text).counts.items() if kind != "wrong"]  # of what, and how many
    if lacking := [column for column in required if columns and column not in columns]:
        return f"{lacking[0]} is missing"
    if run.incomparable(text):
        return ""  # a metric of another version or another package: its scores can be shown all the same
    metric = parse_metric(text)
    try:
        rows = run.rows_of(text, name)
        if isinstance(columns, ColumnTable):
            rows = Rows(rows.columns, np.zeros((1, len(rows.columns))))
        metric.combine(metric.totals(rows))
    except KeyError as error:
        return f"{error.args[0]} is missing"
    return ""
