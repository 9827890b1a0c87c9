"""What to run for a section that a run does not fill, as a user types it."""

from __future__ import annotations

import shlex
from pathlib import Path

from showthrough.run.origins import last_part
from showthrough.run.run import Run


def command_for(run: Run, metric: str, *, fits: bool = True) -> str:
    """The evaluation of the same files with one more metric; empty where it would not run as it stands.

    That is where a file is not known, or where what the run keeps of its documents does not fit the metric.
    """
    sources = [run.corpus.source, *(anonymization.source for anonymization in run.anonymizations)]
    if not fits or not all(sources):
        return ""
    named = [f"{anonymization.name}={anonymization.source}" for anonymization in run.anonymizations]
    output = f"risk-{metric.partition('(')[0]}.json"
    return shlex.join(["showthrough", "evaluate", run.corpus.source, *named, "--metric", metric, "-o", output])


def with_folders(command: str, run: Run) -> str:
    """The same command with files where the run says they are, for who made the run; empty where one is not there."""
    sources = [run.corpus.source, *(anonymization.source for anonymization in run.anonymizations)]
    if not all("://" in source or Path(source).exists() for source in sources):
        return ""
    paths = {last_part(run.corpus.source): run.corpus.source}
    paths |= {
        f"{anonymization.name}={last_part(anonymization.source)}": f"{anonymization.name}={anonymization.source}"
        for anonymization in run.anonymizations
    }
    return shlex.join(paths.get(word, word) for word in shlex.split(command))


def says_of_people(run: Run) -> bool:
    """Whether documents that the run keeps say who is in them."""
    return run.texts is not None and any(document.subjects for document in run.texts.documents)


def has_marks(run: Run) -> bool:
    """Whether documents that the run keeps have annotations; of a run without text nobody knows, so that it may."""
    return run.texts is None or any(document.annotations for document in run.texts.documents)
