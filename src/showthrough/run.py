"""Everything that one evaluation produced, and its one JSON file.

A run holds the plan, the scores, the rows they were combined from, and where everything came from. Reports and
comparisons need nothing else.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from showthrough.errors import HALF_CHARACTER, InputError, OutputError, PlanError, Problem, quoted, shown, some
from showthrough.files import write_file
from showthrough.formats.files import decoded, read_bytes, type_fault
from showthrough.metrics import HEADLINE, Group, Metric, Rows, metric_text, parse_metric
from showthrough.statistics import PairTest, holm, judged, pair_tests
from showthrough.texts import Texts

_SHOWN = 80  # characters of a metric that a message shows
_SMALLEST, _LARGEST = 1e-100, 1e15  # numbers of a row, 0 aside
FORMAT = 1  # of the run file; rises when an old reader could misread it
WITHOUT_TEXT = "without_text"  # in the provenance of a run whose words were left out


class Input(msgspec.Struct, frozen=True):
    """A corpus, an anonymization or a background as it was given: enough to tell whether two runs saw the same."""

    name: str
    digest: str
    documents: int
    source: str = ""


def _unplaced(one: Input) -> Input:
    """The name of its file alone: folders tell of people and projects."""
    return msgspec.structs.replace(one, source=Path(one.source).name)


class MetricRecord(msgspec.Struct, frozen=True):
    """A metric with every parameter written out, defaults too."""

    text: str
    name: str
    version: int
    title: str
    group: Group
    better: Literal["higher", "lower"]
    parameters: dict[str, Any]
    explanation: str = ""  # what it is, its formula and its source, as the metric itself says it
    neutral: tuple[str, ...] = ()  # parts of which neither a higher nor a lower value is better


class Settings(msgspec.Struct, frozen=True):
    """What else the numbers depend on."""

    seed: int = 0
    resamples: int = 1000
    confidence: float = 0.95
    missing: str = "error"
    dtype: str = "fp32"  # in which models calculate
    types: str = ""  # what the user said that types are to be taken for


class Score(msgspec.Struct, frozen=True):
    """One number with its interval and signature, or `None` with a reason."""

    anonymization: str
    metric: str
    part: str
    value: float | None
    low: float | None
    high: float | None
    reason: str
    signature: str
    note: str = ""  # why there is no interval although there is a value

    @property
    def unseen(self) -> float:
        """With nothing seen to leak, the share that may leak all the same, in whole hundredths, rounded up; else 0."""
        if self.value != 1 or self.low is None:
            return 0.0
        return math.ceil(100 * (1 - self.low) - 1e-9) / 100


class Failure(msgspec.Struct, frozen=True):
    """A metric that could not be computed, and why."""

    metric: str
    reason: str


class Comparison(msgspec.Struct, frozen=True):
    """Two anonymizations on one metric: the difference (first minus second) and how likely chance makes it."""

    metric: str
    part: str
    first: str
    second: str
    difference: float | None
    low: float | None  # of the difference's interval
    high: float | None
    p: float | None
    p_holm: float | None
    note: str = ""  # why there is no p although there is a difference

    def significant(self, alpha: float) -> bool:
        return self.p_holm is not None and self.p_holm <= alpha


class Evidence(msgspec.Struct, frozen=True):
    """What an attack said about one document: its guess, where the right person ranks, by how much, and why.

    `rank` and `margin` are `None` where the attacker does not know the person; `words` are those of the anonymized
    text that speak most for the guess, each with what it adds.
    """

    guess: str | None
    rank: float | None = None
    margin: float | None = None
    words: list[tuple[str, float]] = []
    attack: str = ""  # which of them said it


Columns = dict[str, list[float]]


class _Times(msgspec.Struct):
    """Seconds that attacks took: to learn the background, and on each anonymization."""

    learning: dict[str, float] = {}
    attacking: dict[str, dict[str, float]] = {}


class _Provenance(msgspec.Struct):
    """What is known of how a run was made, as far as anybody asks; a run may say more, and may lack any of it."""

    showthrough: str = ""
    python: str = ""
    platform: str = ""
    packages: dict[str, str] = {}
    models: dict[str, str] = {}
    time: str = ""
    seconds: float = 0.0
    attacks: _Times | None = None


class Run(msgspec.Struct, dict=True):
    """One evaluation.

    `run["presidio", "er_di"]` is a score, `run["presidio", "recall_per_type", "PERSON"]` the score of one part.
    """

    corpus: Input
    anonymizations: list[Input]
    metrics: list[MetricRecord]
    settings: Settings
    documents: list[str]
    scores: list[Score]
    rows: dict[str, dict[str, Columns]]
    failures: list[Failure]
    provenance: dict[str, Any]
    complete: bool = True
    format: int = FORMAT
    texts: Texts | None = None  # original text: a file that holds it is for its owner alone
    evidence: dict[str, dict[str, dict[str, Evidence]]] = {}  # by metric, anonymization and document
    background: Input | None = None  # what the attacker knew, where an attack was made
    notes: list[str] = []  # what a reader must know before believing the numbers, a sentence each
    several_annotators: bool | None = None  # whether some document was marked by more than one; None: nobody told
    groups: list[str] = []  # of the documents, in their order: "" is alone in its own; none where no document has one
    references: list[Input] = []  # scored beside the anonymizations, but not under test: the ends of every scale
    backgrounds: dict[str, Input] = {}  # of several, by the name under which a metric asks for it

    def __repr__(self) -> str:
        """Short: a run may hold the very text that was hidden, and a notebook prints whatever stands last."""
        state = "" if self.complete else ", interrupted"
        scored = f"{len(self.metrics)} metrics, anonymizations {some(self.names)}"
        return f"Run({shown(self.corpus.name)}: {len(self.documents)} documents, {scored}{state})"

    def __getitem__(self, key: tuple[str, str | Metric] | tuple[str, str | Metric, str]) -> Score:
        anonymization, metric, part = (*key, HEADLINE)[:3]
        text = metric_text(metric if isinstance(metric, Metric) else parse_metric(metric))
        parts = self.parts(anonymization, text)
        if part in parts:
            return parts[part]
        for failure in self.failures:
            if failure.metric == text:
                raise KeyError(f"{text} failed: {failure.reason}")
        names = ", ".join(repr(name) for name in parts)
        if parts:
            raise KeyError(f"{text} of {anonymization} has no part {part!r}; there are {names}")
        names, texts = ", ".join(self.names), ", ".join(self.rows)
        raise KeyError(f"no score of {anonymization} on {text} in this run; it has {names} on {texts}")

    def parts(self, anonymization: str, metric: str | Metric) -> dict[str, Score]:
        """All values of one metric, by part; the headline under the empty string."""
        if metric not in self.rows:  # perhaps not in its shortest form
            metric = metric_text(metric if isinstance(metric, Metric) else parse_metric(metric))
        return dict(self._scores_of.get((anonymization, metric), {}))

    @property
    def _scores_of(self) -> dict[tuple[str, str], dict[str, Score]]:
        """Scores by anonymization and metric, made anew when there are others: a report asks for every single one."""
        known = self.__dict__.get("_found")
        if known is None or known[0] is not self.scores or known[1] != len(self.scores):
            found: dict[tuple[str, str], dict[str, Score]] = {}
            for score in self.scores:
                found.setdefault((score.anonymization, score.metric), {})[score.part] = score
            self.__dict__["_found"] = known = self.scores, len(self.scores), found
        return known[2]

    @property
    def names(self) -> list[str]:
        return [anonymization.name for anonymization in self.anonymizations]

    def background_of(self, metric: MetricRecord) -> Input | None:
        """What the attacker knew for a metric."""
        return self.backgrounds.get(metric.parameters.get("background", ""), self.background)

    def without_text(self) -> Run:
        """The same run without a word of any document, nor of what attacks read in it, nor a folder it was read from.

        It says so of itself: who resumes it finds the words again.
        """
        evidence = {
            metric: {
                name: {document: msgspec.structs.replace(one, words=[]) for document, one in found.items()}
                for name, found in by_name.items()
            }
            for metric, by_name in self.evidence.items()
        }
        return msgspec.structs.replace(
            self,
            corpus=_unplaced(self.corpus),
            anonymizations=[_unplaced(one) for one in self.anonymizations],
            background=None if self.background is None else _unplaced(self.background),
            backgrounds={name: _unplaced(one) for name, one in self.backgrounds.items()},
            provenance={**self.provenance, WITHOUT_TEXT: True},
            texts=None,
            evidence=evidence,
        )

    def rows_of(self, metric: str, anonymization: str) -> Rows:
        columns = self.rows[metric][anonymization]
        if not columns:
            return Rows((), np.zeros((len(self.documents), 0)))
        return Rows.named(columns)

    def compare(
        self,
        metric: str | Metric | None = None,
        *,
        parts: bool = True,
        shuffles: int = 9999,
        seed: int | None = None,
    ) -> list[Comparison]:
        """Studentized paired randomization between all pairs, with Holm's correction within each metric and part.

        Without `parts` the headlines alone.
        """
        if metric is None:
            chosen = [record.text for record in self.metrics if record.text in self.rows]
        else:
            chosen = [metric_text(metric if isinstance(metric, Metric) else parse_metric(metric))]
            if chosen[0] not in self.rows:
                raise PlanError(f"not in this run; there are {some(self.rows)}", f"metric {chosen[0]}")
        seed = self.settings.seed if seed is None else seed
        return [found for text in chosen for found in self._compared(text, parts, shuffles, seed)]

    def _compared(self, text: str, with_parts: bool, shuffles: int, seed: int) -> Iterator[Comparison]:
        metric = parse_metric(text)
        record = next(record for record in self.metrics if record.text == text)
        if record.version != metric.version:
            raise PlanError(
                f"the run has version {record.version}, this program {metric.version}; evaluate again to compare",
                f"metric {text}",
            )
        tables = self._tables(metric, text) if metric.apart else []
        if metric.apart:
            values = [metric.combine(table.totals()) for table in tables]
        else:
            values = [metric.combine(metric.totals(self.rows_of(text, name))) for name in self.names]
        parts = [part for part in values[0] if with_parts or part == HEADLINE]
        testable = [part for part in parts if metric.apart and not metric.test_fault(part)]
        columns, systems = tables[0].columns if tables else (), [table.values for table in tables]
        tests = {
            (one.part, one.first, one.second): one
            for one in pair_tests(metric.combine, columns, systems, testable, shuffles, seed, self.unit)
        }
        scores = [self.parts(name, text) for name in self.names]
        for part in parts:
            found = [
                self._pair(text, part, pair, values, scores, tests.get((part, *pair)), part not in metric.unbounded)
                for pair in combinations(range(len(values)), 2)
            ]
            corrected = iter(holm([one.p for one in found if one.p is not None]))
            for one in found:
                note = one.note or ("" if one.difference is None else metric.test_fault(part))
                yield msgspec.structs.replace(one, p_holm=None if one.p is None else next(corrected), note=note)

    def _tables(self, metric: Metric, text: str) -> list[Rows]:
        """What is counted for each anonymization, all in the same columns."""
        tables = [self.units(metric.counted(self.rows_of(text, name))) for name in self.names]
        columns = tuple(dict.fromkeys(column for table in tables for column in table.columns))
        return [Rows.joined([Rows(columns, np.zeros((0, len(columns)))), table]) for table in tables]

    def _pair(
        self,
        text: str,
        part: str,
        places: tuple[int, int],
        values: list[dict[str, Any]],
        scores: list[dict[str, Score]],
        test: PairTest | None,
        bounded: bool,
    ) -> Comparison:
        first, second = places
        difference = float(values[first][part] - values[second][part])
        names = self.anonymizations[first].name, self.anonymizations[second].name
        if np.isnan(difference):
            return Comparison(text, part, *names, None, None, None, None, None)
        if test is None:
            return Comparison(text, part, *names, difference, None, None, None, None)
        one, two = (_ends(scores[place].get(part)) for place in places)
        low, high, p, note = judged(test, difference, one, two, self.settings.confidence, bounded, self.unit)
        return Comparison(text, part, *names, difference, low, high, p, None, note)

    @property
    def unit(self) -> str:
        """One of what is drawn and exchanged as a whole."""
        return "group" if self.groups else "document"

    @property
    def sample(self) -> str:
        """What is drawn and exchanged as a whole, in words: `42 documents`, or `9 groups of 42 documents`."""
        count = len(self.documents)
        documents = f"{count} {'document' if count == 1 else 'documents'}"
        if not self.groups:
            return documents
        return f"{len(set(self.groups) - {''}) + self.groups.count('')} groups of {documents}"

    def by_id(self, rows: Rows) -> Rows:
        """The same rows in the order of the documents' ids: the last digit of a sum hangs on the order."""
        order = sorted(range(len(self.documents)), key=self.documents.__getitem__)
        return Rows(rows.columns, rows.values[order])

    def units(self, rows: Rows) -> Rows:
        """What is drawn and exchanged as a whole: documents in the order of their ids, or groups of them."""
        if not self.groups:
            return self.by_id(rows)
        named = list(zip(self.groups, self.documents, strict=True))
        order = sorted(range(len(named)), key=named.__getitem__)  # inside a group too: the last digit of a sum tells
        units = [(named[place][0] or named[place]) for place in order]
        number = {unit: number for number, unit in enumerate(dict.fromkeys(units))}
        values = np.zeros((len(number), rows.values.shape[1]))
        np.add.at(values, [number[unit] for unit in units], rows.values[order])
        return Rows(rows.columns, values)

    def to_frame(self) -> Any:
        """The scores as a pandas DataFrame, where pandas is installed."""
        try:
            import pandas
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install 'showthrough[pandas]'") from error
        return pandas.DataFrame([msgspec.structs.asdict(score) for score in self.scores])

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Writes the run as one JSON file, all of it or nothing; an existing file only with `force`."""
        try:
            content = msgspec.json.format(msgspec.json.encode(self), indent=1)
        except UnicodeEncodeError as error:
            raise OutputError(f"{path}: cannot be written: a name in the run {HALF_CHARACTER}") from error
        write_file(Path(path), content, force=force)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Run:
        """The run that `save` wrote."""
        path = Path(path)
        content = read_bytes(path)
        try:
            number = decoded(content, _HEAD, path).format  # first: another format may have other fields
            run = decoded(content, msgspec.json.Decoder(cls), path) if number == FORMAT else None
        except InputError as error:
            raise InputError(Problem(str(path), "is not a run file", str(error).removeprefix(f"{path}: "))) from None
        if run is None:
            raise InputError(Problem(str(path), "format", f"found {number}; this version reads {FORMAT}"))
        if problems := [Problem(str(path), place, message) for place, message in run._faults()]:
            raise InputError(problems)
        return run

    def _faults(self) -> Iterator[tuple[str, str]]:
        """What does not fit together, as place and message: a run that was edited by hand or cut by a tool."""
        beside = [one.name for one in self.references]
        if len({*self.names, *beside}) < len(self.names) + len(beside):
            yield "anonymizations", f"found {some((*self.names, *beside))}; expected unique names"
            return
        if self.settings.seed < 0:
            yield "settings.seed", f"found {shown(str(self.settings.seed))}; expected 0 or more"
        try:
            msgspec.convert(self.provenance, _Provenance)
        except msgspec.ValidationError as error:
            yield type_fault(error, "provenance")
        for record in self.metrics:
            if not isinstance(given := record.parameters.get("background", ""), str):
                place = f"metrics.{shown(record.text, _SHOWN)}.parameters.background"
                yield place, f"found {quoted(given)}; expected text"
        if self.texts is not None:
            yield from self.texts.faults(self.names)
        if self.groups and len(self.groups) != len(self.documents):
            yield "groups", f"expected one for each of the {len(self.documents)} documents, or none"
        known = {record.text for record in self.metrics}
        for text, by_name in self.rows.items():
            if text not in known or set(by_name) - set(beside) != set(self.names):
                yield (
                    f"rows.{shown(text, _SHOWN)}",
                    f"found {some(by_name)}; expected a metric of this run and all its names",
                )
                continue
            for name, columns in by_name.items():
                if any(len(column) != len(self.documents) for column in columns.values()):
                    yield (
                        f"rows.{shown(text, _SHOWN)}.{shown(name)}",
                        f"expected a value for each of the {len(self.documents)} documents",
                    )
                elif any(map(_beyond, columns.values())):
                    yield (
                        f"rows.{shown(text, _SHOWN)}.{shown(name)}",
                        f"holds a number that no metric gives; expected 0, or {_SMALLEST:g} to {_LARGEST:g}",
                    )
                elif lacking := self._lacking(text, name):
                    yield f"rows.{shown(text, _SHOWN)}.{shown(name)}", f"{lacking} is missing"

    def _lacking(self, text: str, name: str) -> str:
        """A statistic that the metric combines and the rows do not have."""
        try:
            metric = parse_metric(text)
            metric.combine(metric.totals(self.rows_of(text, name)))
        except PlanError:
            return ""  # a metric of another version or another package: its scores can be shown all the same
        except KeyError as error:
            return str(error.args[0])
        return ""


def _beyond(column: Sequence[float]) -> bool:
    """Whether one of these numbers is none of a metric's, and would be infinite or nothing in a product of two."""
    sizes = np.abs(np.asarray(column, dtype=float))
    return bool(((sizes > _LARGEST) | ((sizes > 0) & (sizes < _SMALLEST))).any())


