"""Everything that one evaluation produced, and its one JSON file.

A run holds the plan, the scores, the rows they were combined from, and where everything came from. Reports and
comparisons need nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, overload

import msgspec

from showthrough._former import FormerName
from showthrough.core.errors import PlanError, ResourceError, join_names, shorten
from showthrough.metrics import HEADLINE, Metric, Rows, metric_text, parse_metric
from showthrough.metrics.derived import aligned
from showthrough.models.chat.base import AnswerSource
from showthrough.run import _views
from showthrough.run.comparison import Comparisons, Contest, Test
from showthrough.run.documents import RunTexts
from showthrough.run.records import (
    Ceiling,
    Columns,
    Evidence,
    Failure,
    Input,
    MetricRecord,
    Score,
    Sweep,
    Tables,
    find_metric_text,
)
from showthrough.run.scores import Scores, checked_key
from showthrough.run.settings import RecordedSettings
from showthrough.run.slices import Slice
from showthrough.run.stored_rows import StoredRows
from showthrough.run.thresholds import Threshold
from showthrough.run.units import Units
from showthrough.storage.columns.stored_strings import StoredStrings
from showthrough.storage.columns.tables import ColumnTable

FORMAT = 1  # of the run file; rises when an old reader could misread it
WITHOUT_TEXT = "without_text"  # in the provenance of a run whose words were left out


class Run(msgspec.Struct, dict=True):
    """One evaluation.

    `run["presidio"]` is that anonymization's scores, `run["presidio", "er_di"]` one of them, and
    `run["presidio", "recall_per_type", "PERSON"]` the score of one part.
    """

    corpus: Annotated[Input, "what was anonymized"]
    anonymizations: Annotated[list[Input], "what is under test, in the order of the tables"]
    metrics: Annotated[list[MetricRecord], "what was asked for, failed ones too"]
    settings: Annotated[RecordedSettings, "what else the numbers depend on"]
    documents: Annotated[Sequence[str], "ids, in the order of the rows"]
    scores: Annotated[list[Score], "every number"]
    rows: Annotated[
        dict[str, dict[str, Columns]], "what the numbers are made of: by metric, anonymization and column, a row each"
    ]
    failures: Annotated[list[Failure], "metrics that could not be computed"]
    provenance: Annotated[dict[str, Any], "with what and when it was made: versions, models, times"]
    complete: Annotated[bool, "false: it was interrupted and has only the documents that were finished"] = True
    format: Annotated[int, "of the file; rises when an old reader could misread it"] = FORMAT
    texts: Annotated[RunTexts | None, "original text and masks, for reports: a file with it is for its owner alone"] = (
        None
    )
    evidence: Annotated[
        dict[str, dict[str, Mapping[str, Evidence]]], "evidence of the metrics: by metric, anonymization and document"
    ] = {}
    notes: Annotated[list[str], "what a reader must know before believing the numbers, a sentence each"] = []
    several_annotators: Annotated[bool | None, "whether some document was marked by several; null: unknown"] = None
    groups: Annotated[
        Sequence[str], "groups of the documents, in their order; empty: a document without a group; none: no groups"
    ] = []
    references: Annotated[
        list[Input], "scored for reference, not under test: nothing masked and everything masked"
    ] = []
    thresholds: Annotated[list[Threshold], "the thresholds that were set; none: nobody set any"] = []
    ceiling: Annotated[Ceiling | None, "what people reach against each other; null where they cannot be scored"] = None
    inputs: Annotated[
        dict[str, list[Input]], "further inputs of metric families, by name, such as what an attacker knew"
    ] = {}
    asked: Annotated[list[AnswerSource], "language models that were asked about people or texts"] = []
    sweeps: Annotated[
        dict[str, Sweep], "by anonymization, what its surer masks alone would reach, where masks have scores"
    ] = {}
    joined: Annotated[bool, "whether the program found documents that belong together: groups then join these too"] = (
        False
    )
    slices: Annotated[dict[str, Slice], "by field, the numbers of groups of documents"] = {}
    tables: Annotated[Tables | None, "with very many documents: where ids, groups, rows and evidence are instead"] = (
        None
    )

    def __repr__(self) -> str:
        """Short: a run may hold the very text that was hidden, and a notebook prints whatever comes last."""
        state = "" if self.complete else ", interrupted"
        scored = f"{len(self.metrics)} metrics, anonymizations {join_names(self.names)}"
        return f"Run({shorten(self.corpus.name)}: {len(self.documents)} documents, {scored}{state})"

    def _repr_html_(self) -> str:
        return _views.html(self)

    @overload
    def __getitem__(self, key: str) -> Scores: ...
    @overload
    def __getitem__(self, key: tuple[str, str | Metric] | tuple[str, str | Metric, str]) -> Score: ...
    def __getitem__(self, key: Any) -> Any:
        anonymization, *rest = checked_key(self, key)
        scores = Scores(self, anonymization)
        return scores[*rest] if rest else scores

    def __contains__(self, key: object) -> bool:
        try:
            return self[key] is not None  # type: ignore[call-overload] # whatever it is
        except KeyError:
            return False

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.names, *(reference.name for reference in self.references)]

    def parts(self, anonymization: str, metric: str | Metric) -> dict[str, Score]:
        """All values of one metric, by part; the headline under the empty string."""
        return dict(self._scores_of.get((anonymization, self.text_of(metric)), {}))

    def text_of(self, metric: str | Metric) -> str:
        """A metric's text form, made anew where it is perhaps not in its shortest form; it need not be installed.

        A name finds the metric that carries it, where there is one alone; raises PlanError where there are several.
        """
        if isinstance(metric, Metric):
            return metric_text(metric)
        if self._has(metric):
            return metric
        try:
            text = metric_text(parse_metric(metric))
        except (PlanError, ResourceError):
            if full_text := find_metric_text(metric, self.metrics):
                return full_text
            raise
        return text if self._has(text) else find_metric_text(metric, self.metrics) or text

    def _has(self, text: str) -> bool:
        """Whether a text form is that of a metric of this run."""
        return text in self.rows or any(record.text == text for record in self.metrics)

    @property
    def _scores_of(self) -> dict[tuple[str, str], dict[str, Score]]:
        """Scores by anonymization and metric, made anew when there are others: a report asks for every single one."""
        parts: dict[tuple[str, str], dict[str, Score]]
        scores, count, parts = self.__dict__.get("_parts", (None, 0, {}))
        if scores is not self.scores or count != len(self.scores):
            parts = {}
            for score in self.scores:
                parts.setdefault((score.anonymization, score.metric), {})[score.part] = score
            self.__dict__["_parts"] = self.scores, len(self.scores), parts
        return parts

    @property
    def names(self) -> list[str]:
        return [anonymization.name for anonymization in self.anonymizations]

    def trained_on(self, anonymization: str) -> int:
        """How many of these documents its model was trained on, so far as its file says."""
        provenance = next(record.made for record in self.anonymizations if record.name == anonymization)
        return provenance.seen if provenance else 0

    def record(self, metric: str) -> MetricRecord:
        """What is recorded of a metric, by its text form."""
        return next(record for record in self.metrics if record.text == metric)

    def without_text(self) -> Run:
        """The same run without a word of any document, nor of what attacks read in it, nor a folder it was read from.

        It says so of itself: who resumes it finds the words again.
        """
        from showthrough.run._redaction import without_text  # which knows what a run is

        return without_text(self)

    def without_folders(self) -> Run:
        """The same run, in which files and models that were read are called by the last part of their paths alone."""
        from showthrough.run._redaction import without_folders

        return without_folders(self)

    def with_folders_of(self, run: Run) -> Run:
        """What was kept without text, its metrics and models called as in another run of the same evaluation.

        Rows whose columns were called otherwise are left out: those of attacks, which are made anew.
        """
        from showthrough.run._redaction import with_folders_of

        return with_folders_of(self, run)

    def rows_of(self, metric: str, anonymization: str) -> Rows:
        columns = self.rows[metric][anonymization]
        return StoredRows(columns) if isinstance(columns, ColumnTable) else Rows.named(columns, len(self.documents))

    def compare(
        self,
        metric: str | Metric | None = None,
        *,
        parts: bool | Collection[str] = True,
        shuffles: int = 9999,
        seed: int | None = None,
        test: Test = "studentized",
        pairs: Sequence[tuple[str, str]] | None = None,
    ) -> Comparisons:
        """Paired randomization between all pairs, or some, with Holm's correction within each metric and part.

        Without `parts` the headlines alone, or those that are named. A difference is measured by its standard error;
        the `plain` test, which finds too much, takes it as it is.
        """
        if shuffles < 1:
            raise PlanError(f"found {shuffles}; expected 1 or more", "shuffles")
        if metric is None:
            chosen = [record.text for record in self.metrics if record.text in self.rows]
            chosen = [text for text in chosen if not self.incomparable(text)] or chosen
        else:
            chosen = [self.text_of(metric)]
            if chosen[0] not in self.rows:
                raise PlanError(f"not in this run; there are {join_names(self.rows)}", f"metric {chosen[0]}")
        part_names = parts if not isinstance(parts, bool) else None if parts else (HEADLINE,)
        compared = Comparisons(self, test)
        for contest in map(self.contest, chosen):
            contest_parts = [part for part in contest.values[0] if part_names is None or part in part_names]
            compared += contest.compare(
                contest_parts, shuffles, self.settings.seed if seed is None else seed, test, pairs
            )
        return compared

    def incomparable(self, text: str) -> str:
        """Why a metric cannot be compared here, though its numbers can be shown: it is another's, or not installed."""
        try:
            metric, version = parse_metric(text), self.record(text).version
        except (PlanError, ResourceError) as error:
            return str(error)
        if version == metric.version:
            return ""
        versions = f"the run has version {version}, this program {metric.version}"
        return f"metric {text}: {versions}; evaluate again to compare"

    def contest(self, text: str) -> Contest:
        """All anonymizations on one metric; raises PlanError where it cannot be compared here."""
        if fault := self.incomparable(text):
            raise PlanError(fault)
        metric = parse_metric(text)
        rows = [self.rows_of(text, name) for name in self.names]
        tables = aligned([self.units(table) for table in rows]) if metric.apart else []
        totals = [table.totals() for table in tables] if metric.apart else map(metric.totals, rows)
        scores = [self.parts(name, text) for name in self.names]
        values = list(map(metric.combine, totals))
        return Contest(metric, text, self.names, tables, values, scores, self.settings.confidence, self.unit)

    @property
    def unit(self) -> str:
        """One of what is drawn and exchanged as a whole."""
        return "unit" if self.joined else "group" if self.groups else "document"

    @property
    def sample(self) -> str:
        """What is drawn and exchanged as a whole, in words: `42 documents`, `9 groups of 42 documents`.

        Where documents were found to belong together: `9 independent units of 42 documents`.
        """
        count = len(self.documents)
        documents = f"{count:,} {'document' if count == 1 else 'documents'}"
        if not self.groups:
            return documents
        units = "independent unit" if self.joined else "group"
        return f"{self.unit_count:,} {units}{'' if self.unit_count == 1 else 's'} of {documents}"

    @property
    def unit_count(self) -> int:
        """How many there are of what is drawn and exchanged as a whole."""
        return len(set(self.groups) - {""}) + self.groups.count("") if self.groups else len(self.documents)

    drawn = FormerName("unit_count")

    @property
    def in_files(self) -> bool:
        """Whether ids, rows and evidence are in files; documents are then in the order of their ids."""
        return isinstance(self.documents, StoredStrings)

    def by_id(self, rows: Rows) -> Rows:
        """The same rows in the order of the documents' ids."""
        return rows if self.in_files else self._units.by_id(rows)

    def units(self, rows: Rows) -> Rows:
        """What is drawn and exchanged as a whole: documents in the order of their ids, or groups of them."""
        return rows if self.in_files and not self.groups else self._units.of(rows)

    @property
    def _units(self) -> Units:
        """Found again only where ids or groups are others than before."""
        units: Units | None
        documents, groups, units = self.__dict__.get("_drawn", (None, None, None))
        if units is None or not (_is_same(documents, self.documents) and _is_same(groups, self.groups)):
            units = Units(self.documents, self.groups)
            self.__dict__["_drawn"] = _snapshot(self.documents), _snapshot(self.groups), units
        return units

    def to_frame(self) -> Any:
        """The scores as a pandas DataFrame, one a row, where pandas is installed."""
        return _pandas("to_frame").DataFrame([msgspec.structs.asdict(score) for score in self.scores])

    def table(self, *, parts: bool = False, intervals: bool = False, references: bool = True) -> Any:
        """The scores as a pandas DataFrame, a row for each anonymization and a column for each metric.

        What failed has a column too, of nothing; a metric that has parts alone has none without them.
        """
        pandas = _pandas("table")
        beside = [reference.name for reference in self.references] if references else []
        names = [*self.names, *beside]
        levels = ["metric", *(["part"] if parts else []), *(["end"] if intervals else [])]
        columns: dict[tuple[str, ...], list[float | None]] = {}
        for record in self.metrics:
            scores = [self.parts(name, record.text) for name in names]
            all_parts = dict.fromkeys(part for by_part in scores for part in by_part) or [HEADLINE]
            for part in all_parts if parts else {HEADLINE} & set(all_parts):
                for end in ("value", "low", "high") if intervals else ("value",):
                    key = (record.text, *([part] if parts else []), *([end] if intervals else []))
                    columns[key] = [getattr(by_part.get(part), end, None) for by_part in scores]
        index = pandas.Index(names, name="anonymization")
        table = pandas.DataFrame(dict(enumerate(columns.values())), index=index, dtype=float)
        heads = pandas.MultiIndex.from_tuples(columns, names=levels) if levels[1:] and columns else None
        table.columns = pandas.Index([text for text, *_ in columns], name="metric") if heads is None else heads
        if references:
            head = "reference" if heads is None else ("reference", *[""] * (heads.nlevels - 1))
            table[head] = [name in beside for name in names]
        return table

    def to_html(
        self, path: str | os.PathLike[str] | None = None, *, without_text: bool = False, force: bool = False
    ) -> str | None:
        """The page to look at, as text or written to a file; one that holds text is for its owner alone."""
        if path is None:
            return _views.page(self, without_text)
        _views.write_page(self, Path(path), without_text, force=force)
        return None

    def log_to(self, tracker: Literal["json", "mlflow"], target: str | os.PathLike[str] | None = None) -> None:
        """Adds the numbers to a tracker of experiments, with no word of a document.

        `json` appends a line to the file `target`. `mlflow` logs into the run of MLflow that is active, else into a new
        one of the experiment `target`.
        """
        _views.log_to(self, tracker, None if target is None else os.fspath(target))

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the run as one JSON file, all of it or nothing; an existing file only with `force`.

        Of very many documents rows and evidence go into a folder beside it. A name that ends in .zip takes everything
        in one file.
        """
        from showthrough.run.file import write_run  # which knows what a run is

        write_run(self, Path(path), force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Run:
        """The run that `save` wrote."""
        from showthrough.run.file import read_run

        return read_run(Path(path))


def _snapshot(texts: Sequence[str]) -> Sequence[str]:
    """The same, whatever becomes of a list; ids and groups in files cannot change."""
    return list(texts) if isinstance(texts, list) else texts


def _is_same(earlier: Sequence[str] | None, texts: Sequence[str]) -> bool:
    return earlier is texts or (isinstance(texts, list) and earlier == texts)


def _pandas(feature: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{feature} needs pandas: pip install 'showthrough[pandas]'") from error
    return pandas
