"""Makes masks of the originals from the results of Presidio's anonymizer (`EngineResult`).

Its items have the offsets of the anonymized text, so the original has to tell where they were (see `Placement`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple, Protocol

from showthrough.core.errors import QUOTED, InputError, quote_value
from showthrough.data.masks import Mask, typed_mask

# A placement says where the masks of an anonymized text were: its replacements are known, and all else stands in
# the original.

_MOST = 10_000  # places of all kept pieces together that are looked at


class Placement(NamedTuple):
    """What was masked: the span of every replacement, and places that another placement of the same pieces keeps."""

    spans: list[tuple[int, int]]
    doubtful: list[tuple[int, int]]
    several: bool  # whether the pieces could be elsewhere too


class NoPlacementError(ValueError):
    """The text between the replacements is not in the original. `piece` is the number of what was not found."""

    def __init__(self, piece: int) -> None:
        super().__init__(f"piece {piece}")
        self.piece = piece


def place_pieces(original: str, pieces: Sequence[str]) -> Placement:
    """The spans between the kept pieces, one fewer than there are pieces; raises NoPlacementError.

    >>> place_pieces("Mr John Doe of Oslo left.", ["Mr ", " of ", " left."]).spans
    [(3, 11), (15, 19)]
    >>> place_pieces("Ann Lee 3 May", ["", " ", ""])  # which of the spaces was kept?
    Placement(spans=[(0, 3), (4, 13)], doubtful=[(3, 4), (7, 8), (9, 10)], several=True)
    """
    if len(pieces) == 1:
        if original != pieces[0]:
            raise NoPlacementError(0)
        return Placement([], [], several=False)
    first, last = _leftmost(original, pieces), _rightmost(original, pieces)
    if first == last:
        return Placement(_between(first, pieces), [], several=False)
    choices = _choices(original, pieces, first, last)
    starts = _best(original, pieces, choices)
    ways = zip(choices, pieces, strict=True)
    doubtful = [
        (start, start + len(piece)) for positions, piece in ways if len(positions) > 1 and piece for start in positions
    ]
    return Placement(_between(starts, pieces), doubtful, several=True)


def _between(starts: Sequence[int], pieces: Sequence[str]) -> list[tuple[int, int]]:
    ends = [start + len(piece) for start, piece in zip(starts, pieces, strict=True)]
    return list(zip(ends[:-1], starts[1:], strict=True))


def _leftmost(original: str, pieces: Sequence[str]) -> list[int]:
    """Each piece as far to the left as it goes, with at least a character before it that was masked."""
    if not original.startswith(pieces[0]):
        raise NoPlacementError(0)
    starts = [0]
    end = len(pieces[0])
    for number, piece in enumerate(pieces[1:], 1):
        start = original.find(piece, end + 1)
        if start < 0 or end >= len(original):
            raise NoPlacementError(number)
        starts.append(start)
        end = start + len(piece)
    at_end = len(original) - len(pieces[-1])
    if not original.endswith(pieces[-1]) or at_end < starts[-1]:
        raise NoPlacementError(len(pieces) - 1)
    return [*starts[:-1], at_end]


def _rightmost(original: str, pieces: Sequence[str]) -> list[int]:
    """Each as far to the right; the leftmost exist, so these do."""
    starts = [len(original) - len(pieces[-1])]
    for piece in reversed(pieces[1:-1]):
        starts.append(original.rfind(piece, 0, starts[-1] - 1))
    return [0, *reversed(starts)]


def _choices(original: str, pieces: Sequence[str], first: Sequence[int], last: Sequence[int]) -> list[list[int]]:
    """All places of each piece: whatever lies between its leftmost and its rightmost leaves room for the others."""
    choices = []
    left = _MOST
    for number, (piece, low, high) in enumerate(zip(pieces, first, last, strict=True)):
        positions = []
        start = low
        while 0 <= start <= high:
            positions.append(start)
            start = original.find(piece, start + 1)
        left -= len(positions)
        if left < 0:
            raise NoPlacementError(number)
        choices.append(positions)
    return choices


def _best(original: str, pieces: Sequence[str], choices: Sequence[Sequence[int]]) -> list[int]:
    """Of all placements that whose masks start and end where words do, most of them; the leftmost among equals."""
    costs: list[list[int]] = [[0] * len(choices[0])]
    chosen: list[list[int]] = [[-1] * len(choices[0])]
    for number in range(1, len(choices)):
        before, length = choices[number - 1], len(pieces[number - 1])
        reach, best = 0, -1
        cost_row, chosen_row = [], []
        for start in choices[number]:
            while reach < len(before) and before[reach] + length < start:
                closing = costs[-1][reach] + _ragged_start(original, before[reach] + length)
                if best < 0 or closing < costs[-1][best] + _ragged_start(original, before[best] + length):
                    best = reach
                reach += 1
            base = costs[-1][best] + _ragged_start(original, before[best] + length)
            cost_row.append(base + _ragged_end(original, start))
            chosen_row.append(best)
        costs.append(cost_row)
        chosen.append(chosen_row)
    at = 0  # the last piece has one place
    starts = []
    for number in range(len(choices) - 1, -1, -1):
        starts.append(choices[number][at])
        at = chosen[number][at]
    return starts[::-1]


def _ragged_start(text: str, start: int) -> int:
    """Whether a mask would start with a space, or inside a word."""
    inside = 0 < start < len(text) and text[start - 1].isalnum() and text[start].isalnum()
    return inside + text[start : start + 1].isspace()


def _ragged_end(text: str, end: int) -> int:
    inside = 0 < end < len(text) and text[end - 1].isalnum() and text[end].isalnum()
    return inside + text[end - 1 : end].isspace()


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
    def text(self) -> str | None: ...  # what is there now, where it is said
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
                f"in {documents} the anonymized text does not show where one mask ends and the next starts. In "
                f"{self._unsure} of them it does not show which of several equal words was kept: all of these count "
                f"as readable"
            )
        if self._kept:
            notes.append(f"items kept as they are (operator keep), which are not masks: {self._kept}")
        return notes


def _in_order(released: str, items: Sequence[EngineItem], fail: Fail) -> list[EngineItem]:
    """The items as they are in the text, which they must fit."""
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
        fault = f"{quote_value(pieces[error.piece])} is between masks, and the original has no place for it"
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
