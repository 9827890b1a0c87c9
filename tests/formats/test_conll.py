"""CoNLL-style BIO: what is read, what is kept, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Corpus, Document, InputError, Mention, OutputError, read_anonymization, read_corpus
from showthrough.data.levels import by_type
from showthrough.formats import Input
from showthrough.formats.annotation_tools import conll
from showthrough.storage.file_heads import Head


def written(folder: Path, content: str, name: str = "r.conll") -> Path:
    path = folder / name
    path.write_bytes(content.encode())
    return path


def marks(document: Document) -> list[tuple[str, str]]:
    return [(document.text[one.start : one.end], one.entity_type) for one in document.annotations[0].mentions]


def test_plain_tokens_and_tags(tmp_path: Path) -> None:
    content = "Dr. O\nAnn B-DOCTOR\nLee I-DOCTOR\nBob B-DOCTOR\n\nOslo I-LOC\n# O\n"
    (record,) = read_corpus(written(tmp_path, content))
    assert record.id == "r"
    assert record.text == "Dr. Ann Lee Bob\nOslo #"
    assert marks(record) == [("Ann Lee", "DOCTOR"), ("Bob", "DOCTOR"), ("Oslo", "LOC")]


def test_other_columns_and_other_schemes(tmp_path: Path) -> None:
    content = "Ann NNP x B-PER\nLee NNP x E-PER\nBob NNP x S-PER\nEve NNP x U-PER\n"
    (record,) = read_corpus(written(tmp_path, content))
    assert marks(record) == [("Ann Lee", "PER"), ("Bob", "PER"), ("Eve", "PER")]


def test_a_sentence_ends_an_instance(tmp_path: Path) -> None:
    (record,) = read_corpus(written(tmp_path, "Ann B-PER\n\nLee I-PER\n"))
    assert marks(record) == [("Ann", "PER"), ("Lee", "PER")]


def test_several_records(tmp_path: Path) -> None:
    content = "-DOCSTART- O\n\nAnn B-PER\n\n-DOCSTART- O\n\nBob O\n"
    assert read_corpus(written(tmp_path, content)).ids == ("r-1", "r-2")
    assert read_corpus(written(tmp_path, "# newdoc id = x y\nAnn O\n# sent_id = 3\nBob O\n")).ids == ("x y",)


def test_a_systems_tokens_find_their_places(tmp_path: Path) -> None:
    corpus = Corpus([Document("r", "Dr.  Ann\tLee, (Oslo)")])
    system = read_anonymization(
        written(tmp_path, "Dr O\n. O\nAnn B-PER\nLee I-PER\n, O\n( O\nOslo B-LOC\n) O\n"), corpus
    )
    assert [(one.start, one.end, one.entity_type) for one in system.of("r")] == [(5, 12, "PER"), (15, 19, "LOC")]
    with pytest.raises(InputError, match="document r: line 2: the text at 5 is 'Ann' but the token is 'Eve'"):
        read_anonymization(written(tmp_path, "Dr. O\nEve B-PER\n"), corpus)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("Ann X-PER\n", "line 1: found 'Ann X-PER'; expected a token and O, B-TYPE or I-TYPE"),
        ("Ann\n", "line 1: found 'Ann'; expected a token and"),
        ('# text = "a\nAnn O\n', "line 1: found '\"a'; expected a JSON string"),
        ("# global.columns = FORM START END TAG\nAnn\tx\t3\tO\n", "found the offsets 'x', '3'; expected numbers"),
        ("# text = Bob\nAnn O\n", "the text at 0 is 'Bob' but the token is 'Ann'"),
    ],
)
def test_what_is_refused(tmp_path: Path, content: str, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        read_corpus(written(tmp_path, content))
    assert expected in str(caught.value)


def test_a_folder_without_any(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"holds no file that ends in \.conll"):
        read_corpus(tmp_path, format="conll")


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(st.characters(blacklist_categories=("Cs",)), min_size=1, max_size=40))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    mentions = [
        by_type(start, end, draw(st.sampled_from(["PATIENT", "DATE", ""])))
        for start, end in zip(edges[::2], edges[1::2], strict=False)
        if not (text[start].isspace() or text[end - 1].isspace())
    ]
    return Document(draw(st.sampled_from(["r", ' "q" ', "a\nb"])), text, (Annotation("gold", tuple(mentions)),))


@settings(max_examples=200)
@given(st.lists(documents(), min_size=1, max_size=3, unique_by=lambda one: one.id))
def test_nothing_is_lost_by_writing_and_reading(
    tmp_path_factory: pytest.TempPathFactory, found: list[Document]
) -> None:
    path = tmp_path_factory.mktemp("conll") / "r.conll"
    path.write_bytes(conll.write(found)[""])
    assert conll.read(Input(Head(path))) == found


@pytest.mark.parametrize(
    ("mention", "expected"),
    [(Mention(0, 2, "A"), "starts or ends with white space"), (Mention(0, 1, "a b"), "the type 'a b' has a space")],
)
def test_what_cannot_be_written(mention: Mention, expected: str) -> None:
    with pytest.raises(OutputError, match=expected):
        conll.write([Document("r", "a b", (Annotation("g", (mention,)),))])
