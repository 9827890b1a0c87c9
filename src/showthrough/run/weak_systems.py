"""Who hides almost nothing of what there was to hide: whatever else is said of such a system, that comes first."""

from __future__ import annotations

from typing import Literal, NamedTuple

from showthrough.data.references import NOTHING
from showthrough.metrics import Role
from showthrough.metrics.matching.entities import LEFT, WAYS
from showthrough.run.records import MetricRecord
from showthrough.run.roles import choose_metric, count_by_kind, find_metrics, goes_first, in_all
from showthrough.run.run import Run

ALMOST = 0.05  # of what there was to hide, which is almost nothing of it
_OF_TEXT = 0.005  # of the characters, where nobody says what there was to hide

_LEFT_MARKED = f"{LEFT}:{WAYS[0]}"  # a column: what can be read where it was marked

By = Literal["words", "identifiers", "finds", "text"]


class HiddenShare(NamedTuple):
    """How much is hidden of how much, beyond what is hidden where nothing is masked."""

    hidden: float
    whole: float
    by: By
    detector: str = ""

    @property
    def share(self) -> float:
        return self.hidden / self.whole


def almost_nothing(run: Run, name: str) -> HiddenShare | None:
    """What an anonymization hides, where that is almost nothing; None where it is more, or nobody can tell.

    What annotators marked decides where it was counted: by words or mentions, else by identifiers. Without that what a
    detector finds in the originals decides, and without that how much of the text is masked.
    """
    ways = (_of_marked, _of_identifiers, _of_finds, _of_text)
    has_rows = run.complete and all(name in table for table in run.rows.values())
    result = next((hiding for way in ways if (hiding := way(run, name))), None) if has_rows else None
    if result is None or result.share >= (_OF_TEXT if result.by == "text" else ALMOST):
        return None
    return result


def _of_marked(run: Run, name: str) -> HiddenShare | None:
    """By recall. Words that need not be masked are hidden by who does nothing, so that has to be known."""
    record = choose_metric(run, "recall")
    if record is None or NOTHING not in run.rows[record.text] or not _counts(record):
        return None
    return _beyond(*_sums(run, record, name), _sums(run, record, NOTHING)[0], "words")


def _of_identifiers(run: Run, name: str) -> HiddenShare | None:
    """Where they were marked: who masks that and leaves the same elsewhere leaks, but does not do nothing."""
    roles: tuple[Role, ...] = ("direct identifiers", "quasi-identifiers")
    every = [[record for record in find_metrics(run, role) if _counts(record)] for role in roles]
    records = [min(candidates, key=goes_first) for candidates in every if candidates]
    sums = [_sums(run, record, name) for record in records]
    idle = [_sums(run, record, NOTHING)[0] for record in records if NOTHING in run.rows[record.text]]
    return _beyond(sum(right for right, _ in sums), sum(whole for _, whole in sums), sum(idle), "identifiers")


def _of_finds(run: Run, name: str) -> HiddenShare | None:
    """By the detector that finds most in the originals."""
    able = [candidate for candidate in find_metrics(run, "residual") if NOTHING in run.rows[candidate.text]]
    finds = {candidate.text: in_all(count_by_kind(run, candidate, NOTHING, "wrong")) for candidate in able}
    record = max(able, key=lambda candidate: finds[candidate.text], default=None)
    if record is None or not finds[record.text]:
        return None
    whole = finds[record.text]
    hidden = max(0.0, whole - in_all(count_by_kind(run, record, name, "wrong")))
    return HiddenShare(hidden, whole, "finds", str(record.parameters.get("detector", record.name)))


def _of_text(run: Run, name: str) -> HiddenShare | None:
    if run.texts is None or run.texts.chosen != "all" or name not in run.texts.masks:
        return None
    whole = sum(len(document.text) for document in run.texts.documents)
    masked = sum(mask.end - mask.start for masks in run.texts.masks[name] for mask in masks)
    return HiddenShare(masked, whole, "text") if whole else None


def _counts(record: MetricRecord) -> bool:
    return {"right", "all"} <= set(record.counts.values())


def _sums(run: Run, record: MetricRecord, name: str) -> tuple[float, float]:
    """What is hidden where it was marked, and what there is in all."""
    right, whole = (in_all(count_by_kind(run, record, name, kind)) for kind in ("right", "all"))
    left = run.rows[record.text][name].get(_LEFT_MARKED) if goes_first(record) else None
    return (right if left is None else whole - in_all(left)), whole


def _beyond(right: float, whole: float, idle: float, by: By) -> HiddenShare | None:
    return HiddenShare(max(0.0, right - idle), whole - idle, by) if whole > idle else None
