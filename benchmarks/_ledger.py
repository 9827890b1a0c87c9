"""One ledger of speed: figures, their limits, and what was committed last."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

LEDGER = Path(__file__).with_name("ledger.json")
WORSE = 1.3  # times the committed figure


@dataclass(frozen=True)
class Figure:
    """Something that was measured; where it could not be, the reason."""

    name: str
    value: float | None
    limit: float | None = None
    higher_is_better: bool = False
    skipped: str = ""

    def is_worse_than(self, other: float, times: float = 1.0) -> bool:
        if self.value is None:
            return False
        return self.value < other / times if self.higher_is_better else self.value > other * times

    @property
    def misses_limit(self) -> bool:
        return self.limit is not None and self.is_worse_than(self.limit)

    def has_grown(self, committed: Mapping[str, float]) -> bool:
        return self.name in committed and self.is_worse_than(committed[self.name], WORSE)


def read_ledger() -> dict[str, float]:
    return dict(json.loads(LEDGER.read_text(encoding="utf-8"))) if LEDGER.exists() else {}


def write_ledger(figures: Sequence[Figure], complete: bool) -> None:
    """Writes what was measured; as long as something is not, or was skipped, what the ledger has besides stays."""
    measured = {figure.name: float(f"{figure.value:.3g}") for figure in figures if figure.value is not None}
    kept = read_ledger() if not complete or len(measured) < len(figures) else {}
    LEDGER.write_text(json.dumps({**kept, **measured}, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def print_table(figures: Sequence[Figure], committed: Mapping[str, float] | None = None) -> bool:
    """Prints what was measured beside limits and committed figures; whether all of it is good."""
    earlier = committed or {}
    width = max(len(figure.name) for figure in figures)
    print(f"{'':<{width}} {'figure':>9} {'limit':>10} {'committed':>10}")
    good = True
    for figure in figures:
        if figure.value is None:
            print(f"{figure.name:<{width}} skipped: {figure.skipped}")
            continue
        sign = "≥" if figure.higher_is_better else "≤"
        limit = "" if figure.limit is None else f"{sign} {figure.limit:g}"
        last = f"{earlier[figure.name]:.3g}" if figure.name in earlier else ""
        verdict = ["MISSES ITS LIMIT"] * figure.misses_limit + [f"WORSE THAN {WORSE} ×"] * figure.has_grown(earlier)
        good &= not verdict
        print(f"{figure.name:<{width}} {figure.value:>9.3g} {limit:>10} {last:>10}   {', '.join(verdict)}".rstrip())
    return good
