"""Numbers that were handed in, scored again from the same files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from showthrough.core.errors import PlanError, ShowthroughError, join_names, shorten
from showthrough.core.families import input_type
from showthrough.evaluation.api import evaluate
from showthrough.formats import read_anonymization, read_corpus
from showthrough.metrics import parse_metric
from showthrough.run.run import Run
from showthrough.run.submission import NOT_CHECKED, Submission, differences, submission_of, with_submission


def verify(run: Run, corpus: Path, masks: Mapping[str, Path]) -> Run:
    """The run with what became of its numbers when the masks of these files were scored again.

    Raises PlanError for another corpus, a name that the run does not have, and settings that a run does not repeat.
    """
    if unknown := [name for name in masks if name not in run.names]:
        raise PlanError(f"found {join_names(unknown)}; expected {join_names(run.names)}", "masks")
    if run.settings.types:
        raise PlanError(f"was scored with other types ({run.settings.types}), which are not applied again", "the run")
    documents = read_corpus(corpus)
    if documents.digest != run.corpus.digest:
        raise PlanError(
            f"has the digest {documents.digest[:16]}; expected that of the run, {run.corpus.digest[:16]}",
            shorten(str(corpus)),
        )
    unverified = dict(submission_of(run).unverified)
    releases = {name: read_anonymization(path, documents, name=name) for name, path in masks.items()}
    for name, release in releases.items():
        recorded = next(system for system in run.anonymizations if system.name == name)
        if release.digest != recorded.digest:
            unverified[name] = "its masks are others than those that were scored"
    same = {name: release for name, release in releases.items() if unverified.get(name) == NOT_CHECKED}
    texts = [record.text for record in run.metrics if record.text in run.rows]
    repeated = [text for text in texts if not _needs_more(text)]
    done: list[str] = []
    for text in repeated if same else ():
        try:
            again = evaluate(
                documents,
                list(same.values()),
                [text],
                seed=run.settings.seed,
                resamples=0,
                missing=run.settings.missing,
                references=False,
            )
        except ShowthroughError:  # it reads a file that is not where the run was made
            continue
        done.append(text)
        for name, fault in differences(run, again).items():
            unverified[name] = fault
    if done:
        unverified = {name: why for name, why in unverified.items() if name not in same or why != NOT_CHECKED}
    submission = Submission(submission_of(run).about, unverified, [text for text in texts if text not in done])
    return with_submission(run, submission)


def _needs_more(text: str) -> bool:
    """Whether a metric needs an input of a family, or all systems of the run."""
    return any(name == "systems" or input_type(name) for name in parse_metric(text).needs)
