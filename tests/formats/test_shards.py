"""Corpora and anonymizations of several files: the same as of one, however they are cut, packed and stored."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import fsspec
import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
import zstandard

from showthrough import Anonymization, Corpus, evaluate
from showthrough.cli import demo_corpus as demo
from showthrough.core.errors import ChangedError, InputError
from showthrough.data.masks import Mask, NumberedMasks, ScoredMask, TypedMask, apply_masks
from showthrough.data.sharded import Joining, ShardedMasks, decode_masks, encode_masks
from showthrough.engines.base import InProcess, TaskResult
from showthrough.formats import FORMATS, read_anonymization, read_anonymized, read_corpus, read_released
from showthrough.formats._shards import read_anonymization_of
from showthrough.formats.base import ColumnNames
from showthrough.storage.columns.strings import Strings
from showthrough.storage.shards import shards_of

CORPUS = read_corpus(demo.corpus_path())
SYSTEM = read_anonymization(demo.anonymization_paths()["ner"], CORPUS, name="ner")
TEXTS = {one.id: apply_masks(one.text, SYSTEM.of(one.id)) for one in CORPUS}
PACK: dict[str, Callable[[bytes], bytes]] = {"": bytes, ".gz": gzip.compress, ".zst": zstandard.compress}


class Travelling(InProcess):
    """As if workers were elsewhere: what goes there and what comes back is sent, the last task first."""

    workers = 2

    def map(self, function: Callable[..., Any], tasks: Any) -> Iterator[TaskResult]:
        sent = [pickle.dumps((function, task)) for task in tasks]
        for number in reversed(range(len(sent))):
            there, task = pickle.loads(sent[number])  # noqa: S301
            yield TaskResult(number, pickle.loads(pickle.dumps(there(*task))))  # noqa: S301


def cut(random: Random, ids: Sequence[str], count: int) -> list[list[str]]:
    ends = sorted(random.sample(range(1, len(ids)), count - 1))
    return [list(ids[low:high]) for low, high in zip([0, *ends], [*ends, len(ids)], strict=True)]


def lines(values: Sequence[Any]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def rows_of_corpus(ids: Sequence[str]) -> bytes:
    documents = {one.id: one for one in CORPUS}
    return FORMATS["jsonl"].write([documents[key] for key in ids])[""]  # type: ignore[misc]


def rows_of_masks(ids: Sequence[str]) -> bytes:
    return lines([{"doc_id": key, "masks": [[*_fields(one)] for one in SYSTEM.of(key)]} for key in ids])


def _fields(mask: Mask) -> list[Any]:
    fields: list[Any] = json.loads(encode_masks([mask]))[0]
    return fields


def rows_of_texts(ids: Sequence[str]) -> bytes:
    return lines([{"doc_id": key, "text": TEXTS[key]} for key in ids])


@pytest.mark.parametrize("seed", range(6))
def test_numbers_are_those_of_one_file(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    parts = cut(random, CORPUS.ids, random.randrange(1, 9))
    aligned = random.random() < 0.6
    held = parts if aligned else cut(random, random.sample(list(CORPUS.ids), len(CORPUS)), random.randrange(1, 9))
    packing = random.choice(list(PACK))
    write = random.choice((rows_of_masks, rows_of_texts))
    for number, ids in enumerate(parts):
        (tmp_path / f"corpus-{number:02}.jsonl{packing}").write_bytes(PACK[packing](rows_of_corpus(ids)))
    for number, ids in enumerate(held):
        shuffled = random.sample(ids, len(ids))
        (tmp_path / f"masks-{number:02}.jsonl{packing}").write_bytes(PACK[packing](write(shuffled)))
    engine = random.choice((None, Travelling()))
    corpus = read_corpus(tmp_path / f"corpus-*.jsonl{packing}", engine=engine)
    masks = read_anonymization(tmp_path / f"masks-*.jsonl{packing}", corpus, name="ner", engine=engine)
    assert (corpus.name, masks.source) == ("corpus", str(tmp_path / f"masks-*.jsonl{packing}"))
    assert (list(corpus.ids), corpus.digest) == (list(CORPUS.ids), CORPUS.digest)
    whole = read_anonymization(_one_file(tmp_path, write), CORPUS, name="ner")
    assert masks.digest == whole.digest
    assert {key: list(each) for key, each in masks.masks.items()} == {
        key: list(each) for key, each in whole.masks.items()
    }
    expected, found = (
        evaluate(one, [two], metrics=["er_di", "er_qi", "recall_per_type"], resamples=20)
        for one, two in ((CORPUS, whole), (corpus, masks))
    )
    assert list(found.scores) == list(expected.scores)


def _one_file(home: Path, write: Callable[[Sequence[str]], bytes]) -> Path:
    path = home / "one.jsonl"
    path.write_bytes(write(CORPUS.ids))
    return path


def parquet(path: Path, rows: Sequence[Mapping[str, Any]], group: int = 7) -> None:
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(list(rows)), path, row_group_size=group)


@pytest.mark.parametrize("large", [False, True])
def test_parquet(tmp_path: Path, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that are held, and those that are gone through; one file has no rows."""
    if large:
        monkeypatch.setattr("showthrough.formats.tables.parquet._HELD", 0)
        monkeypatch.setattr("showthrough.formats.tables.parquet._BATCH", 3)
    documents = list(CORPUS)
    for number, start in enumerate(range(0, len(documents), 10)):
        part = documents[start : start + 10]
        parquet(tmp_path / f"c-{number}.parquet", [{"doc_id": one.id, "text": one.text} for one in part])
        parquet(tmp_path / f"m-{number}.parquet", [{"doc_id": one.id, "text": TEXTS[one.id]} for one in part])
    empty = pyarrow.table({"doc_id": pyarrow.array([], pyarrow.string()), "text": pyarrow.array([], pyarrow.string())})
    for name in ("c-9.parquet", "m-9.parquet"):
        pyarrow.parquet.write_table(empty, tmp_path / name)
    corpus = read_corpus(tmp_path / "c-*.parquet", engine=Travelling())
    assert [(one.id, one.text) for one in corpus] == [(one.id, one.text) for one in CORPUS]
    assert [one.id for one in corpus.documents[5:25]] == list(CORPUS.ids[5:25])
    assert corpus.documents[3].text == documents[3].text  # backwards
    sent = pickle.loads(pickle.dumps(corpus.part(range(8, 33), lazy=True)))  # noqa: S301
    assert [one.text for one in sent] == [one.text for one in documents[8:33]]
    masks = read_anonymization(tmp_path / "m-*.parquet", corpus, engine=Travelling())
    whole = Anonymization.from_texts(TEXTS, CORPUS)
    assert masks.digest == whole.digest


