"""Folders of texts: folders inside, files that are no texts, and ids that are paths."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from showthrough import Corpus, Document, InputError, OutputError, read_anonymization, read_corpus, write_corpus
from showthrough.storage import writing

DOCUMENTS = [Document("2019/b/case-1", "😀 Oslo\r\n"), Document("2019/case.2", "e\u0301"), Document("case-3", "x")]


def test_folders_inside_are_part_of_the_id(tmp_path: Path) -> None:
    write_corpus(Corpus(DOCUMENTS), tmp_path / "out", "folder")
    assert (tmp_path / "out/2019/b/case-1.txt").read_bytes() == "😀 Oslo\r\n".encode()
    corpus = read_corpus(tmp_path / "out")
    assert list(corpus) == DOCUMENTS
    assert corpus.notes == ()
    assert list(read_anonymization(tmp_path / "out", corpus).masks) == list(corpus.ids)


def test_other_files_are_told(tmp_path: Path) -> None:
    for name in ("a/one.txt", "two.txt", "a/notes.md", "b.md", "README", ".hidden.txt", ".git/x.txt", ".DS_Store"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "three.txt.gz").write_bytes(gzip.compress(b"x"))
    (tmp_path / "empty.old").mkdir()
    corpus = read_corpus(tmp_path)
    assert corpus.ids == ("a/one", "three", "two")
    assert corpus.notes == (
        "2 hidden .txt files were not read",
        "other files in the folder were not read: 1 hidden, 1 without an ending, 2 .md",
    )


def test_the_same_in_folders_of_other_formats(tmp_path: Path) -> None:
    for name, content in {"a.txt": "Ann", "a.ann": "T1\tPERSON 0 3\tAnn\n", "annotation.conf": "", "a.md": ""}.items():
        (tmp_path / name).write_text(content)
    assert read_corpus(tmp_path).notes == ("other files in the folder were not read: 1 .md",)


def test_an_id_that_two_files_have(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b.txt").write_text("x")
    (tmp_path / "a/b.txt.gz").write_bytes(gzip.compress(b"x"))
    with pytest.raises(InputError, match="document a/b: occurs twice"):
        read_corpus(tmp_path)


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/etc/x", "a//b", "a/.b/c", "./a", "a\0b", "a/"])
def test_no_id_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(OutputError, match="this id cannot be the name of a file"):
        write_corpus(Corpus([Document("ok", "x"), Document(name, "x")]), tmp_path / "out", "folder")
    assert list(tmp_path.iterdir()) == []


def test_no_link_leads_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "else").mkdir()
    (tmp_path / "out/a").symlink_to(tmp_path / "else")
    with pytest.raises(OutputError, match=r"a/b\.txt: is not in "):
        write_corpus(Corpus([Document("a/b", "x")]), tmp_path / "out", "folder", force=True)
    assert list((tmp_path / "else").iterdir()) == []


def test_a_file_where_a_folder_must_be(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be written"):
        write_corpus(Corpus([Document("a", "x"), Document("a.txt/b", "x")]), tmp_path / "out", "folder")
    assert list(tmp_path.iterdir()) == []


def test_all_files_or_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/old.txt").write_text("before")
    (tmp_path / "z.txt").write_text("before")
    real = writing._copy_link

    def failing(path: Path, copy: Path) -> None:
        if path.name == "z.txt":
            raise OSError(28, "No space left on device")
        real(path, copy)

    monkeypatch.setattr(writing, "_copy_link", failing)
    files = {"a/old.txt": b"after", "a/new/one.txt": b"after", "b/c/two.txt": b"after", "z.txt": b"after"}
    with pytest.raises(OutputError, match="No space left"):
        writing.write_folder(tmp_path, files)
    left = sorted(one.relative_to(tmp_path).as_posix() for one in tmp_path.rglob("*"))
    assert left == ["a", "a/old.txt", "z.txt"]
    assert (tmp_path / "a/old.txt").read_text() == (tmp_path / "z.txt").read_text() == "before"
