"""Training: what it refuses, what it tells, and its folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from showthrough import Corpus, Document, InputError, OutputError, PlanError, load_verifier, train_verifier
from showthrough.data.documents import Authorship
from showthrough.families.authorship.verifiers.base import UNANSWERED
from showthrough.families.authorship.verifiers.table import LEARNERS
from showthrough.families.authorship.verifiers.traces import count_seen, trace
from showthrough.families.authorship.verifiers.trained import WEIGHTS, TrainedVerifier

from .conftest import problems, questions_of, truth_of

NOT_WHOLE = "is not as showthrough train verifier wrote it"


@pytest.fixture(scope="module")
def trained(corpus: Corpus) -> TrainedVerifier:
    return train_verifier(corpus, folds=5)


def changed(corpus: Corpus, change: Callable[[Document], Document]) -> Corpus:
    return Corpus([change(one) for one in corpus], corpus.name, "problems")


def asking(one: Document, **other: Any) -> Document:
    return msgspec.structs.replace(one, authorship=msgspec.structs.replace(one.authorship, **other))


@pytest.mark.parametrize("learner", LEARNERS)
def test_figures_are_those_of_held_out_problems(corpus: Corpus, learner: str) -> None:
    figures = train_verifier(corpus, learner, folds=4, seed=2).figures
    assert (figures["problems"], figures["same"], figures["authors"]) == (40, 20, 40)
    for what in ("authors", "problems"):
        held = figures[f"held_out_{what}"]
        assert {"accuracy", "auc", "c@1", "f0.5u", "f1", "brier", "overall", "false_alarms", "unanswered"} == set(held)
        assert 0.6 < held["auc"] <= 1
        assert 0 <= held["false_alarms"] < 0.5
        assert held["overall"] == pytest.approx(
            np.mean([held[name] for name in ("auc", "c@1", "f0.5u", "f1", "brier")])
        )
    # No author is in two problems here, so both ways hold out the same.
    assert figures["held_out_authors"] == figures["held_out_problems"]


def test_nothing_is_learned_by_heart() -> None:
    """What a coin decided cannot be told of authors who were held out, however often each is asked about."""
    coin = np.random.default_rng(0).random(30) < 0.5
    often = [
        Document(f"{one.id}-{time}", f"{one.text} {time}", authorship=Authorship(one.authorship.known, bool(coin[at])))
        for at, one in enumerate(problems(30))
        for time in range(4)
        if one.authorship
    ]
    figures = train_verifier(Corpus(often, "coin"), folds=5).figures
    assert figures["authors"] == 30
    assert figures["held_out_authors"]["auc"] < 0.65
    assert figures["held_out_problems"]["auc"] > figures["held_out_authors"]["auc"]


def test_groups_stay_together(corpus: Corpus) -> None:
    grouped = changed(corpus, lambda one: msgspec.structs.replace(one, group=f"g{int(one.id[1:]) // 4}"))
    assert train_verifier(grouped, "compression", folds=3).figures["authors"] == 10


def test_every_text_is_known_again(corpus: Corpus, trained: TrainedVerifier) -> None:
    texts = {text for one in questions_of(corpus) for text in (*one.known, one.text)}
    assert set(trained.training.documents) == set(map(trace, texts))
    assert (trained.problems, trained.training.digest) == (40, corpus.digest)
    assert count_seen(trained, corpus) == 40
    assert count_seen(trained, problems(10, apart=200)) == 0
    known = questions_of(corpus)[0].known
    renamed = Document("new", "A text that nobody has seen.", authorship=Authorship(known))
    assert count_seen(trained, Corpus([renamed])) == 1


def test_a_text_is_known_again_from_another_file(corpus: Corpus, trained: TrainedVerifier) -> None:
    one = next(iter(corpus))
    copied = "\ufeff" + one.text.replace(" ", "\r\n", 3).replace("'", "’")
    assert count_seen(trained, Corpus([msgspec.structs.replace(one, text=copied, authorship=None)])) == 1


def test_copies_of_one_text_stay_together(corpus: Corpus) -> None:
    first, *others = corpus
    copied = msgspec.structs.replace(others[-1], text=first.text.replace(" ", "\r\n", 3))
    apart, together = (train_verifier(Corpus(each), "compression", folds=2).figures["authors"]
                       for each in ([first, *others], [first, *others[:-1], copied]))  # fmt: skip
    assert together == apart - 1


@pytest.mark.parametrize(
    "saved", [lambda text: f"\ufeff{text}", lambda text: text.replace(" ", "\r\n"), lambda text: f" {text.strip()}\n\n"]
)
def test_a_text_is_known_again_however_it_was_saved(
    corpus: Corpus, trained: TrainedVerifier, saved: Callable[[str], str]
) -> None:
    other = changed(
        corpus,
        lambda one: msgspec.structs.replace(
            asking(one, known=tuple(map(saved, one.authorship.known)) if one.authorship else ()), text=saved(one.text)
        ),
    )
    assert count_seen(trained, other) == 40
    both = Corpus([*corpus, *(msgspec.structs.replace(one, id=f"again {one.id}") for one in other)], "twice")
    figures = train_verifier(both, "compression", folds=3).figures
    assert (figures["problems"], figures["authors"]) == (80, 40)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda one: msgspec.structs.replace(one, authorship=None), "problems: no document asks who wrote it"),
        (
            lambda one: asking(one, same=None if one.id == "p7" else True),
            "document p7: of 1 of 40 problems nobody said who",
        ),
        (lambda one: asking(one, same=True), "all 40 problems are by one author; expected some by two as well"),
        (lambda one: asking(one, same=False), "all 40 problems are by two authors; expected some by one as well"),
        (
            lambda one: asking(one, known=(" \n",)) if one.id == "p3" else one,
            "document p3: 1 of 40 problems have no known",
        ),
        (lambda one: msgspec.structs.replace(one, group="g"), "all problems share texts or groups"),
    ],
)
def test_what_cannot_be_learned_from(corpus: Corpus, change: Callable[[Document], Document], line: str) -> None:
    with pytest.raises(PlanError) as caught:
        train_verifier(changed(corpus, change))
    assert line in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ({"learner": "glat"}, "unknown learner 'glat'; did you mean glad?"),
        ({"band": (0.6, 0.7)}, "band: found"),
        ({"band": (0.4, 1.5)}, "band: found"),
        ({"folds": 1}, "folds: found 1; expected 2 or more"),
        ({"seed": -1}, "seed: found -1"),
    ],
)
def test_what_cannot_be_asked_for(corpus: Corpus, asked: dict[str, Any], line: str) -> None:
    with pytest.raises(PlanError, match=line[:20]) as caught:
        train_verifier(corpus, **asked)
    assert line in str(caught.value)


def test_inside_the_band_there_is_no_answer(corpus: Corpus, trained: TrainedVerifier) -> None:
    plain = trained.answers(questions_of(corpus))
    low, high = np.quantile(plain, [0.3, 0.7]).tolist()
    banded = train_verifier(corpus, folds=5, band=(low, high))
    answers, inside = banded.answers(questions_of(corpus)), (plain >= low) & (plain <= high)
    assert low < UNANSWERED < high
    assert (answers[inside] == UNANSWERED).all()
    assert (answers[~inside] == plain[~inside]).all()
    assert banded.figures["held_out_authors"]["unanswered"] > 0
    assert banded.digest != trained.digest


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_folder_gives_the_same_answers(corpus: Corpus, learner: str, tmp_path: Path) -> None:
    made = train_verifier(corpus, learner, folds=2, band=(0.45, 0.55))
    made.save(tmp_path / "mine")
    again = load_verifier(tmp_path / "mine")
    questions = questions_of(problems(12, apart=200))
    assert again.answers(questions).tobytes() == made.answers(questions).tobytes()
    assert (again.name, again.learner, again.band, again.digest) == ("mine", learner, (0.45, 0.55), made.digest)
    assert (again.training, again.problems, again.figures) == (made.training, 40, made.figures)
    assert load_verifier(tmp_path / "mine", "other").name == "other"
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["model.json", WEIGHTS]
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "mine").iterdir())
    with pytest.raises(OutputError, match="holds a model already"):
        made.save(tmp_path / "mine")


def test_a_folder_of_an_earlier_version_is_read(corpus: Corpus, trained: TrainedVerifier, tmp_path: Path) -> None:
    trained.save(tmp_path / "glad")
    _card(tmp_path / "glad", lambda card: card["settings"].update(version=1))
    assert load_verifier(tmp_path / "glad").digest == trained.digest
    _card(tmp_path / "glad", lambda card: card["settings"].update(version=0))
    with pytest.raises(InputError, match="trained by version 0 of glad; this program has version 2: train it again"):
        load_verifier(tmp_path / "glad")


def _card(folder: Path, change: Callable[[dict[str, Any]], None]) -> None:
    path = folder / "model.json"
    card = json.loads(path.read_text())
    change(card)
    path.write_text(json.dumps(card))


def _other_arrays(folder: Path, **arrays: np.ndarray) -> None:
    with np.load(folder / WEIGHTS) as held:
        np.savez(folder / WEIGHTS, **{**{name: held[name] for name in held.files}, **arrays})


@pytest.mark.parametrize(
    ("damage", "line"),
    [
        (lambda at: (at / WEIGHTS).unlink(), "weights.npz"),
        (lambda at: (at / WEIGHTS).write_bytes((at / WEIGHTS).read_bytes()[:200]), NOT_WHOLE),
        (lambda at: (at / WEIGHTS).write_bytes(b""), NOT_WHOLE),
        (lambda at: _other_arrays(at, weight=np.zeros(3)), NOT_WHOLE),
        (lambda at: _other_arrays(at, weight=np.full(24, np.nan)), "holds other things than numbers"),
        (lambda at: _other_arrays(at, weight=np.array(["x"] * 24)), "holds other things than numbers"),
        (lambda at: _other_arrays(at, weight=np.array([{}], dtype=object)), NOT_WHOLE),
        (lambda at: _other_arrays(at, more=np.zeros(3)), NOT_WHOLE),
        (lambda at: _card(at, lambda card: card["settings"].update(version=99)), "version 99 of glad; this program"),
        (lambda at: _card(at, lambda card: card["settings"].update(learner="x")), "was trained by x, which"),
        (lambda at: _card(at, lambda card: card["settings"].pop("learner")), NOT_WHOLE),
        (lambda at: _card(at, lambda card: card.update(kind="tagger")), "holds a tagger; expected"),
        (lambda at: _card(at, lambda card: card.update(showthrough_model=7)), "is of version 7"),
        (lambda at: (at / "model.json").write_text("{"), "model.json"),
        (lambda at: (at / "model.json").unlink(), "has no model.json"),
        (shutil.rmtree, "is no folder"),
    ],
)  # fmt: skip
def test_a_damaged_folder(trained: TrainedVerifier, tmp_path: Path, damage: Callable[[Path], None], line: str) -> None:
    trained.save(tmp_path / "glad")
    damage(tmp_path / "glad")
    with pytest.raises(InputError) as caught:
        load_verifier(tmp_path / "glad")
    assert line in str(caught.value)
    assert len(str(caught.value).splitlines()) == 1


def test_progress_comes_to_its_end(corpus: Corpus) -> None:
    told: list[tuple[str, int, int]] = []
    train_verifier(corpus, folds=3, watch=lambda *one: told.append(one))
    assert told[0] == ("looking at problems", 0, 40)
    assert told[-1] == ("trying glad", 6, 6)


def test_answers_agree_with_truth(corpus: Corpus, trained: TrainedVerifier) -> None:
    assert ((trained.answers(questions_of(corpus)) > UNANSWERED) == truth_of(corpus)).mean() > 0.8
