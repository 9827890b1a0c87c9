"""Where kept pieces stand in an original, against all placements that there are."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from showthrough.data.engine_results import NoPlacementError, place_pieces

PIECES = st.lists(st.text("ab ", max_size=3), min_size=1, max_size=4)


def all_placements(original: str, kept: list[str]) -> list[list[tuple[int, int]]]:
    """The spans between the pieces, of every placement: tried out one by one."""

    def rest(number: int, end: int) -> list[list[tuple[int, int]]]:
        if number == len(kept):
            return [[]] if end == len(original) else []
        places = [at for at in range(end + 1, len(original) + 1) if original.startswith(kept[number], at)]
        return [[(end, at), *more] for at in places for more in rest(number + 1, at + len(kept[number]))]

    return rest(1, len(kept[0])) if original.startswith(kept[0]) else []


def characters(spans: list[tuple[int, int]]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


@given(PIECES, st.lists(st.text("ab ", min_size=1, max_size=3), min_size=3, max_size=3), st.booleans())
@example(["", ""], ["a", "a", "a"], False)
def test_of_all_placements_one_and_what_others_keep(kept: list[str], masked: list[str], spoilt: bool) -> None:
    original = kept[0] + "".join(gone + piece for gone, piece in zip(masked, kept[1:], strict=False))
    kept = [*kept[:-1], kept[-1] + "a"] if spoilt else kept
    every = all_placements(original, kept)
    if not every:
        with pytest.raises(NoPlacementError):
            place_pieces(original, kept)
        return
    found = place_pieces(original, kept)
    assert found.spans in every
    assert found.several is (len(every) > 1)
    sure = set.intersection(*map(characters, every))  # masked in all of them
    assert characters(found.spans) - characters(found.doubtful) == sure


@pytest.mark.parametrize(
    ("original", "kept", "piece"),
    [
        ("Mr Doe left.", ["Mrs ", " left."], 0),
        ("Mr Doe left.", ["Mr ", " went."], 1),
        ("Mr Doe left.", ["Mr ", " of ", " left."], 1),
        ("Mr Doe left.", ["Mr Doe", " left."], 1),  # nothing is masked between them
        ("Mr Doe left.", ["Mr Doe"], 0),
    ],
)
def test_what_is_not_there(original: str, kept: list[str], piece: int) -> None:
    with pytest.raises(NoPlacementError) as caught:
        place_pieces(original, kept)
    assert caught.value.piece == piece


def test_masks_start_and_end_where_words_do() -> None:
    found = place_pieces("mans (an) Ann", ["", "an", ""])  # not m[an]s
    assert found.spans == [(0, 6), (8, 13)]
    assert found.doubtful == [(1, 3), (6, 8)]


def test_many_places_are_too_many() -> None:
    with pytest.raises(NoPlacementError):
        place_pieces(" " * 30_000, ["", " ", " ", ""])
