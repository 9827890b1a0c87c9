"""The files of a run of very many documents: a folder beside its JSON, or all of it in one zip file.

The JSON names the folder, and has the digest of its index; the index has sizes and digests of all files, and both have
the id of the run. So no table of another run is taken for one of this, and none that somebody cut or changed: sizes are
compared when a run is read, and digests when a table is first looked at.
"""

from __future__ import annotations

import os
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.core.errors import InputError, OutputError, Problem, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.run.records import Columns, Evidence, Tables
from showthrough.run.run import Run
from showthrough.run.stored_rows import EvidenceWriter, StoredEvidence, iter_evidence
from showthrough.storage.columns.file_slice import FileSlice, digest_of
from showthrough.storage.columns.stored_strings import StoredStrings, parts_of, write_strings
from showthrough.storage.columns.tables import ColumnTable, TableWriter, narrowest
from showthrough.storage.limits import FILE
from showthrough.storage.reading import decode_json, read_bytes, reading
from showthrough.storage.writing import remove_unfinished, report_os_errors, workshop, write_atomically

FORMAT = 2  # of the JSON of such a run: what reads runs of one file alone must not take it for one
_RUN, _INDEX, _ROWS = "run.json", "index.json", "rows"
_NAME = lazy_pattern(r"[\w.-]{1,200}")  # of a file in such a folder
_ZIP = b"PK\x03\x04"
_LOCAL = 30  # bytes before the name of a member of a zip file


class _File(msgspec.Struct, frozen=True):
    size: int
    digest: str


class _Rows(msgspec.Struct, frozen=True):
    metric: str
    anonymization: str
    columns: list[str]
    file: str


class _EvidenceFiles(msgspec.Struct, frozen=True):
    metric: str
    anonymization: str
    content: str
    places: str


class FolderIndex(msgspec.Struct, frozen=True):
    """What is in which file."""

    id: str
    documents: tuple[str, str]  # ids one after the other, and where each ends
    groups: tuple[str, str] | None
    rows: list[_Rows]
    evidence: list[_EvidenceFiles]
    files: dict[str, _File]


class _FolderWriter:
    """A new folder, and the index of what is put into it."""

    def __init__(self, folder: Path, run: Run) -> None:
        self._folder = folder
        self._files: dict[str, _File] = {}
        documents = self._strings("ids", run.documents)
        groups = self._strings("groups", run.groups) if run.groups else None
        rows = [
            _Rows(metric, name, list(columns), self._table(f"rows-{number:04}.npy", columns, len(run.documents)))
            for number, (metric, name, columns) in enumerate(_cells(run.rows))
        ]
        evidence = [
            _EvidenceFiles(metric, name, *self._write_evidence(f"shown-{number:04}", by, run.documents))
            for number, (metric, name, by) in enumerate(_cells(run.evidence))
        ]
        self.index = FolderIndex(secrets.token_hex(8), documents, groups, rows, evidence, self._files)

    def _add_files(self, *file_slices: FileSlice) -> None:
        for file_slice in file_slices:
            self._files[file_slice.path.name] = _File(file_slice.size, file_slice.digest)

    def _strings(self, name: str, strings: Sequence[str]) -> tuple[str, str]:
        content, ends = (self._folder / f"{name}.{ending}" for ending in ("utf8", "ends"))
        if isinstance(strings, StoredStrings):
            self._add_files(strings.content.copy_to(content), strings.ends.copy_to(ends))
        else:
            written = write_strings(parts_of(strings), content, ends)
            self._add_files(written.content, written.ends)
        return content.name, ends.name

    def _table(self, name: str, columns: Columns, documents: int) -> str:
        if isinstance(columns, ColumnTable):
            self._add_files(columns.file_slice.copy_to(self._folder / name))
            return name
        arrays = [np.asarray(values, dtype=np.float64) for values in columns.values()]
        values = np.column_stack(arrays) if arrays else np.zeros((documents, 0))
        writer = TableWriter(self._folder / name, list(columns), documents, narrowest(values))
        writer.put(0, list(columns), values)
        self._add_files(writer.finish().file_slice)
        return name

    def _write_evidence(self, name: str, evidence: Mapping[str, Evidence], documents: Sequence[str]) -> tuple[str, str]:
        content, positions = (self._folder / f"{name}.{ending}" for ending in ("json", "npy"))
        if isinstance(evidence, StoredEvidence) and evidence.change is None:
            self._add_files(evidence.content.copy_to(content), evidence.places.file_slice.copy_to(positions))
            return content.name, positions.name
        writer = EvidenceWriter(content)
        for number, entry in iter_evidence(documents, evidence):
            writer.put([number], [entry])
        written = writer.finish(cast(StoredStrings, documents), positions)
        self._add_files(written.content, written.places.file_slice)
        return content.name, positions.name


def _cells(by_metric: Mapping[str, Mapping[str, Any]]) -> Iterable[tuple[str, str, Any]]:
    return ((metric, name, value) for metric, by_name in by_metric.items() for name, value in by_name.items())


