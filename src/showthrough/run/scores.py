"""What a run is asked for by its keys: an anonymization's scores, one of them, or one part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from showthrough.core.errors import (
    NoScoreError,
    PlanError,
    ResourceError,
    join_names,
    quote_value,
    shorten,
    suggest_name,
)
from showthrough.metrics import HEADLINE, Metric
from showthrough.run import _views
from showthrough.run.records import Score

if TYPE_CHECKING:
    from showthrough.run.run import Run


class Scores(Mapping[str, Score]):
    """One anonymization's scores: what each metric is known by. `[metric, part]` is one of a metric's parts."""

    def __init__(self, run: Run, anonymization: str) -> None:
        self.run = run
        self.anonymization = anonymization

    def __getitem__(self, key: str | Metric | tuple[str | Metric] | tuple[str | Metric, str]) -> Score:
        metric, part = (*_keys(key, 2, "a metric, or a metric and one of its parts"), HEADLINE)[:2]
        if not isinstance(metric, str | Metric):
            raise NoScoreError(f"found the key {quote_value(metric)}; expected the text form of a metric, or a metric")
        if not isinstance(part, str):
            raise NoScoreError(f"found the key {quote_value(part)}; expected the name of a part, as text")
        text, parts = self._find_parts(metric)
        if part in parts:
            return parts[part]
        subject = f"{shorten(text)} of {shorten(self.anonymization)}"
        listed = join_names(filter(None, parts))
        if part == HEADLINE:
            raise NoScoreError(f"{subject} has parts alone; expected one of {listed}")
        raise NoScoreError(f"{subject} has no part {quote_value(part)}; {suggest_name(part, parts)}there are {listed}")

    def _find_parts(self, metric: str | Metric) -> tuple[str, dict[str, Score]]:
        """A metric's text form with its scores by part; raises NoScoreError where there are none, with the reason."""
        run, text = self.run, metric if isinstance(metric, str) else repr(metric)
        with suppress(PlanError, ResourceError):  # of what is no metric at all
            text, parts = run.text_of(metric), self.parts(metric)
            if parts:
                return text, parts
        for failure in run.failures:
            if failure.metric == text:
                raise NoScoreError(f"{shorten(text)} failed: {failure.reason}")
        if text in run.rows:
            raise NoScoreError(f"{shorten(self.anonymization)} has no score on {shorten(text)} in this run")
        raise NoScoreError(
            f"no metric {quote_value(text)} in this run; {suggest_name(text, run.rows)}there are {join_names(run.rows)}"
        )

    def __iter__(self) -> Iterator[str]:
        return (record.text for record in self.run.metrics if HEADLINE in self.parts(record.text))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def parts(self, metric: str | Metric) -> dict[str, Score]:
        """All values of one metric, by part; the headline under the empty string."""
        return self.run.parts(self.anonymization, metric)

    def __repr__(self) -> str:
        return _views.text(self)

    def _repr_html_(self) -> str:
        return _views.html(self)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self)


def checked_key(run: Run, key: object) -> tuple[Any, ...]:
    """The one to three keys that a run was asked with, the first of them the name of an anonymization it has."""
    keys = _keys(key, 3, "an anonymization, or also a metric, or also one of its parts")
    beside = [reference.name for reference in run.references]
    names = [*run.names, *beside]
    if not isinstance(keys[0], str):
        raise NoScoreError(
            f"found the key {quote_value(keys[0])}; expected the name of an anonymization: {join_names(names)}"
        )
    if keys[0] in names:
        return keys
    if keys[0] in run.rows and not keys[1:]:
        example = f"run[{quote_value(names[0])}, {quote_value(keys[0])}]" if names else "run[name, metric]"
        raise NoScoreError(f"found the metric {quote_value(keys[0])}; expected an anonymization first, as in {example}")
    listed = f"there are {join_names(run.names)}" + (f", and the references {join_names(beside)}" if beside else "")
    raise NoScoreError(f"no anonymization {quote_value(keys[0])} in this run; {suggest_name(keys[0], names)}{listed}")


def _keys(key: object, most: int, expected: str) -> tuple[Any, ...]:
    keys = key if isinstance(key, tuple) else (key,)
    if not 0 < len(keys) <= most:
        raise NoScoreError(f"found {len(keys)} keys; expected {expected}")
    return keys
