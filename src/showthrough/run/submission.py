"""Runs that are handed in: checked, without text, with what is said about them and what somebody scored again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from showthrough.core.errors import InputError, Problem, join_names, quote_value, shorten
from showthrough.run.run import Run

KEY = "submission"  # in the provenance of a run
ABOUT = ("title", "language", "licence", "source", "threat", "by", "note")  # what may be said of a run
NOT_CHECKED = "nobody has scored its masks again"
_CLOSE = 1e-9


class Submission(msgspec.Struct, frozen=True):
    """What a run that was handed in says beside its numbers."""

    about: Annotated[dict[str, str], "what a site says of the corpus: its title, language, licence, source"] = {}
    unverified: Annotated[dict[str, str], "by anonymization: why its numbers rest on the word of who made them"] = {}
    not_repeated: Annotated[list[str], "metrics that were not scored again, since they need more than masks"] = []


def submission_of(run: Run) -> Submission:
    """What it says; of a run that was never handed in, that nobody scored anything again."""
    content = run.provenance.get(KEY)
    if content is None:
        return Submission(unverified=dict.fromkeys(run.names, NOT_CHECKED))
    return msgspec.convert(content, Submission)


def prepare(run: Run, about: Mapping[str, str]) -> Run:
    """The run to hand in, without text.

    Raises InputError with all that keeps it from being handed in.
    """
    if faults := list(_faults(run, about)):
        raise InputError(faults)
    submission = Submission({**submission_of(run).about, **about}, dict.fromkeys(run.names, NOT_CHECKED))
    return with_submission(run.without_text(), submission)


def with_submission(run: Run, submission: Submission) -> Run:
    return msgspec.structs.replace(run, provenance={**run.provenance, KEY: msgspec.to_builtins(submission)})


def _faults(run: Run, about: Mapping[str, str]) -> Iterator[Problem]:
    for key in about:
        if key not in ABOUT:
            yield Problem("", "--about", f"found {quote_value(key)}; expected {join_names(ABOUT)}")
    if not run.complete:
        yield Problem("", "the run", "was interrupted; complete it with evaluate --resume")
    if run.in_files:
        yield Problem("", "the run", "keeps its rows in a folder; expected a run of one file")
    for failure in run.failures:
        yield Problem("", f"metric {failure.metric}", f"has no numbers: {failure.reason}")
    for record in run.metrics:
        if record.text in run.rows and (fault := run.incomparable(record.text)):
            yield Problem("", "the run", fault)
    for system in run.anonymizations:
        if system.seen:
            yield Problem("", f"system {system.name}", f"was trained on {system.seen:,} documents of this corpus")


def hide_ids(run: Run) -> Run:
    """Numbers for ids, in their order, so that every number is drawn and tested as before; in notes too."""
    width = len(str(len(run.documents)))
    names = {name: f"{at:0{width}}" for at, name in enumerate(sorted(run.documents), 1)}
    groups = {group: str(at) for at, group in enumerate(sorted(set(run.groups) - {""}), 1)}
    longest = sorted(map(re.escape, names), key=len, reverse=True)
    mentioned = re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)")
    return msgspec.structs.replace(
        run,
        documents=[names[name] for name in run.documents],
        groups=[groups.get(group, "") for group in run.groups],
        notes=[mentioned.sub(lambda match: f"document {names[match[0]]}", note) for note in run.notes],
        evidence={},
    )


def differences(run: Run, again: Run) -> dict[str, str]:
    """By anonymization: what another evaluation of the same files found otherwise; nothing where all is equal."""
    faults: dict[str, str] = {}
    scored = {(score.anonymization, score.metric, score.part): score for score in again.scores}
    for score in run.scores:
        key = score.anonymization, score.metric, score.part
        if score.anonymization in again.names and score.metric in again.rows and score.anonymization not in faults:
            other = scored.get(key)
            if other is None or not _same(score.value, other.value):
                value = "nothing" if other is None else other.value
                faults[score.anonymization] = f"{shorten(score.metric)} is {value} when scored again, not {score.value}"
    return faults


def _same(value: float | None, other: float | None) -> bool:
    if value is None or other is None:
        return value is other
    return abs(value - other) <= _CLOSE