def write_with_folder(run: Run, path: Path, encoded: Callable[[Run], bytes]) -> None:
    """Writes the JSON of a run and the folder beside it. A reader sees the old run or the new one, with its folder.

    Raises OutputError.
    """
    with report_os_errors(path):
        if path.exists() and not path.is_file():
            raise OutputError(f"{path}: is a pipe or the like; a run of so many documents is a file and a folder")
        target = Path(os.path.realpath(path))
        remove_unfinished(target.parent)
        before = folder_of(target)
        if before is not None and (tables := _find_unchanged(run, before)) is not None:
            write_atomically(target, encoded(_rowless(run, tables)))
            return
        with workshop(target.parent) as bench:
            draft = bench / _ROWS
            draft.mkdir(mode=0o700)
            index = _FolderWriter(draft, run).index
            content = msgspec.json.encode(index)
            write_atomically(draft / _INDEX, content)
            home = target.parent / f"{target.name}.rows-{index.id[:8]}"
            draft.rename(home)
        try:
            write_atomically(target, encoded(_rowless(run, Tables(index.id, home.name, digest_of([content])))))
        except BaseException:
            shutil.rmtree(home, ignore_errors=True)
            raise
        remove_folder(before)


def write_zip(run: Run, path: Path, encoded: Callable[[Run], bytes]) -> None:
    """Writes a run as one zip file. Tables are not packed in it, so that they can be read from where they are."""
    with report_os_errors(path):
        target = Path(os.path.realpath(path))
        remove_unfinished(target.parent)
        with workshop(target.parent) as bench:
            draft = bench / _RUN
            with zipfile.ZipFile(draft, "x") as archive:
                stored_run = run
                if run.in_files:
                    (bench / _ROWS).mkdir(mode=0o700)
                    index = _FolderWriter(bench / _ROWS, run).index
                    content = msgspec.json.encode(index)
                    stored_run = _rowless(run, Tables(index.id, "", digest_of([content])))
                    archive.writestr(f"{_ROWS}/{_INDEX}", content)
                    for name in index.files:
                        archive.write(bench / _ROWS / name, f"{_ROWS}/{name}")
                archive.writestr(_RUN, encoded(stored_run), zipfile.ZIP_DEFLATED)
            draft.chmod(0o600)
            with draft.open("rb") as file:
                os.fsync(file.fileno())
            draft.replace(target)


def _rowless(run: Run, tables: Tables) -> Run:
    return replace(run, documents=[], groups=[], rows={}, evidence={}, tables=tables, format=FORMAT)


class _TablesAlone(msgspec.Struct):
    tables: Tables | None = None


def folder_of(path: Path) -> Path | None:
    """The folder that belongs to the run that stands there, where one does."""
    with suppress(OSError, InputError, msgspec.DecodeError, UnicodeDecodeError):
        if path.is_file() and not is_zip(path):
            tables = msgspec.json.decode(path.read_bytes(), type=_TablesAlone).tables
            if (
                tables is not None
                and _NAME.fullmatch(tables.folder)
                and (path.parent / tables.folder / _INDEX).is_file()
            ):
                return path.parent / tables.folder
    return None


