"""Windows of word pieces: lengths, overlaps, sentences, and nothing lost."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import PlanError, ResourceError
from showthrough.families.reidentification.attacks.tri.windows import (
    Cutter,
    TextWindows,
    Window,
    longest_window,
    parse_window,
)


def by_letters(texts: list[str], **_options: Any) -> dict[str, list[list[int]]]:
    """A tokenizer for which every letter is a piece."""
    return {"input_ids": [[ord(letter) for letter in text] for text in texts]}


def by_full_stops(passages: Any) -> list[list[str]]:
    return [[f"{part}." for part in passage.split(".") if part] for passage in passages]


def cutter(window: Window | None, longest: int = 512, block_size: int = 250) -> Cutter:
    return Cutter(by_letters, window, longest, block_size, by_full_stops)


def read(windows: TextWindows) -> list[tuple[int, str]]:
    return [(int(windows.owner[number]), "".join(map(chr, windows[number]))) for number in range(len(windows))]


@pytest.mark.parametrize(
    ("written", "expected"),
    [("512-128", Window(512, 128)), ("100-25", Window(100, 25)), ("3-0", Window(3, 0)), ("No", None), ("no", None)],
)
def test_written_windows(written: str, expected: Window | None) -> None:
    assert parse_window(written) == expected


@pytest.mark.parametrize("written", ["", "100", "100-", "-25", "100-25-1", "yes", "None", "100 - 25", "2-0", "100-98"])
def test_windows_that_make_no_sense(written: str) -> None:
    with pytest.raises(PlanError, match="finetuning_sliding_window"):
        parse_window(written, "finetuning_sliding_window")


def test_spans_by_hand() -> None:
    window = Window(7, 2)  # room for 5, so 3 further on each time
    assert window.spans(0) == []
    assert window.spans(1) == [(0, 1)]
    assert window.spans(5) == [(0, 5)]  # just full: no second window with nothing new in it
    assert window.spans(6) == [(0, 5), (3, 6)]
    assert window.spans(8) == [(0, 5), (3, 8)]
    assert window.spans(9) == [(0, 5), (3, 8), (6, 9)]


@given(st.integers(3, 40), st.data(), st.integers(0, 300))
def test_windows_cover_a_text_and_say_something_new(length: int, data: st.DataObject, pieces: int) -> None:
    overlap = data.draw(st.integers(0, length - 3))
    spans = Window(length, overlap).spans(pieces)
    assert {place for start, end in spans for place in range(start, end)} == set(range(pieces))
    assert all(0 < end - start <= length - 2 for start, end in spans)
    for (_, end), (start, next_end) in pairwise(spans):
        assert end - start == overlap
        assert next_end > end


def test_passages_of_a_text_run_on() -> None:
    windows = cutter(Window(6, 1)).cut([["abc", "", "defg"], [], ["hi"]], [7, 8, 9])  # room for 4, 3 further on
    assert read(windows) == [(7, "abcd"), (7, "defg"), (9, "hi")]
    assert windows.lengths.tolist() == [6, 6, 4]


@pytest.mark.parametrize("block_size", [1, 2, 250])
def test_blocks_do_not_show(block_size: int) -> None:
    texts = [["abc", "defg"], ["hi", "jk", "lmnopq"]]
    assert read(cutter(Window(6, 1), block_size=block_size).cut(texts, [0, 1])) == read(
        cutter(Window(6, 1)).cut(texts, [0, 1])
    )


def test_no_window_means_sentences() -> None:
    windows = cutter(None).cut([["ab.cde.", "f."], ["gh."]], [0, 1])
    assert read(windows) == [(0, "ab."), (0, "cde."), (0, "f."), (1, "gh.")]


def test_a_sentence_too_long_for_the_model_is_cut_and_kept() -> None:
    assert read(cutter(None, longest=5).cut([["abcdefg.h."]], [0])) == [(0, "abc"), (0, "def"), (0, "g."), (0, "h.")]


def test_ends_and_padding() -> None:
    windows = cutter(Window(6, 1)).cut([["abcd"], ["e"]], [0, 1])
    pieces, present = windows.padded([1, 0], first=1, last=2, padding=9)
    assert pieces.tolist() == [[1, ord("e"), 2, 9, 9, 9], [1, *map(ord, "abcd"), 2]]
    assert present.tolist() == [[True] * 3 + [False] * 3, [True] * 6]


def test_no_texts_no_windows() -> None:
    assert len(cutter(Window(6, 1)).cut([], [])) == 0
    assert len(cutter(None).cut([[]], [0])) == 0


@given(st.lists(st.text("ab", min_size=1, max_size=8), max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_windows_is_their_own(texts: list[str], random: Any) -> None:
    shuffled = random.sample(texts, len(texts))
    sides = []
    for side in (texts, shuffled):
        windows = cutter(Window(20)).cut([[text] for text in side], range(len(side)))
        sides.append([windows[number].tolist() for number in windows.canonical()])
    assert sides[0] == sides[1]


def test_what_a_model_takes() -> None:
    tokenizer = SimpleNamespace(model_max_length=int(1e30))
    bert = SimpleNamespace(model_type="bert", max_position_embeddings=512, pad_token_id=0)
    roberta = SimpleNamespace(model_type="roberta", max_position_embeddings=514, pad_token_id=1)
    assert longest_window("bert", bert, tokenizer) == 512
    assert longest_window("roberta", roberta, tokenizer) == 512  # two positions are the padding's
    assert longest_window("bert", bert, SimpleNamespace(model_max_length=256)) == 256


def test_a_window_longer_than_the_model_takes() -> None:
    assert parse_window("64-8", longest=64) == Window(64, 8)
    assert parse_window("No", longest=64) is None
    with pytest.raises(PlanError, match=r"pretraining_sliding_window='512-128' .* at most 64"):
        parse_window("512-128", "pretraining_sliding_window", 64)


def test_no_piece_is_stored_twice() -> None:
    windows = cutter(Window(10, 7)).cut([["x" * 1000]], [0])
    assert len(windows) > 900
    assert len(windows.pieces) == 1000
    assert windows.pieces.dtype == np.int32


def test_a_tokenizer_that_fails() -> None:
    def broken(texts: list[str], **_options: Any) -> dict[str, list[list[int]]]:
        raise Exception("Missing [UNK] token from the vocabulary")

    with pytest.raises(ResourceError, match=r"tokenizer of its base model fails: Missing \[UNK\] token"):
        Cutter(broken, Window(9), 512, 250, by_full_stops).cut([["x"]], [0])
