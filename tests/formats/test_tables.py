"""Tables as text: separators, columns, rows that are marks, and released texts beside the originals."""

from __future__ import annotations

import csv
import gzip
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import (
    Annotation,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    evaluate,
    read_anonymization,
    read_corpus,
    write_corpus,
)
from showthrough.data.masks import ScoredMask, TypedMask
from showthrough.evaluation.plan_files import read_request
from showthrough.formats.lines import LineDocuments
from showthrough.formats.people.background import read_background

ROWS = [("c1", 'Mr "J." Doe; of\r\nOslo | left, 😀.'), ("c2", "=Ann\tLee, e\u0301"), ("c3", "alone\rhere")]
DOCUMENTS = [Document(*row) for row in ROWS]


def written(path: Path, rows: list[tuple[Any, ...]], separator: str = ",", before: str = "", end: str = "\r\n") -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        file.write(before)
        csv.writer(file, delimiter=separator, lineterminator=end, quoting=csv.QUOTE_ALL).writerows(rows)
    return path


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
@pytest.mark.parametrize("name", ["x.csv", "x.tsv"])
@pytest.mark.parametrize("before", ["", "\ufeff", "\n"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_header_tells_what_separates_cells(
    tmp_path: Path, separator: str, name: str, before: str, end: str
) -> None:
    corpus = read_corpus(written(tmp_path / name, [("doc_id", "text"), *ROWS], separator, before, end))
    assert list(corpus) == DOCUMENTS
    assert corpus.notes == ()
    packed = tmp_path / f"{name}.gz"
    packed.write_bytes(gzip.compress((tmp_path / name).read_bytes()))
    assert list(read_corpus(packed)) == DOCUMENTS


def test_what_is_looked_for_tells_more_than_the_number_of_columns(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", [("case", "the body, of the letter, as sent"), ("c1", "a;b")], ";")
    path.write_text('case;the body, of it, as sent\nc1;"a;b"\n')
    corpus = read_corpus(path, id_column="case", text_column="the body, of it, as sent")
    assert list(corpus) == [Document("c1", "a;b")]


@pytest.mark.parametrize("line", ["sep=;\r\n", '"sep=;"\n', "\ufeffsep=;\n"])
def test_excel_says_what_separates_cells(tmp_path: Path, line: str) -> None:
    corpus = read_corpus(written(tmp_path / "x.csv", [("doc_id", "text"), *ROWS], ";", line))
    assert list(corpus) == DOCUMENTS
    assert corpus.documents[1] == DOCUMENTS[1]


def test_rows_are_decoded_late_and_travel(tmp_path: Path) -> None:
    corpus = read_corpus(written(tmp_path / "x.csv", [("text", "group"), *((f"é\n{n}", n % 2) for n in range(9))]))
    part = corpus.part(range(4, 6), lazy=True).documents
    assert isinstance(part, LineDocuments)
    assert pickle.loads(pickle.dumps(part))[:] == [Document("5", "é\n4", (), "0"), Document("6", "é\n5", (), "1")]  # noqa: S301
    assert corpus.notes == ("its documents have no ids: they are numbered, from 1 on",)


@pytest.mark.parametrize(("header", "ids"), [(("id", "text"), "c1"), (("id", "doc_id", "text"), "d1")])
def test_usual_columns_of_ids(tmp_path: Path, header: tuple[str, ...], ids: str) -> None:
    row = {"id": "c1", "doc_id": "d1", "text": "Oslo."}
    path = written(tmp_path / "x.csv", [header, tuple(row[name] for name in header)])
    assert read_corpus(path).ids == (ids,)


def test_a_file_of_one_column(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("text\nOslo left\nBergen\n")
    assert list(read_corpus(tmp_path / "x.csv")) == [Document("1", "Oslo left"), Document("2", "Bergen")]


def test_columns_that_were_not_used_are_named(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", [("", "doc_id", "text", "year", "out"), (0, "a", "Oslo.", 1996, "X.")])
    assert read_corpus(path).notes == ("not used, since the format does not know these columns: (no name), year, out",)
    told = read_corpus(path, released=["out"]).notes
    assert told == ("not used, since the format does not know these columns: (no name), year",)


@pytest.mark.parametrize("spans", ['[{"start": 0, "end": 4}]', "[{'start': 0, 'label': 'X'}]", '[[0, 4, "LOC"]]'])
def test_marks_in_a_cell_are_not_taken_for_none(tmp_path: Path, spans: str) -> None:
    path = written(tmp_path / "x.csv", [("doc_id", "text", "marks"), ("a", "Oslo.", "[]"), ("b", "Oslo.", spans)])
    with pytest.raises(InputError, match="marks: looks like marks"):
        read_corpus(path)
    corpus = Corpus([Document("a", "Oslo."), Document("b", "Oslo.")])
    with pytest.raises(InputError, match=r"column marks: looks like marks, .* say --text-column text"):
        read_anonymization(path, corpus)
    assert len(read_anonymization(path, corpus, text_column="text")) == 2


@pytest.mark.parametrize("spans", ['[{"start": 0, "end": 4, "label": "LOC"}]', "[(0, 4, 'LOC')]", '[[0, 4, "LOC"]]'])
def test_spans_in_a_cell_are_read(tmp_path: Path, spans: str) -> None:
    """The first row may have none, and an empty cell says nothing; ids are those of the table."""
    rows = [("doc_id", "text", "spans"), ("a", "Oslo.", "[]"), ("b", "Oslo.", spans), ("c", "Oslo.", "")]
    path = written(tmp_path / "x.csv", rows)
    corpus = read_corpus(path)
    marked = Annotation("gold", (Mention(0, 4, "LOC", "QUASI"),))
    assert [(one.id, one.annotations) for one in corpus] == [("a", (Annotation("gold"),)), ("b", (marked,)), ("c", ())]
    assert corpus.notes == ()
    assert [len(read_anonymization(path, corpus).of(key)) for key in "abc"] == [0, 1, 0]


@pytest.mark.parametrize(
    ("spans", "fault"),
    [
        ("[{'start': 0, 'label': 'X'}]", "key spans: looks like marks, .*; nearest is "),
        ("[[0, 4]]", r"row 1: spans\[0\]: found a list of 2; expected one of 3"),
        ("[{'start': 0, 'end': 99}]", "document a: spans"),
    ],
)
def test_spans_in_a_cell_that_cannot_be_placed(tmp_path: Path, spans: str, fault: str) -> None:
    path = written(tmp_path / "x.csv", [("doc_id", "text", "spans"), ("a", "Oslo.", spans)])
    with pytest.raises(InputError, match=fault):
        read_corpus(path)


def test_a_row_of_another_length_and_an_empty_id_are_told_together(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('doc_id,text\na,"x\ny"\nb,x,y\n,z\nd\n')
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path / "x.csv")
    assert str(caught.value).splitlines() == [
        f"{tmp_path / 'x.csv'}: line 4: has 2 columns in its header but 3 in this row",
        f"{tmp_path / 'x.csv'}: line 5: its id is empty; expected a name",
        f"{tmp_path / 'x.csv'}: line 6: has 2 columns in its header but 1 in this row",
    ]


def test_a_table_that_changes_meanwhile_is_noticed(tmp_path: Path) -> None:
    path = written(tmp_path / "x.csv", [("doc_id", "text"), *ROWS])
    corpus = read_corpus(path)
    path.write_text("doc_id,text\nc1,another text of some length\n")
    with pytest.raises(InputError, match="changed while it was read"):
        _ = corpus.documents[0]


def test_a_round_trip_keeps_every_character(tmp_path: Path) -> None:
    corpus = Corpus([*DOCUMENTS, Document("a;b,c", "sep=;\n", (), "g 1")])
    write_corpus(corpus, tmp_path / "x.csv", "table")
    assert list(read_corpus(tmp_path / "x.csv")) == list(corpus)


# --- rows that are marks ----------------------------------------------------------------------------------------------

TEXTS = {"c1": "😀 Ann Lee of Oslo.", "c2": "Nothing.", "c3": "Bergen."}
CORPUS = Corpus(
    [
        Document(key, text, (Annotation("a", (Mention(2, 9, "PERSON", "DIRECT", "e"),) if key == "c1" else ()),))
        for key, text in TEXTS.items()
    ]
)


def marks(path: Path, *rows: tuple[Any, ...], header: str = "doc_id,start,end,label,text") -> Path:
    return written(path / "marks.csv", [tuple(header.split(",")), *rows])


def test_a_row_a_mark(tmp_path: Path) -> None:
    path = marks(tmp_path, ("c1", 2, 9, "PERSON", "Ann Lee"), ("c1", "13.0", "17.0", "LOC", ""), ("c2", "", "", "", ""))
    found = read_anonymization(path, CORPUS, name="x")
    assert dict(found.masks) == {
        "c1": [TypedMask(2, 9, None, "PERSON"), TypedMask(13, 17, None, "LOC")],
        "c2": [],
        "c3": [],
    }
    assert found.notes == ("has no row for 1 document (c3) of the corpus: taken as nothing found there",)
    same = tmp_path / "tae.json"
    same.write_text(
        json.dumps({"c1": [[2, 9, None, "PERSON"], [13, 17, None, "LOC"]], "c2": [], "c3": []}), encoding="utf-8"
    )
    known = read_anonymization(same, CORPUS, name="x")
    assert found.digest == known.digest
    assert evaluate(CORPUS, [found], resamples=20).scores == evaluate(CORPUS, [known], resamples=20).scores


@pytest.mark.parametrize("column", ["score", "confidence", "probability", "Score", "confidenceScore"])
def test_a_column_of_scores(tmp_path: Path, column: str) -> None:
    path = marks(tmp_path, ("c1", 2, 9, "P", "0.75"), ("c1", 13, 17, "L", ""), header=f"id,start,end,label,{column}")
    found = read_anonymization(path, CORPUS)
    assert found.of("c1") == [ScoredMask(2, 9, None, "P", 0.75), TypedMask(13, 17, None, "L")]
    assert not any(column in note for note in found.notes)


@pytest.mark.parametrize("cell", ["high", "85", "-0.1", "nan"])
def test_a_column_of_no_scores_is_refused_with_what_to_do(tmp_path: Path, cell: str) -> None:
    path = marks(tmp_path, ("c1", 2, 9, "P", cell), header="id,start,end,label,confidence")
    with pytest.raises(InputError) as caught:
        read_anonymization(path, CORPUS)
    assert str(caught.value).startswith(f"{path}: line 2: column confidence: found ")
    told = "a number from 0 to 1; give the column another name if it holds something else"
    assert str(caught.value).endswith(told)


def test_white_space_of_what_a_row_covers_does_not_count(tmp_path: Path) -> None:
    path = marks(tmp_path, ("c1", 2, 9, "PERSON", "Ann\u00a0\nLee "))
    assert read_anonymization(path, CORPUS).of("c1") == [TypedMask(2, 9, None, "PERSON")]


def test_other_names_of_ends_and_a_replacement(tmp_path: Path) -> None:
    path = marks(tmp_path, ("c1", 2, 9, "NAME", "me"), header="id,begin,end,replacement,annotator")
    assert read_anonymization(path, CORPUS).of("c1") == [TypedMask(2, 9, "NAME", "")]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (("c1", "two", 9, "P", ""), "line 2: column start: found 'two'; expected a whole number"),
        (("c1", 2, "", "P", ""), "line 2: column end: found ''; expected a whole number"),
        (("c1", 2, 99, "P", ""), "line 2: document c1: end 99 is past the end of the text (18 characters)"),
        (
            ("c1", 3, 10, "P", "Ann Lee"),
            "line 2: document c1: the text at 3–10 is 'nn Lee ' but the row says 'Ann Lee'; expected offsets in "
            "Unicode code points, unless --offsets says what they count",
        ),
        (("", 2, 9, "P", ""), "line 2: its id is empty; expected a name"),
    ],
)
def test_a_mark_that_cannot_be(tmp_path: Path, row: tuple[Any, ...], line: str) -> None:
    path = marks(tmp_path, row)
    with pytest.raises(InputError) as caught:
        read_anonymization(path, CORPUS)
    assert str(caught.value) == f"{path}: {line}"


def test_marks_are_one_system_s_and_no_corpus(tmp_path: Path) -> None:
    two = marks(tmp_path, ("c1", 2, 9, "me"), ("c1", 2, 9, "you"), header="doc_id,start,end,annotator")
    with pytest.raises(InputError, match="column annotator: found me, you; expected one"):
        read_anonymization(two, CORPUS)
    with pytest.raises(InputError, match="so a row is a mark and no document; the corpus comes first"):
        read_corpus(two)
    with pytest.raises(InputError, match="has no column doc_id or id: choose the one that holds ids"):
        read_anonymization(marks(tmp_path, (2, 9), header="start,end"), CORPUS)


# --- released texts ---------------------------------------------------------------------------------------------------

PAIRS = [
    {
        "case": 7,
        "before": "😀 Ann Lee of Oslo.",
        "after": "😀 *** of Oslo.",
        "other": "😀 Ann Lee of [X].",
        "year": 1996,
    },
    {"case": 3, "before": "Bergen.", "after": "", "other": "Bergen.", "year": 1997},
]


def as_csv(path: Path, pairs: list[dict[str, Any]]) -> Path:
    return written(path / "p.csv", [tuple(pairs[0]), *(tuple(one.values()) for one in pairs)], ";")


def as_tsv(path: Path, pairs: list[dict[str, Any]]) -> Path:
    return written(path / "p.tsv", [tuple(pairs[0]), *(tuple(one.values()) for one in pairs)], "\t")


def as_lines(path: Path, pairs: list[dict[str, Any]]) -> Path:
    (path / "p.jsonl").write_text("\n".join(map(json.dumps, pairs)))
    return path / "p.jsonl"


def as_list(path: Path, pairs: list[dict[str, Any]]) -> Path:
    (path / "p.json").write_text(json.dumps(pairs))
    return path / "p.json"


def as_parquet(path: Path, pairs: list[dict[str, Any]]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.Table.from_pylist(pairs), path / "p.parquet")
    return path / "p.parquet"


def as_xlsx(path: Path, pairs: list[dict[str, Any]]) -> Path:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (tuple(pairs[0]), *(tuple(one.values()) for one in pairs)):
        book.active.append(row)
    book.save(path / "p.xlsx")
    return path / "p.xlsx"


Make = Callable[[Path, list[dict[str, Any]]], Path]
EVERY = pytest.mark.parametrize("make", [as_csv, as_tsv, as_lines, as_list, as_parquet, as_xlsx])


@EVERY
def test_one_table_with_originals_and_released_texts(make: Make, tmp_path: Path) -> None:
    path = make(tmp_path, PAIRS)
    (tmp_path / "plan.toml").write_text(
        f"corpus = {json.dumps(path.name)}\nid_column = 'case'\ntext_column = 'before'\nreleased = 'after,other'\n"
        "metrics = ['tpi(ic=\"uniform\")']\n"
    )
    plan = read_request(tmp_path / "plan.toml").plan()
    assert plan.corpus.ids == ("7", "3")
    kind = "key" if "json" in path.suffix else "column"
    assert plan.corpus.notes == (f"not used, since the format does not know this {kind}: year",)
    first, second = plan.anonymizations
    assert (first.name, second.name) == ("after", "other")
    assert dict(first.masks) == {"7": [Mask(2, 9, "***")], "3": [Mask(0, 7)]}
    assert dict(second.masks) == {"7": [Mask(13, 17, "[X]")], "3": []}
    assert first.notes == ("column after: nothing is left of 3: an empty text counts as all suppressed",)
    assert second.notes == ()


@EVERY
def test_rows_of_one_file_may_be_numbered(make: Make, tmp_path: Path) -> None:
    path = make(tmp_path, [{key: one[key] for key in ("before", "after")} for one in PAIRS])
    corpus = read_corpus(path, text_column="before", released="after")
    assert corpus.ids == ("1", "2")
    found = read_anonymization(path, corpus, text_column="after")
    assert dict(found.masks) == {"1": [Mask(2, 9, "***")], "2": [Mask(0, 7)]}


@EVERY
def test_rows_of_two_files_are_never_matched_by_their_order(make: Make, tmp_path: Path) -> None:
    corpus = read_corpus(make(tmp_path, [{"text": one["before"]} for one in PAIRS]))
    (tmp_path / "out").mkdir()
    path = make(tmp_path / "out", [{"text": one["after"]} for one in PAIRS])
    with pytest.raises(InputError, match=r"has no column doc_id or id, .* their order|doc_id is missing"):
        read_anonymization(path, corpus)


@EVERY
def test_ids_must_be_the_same_for_both(make: Make, tmp_path: Path) -> None:
    """Ids 2 and 1 beside numbered rows 1 and 2 would pair each text with the other's original."""
    pairs = [{"case": 2, "before": "Oslo.", "after": "***."}, {"case": 1, "before": "Bergen.", "after": "***."}]
    path = make(tmp_path, pairs)
    corpus = read_corpus(path, text_column="before", id_column="case")
    with pytest.raises(InputError, match="its rows have other ids here than the corpus has"):
        read_anonymization(path, corpus, text_column="after")


@EVERY
def test_a_column_that_is_not_there(make: Make, tmp_path: Path) -> None:
    path = make(tmp_path, [{"doc_id": "a", "text": "Oslo.", "out": "X."}])
    corpus = read_corpus(path)
    with pytest.raises(InputError, match=r"column nope: found doc_id, text, out; .*--released|has no nope"):
        read_anonymization(path, corpus, text_column="nope")


@pytest.mark.parametrize("name", ["a.json", "folder"])
def test_what_has_no_columns_has_no_released_ones(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.json").write_text('{"a": "Oslo."}')
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "a.txt").write_text("Oslo.")
    corpus = read_corpus(tmp_path / name)
    with pytest.raises(InputError, match="has no columns; expected a table"):
        read_anonymization(tmp_path / name, corpus, text_column="after")


def test_a_background_needs_ids(tmp_path: Path) -> None:
    (tmp_path / "b.csv").write_text("text\nOslo\n")
    with pytest.raises(InputError, match="has no ids, so nothing shows whom a text is about"):
        read_background(tmp_path / "b.csv")
