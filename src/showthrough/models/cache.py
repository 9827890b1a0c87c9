"""What models answered and anonymizers found, kept between runs, by the content of the question.

An entry's name is the digest of everything its answer depends on: the model's revision, the parameters, the text.
So an entry is never stale, and two runs that write the same one on the same machine write the same numbers.
Entries hold numbers, and of masks their types and what a system wrote in place of a text, but no text of a document.
Still the folder is open to its owner alone: an embedding says much about what was embedded, and a system may write
anything.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from showthrough.core.errors import OutputError, PlanError, quote_value
from showthrough.core.patterns import lazy_pattern
from showthrough.storage.writing import write_atomically

Arrays = Mapping[str, NDArray[np.generic]]

LIMIT = 2_000_000_000  # bytes; the least recently used entries go first
PLACE, SIZE = "SHOWTHROUGH_CACHE", "SHOWTHROUGH_CACHE_LIMIT"  # environment variables: the folder, and its limit
_BYTES = lazy_pattern(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>[KMGT])B", re.IGNORECASE)
_EARLIER = b"showthrough cache 1\n"
_FORMAT = b"showthrough cache 2\n"
_DIGEST = 16
_DISK_BLOCK = 4096
_ABANDONED = 3600  # seconds after which what was being written was left by a run that was killed
_ROOM = 0.8  # what is left of the limit after making room, so that not every write has to
_RECOUNT = 0.05  # of the limit: who wrote so much counts again, since others may write at the same time


class _StoredArray(msgspec.Struct, frozen=True, array_like=True):
    dtype: str
    shape: tuple[int, ...]
    content: bytes


_decoder = msgspec.msgpack.Decoder(dict[str, _StoredArray])


def default_folder() -> Path:
    """Where entries are: `SHOWTHROUGH_CACHE`, or `showthrough` in the user's cache folder."""
    folder = os.environ.get(PLACE)
    if folder:
        return Path(folder).expanduser()
    home = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path.home() / ".cache") / "showthrough"


def default_limit() -> int:
    """How many bytes entries may take: `SHOWTHROUGH_CACHE_LIMIT`, such as 500MB or 20GB."""
    size_text = os.environ.get(SIZE, "").strip()
    if not size_text:
        return LIMIT
    match = _BYTES.fullmatch(size_text)
    if match is None:
        raise PlanError(f"found {quote_value(size_text)}; expected a size such as 500MB or 20GB", SIZE)
    return int(float(match["number"]) * 1000 ** (1 + "KMGT".index(match["unit"].upper())))


def usual_cache(persistent: bool = True) -> Cache:
    """The one of the user, or where nothing is to be kept one that keeps nothing."""
    return Cache(default_folder() if persistent else None, default_limit())


def question(*parts: object) -> str:
    """The name of the entry that answers a question.

    >>> question("ic", "model@1", "Mr Doe") == question("ic", "model@1", "Mr Doe")
    True
    >>> question("ab", "c") == question("a", "bc")  # parts are told apart, not just joined
    False
    """
    return hashlib.blake2b(msgspec.msgpack.encode(parts, enc_hook=_plain), digest_size=20).hexdigest()


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    raise TypeError(type(value).__name__)


