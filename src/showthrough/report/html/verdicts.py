"""A verdict on each anonymization, in one sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from showthrough.metrics import HEADLINE
from showthrough.report.plots import attacks
from showthrough.report.reading import leaks
from showthrough.run import Run

_INFORMATION = ("tps", "tpi")  # by name: what says how much information is left, the better one first


@dataclass(frozen=True)
class Clause:
    """A piece of a sentence whose middle is what counts."""

    before: str
    number: str
    after: str = ""

    def __str__(self) -> str:
        return f"{self.before}{self.number}{self.after}"


def verdict(run: Run, name: str) -> list[Clause]:
    """What a run says about one anonymization: what can be read, who can be found, what is left.

    Clauses for which the run has no number are left out.
    """
    return [*_readable(run, name), *_found(run, name), *_kept(run, name), *_spoiled(run, name)]


def _readable(run: Run, name: str) -> Iterator[Clause]:
    if name not in run.rows.get("er_di", {}):
        return
    found = leaks(run, name)
    if not found:
        yield Clause("leaves ", "no direct identifier", " readable")
        return
    total = sum(found.values())
    things = "1 direct identifier" if total == 1 else f"{total:,} direct identifiers"
    yield Clause("leaves ", things, f" readable in {len(found):,} of {len(run.documents):,} documents")


def _found(run: Run, name: str) -> Iterator[Clause]:
    values = [_headline(run, name, record.text) for record in attacks(run)]
    known = [value for value in values if value is not None]
    if known:
        yield Clause("an attacker finds ", _percent(max(known)), " of the people")


def _kept(run: Run, name: str) -> Iterator[Clause]:
    texts = [record.text for wanted in _INFORMATION for record in run.metrics if record.name == wanted]
    values = [_headline(run, name, text) for text in texts]
    known = [value for value in values if value is not None]
    if known:
        yield Clause("keeps ", _percent(known[0]), " of the information")


def _spoiled(run: Run, name: str) -> Iterator[Clause]:
    value = _headline(run, name, "precision")
    if value is not None:
        yield Clause("", _percent(1 - value), " of what it masks could have stayed")


def _headline(run: Run, name: str, metric: str) -> float | None:
    if metric not in run.rows:
        return None
    score = run.parts(name, metric).get(HEADLINE)
    return None if score is None else score.value


def _percent(value: float) -> str:
    """
    >>> _percent(0.309), _percent(0.0004), _percent(0.0)
    ('31\\u202f%', '<1\\u202f%', '0\\u202f%')
    """
    if 0 < value < 0.005:
        return "<1\u202f%"
    if 0.995 < value < 1:
        return ">99\u202f%"
    return f"{value * 100:.0f}\u202f%"
