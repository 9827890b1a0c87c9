"""Function words from the part-of-speech tags of a spaCy pipeline."""

from __future__ import annotations

from typing import Any

import numpy as np

from showthrough.axis import Axis, Bools
from showthrough.errors import ResourceError
from showthrough.resources.lexicon import ALWAYS, is_punctuation

FREE_TAGS = frozenset({"ADP", "PART", "CCONJ", "DET"})
_TAGGING = ("tok2vec", "transformer", "tagger", "morphologizer", "attribute_ruler")


class SpacyTagger:
    """A spaCy pipeline, by package name or folder, with only the components that tagging needs."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._pipeline: Any = None

    def _load(self) -> Any:
        if self._pipeline is None:
            try:
                import spacy
            except ImportError as error:
                raise ResourceError(
                    f"function words from spacy:{self.name} need spaCy: pip install 'showthrough[spacy]', "
                    'or choose function_words="lexicon-en.1"'
                ) from error
            try:
                pipeline = spacy.load(self.name)
            except OSError as error:
                raise ResourceError(
                    f"the spaCy pipeline {self.name!r} is not installed: python -m spacy download {self.name}, "
                    "or name the folder that holds it"
                ) from error
            pipeline.disable_pipes(*(pipe for pipe in pipeline.pipe_names if pipe not in _TAGGING))
            self._pipeline = pipeline
        return self._pipeline

    def ignorable(self, axis: Axis) -> Bools:
        pipeline = self._load()
        free = axis.table(is_punctuation).view(np.bool_)
        longest = max((len(document.text) for document in axis.documents), default=0)
        pipeline.max_length = max(pipeline.max_length, longest + 1)
        texts = (document.text for document in axis.documents)
        for base, tagged in zip(axis.bounds.tolist(), pipeline.pipe(texts), strict=False):
            for token in tagged:
                if token.pos_ in FREE_TAGS or token.lower_ in ALWAYS:
                    free[base + token.idx : base + token.idx + len(token)] = True
        return free
