"""The rows of very many documents, from answers to tables in files, in the order of the documents' ids."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.data.documents import Corpus
from showthrough.data.references import REFERENCES
from showthrough.evaluation.chunks import Cell
from showthrough.evaluation.gathered import EvaluationProgress
from showthrough.run.records import Evidence
from showthrough.run.stored import EvidenceWriter, StoredEvidence, StoredRows
from showthrough.storage.columns.bench import ScratchFolder
from showthrough.storage.columns.stored_strings import StoredStrings, parts_of, write_strings
from showthrough.storage.columns.strings import Strings
from showthrough.storage.columns.tables import TableWriter
from showthrough.storage.writing import report_os_errors

_BLOCK = 4096  # documents whose evidence is written together


class ResultStore:
    """Rows, evidence, ids and groups of all documents. Its files are gone when nobody refers to them any more."""

    def __init__(self, gathered: EvaluationProgress, cells: Sequence[Cell], corpus: Corpus, home: Path | None) -> None:
        """Writes them into a private folder of a folder. Raises OutputError where they cannot be written."""
        self.faults: dict[str, Exception] = {}  # metrics whose evidence cannot be written: guests'
        folder = Path(tempfile.gettempdir()) if home is None else home
        with report_os_errors(folder):
            self._bench, self._ids = ScratchFolder(folder), corpus.ids
            self.order = _order(self._ids)  # the number of each document in the corpus
            self.documents = self._strings(self._ids)
            self.groups = self._strings(groups) if (groups := corpus.units.labels) else None
            self.rows: dict[Cell, StoredRows] = {}
            self.evidence: dict[Cell, StoredEvidence] = {}
            self._write(gathered, cells)

    def _strings(self, strings: Sequence[str]) -> StoredStrings:
        bench = self._bench
        return write_strings(parts_of(strings, self.order), bench.new(), bench.new(), bench)

    def _write(self, gathered: EvaluationProgress, cells: Sequence[Cell]) -> None:
        shapes, count = gathered.shapes, len(self._ids)
        tables = {
            cell: TableWriter(self._bench.new(), shapes[cell].columns, count, shapes[cell].kind) for cell in cells
        }
        shown: dict[Cell, EvidenceWriter] = {}
        for piece in gathered.in_order():
            for cell, rows in piece.result.rows.items():
                if cell not in tables:
                    continue
                tables[cell].put(piece.numbers.start, rows.columns, rows.values)
                if rows.evidence and cell[1] not in REFERENCES:
                    if cell not in shown:
                        shown[cell] = EvidenceWriter(self._bench.new())
                    self._show(cell, shown[cell], rows.evidence, piece.numbers)
        for cell, table in tables.items():
            self.rows[cell] = StoredRows(table.finish(self.order, self._bench))
        rank = None
        if shown and self.order is not None:
            rank = np.empty(count, dtype=np.uint32)
            rank[self.order] = np.arange(count, dtype=np.uint32)
        for cell, writer in shown.items():
            self.evidence[cell] = writer.finish(self.documents, self._bench.new(), rank, self._bench)

    def _show(
        self, cell: Cell, writer: EvidenceWriter, evidence: Mapping[str, Mapping[str, object]], numbers: range
    ) -> None:
        for start in range(numbers.start, numbers.stop, _BLOCK):
            ids = self._ids[start : min(start + _BLOCK, numbers.stop)]
            by_number = {start + offset: evidence[key] for offset, key in enumerate(ids) if key in evidence}
            try:
                converted = msgspec.convert(list(by_number.values()), list[Evidence])
            except msgspec.ValidationError as error:
                self.faults[cell[0]] = error
                continue
            writer.put(list(by_number), converted)

    def numbers(self, size: int) -> Iterator[NDArray[np.int64]]:
        """The numbers of documents in the corpus, so many at a time, in the order of the tables."""
        for start in range(0, len(self._ids), size):
            stop = min(start + size, len(self._ids))
            yield np.arange(start, stop) if self.order is None else self.order[start:stop].astype(np.int64)


def _order(ids: Sequence[str]) -> NDArray[np.uint32] | None:
    """Numbers of ids in the order of their code points; `None` where they stand in it."""
    order = (ids if isinstance(ids, Strings) else Strings.of(ids)).order().astype(np.uint32)
    return None if (order == np.arange(len(order), dtype=np.uint32)).all() else order
