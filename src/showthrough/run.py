"""Everything that one evaluation produced, and its one JSON file.

A run holds the plan, the scores, the rows they were combined from, and where everything came from. Reports and
comparisons need nothing else.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from showthrough.errors import InputError, OutputError, PlanError, Problem
from showthrough.formats.files import decoded, read_bytes
from showthrough.metrics import HEADLINE, Group, Metric, Rows, metric_text, parse_metric
from showthrough.statistics import holm, p_value, shuffled_shifts
from showthrough.texts import Texts

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
    p: float | None
    p_holm: float | None

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
        self, metric: str | Metric | None = None, *, shuffles: int = 9999, seed: int | None = None
    ) -> list[Comparison]:
        """Paired approximate randomization between all pairs, with Holm's correction within each metric and part."""
        if metric is None:
            chosen = [record.text for record in self.metrics if record.text in self.rows]
        else:
            chosen = [metric_text(metric if isinstance(metric, Metric) else parse_metric(metric))]
            if chosen[0] not in self.rows:
                raise PlanError(f"not in this run; there are {', '.join(self.rows)}", f"metric {chosen[0]}")
        seed = self.settings.seed if seed is None else seed
        return [found for text in chosen for found in self._compared(text, shuffles, seed)]

    def _compared(self, text: str, shuffles: int, seed: int) -> Iterator[Comparison]:
        metric = parse_metric(text)
        record = next(record for record in self.metrics if record.text == text)
        if record.version != metric.version:
            raise PlanError(
                f"the run has version {record.version}, this program {metric.version}; evaluate again to compare",
                f"metric {text}",
            )
        pairs = list(combinations(self.names, 2))
        by_part: dict[str, list[Comparison]] = {}
        for first, second in pairs:
            one, two = _same_columns(*(metric.counted(self.rows_of(text, name)) for name in (first, second)))
            shift = shuffled_shifts(two.values - one.values, shuffles, seed)
            real = _differences(metric, one.values.sum(axis=0), two.values.sum(axis=0), one.columns)
            moved = _differences(metric, one.values.sum(axis=0) + shift, two.values.sum(axis=0) - shift, one.columns)
            for part, difference in real.items():
                observed = None if np.isnan(difference) else float(difference)
                p = None if observed is None else p_value(observed, moved[part])
                found = Comparison(text, part, first, second, observed, p, None)
                by_part.setdefault(part, []).append(found)
        for found_pairs in by_part.values():
            corrected = iter(holm([found.p for found in found_pairs if found.p is not None]))
            for found in found_pairs:
                yield msgspec.structs.replace(found, p_holm=None if found.p is None else next(corrected))

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
        if self.texts is not None:
            yield from self.texts.faults(self.names)
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


def _same_columns(one: Rows, two: Rows) -> tuple[Rows, Rows]:
    both = Rows.joined([one, two])
    return Rows(both.columns, both.values[: len(one.values)]), Rows(both.columns, both.values[len(one.values) :])


def _differences(metric: Metric, one: Any, two: Any, columns: tuple[str, ...]) -> dict[str, Any]:
    left, right = (metric.combine({name: side[..., i] for i, name in enumerate(columns)}) for side in (one, two))
    return {part: left[part] - right[part] for part in left}


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
