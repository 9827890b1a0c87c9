"""Texts in windows of word pieces, as many as a model reads at once.

A window is written "length-overlap": "100-25" is 100 pieces, two of which mark the ends, of which 25 were in the window
before. "No" makes one window of every sentence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from showthrough.core.arrays import Bools, Ints, Ints32
from showthrough.core.errors import PlanError, ResourceError
from showthrough.models.files import guard_errors
from showthrough.models.prediction import positions

Sentences = Callable[[Sequence[str]], Iterable[Sequence[str]]]  # passages -> the sentences of each

ENDS = 2  # the pieces that mark a window's start and end
_WRITTEN = re.compile(r"(\d+)-(\d+)")


@dataclass(frozen=True)
class Window:
    """How many pieces a window has, its ends counted, and how many of them it shares with the one before."""

    length: int
    overlap: int = 0

    @property
    def room(self) -> int:
        return self.length - ENDS

    def spans(self, pieces: int) -> list[tuple[int, int]]:
        """Where windows start and end in a text of so many pieces: all of it, and no window inside another.

        >>> Window(100, 25).spans(200)  # 98 pieces each, 73 further on each time
        [(0, 98), (73, 171), (146, 200)]
        >>> Window(100, 25).spans(0)
        []
        """
        if not pieces:
            return []
        further = self.room - self.overlap
        count = 1 + max(0, -(-(pieces - self.room) // further))
        return [(number * further, min(number * further + self.room, pieces)) for number in range(count)]


def parse_window(written: str, parameter: str = "sliding_window", longest: int | None = None) -> Window | None:
    """The window of its text form, for a model that takes `longest` pieces; `None` means sentences.

    >>> parse_window("512-128"), parse_window("No")
    (Window(length=512, overlap=128), None)
    """
    if written.lower() == "no":
        return None
    numbers = _WRITTEN.fullmatch(written)
    if not numbers:
        raise PlanError(f'{parameter}={written!r} is not known; expected "<length>-<overlap>" or "No" (sentences)')
    window = Window(int(numbers[1]), int(numbers[2]))
    if window.length <= ENDS:
        raise PlanError(f"{parameter}={written!r} is out of range; expected a length of {ENDS + 1} or more")
    if window.overlap >= window.room:
        raise PlanError(
            f"{parameter}={written!r} is out of range; expected an overlap of 0 to {window.room - 1}, so that "
            f"windows advance (two pieces of every window mark its ends)"
        )
    if longest is not None and window.length > longest:
        raise PlanError(f"{parameter}={written!r} is more than the base model takes; expected at most {longest} pieces")
    return window


@dataclass(frozen=True)
class TextWindows:
    """Many windows over one long array of pieces: no piece is stored twice, however much windows overlap."""

    pieces: Ints32
    start: Ints
    end: Ints
    owner: Ints  # the number of the text, or of the individual, that each belongs to

    def __len__(self) -> int:
        return len(self.start)

    def __getitem__(self, number: int) -> Ints32:
        return self.pieces[self.start[number] : self.end[number]]

    @property
    def lengths(self) -> Ints:
        return np.asarray(self.end - self.start + ENDS)

    def padded(self, numbers: Sequence[int], first: int, last: int, padding: int) -> tuple[Ints, Bools]:
        """Some windows as one table of pieces with their ends marked, and which of its cells hold a piece."""
        chosen = [self[number] for number in numbers]
        lengths = np.array([len(window) for window in chosen]) + ENDS
        ids = np.full((len(chosen), lengths.max(initial=0)), padding, dtype=np.int64)
        for row, window in zip(ids, chosen, strict=True):
            row[0], row[1 : len(window) + 1], row[len(window) + 1] = first, window, last
        return ids, np.arange(ids.shape[1]) < lengths[:, None]

    def canonical(self) -> list[int]:
        """The windows in an order that depends on what they say, not on where they stand."""
        return sorted(range(len(self)), key=lambda number: (self.end[number] - self.start[number], bytes(self[number])))


@dataclass
class Cutter:
    """Cuts texts, given as passages, into windows for one model."""

    tokenizer: Any
    window: Window | None
    longest: int
    block_size: int
    sentences: Sentences

    def cut(self, texts: Sequence[Sequence[str]], owners: Sequence[int]) -> TextWindows:
        """The windows of texts whose passages follow one another; of each sentence if there is no sliding window."""
        if self.window is None:
            owner_of_passage = [owner for text, owner in zip(texts, owners, strict=True) for _ in text]
            split = list(self.sentences([passage for text in texts for passage in text]))
            owners = [
                passage_owner
                for sentences, passage_owner in zip(split, owner_of_passage, strict=True)
                for _ in sentences
            ]
            texts = [[sentence] for sentences in split for sentence in sentences]
        window = self.window or Window(self.longest)  # a sentence that a model cannot take whole is cut, not lost
        pieces = list(self._pieces([passage for text in texts for passage in text]))
        lengths = map(len, pieces)
        rows, before = [], 0
        for text, owner in zip(texts, owners, strict=True):
            length = sum(islice(lengths, len(text)))
            rows += [(before + start, before + end, owner) for start, end in window.spans(length)]
            before += length
        start, end, owner_of_window = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return TextWindows(np.concatenate([np.zeros(0, dtype=np.int32), *pieces]), start, end, owner_of_window)

    def _pieces(self, passages: Sequence[str]) -> Iterator[Ints32]:
        for first in range(0, len(passages), self.block_size):
            block = list(passages[first : first + self.block_size])
            with guard_errors(_mute):
                piece_ids = self.tokenizer(block, add_special_tokens=False, verbose=False)["input_ids"]
            yield from (np.array(ids, dtype=np.int32) for ids in piece_ids)


def _mute(reason: str) -> ResourceError:
    return ResourceError(f"the attack 'transformer': the tokenizer of its base model fails: {reason}; check its files")


def longest_window(model_name: str, config: Any, tokenizer: Any) -> int:
    """How many pieces a model takes, ends counted."""
    longest = int(min(positions(config), tokenizer.model_max_length, 1 << 20))
    if longest <= ENDS:
        raise ResourceError(f"base_model_name={model_name!r} takes {longest} pieces; expected {ENDS + 1} or more")
    return longest
