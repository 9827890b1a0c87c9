"""Makes of the results of all chunks the tables of rows, kept in memory or in files, and the notes of a run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

import msgspec
import numpy as np

from showthrough.core.arrays import Floats, Ints, Uints32
from showthrough.core.errors import Problem, join_names
from showthrough.core.families import families, ranking_metrics
from showthrough.core.plugins import is_plugin
from showthrough.data.documents import Corpus
from showthrough.data.references import REFERENCES
from showthrough.data.slicing import parse_slices
from showthrough.evaluation._annotator_scores import Readings
from showthrough.evaluation._chunks import Cell
from showthrough.evaluation._mask_notices import mask_notices
from showthrough.evaluation._others_identifiers import OthersIdentifiers
from showthrough.evaluation._progress import EvaluationProgress
from showthrough.evaluation._scoring import chance_scores, compute_scores, reference_scores
from showthrough.evaluation._work_spec import WorkSpec
from showthrough.evaluation.ceiling import ceiling_of, has_ceiling
from showthrough.evaluation.notices import carried_by_few, nobody_marked, notices
from showthrough.evaluation.release_checks import release_notices
from showthrough.evaluation.runner import Runner
from showthrough.metrics import Metric, Rows, metric_text
from showthrough.metrics.base import failure_of, sound_parts
from showthrough.metrics.chunk import HidingRule
from showthrough.models import Resources
from showthrough.models.chat.base import describe_unanswered
from showthrough.run.documents import DocumentKeeper, Ranking, RunTexts, texts_of, too_many
from showthrough.run.records import Ceiling, Columns, Evidence, Failure, Sweep, columns_of
from showthrough.run.run import Run
from showthrough.run.settings import RecordedSettings
from showthrough.run.slices import Slice
from showthrough.run.stored_rows import EvidenceWriter, StoredEvidence, StoredRows
from showthrough.statistics.rows import BLOCK
from showthrough.storage.columns.stored_strings import StoredStrings, parts_of, write_strings
from showthrough.storage.columns.strings import Strings
from showthrough.storage.columns.tables import TableWriter
from showthrough.storage.writing import ScratchFolder, report_os_errors

# A store moves the rows of very many documents from the results of chunks to tables in files, in the order of the
# documents' ids.

_BLOCK = 4096  # documents whose evidence is written together


class ResultStore:
    """Rows, evidence, ids and groups of all documents. Its files are gone when nobody refers to them any more."""

    def __init__(self, gathered: EvaluationProgress, cells: Sequence[Cell], corpus: Corpus, home: Path | None) -> None:
        """Writes them into a private folder of a folder. Raises OutputError where they cannot be written."""
        self.faults: dict[str, Exception] = {}  # metrics whose evidence cannot be written: plugins'
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

    def numbers(self, size: int) -> Iterator[Ints]:
        """The numbers of documents in the corpus, so many at a time, in the order of the tables."""
        for start in range(0, len(self._ids), size):
            stop = min(start + size, len(self._ids))
            yield np.arange(start, stop) if self.order is None else self.order[start:stop].astype(np.int64)


def _order(ids: Sequence[str]) -> Uints32 | None:
    """Numbers of ids in the order of their code points; `None` where they stand in it."""
    order = (ids if isinstance(ids, Strings) else Strings.of(ids)).order().astype(np.uint32)
    return None if (order == np.arange(len(order), dtype=np.uint32)).all() else order


_OFTEN = 0.01  # share that is found by chance from which on a note says so


def _by_chance(name: str, metric: str, share: float) -> str:
    return (
        f"{name}: {share * 100:.1f} % of what {metric} counts can be read in another document's release by chance; "
        f"about as many of the readable ones may be chance"
    )


def _of_others(name: str, ids: Sequence[str]) -> str:
    many = "1 release" if len(ids) == 1 else f"{len(ids):,} releases"
    where = f"a direct identifier of another document can be read in {many}, and nobody marked it there"
    return str(Problem("", name, f"{where} ({join_names(ids)}); mark it there, as NO_MASK if it may stay"))


class Notes:
    """The run of a plan, as far as it is known what belongs into it."""

    def __init__(self, run: Run, questions: WorkSpec, gathered: EvaluationProgress, resources: Resources) -> None:
        self.run = run
        self._plan, self._questions, self._gathered, self._resources = questions.plan, questions, gathered, resources
        self._metrics = questions.metrics
        self._tables: dict[Cell, Rows] = {}  # of all documents that are done
        self._store: ResultStore | None = None  # where these are, of very many documents
        plan = self._plan
        self._notes = nobody_marked(plan.corpus, plan.metrics)
        self._notes += release_notices(plan.corpus, plan.releases, plan.settings.pairing)
        self._notes += notices(plan.corpus, plan.anonymizations, plan.metrics, masks={})  # of masks later
        self._notes += [line for family in families() for line in family.notices(plan)]

    def lay_out(self, home: Path | None = None, *, large: bool) -> None:
        """The rows of all documents that are done, one below the other: in memory, or of very many in files."""
        done = self._gathered.done_count
        # Of a reference one chunk could not be scored perhaps, and the others are not the same documents.
        counted, failed = self._gathered.rows, self._gathered.failures
        cells = [cell for cell in self._questions.cells if counted.get(cell) == done and cell[0] not in failed]
        if not large:
            joined = self._gathered.merge_rows()
            self._tables = {cell: joined[cell] for cell in cells}
            return
        self._store = ResultStore(self._gathered, cells, self._plan.corpus, home)
        self._tables = dict(self._store.rows)
        self.run.documents, self.run.groups = self._store.documents, self._store.groups or []

    def fail_what_lacks_rows(self) -> None:
        """A metric that neither gave rows nor failed is a failure."""
        done, counted = self._gathered.done_count, self._gathered.rows
        for text in [text for text in self._metrics if text not in self._gathered.failures]:
            least = min(counted.get((text, name), 0) for name in self.run.names)
            if least < done:
                self._gathered.failures[text] = f"it gave rows for {least} of {done} documents; expected all"

    def check_guests(self, faults: Mapping[str, Exception]) -> None:
        """What plugins make of their rows is checked like input; `faults` are what they show that nobody can write."""
        failures = self._gathered.failures
        faults = {**faults, **(self._store.faults if self._store else {})}
        for (text, name), rows in self._tables.items():
            metric = self._metrics.get(text)
            if metric is not None and is_plugin(metric) and text not in failures and name not in REFERENCES:
                try:
                    if text in faults:
                        raise faults[text]
                    sound_parts(metric, rows)
                    msgspec.convert(dict(rows.evidence), dict[str, Evidence])
                except Exception as error:  # of a plugin, anything
                    failures[text] = failure_of(metric, error)
        self._tables = {cell: rows for cell, rows in self._tables.items() if cell[0] not in failures}

    def record(self) -> None:
        """Writes down what is known of the documents that are done."""
        run, plan = self.run, self._plan
        run.failures = [Failure(text, self._gathered.failures[text]) for text in self._gathered.failures]
        masks = {name: self._gathered.masks(name) for name in run.names}
        run.rows, run.evidence = {}, {}
        for (text, name), rows in self._tables.items():
            if text not in self._metrics:
                continue
            if isinstance(rows, StoredRows):
                run.rows.setdefault(text, {})[name] = cast(Columns, rows.table)
                shown = self._store.evidence.get((text, name)) if self._store else None
                if shown is not None:
                    run.evidence.setdefault(text, {})[name] = shown
                continue
            run.rows.setdefault(text, {})[name] = columns_of(rows)
            if rows.evidence and name not in REFERENCES:
                run.evidence.setdefault(text, {})[name] = msgspec.convert(dict(rows.evidence), dict[str, Evidence])
        names = list(dict.fromkeys(name for text in run.rows for name in self._metrics[text].asks))
        run.asked = [entry for family in families() for entry in family.asked(names, self._resources)] if names else []
        new_notes = *mask_notices(masks, plan.metrics), *self._remarks(), *describe_unanswered(run.asked)
        run.notes = list(dict.fromkeys([*self._notes, *new_notes]))
        used = [models for text, models in self._questions.revisions.items() if text in run.rows]
        run.provenance["models"] = {name: revision for models in used for name, revision in models.items()}

    def complete(self, walk: Runner) -> None:
        """Scores, and what else a run of all documents tells. What looks at them once more goes the same way."""
        run, plan = self.run, self._plan
        by_chance = list(chance_scores(run, plan.metrics, plan.settings, plan.corpus, plan.anonymizations))
        run.notes += [
            _by_chance(score.anonymization, score.metric, score.value)
            for score in by_chance
            if score.value is not None and score.value >= _OFTEN
        ]
        run.scores = [
            *compute_scores(run, plan.metrics, plan.settings, self._tables),
            *by_chance,
            *reference_scores(run, plan.metrics, plan.settings, self._tables),
        ]
        run.notes += carried_by_few(run)
        run.slices = self._slices()
        run.ceiling = self._score_ceiling(walk.readings)
        run.sweeps = self._sweeps(walk) if plan.settings.sweeps else {}
        if plan.texts:
            run.texts = self._texts(walk.keeper)
        if any(metric.reads_release for metric in plan.metrics):
            self._look_for_others()

    def _look_for_others(self) -> None:
        """Identifiers of other documents in each release: of many documents, among those that the run keeps."""
        run, plan = self.run, self._plan
        run_documents = run.texts.documents if run.texts else []
        documents = run_documents if too_many(plan.corpus) else list(plan.corpus)
        others = OthersIdentifiers(documents)
        identifiers = {
            anonymization.name: others.released([anonymization.of(document.id) for document in documents])
            for anonymization in plan.anonymizations
        }
        run.anonymizations = [
            msgspec.structs.replace(record, of_others=len(identifiers[record.name])) for record in run.anonymizations
        ]
        run.notes += [_of_others(name, ids) for name, ids in identifiers.items() if ids]

    def _score_ceiling(self, readings: Readings) -> Ceiling | None:
        """What people reach on the same metrics, where several marked a document and some metric can tell."""
        plan, settings = self._plan, self._plan.settings
        metrics = [metric for metric in plan.metrics if metric_text(metric) in self.run.rows and has_ceiling(metric)]
        if not (metrics and plan.corpus.survey.shared):
            return None
        recorded = RecordedSettings(seed=settings.seed, resamples=settings.resamples, confidence=settings.confidence)
        return ceiling_of(plan.corpus, metrics, recorded, self._resources, readings)

    def _slices(self) -> dict[str, Slice]:
        """What the metrics reach in groups, in the order in which these are asked for."""
        run, plan = self.run, self._plan
        if not (in_order := parse_slices(plan.settings.slices)):
            return {}
        from showthrough.evaluation._slices import compute_slices  # here: few evaluations have any

        cuts = plan.slicings, plan.entity_groups
        slices = list(compute_slices(run, plan.metrics, plan.corpus.ids, cuts, plan.settings, self._tables))
        return {each.field: each for each in sorted(slices, key=lambda each: in_order.index(each.field))}

    def _sweeps(self, walk: Runner) -> dict[str, Sweep]:
        """What the surer masks of each anonymization reach on the same metrics, where masks have scores."""
        from showthrough.evaluation._sweeps import is_swept, sweeps  # here: few evaluations ask for them

        metrics = {text: metric for text, metric in self._metrics.items() if text in self.run.rows and is_swept(metric)}
        return sweeps(self._plan.anonymizations, metrics, walk.whole)

    def _remarks(self) -> list[str]:
        """What metrics say of their rows."""
        counted = [(self._metrics[text], text, list(names)) for text, names in self.run.rows.items()]
        tables = [(metric, {name: self._tables[text, name] for name in names}) for metric, text, names in counted]
        return [line for metric, rows_by_name in tables for line in metric.remarks(rows_by_name, self._resources)]

    def _texts(self, keeper: DocumentKeeper | None) -> RunTexts:
        """The documents for a reader; where there are too many, those at most risk."""
        hiding = self._questions.hiding_of(text for text in self._metrics if text in self.run.rows)
        many = too_many(self._plan.corpus)
        order = self._order(hiding) if many else None
        free = None if many or hiding != self._questions.hiding else self._gathered.free  # which reads all answers
        return texts_of(self._plan.corpus, self._plan.anonymizations, order, hiding, self._resources, free, keeper)

    def _order(self, hiding: HidingRule) -> Ints | None:
        """Documents by their risk, where it can be told."""
        scored = [self._metrics[text] for text in self.run.rows if text in self._metrics]
        ranking = [(metric, metric_text(metric)) for metric in ranking_metrics(hiding.function_words, scored)]
        if any((text, name) not in self._tables for _, text in ranking for name in self.run.names):
            return None
        order = Ranking()
        for numbers, leaks in self._leaks(ranking):
            order.add(numbers, leaks)
        return order.numbers

    def _leaks(self, ranking: Sequence[tuple[Metric, str]]) -> Iterator[tuple[Ints, list[list[Floats]]]]:
        """What is readable in documents, some at a time: their numbers, and by metric and anonymization how much."""
        cells = [(metric, self._tables[text, name]) for metric, text in ranking for name in self.run.names]
        count = len(self._plan.corpus)
        starts = (np.arange(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK))
        numbers = starts if self._store is None else self._store.numbers(BLOCK)
        for block_numbers, *blocks in zip(numbers, *(rows.blocks() for _, rows in cells), strict=True):
            leaks = [
                metric.leaks(Rows(rows.columns, block)) for (metric, rows), block in zip(cells, blocks, strict=True)
            ]
            names = len(self.run.names)
            yield block_numbers, [leaks[offset : offset + names] for offset in range(0, len(leaks), names)]
