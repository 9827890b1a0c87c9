"""A verifier that was trained here, its folder, and the text forms by which verifiers are named."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Floats
from showthrough.core.errors import (
    InputError,
    PlanError,
    Problem,
    ResourceError,
    join_names,
    quote_value,
    shorten,
    suggest_name,
)
from showthrough.families.authorship.verifiers.base import UNANSWERED, FittedVerifier, Question, Verifier
from showthrough.families.authorship.verifiers.table import LEARNERS, VERIFIERS
from showthrough.models.model_folders import (
    Card,
    TrainingRecord,
    arrays_as_file,
    arrays_of_file,
    check_model_folder,
    read_card,
    write_model,
)
from showthrough.storage.reading import is_folder, read_bytes

Band = tuple[float, float]
WEIGHTS = "weights.npz"
_TRIAL = Question(("One text.",), "Another.")


class _VerifierCard(msgspec.Struct, frozen=True):
    """What using a verifier needs to know, in its card."""

    learner: str
    version: int
    band: Band | None


@dataclass(frozen=True, eq=False)
class TrainedVerifier:
    """What `train_verifier` gives: it answers questions, and says what it learned from and how well it did."""

    fitted: FittedVerifier
    learner: str
    training: TrainingRecord
    name: str
    band: Band | None = None  # answers inside are none
    settings: Mapping[str, Any] = field(default_factory=dict)  # how it was trained
    figures: Mapping[str, Any] = field(default_factory=dict)  # what training told
    source: str = ""  # its folder

    def __repr__(self) -> str:
        return f"TrainedVerifier({self.name!r}, {self.learner}, {self.problems} problems)"

    @property
    def version(self) -> int:
        return LEARNERS[self.learner].version

    @property
    def problems(self) -> int:
        """That it learned from."""
        return int(self.figures.get("problems", 0))

    @cached_property
    def digest(self) -> str:
        """Changes whenever an answer could."""
        total = hashlib.blake2b(msgspec.json.encode((self.learner, self.version, self.band)), digest_size=16)
        for name, array in sorted(self.fitted.saved().items()):
            total.update(msgspec.json.encode((name, array.shape)) + np.ascontiguousarray(array).tobytes())
        return total.hexdigest()

    @property
    def features(self) -> tuple[str, ...]:
        """Those by which it notices texts unlike all that it learned from; none if it cannot."""
        return getattr(self.fitted, "features", ())

    def outside(self, questions: Sequence[Question]) -> Bools:
        """Questions × features: which are."""
        own: Callable[[Sequence[Question]], Bools] | None = getattr(self.fitted, "outside", None)
        return own(questions) if own else np.zeros((len(questions), 0), dtype=bool)

    def answers(self, questions: Sequence[Question]) -> Floats:
        return without_band(self.fitted.answers(questions), self.band)

    def save(self, folder: Path | str, force: bool = False) -> None:
        """Writes it as a folder, which `--verifier FOLDER/` takes. Raises OutputError."""
        path = Path(folder).expanduser()
        check_model_folder(path, force)
        using = {"learner": self.learner, "version": self.version, "band": self.band}
        card = Card(
            kind="verifier", training=self.training, settings={**self.settings, **using}, figures=dict(self.figures)
        )
        write_model(path, card, {WEIGHTS: arrays_as_file(self.fitted.saved())})


def without_band(answers: Floats, band: Band | None) -> Floats:
    """Answers of which those inside a band are none."""
    if band is None:
        return answers
    return np.where((answers >= band[0]) & (answers <= band[1]), UNANSWERED, answers)


def load_verifier(folder: Path | str, name: str = "") -> TrainedVerifier:
    """The verifier of a folder, under a name or that of the folder. Raises PlanError where it cannot be used."""
    path = Path(folder)
    try:
        path = path.expanduser()
        card = read_card(path, "train verifier")
    except (RuntimeError, ResourceError) as error:  # the first where somebody has no home
        raise PlanError(str(error), f"verifier {shorten(str(folder))}") from None
    if card.kind != "verifier":
        raise PlanError(f"holds a {card.kind}; expected what showthrough train verifier made", str(path))
    try:
        using = msgspec.convert(card.settings, _VerifierCard)
        _check_version(using, path)
        fitted = _load_fitted(arrays_of_file(read_bytes(path / WEIGHTS), WEIGHTS), using.learner)
    except (msgspec.MsgspecError, KeyError, IndexError, TypeError, ValueError) as error:
        fault = f"is not as showthrough train verifier wrote it ({error}); train it again"
        raise PlanError(fault, str(path)) from None
    named = name or path.resolve().name
    return TrainedVerifier(
        fitted, using.learner, card.training, named, using.band, card.settings, card.figures, str(folder)
    )


def _check_version(using: _VerifierCard, path: Path) -> None:
    if using.learner not in LEARNERS:
        fault = f"was trained by {shorten(using.learner)}, which this program does not have"
        raise PlanError(f"{fault}; expected one of {', '.join(LEARNERS)}", str(path))
    ours = LEARNERS[using.learner]
    if not ours.oldest <= using.version <= ours.version:
        fault = f"was trained by version {using.version} of {using.learner}; this program has version {ours.version}"
        raise PlanError(f"{fault}: train it again", str(path))


def _load_fitted(arrays: Mapping[str, Any], learner: str) -> FittedVerifier:
    """Raises ValueError and the like where arrays are not such as were saved."""
    for name, array in arrays.items():
        if array.dtype != np.float64 or not np.isfinite(array).all():
            raise ValueError(f"{name} in {WEIGHTS} holds other things than numbers")
    fitted = LEARNERS[learner].loaded(arrays)
    (answer,) = fitted.answers([_TRIAL])
    if not 0 <= answer <= 1 or {key: weight.shape for key, weight in fitted.saved().items()} != {
        key: weight.shape for key, weight in arrays.items()
    }:
        raise ValueError(f"{WEIGHTS} holds other arrays")
    return fitted


# The text form of a verifier is a folder (`glad/`, `NAME=folder/`) or a name that a plugin brings.


def parse_verifiers(texts: Sequence[str]) -> tuple[Verifier, ...]:
    """All that are asked for, loaded. Raises InputError or ResourceError with everything that is wrong."""
    by_name: dict[str, Verifier] = {}
    problems: list[Problem] = []
    for text in texts:
        try:
            verifier = parse_verifier(text)
        except InputError as error:
            problems += error.problems
            continue
        if verifier.name in by_name:
            fault = "this name is used twice; expected unique names, as in second=FOLDER"
            problems.append(Problem("", f"verifier {shorten(verifier.name)}", fault))
        by_name[verifier.name] = verifier
    if problems:
        raise InputError(problems)
    return tuple(by_name.values())


def parse_verifier(text: str) -> Verifier:
    """The one that is written so. Raises PlanError."""
    name, sign, folder = text.partition("=")
    named = bool(sign) and not is_folder(Path(text))
    if not text.strip() or (named and not (name.strip() and folder.strip())):
        raise PlanError(f"found {quote_value(text)}; expected FOLDER or NAME=FOLDER, neither of them empty", "verifier")
    if named:
        return load_verifier(folder.strip(), name.strip())
    if is_folder(Path(text)) or text.endswith(("/", "\\")):
        return load_verifier(text)
    if text in VERIFIERS:
        return VERIFIERS[text]
    installed = f"; packages bring {join_names(VERIFIERS)}" if len(VERIFIERS) else ""
    expected = f"expected a folder that showthrough train verifier made{installed}"
    raise PlanError(f"is no folder; {suggest_name(text, VERIFIERS)}{expected}", f"verifier {shorten(text)}")