class Cache:
    """A folder of entries; without a folder it keeps nothing and finds nothing."""

    def __init__(self, folder: Path | None, limit: int = LIMIT) -> None:
        # A folder of its own: the one that was named may be somebody's home, and is not ours to close or to clear.
        self.folder = folder / "answers" if folder else None
        self.limit = limit
        self._used: int | None = None  # bytes, counted at the first write and now and then
        self._written = 0  # bytes since they were counted
        self._warned: set[str] = set()  # kinds of trouble that the user heard of

    def through(self, names: Sequence[str], answer: Callable[[list[int]], Iterable[Arrays]]) -> list[Arrays]:
        """The entries of these names; `answer` gives those that are missing, by their places, in order.

        Answers are stored as they come, so that a run that is stopped does not lose them.
        """
        first = {name: index for index, name in reversed(list(enumerate(names)))}  # who asks the same asks once
        entries = {name: entry for name in first if (entry := self.get(name)) is not None}
        missing = sorted(index for name, index in first.items() if name not in entries)
        if missing:
            for index, entry in zip(missing, answer(missing), strict=True):
                entries[names[index]] = entry
                self.put(names[index], entry)
        return [entries[name] for name in names]

    def get(self, name: str) -> Arrays | None:
        if self.folder is None:
            return None
        path = self.folder / name[:2] / name
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn("read", f"the cache in {self.folder} cannot be read ({error.strerror}); computing instead")
            return None
        if content.startswith(_EARLIER):  # its checksum did not cover its name
            return None
        entry = _decode(name, content)
        if entry is None:
            self._warn("corrupt", f"{path}: this entry of the cache is damaged; computing it again")
            return None
        with suppress(OSError):  # somebody cleared the cache meanwhile; the entry is read already
            os.utime(path)
        return entry

    def put(self, name: str, entry: Arrays) -> None:
        if self.folder is None:
            return
        path = self.folder / name[:2] / name
        content = _encode(name, entry)
        try:
            _private(self.folder)
            path.parent.mkdir(mode=0o700, exist_ok=True)
            write_atomically(path, content, durable=False)  # one that a power cut damages is computed again
        except OSError as error:
            self._warn("write", f"the cache in {self.folder} cannot be written ({error.strerror}); going on without")
            self.folder = None
            return
        size = _on_disk(len(content))
        self._written += size
        if self._used is None or self._written > self.limit * _RECOUNT:
            self._used, self._written = self.size(), 0
        else:
            self._used += size
        if self._used > self.limit:
            self._make_room()

    def entries(self) -> Iterator[os.DirEntry[str]]:
        try:
            folders = _scan(self.folder) if self.folder else []
        except OSError as error:
            raise OutputError(f"{self.folder}: the cache cannot be read: {error.strerror}") from error
        for folder in folders:
            if folder.is_dir(follow_symlinks=False) and len(folder.name) == 2:
                with suppress(PermissionError):  # somebody else's; it is not ours to count or to clear
                    yield from (entry for entry in _scan(folder.path) if not entry.name.startswith("."))

    def size(self) -> int:
        """Bytes that the entries take on disk."""
        return sum(size for _, size, _ in self._sizes())

    def clear(self) -> int:
        """Removes all entries, and says how many there were."""
        entries = list(self.entries())
        for entry in entries:
            try:
                Path(entry.path).unlink(missing_ok=True)
            except OSError as error:
                raise OutputError(f"{entry.path}: cannot be removed: {error.strerror}") from error
        for path in self.folder.glob("??/.*") if self.folder else ():
            with suppress(FileNotFoundError):  # it was finished meanwhile
                if time.time() - path.stat().st_mtime > _ABANDONED:
                    path.unlink()
        self._used = None
        return len(entries)

    def _sizes(self) -> Iterator[tuple[float, int, str]]:
        """When each entry was last used, its size, its path."""
        for entry in self.entries():
            with suppress(OSError):  # another run removed it
                state = entry.stat(follow_symlinks=False)
                yield state.st_mtime, _on_disk(state.st_size), entry.path

    def _make_room(self) -> None:
        by_age = sorted(self._sizes())
        self._used = sum(size for _, size, _ in by_age)
        for _, size, path in by_age:
            if self._used <= self.limit * _ROOM:
                break
            with suppress(OSError):  # then it stays
                Path(path).unlink(missing_ok=True)
                self._used -= size

    def _warn(self, kind: str, message: str) -> None:
        if kind not in self._warned:
            import logging  # slow to import, and seldom needed

            self._warned.add(kind)
            logging.getLogger("showthrough").warning(message)


def _encode(name: str, entry: Arrays) -> bytes:
    stored = {key: _StoredArray(array.dtype.str, array.shape, array.tobytes()) for key, array in entry.items()}
    payload = msgspec.msgpack.encode(stored)
    return _FORMAT + _checksum(name, payload) + payload


def _checksum(name: str, payload: bytes) -> bytes:
    """Of an answer and of its question: an answer that was put in the place of another is none."""
    return hashlib.blake2b(name.encode() + b"\0" + payload, digest_size=_DIGEST).digest()


def _decode(name: str, content: bytes) -> Arrays | None:
    """The arrays of an entry; `None` when a single bit of it, or its name, is not as it was written."""
    start = len(_FORMAT) + _DIGEST
    payload = content[start:]
    if content[:start] != _FORMAT + _checksum(name, payload):
        return None
    try:
        return {
            key: np.frombuffer(stored.content, dtype=np.dtype(stored.dtype)).reshape(stored.shape)
            for key, stored in _decoder.decode(payload).items()
        }
    except (msgspec.DecodeError, TypeError, ValueError):
        return None


def _on_disk(size: int) -> int:
    """A file takes whole blocks; of one that holds a sentence's few numbers that is most of it."""
    return -(-size // _DISK_BLOCK) * _DISK_BLOCK


def _private(folder: Path) -> None:
    """Makes the folder, or closes it to everybody else if it stands open."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _scan(folder: str | Path) -> list[os.DirEntry[str]]:
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        return list(entries)
    return []
