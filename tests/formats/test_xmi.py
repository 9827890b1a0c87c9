"""UIMA XMI, made by dkpro-cassis: named entities, layers of one's own, chains, relations, views, what is unsafe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, Mention, OutputError, read_corpus, write_corpus
from showthrough.core.errors import ResourceError
from showthrough.data.levels import by_type
from showthrough.formats import FORMATS
from showthrough.formats.annotation_tools import xmi
from showthrough.formats.samples import example
from showthrough.storage.reading import files_in

NER = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
TEXT = "😊 Ms. Haag left. She met Bob and Bobby."


def test_without_cassis(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(xmi, "import_module", missing)
    for name, content in example(FORMATS["xmi"]).items():
        (tmp_path / name).write_text(content)
    with pytest.raises(ResourceError, match=r"need dkpro-cassis: pip install 'showthrough\[uima\]'"):
        read_corpus(tmp_path)


@pytest.fixture
def cassis() -> Any:
    return pytest.importorskip("cassis")


def exported(cassis: Any, folder: Path, name: str = "doc.xmi") -> Path:
    """A file with what INCEpTION has: tokens, named entities, a relation layer, a chain, a layer of one's own."""
    types = cassis.load_dkpro_core_typesystem()
    for layer, features in {"SameAs": ("Governor", "Dependent"), "Works": ("Governor", "Dependent")}.items():
        made = types.create_type(f"webanno.custom.{layer}")
        for feature in features:
            types.create_feature(made, feature, NER)
    own = types.create_type("webanno.custom.Phi")
    for feature in ("value", "identifier_type", "remark"):
        types.create_feature(own, feature, "uima.cas.String")
    entity, dkpro = types.get_type(NER), "de.tudarmstadt.ukp.dkpro.core.api."
    link, chain = (types.get_type(f"{dkpro}coref.type.Coreference{end}") for end in ("Link", "Chain"))
    cas = cassis.Cas(types)
    cas.sofa_string = TEXT
    haag, bob, bobby = (
        entity(begin=TEXT.index(said), end=TEXT.index(said) + len(said), value="PER")
        for said in ("Ms. Haag", "Bob", "Bobby")
    )
    she = link(begin=18, end=21)
    first = link(begin=haag.begin, end=haag.end, next=she)
    phi = own(begin=11, end=15, value="ACT", identifier_type="NO_MASK", remark="why")
    same = types.get_type("webanno.custom.SameAs")(begin=bobby.begin, end=bobby.end, Governor=bob, Dependent=bobby)
    works = types.get_type("webanno.custom.Works")(begin=bobby.begin, end=bobby.end, Governor=haag, Dependent=bob)
    token = types.get_type(f"{dkpro}segmentation.type.Token")(begin=0, end=1)
    for one in (haag, bob, bobby, she, first, chain(first=first), phi, same, works, token):
        cas.add(one)
    folder.mkdir(parents=True, exist_ok=True)
    types.to_xml(folder / "TypeSystem.xml")
    cas.to_xmi(folder / name)
    return folder / name


def test_what_inception_has(cassis: Any, tmp_path: Path) -> None:
    corpus = read_corpus(exported(cassis, tmp_path))
    (document,) = corpus
    assert (document.id, document.text) == ("doc", TEXT)
    found = document.annotations[0].mentions
    assert [(TEXT[one.start : one.end], one.entity_type, one.identifier) for one in found] == [
        ("Ms. Haag", "PER", "DIRECT"), ("left", "ACT", "NO_MASK"), ("Bob", "PER", "DIRECT"), ("Bobby", "PER", "DIRECT"),
    ]  # fmt: skip
    assert found[0].entity_id
    assert found[2].entity_id == found[3].entity_id == "same-1"
    assert corpus.notes == (
        "its marks are of several layers: NamedEntity, Phi",
        "left aside: relations of Works (1); links of chains where nothing is marked (1); the feature remark (1)",
    )


