"""From a background to a trained attack: the stages in their order, each skipped where its result is kept already."""

from __future__ import annotations

import logging
import platform
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.core.errors import InputError, Problem
from showthrough.families.reidentification.attacks.base import WatchedDocuments
from showthrough.families.reidentification.attacks.tri._selection import (
    EpochResult,
    Recognition,
    select_epoch,
    split_background,
)
from showthrough.families.reidentification.attacks.tri.base_model import BaseModel, take_over
from showthrough.families.reidentification.attacks.tri.scoring import (
    BackgroundClassifier,
    FittedTransformer,
    PretreatedTexts,
    table,
)
from showthrough.families.reidentification.attacks.tri.settings import TriSettings
from showthrough.families.reidentification.attacks.tri.store import (
    CLASSIFIER,
    FINETUNING,
    PRETRAINED,
    PRETRAINING,
    RECORD,
    RESULTS,
    digest,
)
from showthrough.families.reidentification.attacks.tri.windows import Cutter, TextWindows, parse_window
from showthrough.models.files import quietly
from showthrough.models.settings import Watch
from showthrough.models.training import Course, ExaminedLearner, Learner, train, uses_bf16

# In fine-tuning, a classifier learns whose background a window comes from. It is examined after every epoch.


@dataclass(eq=False)
class Pupil(ExaminedLearner[EpochResult]):
    """The learner of the second stage; it keeps the parameters of the best epoch so far.

    `examine` gives accuracies on watched documents by name; `tell` hears of every epoch.
    """

    kind = EpochResult

    classifier: BackgroundClassifier
    windows: TextWindows
    held_out: TextWindows
    dev_set: str | None
    examine: Callable[[], Mapping[str, float]]
    tell: Callable[[list[EpochResult]], None]
    epochs: list[EpochResult] = field(default_factory=list)
    best: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.model = self.classifier.model

    def loss(self, batch: list[int], seed: int) -> Any:
        """−ln p of the individual whose window it is."""
        import torch

        base, device = self.classifier.base, self.classifier.device
        inputs = base.inputs(*base.table(self.windows, batch), device)
        truth = torch.from_numpy(self.windows.owner[batch]).to(device, non_blocking=True)
        return torch.nn.functional.cross_entropy(self.model(**inputs).logits.float(), truth)

    def examine_epoch(self, number: int, loss: float) -> EpochResult:
        recognition = None
        if len(self.held_out):
            recognition = Recognition.of(self.classifier.window_logits(self.held_out), self.held_out.owner)
        now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return EpochResult(number, now, loss, recognition, dict(self.examine()))

    def is_best(self) -> bool:
        return select_epoch(self.epochs, self.dev_set) is self.epochs[-1]

    def epoch_over(self, number: int, loss: float) -> None:
        super().epoch_over(number, loss)
        self.tell(self.epochs)


VERSION = 2  # rises when the same settings could give another model

log = logging.getLogger("showthrough")


