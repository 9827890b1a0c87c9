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
from typing import Any

import msgspec
import numpy as np

from showthrough.errors import InputError, OutputError, PlanError, Problem
from showthrough.metrics import HEADLINE, Metric, Rows, metric_text, parse_metric
from showthrough.statistics import holm, p_value, shuffled_shifts

FORMAT = 1  # of the run file; rises when an old reader could misread it


class Input(msgspec.Struct, frozen=True):
    """A corpus or an anonymization as it was given: enough to tell whether two runs saw the same."""

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
    group: str
    better: str  # "higher" or "lower"
    parameters: dict[str, Any]


class Settings(msgspec.Struct, frozen=True):
    """What else the numbers depend on."""

    seed: int = 0
    resamples: int = 1000
    confidence: float = 0.95
    missing: str = "error"


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
        raise KeyError(f"no score of {anonymization} on {text} in this run")

    def parts(self, anonymization: str, metric: str) -> dict[str, Score]:
        """All values of one metric, by part; the headline under the empty string."""
        return {
            score.part: score
            for score in self.scores
            if score.anonymization == anonymization and score.metric == metric
        }

    @property
    def names(self) -> list[str]:
        return [anonymization.name for anonymization in self.anonymizations]

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
        pairs = list(combinations(self.names, 2))
        by_part: dict[str, list[Comparison]] = {}
        for first, second in pairs:
            one, two = _same_columns(self.rows_of(text, first), self.rows_of(text, second))
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
        try:
            run = msgspec.json.decode(Path(path).read_bytes(), type=cls)
        except OSError as error:
            raise InputError(Problem(str(path), "", f"cannot be read: {error.strerror}")) from error
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise InputError(Problem(str(path), "", f"is not a run file: {error}")) from error
        if run.format != FORMAT:
            raise InputError(Problem(str(path), "format", f"found {run.format}; this version reads {FORMAT}"))
        return run


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
    missing: str,
    version: str,
) -> str:
    """One line that pins a score down, in the manner of sacreBLEU."""
    pairs = [
        ("corpus", f"{corpus.name}@{corpus.digest[:8]}"),
        ("anonymization", f"{anonymization.name}@{anonymization.digest[:8]}"),
        *((key, _short(value)) for key, value in metric.parameters.items()),
        *fixed,
        *([("missing", missing)] if missing != "error" else []),
        ("showthrough", version),
    ]
    return "|".join([f"{metric.name}.v{metric.version}", *(f"{key}:{value}" for key, value in pairs)])


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def write_file(path: Path, content: bytes, *, force: bool = False, private: bool = True) -> None:
    """Writes a file as a whole: a reader sees the old one or the new one, never half of it."""
    if path.exists() and not force:
        raise OutputError(f"{path}: exists already; choose another name or say --force to replace it")
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            if not private:
                Path(temporary).chmod(0o644 & ~_umask())
            Path(temporary).replace(path)
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
