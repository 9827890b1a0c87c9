"""Packed files as if they were not: read in full or refused, and not unpacked from their start for every chunk."""

from __future__ import annotations

import gzip
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest
import zstandard

from showthrough.core.errors import InputError, ResourceError
from showthrough.formats import read_corpus
from showthrough.storage import compression
from showthrough.storage.limits import FILE
from showthrough.storage.reading import file_state, lines_of, open_file, read_bytes, stem, suffix

CONTENT = b"".join(b'{"doc_id": "%d", "text": "Mr Doe of Oslo"}\n' % number for number in range(5_000))
PACK: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".zst": zstandard.compress}
SKIPPED = b"\x50\x2a\x4d\x18" + (5).to_bytes(4, "little") + b"hello"


@pytest.mark.parametrize(("name", "bare"), [("a.b.JSONL.ZST", "a.b"), ("x.jsonl.zst", "x")])
def test_endings(name: str, bare: str) -> None:
    assert (suffix(Path(name)), stem(Path(name))) == (".jsonl", bare)


@pytest.mark.parametrize("ending", PACK)
def test_what_is_packed_reads_as_if_it_were_not(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"x.jsonl{ending}"
    path.write_bytes(PACK[ending](CONTENT))
    assert read_bytes(path) == CONTENT
    assert b"".join(line for _, _, line in lines_of(path)) == CONTENT
    draw = random.Random(1)
    with open_file(path) as file:
        for start in (draw.randrange(len(CONTENT) + 10) for _ in range(50)):  # also backwards, and past the end
            file.seek(start)
            assert file.read(70) == CONTENT[start : start + 70]


def frames(*parts: bytes, checksum: bool = False, size: bool = True) -> bytes:
    made = zstandard.ZstdCompressor(write_checksum=checksum, write_content_size=size)
    return b"".join(made.compress(part) for part in parts)


NOISE = random.Random(2).randbytes(300_000)  # which cannot be packed: blocks as they are


@pytest.mark.parametrize(
    ("whole", "content"),
    [
        (frames(CONTENT), CONTENT),
        (frames(CONTENT, checksum=True, size=False), CONTENT),
        (frames(b"a", b"", NOISE, b"b" * 300_000, checksum=True), b"a" + NOISE + b"b" * 300_000),
        (SKIPPED + frames(b"a") + SKIPPED + SKIPPED, b"a"),
    ],
    ids=["one", "with a checksum", "several", "skipped"],
)
def test_a_file_that_ends_in_the_middle_is_never_taken_for_a_whole_one(
    whole: bytes, content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "x.json.zst"
    path.write_bytes(whole)
    with open_file(path) as file:
        assert file.read() == content
    draw = random.Random(3)
    cuts = {*range(1, 40), *range(len(whole) - 40, len(whole)), *(draw.randrange(len(whole)) for _ in range(60))}
    for end in (cut for cut in cuts if 0 < cut < len(whole) and not _ends_here(whole[:cut])):
        path.write_bytes(whole[:end])
        with open_file(path) as file, pytest.raises(OSError, match="damaged or not a Zstandard file"):
            file.read()


def _ends_here(packed: bytes) -> bool:
    """Whether bytes are whole frames, as the library says of each."""
    while packed:
        if packed.startswith(SKIPPED[:4]):
            size = int.from_bytes(packed[4:8], "little")
            if len(packed) < 8 + size:
                return False
            packed = packed[8 + size :]
            continue
        try:
            one = zstandard.ZstdDecompressor().decompressobj()
            one.decompress(packed)
        except zstandard.ZstdError:
            return False
        if not one.eof:
            return False
        packed = one.unused_data
    return True


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("x.jsonl.zst", zstandard.compress(CONTENT)[:-9], "damaged or not a Zstandard file (it ends too early)"),
        ("x.jsonl.zst", b"{}", "damaged or not a Zstandard file"),
        ("x.jsonl.zst", zstandard.compress(CONTENT) + b"more", "damaged or not a Zstandard file"),
        ("x.jsonl.gz", gzip.compress(CONTENT)[:-9], "damaged or not a gzip file"),
        ("x.jsonl", zstandard.compress(CONTENT), "is packed with Zstandard; expected a name that ends in .zst"),
    ],
)
def test_damaged(name: str, content: bytes, says: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_corpus(tmp_path / name)
    assert str(caught.value).startswith(f"{tmp_path / name}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_bomb_stops_at_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FILE.variable, "200k")
    for name, content in (("x.json.zst", b"[" + b" " * 10**7), ("x.jsonl.zst", CONTENT * 10)):
        (tmp_path / name).write_bytes(zstandard.compress(content))
        with pytest.raises(InputError, match=r"unpacks to more than 200 KB; raise the limit if that is right"):
            read_corpus(tmp_path / name)


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.jsonl.zst"
    path.write_bytes(zstandard.compress(CONTENT))
    monkeypatch.setitem(__import__("sys").modules, "zstandard", None)
    with pytest.raises(ResourceError, match=r"pip install 'showthrough\[zst\]'"):
        read_corpus(path)


class Counted(io.FileIO):
    read_bytes = 0

    def readinto(self, buffer: object, /) -> int | None:  # type: ignore[override]
        found = super().readinto(buffer)  # type: ignore[arg-type]
        Counted.read_bytes += found or 0
        return found


@pytest.mark.parametrize("ending", PACK)
def test_chunks_of_a_file_go_on_where_the_last_one_was_closed(ending: str, tmp_path: Path) -> None:
    """Every chunk opens the file anew, at its own place: all of them together must not unpack it many times."""
    path = tmp_path / f"x{ending}"
    content = random.Random(4).randbytes(3_000_000)
    path.write_bytes(PACK[ending](content))

    def under() -> IO[bytes]:
        return io.BufferedReader(Counted(path))

    Counted.read_bytes = 0
    for start in range(0, len(content), 100_000):
        with compression.open_unpacked(path, under) as file:
            file.seek(start)
            assert file.read(100_000) == content[start : start + 100_000]
    # Each opens it, and reads a buffer or two before it knows where to go on.
    assert Counted.read_bytes < 3 * path.stat().st_size


def test_a_file_that_was_written_anew_is_not_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "x.json.zst"
    for content in (b"a" * 1000, b"b" * 1001):
        path.write_bytes(zstandard.compress(content))
        with open_file(path) as file:
            file.seek(500)
            assert file.read(10) == content[500:510]
            assert file_state(file) == file_state(path)


def test_of_two_that_were_read_just_as_far_one_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, opened = tmp_path / "x.jsonl.gz", []
    path.write_bytes(gzip.compress(CONTENT))
    made = compression._Position

    def noted(ending: str, under: IO[bytes]) -> compression._Position:
        opened.append(under)
        return made(ending, under)

    monkeypatch.setattr(compression, "_Position", noted)
    for one in [open_file(path) for _ in range(3)]:
        one.close()
    assert [under.closed for under in opened] == [True, True, False]
