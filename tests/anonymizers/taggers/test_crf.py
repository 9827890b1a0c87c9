"""The CRF: learns, is sure of what it says, and is the same after a night in a file."""

from __future__ import annotations

import sys

import pytest

from showthrough import ResourceError
from showthrough.systems.taggers.learners.base import learner_class
from showthrough.systems.taggers.learners.crf import Crf

ROWS = [[["w=Mr"], ["w=Rask", "-1=Mr"], ["w=left"]], [["w=the"], ["w=ward"], ["w=slept"]]] * 5
LABELS = [["O", "B-NAME", "O"], ["O", "O", "O"]] * 5


@pytest.fixture
def crf() -> Crf:
    made = Crf(iterations=30)
    made.fit(ROWS, LABELS)
    return made


def test_it_learns_what_it_is_shown_and_what_a_neighbour_tells(crf: Crf) -> None:
    seen, unseen = crf.predict([ROWS[0], [["w=Mr"], ["w=Holm", "-1=Mr"], ["w=spoke"]]])
    assert seen.labels == unseen.labels == ["O", "B-NAME", "O"]
    assert seen.outside[1] < 0.5 < seen.outside[0]
    assert seen.inside[1] == "B-NAME"
    assert all(0 <= one <= 1 + 1e-9 for one in (*seen.sure, *seen.outside))


def test_what_one_sequence_gets_does_not_hang_on_others(crf: Crf) -> None:
    together = crf.predict([*ROWS[:2], []])
    assert together[:2] == [crf.predict([rows])[0] for rows in ROWS[:2]]
    assert together[2].labels == []


def test_training_twice_and_a_file_between_change_nothing(crf: Crf) -> None:
    again = Crf(iterations=30)
    again.fit(ROWS, LABELS)
    assert again.files() == crf.files()
    assert Crf.load(crf.files()).predict(ROWS[:1]) == crf.predict(ROWS[:1])


@pytest.mark.parametrize("spoil", [lambda model: b"", lambda model: b"no model", lambda model: model[:-9]])
def test_a_file_that_is_no_whole_model_is_refused(crf: Crf, spoil: object) -> None:
    files = {name: spoil(content) for name, content in crf.files().items()}  # type: ignore[operator]
    with pytest.raises(ValueError, match="no whole model"):
        Crf.load(files)


def test_nothing_inside_is_no_special_case() -> None:
    crf = Crf(iterations=5)
    crf.fit([[["a"]]], [["O"]])
    (found,) = crf.predict([[["a"], ["b"]]])
    assert (found.labels, found.outside) == (["O", "O"], [1.0, 1.0])


def test_everything_inside_is_no_special_case() -> None:
    crf = Crf(iterations=5)
    crf.fit([[["a"]]], [["B-NAME"]])
    (found,) = crf.predict([[["a"], ["b"]]])
    assert found.outside == [0.0, 0.0]


def test_a_missing_package_is_one_line_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pycrfsuite", None)
    with pytest.raises(ResourceError, match=r"needs python-crfsuite, .*pip install 'showthrough\[taggers\]'"):
        learner_class("crf")().fit(ROWS, LABELS)
