"""How a transformer does on documents that it does not learn from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.evaluation.calls import evaluate

METRICS = ("er_di", "er_qi", "recall", "precision", "f1")
BEST_BY = "f1"
_NAME = "transformer"


class MaskFinder(Protocol):
    """What finds masks."""

    def masks(self, documents: Sequence[Document]) -> Sequence[Sequence[Mask]]: ...


def dev_scores(corpus: Corpus, masking: MaskFinder) -> dict[str, float | None]:
    """Each metric's value on the corpus; `None` where it is undefined."""
    bare = [Document(document.id, document.text) for document in corpus]
    masks = dict(zip(corpus.ids, masking.masks(bare), strict=True))
    masks_by_id = {name: list(document_masks) for name, document_masks in masks.items()}
    run = evaluate(corpus, Anonymization(masks_by_id, _NAME), METRICS, references=False, resamples=0, texts=False)
    return {metric: run[_NAME, metric].value for metric in METRICS}
