"""What to run for a section that a run does not fill, as a user types it."""

from __future__ import annotations

import shlex

from showthrough.run.run import Run


def command_for(run: Run, metric: str, *options: str) -> str:
    """The evaluation of the same files with one more metric.

    Files are called as the run calls them; those that it does not know by a name to be filled in.
    """
    corpus = run.corpus.source or "corpus.jsonl"
    given = [f"{one.name}={one.source or 'masks.json'}" for one in run.anonymizations]
    words = ["showthrough", "evaluate", corpus, *given, "--metric", metric, *options, "-o", "risk-run.json"]
    return " ".join(map(shlex.quote, words))
