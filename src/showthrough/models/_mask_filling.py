"""What a masked language model puts into a gap of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import nlargest
from itertools import product
from typing import NamedTuple

import numpy as np

from showthrough.core.patterns import lazy_pattern
from showthrough.models._masked_lm import MaskedLanguageModel
from showthrough.models.cache import Arrays, question
from showthrough.models.files import guard_errors
from showthrough.models.prediction import Predictor
from showthrough.models.settings import share_of

VERSION = 1  # of the answers; rises when one could change
PIECES = 3  # that a gap may have, at most
_BEST = 20  # pieces of a place that are looked at
_COMBINED = {1: 20, 2: 20, 3: 8}  # of them, by the number of places, those that are put together
_KEPT = 60  # texts for a gap
_PIECES_AROUND = 126  # of the text, on both sides together
_CHARACTERS = 1500  # on each side that are cut into pieces
_BLOCK = 512  # gaps whose answers are stored together: what a stop can lose
_WORD = lazy_pattern(r"[^\W_]")
_CONTINUED = "##"  # before a piece that goes on with a word, in models of BERT's make


class Gap(NamedTuple):
    """The text on both sides of a place where something is hidden."""

    before: str
    behind: str


class MaskFiller(MaskedLanguageModel):
    """Fills gaps of one to three word pieces.

    Nobody knows how many pieces the hidden text has: all numbers are tried, and count as equally likely. All pieces of
    a gap are guessed at once. The probability of a text is the product over its pieces.
    """

    packs = False

    def fill(self, gaps: Sequence[Gap]) -> list[list[tuple[str, float]]]:
        """For every gap what may stand there, with its probability, the likeliest first."""
        near = [Gap(gap.before[-_CHARACTERS:], gap.behind[:_CHARACTERS]) for gap in gaps]
        names = [question("gap", VERSION, self.identity, *gap) for gap in near]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [near[index] for index in indices[first : first + _BLOCK]]
                tell = share_of(self.watch, self.role.what, first, len(block), len(indices))
                with guard_errors(self.role.failure_error):
                    yield from _ask(self.predictor, block)
                tell(1.0)

        entries = self.cache.through(names, answer)
        return [self._texts(entry["ids"].tolist(), entry["logs"].tolist()) for entry in entries]

    def _texts(self, ids: list[list[int]], logs: list[list[float]]) -> list[tuple[str, float]]:
        """What pieces make together; texts without a letter or digit are none."""
        tokenizer = self.predictor.tokenizer
        special = frozenset(tokenizer.all_special_ids)
        probabilities: dict[str, float] = {}
        first = 0
        for count in range(1, PIECES + 1):
            places = [
                [(piece, log) for piece, log in zip(*row, strict=True) if piece not in special][: _COMBINED[count]]
                for row in zip(ids[first : first + count], logs[first : first + count], strict=True)
            ]
            first += count
            together = nlargest(_KEPT, product(*places), key=lambda pieces: sum(log for _, log in pieces))
            for pieces in together:
                tokens = tokenizer.convert_ids_to_tokens([piece for piece, _ in pieces])
                text = " ".join(tokenizer.convert_tokens_to_string(tokens).split())
                if _WORD.search(text) and not tokens[0].startswith(_CONTINUED):
                    probability = float(np.exp(sum(log for _, log in pieces))) / PIECES
                    probabilities[text] = probabilities.get(text, 0.0) + probability
        return sorted(probabilities.items(), key=lambda pair: (-pair[1], pair[0]))[:_KEPT]


def _ask(predictor: Predictor, gaps: Sequence[Gap]) -> Iterator[Arrays]:
    """The best pieces of every place, for gaps of one piece, of two, and so on."""
    tokenizer = predictor.tokenizer
    sides = tokenizer([side for gap in gaps for side in gap], add_special_tokens=False, verbose=False)["input_ids"]
    room = min(_PIECES_AROUND, predictor.longest - 2 - PIECES)
    rows = []
    for before, behind in zip(sides[::2], sides[1::2], strict=True):
        left = before[-max(room // 2, room - len(behind)) :]
        right = behind[: room - len(left)]
        rows += [predictor.row_with_gap(left, right, count) for count in range(1, PIECES + 1)]
    proposals = predictor.propose(rows, _BEST, 2 + room + PIECES)
    for first in range(0, len(rows), PIECES):
        of_gap = proposals[first : first + PIECES]
        yield {
            key: np.concatenate([proposal[index] for proposal in of_gap]) for index, key in enumerate(("ids", "logs"))
        }
