"""Terms without strings: the same as counting strings one by one."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from hypothesis import given, strategies as st

from showthrough.families.reidentification.attacks._terms import TermView, TextWords

WORDS = TermView("words", False, 1, 1, 63)
PHRASES = TermView("phrases", False, 1, 3, 63)
PIECES = TermView("pieces", True, 3, 5, 63)
CERTAIN = 63  # bits that make two terms with one number next to impossible

texts = st.lists(st.text(alphabet="abA東é 1_.'İ\n", max_size=30), min_size=1, max_size=4)


def words_of(text: str) -> list[str]:
    """Runs of word characters, ideographs one by one, in small letters where that changes no length."""
    found = [piece for run in re.findall(r"\w+", text) for piece in re.findall("東|[^東]+", run)]
    return ["".join(c.lower() if len(c.lower()) == 1 else c for c in word) for word in found]


def terms_of(text: str, view: TermView) -> Counter[str]:
    words = words_of(text)
    found: Counter[str] = Counter()
    for size in range(view.low, view.high + 1):
        if view.characters:
            padded = [f" {word} " for word in words]
            found.update(word[low : low + size] for word in padded for low in range(len(word) - size + 1))
        else:
            found.update(" ".join(words[low : low + size]) for low in range(len(words) - size + 1))
    return found


@given(texts)
def test_as_many_of_each_term_as_strings_say(given_texts: list[str]) -> None:
    wording = TextWords(given_texts)
    for view in (WORDS, PHRASES, PIECES):
        found = wording.occurrences(view)
        for number, text in enumerate(given_texts):
            counted = Counter(found.term[found.text == number].tolist())
            assert sorted(counted.values()) == sorted(terms_of(text, view).values())


@given(texts)
def test_equal_terms_and_only_they_share_a_number(given_texts: list[str]) -> None:
    wording = TextWords(given_texts)
    for view in (WORDS, PHRASES, PIECES):
        distinct = set().union(*(terms_of(text, view) for text in given_texts))
        assert len(np.unique(wording.occurrences(view).term)) == len(distinct)


def test_numbers_do_not_depend_on_the_other_texts() -> None:
    alone = TextWords(["Sinop assize court"]).occurrences(PHRASES)
    after = TextWords(["something else before it", "Sinop assize court"]).occurrences(PHRASES)
    assert set(alone.term.tolist()) == set(after.term[after.text == 1].tolist())


def test_no_phrase_reaches_into_the_next_text() -> None:
    found = TextWords(["one two", "three"]).occurrences(PHRASES)
    assert Counter(found.words.tolist()) == {1: 3, 2: 1}  # one, two, three; one two


def test_capitals_and_their_small_letters_are_the_same() -> None:
    found = TextWords(["Doe DOE doe"]).occurrences(WORDS)
    assert len(set(found.term.tolist())) == 1


def test_pieces_take_in_one_edge_of_the_word() -> None:
    found = TextWords(["ab abc"]).occurrences(TermView("pieces", True, 4, 4, CERTAIN))
    # " ab " of the first word; " abc" and "abc " of the second.
    assert found.word.tolist() == [0, 1, 1]


def test_counts_are_a_matrix() -> None:
    wording = TextWords(["a b a", "", "b"])
    found = wording.counts(TermView("words", False, 1, 1, 20))
    assert (len(found), found.width) == (3, 1 << 20)
    assert sorted(found.dense().max(axis=0)[found.column].tolist()) == [1.0, 1.0, 2.0]
    assert np.diff(found.bound).tolist() == [2, 0, 1]


def test_texts_without_a_word() -> None:
    wording = TextWords(["", "…", " "])
    assert len(wording.occurrences(PHRASES).term) == 0
    assert wording.counts(TermView("words", False, 1, 1, 20)).data.size == 0


def test_words_and_passages_as_they_stand() -> None:
    wording = TextWords(["Mr. John  Doe, of", "Oslo"])
    assert [wording.word(number) for number in range(5)] == ["Mr", "John", "Doe", "of", "Oslo"]
    assert wording.passage(1, 3) == "John  Doe"
