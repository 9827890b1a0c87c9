"""Who learns the labels of documents: words counted, texts as vectors, or an encoder that is fine-tuned."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from showthrough.core.arrays import Floats, Floats32, Ints
from showthrough.core.errors import PlanError, quote_value
from showthrough.families.information._linear import Learn, labels_by_vectors, predicted_labels
from showthrough.models import Resources
from showthrough.models.embedding import LSA
from showthrough.models.names import EMBEDDING, TEXT_CLASSIFIER

WORDS, _EMBEDDED, _FINE_TUNED = "words", "embedding:", "encoder:"


def check_learner(name: str) -> None:
    """Raises PlanError for a name that is none; nothing is read or loaded."""
    kind = next((kind for kind in (_EMBEDDED, _FINE_TUNED) if name.startswith(kind) and name != kind), "")
    if not kind and name != WORDS:
        expected = f"expected {WORDS}, {_EMBEDDED}MODEL or {_FINE_TUNED}MODEL"
        raise PlanError(f"learner={quote_value(name)} is not known; {expected}")
    if kind == _EMBEDDED:
        EMBEDDING.parse(name.removeprefix(kind))


def is_fine_tuned(name: str) -> bool:
    return name.startswith(_FINE_TUNED)


def models_of(name: str) -> dict[str, str]:
    """The model behind a learner, under what it is asked for; nothing where there is none."""
    if name.startswith(_EMBEDDED):
        return EMBEDDING.models(name.removeprefix(_EMBEDDED))
    return {TEXT_CLASSIFIER.parameter: name.removeprefix(_FINE_TUNED)} if is_fine_tuned(name) else {}


def learner_of(name: str, resources: Resources, epochs: int, seed: int) -> Learn:
    """How the learner of a name learns and labels."""
    if name.startswith(_EMBEDDED):
        return _Embedded(name.removeprefix(_EMBEDDED), resources).learn
    if is_fine_tuned(name):
        model = resources.text_classifier(name.removeprefix(_FINE_TUNED))
        return partial(model.learned_labels, epochs=epochs, seed=seed)
    return predicted_labels


class _Embedded:
    """Ridge regression on texts as vectors: of a text that is too long for a model, the mean of its windows."""

    def __init__(self, name: str, resources: Resources) -> None:
        self._name, self._resources = name, resources
        self._known: dict[str, Floats32] = {}  # by models, to whom other texts make no difference

    def learn(self, texts: Sequence[str], labels: Ints, classes: int, tests: Sequence[Sequence[str]]) -> list[Ints]:
        if self._name == LSA:  # learns from the texts that are learned from, and from no other
            embed = self._resources.embedding(LSA, texts, "truncate")
            vectors, *others = (np.asarray(embed(side), dtype=np.float64) for side in (texts, *tests))
        else:
            vectors, *others = map(self._vectors, (texts, *tests))
        return labels_by_vectors(vectors, labels, classes, others)

    def _vectors(self, texts: Sequence[str]) -> Floats:
        fresh = [text for text in dict.fromkeys(texts) if text not in self._known]
        if fresh:
            embed = self._resources.embedding(self._name, (), "mean")
            self._known |= zip(fresh, embed(fresh), strict=True)
        return np.array([self._known[text] for text in texts], dtype=np.float64)