def test_views_of_one_text_are_layers_and_of_others_documents(cassis: Any, tmp_path: Path) -> None:
    types = cassis.load_dkpro_core_typesystem()
    entity = types.get_type(NER)
    for other, ids, names in (("Ann ran", ("doc",), ["gold", "Second"]), ("Eve ran", ("doc", "doc-Second"), ["gold"])):
        cas = cassis.Cas(types)
        cas.sofa_string = "Ann ran"
        cas.add(entity(begin=0, end=3, value="PER"))
        second = cas.create_view("Second")
        second.sofa_string = other
        second.add(entity(begin=0, end=3, value="NAME"))
        types.to_xml(tmp_path / "TypeSystem.xml")
        cas.to_xmi(tmp_path / "doc.xmi")
        corpus = read_corpus(tmp_path / "doc.xmi")
        assert corpus.ids == ids
        assert [layer.annotator for layer in corpus.documents[0].annotations] == names


def test_a_round_trip(cassis: Any, tmp_path: Path) -> None:
    text = "  😀 Mr Ann\r\nLee e\u0301 \tleft & <so>.\n"
    layer = Annotation(
        "gold", (Mention(7, 15, "PERSON", "QUASI", "e1"), by_type(12, 15, "", "e2"), by_type(12, 17, "LOC"))
    )
    corpus = Corpus([Document("a", text, (layer,)), Document("b", "Oslo", (Annotation("gold"),))])
    write_corpus(corpus, tmp_path / "out", "xmi")
    assert list(read_corpus(tmp_path / "out")) == list(corpus)
    types = cassis.load_typesystem(tmp_path / "out" / "TypeSystem.xml")
    cas = cassis.load_cas_from_xmi(tmp_path / "out" / "a.xmi", typesystem=types)
    assert [one.get_covered_text() for one in cas.select(NER)] == [text[7:15], text[12:15], text[12:17]]
    for document, fault in (
        (Document("a", "x\x0b", (layer,)), "which XML cannot hold"),
        (Document("a", "x"), "is not annotated"),
    ):
        with pytest.raises(OutputError, match=fault):
            write_corpus(Corpus([document]), tmp_path / "more", "xmi")


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('end="11"', 'end="1"', "is no XMI that can be read: Not mapping external offset [1]"),  # inside the emoji
        ('end="11"', 'end="999"', "is no XMI that can be read: Not mapping external offset [999]"),
        (":NamedEntity ", ":Nope ", "is no XMI that can be read: Type with name [de.tudarmstadt"),
        ('begin="3"', 'begin="x"', "is no XMI that can be read: invalid literal for int()"),
        ("</xmi:XMI>", "", "is not well-formed XML: no element found"),
        (
            "<xmi:XMI ",
            '<!DOCTYPE a [<!ENTITY b "c">]><xmi:XMI ',
            "line 2: declares the entity 'b'; entities are refused",
        ),
    ],
)
def test_what_is_refused(cassis: Any, old: str, new: str, fault: str, tmp_path: Path) -> None:
    path = exported(cassis, tmp_path)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value).startswith(f"{path}: {fault}")
    assert "\n" not in str(caught.value)


def test_a_folder_is_looked_into_once(cassis: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files are as many as its documents: once for each would be all of them squared."""
    layer = (Annotation("gold", (by_type(0, 4, "LOC"),)),)
    write_corpus(Corpus([Document(str(one), "Oslo", layer) for one in range(20)]), tmp_path / "out", "xmi")
    looked: list[Path] = []

    def counted(folder: Path) -> list[Path]:
        looked.append(folder)
        return files_in(folder)

    monkeypatch.setattr(xmi, "files_in", counted)
    assert len(read_corpus(tmp_path / "out")) == 20
    assert looked == [tmp_path / "out"]


def test_the_type_system_must_be_there(cassis: Any, tmp_path: Path) -> None:
    path = exported(cassis, tmp_path / "annotation" / "letter.txt", "eve.xmi")
    (path.parent / "TypeSystem.xml").rename(tmp_path / "TypeSystem.xml")
    corpus = read_corpus(tmp_path)  # in a folder around it
    assert [(one.id, one.annotations[0].annotator) for one in corpus] == [("letter", "eve")]
    (tmp_path / "TypeSystem.xml").unlink()
    with pytest.raises(InputError, match=r"has no TypeSystem\.xml beside it; expected the one that was exported"):
        read_corpus(tmp_path)