def test_released_texts_beside_originals_in_every_file(tmp_path: Path) -> None:
    for number in range(3):
        rows = [{"doc_id": f"{number}-{one}", "text": f"Mr Doe {one} left", "out": f"Mr X {one} left"} for one in "ab"]
        parquet(tmp_path / f"c-{number}.parquet", rows)
    corpus = read_corpus(tmp_path / "c-*.parquet", released="out")
    assert corpus.notes == ()
    out = read_anonymization(tmp_path / "c-*.parquet", corpus, text_column="out")
    assert out.masks == {f"{number}-{one}": [Mask(3, 6, "X")] for number in range(3) for one in "ab"}


def test_files_that_are_read_as_a_whole_are_not_kept(tmp_path: Path) -> None:
    documents = list(CORPUS)
    for number in range(2):
        part = documents[number * 20 : number * 20 + 20]
        (tmp_path / f"c-{number}.json").write_bytes(FORMATS["tab"].write(part)[""])  # type: ignore[misc]
    corpus = read_corpus([tmp_path / "c-0.json", tmp_path / "c-1.json"], engine=Travelling())
    assert list(corpus) == documents[:40]
    assert len(pickle.dumps(corpus.part(range(15, 25), lazy=True))) < 5_000
    (tmp_path / "c-1.json").write_bytes(FORMATS["tab"].write(documents[:20])[""])  # type: ignore[misc]
    with pytest.raises(ChangedError, match=r"c-1.json: changed while it was read"):
        list(pickle.loads(pickle.dumps(corpus.part(range(20, 25), lazy=True))))  # noqa: S301


