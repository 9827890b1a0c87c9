"""SVM, boosted trees, HMM, rules, and learners made of others: what all of them must do."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import ResourceError
from showthrough.systems.taggers.learners._columns import FeatureColumns
from showthrough.systems.taggers.learners.base import LEARNERS, learner_class

QUICK: dict[str, dict[str, Any]] = {
    "svm": {},
    "boosted": {"rounds": 8, "type_rounds": 4, "fewest": 1},
    "hmm": {},
    "rules": {"forms": ["t", "-1l"]},
    "ruled": {"trust": 0.9},
    "sentenced": {},
    "voted": {"settings": {"rounds": 8, "type_rounds": 4, "fewest": 1}},
}
OURS = sorted(QUICK)
NAMES = ("Rask", "Holm", "Vidal", "Brandt")


def row(word: str, before: str = "") -> list[str]:
    shape = "0" if word[0].isdigit() else "X" if word[0].isupper() else "x"
    form = [f"t=date{'^' * (before == 'on')}"] if word[0].isdigit() or word == "/" else []
    return [f"w={word}", f"l={word.lower()}", f"o={shape}", f"s={shape}", f"-1l={before.lower()}", *form]


def rows(text: str) -> list[list[str]]:
    words = text.split()
    return [row(word, before) for before, word in zip(["", *words], words, strict=False)]


SEQUENCES = [rows(text) for name in NAMES for text in (f"Mr {name} left on 12 / 3", "the ward slept well")] * 3
LABELS = [["O", "B-NAME", "O", "O", "B-DATE", "I-DATE", "I-DATE"], ["O", "O", "O", "O"]] * (len(NAMES) * 3)


def fitted(name: str) -> Any:
    made = learner_class(name)(**QUICK[name])
    made.fit(SEQUENCES, LABELS, 0)
    return made


@pytest.fixture(scope="module")
def learners() -> dict[str, Any]:
    return {name: fitted(name) for name in OURS}


def test_every_learner_of_the_table_is_tested_here_or_with_the_crf() -> None:
    assert {*OURS, "crf"} == set(LEARNERS)


@pytest.mark.parametrize("name", OURS)
def test_a_name_never_seen_and_another_date_are_found_by_what_is_around_them(
    learners: dict[str, Any], name: str
) -> None:
    (answer,) = learners[name].predict([rows("Mr Okafor left on 13 / 4")])
    assert answer.labels[1] == "B-NAME"
    assert answer.labels[0] == answer.labels[2] == "O"
    assert answer.labels[4][2:] == answer.labels[6][2:] == "DATE"
    assert answer.outside[4] < 0.5 < answer.outside[2]


@pytest.mark.parametrize("name", OURS)
def test_what_one_sequence_gets_does_not_hang_on_others_and_none_is_no_special_case(
    learners: dict[str, Any], name: str
) -> None:
    learner = learners[name]
    together = learner.predict([SEQUENCES[0], [], SEQUENCES[1][:1]])
    assert [one for each in ([SEQUENCES[0]], [[]], [SEQUENCES[1][:1]]) for one in learner.predict(each)] == together
    assert together[1].labels == together[1].sure == together[1].outside == together[1].inside == []
    assert len(together[2].labels) == 1


@pytest.mark.parametrize("name", OURS)
def test_training_twice_gives_the_same_bytes_and_a_file_the_same_answers(learners: dict[str, Any], name: str) -> None:
    learner = learners[name]
    files = learner.files()
    assert fitted(name).files() == files
    assert not any(b"pickle" in content or key.endswith(".pkl") for key, content in files.items())
    again = learner_class(name).load(files)
    asked = [*SEQUENCES[:2], rows("Dr Okafor came on 5 / 6")]
    assert again.predict(asked) == learner.predict(asked)
    assert again.files() == files


@pytest.mark.parametrize("name", ["svm", "boosted", "hmm"])
def test_probabilities_are_some_and_what_is_sure_is_not_more_than_all(learners: dict[str, Any], name: str) -> None:
    for answer in learners[name].predict([*SEQUENCES[:2], rows("x y Z")]):
        for label, sure, outside, inside in zip(answer.labels, answer.sure, answer.outside, answer.inside, strict=True):
            assert 0 <= sure <= 1 + 1e-9
            assert 0 <= outside <= 1 + 1e-9
            assert inside != "O"
            assert sure == outside if label == "O" else sure + outside <= 1 + 1e-9


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("label", ["O", "B-NAME"])
def test_one_label_alone_can_be_learned(name: str, label: str) -> None:
    learner = learner_class(name)(**QUICK[name])
    learner.fit([rows("one two")] * 4, [[label, label]] * 4, 0)
    (answer,) = learner_class(name).load(learner.files()).predict([rows("one new")])
    assert answer.labels[0] == label
    assert all(np.isfinite([*answer.sure, *answer.outside]))


@pytest.mark.parametrize("name", OURS)
@given(texts=st.lists(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=4), max_size=6), max_size=3))
@settings(max_examples=15, deadline=None)
def test_there_is_one_label_a_token_whatever_the_text(
    learners: dict[str, Any], name: str, texts: list[list[str]]
) -> None:
    asked = [[row(word) for word in words] for words in texts]
    for answer, words in zip(learners[name].predict(asked), texts, strict=True):
        every = answer.labels, answer.sure, answer.outside, answer.inside
        assert {len(each) for each in every} == {len(words)}
        assert set(answer.labels) <= {"O", "B-NAME", "B-DATE", "I-DATE"}
        for before, label in zip(["O", *answer.labels], answer.labels, strict=False):
            assert name in {"rules", "ruled", "voted"} or label[0] != "I" or before[2:] == label[2:]


@pytest.mark.parametrize("name", ["svm", "boosted", "hmm"])
@pytest.mark.parametrize("spoil", [lambda content: content[: len(content) // 2], lambda content: b"no arrays"])
def test_a_file_that_is_no_whole_model_is_refused(learners: dict[str, Any], name: str, spoil: Any) -> None:
    files = learners[name].files()
    broken = f"{name}.npz"
    with pytest.raises(ValueError, match=f"{broken} is no whole model"):
        learner_class(name).load({**files, broken: spoil(files[broken])})


def test_a_missing_package_is_one_line_with_the_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.svm", None)
    with pytest.raises(ResourceError, match=r"svm needs scikit-learn, .*pip install 'showthrough\[taggers\]'"):
        fitted("svm")


def test_tagging_by_svm_and_trees_needs_no_package_of_training(
    learners: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("sklearn", "sklearn.svm", "scipy", "scipy.sparse"):
        monkeypatch.setitem(sys.modules, package, None)
    for name in ("svm", "boosted", "hmm"):
        again = learner_class(name).load(learners[name].files())
        assert again.predict(SEQUENCES[:1])[0].labels == LABELS[0]


def test_columns_are_those_seen_often_enough_in_whichever_order() -> None:
    one = FeatureColumns.from_sequences([[["b", "a"], ["a"]], [["c", "a", "b"]]], 2)
    other = FeatureColumns.from_sequences([[["c", "a", "b"]], [["a"], ["a", "b"]]], 2)
    assert one.names == other.names == ["a", "b"]
    assert one.of([[], ["c"], ["b", "a"]]).dense().tolist() == [[0, 0], [0, 0], [1, 1]]


def test_a_form_is_a_rule_as_a_whole_or_not_at_all(learners: dict[str, Any]) -> None:
    (answer,) = learners["ruled"].predict([rows("on 7 / 8 then / 9")])
    assert answer.labels == ["O", "B-DATE", "I-DATE", "I-DATE", "O", "O", "O"]
    half = [["O", "O", "O", "O", "B-DATE", "O", "O"], ["O"] * 4] * (len(SEQUENCES) // 2)
    other = learner_class("ruled")(**QUICK["ruled"])
    other.fit(SEQUENCES, half, 0)
    assert other.files()["forms.json"] == b'{"names":["date","phone","long-number"],"known":{}}'


def test_a_rule_that_one_record_alone_has_is_not_trusted() -> None:
    made = learner_class("rules")(forms=["h"])
    record = [[["h=name", "o=X"]] * 5, [["h=ward", "o=X"]]]
    made.fit(record * 2, [["B-NAME"] * 5, ["B-WARD"]] * 2, 0)
    assert made.rule(["h=name"]) is None
    made.fit(record * 8, [["B-NAME"] * 5, ["B-WARD"]] * 8, 0)
    assert (made.rule(["h=name"]).label, made.rule(["h=ward", "o=X"]).label) == ("B-NAME", "B-WARD")