def remove_folder(folder: Path | None) -> None:
    """Removes the folder of a run that is no longer there."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _find_unchanged(run: Run, folder: Path) -> Tables | None:
    """Where a run is written over itself and its tables are as they were: what its JSON says of them."""
    if run.tables is None or run.tables.folder != folder.name:
        return None
    try:
        content = (folder / _INDEX).read_bytes()
    except OSError:
        return None
    index = _index_of(content, folder / _INDEX)
    rows = [(row.metric, row.anonymization, row.columns, folder / row.file) for row in index.rows]
    evidence = [(entry.metric, entry.anonymization, folder / entry.content) for entry in index.evidence]
    now = [
        (metric, name, list(table), table.file_slice.path)
        for metric, name, table in _cells(run.rows)
        if isinstance(table, ColumnTable)
    ]
    told_of = [
        (metric, name, by.content.path)
        for metric, name, by in _cells(run.evidence)
        if isinstance(by, StoredEvidence) and by.change is None
    ]
    string_lists = [values for values in (run.documents, run.groups) if values]
    strings = [values.content.path if isinstance(values, StoredStrings) else None for values in string_lists]
    named = [folder / names[0] for names in (index.documents, index.groups) if names]
    same = index.id == run.tables.id and (rows, evidence, named) == (now, told_of, strings)
    return run.tables if same and digest_of([content]) == run.tables.digest else None


def is_zip(path: Path) -> bool:
    with reading(path), path.open("rb") as file:
        return file.read(len(_ZIP)) == _ZIP


def read_zip(path: Path) -> tuple[bytes, Callable[[Tables], tuple[bytes, Callable[[str, _File], FileSlice]]]]:
    """The JSON of a run in a zip file, and how to find its tables there."""
    try:
        with reading(path), zipfile.ZipFile(path) as archive:
            members = {info.filename: info for info in archive.infolist()}
            if _RUN not in members:
                raise InputError(Problem(str(path), "", f"has no {_RUN}; expected the zip file of a run"))
            content, index = (
                _read_member(path, archive, members[name]) if name in members else b""
                for name in (_RUN, f"{_ROWS}/{_INDEX}")
            )
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise InputError(Problem(str(path), "", f"is damaged, or no zip file ({shorten(str(error))})")) from None

    def find_slice(name: str, file: _File) -> FileSlice:
        member = members.get(f"{_ROWS}/{name}")
        if member is None:
            raise InputError(Problem(str(path), name, "is missing in the zip file"))
        if member.compress_type != zipfile.ZIP_STORED or member.flag_bits & 1:
            raise InputError(Problem(str(path), name, "is packed; expected it stored as it is (zip -0)"))
        if member.file_size != file.size or member.compress_size != file.size:
            raise _size_fault(f"{path}: {name}", member.file_size, file.size)
        return FileSlice(path, file.size, file.digest, _data_of(path, member), f"{path}: {name}")

    return content, lambda tables: (index, find_slice)


def _read_member(path: Path, archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    """A member of a zip file; raises InputError where it has more than may be read of it, whatever it says itself."""
    with archive.open(member) as file:
        content = file.read(FILE.bytes + 1)
    if len(content) > FILE.bytes:
        raise FILE.exceeded_error(path, "unpacks to")
    return content


def _data_of(path: Path, member: zipfile.ZipInfo) -> int:
    """Where the bytes of a member begin: after its name and what else stands before it."""
    with reading(path), path.open("rb") as file:
        file.seek(member.header_offset)
        head = file.read(_LOCAL)
    return member.header_offset + _LOCAL + sum(int.from_bytes(head[at : at + 2], "little") for at in (26, 28))


def read_folder(path: Path, tables: Tables) -> tuple[bytes, Callable[[str, _File], FileSlice]]:
    """The index of the folder beside the JSON of a run, and how to find its files."""
    if not _NAME.fullmatch(tables.folder) or tables.folder in (".", ".."):
        fault = f"found {shorten(tables.folder)}; expected the name of a folder beside"
        raise InputError(Problem(str(path), "tables.folder", fault))
    folder = path.parent / tables.folder
    if not folder.is_dir():
        fault = f"the folder {tables.folder} with its rows is not beside it; both belong together"
        raise InputError(Problem(str(path), "", fault))

    def find_slice(name: str, file: _File) -> FileSlice:
        try:
            size = (folder / name).stat().st_size
        except OSError:
            raise InputError(Problem(str(folder / name), "", "is missing; it belongs to its run")) from None
        if size != file.size:
            raise _size_fault(str(folder / name), size, file.size)
        return FileSlice(folder / name, file.size, file.digest)

    return read_bytes(folder / _INDEX), find_slice


def _size_fault(name: str, size: int, expected: int) -> InputError:
    return InputError(Problem(name, "", f"has {size:,} bytes; expected {expected:,}, as it was written with its run"))


def with_tables(run: Run, path: Path, content: bytes, find_slice: Callable[[str, _File], FileSlice]) -> Run:
    """A run with its ids, groups, rows and evidence, which stay in files. Raises InputError where they are not its."""
    tables = run.tables
    if tables is None:
        raise InputError(Problem(str(path), "tables", "is missing; expected where the rows of this run are"))
    if digest_of([content]) != tables.digest:
        fault = f"{tables.folder or 'what is in the zip file'} belongs to another run, or was changed"
        raise InputError(Problem(str(path), "", fault))
    index = _index_of(content, path)
    if index.id != tables.id:
        raise InputError(Problem(str(path), "tables.id", f"found {shorten(index.id)}; expected {shorten(tables.id)}"))

    def slice_of(name: str) -> FileSlice:
        if not _NAME.fullmatch(name) or name in (".", "..") or name not in index.files:
            raise InputError(Problem(str(path), _INDEX, f"found {shorten(name)}; expected the name of a file in it"))
        return find_slice(name, index.files[name])

    def strings(names: tuple[str, str]) -> StoredStrings:
        return StoredStrings(*map(slice_of, names))

    documents = strings(index.documents)
    rows: dict[str, dict[str, Columns]] = {}
    evidence: dict[str, dict[str, Mapping[str, Evidence]]] = {}
    for row in index.rows:
        rows.setdefault(row.metric, {})[row.anonymization] = cast(Columns, ColumnTable(row.columns, slice_of(row.file)))
    for entry in index.evidence:
        positions = ColumnTable(StoredEvidence.PLACES, slice_of(entry.places))
        seen = StoredEvidence(documents, slice_of(entry.content), positions)
        evidence.setdefault(entry.metric, {})[entry.anonymization] = seen
    groups = [] if index.groups is None else strings(index.groups)
    return replace(run, documents=documents, groups=groups, rows=rows, evidence=evidence)


def _index_of(content: bytes, path: Path) -> FolderIndex:
    return decode_json(content, msgspec.json.Decoder(FolderIndex), path, _INDEX)