@dataclass(eq=False)
class TriTraining:
    """One training, with all that it is made from."""

    settings: TriSettings
    base: BaseModel
    reading: PretreatedTexts
    watched: Mapping[str, WatchedDocuments]
    device: Any
    watch: Watch | None

    def __post_init__(self) -> None:
        self.store = self.reading.store
        self.dev_set = self.settings.dev_set
        self.individuals = tuple(self.reading.background)
        self.bf16 = uses_bf16(self.device, self.settings.precision)

    @cached_property
    def of_pretraining(self) -> dict[str, Any]:
        return {**self._of_both, **self.settings.of_pretraining()}

    @cached_property
    def of_finetuning(self) -> dict[str, Any]:
        before = self.of_pretraining if self.settings.use_additional_pretraining else self._of_both
        dev_set = {"dev_set": self._digests[self.dev_set]} if self.dev_set else {}
        return {**before, **self.settings.of_finetuning(), **dev_set}

    @cached_property
    def _of_both(self) -> dict[str, Any]:
        return {"version": VERSION, "base_model": self.base.revision, **self.reading.origin}

    @cached_property
    def _digests(self) -> dict[str, str]:
        return {name: digest(watched.individuals, watched.texts) for name, watched in self.watched.items()}

    def run(self) -> FittedTransformer:
        """The trained attack."""
        settings = self.settings
        parts = split_background(self.reading.background, 0 if self.dev_set else settings.held_out_share, settings.seed)
        cutter = self._cutter("finetuning")
        learned = cutter.cut(parts.learned, parts.learned_labels)
        held_out = cutter.cut(parts.held_out, parts.held_out_labels)
        has_text = np.isin(np.arange(len(self.individuals)), learned.owner)
        if not has_text.any():
            message = f"found nothing that {self.base.name} can read; expected text about at least one individual"
            raise InputError(Problem("", "background", message))
        load, needs = settings.load_saved_finetuning, ("epochs", "watched")
        saved = self.store.model(CLASSIFIER, self.of_finetuning, needs) if load else None
        model = self.base.classifier(self.individuals, settings.seed, saved[0]) if saved else self._untaught()
        classifier = BackgroundClassifier(self.base, model, self.device)
        fitted = FittedTransformer(self.individuals, has_text, classifier, cutter, self.reading)
        fitted.epochs = self._look_again(fitted, saved[1]) if saved else self._teach(fitted, learned, held_out)
        fitted.selected = select_epoch(fitted.epochs, self.dev_set).number
        return fitted

    def _course(self, name: str, number: int, stage: str) -> Course:
        sizes = ("epochs", "batch_size", "learning_rate")
        epochs, batch_size, learning_rate = (getattr(self.settings, f"{stage}_{size}") for size in sizes)
        return Course(name, number, epochs, batch_size, learning_rate, self.settings.seed)

    def _cutter(self, stage: str) -> Cutter:
        window = parse_window(getattr(self.settings, f"{stage}_sliding_window"))
        sentences = self.reading.pretreatment.sentences
        return Cutter(self.base.tokenizer, window, self.base.longest, self.settings.tokenization_block_size, sentences)

    def _untaught(self) -> Any:
        """A classifier with a new head on the base model, pretrained further if that is asked for."""
        pretrained = self._pretrain() if self.settings.use_additional_pretraining else None
        model = self.base.classifier(self.individuals, self.settings.seed)
        if pretrained is not None:
            take_over(model, pretrained)
        return model

    def _pretrain(self) -> Any:
        settings = self.settings
        saved = self.store.model(PRETRAINED, self.of_pretraining) if settings.load_saved_pretraining else None
        if saved:
            return self.base.masked_lm(saved[0])
        texts = [passages for copies in self.reading.background.values() for passages in copies]
        windows = self._cutter("pretraining").cut(texts, [0] * len(texts))
        load, save = settings.load_saved_pretraining, settings.save_additional_pretraining
        checkpoint = self.store.checkpoint(PRETRAINING, self.of_pretraining, load=load, save=save)
        guesser = Guesser(self.base, windows, settings.pretraining_mlm_probability, self.device)
        course = self._course("additional pretraining", 0, "pretraining")
        train(guesser, course, self.device, self.bf16, checkpoint, self.watch, settings.every)
        if save:
            self._keep_model(PRETRAINED, self.of_pretraining, guesser.model, {})
            checkpoint.remove()
        return guesser.model

    def _teach(self, fitted: FittedTransformer, learned: TextWindows, held_out: TextWindows) -> list[EpochResult]:
        settings = self.settings
        if not len(held_out) and not self.dev_set and settings.held_out_share:
            log.warning("no individual has enough background to hold some of it out; the last epoch's model is kept")
        # A checkpoint also holds how the watched documents fared so far, so it belongs to them too; a model does not.
        origin = {**self.of_finetuning, "watched": self._digests}
        load, save = settings.load_saved_finetuning, settings.save_finetuning
        checkpoint = self.store.checkpoint(FINETUNING, origin, load=load, save=save)

        def examine() -> dict[str, float]:
            return {name: fitted.accuracy(documents) for name, documents in self.watched.items()}

        pupil = Pupil(fitted.classifier, learned, held_out, self.dev_set, examine, tell=self._show)
        course = self._course("fine-tuning", 1, "finetuning")
        train(pupil, course, self.device, self.bf16, checkpoint, self.watch, settings.every)
        pupil.take_best()
        if save:
            self._keep_model(CLASSIFIER, self.of_finetuning, fitted.classifier.model, self._report(pupil.epochs))
            checkpoint.remove()
        return pupil.epochs

    def _look_again(self, fitted: FittedTransformer, record: Mapping[str, Any]) -> list[EpochResult]:
        """The epochs of a model that was kept. Documents that were not watched then are known for its epoch alone."""
        epochs = msgspec.convert(record["epochs"], list[EpochResult])
        selected_number = select_epoch(epochs, self.dev_set).number
        new = [name for name, content in self._digests.items() if record["watched"].get(name) != content]
        accuracies = {name: fitted.accuracy(self.watched[name]) for name in new}
        for index, epoch in enumerate(epochs):
            unchanged = {name: value for name, value in epoch.accuracy.items() if name not in new}
            epochs[index] = replace(
                epoch, accuracy={**unchanged, **accuracies} if epoch.number == selected_number else unchanged
            )
        if new:
            report = {**record, **self._report(epochs), "watched": {**record["watched"], **self._digests}}
            self.store.keep_record(f"{CLASSIFIER}/{RECORD}", self.of_finetuning, report)
            self._show(epochs)
        return epochs

    def _show(self, epochs: list[EpochResult]) -> None:
        self.store.keep_text(RESULTS, table(epochs, self.dev_set))

    def _report(self, epochs: list[EpochResult]) -> dict[str, Any]:
        """What is said beside a classifier of how it came about."""
        return {
            "individuals": self.individuals,
            "selection": self.settings.selection,
            "selected": select_epoch(epochs, self.dev_set).number,
            "epochs": msgspec.to_builtins(epochs),
            "watched": self._digests,
        }

    def _keep_model(self, name: str, origin: Mapping[str, Any], model: Any, report: Mapping[str, Any]) -> None:
        import torch
        import transformers

        def save(folder: Path) -> None:
            with quietly():
                model.save_pretrained(folder)
                self.base.tokenizer.save_pretrained(folder)

        made_with = {
            "python": platform.python_version(),
            "torch": str(torch.__version__),
            "transformers": str(transformers.__version__),
            "device": self.device.type,
            "precision": "bf16" if self.bf16 else "fp32",
        }
        self.store.keep_model(name, origin, {**report, "made_with": made_with}, save)


