"""Share of known words: counted by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from showthrough import METRICS, Anonymization, Corpus, Document, Mask, Run, evaluate, parse_metric
from showthrough.data.text_anonymizations import Rewriting
from showthrough.families.authorship.known_words import words_of
from showthrough.metrics import metric_text

TEXT = "The cat sat. Xqzt's 12 dogs ran, don't they?"


def run_of(anonymization: Anonymization, text: str = TEXT, metric: str = "known_words") -> Run:
    return evaluate(Corpus([Document("a", text)]), {"x": anonymization}, [metric])


def test_by_hand() -> None:
    """7 of the 8 words are known: numbers and signs do not count, and a strange name is strange in both."""
    run = run_of(Rewriting({"a": [Mask(0, 12, "Zzgl cat sat qqrx."), Mask(13, 44, "12 dogs!")]}))
    assert run.rows["known_words"]["x"] == {"known": [3], "words": [5], "original_known": [7], "original_words": [8]}
    assert run["x", "known_words"].value == pytest.approx(3 / 5)
    assert run["x", "known_words", "original"].value == pytest.approx(7 / 8)
    assert run["x", "known_words", "change"].value == pytest.approx(3 / 5 - 7 / 8)


def test_what_lies_between_passages_counts_where_it_still_stands() -> None:
    masks = {"a": [Mask(0, 12, "A cat.")]}
    kept, gone = (
        run_of(Rewriting(masks, written=written)).rows["known_words"]["x"] for written in ({}, {"a": "A cat."})
    )
    assert kept == {"known": [6], "words": [7], "original_known": [7], "original_words": [8]}
    assert gone == {"known": [2], "words": [2], "original_known": [7], "original_words": [8]}


def test_of_an_ordinary_anonymization_all_sentences_count() -> None:
    run = run_of(Anonymization({"a": [Mask(4, 7, "qqrx")]}))
    assert run.rows["known_words"]["x"] == {"known": [6], "words": [8], "original_known": [7], "original_words": [8]}


def test_nothing_left_is_no_share() -> None:
    score = run_of(Anonymization({"a": [Mask(0, len(TEXT))]}))["x", "known_words"]
    assert (score.value, score.reason) == (None, "no passage has a word")


def test_words_in_any_order_are_known() -> None:
    """What it cannot tell, as its page says."""
    assert run_of(Rewriting({"a": [Mask(0, 44, "cat cat the the of sat")]}))["x", "known_words"].value == 1


def test_a_list_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("Xqzt\nSAT\n")
    run = run_of(Anonymization({"a": []}), metric=f'known_words(dictionary="{tmp_path / "words.txt"}")')
    assert run.scores[0].value == pytest.approx(2 / 8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don’t", ["don't"]),
        ("A1b_c 3 3.5 —", ["a", "b", "c"]),
        ("ÉTÉ “naïf”", ["été", "naïf"]),
        ("rock'n'roll'", ["rock'n'roll"]),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert words_of(text) == words


def test_the_name_of_before_is_read_and_written_no_more() -> None:
    assert metric_text(parse_metric("readable")) == "known_words"
    assert parse_metric('readable(dictionary="a.txt")') == parse_metric('known_words(dictionary="a.txt")')
    assert "readable" not in METRICS


def test_a_run_of_before_is_read(tmp_path: Path) -> None:
    """A run file has the name in five roles: of the record, the rows, the scores, and in signatures."""
    run_of(Anonymization({"a": []})).save(tmp_path / "run.json")
    former = tmp_path / "former.json"
    former.write_text((tmp_path / "run.json").read_text().replace("known_words", "readable"))
    run = Run.load(former)
    assert run["x", "readable"].value == pytest.approx(7 / 8)
    assert run.compare("readable") == []  # one anonymization has no other to be held against; nothing is refused