SOUND = [{"doc_id": f"d{number}", "text": "Mr Doe of Oslo"} for number in range(9)]


def laid_out(home: Path, **changed: bytes) -> Path:
    """Three files of three documents each, and their masks; some otherwise."""
    for number in range(3):
        part = SOUND[number * 3 : number * 3 + 3]
        (home / f"c-{number}.jsonl").write_bytes(changed.get(f"c{number}", lines(part)))
        masks = [{"doc_id": one["doc_id"], "masks": [[3, 6]]} for one in part]
        (home / f"m-{number}.jsonl").write_bytes(changed.get(f"m{number}", lines(masks)))
    return home


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"c2": b'{"doc_id": "d6", "text": "a"}\n{"doc_id": "d7", \n'}, ["c-2.jsonl: line 2: is not valid JSON"]),
        (
            {"c1": lines([{"doc_id": "d3", "text": ""}]), "c2": lines([{"doc_id": "d6", "text": 7}])},
            ["c-1.jsonl: document d3: text is empty", "c-2.jsonl: document d6: text: found a whole number"],
        ),
        ({"c1": b"\n"}, ["c-1.jsonl: is empty; expected documents"]),
        ({"c1": b"a,b\n"}, ["c-1.jsonl: line 1: is not valid JSON"]),
        ({"c0": b"\x00\x01"}, ["c-0.jsonl: has a zero byte at its start"]),
        ({"c2": lines([SOUND[1], SOUND[8]])}, ["c-2.jsonl: document d1: this id occurs in ", "c-0.jsonl as well"]),
        ({"c2": lines([SOUND[8], SOUND[8]])}, ["c-2.jsonl: document d8: this id occurs twice"]),
        ({"c1": lines([{"text": "Mr Roe"}])}, ["c-1.jsonl: is in the format records, and ", "c-0.jsonl in jsonl"]),
        (
            {f"c{number}": lines([{"text": "Mr Roe"}]) for number in range(3)},
            [f"c-{number}.jsonl: its documents have no ids, and numbers would be the same" for number in range(3)],
        ),
        ({"m1": b'{"doc_id": "d3", "masks": [[3, "6"]]}\n'}, ["m-1.jsonl: document d3: masks[0][1]: found text"]),
        ({"m2": lines([{"doc_id": "d1", "masks": []}])}, ["m-2.jsonl: document d1: this id occurs", "m-0.jsonl as"]),
        ({"m1": lines([{"doc_id": "strange", "text": "Mr Doe"}])}, ["m-*.jsonl: document strange: is not in"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("engine", [None, Travelling()], ids=["here", "elsewhere"])
def test_what_is_wrong_is_told_with_its_file(
    changed: dict[str, bytes], says: list[str], engine: InProcess | None, tmp_path: Path
) -> None:
    laid_out(tmp_path, **changed)
    with pytest.raises(InputError) as caught:
        read_anonymization(tmp_path / "m-*.jsonl", read_corpus(tmp_path / "c-*.jsonl", engine=engine), engine=engine)
    assert len(caught.value.problems) == len(changed)
    for fragment in says:
        assert fragment in str(caught.value).replace(f"{tmp_path}/", "")


def test_foreign_and_missing_masks_are_told_as_of_one_file(tmp_path: Path) -> None:
    laid_out(tmp_path, m1=lines([{"doc_id": "d3", "masks": []}, {"doc_id": "foreign", "masks": []}]))
    corpus = read_corpus(tmp_path / "c-*.jsonl")
    masks = read_anonymization(tmp_path / "m-*.jsonl", corpus, name="a")
    with pytest.raises(InputError) as caught:
        evaluate(corpus, [masks], metrics=["residual"])
    told = str(caught.value)
    assert "m-*.jsonl: document foreign: is not in the corpus" in told
    assert "m-*.jsonl: document d4: is in the corpus but not here" in told
    assert len(masks) == 8
    assert "d4" not in masks.masks
    assert masks.of("d4") == ()


def test_marks_that_no_file_has_where_they_belong(tmp_path: Path) -> None:
    laid_out(tmp_path, c1=lines([{"doc_id": "d3", "text": "Mr Doe", "things": [{"start": 3, "end": 6}]}]))
    with pytest.raises(InputError, match=r"c-\*\.jsonl: key things: looks like marks"):
        read_corpus(tmp_path / "c-*.jsonl", format="records")


def test_notes_are_told_once(tmp_path: Path) -> None:
    laid_out(tmp_path, **{f"c{n}": lines([{**one, "ward": 7} for one in SOUND[3 * n : 3 * n + 3]]) for n in range(3)})
    laid_out_texts = [{"doc_id": f"d{number}", "text": ""} for number in range(2)]
    (tmp_path / "t-0.jsonl").write_bytes(lines(laid_out_texts[:1]))
    (tmp_path / "t-1.jsonl").write_bytes(lines(laid_out_texts[1:]))
    corpus = read_corpus(tmp_path / "c-*.jsonl")
    assert corpus.notes == ("not used, since the format does not know this key: ward",)
    texts = read_anonymization(tmp_path / "t-*.jsonl", corpus)
    assert texts.notes == ("nothing is left of d0, d1: 2 empty texts count as all suppressed",)


def test_texts_of_several_files_as_they_are(tmp_path: Path) -> None:
    laid_out(tmp_path)
    corpus = read_corpus(tmp_path / "c-*.jsonl")
    assert read_anonymized(tmp_path / "m-*.jsonl", corpus) == {one["doc_id"]: "Mr  of Oslo" for one in SOUND}
    assert read_anonymized(tmp_path / "c-*.jsonl", corpus) == {one["doc_id"]: one["text"] for one in SOUND}
    released, notes = read_released(tmp_path / "c-*.jsonl")
    assert (dict(released), notes) == ({one["doc_id"]: one["text"] for one in SOUND}, ())


def test_masks_that_were_made_of_other_texts(tmp_path: Path) -> None:
    """Provenance is joined where files were made alike, and each is held against its own texts."""
    from showthrough.data.provenance import Cost, Provenance, texts_digest

    laid_out(tmp_path)
    corpus = read_corpus(tmp_path / "c-*.jsonl")
    for number in range(3):
        part = list(corpus)[number * 3 : number * 3 + 3]
        made = Provenance(anonymizer="rules", version=1, texts=texts_digest(part), cost=Cost(1.5, 3, 42))
        one = Anonymization({document.id: [Mask(3, 6)] for document in part}, provenance=made)
        (tmp_path / f"p-{number}.json").write_bytes(FORMATS["showthrough"].write_masks(one)[""])  # type: ignore[misc]
    joined = read_anonymization(tmp_path / "p-*.json", corpus)
    assert joined.provenance is not None
    assert (joined.provenance.texts, joined.provenance.cost) == ("", Cost(4.5, 9, 126))
    (tmp_path / "c-1.jsonl").write_bytes(lines([{**one, "text": "Mr Roe of Rome"} for one in SOUND[3:6]]))
    with pytest.raises(InputError, match=r"p-1\.json: was made of other texts"):
        read_anonymization(tmp_path / "p-*.json", read_corpus(tmp_path / "c-*.jsonl"))


class InFile(NumberedMasks):
    """Masks as a reader gives them that leaves them in their file."""

    def __init__(self, masks: Mapping[str, Sequence[Mask]]) -> None:
        super().__init__(Strings.of(masks))
        self.masks = list(masks.values())

    def load(self, numbers: Any) -> Iterator[Sequence[Mask]]:
        return (self.masks[number] for number in numbers.tolist())

    def taken(self, numbers: Any) -> Mapping[str, Sequence[Mask]]:
        return dict(zip(self.ids.taken(numbers), self.load(numbers), strict=True))


MIXED = [Mask(1, 2), TypedMask(3, 4, "x", "AGE"), ScoredMask(5, 6, None, "", 0.25), Mask(7, 8, "é")]


def test_masks_stay_of_their_kinds() -> None:
    for masks in ([], MIXED[:1], MIXED[1:2] * 2, MIXED):
        again = decode_masks(encode_masks(masks))
        assert again == masks
        assert list(map(type, again)) == list(map(type, masks))


@pytest.mark.parametrize("small", [0, 50, 10**6])
def test_masks_of_several_files(small: int) -> None:
    joining = Joining(small)
    whole: dict[str, Sequence[Mask]] = {}
    for number in range(5):
        part = {f"{number}-{place}": MIXED[: (number + place) % 4] for place in range(7)}
        whole |= part
        if number % 2:
            joining.add_lazy(InFile(part))
        else:
            joining.add(Strings.of(part), map(encode_masks, part.values()))
    masks = joining.build()
    assert masks == whole
    lengths = np.array([max((one.end for one in each), default=0) for each in whole.values()])
    assert masks.outside(lengths).tolist() == []
    wrong = [number for number, each in enumerate(whole.values()) if each and number % 3]
    lengths[wrong] -= 1
    assert masks.outside(lengths).tolist() == wrong
    assert list(masks) == list(whole)
    assert (dict(masks.items()), list(masks.values())) == (whole, list(whole.values()))
    assert "x" not in masks
    with pytest.raises(KeyError):
        masks["x"]
    for asked in (["0-0"], ["1-1", "1-3"], ["4-6", "x", "1-1", "0-2", "2-2"], []):
        sent = pickle.loads(pickle.dumps(masks.window(asked)))  # noqa: S301
        assert dict(sent) == {key: whole[key] for key in asked if key in whole}
    assert pickle.loads(pickle.dumps(masks)) == whole  # noqa: S301


def test_masks_that_can_stay_in_their_files_do_where_documents_lie_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    laid_out(tmp_path)
    corpus = read_corpus(tmp_path / "c-*.jsonl")

    def reader(_: object, file: Any, __: object) -> InFile:
        return InFile(
            {one["doc_id"]: [Mask(*span) for span in one["masks"]] for one in map(json.loads, file.path.open())}
        )

    monkeypatch.setattr("showthrough.formats._shards.read_in", reader)
    asked = tmp_path / "m-*.jsonl"
    shards = shards_of(asked)
    assert shards is not None
    alike = read_anonymization_of(shards, corpus, "records", ColumnNames(), "masks")
    assert isinstance(alike.masks, ShardedMasks)
    assert all(isinstance(part, InFile) for part in alike.masks.parts)
    (tmp_path / "m-0.jsonl").rename(tmp_path / "m-9.jsonl")
    other = read_anonymization_of(shards_of(asked) or shards, corpus, "records", ColumnNames(), "masks")
    assert isinstance(other.masks, ShardedMasks)
    assert other.masks.parts == (None,) * 3
    assert dict(other.masks.items()) == dict(alike.masks.items())


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    yield storage
    storage.store.clear()


def test_files_elsewhere(memory: fsspec.AbstractFileSystem, tmp_path: Path) -> None:
    laid_out(tmp_path)
    for path in tmp_path.iterdir():
        memory.pipe(f"/notes/{path.name}.zst", zstandard.compress(path.read_bytes()))
    corpus = read_corpus("memory://notes/c-*.jsonl.zst")
    assert (corpus.name, corpus.source) == ("c", "memory://notes/c-*.jsonl.zst")
    assert list(corpus) == list(read_corpus(tmp_path / "c-*.jsonl"))
    masks = read_anonymization("memory://notes/m-*.jsonl.zst", corpus)
    assert masks.digest == read_anonymization(tmp_path / "m-*.jsonl", corpus).digest
    parquet(tmp_path / "x.parquet", [{"doc_id": str(number), "text": f"Oslo {number}"} for number in range(30)])
    memory.put(str(tmp_path / "x.parquet"), "/notes/x.parquet")
    assert [one.text for one in read_corpus("memory://notes/x.parquet")] == [f"Oslo {number}" for number in range(30)]
    memory.pipe("/notes/c-1.jsonl.zst", zstandard.compress(lines(SOUND[3:5])))
    with pytest.raises(ChangedError, match=r"memory://notes/c-1\.jsonl\.zst: changed while it was read"):
        list(Corpus(corpus.documents.window(3, 5)))  # type: ignore[attr-defined]
