"""The second look at a record: majority labels, and phrases that stand in it again."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough.systems.taggers.consistency import longest, majority, propagate_spans
from showthrough.systems.taggers.labels import TokenSpan
from showthrough.systems.taggers.tokens import Tokens


def test_the_label_that_a_word_mostly_has_whatever_its_capitals() -> None:
    tokens = Tokens.of("RASK Rask rask the")
    assert majority(tokens, ["B-A", "B-B", "B-B", "O"]) == {"rask": "B-B", "the": "O"}


def test_the_longest_phrase_labels_its_other_occurrences_and_shorter_ones_give_way() -> None:
    tokens = Tokens.of("Ona Rask saw Per. Ona Rask saw per.")
    found = propagate_spans(
        tokens, [TokenSpan(0, 2, "PATIENT", 0.9), TokenSpan(3, 4, "DOCTOR"), TokenSpan(5, 6, "DOCTOR")]
    )
    spans = [(one.first, one.last, one.entity_type) for one in found]
    assert spans == [(0, 2, "PATIENT"), (3, 4, "DOCTOR"), (5, 7, "PATIENT")]
    assert found[2].score == 0.9


def test_words_in_small_letters_and_short_ones_are_not_looked_for() -> None:
    tokens = Tokens.of("may 7 and may 7 and may")
    assert propagate_spans(tokens, [TokenSpan(0, 1, "DATE"), TokenSpan(1, 2, "AGE")]) == [
        TokenSpan(0, 1, "DATE"),
        TokenSpan(1, 2, "AGE"),
    ]


@pytest.mark.parametrize(
    ("text", "first", "last", "again"),
    [
        ("Rask saw Rask", 0, 1, True),
        ("Bo saw Bo", 0, 1, False),  # two characters are too few,
        ("Per saw Per", 0, 1, True),  # three are not
        ("A B saw A B", 0, 2, True),  # with what stands between
        ("per rask saw per rask", 0, 2, False),
        ("per Rask saw per Rask", 0, 2, True),  # one capital will do
        ("per, rask saw per, rask", 0, 3, False),  # a comma is no capital,
        ("per-rask saw per-rask", 0, 3, False),  # nor is a hyphen
        ("Per, Rask saw Per, Rask", 0, 3, True),
        ("1984 saw 1984", 0, 1, True),  # nor are digits small letters
        ("--- saw ---", 0, 3, False),  # signs alone say nothing
    ],
)
def test_which_phrases_are_looked_for(text: str, first: int, last: int, again: bool) -> None:
    tokens, one = Tokens.of(text), TokenSpan(first, last, "A")
    other = TokenSpan(last + 1, last + 1 + last, "A")
    assert propagate_spans(tokens, [one]) == ([one, other] if again else [one])


def test_at_the_same_place_the_longer_phrase_is_tried_first() -> None:
    tokens = Tokens.of("Ona. Ona Rask. Ona Rask left Ona")
    words = tokens.words
    first, second, third, last = (place for place, word in enumerate(words) if word == "Ona")
    found = propagate_spans(tokens, [TokenSpan(first, first + 1, "A"), TokenSpan(second, second + 2, "B")])
    assert [(one.first, one.last, one.entity_type) for one in found] == [
        (first, first + 1, "A"),
        (second, second + 2, "B"),
        (third, third + 2, "B"),
        (last, last + 1, "A"),
    ]


def test_what_gives_way_to_a_phrase_stays_hidden_where_the_phrase_does_not_stand() -> None:
    """Ona Rask of stands again at 0 to 3, over the first word of what was found at 2 to 4: Oslo stays hidden."""
    tokens = Tokens.of("Ona Rask of Oslo met Ona Rask of Oslo")
    found = propagate_spans(tokens, [TokenSpan(2, 4, "CITY", 0.7), TokenSpan(5, 8, "PATIENT", 0.9)])
    assert found == [TokenSpan(0, 3, "PATIENT", 0.9), TokenSpan(3, 4, "CITY", 0.7), TokenSpan(5, 8, "PATIENT", 0.9)]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(1, 4))))
def test_whatever_was_found_stays_hidden_and_nothing_is_found_twice(spans: list[tuple[int, int]]) -> None:
    tokens = Tokens.of("Ona Rask of Oslo met Ona Rask of Oslo met Rask")
    given_ = longest([TokenSpan(first, min(first + long, 11), "A") for first, long in spans if first < 11])
    before = {at for one in given_ for at in range(one.first, one.last)}
    after = [at for one in propagate_spans(tokens, given_) for at in range(one.first, one.last)]
    assert len(after) == len(set(after))
    assert before <= set(after)
