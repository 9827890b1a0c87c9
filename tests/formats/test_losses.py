"""What a corpus loses in a format, counted by hand; and that what programs made stays known as theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from showthrough import Annotation, Corpus, Document, Mention, OutputError, read_corpus
from showthrough.data.levels import by_type
from showthrough.formats import FORMATS, Fit, Format
from showthrough.formats.writing import describe_losses, losses, write_checked, write_corpus

TEXT = "😀 Mr Doe of Oslo, Doe of Rome"
DOE, OSLO = Mention(5, 8, "PERSON", "DIRECT", "e1", "HEALTH"), Mention(12, 16, "LOC", "QUASI", "e2")
AGAIN, ROME = Mention(18, 21, "PERSON", "DIRECT", "e1"), Mention(25, 29, "LOC", "NO_MASK", "e3")
FULL = Document("d", TEXT, (Annotation("ann", (DOE, OSLO, AGAIN, ROME)),), "g")


def lost(*annotations: Annotation, text: str = TEXT, group: str = "g") -> list[str]:
    return losses([FULL], [Document("d", text, annotations, group)])


def test_nothing_is_lost_in_the_same() -> None:
    assert lost(*FULL.annotations) == []
    assert describe_losses("x", []) == []


def test_all_that_can_be_lost_is_counted() -> None:
    assert losses([FULL], []) == ["1 document"]
    assert lost(Annotation("gold", (DOE, OSLO, AGAIN, ROME))) == ["the name of 1 annotator (ann)"]
    assert lost(text="x", group="") == [
        "the name of 1 annotator (ann)",
        "the text of 1 document",
        "the group of 1 document",
        "3 marks to be masked",
        "1 mark not to be masked",
    ]
    # The second Doe is another entity, Rome is to be masked, Oslo a city, and the first Doe is no matter of health.
    changed = (
        Mention(5, 8, "PERSON", "DIRECT", "e1"),
        Mention(12, 16, "CITY", "QUASI", "e2"),
        Mention(18, 21, "PERSON", "DIRECT", "e9"),
        Mention(25, 29, "LOC", "QUASI", "e3"),
    )
    assert lost(Annotation("ann", changed)) == [
        "the type of 1 mark",
        "the identifier level of 1 mark",
        "the co-reference of 1 entity",
        "the entity id of 1 mark",
        "the confidential status of 1 mark",
    ]
    renamed = [Mention(one.start, one.end, one.entity_type, one.identifier, f"x{one.entity_id}", one.confidential)
               for one in (DOE, OSLO, AGAIN, ROME)]  # fmt: skip
    assert lost(Annotation("ann", tuple(renamed))) == ["the entity id of 4 marks"]  # who is who is known all the same
    assert lost(*FULL.annotations, Annotation("b", (DOE,))) == []  # what is there besides is no loss
    assert lost(Annotation("ann", (DOE, DOE, OSLO, AGAIN, ROME))) == ["1 mark too many"]


def test_nobody_and_nothing_are_two_things() -> None:
    unread, empty = Document("d", TEXT), Document("d", TEXT, (Annotation("ann"),))
    [line] = losses([unread], [empty])
    assert line == "that nobody has looked through 1 document"
    assert losses([empty], [unread]) == ["the name of 1 annotator (ann)", "1 annotation layer without marks"]


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("tab", []),
        ("jsonl", []),
        ("brat", ["the name of 1 annotator (ann)", "the group of 1 document", "the entity id of 4 marks",
                  "the confidential status of 1 mark"]),
        ("i2b2-2006", ["the name of 1 annotator (ann)", "the group of 1 document", "1 mark not to be masked",
                       "the co-reference of 1 entity", "the entity id of 3 marks",
                       "the confidential status of 1 mark"]),
        ("conll", ["the name of 1 annotator (ann)", "the group of 1 document", "1 mark not to be masked",
                   "the co-reference of 1 entity", "the entity id of 3 marks", "the confidential status of 1 mark"]),
        ("table", ["the name of 1 annotator (ann)", "3 marks to be masked", "1 mark not to be masked"]),
        ("masks", ["the name of 1 annotator (ann)", "the text of 1 document", "the group of 1 document",
                   "1 mark not to be masked", "the co-reference of 1 entity", "the entity id of 3 marks",
                   "the confidential status of 1 mark"]),
    ],
)  # fmt: skip
def test_what_formats_hold(tmp_path: Path, format: str, expected: list[str]) -> None:
    path = tmp_path / f"out{FORMATS[format].endings[0]}"
    assert write_checked(Corpus([FULL]), path, format).lost == expected


def test_strict_writes_nothing(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"^not kept in table: the name of 1 annotator .*; nothing was written$"):
        write_checked(Corpus([FULL]), tmp_path / "out.csv", "table", strict=True)
    assert list(tmp_path.iterdir()) == []
    assert write_checked(Corpus([FULL]), tmp_path / "out.json", "tab", strict=True).lost == []


SILVER = "silver(2 of a.v1+b.v1)"


@pytest.mark.parametrize("format", ["tab", "jsonl", "brat", "conll", "i2b2-2006", "i2b2-2014", "meddocan"])
def test_silver_stays_silver(tmp_path: Path, format: str) -> None:
    marks = Annotation(SILVER, (by_type(5, 8, "PERSON", "e1"),))
    path = tmp_path / f"out{FORMATS[format].endings[0]}"
    write_corpus(Corpus([Document("d", TEXT, (marks,))]), path, format)
    again = read_corpus(path, format=format)
    assert again.survey.silver == {SILVER: 1}
    assert not again.documents[0].annotations[0].mentions[0].stated
    people = Corpus([Document("d", TEXT, (Annotation("gold", marks.mentions),))])
    write_corpus(people, path, format, force=True)
    assert read_corpus(path, format=format).survey.silver == {}


def test_what_cannot_be_read_back_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"^format records: what it writes cannot be read back \(its files end in"):
        write_checked(Corpus([FULL]), tmp_path / "out.x", "records")
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_changes_texts_is_refused(tmp_path: Path) -> None:
    plain = FORMATS["texts"]
    loud = Format("loud", (".json",), lambda head: Fit.NO, plain.read,
                  write=lambda documents: {"": b'{"d": "ANOTHER TEXT"}' if list(documents) else b""})  # fmt: skip
    FORMATS.register("loud", loud)
    try:
        with pytest.raises(OutputError, match="texts or documents read back are not those written"):
            write_checked(Corpus([Document("d", TEXT)]), tmp_path / "out.json", "loud")
    finally:
        del FORMATS["loud"]
    assert list(tmp_path.iterdir()) == []


def test_where_it_is_read_back_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    write_checked(Corpus([FULL]), tmp_path / "out", "brat")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["d.ann", "d.txt", "out"]
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "not there"))
    with pytest.raises(OutputError, match=r"No such file or directory in .*not there, where it is read back first"):
        write_checked(Corpus([FULL]), tmp_path / "more", "brat")
    assert not (tmp_path / "more").exists()
