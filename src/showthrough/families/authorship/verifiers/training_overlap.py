"""Finds the documents that a verifier was trained on, since it answers better about those."""

from __future__ import annotations

from typing import Any

from showthrough.data.documents import Corpus
from showthrough.families.authorship.verifiers.traces import texts_of, trace
from showthrough.models.model_folders import TrainingTexts

UNLESS = "expected another, or --seen to have its numbers all the same (in Python, seen=True)"


def count_seen(verifier: Any, corpus: Corpus) -> int:
    """Documents whose text, or a known text beside it, it was trained on; none where it does not say.

    Texts are known again however they were saved: with other line ends, a mark at the start or one blank more. So are
    near copies of them.
    """
    training = getattr(verifier, "training", None)
    if training is None:
        return 0
    trained_traces, learned = frozenset(training.documents), TrainingTexts(training)
    return sum(  # a plugin may say either: documents, or texts
        any(trace(text) in trained_traces or learned.has(text) for text in texts_of(document)) for document in corpus
    )


def trained_on(verifier: Any, corpus: Corpus) -> str:
    """That it knows documents, and of how many; empty where it knows none."""
    if not (count := count_seen(verifier, corpus)):
        return ""
    finding = f"was trained on texts of {count} of these {len(corpus)} documents"
    return f"{finding}: it knows them, and its numbers say little about others"
