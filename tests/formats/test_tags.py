"""Tokens in a text: those that are counted stand where those stand that are looked for."""

from __future__ import annotations

import random

import pytest

from showthrough import InputError
from showthrough.core.errors import Problem
from showthrough.formats.annotation_tools._tags import TokenOffsets, find_lines, locate_tokens, runs

_TOKENS = ("Mr", "Ann", ".", "é", "e\u0301", "😀", "#", "3", "x" * 9)
_GAPS = ("", " ", " ", " ", "\n", "  ", "\r\n", "\u3000", "\t")


def wrong(number: int, at: int) -> InputError:
    return InputError(Problem("", f"token {number}", f"at {at}"))


@pytest.mark.parametrize("seed", range(50))
def test_places_are_those_of_tokens_looked_for_one_by_one(seed: int) -> None:
    chance = random.Random(seed)
    tokens = chance.choices(_TOKENS, k=chance.randint(1, 12))
    text = chance.choice(_GAPS) + "".join(token + chance.choice(_GAPS) for token in tokens)
    expected = locate_tokens(tokens, text, wrong)
    places, quick = TokenOffsets(tokens, text, wrong), TokenOffsets.quick(tokens, text)
    assert quick is not None
    for first in range(len(tokens)):
        for last in range(first, len(tokens)):
            span = expected[first][0], expected[last][1]
            assert places.span(first, last) == quick.span(first, last) == span


def test_tokens_that_are_no_letters_are_looked_for() -> None:
    tokens, text = ["New York", "", "\n", "x"], "New York \n x"
    assert TokenOffsets.quick(tokens, text) is None
    assert TokenOffsets(tokens, text, wrong).span(2, 3) == (9, 12)


def test_a_token_that_is_not_there() -> None:
    with pytest.raises(InputError, match="token 1: at 4"):
        TokenOffsets(["Ann", "Lee"], "Ann Lea", wrong)
    assert TokenOffsets.quick(["Ann", "Lee"], "Ann Lea") is None


def test_o_ends_an_instance_and_so_does_another_type() -> None:
    tags = ["I-A", "O", "I-A", "I-A", "I-B", "B-B", "O"]
    assert list(runs(tags, wrong)) == [(0, 1, "A"), (2, 4, "A"), (4, 5, "B"), (5, 6, "B")]  # type: ignore[arg-type]


def test_lines_with_signs_have_their_numbers_and_places() -> None:
    content = "# a\nx #\n\n-b\n#\ny"
    assert [tuple(line) for line in find_lines(content, "#-")] == [(1, 0, "# a"), (4, 9, "-b"), (5, 12, "#")]
    assert all(content[line.start : line.end - 1] == line.text for line in find_lines(content, "#-"))
