"""What of a document was written anew: passages of a rewriting, sentences of anything else."""

from __future__ import annotations

from hypothesis import given, strategies as st

from showthrough import Anonymization, Document, Mask
from showthrough.axis.sentences import sentence_spans
from showthrough.data.masks import Rewriting, apply_masks
from showthrough.metrics.authorship.passages import passages

TEXT = "One came. Two saw! \n Three won?\nFour"


def test_of_a_rewriting_they_are_those_that_were_handed_in() -> None:
    """Neither cut at sentences nor joined; in the order of the original, and a passage that is gone is empty."""
    made = Rewriting({"a": [Mask(21, 31), Mask(0, 18, "Someone came. Another saw!")]})
    assert passages(Document("a", TEXT), made) == [(0, 18, "Someone came. Another saw!"), (21, 31, "")]
    assert passages(Document("b", TEXT), made) == []


def test_untouched_sentences_are_passages_too() -> None:
    found = passages(Document("a", TEXT), Anonymization({}))
    assert [one.written for one in found] == ["One came. ", "Two saw! \n ", "Three won?\n", "Four"]


def test_a_mask_over_an_end_joins_sentences() -> None:
    found = passages(Document("a", TEXT), Anonymization({"a": [Mask(4, 13, "X"), Mask(14, 22, "Y")]}))
    assert found == [(0, 32, "One X Yhree won?\n"), (32, 36, "Four")]


@given(st.text("a. \n!A", max_size=40), st.lists(st.tuples(st.integers(0, 39), st.integers(1, 9))))
def test_put_end_to_end_they_are_the_released_text(text: str, spans: list[tuple[int, int]]) -> None:
    masks = [Mask(start, min(start + length, len(text)), "X.") for start, length in spans if start < len(text)]
    found = passages(Document("a", text), Anonymization({"a": masks}))
    if sentence_spans(text):
        assert "".join(one.written for one in found) == apply_masks(text, masks)
        assert [0, *(one.end for one in found)] == [*(one.start for one in found), len(text)]
    else:
        assert found == []
