"""Tokens, labels, fields and sections."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from showthrough import Mention
from showthrough.systems.taggers.labels import labels_of, outermost, spans_of
from showthrough.systems.taggers.tokens import Tokens

RECORD = "CLINIC NOTE\nName: Ona Rask.\nAge: 47 Sex: F\n" + "She sleeps well and eats well. " * 9 + "\nSigned: Dr Holm"


@given(st.text())
def test_tokens_have_all_that_can_be_read_once_and_in_order(text: str) -> None:
    tokens = Tokens.of(text)
    assert "".join(tokens.words) == "".join(text.split())
    assert all(
        text[start:end] == word for start, end, word in zip(tokens.starts, tokens.ends, tokens.words, strict=True)
    )
    assert [at for part in tokens.lines for at in part] == list(range(len(tokens)))
    assert [at for part in tokens.sentences for at in part] == list(range(len(tokens)))
    assert len(tokens.parts) == len(tokens)
    assert all(0 <= one.first < one.last <= len(tokens) for one in tokens.fields)


def test_what_people_mark_begins_and_ends_with_a_token() -> None:
    text = "Dr. Rask (n°12345-A) wrote to ona.rask@ward.no on 12/03/2010, aged 47años."
    tokens = Tokens.of(text)
    for marked in ("Rask", "12345-A", "ona.rask@ward.no", "12/03/2010", "47", "años", "47años"):
        start = text.index(marked)
        assert start in tokens.starts
        assert start + len(marked) in tokens.ends


def test_a_sentence_ends_at_a_stop_before_a_capital_and_not_at_an_abbreviation_before_a_small_letter() -> None:
    tokens = Tokens.of("She came. He left (late.) Then e.g. nobody.\nEnd")
    assert [tokens.text[tokens.starts[part.start]] for part in tokens.sentences] == ["S", "H", "T", "E"]


def test_fields_are_headings_with_what_follows_also_two_in_a_line() -> None:
    tokens = Tokens.of(RECORD)
    found = {one.heading: " ".join(tokens.words[one.first : one.last]) for one in tokens.fields}
    assert found == {"name": "Ona Rask .", "age": "47", "sex": "F", "signed": "Dr Holm"}
    assert tokens.headings == {0: "clinic note"}


def test_header_and_footer_are_the_lines_of_fields_at_either_end() -> None:
    tokens = Tokens.of(RECORD)
    part = dict(zip(tokens.words, tokens.parts, strict=True))
    assert (part["Ona"], part["47"], part["sleeps"], part["Holm"]) == ("header", "header", "body", "footer")


def test_of_mentions_in_each_other_the_longest_is_learned() -> None:
    mentions = [Mention(0, 4, "NAME"), Mention(0, 12, "ORG"), Mention(8, 15, "CITY"), Mention(13, 15, "DATE")]
    assert [one.entity_type for one in outermost(mentions)] == ["ORG", "DATE"]


def test_labels_tell_neighbours_apart_and_leave_out_what_is_not_to_be_masked() -> None:
    text = "Ona Rask Per Holm in Oslo"
    mentions = [Mention(0, 8, "NAME", "DIRECT"), Mention(9, 17, "NAME"), Mention(21, 25, "CITY", "NO_MASK")]
    labels = labels_of(Tokens.of(text), mentions)
    assert labels == ["B-NAME", "I-NAME", "B-NAME", "I-NAME", "O", "O"]
    assert [(one.first, one.last) for one in spans_of(labels)] == [(0, 2), (2, 4)]
    assert labels_of(Tokens.of(text), mentions, binary=True)[:2] == ["B-MASK", "I-MASK"]


@given(st.lists(st.sampled_from(["O", "B-A", "I-A", "B-B", "I-B"])))
def test_spans_cover_what_is_not_outside_and_nothing_else(labels: list[str]) -> None:
    covered = [at for one in spans_of(labels) for at in range(one.first, one.last)]
    assert covered == [at for at, label in enumerate(labels) if label != "O"]


def test_the_score_of_a_span_is_its_surest_token() -> None:
    (found,) = spans_of(["B-A", "I-A"], [0.3, 0.8])
    assert found.score == pytest.approx(0.8)
