"""The verifiers on PAN's problems: how good they are, how fast features are, and what `--seen` does.

Trains glad, impostors, ngrams and compression on the 410 problems of PAN 2013 to 2015 and prints what they reach on
problems that were held out; then c@1 on the 205 masking problems as they are and as two systems obfuscated them,
beside what was published for GLAD: once with all 410 problems, whose texts the 205 are among (`--seen`), and once
cross-fitted, so that whoever is asked about a problem has learned from none of its texts. Needs SHOWTHROUGH_DATA.
Exits 1 when a limit is missed: glad's accuracy at least 0.65 with problems held out, 0.58 to 0.75 on the originals,
lower on B than on A; features of all 410 problems in less than 60 s of processor time.
"""

from __future__ import annotations

import os
import sys
import tarfile
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from showthrough import Corpus, TrainedVerifier, read_anonymization, read_corpus, train_verifier
from showthrough.core.arrays import Floats
from showthrough.families.authorship.verifiers._glad import style
from showthrough.families.authorship.verifiers.base import UNANSWERED, Question
from showthrough.families.authorship.verifiers.table import LEARNERS
from showthrough.families.authorship.verifiers.traces import components, split_folds, trace

SECONDS, ACCURACY, ORIGINALS, FOLDS = 60.0, 0.65, (0.58, 0.75), 10
PUBLISHED = {"original": 0.656, "A": 0.587, "B": 0.532}

Asked = Mapping[str, Sequence[Question]]


def unpacked(data: Path, folder: Path) -> tuple[Corpus, Asked]:
    """The problems to learn from, and the masking problems as questions: originals and both submissions."""
    for name in ("verification_train", "masking_problems", "submission_A", "submission_B"):
        with tarfile.open(data / f"pan/{name}.tar.gz") as archive:
            archive.extractall(folder / name, filter="data")
    problems = read_corpus(folder / "masking_problems")
    asked = {"original": questions(problems, {one.id: one.text for one in problems})}
    for name in ("A", "B"):
        given = read_anonymization(folder / f"submission_{name}", problems, name=name)
        asked[name] = questions(problems, given.texts(problems))
    return read_corpus(folder / "verification_train"), asked


def questions(corpus: Corpus, texts: Mapping[str, str]) -> list[Question]:
    return [Question(one.authorship.known, texts[one.id]) for one in corpus if one.authorship]


def features(corpus: Corpus) -> bool:
    asked = questions(corpus, {one.id: one.text for one in corpus})
    started = time.process_time()
    for one in asked:
        style(one)
    took = time.process_time() - started
    print(f"24 features of {len(asked)} problems: {took:.1f} s of processor time (at most {SECONDS:.0f})")
    return took < SECONDS


def c_at_1(answers: Floats) -> float:
    """On problems that are all by one author."""
    right, left = (answers > UNANSWERED).mean(), (answers == UNANSWERED).mean()
    return float(right * (1 + left))


def cross_fitted(corpus: Corpus, asked: Asked, learner: str) -> dict[str, Floats]:
    """Answers of verifiers each of which has seen no text of the problem, nor of those that share a text with it."""
    known = questions(corpus, {one.id: one.text for one in corpus})
    same = np.array([bool(one.authorship and one.authorship.same) for one in corpus])
    every = [*known, *asked["original"]]
    circle = components([[trace(text) for text in (*one.known, one.text)] for one in every])
    fold = split_folds(circle, np.append(same, np.ones(len(asked["original"]), dtype=bool)), FOLDS, 0)
    answers = {name: np.empty(len(each)) for name, each in asked.items()}
    for one in range(FOLDS):
        inside, held = np.flatnonzero(fold[: len(known)] != one), np.flatnonzero(fold[len(known) :] == one)
        fitted = LEARNERS[learner].fit([known[at] for at in inside], same[inside], circle[: len(known)][inside], 0)
        for name, each in asked.items():
            answers[name][held] = fitted.answers([each[at] for at in held])
    return answers


def show(trained: TrainedVerifier, seen: Mapping[str, float], crossed: Mapping[str, float]) -> None:
    for what in ("problems", "authors"):
        held = trained.figures[f"held_out_{what}"]
        told = "  ".join(f"{name} {held[name]:.3f}" for name in ("accuracy", "auc", "c@1", "brier", "false_alarms"))
        print(f"  {what} held out: {told}")
    for way, found in (("trained on them (--seen)", seen), ("cross-fitted", crossed)):
        print(f"  c@1, {way}: {'  '.join(f'{name} {value:.3f}' for name, value in found.items())}")


def main() -> int:
    data = Path(os.environ["SHOWTHROUGH_DATA"])
    with tempfile.TemporaryDirectory() as folder:
        corpus, asked = unpacked(data, Path(folder))
    good = features(corpus)
    print(f"published for GLAD: {'  '.join(f'{name} {value:.3f}' for name, value in PUBLISHED.items())}")
    for learner in LEARNERS:
        trained = train_verifier(corpus, learner)
        print(f"\n{learner}")
        seen = {name: c_at_1(trained.answers(each)) for name, each in asked.items()}
        show(trained, seen, {name: c_at_1(each) for name, each in cross_fitted(corpus, asked, learner).items()})
        if learner == "glad":
            good &= trained.figures["held_out_problems"]["accuracy"] >= ACCURACY
            good &= ORIGINALS[0] <= seen["original"] <= ORIGINALS[1] and seen["B"] < seen["A"]
    print("\nall limits kept" if good else "\nA LIMIT WAS MISSED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
