"""What of a document was written anew: passages of a rewriting, sentences of anything else."""

from __future__ import annotations

from hypothesis import given, strategies as st

from showthrough import Anonymization, Document, Mask
from showthrough.data.masks import apply_masks
from showthrough.data.text_anonymizations import Rewriting
from showthrough.families.authorship.passages import passages, sentences

TEXT = "One came. Two saw! \n Three won?\nFour"


def read(anonymization: Anonymization) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.written) for one in passages(Document("a", TEXT), anonymization)]


def test_of_a_rewriting_they_are_those_that_were_handed_in() -> None:
    """Neither cut at sentences nor joined, in the order of the original; a passage that is gone is empty."""
    made = Rewriting({"a": [Mask(21, 36), Mask(0, 18, "Someone came. Another saw!")]})
    assert read(made) == [(0, 18, "Someone came. Another saw!"), (21, 36, "")]


def test_what_a_rewriting_does_not_say_is_there_or_gone() -> None:
    """The text that was handed in tells; where there is none, nothing but the passages changed."""
    masks = {"a": [Mask(0, 9, "He came.")]}
    rest = TEXT[9:]
    assert read(Rewriting(masks)) == [(0, 9, "He came."), (9, 36, rest)]
    assert read(Rewriting(masks, written={"a": f"He came.{rest}"})) == [(0, 9, "He came."), (9, 36, rest)]
    assert read(Rewriting(masks, written={"a": "He came."})) == [(0, 9, "He came."), (9, 36, "")]


def test_untouched_sentences_are_passages_too() -> None:
    assert [written for _, _, written in read(Anonymization({}))] == ["One came.", "Two saw!", "Three won?", "Four"]


def test_how_many_there_are_hangs_on_the_original_alone() -> None:
    """What a mask over several sentences writes stands in the first; of a blank before a sentence, in that."""
    assert read(Anonymization({"a": [Mask(4, 13, "X")]})) == [
        (0, 9, "One X"), (10, 18, "saw!"), (21, 31, "Three won?"), (32, 36, "Four"),
    ]  # fmt: skip
    assert read(Anonymization({"a": [Mask(9, 13, " X")]}))[:2] == [(0, 9, "One came."), (10, 18, "X saw!")]
    assert read(Anonymization({"a": [Mask(9, 10, " X ")]}))[:2] == [(0, 9, "One came."), (10, 18, "X Two saw!")]


@given(st.text("a. \n!A", max_size=40), st.lists(st.tuples(st.integers(0, 39), st.integers(1, 9))))
def test_no_word_is_lost(text: str, spans: list[tuple[int, int]]) -> None:
    """Put end to end they are the released text, white space aside, up to the end of the last sentence."""
    end = len(text.rstrip())
    masks = [Mask(start, min(start + length, end), "X.") for start, length in spans if start < end]
    found = passages(Document("a", text), Anonymization({"a": masks}))
    assert "".join("".join(one.written for one in found).split()) == "".join(apply_masks(text, masks).split())
    assert [one[:2] for one in found] == sentences(text)
