"""Saves what is done as it comes, so that no more than a minute of it is lost, and takes it up again.

Of a large corpus what is saved leaves memory: the journal is also where rows are until the run is complete.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path

import msgspec
from msgspec.structs import replace

from showthrough.core.arrays import Floats
from showthrough.core.errors import OutputError
from showthrough.data.references import REFERENCES
from showthrough.evaluation._chunks import Cell, ChunkResult
from showthrough.evaluation._mask_notices import MaskNoticeCounts
from showthrough.evaluation._progress import EvaluationProgress, PartialResult
from showthrough.metrics import Rows
from showthrough.run.file import encode_json
from showthrough.run.journal import TITLE, Journal, JournalEntry, JournalHead, PackedRows, key_of
from showthrough.run.records import Evidence, Failure
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.storage.append_log import ByteRange, GrowingFile
from showthrough.storage.reading import decoder_of

EVERY = 30.0  # seconds; with the chunk that is under way, which takes some ten, that stays below a minute
_WORTH = 5.0  # seconds of work that are worth a file: most evaluations are done before, and need none
_HELD = 32_000_000  # bytes of rows of a large corpus that may stay in memory


class Checkpoints:
    """The journal of one evaluation, written as it goes on; without a path in a file without a name.

    A journal is begun when there are some seconds of work to be lost, or many rows. From then on each answer is written
    as it comes, and is on disk half a minute later. `keep` says what of a run may be written. Where a save fails the
    evaluation goes on: `told` hears why, and the next tries again.
    """

    def __init__(
        self,
        path: Path | None,
        keep: Callable[[Run], Run] = lambda run: run,
        tell: Callable[[str], None] = lambda fault: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._path = path
        self.fault = ""  # why the last save failed
        self.faults: dict[str, Exception] = {}  # metrics whose evidence nobody can write: plugins', which fail for it
        self._file = GrowingFile(path, TITLE)
        self._aside = GrowingFile(None, TITLE)  # answers as they are, where the journal must not have all of them
        self._kept, self._told, self._clock = keep, tell, clock
        self._last = clock()
        self._saved = 0  # pieces
        self._failed: set[str] = set()  # metrics whose failure is saved

    @property
    def path(self) -> Path:
        return self._file.path

    @property
    def is_durable(self) -> bool:
        """Whether what is saved outlives the program."""
        return self._path is not None

    def start(self, head: JournalHead, kept_by: str, ranking: Sequence[str], *, large: bool = False) -> None:
        """What is evaluated, and metrics beside it that only rank its documents; whether rows are to leave memory."""
        self._head, self._kept_by, self._ranking, self._large = head, kept_by, ranking, large
        self._kept_head = replace(head, run=self._kept(head.run))
        self._wordless = bool(self._kept_head.run.provenance.get(WITHOUT_TEXT))
        self._blank = replace(head.run, documents=[], groups=[])

    def save_if_due(self, gathered: EvaluationProgress) -> None:
        """Asked after every answer."""
        waited = self._clock() - self._last
        if self._file.is_intact and not self.fault:
            if len(gathered.since(self._saved)):
                self._write(gathered, durable=waited >= EVERY and self.is_durable)
        elif (waited >= _WORTH and self.is_durable) or (
            self._large and _row_bytes(gathered.since(self._saved)) > _HELD
        ):
            self._write(gathered, durable=self.is_durable)

    def save_before_long_work(self, gathered: EvaluationProgress) -> None:
        """What comes next may take hours, and cannot be saved before it is done."""
        if self.is_durable and (self._file.is_intact or self._clock() - self._last >= _WORTH):
            self.save(gathered)

    def save(self, gathered: EvaluationProgress) -> None:
        """Writes what is new, if anything is: when this returns it is on disk, or `fault` says why not."""
        self._write(gathered, durable=True)

    @property
    def journal_opener(self) -> Callable[[], Journal]:
        """What is saved, to go on from."""
        return partial(Journal, self.path, None if self.is_durable else self._file.reopen())

    def remove(self) -> None:
        """The run is complete, and its file holds everything. Raises OutputError."""
        self._file.remove()
        self._aside.close()

    def close(self) -> None:
        """What is saved stays, for whoever resumes."""
        self._file.close()
        self._aside.close()

    def _write(self, gathered: EvaluationProgress, *, durable: bool) -> None:
        try:
            if not self._file.is_intact:
                self._begin(gathered)
            else:
                self._append(gathered)
                if durable:
                    self._file.sync()
        except OutputError as error:
            if not self.fault:
                self._told(str(error))
            self.fault = str(error)
        else:
            self.fault = ""
        if durable:
            self._last = self._clock()

    def _begin(self, gathered: EvaluationProgress) -> None:
        """A new file with all that is there; what stands in its place is there until this one is whole."""
        file = GrowingFile(self._path, TITLE)
        pieces = gathered.since(0)
        try:
            file.draft()
            file.add(encode_json(self._kept_head, self.path), durable=False)
            failures = list(gathered.failures.items())
            locations = [file.add(self._entry(piece, []), durable=False) for piece in pieces]
            file.add(self._entry(None, failures), durable=False)
            file.settle()
        except BaseException:
            file.close()
            raise
        before, self._file = self._file, file
        for piece, location in zip(pieces, locations, strict=True):
            self._let_go(piece, location)
        before.close()
        self._saved, self._failed = len(pieces), {text for text, _ in failures}

    def _append(self, gathered: EvaluationProgress) -> None:
        failures = [(text, why) for text, why in gathered.failures.items() if text not in self._failed]
        if failures:
            self._file.add(self._entry(None, failures), durable=False)
            self._failed |= {text for text, _ in failures}
        for piece in gathered.since(self._saved):
            location = self._file.add(self._entry(piece, []), durable=False)
            self._let_go(piece, location)
            self._saved += 1

    def _let_go(self, piece: PartialResult, location: ByteRange) -> None:
        """What is written can be read again: the rows of many documents need not be in memory."""
        if not self._large:
            return
        file = self._file
        if self._wordless:
            if not self._aside.is_intact:
                self._aside.begin()
            file, location = self._aside, self._aside.add(self._entry(piece, [], keep=False), durable=False)
        piece.read = partial(self._answer, file, location)
        piece.answer = None

    def _answer(self, file: GrowingFile, location: ByteRange) -> ChunkResult:
        return answer_of(decoder_of(JournalEntry).decode(file.read(location)), self._ranking)

    def _entry(self, piece: PartialResult | None, failed: Sequence[tuple[str, str]], *, keep: bool = True) -> bytes:
        """What is written of an answer, or of failures: what may be `kept` of it, or all."""
        numbers, answer = (range(0), ChunkResult()) if piece is None else (piece.numbers, piece.result)
        rows: dict[str, dict[str, dict[str, Floats]]] = {}
        evidence: dict[str, dict[str, Mapping[str, Evidence]]] = {}
        risks: list[dict[str, PackedRows]] = [{} for _ in self._ranking]
        for (text, name), table in answer.rows.items():
            if text in self._ranking:
                risks[self._ranking.index(text)][name] = PackedRows.of(table)
                continue
            try:
                seen = msgspec.convert(dict(table.evidence), dict[str, Evidence])
            except msgspec.ValidationError as error:  # a plugin's, which fails in the end
                self.faults[text] = error
                seen = {}
            rows.setdefault(text, {})[name] = dict(zip(table.columns, table.values.T, strict=True))
            if seen and name not in REFERENCES:
                evidence.setdefault(text, {})[name] = seen
        run = replace(self._blank, rows=rows, evidence=evidence, failures=[Failure(*failure) for failure in failed])
        run = self._kept(run) if keep else run
        looked = piece is not None and piece.looked
        entry = JournalEntry(
            start=numbers.start,
            stop=numbers.stop,
            key=key_of(self._head.key, numbers),
            counted=piece is not None and piece.counted,
            whole=piece is not None and piece.whole,
            kept_by=self._kept_by if looked else "",
            rows={
                text: {name: PackedRows.of(Rows.named(columns, len(numbers))) for name, columns in by_name.items()}
                for text, by_name in run.rows.items()
            },
            evidence=run.evidence,
            failures=run.failures,
            masks=dict(answer.masks) if looked else {},
            # Where words stand is of no use without the text, and is found again where there is one.
            free=answer.free if looked and not (keep and self._wordless) else None,
            risks=risks,
        )
        return encode_json(entry, self.path)


def _row_bytes(pieces: Sequence[PartialResult]) -> int:
    """Bytes of rows in memory."""
    answers = [piece.answer for piece in pieces if piece.answer is not None]
    return sum(rows.values.nbytes for answer in answers for rows in answer.rows.values())


def answer_of(
    entry: JournalEntry,
    ranking: Sequence[str],
    names: Mapping[str, str] | None = None,
    lost: Set[str] = frozenset(),
    *,
    looked: bool = True,
) -> ChunkResult:
    """What an entry brings: rows, under the names that metrics have now, and what a run does not keep."""
    count = len(entry.numbers)
    rows: dict[Cell, Rows] = {}
    for old_text, by_name in entry.rows.items():
        text = old_text if names is None else names[old_text]
        for name, table in by_name.items() if text not in lost else ():
            rows[text, name] = table.rows(count, entry.evidence.get(old_text, {}).get(name))
    if not looked:
        return ChunkResult(rows)
    for text, ranks in zip(ranking, entry.risks, strict=False):
        rows |= {(text, name): table.rows(count) for name, table in ranks.items()}
    masks = {name: MaskNoticeCounts(*counts) for name, counts in entry.masks.items()}
    free = entry.free if entry.free is not None and len(entry.free) == count else None
    return ChunkResult(rows, masks=masks, free=free)
