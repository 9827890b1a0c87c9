"""From annotated documents to the folder of a transformer that masks: checked, trained, examined, kept."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from showthrough.core.errors import InputError, Interrupted, PlanError
from showthrough.data.documents import Corpus
from showthrough.evaluation.settings import settings_problems
from showthrough.metrics import WeightedPrecision
from showthrough.models import Resources
from showthrough.models.checkpoints import Checkpoint
from showthrough.models.device import torch_device
from showthrough.models.files import EXTRA, ModelFiles, quietly, silence_library
from showthrough.models.model_folders import (
    CARD,
    Card,
    TrainingRecord as TrainedOn,
    TrainingTexts,
    check_model_folder,
    read_card,
    training_on,
    write_model,
)
from showthrough.models.settings import Device, ModelSettings, Watch
from showthrough.models.training import Course, seed_random, train, uses_bf16, whole
from showthrough.storage.writing import check_writable, workshop
from showthrough.systems.encoders._decoding import Decoder
from showthrough.systems.encoders._examples import check_documents, examples_of, labels_for
from showthrough.systems.encoders._loading import ENCODER, Encoder, encoder_files, encoder_name, load_encoder
from showthrough.systems.encoders._schemes import tagset
from showthrough.systems.encoders.classifier import WindowClassifier, classifier
from showthrough.systems.encoders.learning import TokenLearner, TrainingEpoch, dev_scores

# The settings of TAB's experiments (Pilán et al. 2022, section 7.2) are the defaults of training.

LONGFORMER = "allenai/longformer-base-4096"


@dataclass(frozen=True, kw_only=True)
class TransformerSettings:
    """All that is chosen before training, but for the documents."""

    model: Annotated[str, Meta(title="NAME", description="The encoder: its name on the hub, or a folder.")] = LONGFORMER
    window: Annotated[int, Meta(description="Tokens of a window, with its marks; 0: as many as fit.", ge=0)] = 4096
    stride: Annotated[
        int, Meta(description="Tokens from the start of a window to the next; 0: three quarters of it.", ge=0)
    ] = 0
    mask_weight: Annotated[
        float, Meta(description="What a token to be masked counts for; any other counts for 1.", gt=0, lt=1000)
    ] = 10.0
    types: Annotated[bool, Meta(description="Learn the types of mentions too, and not masking alone.")] = False
    epochs: Annotated[int, Meta(description="How often all windows are learned from.", ge=1)] = 2
    learning_rate: Annotated[float, Meta(description="Of AdamW.", gt=0, lt=1)] = 2e-5
    schedule: Annotated[
        Literal["constant", "linear"], Meta(description="Of the learning rate; linear falls to nothing.")
    ] = "constant"
    batch: Annotated[int, Meta(description="Windows that go through the model at once.", ge=1)] = 1
    accumulate: Annotated[int, Meta(description="Such batches in one step.", ge=1)] = 1
    keep: Annotated[
        Literal["last", "best"],
        Meta(
            description="Which epoch; best has the highest f1 on the documents of --dev.",
            extra={"flags": ("--keep-epoch",)},
        ),
    ] = "last"
    threshold: Annotated[
        float, Meta(description="Mask what is so probably not O; 0: what is likelier something than O.", ge=0, le=1)
    ] = 0.0
    weighting: Annotated[
        str, Meta(title="SOURCE", description="For weighted precision on --dev: wordfreq, corpus, uniform, or a model.")
    ] = "wordfreq"
    precision: Annotated[
        Literal["auto", "bf16", "fp32"],
        Meta(description="Of training; auto is bf16 on a GPU that has it.", extra={"flags": ("--dtype",)}),
    ] = "auto"
    gradient_checkpointing: Annotated[
        bool, Meta(description="Take less memory and more time: layers are calculated twice.")
    ] = False
    checkpoint_minutes: Annotated[float, Meta(description="A checkpoint is written after so many.", ge=0)] = 10.0
    seed: Annotated[int, Meta(description="Of the head, the order of windows and dropout.", ge=0)] = 0
    device: Device = "auto"


VERSION = 1  # rises when the same settings and documents could give another model
_NOT_OF_THE_MODEL = ("model", "device", "precision", "checkpoint_minutes", "gradient_checkpointing")
_REMEDY = "choose a smaller --batch (and more to --accumulate), --gradient-checkpointing or a shorter --window"


class TrainingOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """What training gave."""

    folder: str
    window: int
    stride: int
    mask_weight: float
    windows: int  # that it learned from, in every epoch
    steps: int
    epochs: list[TrainingEpoch]
    kept: int  # the number of the epoch whose model is in the folder
    chosen: bool  # whether that was chosen by the scores
    documents: int  # that the scores are of; 0: none were given
    seen: int  # of these, that were trained on too
    seconds: float  # of training and scoring, before it was stopped and after
    weighting: str = ""  # what tells how much words say, for weighted precision

    @property
    def scores(self) -> dict[str, float | None]:
        """Those of the model that was kept."""
        return next(epoch.scores for epoch in self.epochs if epoch.number == self.kept)


@dataclass(frozen=True)
class TrainingRequest:
    """What is to be trained on what, and where it goes."""

    corpus: Corpus
    dev: Corpus | None
    folder: Path
    settings: TransformerSettings
    resume: bool = False
    force: bool = False
    seen: bool = False

    @property
    def checkpoint(self) -> Path:
        """Beside the folder, which is not there before the model is whole."""
        return self.folder.with_name(f"{self.folder.name}.checkpoint.safetensors")

    @cached_property
    def files(self) -> ModelFiles:
        """Those of the encoder. Raises ResourceError also where the packages are missing that could load it."""
        try:
            import torch  # noqa: F401
            import transformers  # noqa: F401
        except ImportError as error:
            raise ENCODER.missing_error("training needs packages that are not installed", EXTRA) from error
        return encoder_files(self.settings.model, ENCODER)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return labels_for(self.corpus, self.settings.types)

    @cached_property
    def origin(self) -> dict[str, Any]:
        """All that the model is made from, but for where it is calculated."""
        chosen = {name: value for name, value in asdict(self.settings).items() if name not in _NOT_OF_THE_MODEL}
        revision = self.files.revision
        return {
            "version": VERSION,
            "model": revision,
            "documents": self.corpus.digest,
            "dev": self.dev.digest if self.dev else "",
            "bf16": uses_bf16(torch_device(self.settings.device), self.settings.precision),
            **chosen,
        }

    @cached_property
    def learned(self) -> TrainedOn:
        """What the model will have been trained on; where it goes on from one of ours, what that one was as well."""
        new = training_on(self.corpus)
        folder = encoder_name(self.settings.model, ENCODER).folder if self.settings.model else None
        if folder is None or not (folder / CARD).is_file():
            return new
        before = read_card(folder).training
        return before.merge(new, f"{before.corpus} and {new.corpus}", new.digest)

    @cached_property
    def trained_on(self) -> int:
        """How many documents of `dev` have a text that is also learned from."""
        learned = TrainingTexts(self.learned)
        return sum(learned.has(document.text) for document in self.dev or ())

    def check(self) -> None:
        """Raises what can be told before a model is loaded."""
        if problems := settings_problems(self.settings):
            raise InputError(problems)
        check_documents(self.corpus)
        self._check_dev()
        check_model_folder(self.folder, self.force)
        check_writable(self.folder)
        if self.checkpoint.exists() and not (self.resume or self.force):
            fault = "is where an earlier training was stopped; --resume goes on with it, and --force begins anew"
            raise PlanError(fault, str(self.checkpoint))

    def _check_dev(self) -> None:
        if self.dev is None:
            if self.settings.keep == "best":
                raise PlanError("found best and no --dev; expected documents that tell which epoch is best", "keep")
            return
        source = self.dev.source or self.dev.name
        if not self.dev.survey.annotated:
            raise PlanError("has no annotations; expected some, to score the model by", source)
        weighting = WeightedPrecision(ic=self.settings.weighting)  # raises for a source that is none
        if weighting.scope != "corpus":  # of which it counts the words itself
            Resources(ModelSettings(device=self.settings.device)).information(weighting.ic)  # raises without it
        if self.trained_on and not self.seen:
            fault = (
                f"{self.trained_on} of {len(self.dev)} documents are also trained on, so the scores would be too good"
            )
            raise PlanError(f"{fault}; expected others, or --seen to have them all the same", source)


def train_to_folder(
    request: TrainingRequest, watch: Watch | None = None, tell: Callable[[TrainingEpoch], None] = lambda epoch: None
) -> TrainingOutcome:
    """Trains and writes the folder. `watch` is told how far it is, `tell` of every epoch.

    Raises Interrupted when the user stops it: a checkpoint then says where it stood.
    """
    request.check()
    checkpoint = Checkpoint(request.checkpoint, request.origin, load=request.resume, save=True)
    if request.resume and (other := checkpoint.differences()):
        fault = f"was made from something else ({', '.join(other)}); expected the same, or --force to begin anew"
        raise PlanError(fault, str(request.checkpoint))
    return TransformerTraining(request, checkpoint, watch, tell).run()


@dataclass(eq=False)
class TransformerTraining:
    """One training on its way."""

    request: TrainingRequest
    checkpoint: Checkpoint
    watch: Watch | None
    tell: Callable[[TrainingEpoch], None]

    def run(self) -> TrainingOutcome:
        settings = self.request.settings
        encoder = load_with_head(self.request)
        decoder = Decoder(tagset(encoder.labels, {}, model=settings.model), settings.threshold)
        reading = classifier(encoder, decoder, settings.window, settings.stride)
        examples = examples_of(self.request.corpus, encoder, reading.window, reading.stride)
        learner = TokenLearner(
            encoder, examples, settings.mask_weight, settings.keep == "best", lambda: self._scores(reading), self.tell
        )
        self._train(learner)
        with whole():  # it may have taken days
            return self._save_kept(learner, reading)

    def _save_kept(self, learner: TokenLearner, reading: WindowClassifier) -> TrainingOutcome:
        """Writes the model of the epoch that is kept."""
        settings, examples = self.request.settings, learner.windows
        if learner.keep_best:
            learner.take_best()
        outcome = TrainingOutcome(
            folder=str(self.request.folder),
            window=reading.window,
            stride=reading.stride,
            mask_weight=settings.mask_weight,
            windows=len(examples),
            steps=settings.epochs * -(-len(examples) // self._course.batch_size),
            epochs=learner.epochs,
            kept=learner.kept_epoch,
            chosen=learner.keep_best,
            documents=len(self.request.dev or ()),
            seen=self.request.trained_on,
            seconds=learner.seconds,
            weighting=settings.weighting if self.request.dev else "",
        )
        self._write(learner.encoder, outcome)
        return outcome

    @property
    def _course(self) -> Course:
        settings = self.request.settings
        return Course(
            "training", 0, settings.epochs, settings.batch * settings.accumulate, settings.learning_rate, settings.seed,
            at_once=settings.batch, falling=settings.schedule == "linear", epsilon=1e-8, remedy=_REMEDY,
        )  # fmt: skip

    def _train(self, learner: TokenLearner) -> None:
        settings, device = self.request.settings, learner.model.device
        if settings.gradient_checkpointing:
            learner.model.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
        every = settings.checkpoint_minutes * 60
        bf16 = self.request.origin["bf16"]
        try:
            with silence_library():
                train(learner, self._course, device, bf16, self.checkpoint, self.watch, every)
        except KeyboardInterrupt:
            where = f"where it stood is in {self.checkpoint.path}"
            raise Interrupted(None, f"training was stopped; {where}: the same with --resume goes on") from None

    def _scores(self, reading: WindowClassifier) -> dict[str, float | None]:
        return dev_scores(self.request.dev, reading, self.request.settings.weighting) if self.request.dev else {}

    def _write(self, encoder: Encoder, outcome: TrainingOutcome) -> None:
        request = self.request
        chosen = asdict(request.settings) | {"window": outcome.window, "stride": outcome.stride}
        card = Card(
            kind="transformer",
            training=request.learned,
            settings=chosen | {"revision": request.files.revision, "labels": list(request.labels)},
            types=tuple(dict.fromkeys(name[2:] for name in request.labels[1:])),
            figures=msgspec.to_builtins(outcome) | {"origin": request.origin, "made_with": _library_versions(encoder)},
        )
        with workshop(_home(request.folder)) as bench:
            with quietly():
                encoder.model.save_pretrained(bench)
                encoder.tokenizer.save_pretrained(bench)
            paths = [path for path in bench.rglob("*") if path.is_file()]
            files = {path.relative_to(bench).as_posix(): path.read_bytes() for path in paths}
        write_model(request.folder, card, files)
        self.checkpoint.remove()


def load_with_head(request: TrainingRequest) -> Encoder:
    """The encoder with a new head, whose random numbers follow from the seed."""
    settings = request.settings
    device = torch_device(settings.device)
    with seed_random(settings.seed, device):
        return load_encoder(
            settings.model, request.files, ModelSettings(device=settings.device), ENCODER, request.labels
        )


def _home(folder: Path) -> Path:
    """The folder that it is in, which is made where it is missing."""
    home = folder.absolute().parent
    home.mkdir(parents=True, exist_ok=True)
    return home


def _library_versions(encoder: Encoder) -> dict[str, str]:
    import torch
    import transformers

    return {
        "python": platform.python_version(),
        "torch": str(torch.__version__),
        "transformers": str(transformers.__version__),
        "device": encoder.model.device.type,
    }
