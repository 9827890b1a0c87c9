"""spaCy's files, made by spaCy itself: DocBin, Doc.to_json and training pairs."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import msgspec
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
from showthrough.formats import FORMATS, Input
from showthrough.formats.annotation_tools import docbin
from showthrough.formats.registry import recognise_format
from showthrough.storage.file_heads import Head

pytestmark = pytest.mark.skipif(
    find_spec("spacy") is None, reason="spaCy is not installed: pip install 'showthrough[spacy]'"
)


def spacy() -> Any:
    """Not imported before a test needs it: that takes seconds."""
    import spacy

    return spacy


TEXT = "😀 Mr John Doe  of Oslo\r\nleft."


def doc(text: str = TEXT, *spans: tuple[int, int, str], group: str | None = None, **named: Any) -> Any:
    """A document of spaCy with spans by characters: entities, or a span group."""
    made = spacy().blank("en")(text)
    found = [made.char_span(*span, **named) for span in spans]
    if group is None:
        made.set_ents(found)
    else:
        made.spans[group] = found
    return made


MARKED = (5, 13, "PERSON"), (18, 22, "GPE")
WRITERS: dict[str, Callable[[Path, list[Any]], Path]] = {}


def writer(name: str) -> Callable[[Callable[[Path, list[Any]], None]], Callable[[Path, list[Any]], None]]:
    def registered(write: Callable[[Path, list[Any]], None]) -> Callable[[Path, list[Any]], None]:
        def written(folder: Path, docs: list[Any]) -> Path:
            write(folder / name, docs)
            return folder / name

        WRITERS[name] = written
        return write

    return registered


@writer("d.spacy")
def _bin(path: Path, docs: list[Any]) -> None:
    spacy().tokens.DocBin(docs=docs).to_disk(path)


@writer("d.bin")
def _other_name(path: Path, docs: list[Any]) -> None:
    spacy().tokens.DocBin(docs=docs).to_disk(path)


@writer("d.spacy.gz")
def _packed(path: Path, docs: list[Any]) -> None:
    path.write_bytes(gzip.compress(spacy().tokens.DocBin(docs=docs).to_bytes()))


@writer("d.json")
def _list(path: Path, docs: list[Any]) -> None:
    path.write_text(json.dumps([one.to_json() for one in docs]))


@writer("d.jsonl")
def _lines(path: Path, docs: list[Any]) -> None:
    path.write_text("".join(json.dumps(one.to_json()) + "\n" for one in docs))


def _pair(one: Any) -> list[Any]:
    marks = {"entities": [[ent.start_char, ent.end_char, ent.label_] for ent in one.ents], "cats": {}, "links": {}}
    return [one.text, {**marks, "spans": {key: [[s.start_char, s.end_char, s.label_] for s in one.spans[key]]
                                          for key in one.spans}}]  # fmt: skip


@writer("pairs.json")
def _pairs(path: Path, docs: list[Any]) -> None:
    path.write_text(json.dumps(list(map(_pair, docs))))


@writer("pairs.jsonl")
def _pair_lines(path: Path, docs: list[Any]) -> None:
    path.write_text("".join(json.dumps(_pair(one)) + "\n" for one in docs))


def spans(document: Document) -> list[tuple[int, int, str]]:
    return [(one.start, one.end, one.entity_type) for one in document.annotations[0].mentions]


NUMBERED = "its documents have no ids: they are numbered, from 1 on"


@pytest.mark.parametrize("name", WRITERS)
def test_what_spacy_writes_is_read(name: str, tmp_path: Path) -> None:
    path = WRITERS[name](tmp_path, [doc(TEXT, *MARKED), doc("Nothing.")])
    corpus = read_corpus(path)
    assert [one.text for one in corpus] == [TEXT, "Nothing."]
    assert [spans(one) for one in corpus] == [list(MARKED), []]
    assert (corpus.ids, corpus.notes) == (("1", "2"), (NUMBERED,))
    system = read_anonymization(path, Corpus([Document("x", "Nothing."), Document("y", TEXT)]))
    assert [(one.start, one.end, one.entity_type) for one in system.of("y")] == list(MARKED)
    assert system.of("x") == []


@pytest.mark.parametrize("name", [name for name in WRITERS if not name.startswith("pairs")])
def test_nobody_looked_or_nothing_was_found(name: str, tmp_path: Path) -> None:
    """A blank pipeline looks for nothing, which is not the same as to find nothing."""
    corpus = read_corpus(WRITERS[name](tmp_path, [spacy().blank("en")("Oslo."), doc("Oslo.")]))
    assert [len(one.annotations) for one in corpus] == [0, 1]


@pytest.mark.parametrize("name", WRITERS)
def test_span_groups_are_told_or_are_the_marks(name: str, tmp_path: Path) -> None:
    both = doc(TEXT, *MARKED)
    both.spans["parts"] = [both.char_span(5, 9, "FIRST")]
    corpus = read_corpus(WRITERS[name](tmp_path, [both]))
    assert corpus.notes[1:] == ("its entities are the marks; spans in span groups are left aside: parts (1)",)
    grouped = doc(TEXT, (5, 9, "FIRST"), (5, 13, "PERSON"), group="sc")
    grouped.spans["other"] = [grouped[:1]]
    corpus = read_corpus(WRITERS[name](tmp_path, [grouped, spacy().blank("en")("Oslo.")]))
    assert spans(corpus.documents[0]) == [(5, 9, "FIRST"), (5, 13, "PERSON")]
    note = "it has no entities: the spans of its span group sc are the marks; left aside: other"
    assert corpus.notes[1:] == (note,)
    several = doc(TEXT, (5, 9, "FIRST"), group="a")
    several.spans["b"] = [several[:1]]
    path = WRITERS[name](tmp_path, [several])
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    fault = "has no entities but several span groups: a (1), b (1); expected one, or one called sc"
    assert str(caught.value).endswith(fault)


def test_ids_links_and_groups(tmp_path: Path) -> None:
    spacy().tokens.Doc.set_extension("case", default=None, force=True)
    linked = doc(TEXT, *MARKED, kb_id="Q1")
    linked.user_data |= {"id": 7, "ward": "w"}
    linked._.case = "c1"
    path = tmp_path / "d.spacy"
    spacy().tokens.DocBin(docs=[linked], store_user_data=True).to_disk(path)
    corpus = read_corpus(path, group_by="ward")
    assert (corpus.ids, corpus.notes, corpus.survey.groups) == (("7",), (), ("w",))
    assert {one.entity_id for one in corpus.documents[0].annotations[0].mentions} == {"Q1"}
    assert read_corpus(path, id_column="case").ids == ("c1",)
    (tmp_path / "d.json").write_text(json.dumps(linked.to_json(underscore=["case"])))  # one document alone
    assert read_corpus(tmp_path / "d.json", id_column="case").ids == ("c1",)
    (tmp_path / "e.json").write_text(json.dumps([{"doc_id": 9, **linked.to_json()}]))
    assert recognise_format(Head(tmp_path / "e.json"), "read_anonymization") == "spacy-json"
    assert read_corpus(tmp_path / "e.json").ids == ("9",)


@st.composite
def documents(draw: st.DrawFn) -> Document:
    text = draw(st.text(st.sampled_from("aé😀 \n\r\t.👩\u0301"), min_size=1, max_size=30))
    edges = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    pairs = zip(edges[::2], edges[1::2], strict=False)
    mentions = tuple(
        by_type(*pair, draw(st.sampled_from(["PERSON", ""])), draw(st.sampled_from(["", "e"]))) for pair in pairs
    )
    layers = draw(st.sampled_from([(), (Annotation("gold", mentions),)]))
    return Document(draw(st.sampled_from(["r", "s", "1"])), text, layers, draw(st.sampled_from(["", "g"])))


@pytest.mark.parametrize("name", ["spacy", "spacy-json"])
@settings(max_examples=80, deadline=None)
@given(found=st.lists(documents(), min_size=1, max_size=3, unique_by=lambda one: one.id))
def test_nothing_is_lost_by_writing_and_reading(
    name: str, tmp_path_factory: pytest.TempPathFactory, found: list[Document]
) -> None:
    if name == "spacy" and any(
        not mark.entity_type for one in found for layer in one.annotations for mark in layer.mentions
    ):
        with pytest.raises(OutputError, match="has no type, and spaCy takes an entity without one for none"):
            docbin.write(found)
        return
    chosen = FORMATS[name]
    path = tmp_path_factory.mktemp("spacy") / f"d{chosen.endings[0]}"
    path.write_bytes(chosen.write(found)[""])  # type: ignore[misc]
    assert list(chosen.read(Input(Head(path)))) == found  # type: ignore[misc]


def test_spacy_reads_what_we_write(tmp_path: Path) -> None:
    corpus = Corpus([Document("a", TEXT, (Annotation("gold", tuple(by_type(*one) for one in MARKED)),))])
    write_corpus(corpus, tmp_path / "d.spacy", "spacy")
    vocabulary = spacy().blank("en").vocab
    (made,) = spacy().tokens.DocBin().from_disk(tmp_path / "d.spacy").get_docs(vocabulary)
    write_corpus(corpus, tmp_path / "d.jsonl", "spacy-json")
    other = spacy().tokens.Doc(vocabulary).from_json(json.loads((tmp_path / "d.jsonl").read_text()), validate=True)
    for one in (made, other):
        assert one.text == TEXT
        assert [(ent.start_char, ent.end_char, ent.label_) for ent in one.ents] == list(MARKED)


@pytest.mark.parametrize("name", ["spacy", "spacy-json", "spacy-pairs"])
def test_overlapping_marks_cannot_be_written(name: str, tmp_path: Path) -> None:
    layer = Annotation("g", (Mention(0, 3, "A"), Mention(2, 4, "B")))
    with pytest.raises(
        OutputError, match="document a: the mentions 0–3 and 2–4 overlap, which this format cannot hold"
    ):
        write_corpus(Corpus([Document("a", "abcd", (layer,))]), tmp_path / "x", name)


def raw(**changed: Any) -> bytes:
    packed = msgspec.msgpack.decode(zlib.decompress(spacy().tokens.DocBin(docs=[doc(TEXT, *MARKED)]).to_bytes()))
    return zlib.compress(msgspec.msgpack.encode({**packed, **changed}))


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (lambda: b"hello", "is no DocBin of spaCy: it is not packed as one; expected what DocBin.to_disk writes"),
        (lambda: b"", "ends too early; expected a whole DocBin"),
        (lambda: spacy().tokens.DocBin(docs=[doc()]).to_bytes()[:-9], "ends too early; expected a whole DocBin"),
        (lambda: zlib.compress(b"\x81\xa1a\x01"), "is no DocBin of spaCy: attrs is missing"),
        (lambda: zlib.compress(b"\xc1"), "is no DocBin of spaCy: what it unpacks to is no msgpack"),
        (lambda: raw(lengths=b"\x01\0\0\0"), "is a damaged DocBin: its arrays are not as long as its documents"),
        (lambda: raw(strings=["Mr"]), "is a damaged DocBin: a token has no text"),
        (lambda: raw(span_groups=[b"\xc1"]), "document number 1: is a damaged DocBin: its span groups cannot be read"),
    ],
)
def test_a_damaged_bin_is_refused(tmp_path: Path, content: Callable[[], bytes], fault: str) -> None:
    path = tmp_path / "d.spacy"
    path.write_bytes(content())
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: {fault}"


def test_a_bomb_is_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWTHROUGH_LIMIT", "1M")
    path = tmp_path / "d.spacy"
    path.write_bytes(zlib.compress(b"\x81\xa7version" + bytes(50_000_000)))
    with pytest.raises(InputError, match="unpacks to more than 1 MB; raise the limit"):
        read_corpus(path)


def test_user_data_is_never_trusted(tmp_path: Path) -> None:
    """Whatever it holds, it is decoded as plain values, and what cannot be is no id."""
    path = tmp_path / "d.spacy"
    path.write_bytes(raw(user_data=[b"\xc1"]))
    assert read_corpus(path).ids == ("1",)


def test_without_spacy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from showthrough.core.errors import ResourceError

    path = WRITERS["d.spacy"](tmp_path, [doc(TEXT, *MARKED)])

    def missing(name: str) -> Any:
        raise ImportError(name)

    monkeypatch.setattr(docbin, "import_module", missing)
    with pytest.raises(ResourceError, match=r"need spaCy: pip install 'showthrough\[spacy\]'"):
        read_corpus(path)


SOUND = {"text": TEXT, "ents": [{"start": 5, "end": 13, "label": "PERSON"}], "tokens": []}


@pytest.mark.parametrize(
    ("content", "format", "fault"),
    [
        ([{**SOUND, "ents": [{"start": 5, "end": 99, "label": "P"}]}], None,
         "document number 1: ents[0]: end 99 is past the end of the text (29 characters)"),
        ([{**SOUND, "ents": [{"start": "5", "end": 9}]}], None,
         "document number 1: ents[0].start: found text; expected a whole number"),
        ([{"ents": []}], "spacy-json", "document number 1: text is missing"),
        ([{"id": 0, "paragraphs": [{"raw": "x", "sentences": [{"tokens": []}]}]}], None,
         "is in the JSON training format of spaCy 2, which has no offsets; convert it with `python -m spacy convert` "
         "of spaCy 3 and read the .spacy file"),
        ([["Oslo", {"entities": [[0, 9, "L"]]}]], None,
         "document number 1: entities[0]: end 9 is past the end of the text (4 characters)"),
        ([["Oslo", {"entities": [["B-LOC"]]}]], None,
         "document number 1: entities[0]: found ['B-LOC']; expected [start, end, label]"),
        ([["Oslo", {"entities": ["B-LOC"]}]], None,
         "document number 1: [1].entities[0]: found text; expected a list […]"),
    ],
)  # fmt: skip
def test_what_is_refused_of_json(tmp_path: Path, content: Any, format: str | None, fault: str) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps(content))
    with pytest.raises(InputError) as caught:
        read_corpus(path, format=format)
    assert str(caught.value) == f"{path}: {fault}"


def test_marks_under_a_key_that_is_not_known_are_no_silence(tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    path.write_text(json.dumps([["Oslo", {"entities": [], "marks": [[0, 4, "L"]]}]]))
    with pytest.raises(InputError, match="looks like marks"):
        read_corpus(path)
