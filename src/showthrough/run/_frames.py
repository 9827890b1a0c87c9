"""Scores as frames of pandas, where it is installed: one a row, or a row for each anonymization."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from showthrough.metrics import HEADLINE

if TYPE_CHECKING:
    from showthrough.run.run import Run

ENDS = ("value", "low", "high")


def long(run: Run) -> Any:
    return _pandas("to_frame").DataFrame([msgspec.structs.asdict(score) for score in run.scores])


def wide(run: Run, *, parts: bool, intervals: bool, references: bool) -> Any:
    """What failed has a column too, of nothing; a metric that has parts alone has none without them."""
    pandas = _pandas("table")
    beside = [reference.name for reference in run.references] if references else []
    names = [*run.names, *beside]
    levels = ["metric", *(["part"] if parts else []), *(["end"] if intervals else [])]
    columns: dict[tuple[str, ...], list[float | None]] = {}
    for record in run.metrics:
        scores = [run.parts(name, record.text) for name in names]
        all_parts = dict.fromkeys(part for by_part in scores for part in by_part) or [HEADLINE]
        for part in all_parts if parts else {HEADLINE} & set(all_parts):
            for end in ENDS if intervals else ENDS[:1]:
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


def _pandas(feature: str) -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError(f"{feature} needs pandas: pip install 'showthrough[pandas]'") from error
    return pandas
