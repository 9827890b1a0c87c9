"""Reads gzip and Zstandard files as if they were not packed.

They can only be read from their start. Going back begins anew, and so would every chunk of a long file, each at its own
place: a file that is closed is therefore kept for a while, and whoever opens it again farther on goes on from there.
"""

from __future__ import annotations

import gzip
import io
import threading
import zlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import IO, Any, Protocol

from showthrough.core.errors import UnavailableError
from showthrough.storage.paths import file_state

ENDINGS = (".gz", ".zst")
MAGIC = {b"\x1f\x8b": ("gzip", ".gz"), b"\x28\xb5\x2f\xfd": ("Zstandard", ".zst")}
DENSEST = {".gz": 1032, ".zst": 1 << 16}  # bytes that are packed into one, at most
_NAMES = {".gz": "gzip", ".zst": "Zstandard"}
_BLOCK = 1 << 20
_KEPT = 4  # files that were closed, and may be opened again farther on
_READ = 1 << 17


class UnpackError(OSError):
    """What a packed file holds cannot be unpacked."""


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def close(self) -> None: ...


def compression_of(path: Path) -> str:
    """How a file is packed, by the ending of its name: `.gz`, `.zst`, or nothing."""
    ending = path.suffix.lower()
    return ending if ending in ENDINGS else ""


def open_unpacked(path: Path, under: Callable[[], IO[bytes]]) -> IO[bytes]:
    """A packed file, read as what it holds; `under` opens the file as it is."""
    return io.BufferedReader(_UnpackedFile(path, under), _READ)


class _Position:
    """A packed file that was read up to a place."""

    def __init__(self, ending: str, under: IO[bytes]) -> None:
        self.under = under
        self.offset = 0
        self._ending = ending
        self._stream: _Stream = gzip.GzipFile(fileobj=under, mode="rb") if ending == ".gz" else _Zstandard(under)

    def read(self, size: int) -> bytes:
        try:
            chunk = self._stream.read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise UnpackError(f"damaged or not a {_NAMES[self._ending]} file ({error})") from error
        self.offset += len(chunk)
        return chunk

    def close(self) -> None:
        self._stream.close()
        self.under.close()


_positions: OrderedDict[tuple[Hashable, int], _Position] = OrderedDict()
_lock = threading.Lock()


def _keep_open(key: Hashable, position: _Position) -> None:
    with _lock:
        alike = _positions.pop((key, position.offset), None)  # another that was read just as far
        _positions[key, position.offset] = position
        old = [_positions.popitem(last=False)[1] for _ in range(len(_positions) - _KEPT)]
    for closing in filter(None, [*old, alike]):
        closing.close()


def _take_nearest(key: Hashable, target: int, least: int) -> _Position | None:
    """The position of a file that is nearest before a place, and after another."""
    with _lock:
        nearest = max(
            (offset for path_key, offset in _positions if path_key == key and least < offset <= target), default=None
        )
        return None if nearest is None else _positions.pop((key, nearest))


class _UnpackedFile(io.RawIOBase):
    def __init__(self, path: Path, under: Callable[[], IO[bytes]]) -> None:
        self._open = under
        self._ending = compression_of(path)
        self._position = _Position(self._ending, under())
        self._key: Hashable = str(path), self.state
        self._place = 0

    @property
    def state(self) -> tuple[int, int]:
        """Size and time of the file as it is packed."""
        return file_state(self._position.under)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_CUR:
            offset += self._place
        elif whence == io.SEEK_END:
            raise io.UnsupportedOperation("how much a packed file holds is known when it is unpacked")
        self._place = offset
        return offset

    def readinto(self, buffer: Any) -> int:
        position = self._advance()
        chunk = position.read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._place += len(chunk)
        return len(chunk)

    def _advance(self) -> _Position:
        """The file at the place that was asked for, or at its end before."""
        current = self._position
        if current.offset != self._place:
            least = -1 if current.offset > self._place else current.offset
            nearer = _take_nearest(self._key, self._place, least)
            if nearer is None and current.offset > self._place:
                nearer = _Position(self._ending, self._open())
            if nearer is not None:
                self._position = nearer
                _keep_open(self._key, current)
        while self._position.offset < self._place:
            if not self._position.read(min(_BLOCK, self._place - self._position.offset)):
                break
        return self._position

    def close(self) -> None:
        if not self.closed:
            super().close()
            if hasattr(self, "_key"):
                _keep_open(self._key, self._position)


class _Zstandard:
    """The library takes a file that ends in the middle for a whole one; where frames end tells that it does."""

    def __init__(self, under: IO[bytes]) -> None:
        try:
            import zstandard
        except ImportError as error:
            raise UnavailableError("files that end in .zst need zstandard: pip install 'showthrough[zst]'") from error
        self._frames = _Frames(under)
        self._error = zstandard.ZstdError
        packed: Any = self._frames  # of a file, reading is all that is asked
        self._reader: Any = zstandard.ZstdDecompressor().stream_reader(
            packed, read_size=_READ, read_across_frames=True, closefd=False
        )

    def read(self, size: int) -> bytes:
        try:
            chunk: bytes = self._reader.read(size)
        except self._error as error:
            raise UnpackError(f"damaged or not a Zstandard file ({error})") from error
        if size and not chunk and not self._frames.whole:
            raise UnpackError("damaged or not a Zstandard file (it ends too early)")
        return chunk

    def close(self) -> None:
        self._reader.close()


_FRAME, _SKIPPED = 0xFD2FB528, 0x184D2A50
_ONE_BYTE = 1  # the kind of a block that repeats one


class _Frames:
    """Packed bytes on their way to the library, and whether a frame is complete where they end (RFC 8878)."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._skip, self._look = 0, 4  # bytes to pass over, and then to look at
        self._held = b""
        self._checksum = 0
        self._next: Callable[[int], None] = self._magic

    @property
    def whole(self) -> bool:
        return not (self._skip or self._held) and self._next == self._magic

    def read(self, size: int = -1) -> bytes:
        content = self._file.read(size)
        index = 0
        while index < len(content):
            passed = min(self._skip, len(content) - index)
            self._skip -= passed
            index += passed
            step = content[index : index + self._look - len(self._held)]
            self._held += step
            index += len(step)
            if len(self._held) == self._look:
                value, self._held = int.from_bytes(self._held, "little"), b""
                self._next(value)
        return content

    def _expect(self, skip: int, look: int, then: Callable[[int], None]) -> None:
        self._skip, self._look, self._next = skip, look, then

    def _magic(self, number: int) -> None:
        if number & 0xFFFFFFF0 == _SKIPPED:
            self._expect(0, 4, lambda size: self._expect(size, 4, self._magic))
        elif number == _FRAME:
            self._expect(0, 1, self._header)
        else:  # which the library refuses
            self._expect(0, _READ, self._magic)

    def _header(self, described: int) -> None:
        alone = described >> 5 & 1
        content_size = (alone, 2, 4, 8)[described >> 6]
        self._checksum = 4 * (described >> 2 & 1)
        self._expect((1 - alone) + (0, 1, 2, 4)[described & 3] + content_size, 3, self._block)

    def _block(self, header: int) -> None:
        last, block_type, size = header & 1, header >> 1 & 3, header >> 3
        size = 1 if block_type == _ONE_BYTE else size
        if last:
            self._expect(size + self._checksum, 4, self._magic)
        else:
            self._expect(size, 3, self._block)