class _Head(msgspec.Struct):
    format: int


_HEAD = msgspec.json.Decoder(_Head)


def _ends(score: Score | None) -> tuple[float, float, float] | None:
    """A value with the ends of its interval, where there are all three."""
    if score is None or score.value is None or score.low is None or score.high is None:
        return None
    return score.value, score.low, score.high


def signature(
    metric: MetricRecord,
    fixed: Iterable[tuple[str, str]],
    corpus: Input,
    anonymization: Input,
    settings: Settings,
    version: str,
) -> str:
    """One line that pins a score down, in the manner of sacreBLEU."""
    fixed = list(fixed)
    told = {key for key, _ in fixed}  # a background's name and digest tell more than the parameter that chose it
    pairs = [
        ("corpus", f"{corpus.name}@{corpus.digest[:8]}"),
        ("anonymization", f"{anonymization.name}@{anonymization.digest[:8]}"),
        *((key, _short(value)) for key, value in metric.parameters.items() if key not in told),
        *fixed,
        *([("missing", settings.missing)] if settings.missing != "error" else []),
        *([("types", settings.types)] if settings.types else []),
        ("confidence", f"{settings.confidence:g}"),
        ("resamples", str(settings.resamples)),
        ("resampling_seed", str(settings.seed)),
        ("showthrough", version),
    ]
    fields = [f"{metric.name}.v{metric.version}", *(f"{key}:{value}" for key, value in pairs)]
    return "|".join(entry.replace("|", "¦") for entry in fields)


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def columns_of(rows: Rows) -> Columns:
    """Rows as a run file keeps them: whole numbers stay whole."""
    return {
        name: [int(value) if value.is_integer() else value for value in rows.values[:, index].tolist()]
        for index, name in enumerate(rows.columns)
    }
