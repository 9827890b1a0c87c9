"""A trained tagger: documents in, typed masks with their probabilities out; kept in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from showthrough.core.errors import ResourceError
from showthrough.data.documents import Document
from showthrough.data.masks import Mask, ScoredMask
from showthrough.models.model_folders import CARD, VERSIONS, Card, TrainingRecord, check_model_folder, write_model
from showthrough.storage.reading import read_bytes
from showthrough.systems.taggers._labeller import Labeller, Recipe
from showthrough.systems.taggers._thresholds import apply_threshold
from showthrough.systems.taggers.consistency import propagate_spans
from showthrough.systems.taggers.features.extractor import Extractor
from showthrough.systems.taggers.features.learned import LearnedWords
from showthrough.systems.taggers.features.parsed import pipeline_of
from showthrough.systems.taggers.labels import TokenSpan, spans_of
from showthrough.systems.taggers.learners.base import learner_class
from showthrough.systems.taggers.tokens import Tokens

_LEARNED = "learned.json"
_SECOND = "second-"  # before the names of the second pass's files


class TaggerCard(msgspec.Struct, frozen=True):
    """What using a tagger needs to know, in its card."""

    recipe: Recipe
    language: str
    threshold: float
    pipeline_revision: str = ""


@dataclass
class Tagger:
    """What `train_tagger` gives: an anonymizer, with what training reported."""

    labeller: Labeller
    threshold: float
    training: TrainingRecord
    types: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)  # how it was trained
    figures: dict[str, Any] = field(default_factory=dict)  # what training told
    version: ClassVar[int] = VERSIONS["tagger"]
    device: ClassVar[str] = "cpu"

    @property
    def name(self) -> str:
        return self.labeller.recipe.learner

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        return [self._masks(Tokens.of(document.text)) for document in documents]

    def _masks(self, tokens: Tokens) -> list[Mask]:
        spans = self.find_spans(tokens)
        return [
            ScoredMask(tokens.starts[span.first], tokens.ends[span.last - 1], None, span.entity_type, span.score)
            for span in spans
        ]

    def find_spans(self, tokens: Tokens) -> list[TokenSpan]:
        """What is to be masked, in its order, none over another."""
        spans = spans_of(*apply_threshold(self.labeller.tag(tokens), self.threshold))
        return propagate_spans(tokens, spans) if self.labeller.recipe.propagate else spans

    def save(self, folder: Path | str, force: bool = False) -> None:
        """Writes it as a folder, which `--with FOLDER/` takes. Raises OutputError."""
        path = Path(folder).expanduser()
        check_model_folder(path, force)
        labeller = self.labeller
        files = labeller.first.files()
        if labeller.second is not None:
            files |= {f"{_SECOND}{name}": content for name, content in labeller.second.files().items()}
        files[_LEARNED] = msgspec.json.encode(labeller.extractor.learned)
        using = {
            "recipe": asdict(labeller.recipe),
            "language": labeller.extractor.language,
            "threshold": self.threshold,
        }
        if pipeline := labeller.recipe.pipeline:
            using["pipeline_revision"] = pipeline_of(pipeline).revision
        card = Card(
            kind="tagger", training=self.training, settings={**self.settings, **using},
            types=self.types, figures=self.figures,
        )  # fmt: skip
        write_model(path, card, files)


def load_tagger(folder: Path, card: Card) -> Tagger:
    """The tagger of a folder. Raises ResourceError where a file of it is missing or is not what it was."""
    try:
        using = msgspec.convert(card.settings, TaggerCard)
        files = {path.name: read_bytes(path) for path in sorted(folder.iterdir()) if path.name != CARD}
        learned = msgspec.json.decode(files[_LEARNED], type=LearnedWords)
        learner = learner_class(using.recipe.learner)
        first = learner.load({name: content for name, content in files.items() if not name.startswith(_SECOND)})
        again = {name.removeprefix(_SECOND): content for name, content in files.items() if name.startswith(_SECOND)}
        second = learner.load(again) if using.recipe.second_pass else None
    except (msgspec.MsgspecError, KeyError, ValueError) as error:
        raise ResourceError(f"{folder}: is not as showthrough train wrote it ({error}); train it again") from None
    if using.recipe.pipeline and pipeline_of(using.recipe.pipeline).revision != using.pipeline_revision:
        fault = f"was trained with another version of {using.recipe.pipeline}, or of spaCy; train it again"
        raise ResourceError(f"{folder}: {fault}")
    extractor = Extractor(using.recipe.features, using.language, learned, using.recipe.pipeline)
    labeller = Labeller(using.recipe, extractor, first, second)
    return Tagger(labeller, using.threshold, card.training, card.types, card.settings, card.figures)
