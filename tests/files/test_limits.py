"""What has no end or unpacks to more than memory holds is refused in one line, before it is read."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from showthrough import InputError, Run, read_anonymization, read_background, read_corpus
from showthrough.storage.limits import FILE, RECORD, Limit

SMALL = 200_000  # bytes that a limit is set to
LARGE = 50 * SMALL
Reader = Callable[[Path], object]


@pytest.fixture(autouse=True)
def limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILE.variable, "200k")
    monkeypatch.setenv(RECORD.variable, "20 kB")


def refused(reader: Reader, path: Path) -> str:
    """The message, and hardly any memory taken for it."""
    tracemalloc.start()
    try:
        with pytest.raises(InputError) as caught:
            reader(path)
        assert tracemalloc.get_traced_memory()[1] < LARGE / 2
    finally:
        tracemalloc.stop()
    text = str(caught.value)
    assert "\n" not in text
    assert len(text) < 500
    return text.replace(str(path), path.name)


def bomb(path: Path, content: bytes = b" " * LARGE) -> Path:
    path.write_bytes(gzip.compress(content))
    assert path.stat().st_size < SMALL / 5
    return path


MANY_LINES = b'{"doc_id": "a", "text": "b"}\n' * (LARGE // 29)


@pytest.mark.parametrize(
    ("name", "reader", "content"),
    [
        ("x.json.gz", read_corpus, b"[" + b" " * LARGE),
        ("x.json.gz", read_corpus, b'{"a": "' + b"x" * LARGE + b'"}'),
        ("x.jsonl.gz", read_corpus, MANY_LINES),
        ("x.csv.gz", read_corpus, b"doc_id,text\n" + b"a,b\n" * (LARGE // 4)),
        ("x.xml.gz", read_corpus, b"<deIdi2b2>" + b" " * LARGE),
        ("x.conll.gz", read_corpus, b"a O\n" * (LARGE // 4)),
        ("x.json.gz", read_anonymization, b"{" + b" " * LARGE),
        ("x.jsonl.gz", read_anonymization, MANY_LINES),
        ("x.json.gz", read_background, b"{" + b" " * LARGE),
        ("x.jsonl.gz", read_background, MANY_LINES),
        ("x.json.gz", Run.load, b"{" + b" " * LARGE),
    ],
)
def test_what_unpacks_to_more(tmp_path: Path, name: str, reader: Reader, content: bytes) -> None:
    says = "unpacks to more than 200 KB; raise the limit if that is right: SHOWTHROUGH_LIMIT=400K"
    assert refused(reader, bomb(tmp_path / name, content)) == f"{name}: {says}"


def test_white_space_without_end(tmp_path: Path) -> None:
    says = refused(read_corpus, bomb(tmp_path / "x.json.gz"))
    assert "more than 200 KB" in says
    assert FILE.variable in says


def test_the_size_that_a_packed_file_says_of_itself_is_not_believed(tmp_path: Path) -> None:
    path = bomb(tmp_path / "x.json.gz", b"[" + b" " * LARGE)
    path.write_bytes(path.read_bytes()[:-4] + (10).to_bytes(4, "little"))
    assert "unpacks to more than 200 KB" in refused(read_corpus, path)


@pytest.mark.parametrize("reader", [read_corpus, read_anonymization, read_background, Run.load])
def test_a_file_that_is_not_packed(tmp_path: Path, reader: Reader) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'{"a": "' + b"x" * SMALL + b'"}')
    says = "has more than 200 KB; raise the limit if that is right: SHOWTHROUGH_LIMIT=400K"
    assert refused(reader, path) == f"x.json: {says}"


def test_json_lines_that_are_not_packed_may_be_of_any_size(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = [json.dumps({"doc_id": str(number), "text": "x" * 10_000}) for number in range(30)]
    path.write_text("\n".join(lines), encoding="utf-8")
    assert path.stat().st_size > SMALL
    assert len(read_corpus(path)) == 30


LONG = "x" * 20_001


@pytest.mark.parametrize(
    ("name", "content", "place"),
    [
        ("x.jsonl", '{"doc_id": "a", "text": "b"}\n' + json.dumps({"doc_id": "c", "text": LONG}), "line 2"),
        ("x.json", json.dumps([{"doc_id": "a", "text": LONG}]), "document number 1"),
        ("x.json", json.dumps({"a": "b", "c": LONG}), "document c"),
    ],
)  # fmt: skip
def test_a_record_that_is_too_long(tmp_path: Path, name: str, content: str, place: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    says = "has more than 20 KB; raise the limit if that is right: SHOWTHROUGH_RECORD_LIMIT=40K"
    assert refused(read_corpus, tmp_path / name) == f"{name}: {place}: {says}"


def test_a_text_of_a_folder_that_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(LONG, encoding="utf-8")
    assert "a.txt: has more than 20 KB" in refused(read_corpus, tmp_path)


def test_a_cell_of_a_table_that_is_too_long(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text(f"doc_id,text\na,{LONG}\n", encoding="utf-8")
    assert RECORD.variable in refused(read_corpus, tmp_path / "x.csv")


def test_who_has_more_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(json.dumps([{"doc_id": "a", "text": "x" * SMALL}]).encode()))
    assert FILE.variable in refused(read_corpus, path)
    monkeypatch.setenv(FILE.variable, "1M")
    assert RECORD.variable in refused(read_corpus, path)
    monkeypatch.setenv(RECORD.variable, "1 mb")
    assert len(read_corpus(path).documents[0].text) == SMALL


@pytest.mark.parametrize(
    ("said", "size"), [("", 7), ("12", 12), ("3k", 3_000), ("3 KB", 3_000), ("2G", 2 * 10**9), (" 1t ", 10**12)]
)
def test_sizes(said: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOWTHROUGH_TEST", said)
    assert Limit("SHOWTHROUGH_TEST", 7).bytes == size


@pytest.mark.parametrize("said", ["much", "0", "-1", "1.5G", "1 P", "9" * 100])
def test_a_limit_that_is_no_size(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILE.variable, said)
    (tmp_path / "x.json").write_text("[]", encoding="utf-8")
    says = refused(read_corpus, tmp_path / "x.json")
    assert says.startswith("SHOWTHROUGH_LIMIT: found ")
    assert says.endswith("; expected a size such as 4G or 500M")


def test_the_usual_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(FILE.variable)
    monkeypatch.delenv(RECORD.variable)
    assert (FILE.bytes, RECORD.bytes) == (10**9, 64 * 10**6)


needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name here")


@needs_pipes
@pytest.mark.parametrize("reader", [read_corpus, read_anonymization, read_background, Run.load])
@pytest.mark.parametrize("name", ["x.json", "x.jsonl", "x.json.gz", "x.csv", "x.xml", "x.txt"])
def test_what_has_no_end_is_not_opened(tmp_path: Path, name: str, reader: Reader) -> None:
    """A device stands for a pipe too: reading it must not even start."""
    (tmp_path / name).symlink_to("/dev/zero")
    assert "is a pipe or a device; expected a file" in refused(reader, tmp_path / name)


# Every command in one process of its own, which can be given up if one of them waits.
ASKING = """
import contextlib, io, json, sys
from showthrough.cli import main

