"""Excel's .xlsx: numbers, formulas, sheets, and files that would do harm."""

from __future__ import annotations

import datetime
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, Document, InputError, OutputError, read_anonymization, read_corpus, write_corpus
from showthrough.core.errors import ResourceError
from showthrough.data.masks import TypedMask
from showthrough.formats import FORMATS
from showthrough.formats.base import Input
from showthrough.formats.tables.xlsx import Worksheet
from showthrough.storage.file_heads import Head

TEXTS = ["😀 Ann Lee\r\nleft  ", "=1+1 e\u0301", " _x000D_ 山田\x01\r", "_x005F_ +cmd|' /C calc'!A0"]


def written(path: Path, *rows: tuple[Any, ...]) -> Path:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in rows:
        book.active.append(row)
    book.save(path)
    return path


def test_a_round_trip_keeps_every_character(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    corpus = Corpus([Document(f"d{number}", text, (), "g") for number, text in enumerate(TEXTS)])
    write_corpus(corpus, tmp_path / "x.xlsx", "xlsx")
    assert list(read_corpus(tmp_path / "x.xlsx")) == list(corpus)
    cells = [cell for row in openpyxl.load_workbook(tmp_path / "x.xlsx").active for cell in row]
    assert {cell.data_type for cell in cells} == {"s"}


def test_what_a_cell_cannot_hold(tmp_path: Path) -> None:
    pytest.importorskip("openpyxl")
    with pytest.raises(OutputError, match="document a: has 40000 characters; a cell of Excel holds 32767"):
        write_corpus(Corpus([Document("a", "x" * 40_000)]), tmp_path / "x.xlsx", "xlsx")
    assert not (tmp_path / "x.xlsx").exists()


def test_writing_puts_no_text_elsewhere_and_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))  # a temporary file would be an error
    write = FORMATS["xlsx"].write
    assert write is not None
    documents = [Document("a", "=1+1 <&> ' \" \r\n\t _x0041_ 😀 "), Document("b", "Mr Doe")]
    assert write(documents) == write(documents)


def test_numbers_and_dates_are_as_one_writes_them(tmp_path: Path) -> None:
    rows = [("id", "text", "group"), (17.0, 3.5, datetime.datetime(2011, 5, 3)), (), (True, "x", None)]
    corpus = read_corpus(written(tmp_path / "x.xlsx", *rows))
    assert list(corpus) == [Document("17", "3.5", (), "2011-05-03"), Document("true", "x")]


def test_a_row_a_mark(tmp_path: Path) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "start", "end", "type", "text"), ("a", 2, 5, "PERSON", "Ann"))
    found = read_anonymization(path, Corpus([Document("a", "😀 Ann")]))
    assert found.of("a") == [TypedMask(2, 5, None, "PERSON")]


def test_other_sheets_are_told(tmp_path: Path) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    book.active.append(("doc_id", "text"))
    book.active.append(("a", "Oslo."))
    book.create_sheet("more")
    book.save(tmp_path / "x.xlsx")
    assert read_corpus(tmp_path / "x.xlsx").notes == ("the first sheet (Sheet) was read, others were not: more",)


