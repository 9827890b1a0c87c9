"""Python's `train_transformer`."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path

from showthrough.core.errors import PlanError
from showthrough.data.documents import Corpus
from showthrough.evaluation.settings import takes_arguments_of
from showthrough.models.settings import Watch
from showthrough.systems.encoders.training import TrainingRequest, TransformerSettings, train_to_folder
from showthrough.systems.trained_models import Trained


@dataclass(frozen=True, kw_only=True)
class TransformerCall(TransformerSettings):
    """What `train_transformer` takes: documents, where the model goes, and every setting."""

    corpus: Corpus = field(kw_only=False)
    folder: str | PathLike[str] = field(kw_only=False)
    dev: Corpus | None = None
    resume: bool = False
    force: bool = False
    seen: bool = False
    watch: Watch | None = None


@takes_arguments_of(TransformerCall)
def train_transformer(call: TransformerCall) -> Trained:
    """Trains a transformer to mask what the annotators of a corpus masked, and gives it as an anonymizer.

    The model is written to `folder`, with a card that says what it was trained on. `dev` are documents that are not
    trained on: the card has their scores after every epoch. `resume` goes on where a training was stopped, and
    `force` replaces a model that is there. `seen` allows documents in `dev` that are trained on. `watch` hears of the
    progress.

    Settings, as on the command line:
    """
    for name, value in (("corpus", call.corpus), ("dev", call.dev)):
        if not isinstance(value, Corpus) and (name == "corpus" or value is not None):
            fault = f"found a value of type {type(value).__name__}; expected a Corpus: read a file with read_corpus"
            raise PlanError(fault, name)
    settings = TransformerSettings(
        **{setting.name: getattr(call, setting.name) for setting in fields(TransformerSettings)}
    )
    request = TrainingRequest(call.corpus, call.dev, Path(call.folder), settings, call.resume, call.force, call.seen)
    return Trained(train_to_folder(request, call.watch).folder)
