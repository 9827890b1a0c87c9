"""CoNLL-U: tags and brackets, tokens of several words, words that are not written, and what stands between."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Corpus, Document, InputError, Mention, OutputError, read_anonymization, read_corpus
from showthrough.data.levels import by_type
from showthrough.formats import Input
from showthrough.formats.annotation_tools import conllu
from showthrough.storage.file_heads import Head


def line(number: str, form: str, misc: str = "_") -> str:
    return "\t".join([number, form, *["_"] * 7, misc]) + "\n"


def written(folder: Path, content: str, name: str = "r.conllu") -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


def marks(document: Document) -> list[tuple[str, str, str]]:
    found = document.annotations[0].mentions
    return [(document.text[one.start : one.end], one.entity_type, one.entity_id) for one in found]


BRACKETS = (
    "# newdoc id = d 1\n# global.Entity = eid-etype-head-other\n# sent_id = 1\n# text = John Doe's im Oslo.\n"
    + line("1", "John", "Entity=(e1-person-1-")
    + line("2", "Doe", "SpaceAfter=No|Entity=e1)")
    + line("3", "'s")
    + line("4-5", "im")
    + line("4", "in", "Entity=(e2-place-2-")
    + line("5", "dem")
    + line("5.1", "_", "Entity=(e3-zero-1-)")
    + line("6", "Oslo", "Entity=e2)(e4[1/2]-x-1-)|SpaceAfter=No")
    + line("7", ".")
    + "\n# text = He left.\n"
    + line("1", "He", "Entity=(e1-person-1-)")
    + line("2", "left", "SpaceAfter=No")
    + line("3", ".", "Entity=(e4[2/2]-x-1-)")
)
GAP = "what stood between its sentences is not in the file: a line feed was taken"


def test_brackets_say_what_is_the_same(tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path, BRACKETS))
    (document,) = corpus
    assert (document.id, document.text) == ("d 1", "John Doe's im Oslo.\nHe left.")
    assert marks(document) == [
        ("John Doe", "person", "e1"), ("im Oslo", "place", "e2"), ("Oslo", "x", "e4"), ("He", "person", "e1"),
        (".", "x", "e4"),
    ]  # fmt: skip
    assert corpus.notes == (GAP, "marks of words that are not written (empty nodes) are left aside: 1")


def test_what_comes_before_the_first_name_is_a_document(tmp_path: Path) -> None:
    named = "# newdoc id = a\n" + line("1", "Oslo", "NER=B-LOC") + "\n# newdoc\n" + line("1", "Bergen", "NER=B-LOC")
    for before, ids in (("", ("a", "r-2")), ("# x = 1\n \n", ("a", "r-2")), (line("1", "Mr"), ("r", "a", "r-3"))):
        corpus = read_corpus(written(tmp_path, before + named))
        assert corpus.ids == ids
        assert [one.text for one in corpus][-2:] == ["Oslo", "Bergen"]


def test_faults_of_all_documents_are_told_with_their_lines(tmp_path: Path) -> None:
    content = "# newdoc id = a\n1\tx\n\n# newdoc id = b\n" + line("1", "Oslo", "NER=LOC")
    with pytest.raises(InputError) as caught:
        read_corpus(written(tmp_path, content))
    assert [f"{one.place}: {one.message}" for one in caught.value.problems] == [
        "line 2: found '1\\tx'; expected 10 columns with tabs between, the first a number",
        "document b: line 5: found NER=LOC; expected O, B-TYPE or I-TYPE",
    ]


def test_tags(tmp_path: Path) -> None:
    rows = [("1", "Ann", "NER=B-PER"), ("2", "Lee", "NER=I-PER|SpaceAfter=No"), ("3", ",", "NER=O|Entity=(e1-x-1)")]
    content = "".join(line(*row) for row in rows) + "\n" + line("1", "Oslo", "NER=I-LOC|SpacesAfter=\\n")
    corpus = read_corpus(written(tmp_path, content))
    assert (corpus.ids, corpus.documents[0].text) == (("r",), "Ann Lee,\nOslo\n")
    assert [one[:2] for one in marks(corpus.documents[0])] == [("Ann Lee", "PER"), ("Oslo", "LOC")]
    assert corpus.notes == (GAP, "its tags (NER=) are the marks; left aside: Entity=")


@pytest.mark.parametrize("key", ["NE", "Ner", "name"])
def test_other_keys(key: str, tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path, line("1", "Ann", f"{key}=B-PER")))
    assert marks(corpus.documents[0]) == [("Ann", "PER", "")]


def test_annotated_or_not(tmp_path: Path) -> None:
    """Where O is written, a document without tags was not looked at; where it is not, it has no marks."""
    first, second = "# newdoc id = a\n" + line("1", "Ann", "NER=B-PER"), "\n# newdoc id = b\n" + line("1", "Bob")
    assert [len(one.annotations) for one in read_corpus(written(tmp_path, first + second))] == [1, 1]
    explicit = first + line("2", "ran", "NER=O") + second
    assert [len(one.annotations) for one in read_corpus(written(tmp_path, explicit))] == [1, 0]
    assert [len(one.annotations) for one in read_corpus(written(tmp_path, second))] == [0]


def test_a_systems_tokens_find_their_places(tmp_path: Path) -> None:
    corpus = Corpus([Document("r", "Ann\n Lee ,Oslo")])
    content = line("1", "Ann", "NER=B-PER") + line("2", "Lee", "NER=I-PER") + line("3", ",") + line("4", "Oslo")
    (mask,) = read_anonymization(written(tmp_path, content), corpus).of("r")
    assert (mask.start, mask.end) == (0, 8)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("1\tAnn\n", "line 1: found '1\\tAnn'; expected 10 columns with tabs between, the first a number"),
        (line("1", "Ann", "NER=PER"), "document r: line 1: found NER=PER; expected O, B-TYPE or I-TYPE"),
        ("# text = Eve\n" + line("1", "Ann"),
         "document r: line 2: the text (# text) at 0 is 'Eve' but the token is 'Ann'"),
        ("# text = Eve\n" + line("1", "Ann", "SpacesAfter=\\n"),
         "document r: line 1: the text of the tokens is 'Ann\\n' but # text is 'Eve'"),
        (line("1", "Ann", "Entity=(e1-person"), "document r: line 1: opens 'e1', which nothing closes"),
        (line("1", "Ann", "Entity=e1)"), "document r: line 1: closes 'e1', which is not open"),
    ],
)  # fmt: skip
def test_what_is_refused(content: str, fault: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: {fault}"


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(st.sampled_from("aé😀 \n\r\t.|\\_\u0301"), min_size=1, max_size=30))
    text += "" if text.strip() else "x"
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    mentions = tuple(
        by_type(start, end, draw(st.sampled_from(["PERSON", "", "a=b"])))
        for start, end in zip(edges[::2], edges[1::2], strict=False)
        if not (text[start].isspace() or text[end - 1].isspace())
    )
    layers = draw(st.sampled_from([(), (Annotation("gold", mentions),)]))
    return Document(draw(st.sampled_from(["r", "a b", "=1"])), text, layers)


@settings(max_examples=200)
@given(st.lists(documents(), min_size=1, max_size=3, unique_by=lambda one: one.id))
def test_nothing_is_lost_by_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, found: list[Document]
) -> None:
    path = tmp_path_factory.mktemp("conllu") / "r.conllu"
    path.write_bytes(conllu.write(found)[""])
    again = conllu.read(Input(Head(path)))
    assert [(one.id, one.text) for one in again] == [(one.id, one.text) for one in found]
    outside = b"NER=O" in path.read_bytes()  # only where O is written is it known who was not annotated
    for one, other in zip(again, found, strict=True):
        if outside or other.annotations:
            assert one.annotations == other.annotations


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (Document("r", " \n"), "has no word"),
        (Document("a\nb", "x"), "its id 'a\\\\nb' has a line end"),
        (Document("r", "a b", (Annotation("g", (Mention(0, 1, "a|b"),)),)), "the type 'a|b' has a space or |"),
    ],
)
def test_what_cannot_be_written(document: Document, fault: str) -> None:
    with pytest.raises(OutputError, match=fault.replace("|", r"\|")):
        conllu.write([document])
