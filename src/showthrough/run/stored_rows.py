"""What a run holds of very many documents: rows and evidence that stay in files, and are read where they are asked for.

Documents are in the order of their ids there, so that rows need not be sorted before they are drawn or exchanged.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path

import msgspec
import numpy as np

from showthrough.core.arrays import AnyArray, Floats, Ints, Uints32
from showthrough.metrics.derived import DerivedRows
from showthrough.run.records import Evidence
from showthrough.statistics.rows import BLOCK
from showthrough.storage.columns.file_slice import FileSlice
from showthrough.storage.columns.stored_strings import StoredStrings
from showthrough.storage.columns.strings import Strings
from showthrough.storage.columns.tables import ColumnTable, TableWriter
from showthrough.storage.reading import decoder_of

_PLACES = np.dtype("<i8")
_BLOCK = 4096  # ids that are read at a time
_NUMBER, _START, _END = "number", "start", "end"


class StoredRows(DerivedRows):
    """Rows whose values lie in a file."""

    table: ColumnTable

    def __init__(self, table: ColumnTable) -> None:
        super().__init__(table.columns, table.documents, partial(table.blocks, BLOCK))
        object.__setattr__(self, "table", table)

    def column(self, name: str) -> Floats:
        return self.table[name].astype(np.float64)


class StoredEvidence(Mapping[str, Evidence]):
    """What a metric has to show, by document: what each shows as JSON in one file, and whose it is in another."""

    PLACES = (_NUMBER, _START, _END)  # columns of the other

    def __init__(
        self,
        documents: StoredStrings,
        content: FileSlice,
        positions: ColumnTable,
        change: Callable[[Evidence], Evidence | None] | None = None,
    ) -> None:
        self.documents, self.content, self.places = documents, content, positions
        self.change = change  # what is told of each in the place of it; None: nothing

    @cached_property
    def _numbers(self) -> AnyArray:
        return self.places[_NUMBER]

    @cached_property
    def _spans(self) -> tuple[AnyArray, AnyArray]:
        return self.places[_START], self.places[_END]

    def __getitem__(self, document: str) -> Evidence:
        number = self.documents.number_of(document)
        index = int(np.searchsorted(self._numbers, -1 if number is None else number))
        if number is None or index == len(self._numbers) or self._numbers[index] != number:
            raise KeyError(document)
        evidence = self._read_at(index)
        if evidence is None:
            raise KeyError(document)
        return evidence

    def __iter__(self) -> Iterator[str]:
        return (document for document, _ in self.items())

    def __len__(self) -> int:
        return self.places.documents if self.change is None else sum(1 for _ in self.items())

    def __bool__(self) -> bool:
        return next(iter(self.items()), None) is not None

    def items(self) -> ItemsView[str, Evidence]:
        return _Items(self)

    def with_change(self, change: Callable[[Evidence], Evidence | None]) -> StoredEvidence:
        """The same with something else told of each document, or nothing."""
        before = self.change

        def both(evidence: Evidence) -> Evidence | None:
            result = evidence if before is None else before(evidence)
            return None if result is None else change(result)

        return StoredEvidence(self.documents, self.content, self.places, both)

    def _read_at(self, index: int) -> Evidence | None:
        starts, ends = self._spans
        evidence = decoder_of(Evidence).decode(self.content.read(int(starts[index]), int(ends[index] - starts[index])))
        return evidence if self.change is None else self.change(evidence)

    def iter_numbered(self) -> Iterator[tuple[int, Evidence]]:
        """All of them with the numbers of their documents, in that order."""
        starts, ends = self._spans
        with self.content.open() as file:
            for number, start, end in zip(self._numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
                file.seek(self.content.start + start)
                evidence: Evidence | None = decoder_of(Evidence).decode(file.read(end - start))
                if evidence is not None and self.change is not None:
                    evidence = self.change(evidence)
                if evidence is not None:
                    yield number, evidence

    def pairs(self) -> Iterator[tuple[str, Evidence]]:
        """All of them in the order of the documents."""
        start, ids = 0, Strings.of(())
        for number, evidence in self.iter_numbered():
            if number >= start + len(ids):
                start, ids = number, self.documents.part(number, number + _BLOCK)
            yield ids[number - start], evidence


def iter_evidence(documents: Sequence[str], evidence: Mapping[str, Evidence]) -> Iterator[tuple[int, Evidence]]:
    """What is shown of documents, with their numbers, in their order."""
    if isinstance(evidence, StoredEvidence):
        return evidence.iter_numbered()
    return ((number, evidence[document]) for number, document in enumerate(documents) if document in evidence)


class _Items(ItemsView[str, Evidence]):
    """As of any mapping, but read one after the other."""

    _mapping: StoredEvidence

    def __iter__(self) -> Iterator[tuple[str, Evidence]]:
        return self._mapping.pairs()


class EvidenceWriter:
    """What a metric shows of documents, written in whatever order it comes."""

    def __init__(self, content: Path) -> None:
        self._content = content
        self._file = content.open("xb")
        content.chmod(0o600)
        self._numbers: list[Ints] = []
        self._sizes: list[Ints] = []

    def put(self, numbers: Sequence[int], shown: Iterable[Evidence]) -> None:
        """Of documents with these numbers."""
        encoded = [msgspec.json.encode(entry) for entry in shown]
        self._file.write(b"".join(encoded))
        self._numbers.append(np.array(numbers, dtype=np.int64))
        self._sizes.append(np.array(list(map(len, encoded)), dtype=np.int64))

    def finish(
        self, documents: StoredStrings, path: Path, rank: Uints32 | None = None, keeper: object = None
    ) -> StoredEvidence:
        """All of it; `rank` says which number each document has among all."""
        self._file.close()
        numbers, sizes = (
            np.concatenate([np.zeros(0, dtype=np.int64), *arrays]) for arrays in (self._numbers, self._sizes)
        )
        if rank is not None:
            numbers = rank[numbers].astype(np.int64)
        ends = np.cumsum(sizes)
        order = np.argsort(numbers, kind="stable")
        writer = TableWriter(path, StoredEvidence.PLACES, len(numbers), _PLACES)
        writer.put(0, StoredEvidence.PLACES, np.column_stack((numbers, ends - sizes, ends))[order])
        return StoredEvidence(documents, FileSlice.from_file(self._content, keeper), writer.finish(None, keeper))
