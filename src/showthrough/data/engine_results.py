"""Makes masks of the originals from the results of Presidio's anonymizer (`EngineResult`).

Its items have the offsets of the anonymized text, so the original has to tell where they were (see `placement`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Protocol

from showthrough.core.errors import QUOTED, InputError, quote_value
from showthrough.data.masks import Mask, typed_mask
from showthrough.data.placement import NoPlacementError, Placement, place_pieces

Fail = Callable[[str, str], InputError]  # of what is wrong, and the field that it is wrong with


class EngineItem(Protocol):
    """One replacement in an anonymized text."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def entity_type(self) -> str: ...
    @property
    def text(self) -> str | None: ...  # what stands there now, where it is said
    @property
    def operator(self) -> str | None: ...
    @property
    def score(self) -> float | None: ...  # how sure the analyzer was, where it is said


class EngineResults:
    """Makes masks of results, and counts what there is to say of them."""

    def __init__(self) -> None:
        self._several = self._unsure = self._kept = 0

    def masks(self, original: str, released: str, items: Sequence[EngineItem], fail: Fail) -> list[Mask]:
        """Raises what `fail` makes of a fault."""
        ordered = _in_order(released, items, fail)
        masked = [item for item in ordered if item.operator != "keep"]
        self._kept += len(ordered) - len(masked)
        ends = [0, *(item.end for item in masked)]
        starts = [*(item.start for item in masked), len(released)]
        pieces = [released[end:start] for end, start in zip(ends, starts, strict=True)]
        placement = _same_length(original, masked, pieces) or _place_pieces(original, pieces, fail)
        self._several += placement.several
        # Where one placement keeps a word, nobody may call it hidden.
        readable = {
            index
            for start, end in _join_spans(placement.doubtful)
            for index in range(start, end)
            if original[index].isalnum()
        }
        self._unsure += bool(readable)
        pairs = zip(masked, placement.spans, strict=True)
        return [mask for item, span in pairs for mask in _readable_masks(item, released, span, readable)]

    @property
    def notes(self) -> list[str]:
        """What there is to say once all were made, a sentence each."""
        notes = []
        if self._several:
            documents = "1 document" if self._several == 1 else f"{self._several} documents"
            notes.append(
                f"in {documents} the anonymized text does not tell where one mask ends and the next "
                f"starts, and in {self._unsure} of them not which of equal words was kept: all such count as readable"
            )
        if self._kept:
            notes.append(f"left as they are (operator keep), and so no masks: {self._kept} of the items")
        return notes


def _in_order(released: str, items: Sequence[EngineItem], fail: Fail) -> list[EngineItem]:
    """The items as they stand in the text, which they must fit."""
    end = 0
    order = sorted(range(len(items)), key=lambda number: (items[number].start, items[number].end))
    for number in order:
        item, field = items[number], f"items[{number}]"
        span = f"{item.start}–{item.end}"
        if not end <= item.start <= item.end <= len(released):
            raise fail(f"{span} is not in what is left of the anonymized text ({end}–{len(released)})", field)
        written = released[item.start : item.end]
        if item.text is not None and item.text != written:
            actual, expected = quote_value(written, QUOTED // 2), quote_value(item.text, QUOTED // 2)
            raise fail(f"the text at {span} is {actual} but the item says {expected}", field)
        end = item.end
    return [items[number] for number in order]


def _same_length(original: str, masked: Sequence[EngineItem], pieces: Sequence[str]) -> Placement | None:
    """Where every mask is a character a character, it is where it was."""
    spans = [(item.start, item.end) for item in masked]
    ends, starts = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(original)]
    same = all(item.operator == "mask" for item in masked) and all(
        original[end:start] == piece for end, start, piece in zip(ends, starts, pieces, strict=True)
    )
    return Placement(spans, [], several=False) if same else None


def _place_pieces(original: str, pieces: Sequence[str], fail: Fail) -> Placement:
    try:
        return place_pieces(original, pieces)
    except NoPlacementError as error:
        fault = f"{quote_value(pieces[error.piece])} stands between masks, and the original has no place for it"
        raise fail(f"{fault}; expected the answer to it", "text") from None


def _join_spans(spans: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The same characters in spans that do not overlap: a long piece may have places at every step."""
    end = 0
    for low, high in sorted(spans):
        if high > end:
            yield max(low, end), high
            end = high


def _readable_masks(item: EngineItem, released: str, span: tuple[int, int], readable: set[int]) -> list[Mask]:
    """The mask of an item, less what may be readable; what is put there stands at its start."""
    replacement = released[item.start : item.end] or None
    if not readable or readable.isdisjoint(range(*span)):
        return [typed_mask(*span, replacement, item.entity_type, item.score)]
    masks: list[Mask] = []
    for gone, indices in groupby(range(*span), lambda index: index not in readable):
        if gone:
            run = list(indices)
            written = None if masks else replacement
            masks.append(typed_mask(run[0], run[-1] + 1, written, item.entity_type, item.score))
    return masks
