"""Parquet: groups of rows read late, objects of other formats in rows, and damaged files."""

from __future__ import annotations

import json
import pickle
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, InputError, Mention, evaluate, read_anonymization, read_corpus
from showthrough.core.errors import ResourceError
from showthrough.data.masks import Anonymization
from showthrough.formats.tables.parquet import Groups, ParquetRows
from showthrough.formats.tables.rows import RowHead
from showthrough.formats.writing import write_corpus
from showthrough.systems import ANONYMIZERS

TEXTS = ["😀 Ann Lee\r\nleft", "e\u0301 = Oslo", "山田\x01 \r"]


def written(path: Path, rows: list[dict[str, Any]], group: int = 2, metadata: dict[str, Any] | None = None) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pylist(rows)
    if metadata:
        table = table.replace_schema_metadata({"huggingface": json.dumps(metadata)})
    pytest.importorskip("pyarrow.parquet").write_table(table, path, row_group_size=group)
    return path


def test_a_round_trip_keeps_every_character(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    corpus = Corpus([Document(f"d/{number}", text, (), "g") for number, text in enumerate(TEXTS)])
    write_corpus(corpus, tmp_path / "x.parquet", "parquet")
    assert list(read_corpus(tmp_path / "x.parquet")) == list(corpus)
    assert (tmp_path / "x.parquet").stat().st_mode & 0o077 == 0


def test_groups_of_rows_are_read_late_and_travel(tmp_path: Path) -> None:
    rows = [{"id": number, "text": f"text {number}", "group": None} for number in range(7)]
    corpus = read_corpus(written(tmp_path / "x.parquet", rows))
    assert isinstance(corpus.documents, Groups)
    assert corpus.ids == tuple("0123456")
    part = corpus.part(range(3, 6), lazy=True).documents
    assert [one.text for one in pickle.loads(pickle.dumps(part))] == ["text 3", "text 4", "text 5"]  # noqa: S301
    assert [one.id for one in corpus.documents[::-3]] == ["6", "3", "0"]
    assert corpus.documents[-1].text == "text 6"
    with pytest.raises(IndexError):
        _ = corpus.documents[7]


def test_workers_read_their_own_groups(tmp_path: Path) -> None:
    rows = [{"doc_id": str(number), "text": f"Ann {number} of Oslo. " * 20} for number in range(9)]
    corpus = read_corpus(written(tmp_path / "x.parquet", rows))
    nothing = Anonymization({key: [] for key in corpus.ids}, "x")
    metrics = ['tpi(ic="uniform")']
    one, two = (evaluate(corpus, [nothing], metrics, jobs=jobs, resamples=20).scores for jobs in (1, 2))
    assert one == two


def annotated(number: int) -> Document:
    layers = [Annotation("a", (Mention(2, 5, "PERSON", "DIRECT", "e1"),)), Annotation("b", ())]
    return Document(f"d{number}", "😀 Ann left.", tuple(layers[: 1 + number % 2]))


def test_rows_may_be_objects_of_a_json_format(tmp_path: Path) -> None:
    """A column that holds nothing in a row is a key that is not there: the second annotator of every other document."""
    documents = [annotated(number) for number in range(5)]
    write_corpus(Corpus(documents), tmp_path / "x.jsonl", "jsonl")
    rows = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    corpus = read_corpus(written(tmp_path / "x.parquet", rows))
    assert list(corpus) == list(read_corpus(tmp_path / "x.jsonl"))
    assert isinstance(corpus.documents, Groups)
    masks = ANONYMIZERS["rules"].masks(documents[:1])[0]
    system = Anonymization({one.id: masks for one in documents}, "x")
    known = read_corpus(tmp_path / "x.jsonl")
    assert evaluate(corpus, [system], resamples=20).scores == evaluate(known, [system], resamples=20).scores


def test_what_is_wrong_with_an_object_names_its_row(tmp_path: Path) -> None:
    mention = {"start_offset": 2, "end_offset": 5, "span_text": "Bob"}
    row = {"doc_id": "d", "text": "😀 Ann.", "annotations": {"a": {"entity_mentions": [mention]}}}
    with pytest.raises(InputError, match=r"document d: annotations.a.entity_mentions\[0\]: the text at 2–5 is 'Ann'"):
        read_corpus(written(tmp_path / "x.parquet", [row]))


def test_names_of_tags_come_from_the_data_set(tmp_path: Path) -> None:
    tags = {"feature": {"names": ["O", "B-PER"], "_type": "ClassLabel"}, "_type": "Sequence"}
    metadata = {"info": {"features": {"ner_tags": tags, "tokens": {"feature": {"dtype": "string"}}}}}
    rows = [{"tokens": ["Ann", "left"], "ner_tags": [1, 0]}]
    head = RowHead(ParquetRows(written(tmp_path / "x.parquet", rows, metadata=metadata)))
    assert head.first == {"tokens": ["Ann", "left"], "ner_tags": ["B-PER", "O"]}
    bare = RowHead(ParquetRows(written(tmp_path / "y.parquet", rows)))
    assert bare.first == {"tokens": ["Ann", "left"], "ner_tags": [1, 0]}


def test_marks_that_nobody_knows_are_not_taken_for_none(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", [{"id": 1, "text": "Oslo.", "places": [{"start": 0, "end": 4}]}])
    with pytest.raises(InputError, match="places: looks like marks"):
        read_corpus(path)
    with pytest.raises(InputError, match="places: looks like marks"):
        read_anonymization(path, Corpus([Document("1", "Oslo.")]))


def test_no_value_is_no_released_text(tmp_path: Path) -> None:
    """A system that failed on a document must not look like one that suppressed all of it."""
    rows = [{"id": 1, "text": "Oslo.", "out": None}, {"id": 2, "text": "Oslo.", "out": ""}]
    path = written(tmp_path / "x.parquet", rows)
    corpus = read_corpus(path, released="out")
    with pytest.raises(InputError) as caught:
        read_anonymization(path, corpus, text_column="out")
    fault = "row 1: column out: found no value; expected text, an empty one where all was suppressed"
    assert str(caught.value) == f"{path}: {fault}"


def test_malformed(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", [{"id": 1, "text": ["Oslo"]}])
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: row 1: found ['Oslo']; expected text"
    whole = written(tmp_path / "y.parquet", [{"id": n, "text": f"Oslo {n}" * 30} for n in range(9)]).read_bytes()
    for content in (b"", b"PAR1", whole[:-9], whole[len(whole) // 2 :], b"PAR1" + bytes(400) + b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"x\.parquet: is not sound Parquet: "):
            read_corpus(path)
    (tmp_path / "x.parquet.gz").write_bytes(b"\x1f\x8b")
    with pytest.raises(InputError):
        read_corpus(tmp_path / "x.parquet.gz")


def test_a_file_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path / "x.parquet", [{"id": n, "text": "Oslo"} for n in range(9)]))
    written(tmp_path / "x.parquet", [{"id": n, "text": "Bergen, which is longer"} for n in range(9)])
    with pytest.raises(InputError, match="changed while it was read"):
        _ = corpus.documents[0]


def test_a_group_of_rows_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "x.parquet", [{"id": n, "text": "Oslo" * 50 + str(n)} for n in range(90)], group=90)
    monkeypatch.setenv("SHOWTHROUGH_LIMIT", "1k")
    with pytest.raises(InputError, match="row group 1: unpacks to more than 1 KB"):
        read_corpus(path)


def repeated(path: Path, texts: int, rows: int, **options: Any) -> Path:
    """A small file in which all rows name one long text."""
    pyarrow, library = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    column = pyarrow.DictionaryArray.from_arrays(
        pyarrow.array([0] * rows, pyarrow.int32()), pyarrow.array(["x" * texts])
    )
    ids = [str(number) for number in range(rows)]
    library.write_table(pyarrow.table({"doc_id": ids, "text": column}), path, compression="zstd", **options)
    return path


def under_limit(path: Path) -> subprocess.CompletedProcess[str]:
    """Reads a file in a process that has two gigabytes of memory."""
    limit = (2 << 30, 2 << 30)
    run = [sys.executable, "-m", "showthrough", "corpus", str(path)]
    return subprocess.run(
        run,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, limit),
    )


@pytest.mark.slow
@pytest.mark.parametrize(("texts", "rows"), [(20_000, 360_000), (7_200_000, 1000)])
def test_a_small_file_of_many_gigabytes_is_refused_in_little_memory(tmp_path: Path, texts: int, rows: int) -> None:
    path = repeated(tmp_path / "x.parquet", texts, rows, store_schema=False, dictionary_pagesize_limit=1 << 25)
    assert path.stat().st_size < 3_000_000
    done = under_limit(path)
    fault = "unpacks to more than 1 GB; raise the limit if that is right: SHOWTHROUGH_LIMIT=2G"
    assert (done.returncode, done.stderr) == (2, f"{path}: {fault}\n")


@pytest.mark.parametrize("encoding", ["dictionary", "PLAIN", "DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"])
def test_a_row_is_no_larger_than_a_record_may_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, encoding: str
) -> None:
    plain = {"use_dictionary": False, "column_encoding": {"text": encoding}}
    path = repeated(
        tmp_path / "x.parquet", 5000, 2500, store_schema=False, **({} if encoding == "dictionary" else plain)
    )
    corpus = read_corpus(path)
    assert len(corpus) == 2500
    assert corpus.documents[2499] == Document("2499", "x" * 5000)
    monkeypatch.setenv("SHOWTHROUGH_RECORD_LIMIT", "4k")
    with pytest.raises(InputError, match="row 1: has more than 4 KB"):
        read_corpus(path)


