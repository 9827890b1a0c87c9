"""A guesser that is a masked language model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from showthrough.core.patterns import lazy_pattern
from showthrough.families.reconstruction.guessers import Guess, GuessCase, Guesses, Words, choose
from showthrough.families.reconstruction.slots import Slot
from showthrough.models._mask_filling import Gap, MaskFiller

_WORD = lazy_pattern(r"[^\W_]+")
_AROUND = 120  # characters on each side whose words are tried
_WORDS = 12  # that are tried, the nearest first
_SHOWN = 4
_LEAST = 1e-6  # what a text has that is not among the likeliest


class Filler:
    """`masked-lm:MODEL`. It reads the text around a slot, and of a placeholder the length alone."""

    reads = True

    def __init__(self, filler: MaskFiller) -> None:
        self._filler = filler

    def guess(self, cases: Sequence[GuessCase]) -> list[Guesses | None]:
        gaps = [_gap(case.text, slot) for case in cases for slot in case.slots]
        filled = iter(self._filler.fill(gaps))
        return [[choose(next(filled), slot) for slot in case.slots] for case in cases]

    def explain(self, case: GuessCase, slot: Slot, guess: Guess) -> Words:
        """The words without which the guess is less likely: how much ln p falls where a word is hidden too."""
        gap = _gap(case.text, slot)
        variants = [*_without_words(gap, self._filler.predictor.tokenizer.mask_token)]
        filled = [dict(texts) for texts in self._filler.fill([gap, *(variant for _, variant in variants)])]
        whole, *others = (math.log(max(texts.get(guess.text, 0.0), _LEAST)) for texts in filled)
        weights = [(word, whole - other) for (word, _), other in zip(variants, others, strict=True) if whole > other]
        return sorted(weights, key=lambda pair: (-pair[1], pair[0]))[:_SHOWN]


def _gap(text: str, slot: Slot) -> Gap:
    return Gap(text[: slot.start], text[slot.end :])


def _without_words(gap: Gap, mask: str) -> Iterator[tuple[str, Gap]]:
    """Each of the nearest words, and the gap where a mask token stands in its place."""
    low = max(0, len(gap.before) - _AROUND)
    before = [match.span() for match in _WORD.finditer(gap.before, low)]
    behind = [match.span() for match in _WORD.finditer(gap.behind, 0, _AROUND)]
    near = [(len(gap.before) - end, 0, start, end) for start, end in before]
    near += [(start, 1, start, end) for start, end in behind]
    for _, side, start, end in sorted(near)[:_WORDS]:
        text = gap[side]
        hidden = f"{text[:start]}{mask}{text[end:]}"
        yield text[start:end], Gap(gap.before, hidden) if side else Gap(hidden, gap.behind)
