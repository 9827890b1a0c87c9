"""Conditional random fields, by CRFsuite (Okazaki 2007): L-BFGS with L1 and L2 regularization."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

from showthrough.systems.taggers.labels import OUTSIDE
from showthrough.systems.taggers.learners.base import Rows, TaggedSequence, missing_package

_FILE, _MAGIC = "crf.crfsuite", b"lCRF"
_SURE = 0.9999  # a token that is outside as surely as this has no other label worth asking for


@dataclass
class Crf:
    """A linear chain over records or sentences."""

    name: ClassVar[str] = "crf"

    c1: float = 0.1
    c2: float = 0.2
    iterations: int = 100
    fewest: int = 1  # times that a feature must occur with a label
    _model: bytes = b""
    _tagger: Any = field(default=None, repr=False)

    def fit(self, sequences: Sequence[Rows], labels: Sequence[Sequence[str]], seed: int = 0) -> None:
        """The seed changes nothing: there is no chance in it."""
        trainer = _crfsuite().Trainer(verbose=False)
        for rows, answers in zip(sequences, labels, strict=True):
            trainer.append(rows, answers)
        trainer.set_params(
            {"c1": self.c1, "c2": self.c2, "max_iterations": self.iterations, "feature.minfreq": self.fewest}
        )
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / _FILE
            trainer.train(str(path))
            self._model = path.read_bytes()
        self._tagger = None

    def predict(self, sequences: Sequence[Rows]) -> list[TaggedSequence]:
        if self._tagger is None:
            self._tagger = _crfsuite().Tagger()
            self._tagger.open_inmemory(self._model)
        return [self._tag(rows) for rows in sequences]

    def _tag(self, rows: Rows) -> TaggedSequence:
        if not rows:
            return TaggedSequence([], [], [], [])
        tagger = self._tagger
        names = tagger.labels()
        entity_names = [name for name in names if name != OUTSIDE] or [
            OUTSIDE
        ]  # none where training had nothing to mask
        labels: list[str] = tagger.tag(rows)
        positions = range(len(labels))
        outside = [tagger.marginal(OUTSIDE, at) for at in positions] if OUTSIDE in names else [0.0] * len(labels)
        sure = [outside[at] if label == OUTSIDE else tagger.marginal(label, at) for at, label in enumerate(labels)]
        inside = [
            label if label != OUTSIDE
            else entity_names[0] if outside[at] >= _SURE
            else max(entity_names, key=lambda name: tagger.marginal(name, at))
            for at, label in enumerate(labels)
        ]  # fmt: skip
        return TaggedSequence(labels, sure, outside, inside)

    def files(self) -> dict[str, bytes]:
        return {_FILE: self._model}

    @classmethod
    def load(cls, files: Mapping[str, bytes]) -> Self:
        _crfsuite()
        model = files[_FILE]
        # CRFsuite reads past the end of what is no model: its first words are its name and its length.
        if model[:4] != _MAGIC or int.from_bytes(model[4:8], "little") != len(model):
            raise ValueError(f"{_FILE} is no whole model")
        return cls(_model=model)


def _crfsuite() -> Any:
    try:
        import pycrfsuite
    except ImportError:
        raise missing_package("crf", "python-crfsuite") from None
    return pycrfsuite