answers = []
for arguments in json.loads(sys.argv.pop()):
    sys.argv = ["showthrough", *arguments]
    with contextlib.redirect_stderr(io.StringIO()) as err:
        try:
            main()
            status = 0
        except SystemExit as left:
            status = left.code
    answers.append([status, err.getvalue()])
print(json.dumps(answers))
"""


@needs_pipes
def test_a_pipe_that_nobody_writes_into(tmp_path: Path) -> None:
    commands = [
        ("evaluate", "pipe", "a=masks.json"),
        ("evaluate", "corpus.json", "a=pipe"),
        ("validate", "pipe"),
        ("report", "pipe"),
        ("compare", "pipe"),
        ("attack", "corpus.json", "a=masks.json", "--background", "pipe"),
        ("corpus", "--vocabulary", "corpus.json", "--dictionary", "pipe"),
        ("evaluate", "pipe.toml"),
    ]
    for name in ("pipe", "pipe.toml"):
        os.mkfifo(tmp_path / name)
    (tmp_path / "corpus.json").write_text('[{"doc_id": "a", "text": "b"}]', encoding="utf-8")
    (tmp_path / "masks.json").write_text('{"a": []}', encoding="utf-8")
    process = [sys.executable, "-c", ASKING, json.dumps(commands)]
    done = subprocess.run(process, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    for command, (status, said) in zip(commands, json.loads(done.stdout), strict=True):
        assert status == 2, command
        assert "is a pipe or a device" in " ".join(said.split()), command
        assert "Traceback" not in said


@needs_pipes
def test_a_pipe_in_a_folder_of_texts(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("b", encoding="utf-8")
    os.mkfifo(tmp_path / "c.txt")
    assert "c.txt: is a pipe or a device; expected a file" in refused(read_corpus, tmp_path)


@needs_pipes
def test_a_pipe_among_the_files_of_a_model(tmp_path: Path) -> None:
    for name in ("model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    os.mkfifo(tmp_path / "config.json")
    opened = subprocess.run([sys.executable, "-c", MODEL, tmp_path], capture_output=True, text=True, timeout=60)
    assert "config.json is a pipe or a device" in opened.stderr.splitlines()[-1]


MODEL = """
import sys
from showthrough.models.files import model_files
from showthrough.models.names import EMBEDDING
model_files(EMBEDDING.parse(sys.argv[1]), EMBEDDING)
"""
