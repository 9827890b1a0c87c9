"""WebAnno TSV 3 as INCEpTION writes it: layers, stacked marks, pieces of tokens, chains, relations, UTF-16 offsets."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Document, InputError, Mention, OutputError, read_corpus, write_corpus
from showthrough.data.documents import Corpus
from showthrough.data.levels import by_type
from showthrough.formats import Input
from showthrough.formats.annotation_tools import webanno
from showthrough.formats.registry import recognise_format
from showthrough.storage.file_heads import Head

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
POS = "de.tudarmstadt.ukp.dkpro.core.api.lexmorph.type.pos.POS"
COREFERENCE = "de.tudarmstadt.ukp.dkpro.core.api.coref.type.CoreferenceLink"
GAP = "what stood between its sentences is not in the file: a line feed was taken, and spaces where there was more"


def export(*lines: str, header: tuple[str, ...] = (f"SP={NER}|identifier|value",), version: str = "3.3") -> str:
    body = "".join(f"{one}\n" if one.startswith("#") or not one else f"{one}\t\n" for one in lines)
    return f"#FORMAT=WebAnno TSV {version}\n" + "".join(f"#T_{one}\n" for one in header) + "\n\n" + body


def written(folder: Path, content: str, name: str = "r.tsv") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())
    return path


def marks(document: Document) -> list[tuple[str, str, str]]:
    found = document.annotations[0].mentions
    return [(document.text[one.start : one.end], one.entity_type, one.entity_id) for one in found]


def test_layers_stacks_pieces_and_chains(tmp_path: Path) -> None:
    content = export(
        "#Text=😊 Ms. Haag left .",
        "1-1\t0-2\t😊\tX\t_\t_\t_\t_",
        "1-2\t3-6\tMs.\tN\t*[1]|*[2]\tPER[1]|PERpart[2]\t*->1-1\tx[1]",
        "1-3\t7-11\tHaag\tN\t*[1]\tPER[1]\t*->1-1\tx[1]",
        "1-3.1\t9-11\tag\t_\thttp://x\tSUB\\_x\t_\t_",
        "1-3.2\t11-11\t\t_\t*\tNONE\t_\t_",
        "1-4\t12-16\tleft\tV\t_\t_\t_\t_",
        "1-5\t17-18\t.\t.\t_\t_\t_\t_",
        "",
        "#Text=She\\tsaid",
        "2-1\t20-23\tShe\tP\t_\t_\tcoref->1-2\tpr[1]",
        "2-2\t24-28\tsaid\tV\t_\t_\t_\t_",
        header=(
            f"SP={POS}|PosValue",
            f"SP={NER}|identifier|value",
            f"CH={COREFERENCE}|referenceRelation|referenceType",
        ),
    )
    path = written(tmp_path, content)
    assert recognise_format(Head(path), "read") == "webanno"
    corpus = read_corpus(path)
    assert corpus.documents[0].text == "😊 Ms. Haag left .\n She\tsaid"
    assert marks(corpus.documents[0]) == [("Ms.", "PERpart", ""), ("Ms. Haag", "PER", "1"), ("ag", "SUB_x", "http://x")]
    assert corpus.notes == (
        "left aside: marks of no length (1); links of chains where nothing is marked (1)", GAP,
    )  # fmt: skip


def test_layers_without_types_relations_and_levels(tmp_path: Path) -> None:
    content = export(
        "#Text=Ann met Lee in",
        "#Text=Oslo .",
        "1-1\t0-3\tAnn\t*\t_\t_\t_\t_",
        "1-2\t4-7\tmet\t_\t_\t_\t_\t_",
        "1-3\t8-11\tLee\t*\t_\t1-1\tx\t1-1",
        "1-4\t12-14\tin\t_\t_\t_\t_\t_",
        "1-5\t15-19\tOslo\t_\tNO\\_MASK\t_\t_\t_",
        "1-6\t20-21\t.\t_\t_\t_\t_\t_",
        header=(
            "SP=webanno.custom.Person|", "SP=webanno.custom.Place|identifier_type",
            "RL=webanno.custom.SameAs|BT_webanno.custom.Person",
             "RL=webanno.custom.Works|label|BT_webanno.custom.Person",
        ),
    )  # fmt: skip
    corpus = read_corpus(written(tmp_path, content))
    assert corpus.documents[0].text == "Ann met Lee in\nOslo ."
    assert marks(corpus.documents[0]) == [
        ("Ann", "Person", "same-1"),
        ("Lee", "Person", "same-1"),
        ("Oslo", "Place", ""),
    ]
    assert corpus.documents[0].annotations[0].mentions[2].identifier == "NO_MASK"
    assert corpus.notes == ("its marks are of several layers: Person, Place", "left aside: relations of Works (1)")


def test_chains_alone_are_the_marks(tmp_path: Path) -> None:
    rows = ("1-1\t0-2\tHe\tpr[1]\tcoref->1-1", "1-2\t3-7\tshot\t_\t_", "1-3\t8-15\thimself\tpr[1]\t*->1-2")
    header = (f"CH={COREFERENCE}|referenceType|referenceRelation",)
    corpus = read_corpus(written(tmp_path, export("#Text=He shot himself", *rows, header=header)))
    assert marks(corpus.documents[0]) == [("He", "pr", "1"), ("himself", "pr", "1")]


@pytest.mark.parametrize("counted", ["0-2\t😊|3-6\tAnn", "0-1\t😊|2-5\tAnn"])
def test_tokens_tell_how_offsets_count(counted: str, tmp_path: Path) -> None:
    """UTF-16 units, as the format has it; or code points, as some who write it do."""
    rows = [
        f"1-{number}\t{row}\t*\t{'PER' if number == 2 else '*'}" for number, row in enumerate(counted.split("|"), 1)
    ]
    corpus = read_corpus(written(tmp_path, export("#Text=😊 Ann", *rows)))
    assert marks(corpus.documents[0])[1][:2] == ("Ann", "PER")


def test_annotators_of_an_exported_project(tmp_path: Path) -> None:
    one = export("#Text=Ann", "1-1\t0-3\tAnn\t*\tPER")
    none = export("#Text=Ann", "1-1\t0-3\tAnn\t_\t_")
    for who, content in {"bob": one, "eve": none, "INITIAL_CAS": none}.items():
        written(tmp_path, content, f"annotation/letter.txt/{who}.tsv")
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ("letter",)
    assert [(layer.annotator, len(layer.mentions)) for layer in corpus.documents[0].annotations] == [
        ("bob", 1),
        ("eve", 0),
    ]
    assert corpus.notes == ("left aside, since nobody annotated them (INITIAL_CAS): 1",)
    written(tmp_path, export("#Text=Bob", "1-1\t0-3\tBob\t_\t_"), "annotation/letter.txt/x.tsv")
    with pytest.raises(InputError, match="document letter: annotators have different texts of it"):
        read_corpus(tmp_path)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (export("#Text=Ann", "1-1\t0-3\tEve\t_\t_"),
         "document r: line 6: the text at 0–3 is 'Ann' but the token is 'Eve'"),
        (export("#Text=Ann", "1-1\t0-3\tAnn\t_"),
         "document r: line 6: has 1 columns after the token; expected the 2 of the header"),
        (export("#Text=Ann", "x\t0-3\tAnn\t_\t_"),
         "document r: line 6: found 'x\\t0-3\\tAnn\\t_\\t_\\t'; expected 1-1<tab>0-4<tab>token and columns"),
        (export("1-1\t0-3\tAnn\t_\t_"), "document r: line 5: found a token before any text; expected #Text= before it"),
        (export("#Text=Ann", "1-1\t0-99\tAnn\t_\t_"),
         "document r: offset 99 is past the end of the text (3 UTF-16 units)"),
        (export("#Text=Ann", "1-1\t0-3\tAnn\ta\tb\tc", header=("SP=x.Y|one|two|three",)),
         "layer Y: has the features one, two, three; expected one, or one called value, that says what is marked"),
    ],
)  # fmt: skip
def test_what_is_refused(content: str, fault: str, tmp_path: Path) -> None:
    path = written(tmp_path, content)
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: {fault}"


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(st.sampled_from("aé😀 \n\r\t.|\\[]_*;\u0301"), min_size=1, max_size=30))
    text = text.lstrip("\r\n\t ") + "x"
    spans = draw(st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, 8)), max_size=5))
    mentions = []
    for start, length in sorted((start, min(start + length, len(text))) for start, length in spans):
        if not (text[start].isspace() or text[length - 1].isspace()):
            kind = draw(st.sampled_from(["PERSON", "", "a_b|[1]", "x->y"]))
            level = draw(st.sampled_from([None, "DIRECT", "NO_MASK"]))
            entity = draw(st.sampled_from(["", "e 1", "_"]))
            mentions.append(
                Mention(start, length, kind, level, entity) if level else by_type(start, length, kind, entity)
            )  # type: ignore[arg-type]
    return Document("r", text, draw(st.sampled_from([(), (Annotation("gold", tuple(mentions)),)])))


@settings(max_examples=200)
@given(documents())
def test_nothing_is_lost_by_writing_and_reading(tmp_path_factory: pytest.TempPathFactory, found: Document) -> None:
    """Marks may overlap and stack."""
    path = tmp_path_factory.mktemp("webanno") / "r.tsv"
    path.write_bytes(webanno.write([found])["r.tsv"])
    (again,) = webanno.read(Input(Head(path)))
    assert again == found


def test_what_cannot_be_written(tmp_path: Path) -> None:
    for text, layer in ((" \n", ()), ("\nx", ()), ("a b", (Annotation("g", (Mention(0, 2, "A"),)),))):
        with pytest.raises(OutputError, match=r"cannot hold|no token holds"):
            write_corpus(Corpus([Document("r", text, layer)]), tmp_path / "out", "webanno")
