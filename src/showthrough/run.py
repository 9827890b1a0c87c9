"""Everything that one evaluation produced, and its one JSON file.

A run holds the plan, the scores, the rows they were combined from, and where everything came from. Reports and
comparisons need nothing else.
"""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from showthrough.errors import InputError, OutputError, PlanError, Problem
from showthrough.formats.files import decoded, read_bytes, type_fault
from showthrough.metrics import HEADLINE, Group, Metric, Rows, metric_text, parse_metric
from showthrough.statistics import PairTest, difference_interval, holm, pair_tests, sure_difference_interval
from showthrough.texts import Texts

_NOTHING = 1e-12  # a standard error that is nothing but rounding
FORMAT = 1  # of the run file; rises when an old reader could misread it


class Input(msgspec.Struct, frozen=True):
    """A corpus, an anonymization or a background as it was given: enough to tell whether two runs saw the same."""

    name: str
    digest: str
    documents: int
    source: str = ""


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


class Run(msgspec.Struct):
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
    groups: list[str] = []  # of the documents, in their order: "" is alone in its own; none where no document has one
    references: list[Input] = []  # scored beside the anonymizations, but not under test: the ends of every scale
    backgrounds: dict[str, Input] = {}  # of several, by the name under which a metric asks for it

    def __repr__(self) -> str:
        """Short: a run may hold the very text that was hidden, and a notebook prints whatever stands last."""
        state = "" if self.complete else ", interrupted"
        scored = f"{len(self.metrics)} metrics, anonymizations {', '.join(self.names)}"
        return f"Run({self.corpus.name}: {len(self.documents)} documents, {scored}{state})"

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
        return {
            score.part: score
            for score in self.scores
            if score.anonymization == anonymization and score.metric == metric
        }

    @property
    def names(self) -> list[str]:
        return [anonymization.name for anonymization in self.anonymizations]

    def background_of(self, metric: MetricRecord) -> Input | None:
        """What the attacker knew for a metric."""
        return self.backgrounds.get(metric.parameters.get("background", ""), self.background)

    def without_text(self) -> Run:
        """The same run without a word of any document, nor of what attacks read in it."""
        evidence = {
            metric: {
                name: {document: msgspec.structs.replace(one, words=[]) for document, one in found.items()}
                for name, found in by_name.items()
            }
            for metric, by_name in self.evidence.items()
        }
        return msgspec.structs.replace(self, texts=None, evidence=evidence)

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
                raise PlanError(f"not in this run; there are {', '.join(self.rows)}", f"metric {chosen[0]}")
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
        tables = [self.units(metric.counted(self.rows_of(text, name))) for name in self.names]
        columns = tuple(dict.fromkeys(column for table in tables for column in table.columns))
        rows = [Rows.joined([Rows(columns, np.zeros((0, len(columns)))), table]) for table in tables]
        values = [metric.combine(table.totals()) for table in rows]
        parts = [part for part in values[0] if with_parts or part == HEADLINE]
        testable = [part for part in parts if not metric.test_fault(part)]
        systems = [table.values for table in rows]
        tests = {
            (one.part, one.first, one.second): one
            for one in pair_tests(metric.combine, columns, systems, testable, shuffles, seed)
        }
        scores = [self.parts(name, text) for name in self.names]
        for part in parts:
            found = [
                self._pair(text, part, (first, second), values, scores, tests.get((part, first, second)))
                for first, second in combinations(range(len(systems)), 2)
            ]
            corrected = iter(holm([one.p for one in found if one.p is not None]))
            for one in found:
                note = one.note or ("" if one.difference is None else metric.test_fault(part))
                yield msgspec.structs.replace(one, p_holm=None if one.p is None else next(corrected), note=note)

    def _pair(
        self,
        text: str,
        part: str,
        places: tuple[int, int],
        values: list[dict[str, Any]],
        scores: list[dict[str, Score]],
        test: PairTest | None,
    ) -> Comparison:
        first, second = places
        difference = float(values[first][part] - values[second][part])
        names = self.names[first], self.names[second]
        if np.isnan(difference):
            return Comparison(text, part, *names, None, None, None, None, None)
        if test is None:
            return Comparison(text, part, *names, difference, None, None, None, None)
        one, two = (_ends(scores[place].get(part)) for place in places)
        low, high = None, None
        if test.error > _NOTHING and not test.fault:
            low, high = difference_interval(difference, test.error, test.freedom, self.settings.confidence)
        elif one and two and not test.fault:
            low, high = sure_difference_interval(one, two)
        return Comparison(text, part, *names, difference, low, high, test.p, None, test.fault)

    @property
    def sample(self) -> str:
        """What is drawn and exchanged as a whole, in words: `42 documents`, or `9 groups of 42 documents`."""
        count = len(self.documents)
        documents = f"{count} {'document' if count == 1 else 'documents'}"
        if not self.groups:
            return documents
        return f"{len(set(self.groups) - {''}) + self.groups.count('')} groups of {documents}"

    def units(self, rows: Rows) -> Rows:
        """What is drawn and exchanged as a whole: documents in the order of their ids, or groups of them."""
        named = list(zip(self.groups or [""] * len(self.documents), self.documents, strict=True))
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
        write_file(Path(path), msgspec.json.format(msgspec.json.encode(self), indent=1), force=force)

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
            yield "anonymizations", f"found {', '.join((*self.names, *beside))}; expected unique names"
            return
        try:
            msgspec.convert(self.provenance, _Provenance)
        except msgspec.ValidationError as error:
            yield type_fault(error, "provenance")
        if self.texts is not None:
            yield from self.texts.faults(self.names)
        if self.groups and len(self.groups) != len(self.documents):
            yield "groups", f"expected one for each of the {len(self.documents)} documents, or none"
        known = {record.text for record in self.metrics}
        for text, by_name in self.rows.items():
            if text not in known or set(by_name) - set(beside) != set(self.names):
                yield f"rows.{text}", f"found {', '.join(by_name)}; expected a metric of this run and all its names"
                continue
            for name, columns in by_name.items():
                if any(len(column) != len(self.documents) for column in columns.values()):
                    yield f"rows.{text}.{name}", f"expected a value for each of the {len(self.documents)} documents"
                elif lacking := self._lacking(text, name):
                    yield f"rows.{text}.{name}", f"{lacking} is missing"

    def _lacking(self, text: str, name: str) -> str:
        """A statistic that the metric combines and the rows do not have."""
        try:
            metric = parse_metric(text)
            metric.combine(metric.counted(self.rows_of(text, name)).totals())
        except PlanError:
            return ""  # a metric of another version or another package: its scores can be shown all the same
        except KeyError as error:
            return str(error.args[0])
        return ""


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


def write_file(path: Path, content: bytes, *, force: bool = False, private: bool = True) -> None:
    """Writes a file as a whole: a reader sees the old one or the new one, never half of it."""
    try:
        if path.is_file() and not force:
            raise OutputError(
                f"{path}: exists already; choose another name, or replace it with --force (in Python, force=True)"
            )
        if path.exists() and not path.is_file():
            path.write_bytes(content)  # a pipe or a device takes it, and must not be replaced by a file
            return
        target = Path(os.path.realpath(path))  # what a link points to is replaced, not the link
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".showthrough-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if not private:
                Path(temporary).chmod(0o644 & ~_umask())
            Path(temporary).replace(target)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {error.strerror}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def columns_of(rows: Rows) -> Columns:
    """Rows as a run file keeps them: whole numbers stay whole."""
    return {
        name: [int(value) if value.is_integer() else value for value in rows.values[:, index].tolist()]
        for index, name in enumerate(rows.columns)
    }
