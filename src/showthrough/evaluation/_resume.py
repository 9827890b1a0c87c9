"""What an interrupted run brings to the one that completes it, once both are known to be the same evaluation."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from functools import partial

import msgspec
from msgspec.structs import replace

from showthrough.core.errors import PlanError
from showthrough.core.families import InputType, input_types
from showthrough.evaluation._chunks import Cell, ChunkResult
from showthrough.evaluation._progress import PartialResult
from showthrough.evaluation.checkpoints import answer_of
from showthrough.evaluation.plan import Plan
from showthrough.metrics import Rows, metric_text
from showthrough.models.chat.base import MODEL
from showthrough.run.journal import Journal, JournalHead, JournalPart
from showthrough.run.run import WITHOUT_TEXT, Run
from showthrough.run.slices import entity_slices

_BEFORE = " (in the part that was done before; start afresh to try again)"
_OTHER = "not the same as in the run to resume; start afresh without --resume"


def _identity(kind: InputType, run: Run) -> Sequence[object]:
    """What tells an input of a family from another; of several that metrics ask for by name, also their names."""
    records = run.inputs.get(kind.name, [])
    if kind.named:
        return [(record.name, record.digest) for record in records]
    return (
        [record.digest for record in records]
        if len(records) < 2
        else sorted((record.name, record.digest) for record in records)
    )


# What has to be the same where a run is resumed.
_SAME: dict[str, Callable[[Run], object]] = {
    "corpus": lambda run: run.corpus.digest,
    "anonymizations": lambda run: [(anonymization.name, anonymization.digest) for anonymization in run.anonymizations],
    "references": lambda run: [reference.digest for reference in run.references],
    "metrics": lambda run: [(metric.text, metric.version) for metric in run.metrics],
    "settings": lambda run: run.settings,
    **{kind.name: partial(_identity, kind) for kind in input_types()},
    "slice": lambda run: [(cut.field, [group.name for group in cut.groups]) for cut in entity_slices(run.slices)],
    "showthrough version": lambda run: run.provenance.get("showthrough"),
}


def evaluation_key(run: Run, order: str) -> str:
    """A digest of all that numbers hang on: the documents in their order, and what is asked of them."""
    bare_run = run.without_folders()
    same = [repr(value) for of in _SAME.values() if (value := of(bare_run)) != []]  # no input: as if nobody knew of it
    return hashlib.blake2b(msgspec.json.encode([order, *same]), digest_size=16).hexdigest()


class Earlier:
    """What was done before, after checking that it is the same evaluation.

    Where texts are asked for and the earlier run was kept without, what an attack read in them is found again. Who asks
    language models asks again: the run tells whose answers it uses, and what is recorded costs nothing.
    """

    def __init__(
        self, head: JournalHead, plan: Plan, resumed: Run | Journal, kept_by: str, ranking: Sequence[str]
    ) -> None:
        self._run, self._kept_by, self._ranking = head.run, kept_by, ranking
        self._journal = resumed if isinstance(resumed, Journal) else None
        self.kept = before = _rowless(resumed) if isinstance(resumed, Journal) else resumed
        self.run = before.with_folders_of(head.run)
        for aspect, of in _SAME.items():
            if of(head.run) != of(self.run):
                raise PlanError(_OTHER, aspect)
        self._stretches = [] if self._journal else _find_ranges(head.run.documents, self.run.documents)
        if self._journal is not None and (self._journal.head.order, self._journal.head.key) != (head.order, head.key):
            raise PlanError(_OTHER, "document order")
        wordless = plan.texts and self.run.provenance.get(WITHOUT_TEXT)
        whole = {metric_text(metric): metric for metric in plan.metrics if metric.scope == "corpus"}
        lost = whole.keys() & self.run.evidence.keys() if wordless else set()
        lost |= {text for text, metric in whole.items() if any(name.startswith(MODEL) for name in metric.asks)}
        lost |= {failure.metric for failure in self.run.failures}
        self._lost = lost | ({metric.text for metric in self.run.metrics} - self.run.rows.keys())  # called otherwise

    @property
    def done_count(self) -> int:
        return len(self.run.documents) if self._journal is None else self._journal.done_count

    def find_failures(self, metrics: Collection[str]) -> dict[str, str]:
        """Of some metrics those that failed in documents that are done: they would lack these, and are not tried."""
        failed = {failure.metric: failure.reason for failure in self.run.failures} if self.done_count else {}
        return {text: failed[text].removesuffix(_BEFORE) + _BEFORE for text in metrics if text in failed}

    def check_models(self, revisions: Mapping[str, Mapping[str, str]]) -> None:
        """Raises PlanError when a model is no longer what it was for the documents that are done."""
        before = self.run.provenance.get("models", {})
        for name, revision in (pair for text in self.run.rows for pair in revisions.get(text, {}).items()):
            if before.get(name, revision) != revision:
                raise PlanError(_OTHER, f"model {name}")

    def pieces(self, large: bool) -> Iterator[PartialResult]:
        """All that is done; of very many documents it stays where it is until it is asked for."""
        if self._journal is None:
            yield from self._of_run()
            return
        names = {earlier.text: own.text for earlier, own in zip(self.kept.metrics, self._run.metrics, strict=True)}
        for part in self._journal.parts:
            read = partial(_read_entry, self._journal, part, self._ranking, names, self._lost, self._kept_by)
            looked = part.kept_by == self._kept_by
            if looked or part.counted or part.whole:
                piece = PartialResult(part.numbers, part.counted, looked, part.whole, None, read)
                if not large:
                    piece.answer = read()
                yield piece

    def _of_run(self) -> Iterator[PartialResult]:
        """Its rows: what a run does not keep is looked for again."""
        tables: dict[Cell, Rows] = {}
        for text, by_name in self.run.rows.items():
            for name in by_name if text not in self._lost else ():
                shown = self.run.evidence.get(text, {}).get(name, {})
                rows = self.run.rows_of(text, name)
                tables[text, name] = Rows(rows.columns, rows.values, msgspec.to_builtins(dict(shown)))
        at = 0
        for numbers in self._stretches:
            documents = {*self.run.documents[at : at + len(numbers)]}
            cut = {
                cell: Rows(
                    rows.columns,
                    rows.values[at : at + len(numbers)],
                    {document: seen for document, seen in rows.evidence.items() if document in documents},
                )
                for cell, rows in tables.items()
            }
            yield PartialResult(numbers, True, False, False, ChunkResult(cut))
            at += len(numbers)


def _rowless(journal: Journal) -> Run:
    """The run of a journal, which tells of rows only of which metrics and columns there are some."""
    return replace(
        journal.head.run,
        rows={text: {"": {column: [] for column in columns}} for text, columns in journal.columns.items()},
        evidence={text: {} for text in journal.shown},
        failures=list(journal.failures.values()),
    )


def _read_entry(
    journal: Journal, part: JournalPart, ranking: Sequence[str], names: Mapping[str, str], lost: Set[str], kept_by: str
) -> ChunkResult:
    entry = journal.entry(part)
    if not (part.counted or part.whole):
        entry = replace(entry, rows={}, evidence={})
    return answer_of(entry, ranking, names, lost, looked=part.kept_by == kept_by)


def _find_ranges(documents: Sequence[str], done: Sequence[str]) -> list[range]:
    """Where documents that are done stand among all. Raises PlanError where they come in another order."""
    ranges: list[range] = []
    at = 0
    for number, document in enumerate(documents):
        if at < len(done) and done[at] == document:
            last = ranges.pop() if ranges and ranges[-1].stop == number else range(number, number)
            ranges.append(range(last.start, number + 1))
            at += 1
    if at < len(done):
        raise PlanError(_OTHER, "document order")
    return ranges
