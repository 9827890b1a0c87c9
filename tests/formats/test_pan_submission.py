"""Submissions to PAN's author masking: passages found in the original, and what is odd about them told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as some

from showthrough import Corpus, Document, InputError, Mask, read_anonymization, read_corpus
from showthrough.data.pairing import check_pair
from showthrough.data.text_anonymizations import Rewriting
from showthrough.formats import read_anonymized, read_released
from showthrough.formats.authorship.pan_submission import Original, QuotedPassage, squeeze
from showthrough.formats.registry import recognise_format
from showthrough.storage.file_heads import Head

TEXT = "He left.  He came.\r\nThen he left. He slept."
CORPUS = Corpus([Document("p1", TEXT)])
SENTENCES = ["He left.", "He came.", "Then he left.", "He slept."]
SPANS = [(0, 8), (10, 18), (20, 33), (34, 43)]


def passage(number: int, original: str, start: int, end: int, **changed: Any) -> dict[str, Any]:
    return {
        "original": original, "original-start-charpos": start, "original-end-charpos": end,
        "obfuscation": f"[{number}]", "obfuscation-id": number, **changed,
    }  # fmt: skip


def sound() -> list[dict[str, Any]]:
    return [
        passage(number, *one)
        for number, one in enumerate(((s, *at) for s, at in zip(SENTENCES, SPANS, strict=True)), 1)
    ]


def submitted(folder: Path, passages: Any, text: str | None = None, problem: str = "p1") -> Path:
    home = folder / "out" / "output" / problem
    home.mkdir(parents=True, exist_ok=True)
    (home / "obfuscation.json").write_text(passages if isinstance(passages, str) else json.dumps(passages))
    if text is not None:
        (home / "unknown.txt").write_bytes(text.encode())
    return folder / "out"


def spans(folder: Path, passages: Any, text: str = "[1][2][3][4]") -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """Where passages are found, and what there is to say of them."""
    given = read_anonymization(submitted(folder, passages, text), CORPUS)
    return [(one.start, one.end) for one in given.of("p1")], given.notes


def test_passages_and_texts(tmp_path: Path) -> None:
    path = submitted(tmp_path, sound(), "\ufeff[1][2]\ufeff[3] [4]")
    (path / "answers.txt").write_text("p1 0.5")
    given = read_anonymization(path, CORPUS)
    assert isinstance(given, Rewriting)
    assert given.masks == {"p1": [Mask(*at, f"[{number}]") for number, at in enumerate(SPANS, 1)]}
    assert given.written == given.texts(CORPUS) == {"p1": "[1][2][3] [4]"}
    assert given.notes == ()
    assert recognise_format(Head(path), "read_anonymization") == "pan-submission"
    assert read_anonymized(path, CORPUS) == given.written
    assert read_released(path) == (given.written, ())
    assert read_anonymization(path / "output" / "p1", CORPUS).digest == given.digest


@pytest.mark.parametrize("shift", [0, 1, 40, -90, 2**61])
@pytest.mark.parametrize("inclusive", [False, True])
def test_positions_that_count_otherwise(tmp_path: Path, shift: int, inclusive: bool) -> None:
    """Whatever positions say, passages that follow one another are found one after the other."""
    moved = [{**one, "original-start-charpos": one["original-start-charpos"] + shift,
              "original-end-charpos": one["original-end-charpos"] + shift - inclusive} for one in sound()]  # fmt: skip
    assert spans(tmp_path, moved) == (SPANS, ())


def test_white_space_and_marks_are_others(tmp_path: Path) -> None:
    quotes = ["\ufeffHe\nleft.", " He  came. Then", "he\tleft.", "He slept.\r\n"]
    found, notes = spans(tmp_path, [passage(number, one, 0, 0) for number, one in enumerate(quotes, 1)])
    assert (found, notes) == ([(0, 8), (10, 24), (25, 33), (34, 43)], ())


def test_right_positions_win_over_the_order(tmp_path: Path) -> None:
    """`left.` and `He` stand in several places; most passages stand where they say, so those say which."""
    passages = [
        passage(1, "left.", 28, 33),
        passage(2, "He", 10, 12),
        passage(3, "left.", 3, 8),
        passage(4, "slept.", 99, 99),
    ]
    found, notes = spans(tmp_path, passages)
    assert found == [(28, 33), (10, 12), (3, 8), (37, 43)]
    assert [note.split(":")[0] for note in notes] == [
        "passages out of the order of the original",
        "characters of the original that no passage covers",
    ]


def test_wrong_positions_that_fit_once_do_not(tmp_path: Path) -> None:
    passages = [passage(number, one, 500, 600) for number, one in enumerate(SENTENCES, 1)]
    twice = [
        *passages[:2],
        passage(3, "Then he", 500, 600),
        passage(4, "left.", 3, 8),
        passage(5, "He slept.", 500, 600),
    ]
    assert spans(tmp_path, twice, "[1][2][3][4][5]")[0] == [(0, 8), (10, 18), (20, 27), (28, 33), (34, 43)]


def test_a_passage_too_many_is_found_where_it_may_be(tmp_path: Path) -> None:
    """As splitters of sentences give a full stop once more: the passages behind it stay where they are."""
    text = "So it is. . . And then. . . Nothing."
    quotes = ["So it is.", ".", " .", " . And then.", ".", " .", " . Nothing."]
    found = Original(text).find_passages([QuotedPassage(one, 0, 0) for one in quotes])
    places = Original(text).spans(found).tolist()
    assert [text[start:end] for start, end in places] == [one.strip() for one in quotes]
    assert places[3] == [12, 23]
    assert places[6] == [26, 36]


@pytest.mark.parametrize(
    ("change", "note"),
    [
        (lambda all_: [{**all_[0], "obfuscation-id": 2}, *all_[1:]],
         "passages whose obfuscation-id another one has: 1 in 1 problem, such as p1, obfuscation-id 2"),
        (lambda all_: [all_[0], {**all_[1], "original": "He came. Then", "original-end-charpos": 24}, *all_[2:]],
         "passages that overlap others: 1 in 1 problem, such as p1, obfuscation-id 3"),
        (lambda all_: [all_[1], all_[0], *all_[2:]],
         "passages out of the order of the original: 1 in 1 problem, such as p1, obfuscation-id 1"),
        (lambda all_: all_[:3],
         "characters of the original that no passage covers: 8 in 1 problem, such as p1, from 34 on"),
        (lambda all_: [*all_, passage(5, " \n", 43, 44)],
         "passages without a word of the original, which were left aside: 1 in 1 problem, such as p1"),
    ],
)  # fmt: skip
def test_what_is_odd_is_told(tmp_path: Path, change: Any, note: str) -> None:
    passages = change(sound())
    found, notes = spans(tmp_path, passages, "".join(one["obfuscation"] for one in passages))
    assert notes == (note,)
    assert len(found) == len([one for one in passages if one["original"].strip()])


def test_no_passages(tmp_path: Path) -> None:
    found, notes = spans(tmp_path, [], "")
    assert found == []
    assert notes == ("characters of the original that no passage covers: 33 in 1 problem, such as p1, from 0 on",)


def test_texts_that_are_not_their_passages(tmp_path: Path) -> None:
    [note] = spans(tmp_path, sound(), "[1][2][4]")[1]
    assert note == "unknown.txt that is not its passages one after the other: 1 in 1 problem, such as p1"


def test_passages_alone(tmp_path: Path) -> None:
    path = submitted(tmp_path, sound())
    given = read_anonymization(path, CORPUS)
    assert given.texts(CORPUS) == {"p1": "[1]  [2]\r\n[3] [4]"}
    assert given.notes == ("texts without unknown.txt, made of their passages: 1 in 1 problem, such as p1",)
    for read in (read_anonymization, read_released):
        with pytest.raises(InputError, match="holds passages of texts; reading it needs the corpus with the originals"):
            read(path)


def test_texts_alone_are_aligned(tmp_path: Path) -> None:
    home = tmp_path / "out" / "p1"
    home.mkdir(parents=True)
    (home / "unknown.txt").write_text(TEXT.replace("slept", "woke up"), newline="")
    given = read_anonymization(tmp_path / "out", CORPUS)
    assert type(given).__name__ == "Anonymization"
    assert given.texts(CORPUS) == {"p1": TEXT.replace("slept", "woke up")}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([*sound()[:3], passage(9, "He never slept at all, nor would he have liked to", 34, 43)],
         "obfuscation-id 9: original 'He never slept at all, nor would he hav…' does not occur in the text of the "
         "corpus; expected a passage of it, white space aside"),
        ([{"original": "He left."}], "[0]: obfuscation is missing"),
        ([passage(1, "He left.", 0, 8, obfuscation=None)], "[0].obfuscation: found null; expected text"),
        ([passage(1, "He left.", "0", 8)], "[0].original-start-charpos: found text; expected a whole number"),
        ({"1": passage(1, "He left.", 0, 8)}, "found an object {…}; expected a list […]"),
        ("[{", "is not valid JSON: it ends too early (column 3)"),
    ],
)  # fmt: skip
def test_bad_passages_are_one_line_each(tmp_path: Path, content: Any, said: str) -> None:
    path = submitted(tmp_path, content, "x y")
    with pytest.raises(InputError) as caught:
        read_anonymization(path, CORPUS)
    assert str(caught.value) == f"{path}/output/p1/obfuscation.json: document p1: {said}"


def test_all_that_is_wrong_is_said_together(tmp_path: Path) -> None:
    path = submitted(tmp_path, [passage(1, "Nobody.", 0, 8), passage(2, "Nobody else.", 0, 8)], "x")
    lone = path / "output" / "p2"
    lone.mkdir()
    (lone / "unknown.txt").write_text("x y")
    with pytest.raises(InputError) as caught:
        read_anonymization(path, CORPUS)
    assert [line.split(": ")[2] for line in str(caught.value).splitlines()] == [
        "obfuscation-id 1", "obfuscation-id 2",
        "obfuscation.json is missing; expected one beside unknown.txt, as other problems have",
    ]  # fmt: skip


def test_keys_that_nobody_reads_are_told(tmp_path: Path) -> None:
    notes = spans(tmp_path, [{**one, "rule": 3} for one in sound()])[1]
    assert notes == ("not used, since the format does not know this key: [].rule",)


def test_problems_that_one_side_lacks(tmp_path: Path) -> None:
    path = submitted(tmp_path, sound(), "x", "p9")
    given = read_anonymization(path, CORPUS)
    assert [line.place for line in check_pair(CORPUS, given)] == ["document p9", "document p1"]


def test_folders_of_one_name(tmp_path: Path) -> None:
    submitted(tmp_path, sound(), "x")
    submitted(tmp_path / "out" / "again", sound(), "x")
    with pytest.raises(InputError, match="document p1: two folders have this name; expected unique ids"):
        read_anonymization(tmp_path / "out", CORPUS)


@given(
    some.lists(some.text(some.sampled_from("ab. \n\ufeff"), max_size=6), min_size=1, max_size=12), some.integers(-3, 40)
)
def test_whatever_a_text_is_cut_into_is_found(pieces: list[str], shift: int) -> None:
    """In the order of reading, each where it was cut, and every character once; positions may be right or wrong."""
    text = "".join(pieces)
    starts = [len("".join(pieces[:number])) + shift for number in range(len(pieces))]
    stated = [QuotedPassage(piece, start, start + len(piece)) for piece, start in zip(pieces, starts, strict=True)]
    kept = [one for one in stated if squeeze(one.original)]
    original = Original(text)
    found = original.find_passages(kept)
    assert [original.squeezed[start:end] for start, end in found.tolist()] == [squeeze(one.original) for one in kept]
    if shift == 0:
        lengths = [len(squeeze(one.original)) for one in kept]
        assert found[:, 0].tolist() == [sum(lengths[:number]) for number in range(len(lengths))]
        assert len(original.find_uncovered(found)) == 0


@pytest.mark.parametrize(("name", "notes"), [("A", 1), ("B", 0)])
def test_pan_16(pan: Path, name: str, notes: int) -> None:
    """Every passage of both submissions is found; A has full stops once more, which overlap, and B is sound."""
    corpus = read_corpus(pan / "masking_problems")
    given = read_anonymization(pan / f"submission_{name}", corpus)
    assert isinstance(given, Rewriting)
    assert (len(given.masks), sum(map(len, given.masks.values())), len(given.written)) == (205, 11082, 205)
    assert len(given.notes) == notes
    assert all(note.startswith("passages that overlap others: 117 in 23 problems") for note in given.notes)
    assert check_pair(corpus, given) == []
    [home] = (pan / f"submission_{name}").glob("*/output")
    for document in corpus:
        quotes = [one["original"] for one in json.loads((home / document.id / "obfuscation.json").read_bytes())]
        there = [document.text[mask.start : mask.end] for mask in given.of(document.id)]
        assert list(map(squeeze, there)) == list(map(squeeze, quotes))
        assert "\ufeff" not in given.written[document.id]
