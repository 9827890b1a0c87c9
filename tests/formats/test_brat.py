"""brat's standoff format: what is read, what is kept, what is refused."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    Annotation,
    Corpus,
    Document,
    InputError,
    Mention,
    OutputError,
    read_anonymization,
    read_corpus,
    write_corpus,
)
from showthrough.formats import Input
from showthrough.formats.annotation_tools import brat
from showthrough.storage.file_heads import Head

TEXT = "Dr. Lee saw Mary\nJones on 10/29."
MARKS = "T1\tDOCTOR 4 7\tLee\nT2\tPATIENT 12 22\tMary Jones\n#1\tAnnotatorNotes T1\tsure\nR1\tknows Arg1:T1 Arg2:T2\n"


def folder(tmp_path: Path, marks: str | None = MARKS, text: str | None = TEXT) -> Path:
    home = tmp_path / "gold"
    home.mkdir(exist_ok=True)
    if text is not None:
        (home / "r.txt").write_bytes(text.encode())
    if marks is not None:
        (home / "r.ann").write_bytes(marks.encode())
    return home


def test_marks_beside_a_text(tmp_path: Path) -> None:
    (record,) = read_corpus(folder(tmp_path))  # .ann files tell the format
    assert record.text == TEXT
    assert record.annotations[0].mentions == (
        Mention(4, 7, "DOCTOR", "QUASI", "T1"),
        Mention(12, 22, "PATIENT", "DIRECT", "T2"),
    )


def test_a_mark_in_pieces_the_same_entity_and_an_attribute(tmp_path: Path) -> None:
    marks = "T1\tPATIENT 12 16;17 22\tMary Jones\nT2\tDOCTOR 4 7\tLee\n*\tEquiv T1 T2\nA1\tidentifier T2 NO_MASK\n"
    (record,) = read_corpus(folder(tmp_path, marks))
    assert record.annotations[0].mentions == (
        Mention(12, 16, "PATIENT", "DIRECT", "T1"),
        Mention(17, 22, "PATIENT", "DIRECT", "T1"),
        Mention(4, 7, "DOCTOR", "NO_MASK", "T1"),
    )


def test_without_marks_there_is_no_annotator(tmp_path: Path) -> None:
    (record,) = read_corpus(folder(tmp_path, marks=None), format="brat")
    assert record.annotations == ()
    (record,) = read_corpus(folder(tmp_path, marks=""), format="brat")
    assert record.annotations[0].mentions == ()  # looked at, and nothing found


def test_line_ends_and_a_byte_order_mark_count(tmp_path: Path) -> None:
    text = "\ufeffDr.\r\nLee"
    (record,) = read_corpus(folder(tmp_path, "T1\tDOCTOR 6 9\tLee\r\n", text))
    assert record.text == text


def test_a_systems_marks_alone(tmp_path: Path) -> None:
    corpus = read_corpus(folder(tmp_path))
    system = tmp_path / "system"
    system.mkdir()
    (system / "r.ann").write_text("T1\tDOCTOR 4 7\tLee\n")
    found = read_anonymization(system, corpus, format="brat")
    assert [(one.start, one.end, one.entity_type) for one in found.of("r")] == [(4, 7, "DOCTOR")]
    (system / "s.ann").write_text("T1\tDOCTOR 4 7\tLee\n")
    with pytest.raises(InputError, match=r"s\.ann: has no s\.txt beside it"):
        read_anonymization(system, corpus, format="brat")


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ("T1 DOCTOR 4 7\n", "line 1: found 'T1 DOCTOR 4 7'; expected T1<tab>TYPE start end<tab>text"),
        ("T1\tDOCTOR 4 99\tLee\n", "line 1: T1: end 99 is past the end of the text (32 characters)"),
        ("T1\tDOCTOR 7 4\tLee\n", "T1: end 4 is not after start 7"),
        ("T1\tDOCTOR 3 6\tLee\n", "T1: the text there is ' Le' but the line says 'Lee'"),
        ("T1\tDOCTOR 4 7\tLee\nT1\tDOCTOR 4 7\tLee\n", "line 2: T1: this name occurs twice"),
        ("A1\tidentifier T1 SURELY\n", "line 1: found 'SURELY'; expected DIRECT, QUASI, NO_MASK"),
    ],
)
def test_what_is_refused(tmp_path: Path, marks: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_corpus(folder(tmp_path, marks))
    assert expected in str(caught.value)
    assert "r.ann" in str(caught.value)


def test_other_encodings_and_other_places(tmp_path: Path) -> None:
    home = folder(tmp_path)
    (home / "r.txt").write_bytes("Né".encode("latin-1"))
    with pytest.raises(InputError, match=r"r\.txt: byte 1 is not UTF-8"):
        read_corpus(home, format="brat")
    with pytest.raises(InputError, match="is no folder"):
        read_corpus(home / "r.txt", format="brat")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"holds no \.txt or \.ann file"):
        read_corpus(tmp_path / "empty", format="brat")


@settings(max_examples=100)
@given(
    st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\0"), min_size=1, max_size=30),
    st.lists(
        st.tuples(
            st.integers(0, 29), st.integers(1, 9), st.sampled_from(["DATE", "x"]), st.sampled_from(["", "e", "f"])
        ),
        max_size=5,
    ),
    st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]),
)
def test_texts_spans_types_and_groups_are_kept(
    tmp_path_factory: pytest.TempPathFactory, text: str, spans: list[tuple[int, int, str, str]], identifier: str
) -> None:
    mentions = tuple(
        Mention(start % len(text), min(len(text), start % len(text) + size), kind, identifier, name)  # type: ignore[arg-type]
        for start, size, kind, name in spans
    )
    home = tmp_path_factory.mktemp("brat")
    for name, content in brat.write([Document("r", text, (Annotation("gold", mentions),))]).items():
        (home / name).write_bytes(content)
    (again,) = brat.read(Input(Head(home)))
    assert again.text == text
    found = again.annotations[0].mentions
    assert [one[:4] for one in map(_fields, found)] == [one[:4] for one in map(_fields, mentions)]
    for one, two in zip(mentions, found, strict=True):
        for three, four in zip(mentions, found, strict=True):
            same = one is three or (one.entity_id != "" and one.entity_id == three.entity_id)
            assert (two.entity_id == four.entity_id) == same


def _fields(mention: Mention) -> tuple[int, int, str, str, str]:
    return mention.start, mention.end, mention.entity_type, mention.identifier, mention.entity_id


def test_a_type_of_two_words_cannot_be_written(tmp_path: Path) -> None:
    document = Document("r", "abc", (Annotation("g", (Mention(0, 1, "a b"),)),))
    with pytest.raises(OutputError, match="the type 'a b' cannot be written"):
        write_corpus(Corpus([document]), tmp_path / "out", "brat")


@pytest.mark.parametrize("format", ["brat", None])
def test_a_folder_that_may_not_be_looked_into(
    format: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The records in it would be missing, and the numbers those of fewer documents."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.txt").write_text("Oslo")
        (tmp_path / name / f"{name}.ann").write_text("T1\tLOC 0 4\tOslo")
    assert read_corpus(tmp_path, format=format).ids == ("one", "two")
    look = os.scandir

    def closed(path: Any) -> Any:
        if str(path).endswith("two"):
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return look(path)

    monkeypatch.setattr(os, "scandir", closed)
    with pytest.raises(InputError, match=r"two: cannot be read: Permission denied$"):
        read_corpus(tmp_path, format=format)
