"""The XML of the i2b2 challenges: what is read, what is kept, what is refused."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

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
from showthrough.data.levels import by_type
from showthrough.formats import Input
from showthrough.formats.clinical import i2b2
from showthrough.storage.file_heads import Head

RECORDS_2006 = """<?xml version="1.0" ?>
<ROOT>
<RECORD ID="7">
<TEXT>
<PHI TYPE="PATIENT">Mary O&apos;Neil</PHI> &amp; son, seen <PHI TYPE="DATE">10/29</PHI>.
</TEXT>
</RECORD>
<RECORD ID="8"><TEXT>Nothing here.</TEXT></RECORD>
</ROOT>
"""

RECORD_2014 = """<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2>
<TEXT><![CDATA[Dr. Lee saw <Mary> on 10/29.]]></TEXT>
<TAGS>
<NAME id="P0" start="4" end="7" text="Lee" TYPE="DOCTOR" comment="" />
<DATE id="P1" start="22" end="27" text="10/29" TYPE="DATE" comment="" />
<NAME id="P2" start="13" end="17" TYPE="NICKNAME" comment="" />
</TAGS>
</deIdi2b2>
"""


def written(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def marks(document: Document) -> list[tuple[str, str]]:
    return [(document.text[one.start : one.end], one.entity_type) for one in document.annotations[0].mentions]


def test_tags_in_the_text(tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path, "records.xml", RECORDS_2006), format="i2b2")
    first, second = corpus
    assert (first.id, second.id) == ("7", "8")
    assert first.text == "\nMary O'Neil & son, seen 10/29.\n"
    assert marks(first) == [("Mary O'Neil", "PATIENT"), ("10/29", "DATE")]
    assert second.annotations[0].mentions == ()
    # A patient's name identifies by itself, a date does not.
    assert [one.identifier for one in first.annotations[0].mentions] == ["DIRECT", "QUASI"]


def test_tags_with_offsets(tmp_path: Path) -> None:
    (record,) = read_corpus(written(tmp_path, "110-01.xml", RECORD_2014))  # the ending tells the format
    assert record.id == "110-01"
    assert record.text == "Dr. Lee saw <Mary> on 10/29."
    # NICKNAME is none of the known types of the element NAME: both are kept.
    assert marks(record) == [("Lee", "DOCTOR"), ("10/29", "DATE"), ("Mary", "NAME/NICKNAME")]
    assert [one.entity_id for one in record.annotations[0].mentions] == ["P0", "P1", "P2"]


def test_a_folder_of_records_and_folders(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    written(tmp_path, "a.xml", RECORD_2014)
    written(tmp_path / "more", "b.xml", RECORD_2014)
    assert read_corpus(tmp_path, format="i2b2-2014").ids == ("a", "b")


@pytest.mark.parametrize("ends", ["\r\n", "\r"])
@pytest.mark.parametrize("counts", ["as written", "as XML sees it"])
def test_line_ends_are_kept(tmp_path: Path, ends: str, counts: str) -> None:
    text = f"one{ends}two{ends}Lee{ends}"
    start = (text if counts == "as written" else text.replace(ends, "\n")).index("Lee")
    content = (
        f"<deIdi2b2><TEXT><![CDATA[{text}]]></TEXT><TAGS>"
        f'<NAME id="P0" start="{start}" end="{start + 3}" text="Lee" TYPE="DOCTOR"/></TAGS></deIdi2b2>'
    )
    (record,) = read_corpus(written(tmp_path, "r.xml", content))
    assert record.text == text
    assert marks(record) == [("Lee", "DOCTOR")]


def test_offsets_without_texts_count_what_xml_sees(tmp_path: Path) -> None:
    content = (
        '<deIdi2b2><TEXT><![CDATA[a\r\nLee]]></TEXT><TAGS><NAME start="2" end="5" TYPE="DOCTOR"/></TAGS></deIdi2b2>'
    )
    (record,) = read_corpus(written(tmp_path, "r.xml", content))
    assert marks(record) == [("Lee", "DOCTOR")]


def test_any_xml_reader_finds_the_offsets_that_are_written(tmp_path: Path) -> None:
    text = "one\r\n]]> & <two> Lee\t\n"
    start = text.index("Lee")
    corpus = Corpus([Document("r", text, (Annotation("gold", (by_type(start, start + 3, "DOCTOR", "P0"),)),))])
    write_corpus(corpus, tmp_path / "out", "i2b2-2014")
    root = ElementTree.parse(tmp_path / "out/r.xml").getroot()  # noqa: S314 (our own file)
    seen = root.findtext("TEXT") or ""
    tag = root.find("TAGS/NAME")
    assert seen == text
    assert tag is not None
    assert seen[int(tag.get("start", 0)) : int(tag.get("end", 0))] == tag.get("text") == "Lee"


CHARACTERS = st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters="\ufffe\uffff") | st.sampled_from(
    "\r\n\t"
)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(CHARACTERS, min_size=1, max_size=40))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    kinds = st.sampled_from(
        ["PATIENT", "DATE", "OTHER", "NAME/NICKNAME", "LOCATION/OTHER", "NAME/PATIENT", "a b", "x/y"]
    )
    mentions = tuple(
        by_type(start, end, draw(kinds), f"P{number}")
        for number, (start, end) in enumerate(zip(edges[::2], edges[1::2], strict=False))
    )
    return Document("r", text, (Annotation("gold", mentions),))


@settings(max_examples=150)
@given(documents())
def test_nothing_is_lost_by_writing_and_reading(tmp_path_factory: pytest.TempPathFactory, document: Document) -> None:
    folder = tmp_path_factory.mktemp("i2b2")
    (folder / "r.xml").write_bytes(i2b2.write_2014([document])["r.xml"])
    assert i2b2.read(Input(Head(folder))) == [document]
    (folder / "r.xml").write_bytes(i2b2.write_2006([document])[""])
    (again,) = i2b2.read(Input(Head(folder)))
    assert again.text == document.text
    plain = [(one.start, one.end, one.entity_type) for one in document.annotations[0].mentions]
    assert [(one.start, one.end, one.entity_type) for one in again.annotations[0].mentions] == plain


def test_a_systems_output_becomes_typed_masks(tmp_path: Path) -> None:
    path = written(tmp_path, "records.xml", RECORDS_2006)
    corpus = read_corpus(path)
    system = read_anonymization(path, corpus, name="system", format="i2b2")
    assert [(one.start, one.end, one.replacement, one.entity_type) for one in system.of("7")] == [
        (1, 12, None, "PATIENT"), (25, 30, None, "DATE"),
    ]  # fmt: skip
    assert system.types == {"DATE": 1, "PATIENT": 1}
    assert system.of("8") == []


BAD = {
    "mismatched tag": ("<ROOT><RECORD ID='1'></ROOT>", "is not well-formed XML: mismatched tag (line 1, column 24)"),
    "cut off": (RECORD_2014[:150], "is not well-formed XML: unclosed token (line 5"),
    "empty": ("", "is not well-formed XML: no element found"),
    "no record": ("<ROOT></ROOT>", "holds no record; expected <RECORD> with <TEXT> (i2b2 2006)"),
    "no id": ("<ROOT><RECORD><TEXT>a</TEXT></RECORD></ROOT>", "line 1: a <RECORD> has no ID"),
    "no type": ("<R><RECORD ID='1'><TEXT><PHI>a</PHI></TEXT></RECORD></R>", "document 1: line 1: a <PHI> has no TYPE"),
    "nested": (
        "<R><RECORD ID='1'><TEXT><PHI TYPE='A'>a<PHI TYPE='B'>b</PHI></PHI></TEXT></RECORD></R>",
        "document 1: line 1: a <PHI> lies inside another; expected tags that do not overlap",
    ),
    "nothing marked": (
        "<R><RECORD ID='1'><TEXT>a<PHI TYPE='A'></PHI></TEXT></RECORD></R>",
        "document 1: line 1: a <PHI> is empty; expected at least one character",
    ),
    "strange element": (
        "<R><RECORD ID='1'><TEXT>a<B/></TEXT></RECORD></R>", "found <B> inside a text; expected <PHI TYPE=…>",
    ),
    "past the end": (
        RECORD_2014.replace('end="27"', 'end="99"'),
        "document r: tag P1: end 99 is past the end of the text (28 characters)",
    ),
    "no number": (RECORD_2014.replace('start="4"', 'start="x"'), "tag P0: start is 'x'; expected a whole number"),
    "no start": (RECORD_2014.replace('start="4" ', ""), "tag P0: start is missing"),
    "no TYPE": (RECORD_2014.replace(' TYPE="DOCTOR"', ""), "tag P0: TYPE is missing"),
    "another text": (
        RECORD_2014.replace('start="4" end="7"', 'start="3" end="6"'),
        "tag P0: the text at 3–6 is ' Le' but text is 'Lee'; expected offsets in Unicode code points, "
        "unless --offsets says what they count",
    ),
    "overlap": (
        RECORD_2014.replace('start="13" end="17"', 'start="5" end="9"'),
        "tags P0 and P2: 4–7 and 5–9 overlap; expected separate spans",
    ),
    "tags before the text": ("<A><TAGS></TAGS><TEXT>a</TEXT></A>", "<TAGS>: no <TEXT> comes before them"),
    "twice": (RECORDS_2006.replace('ID="8"', 'ID="7"'), "document 7: this id occurs twice; expected unique ids"),
    "entity that is declared elsewhere": (
        "<!DOCTYPE a [%p;]><a><TEXT>Mr &x; left</TEXT><TAGS></TAGS></a>",
        "line 1: refers to the entity '%p;', which it does not declare; its text would be lost",
    ),
    "entity that is declared elsewhere, in an attribute": (
        '<!DOCTYPE a [<!ELEMENT a ANY> %p;]><a><TEXT>A</TEXT><TAGS><X start="0" end="1" TYPE="&x;"/></TAGS></a>',
        "line 1: refers to the entity '%p;'",
    ),
    "entity that is declared elsewhere, alone": (
        '<?xml version="1.0" standalone="yes"?><!DOCTYPE a [%p;]><a><TEXT>Mr left</TEXT><TAGS></TAGS></a>',
        "is not well-formed XML: undefined entity",
    ),
    "entity of declarations": (
        '<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><a><TEXT>Mr &x; left</TEXT><TAGS></TAGS></a>',
        "line 1: declares the entity 'p'; entities are refused",
    ),
    "entity": (
        '<!DOCTYPE a [<!ENTITY x "y">]><a><TEXT>&x;</TEXT></a>',
        "line 1: declares the entity 'x'; entities are refused",
    ),
    "outside": (
        '<!DOCTYPE a SYSTEM "http://127.0.0.1/evil.dtd"><a/>', "refers to 'http://127.0.0.1/evil.dtd' outside the file",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_what_is_refused(tmp_path: Path, case: str) -> None:
    content, expected = BAD[case]
    path = written(tmp_path, "r.xml", content)
    with pytest.raises(InputError) as caught:
        read_corpus(path, format="i2b2")
    assert [str(problem) for problem in caught.value.problems if expected in str(problem)]
    assert str(caught.value).startswith(str(path))
    assert "Traceback" not in str(caught.value)


def test_a_billion_laughs_are_refused(tmp_path: Path) -> None:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE lolz [<!ENTITY l0 "lol">{levels}]><ROOT><RECORD ID="1"><TEXT>&l9;</TEXT></RECORD></ROOT>'
    with pytest.raises(InputError, match="declares the entity 'l0'; entities are refused, they can fill the memory"):
        read_corpus(written(tmp_path, "bomb.xml", bomb), format="i2b2")


def test_a_file_outside_is_not_read(tmp_path: Path) -> None:
    secret = written(tmp_path, "secret.txt", "the secret")
    content = f'<!DOCTYPE a [<!ENTITY x SYSTEM "{secret.as_uri()}">]><a><TEXT>&x;</TEXT><TAGS/></a>'
    with pytest.raises(InputError) as caught:
        read_corpus(written(tmp_path, "r.xml", content), format="i2b2")
    assert "the secret" not in str(caught.value)


def test_encodings(tmp_path: Path) -> None:
    body = RECORDS_2006.partition("?>")[2].replace("Mary", "María")
    latin = '<?xml version="1.0" encoding="ISO-8859-1" ?>' + body
    (record, _) = read_corpus(written(tmp_path, "latin.xml", latin.encode("latin-1")), format="i2b2")
    assert marks(record)[0] == ("María O'Neil", "PATIENT")
    with pytest.raises(InputError, match=r"byte \d+ is not UTF-8; expected that throughout, since its first line"):
        read_corpus(written(tmp_path, "mixed.xml", body.encode("latin-1")), format="i2b2")
    strange = '<?xml version="1.0" encoding="klingon-1" ?>' + body
    with pytest.raises(InputError, match="declares the unknown encoding klingon-1"):
        read_corpus(written(tmp_path, "strange.xml", strange), format="i2b2")


def test_all_problems_of_a_folder_are_told_at_once(tmp_path: Path) -> None:
    written(tmp_path, "a.xml", "<a>")
    written(tmp_path, "b.xml", RECORD_2014.replace('end="27"', 'end="99"'))
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path, format="i2b2")
    assert len(caught.value.problems) == 2


def test_a_system_with_another_text_is_refused(tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path, "gold.xml", RECORDS_2006))
    other = written(tmp_path, "system.xml", RECORDS_2006.replace("seen", "Seen"))
    with pytest.raises(InputError, match="document 7: its text differs from the corpus's at character 20: found 'Seen"):
        read_anonymization(other, corpus, format="i2b2")


@pytest.mark.parametrize(
    ("document", "format", "expected"),
    [
        (Document("r", "a\x0cb"), "i2b2-2014", "document r: character 1 is U+000C, which XML cannot hold"),
        (Document("../r", "a"), "i2b2-2014", "this id cannot be the name of a file"),
        (Document("r", "a\ud83d"), "conll", "document r: its text has half a character (U+D83D), which is no UTF-8"),
        (
            Document("r", "abcd", (Annotation("g", (Mention(0, 3, "A"), Mention(2, 4, "B"))),)),
            "i2b2-2006",
            "document r: the mentions 0–3 and 2–4 overlap, which this format cannot hold",
        ),
        (
            Document("r", "abcd", (Annotation("one"), Annotation("two"))),
            "i2b2-2006",
            "document r: has 2 annotators (one, two) but this format holds one; choose one with convert --annotator",
        ),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, document: Document, format: str, expected: str) -> None:
    with pytest.raises(OutputError) as caught:
        write_corpus(Corpus([document]), tmp_path / "out", format)
    assert expected in str(caught.value)


def test_one_annotator_of_several_can_be_written(tmp_path: Path) -> None:
    both = Document("r", "abcd", (Annotation("one", (by_type(0, 1, "A"),)), Annotation("two", (by_type(1, 2, "B"),))))
    write_corpus(Corpus([both]), tmp_path / "out.xml", "i2b2-2006", annotator="two")
    (again,) = read_corpus(tmp_path / "out.xml")
    assert marks(again) == [("b", "B")]
    with pytest.raises(OutputError, match="has no annotator three; there are one, two"):
        write_corpus(Corpus([both]), tmp_path / "more.xml", "i2b2-2006", annotator="three")


def test_what_is_written_is_the_owners_alone(tmp_path: Path) -> None:
    (path,) = write_corpus(Corpus([Document("r", "a")]), tmp_path / "out", "i2b2-2014")
    assert path.stat().st_mode & 0o077 == 0
    with pytest.raises(OutputError, match="is not empty"):
        write_corpus(Corpus([Document("q", "a")]), tmp_path / "out", "i2b2-2014")