def test_lists_are_counted_with_all_that_is_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spans = [{"start": 0, "end": 3, "label": "PERSON" * 20}] * 100
    rows = [{"doc_id": "a", "text": "Ann", "spans": []}, {"doc_id": "b", "text": "Ann", "spans": spans}]
    path = written(tmp_path / "x.parquet", rows)
    monkeypatch.setenv("SHOWTHROUGH_RECORD_LIMIT", "10k")
    with pytest.raises(InputError, match="row 2: has more than 10 KB"):
        read_corpus(path)
    monkeypatch.setenv("SHOWTHROUGH_RECORD_LIMIT", "100k")
    assert len(read_corpus(path)) == 2


def test_one_row_with_more_numbers_than_fit_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(tmp_path / "x.parquet", [{"text": "a", "spans": [0] * 1_000_000}])
    assert path.stat().st_size < 3000
    monkeypatch.setenv("SHOWTHROUGH_LIMIT", "2M")  # eight bytes for each
    with pytest.raises(InputError, match="row group 1: unpacks to more than 2 MB"):
        read_corpus(path)


def summary(content: bytes) -> int:
    """Where the summary of a file begins."""
    return len(content) - 8 - int.from_bytes(content[-8:-4], "little")


def test_whatever_pages_and_the_summary_say_is_read_or_refused(tmp_path: Path) -> None:
    """Each byte of it is changed: some made the library end the process, or go past its memory."""
    path = written(tmp_path / "x.parquet", [{"doc_id": str(n), "text": f"Ann {n % 3}"} for n in range(9)], group=9)
    whole = path.read_bytes()
    places = [*range(4, 60), *range(summary(whole), len(whole) - 8)]
    outcomes = {_outcome(path, whole[:place] + b"\xff" + whole[place + 1 :]) for place in places}
    assert outcomes == {9, "refused"}


