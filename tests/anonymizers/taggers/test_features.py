"""The groups of features: each can be switched, and says what it is there for."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough import PlanError
from showthrough.systems.taggers.features.extractor import Extractor
from showthrough.systems.taggers.features.learned import LearnedWords, learned_from, own_words
from showthrough.systems.taggers.features.settings import GROUPS, NONE, PARSED, USUAL, Features
from showthrough.systems.taggers.tokens import Tokens

TEXT = (
    "NOTE\nName: Ona Rask\n"
    + "She was seen in March (in Oslo) on 12/03/2010. The Clinic of London called ona.rask@ward.no again. " * 2
    + "Then Rask, aged 47 years, left.\nPhone: 912 345 678"
)
LABELS = {"Rask": "B-NAME", "Oslo": "B-CITY"}


def rows_of(features: Features, text: str = TEXT, learned: LearnedWords | None = None) -> dict[str, set[str]]:
    """What holds of each word where it stands last."""
    tokens = Tokens.of(text)
    return dict(
        zip(tokens.words, map(set, Extractor(features, "en", learned or LearnedWords()).rows(tokens)), strict=True)
    )


def learned(*texts: str) -> LearnedWords:
    return learned_from([(tokens := Tokens.of(text), _labels(tokens), text) for text in texts])


def _labels(tokens: Tokens) -> list[str]:
    return [LABELS.get(word, "O") for word in tokens.words]


@pytest.mark.parametrize("group", [group for group in GROUPS if group not in PARSED])
def test_every_group_can_be_switched_by_itself(group: str) -> None:
    known = learned("x in Oslo", "y in Oslo", "z in Oslo")
    alone = rows_of(NONE.with_changes(f"+{group}"), learned=known)
    assert rows_of(NONE, learned=known) == {word: {"b"} for word in alone}
    assert any(len(each) > 1 for each in alone.values())
    without = rows_of(USUAL.with_changes(f"+{group}").with_changes(f"-{group}"), learned=known)
    assert without != rows_of(USUAL.with_changes(f"+{group}"), learned=known)


@given(st.text(max_size=300))
def test_every_text_has_one_row_a_token(text: str) -> None:
    tokens = Tokens.of(text)
    rows = Extractor(USUAL.with_changes("+cues,+word_class,+previous"), "en").rows(tokens, {"a": "O"})
    assert len(rows) == len(tokens)
    assert all(rows)


def test_words_of_what_was_marked_are_known_from_other_records_alone() -> None:
    known = learned("Ona Rask", "Per Rask", "in Oslo")
    for text, word, expected in (("Rask", "Rask", {"k=NAME"}), ("Oslo", "Oslo", set())):
        tokens = Tokens.of(text)
        (row,) = Extractor(NONE.with_changes("+dictionaries"), "", known).rows(
            tokens, own=own_words(tokens, [LABELS[word]])
        )
        assert {name for name in row if name.startswith("k=")} == expected
    (row,) = Extractor(NONE.with_changes("+dictionaries"), "", known).rows(Tokens.of("Oslo"))
    assert "k=CITY" in row  # a new record may know it


def test_two_layers_of_one_record_are_no_two_records() -> None:
    tokens = Tokens.of("Ona Rask")
    assert learned_from([(tokens, _labels(tokens), "1"), (tokens, _labels(tokens), "1")]).known == {"rask": {"NAME": 1}}


def test_cues_are_words_that_announce_a_type_and_reach_as_far_as_is_said() -> None:
    known = learned(*(f"{place} lives in Oslo" for place in "abc"))
    assert known.cues["lives"] == {"before-CITY": 3}
    rows = rows_of(NONE.with_changes("cues=2"), "she lives near Bergen now", known)
    assert "cue=before-CITY3" in rows["Bergen"]
    assert rows["now"] == rows["she"] == {"b"}


def test_templates_know_forms_in_several_languages() -> None:
    rows = rows_of(
        NONE.with_changes("+templates"), TEXT + " el 3 de mayo de 2011 a las 10:30 h, app. no. 36244/06, 12.5 %"
    )
    for word, name in (
        ("12", "t=decimal^"), ("2010", "t=date"), ("47", "t=age^"), ("ward", "t=email"), ("345", "t=phone"),
        ("mayo", "t=date-in-words"), ("30", "t=time"), ("36244", "t=number-of^"), ("06", "t=fraction"),
    ):  # fmt: skip
        assert name in rows[word], word


def test_a_word_of_the_header_is_known_again_and_not_in_its_own_field() -> None:
    tokens = Tokens.of(TEXT)
    rows = Extractor(NONE.with_changes("+trusted")).rows(tokens)
    trusted = {at: "tr=name" in row for at, row in enumerate(rows) if tokens.words[at] == "Rask"}
    first = min(trusted)
    assert not trusted[first]
    assert trusted[max(trusted)]


def test_neighbours_are_told_by_their_distance() -> None:
    rows = rows_of(NONE.with_changes("window=2"), "we met Rask in Oslo")
    assert {"-2l=we", "-1l=met", "+1l=in", "+2l=oslo"} <= rows["Rask"]
    assert "-3l=we" not in rows["in"]


def test_what_is_in_brackets_says_so_unless_they_are_never_closed() -> None:
    rows = rows_of(NONE.with_changes("+enclosed"), '(one) "two" (three')
    assert [rows[word] - {"b"} for word in ("one", "two", "three")] == [{"q=("}, {'q="'}, set()]


@pytest.mark.parametrize(
    ("asked", "fault"),
    [
        ("+colour", "features: unknown feature group 'colour'; there are: token, root"),
        ("window=x", "features: window=x is no width; expected a number from 0 to 9"),
        ("window=99", "features: window=99 is no width"),
    ],
)
def test_groups_that_there_are_not_are_told(asked: str, fault: str) -> None:
    with pytest.raises(PlanError) as raised:
        USUAL.with_changes(asked)
    assert str(raised.value).startswith(fault)
