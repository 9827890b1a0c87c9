"""Which documents a verifier knows already: it answers better about texts that it was trained on."""

from __future__ import annotations

from typing import Any

from showthrough.data.documents import Corpus
from showthrough.data.provenance import text_digest
from showthrough.verifiers.folds import trace


def seen(verifier: Any, corpus: Corpus) -> int:
    """Documents whose text, or a known text beside it, it was trained on; none where it does not say.

    Texts are known again however they were saved: with other line ends, a mark at the start or one blank more.
    """
    training = getattr(verifier, "training", None)
    if training is None:
        return 0
    known = frozenset(training.documents)
    return sum(
        any(
            trace(text) in known or text_digest(text) in known  # of a guest's texts, as other models keep them
            for text in (one.text, *(one.authorship.known if one.authorship else ()))
        )
        for one in corpus
    )
