"""What linguists' formats hold scores as the same spans do in our own, to the digit."""

from __future__ import annotations

from pathlib import Path

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    evaluate,
    read_anonymization,
    read_corpus,
    write_corpus,
)
from showthrough.data.levels import by_type
from showthrough.formats import FORMATS
from showthrough.formats.registry import recognise_format
from showthrough.storage.file_heads import Head

NAMES = ("spacy", "spacy-json", "spacy-pairs", "token-rows", "conllu", "webanno", "xmi")
TEXTS = (
    "😀 Mr John Doe of Oslo\r\nleft on 3 May 2011.",
    "Ann Lee e\u0301 met John Doe 👩\u200d🔬 in Bergen.",
    "Nothing to see.",
)
GOLD = ({"John Doe": "PERSON", "Oslo": "GPE", "3 May 2011": "DATE"}, {"Ann Lee": "PERSON", "Bergen": "BADGE"}, {})
FOUND = ({"John Doe": "PERSON", "Oslo\r\nleft": "GPE"}, {"Lee": "PERSON", "in Bergen": "LOC"}, {})


def corpus(marks: tuple[dict[str, str], ...]) -> Corpus:
    def document(number: int) -> Document:
        text = TEXTS[number]
        mentions = (
            by_type(text.index(said), text.index(said) + len(said), kind) for said, kind in marks[number].items()
        )
        return Document(str(number + 1), text, (Annotation("gold", tuple(mentions)),))

    return Corpus([document(number) for number in range(len(TEXTS))], "c")


@pytest.mark.parametrize("name", NAMES)
def test_the_same_scores_as_in_our_own_formats(name: str, tmp_path: Path) -> None:
    if name == "xmi":
        pytest.importorskip("cassis")
    if name == "spacy":
        pytest.importorskip("spacy")
    write_corpus(corpus(GOLD), tmp_path / "gold.json", "tab")
    write_corpus(corpus(FOUND), tmp_path / "found.json", "masks")
    own = read_corpus(tmp_path / "gold.json", name="c")
    expected = evaluate(own, [read_anonymization(tmp_path / "found.json", own, name="x")], resamples=50)
    ending = FORMATS[name].endings[0]
    gold, found = tmp_path / f"g{ending}", tmp_path / f"f{ending}"
    write_corpus(corpus(GOLD), gold, name)
    write_corpus(corpus(FOUND), found, name)
    assert recognise_format(Head(gold), "read") == recognise_format(Head(found), "read_anonymization") == name
    theirs = read_corpus(gold, name="c")
    assert theirs.digest == corpus(GOLD).digest
    system: Anonymization = read_anonymization(found, theirs, name="x")
    run = evaluate(theirs, [system], resamples=50)

    def numbers(one: object) -> list[object]:
        return [(score.metric, score.part, score.value, score.low, score.high) for score in one.scores]  # type: ignore[attr-defined]

    assert numbers(run) == numbers(expected)
    assert any(0 < (score.value or 0) < 1 for score in run.scores)
