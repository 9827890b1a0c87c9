"""The coins of a randomization test: whether a document changes sides, in every shuffle."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from showthrough.statistics.forms import Array

_CELLS = 1_000_000  # coins of one block that are held at once: 8 MB
_BLOCK = 256  # shuffles that are tossed for at once
_EACH = 64  # shuffles that a generator tosses for, where there are several blocks of documents


class Tosses(NamedTuple):
    """The coins of some shuffles: `of` a block, by its number and its documents, those of some shuffles at a time."""

    shuffles: int
    of: Callable[[int, int], Iterator[tuple[slice, Array]]]


def tosses(documents: int, shuffles: int, seed: int, once: bool, most: int) -> Iterator[Tosses]:
    """All shuffles, at most so many together; `once`: all documents are in one block.

    Coins of several blocks are those of a generator for each block and each few shuffles, so that blocks can be asked
    for over and over, and how many shuffles go together moves no coin.
    """
    most = max(1, most)
    if once:
        for flips in coins(documents, shuffles, seed):
            for first in range(0, len(flips), most):
                batch = flips[first : first + most]
                yield Tosses(len(batch), partial(_yield_flips, batch))
        return
    most = max(_EACH, most // _EACH * _EACH)
    for first in range(0, shuffles, most):
        numbers = range(first, min(first + most, shuffles))
        yield Tosses(len(numbers), partial(_toss_blocks, seed, numbers))


def coins(documents: int, shuffles: int, seed: int) -> Iterator[Array]:
    """1 where a document's rows are exchanged, 0 where they stay: blocks of shuffles × documents."""
    random = np.random.default_rng(seed)
    block = max(1, min(_BLOCK, _CELLS // max(documents, 1)))
    for start in range(0, shuffles, block):
        yield _flip(random, min(block, shuffles - start), documents)


def _yield_flips(flips: Array, number: int, documents: int) -> Iterator[tuple[slice, Array]]:
    yield slice(None), flips


def _toss_blocks(seed: int, shuffles: range, number: int, documents: int) -> Iterator[tuple[slice, Array]]:
    for first in range(shuffles.start, shuffles.stop, _EACH):
        size = min(_EACH, shuffles.stop - first)
        random = np.random.default_rng([seed, number, first])
        offset = first - shuffles.start
        yield slice(offset, offset + size), _flip(random, size, documents)


def _flip(random: np.random.Generator, shuffles: int, documents: int) -> Array:
    bits = np.unpackbits(random.integers(0, 256, (shuffles, -(-documents // 8)), dtype=np.uint8), axis=1)
    return bits[:, :documents].astype(np.float64)
