"""GLAD's features, against plain loops and by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.families.authorship.verifiers._glad import FEATURES, TOPS, laid_out, style
from showthrough.families.authorship.verifiers.base import Question

from .conftest import written

TEXTS = st.text(alphabet=st.sampled_from("aabbc ABC.,!?;:-'\n\r\ufeffé😀\u2029"), max_size=80)


def told(known: tuple[str, ...], text: str) -> dict[str, float]:
    return dict(zip(FEATURES, style(Question(known, text)).tolist(), strict=True))


def by_loops(one: str, other: str, n: int, top: int) -> tuple[float, int]:
    """As the definition reads."""
    spaced = [" ".join(text.replace("\ufeff", "").split()) for text in (one, other)]
    counts = [Counter(text[at : at + n] for at in range(len(text) - n + 1)) for text in spaced]
    tops = [sorted(each, key=lambda gram: (-each[gram], gram))[:top] for each in counts]
    total = 0.0
    for gram in set(tops[0]) | set(tops[1]):
        first, second = (each[gram] / each.total() if each else 0.0 for each in counts)
        total += (2 * (first - second) / (first + second)) ** 2
    return total, len(set(tops[0]) & set(tops[1]))


def test_there_are_24() -> None:
    assert len(FEATURES) == len(set(FEATURES)) == 24
    assert style(Question(("One.",), "Two.")).shape == (24,)


@given(st.lists(TEXTS, max_size=3), TEXTS)
def test_never_nan(known: list[str], text: str) -> None:
    assert np.isfinite(style(Question(tuple(known), text))).all()


@pytest.mark.parametrize("text", ["", "word", "\n\n\n", ".", "!" * 50_000 + "x", " " * 50_000, "Aa" * 50_000, "\ud800"])
def test_odd_texts(text: str) -> None:
    assert np.isfinite(style(Question((text, "Some words."), text))).all()


def test_more_characters_than_codes_have_room_for() -> None:
    """Each character once: five of them are more than one number can tell apart."""
    wide = "".join(map(chr, range(0x4E00, 0x4E00 + 20_000)))
    found = told((wide,), wide)
    assert (found["dissimilarity 5"], found["intersection 5"]) == (0.0, 500)


@given(TEXTS, TEXTS)
def test_profiles_are_those_of_the_definition(one: str, other: str) -> None:
    found = told((one,), other)
    for n, top in enumerate(TOPS, 1):
        dissimilarity, intersection = by_loops(one, other, n, top)
        assert found[f"dissimilarity {n}"] == pytest.approx(dissimilarity)
        assert found[f"intersection {n}"] == intersection


def test_profiles_of_long_texts() -> None:
    one, other = written(1, 1, 60), written(2, 1, 60)
    found = told((one,), other)
    for n, top in enumerate(TOPS, 1):
        assert (found[f"dissimilarity {n}"], found[f"intersection {n}"]) == pytest.approx(by_loops(one, other, n, top))


def test_by_hand() -> None:
    found = told(("Aa bb.\nCc.\n",), "Aa!\nBb bb.\n")
    # Known: Aa bb . Cc . (5 tokens), unknown: Aa ! Bb bb . (5 tokens); two sentences each, the last line empty.
    assert found["sentence length known"] == found["sentence length unknown"] == 5 / 2
    assert found["sentence length difference"] == 0
    # 4 kinds of tokens, one of them twice; and five once each.
    assert found["entropy known"] == pytest.approx(3 * 0.2 * np.log2(5) + 0.4 * np.log2(2.5))
    assert found["entropy unknown"] == pytest.approx(np.log2(5))
    assert found["entropy difference"] == pytest.approx(found["entropy unknown"] - found["entropy known"])
    # Together: . thrice, Aa and bb twice, Cc, ! and Bb once, of ten.
    shares = np.array([3, 2, 2, 1, 1, 1]) / 10
    assert found["joint entropy"] == pytest.approx(-(shares * np.log2(shares)).sum())
    # Aa 1·1, bb 1·1, . 2·1, over the lengths √7 and √5.
    assert found["tokens"] == pytest.approx(4 / np.sqrt(35))
    # Marks: two full stops of 11 characters, against one ! and one full stop.
    assert found["punctuation"] == pytest.approx(1 / np.sqrt(2))
    # Lines: . . and nothing, against ! . and nothing.
    assert found["line endings"] == pytest.approx(1 / np.sqrt(2))
    # Two sentences, five words and one blank of three lines, on both sides.
    assert found["line statistics"] == pytest.approx(1)
    # Capitals: 2 for 4 small ones and 2 of 11 characters, against 2 for 4 of 11.
    assert found["letter case"] == pytest.approx(abs(2 / 4 - 2 / 4 + 2 / 11 - 2 / 11))
    # One block of three lines and 11 characters on both sides.
    assert found["text blocks"] == 0


def test_blocks() -> None:
    # Blocks "a" and "bcd\ne" (1 and 2 lines, 1 and 5 characters) against "a" and "b\nc" (1.5 lines, 2 characters).
    assert told(("a\n\nbcd\ne",), "a\n\nb\nc")["text blocks"] == pytest.approx(abs((1.5 + 3) - (1.5 + 2)))


def test_several_known_texts_are_the_mean() -> None:
    one, two, text = written(1, 1), written(2, 1), written(3, 1)
    both, first, second = (style(Question(known, text)) for known in ((one, two), (one,), (two,)))
    linear = [FEATURES.index(name) for name in ("dissimilarity 3", "intersection 5", "tokens", "joint entropy",
              "compression", "entropy known", "sentence length known")]  # fmt: skip
    assert both[linear] == pytest.approx((first + second)[linear] / 2)


def test_what_tells_of_the_file_alone_tells_nothing() -> None:
    known, text = (written(1, 1),), written(1, 2)
    marked = Question(("\ufeff" + known[0].replace("\n", "\r\n"),), "\ufeff" + text.replace("\n", "\r"))
    assert style(marked) == pytest.approx(style(Question(known, text)))


def test_a_lost_layout_changes_features_of_lines_alone() -> None:
    """Some programs write a text in one line; that must not pass for another author."""
    known, text = (written(1, 1),), written(1, 2)
    before, after = style(Question(known, text)), style(Question(known, " ".join(text.split())))
    differ = {name for name, one, other in zip(FEATURES, before, after, strict=True) if abs(one - other) > 1e-3}
    assert {"text blocks"} <= differ <= {"line endings", "line statistics", "text blocks"}
    assert laid_out(Question(known, text))
    assert not laid_out(Question(known, " ".join(text.split())))


def test_sentences_may_end_without_a_blank() -> None:
    joined = told(("x",), "It was so .Then it was not .But now it is.")
    spaced = told(("x",), "It was so . Then it was not . But now it is.")
    assert joined["sentence length unknown"] == spaced["sentence length unknown"] == 14 / 3
