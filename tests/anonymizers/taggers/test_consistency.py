"""The second look at a record: majority labels, and phrases that stand in it again."""

from __future__ import annotations

from hypothesis import given, strategies as st

from showthrough.anonymizers.taggers.consistency import longest, majority, propagated
from showthrough.anonymizers.taggers.labels import Found
from showthrough.anonymizers.taggers.tokens import Tokens


def test_the_label_that_a_word_mostly_has_whatever_its_capitals() -> None:
    tokens = Tokens.of("RASK Rask rask the")
    assert majority(tokens, ["B-A", "B-B", "B-B", "O"]) == {"rask": "B-B", "the": "O"}


def test_the_longest_phrase_labels_its_other_occurrences_and_shorter_ones_give_way() -> None:
    tokens = Tokens.of("Ona Rask saw Per. Ona Rask saw per.")
    found = propagated(tokens, [Found(0, 2, "PATIENT", 0.9), Found(3, 4, "DOCTOR"), Found(5, 6, "DOCTOR")])
    spans = [(one.first, one.last, one.entity_type) for one in found]
    assert spans == [(0, 2, "PATIENT"), (3, 4, "DOCTOR"), (5, 7, "PATIENT")]
    assert found[2].score == 0.9


def test_words_in_small_letters_and_short_ones_are_not_looked_for() -> None:
    tokens = Tokens.of("may 7 and may 7 and may")
    assert propagated(tokens, [Found(0, 1, "DATE"), Found(1, 2, "AGE")]) == [Found(0, 1, "DATE"), Found(1, 2, "AGE")]


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(1, 4))))
def test_whatever_was_found_stays_hidden_and_nothing_is_found_twice(spans: list[tuple[int, int]]) -> None:
    tokens = Tokens.of("Ona Rask of Oslo met Ona Rask of Oslo met Rask")
    given_ = longest([Found(first, min(first + long, 11), "A") for first, long in spans if first < 11])
    before = {at for one in given_ for at in range(one.first, one.last)}
    after = [at for one in propagated(tokens, given_) for at in range(one.first, one.last)]
    assert len(after) == len(set(after))
    assert before <= set(after)