def _with_part(source: Path, target: Path, name: str, change: Any) -> Path:
    """A workbook with one part of it changed."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, change(old.read(part)) if part == name else old.read(part))
    return target


SHEET = "xl/worksheets/sheet1.xml"


def test_a_formula_has_its_last_value_or_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), ("a", "Oslo."), ("b", "=B2"))
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    fault = "row 3: column 2: found a formula without a value (=B2); expected a value: save it in Excel"
    assert str(caught.value) == f"{path}: {fault}"

    def calculated(content: bytes) -> bytes:
        changed = content.replace(b'<c r="B3"><f>B2</f><v /></c>', b'<c r="B3" t="str"><f>B2</f><v>Bergen.</v></c>')
        changed = changed.replace(b'<c r="B3"><f>B2</f><v></v></c>', b'<c r="B3" t="str"><f>B2</f><v>Bergen.</v></c>')
        assert changed != content
        return changed

    assert read_corpus(_with_part(path, tmp_path / "y.xlsx", SHEET, calculated)).documents[1] == Document(
        "b", "Bergen."
    )


def test_malformed(tmp_path: Path) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), ("a", "Oslo.", "more"))
    with pytest.raises(InputError) as caught:
        read_corpus(path)
    assert str(caught.value) == f"{path}: row 2: has 2 columns in its header but 3 in this row"
    with pytest.raises(InputError, match="column text: found no columns"):
        read_corpus(written(tmp_path / "empty.xlsx"))
    whole = path.read_bytes()
    for content in (b"", b"PK\x03\x04", whole[:-30], whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(InputError, match=r"x\.xlsx: is not a sound \.xlsx file: "):
            read_corpus(path)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("a.txt", "x")
    with pytest.raises(InputError, match=r"x\.xlsx: is not a sound \.xlsx file: "):
        read_corpus(path)


def test_entities_and_floods_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), ("a", "Oslo."))

    def declared(content: bytes) -> bytes:
        return b'<!DOCTYPE x [<!ENTITY a "aaaaaaaa">]>' + content

    with pytest.raises(InputError, match=r"sheet1.xml: declares entities or is no UTF-8, .* refused"):
        read_corpus(_with_part(path, tmp_path / "y.xlsx", SHEET, declared))
    flood = _with_part(path, tmp_path / "z.xlsx", SHEET, lambda content: content + b" " * 3_000_000)
    monkeypatch.setenv("SHOWTHROUGH_LIMIT", "2M")
    with pytest.raises(InputError, match="unpacks to more than 2 MB"):
        read_corpus(flood)
    assert len(read_corpus(path)) == 1


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (b'<row r="3"', b'<row r="1048576000"', "a row says that it is row 1048576000; expected one behind row 2"),
        (b'<row r="3"', b'<row r="1048577"', "a row says that it is row 1048577; .* and up to 1048576"),
        (b'<row r="3"', b'<row r="2"', "a row says that it is row 2; expected one behind row 2"),
        (b'<row r="3"', b'<row r="0"', "a row says that it is row 0; expected one behind row 2"),
        (b'r="B3"', b'r="XFE3"', "row 3: a cell is in column 16385; expected up to 16384"),
        (b'r="B3"', b'r="ZZZZZZ3"', r"is not a sound \.xlsx file: "),
    ],
)
def test_rows_and_columns_that_no_sheet_has(tmp_path: Path, old: bytes, new: bytes, fault: str) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), ("a", "Oslo."), ("b", "Bergen."))

    def changed(content: bytes) -> bytes:
        assert old in content
        return content.replace(old, new)

    with pytest.raises(InputError, match=fault):
        read_corpus(_with_part(path, tmp_path / "y.xlsx", SHEET, changed))


def test_rows_that_are_left_out_cost_nothing_and_what_the_sheet_says_of_its_size_is_not_heard(tmp_path: Path) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), ("a", "Oslo."), ("b", None))
    for size in (b"A1:XFD1048576", b"A1:A1"):

        def changed(content: bytes, size: bytes = size) -> bytes:
            assert b'ref="A1:B3"' in content
            return content.replace(b'ref="A1:B3"', b'ref="' + size + b'"').replace(b'<row r="3"', b'<row r="1048576"')

        rows = Worksheet(Input(Head(_with_part(path, tmp_path / "y.xlsx", SHEET, changed))))
        assert list(rows) == [("row 2", ("a", "Oslo.")), ("row 1048576", ("b", None))]


def test_one_text_in_many_cells_and_cells_far_out_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), *[(str(row), "Oslo. " * 500) for row in range(200)])
    wide = written(tmp_path / "y.xlsx", *[(*[None] * 12_000, "x") for _ in range(9)])
    assert len(read_corpus(path)) == 200
    monkeypatch.setenv("SHOWTHROUGH_LIMIT", "500k")  # 3000 letters 200 times; 12,000 places of 8 bytes 9 times
    with pytest.raises(InputError, match="unpacks to more than 500 KB"):
        read_corpus(path)
    with pytest.raises(InputError, match="unpacks to more than 500 KB"):
        read_corpus(wide)
    monkeypatch.delenv("SHOWTHROUGH_LIMIT")
    monkeypatch.setenv("SHOWTHROUGH_RECORD_LIMIT", "2k")
    with pytest.raises(InputError, match="row 2: has more than 2 KB"):
        read_corpus(path)


def test_what_is_packed_more_densely_than_any_sheet_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWTHROUGH_RECORD_LIMIT", "1M")
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), ("a", "Oslo."))
    dense = _with_part(path, tmp_path / "y.xlsx", "xl/styles.xml", lambda content: content + b"<xf/>" * 600_000)
    with pytest.raises(InputError, match="unpacks to more than 100 times its size"):
        read_corpus(dense)


def test_what_is_not_installed_is_told_with_its_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path / "x.xlsx", ("doc_id", "text"), ("a", "Oslo."))
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(ResourceError, match=r"pip install 'showthrough\[xlsx\]'"):
        read_corpus(path)