def _outcome(path: Path, content: bytes) -> object:
    path.write_bytes(content)
    try:
        return len(read_corpus(path))
    except InputError:
        return "refused"


def test_rows_that_a_group_does_not_have(tmp_path: Path) -> None:
    path = written(tmp_path / "x.parquet", [{"doc_id": str(n), "text": "Oslo."} for n in range(9)], group=9)
    whole = path.read_bytes()
    start = summary(whole)
    nine, many = b"\x16\x12", b"\x16\xd0\x0f"  # 9 and 1000 as Thrift's compact protocol writes a field of 64 bits
    footer = whole[start:-8].replace(nine, many)
    path.write_bytes(whole[:start] + footer + len(footer).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(InputError, match=r"x\.parquet: is not sound Parquet: row group 1 has fewer rows than it says"):
        read_corpus(path)
    endless = whole[start:-8].replace(nine, b"\x16" + b"\xfe" * 8 + b"\x01")
    path.write_bytes(whole[:start] + endless + len(endless).to_bytes(4, "little") + b"PAR1")
    with pytest.raises(InputError, match=r"unpacks to more than 1 GB|is not sound Parquet"):
        read_corpus(path)


def test_what_is_not_installed_is_told_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(ResourceError, match=r"pip install 'showthrough\[parquet\]'"):
        read_corpus(tmp_path / "x.parquet")