# Additional pretraining: the base model goes on guessing hidden words, now in the attacker's background.
#
# Masked language modelling as BERT does it (Devlin et al. 2019, section 3.1): of the pieces that are asked for, eight
# in ten are hidden, one in ten is replaced by any other, one in ten stays. All of the background is read, also what is
# held out of fine-tuning: no label is learned here.

_HIDDEN, _REPLACED = 0.8, 0.1


class Guesser(Learner):
    """The learner of the first stage. Nothing is selected here: the last epoch's model goes on."""

    windows: TextWindows

    def __init__(self, base: BaseModel, windows: TextWindows, probability: float, device: Any) -> None:
        self.base = base
        self.windows = windows
        self.probability = probability
        self.device = device
        self.model = base.masked_lm()

    def loss(self, batch: list[int], seed: int) -> Any:
        """−ln p of the pieces that are asked for. The head, whose output is the vocabulary, sees those alone."""
        import torch

        pieces, present = self.base.table(self.windows, batch)
        selected = choose_targets(present, self.probability, seed)
        hidden = disguise(pieces, selected, self.base.tokenizer.mask_token_id, len(self.base.tokenizer), seed)
        inputs = self.base.inputs(hidden, present, self.device)
        positions = torch.from_numpy(np.flatnonzero(selected)).to(self.device)
        truth = torch.from_numpy(pieces[selected]).to(self.device)

        def only_asked(_module: Any, _arguments: Any, output: Any) -> Any:
            output.last_hidden_state = output.last_hidden_state.flatten(0, 1)[positions][None]
            return output

        hook = self.model.base_model.register_forward_hook(only_asked)
        try:
            logits = self.model(**inputs).logits[0]
        finally:
            hook.remove()
        return torch.nn.functional.cross_entropy(logits.float(), truth)


def choose_targets(present: Bools, probability: float, seed: int) -> Bools:
    """Which pieces are asked for: never a window's ends, nor padding, and at least one."""
    draws = np.random.default_rng([seed, 0]).random(present.shape)
    inner = present.copy()
    inner[:, 0] = False
    inner[np.arange(len(inner)), present.sum(axis=1) - 1] = False
    draws[~inner] = 1.0
    selected = draws < probability
    if not selected.any():
        selected.flat[draws.argmin()] = True
    return selected


def disguise(ids: Ints, targets: Bools, mask: int, vocabulary: int, seed: int) -> Ints:
    """The pieces with most of those that are asked for hidden, some replaced, some as they are."""
    generator = np.random.default_rng([seed, 1])
    fate = generator.random(ids.shape)
    any_piece = generator.integers(0, vocabulary, ids.shape)
    changed = np.where(targets & (fate < _HIDDEN), mask, ids)
    return np.where(targets & (fate >= _HIDDEN) & (fate < _HIDDEN + _REPLACED), any_piece, changed)
