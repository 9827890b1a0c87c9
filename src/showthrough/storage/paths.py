"""Paths to files on this machine, or in remote storage that a URL names and fsspec reads.

A file elsewhere is a path like any other to whoever reads it. It tells its name without what opens it: passwords and
the signatures of presigned addresses are in no message and in no run file. Nothing is asked that nobody named.
"""

from __future__ import annotations

import glob
import hashlib
import io
import os
import re
import stat
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from showthrough.core.errors import InputError, Problem, shorten
from showthrough.core.patterns import lazy_pattern

if TYPE_CHECKING:
    _Base = Path
else:
    _Base = type(Path())

_URL = lazy_pattern(r"([a-z][a-z0-9+.-]+):[/\\]+(?=[^/\\])")
_WEB = ("http", "https")
_GONE = (404, 410)  # what a web server answers where there is no file
_MAGIC = lazy_pattern(r"[*?\[]")
_ADDRESS = lazy_pattern(r"(\w+://)(?:[^\s/@'\"]*@)?([^\s?'\"]*)\?[^\s'\"]*|(\w+://)[^\s/@'\"]*@")
_FRESH = 5.0  # seconds for which what a storage says of a file is believed
_BLOCK = 4 << 20  # bytes of a file elsewhere that are asked for at a time
_BUFFER = 1 << 20
_FAULT = 160  # characters of what a library says
_PATIENCE = 10, 60  # seconds to wait for a connection, and for an answer
# What tells two contents of one name apart, in whichever storage.
_VERSIONS = (
    "ETag", "etag", "VersionId", "version_id", "generation", "md5Hash", "crc32c", "Content-MD5", "Digest",
    "LastModified", "last_modified", "Last-Modified", "updated", "mtime", "modified", "created",
)  # fmt: skip
State = tuple[int, int]


def as_path(path: str | os.PathLike[str]) -> Path:
    """Where something is by its name: `s3://bucket/cases.jsonl` elsewhere, all else on this machine.

    A command line may have made a path of a URL, which then has one slash less. What is there of that name is meant.
    """
    if isinstance(path, Remote):
        return path
    name = os.fspath(path)
    match = _URL.match(name)
    if match is None or os.path.lexists(name):
        return Path(path)
    rest = name[match.end() :]
    return Path(f"/{rest}") if match[1] == "file" else Remote.at(f"{match[1]}://{rest}")


class StorageError(OSError):
    """A storage does not give what is asked of it; `strerror` says why."""

    def __init__(self, why: str) -> None:
        super().__init__(0, why)


class Remote(_Base):
    """A file of a storage elsewhere. As text it is its URL without passwords and signatures."""

    _opens: str
    _known: tuple[float, Mapping[str, Any]] | None = None

    @classmethod
    def at(cls, url: str) -> Remote:
        scheme, _, rest = url.partition("://")
        if scheme in _WEB:
            rest = re.split(r"[?#]", rest, maxsplit=1)[0]
        host, slash, path = rest.partition("/")
        remote = cls(f"{scheme}:", host.rpartition("@")[2] + slash + path)
        remote._opens = url
        return remote

    @property
    def url(self) -> str:
        """What opens it, maybe with secrets in it."""
        return getattr(self, "_opens", str(self))

    @property
    def scheme(self) -> str:
        return self.parts[0].removesuffix(":")

    @property
    def web(self) -> bool:
        """Whether it is of a web server, which may give it from its start alone."""
        return self.scheme in _WEB

    def __str__(self) -> str:
        return f"{self.parts[0]}//{'/'.join(self.parts[1:])}" if self.parts else "."

    def __fspath__(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"Remote({str(self)!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Remote.at, (self.url,)

    def info(self, *, fresh: bool = False) -> Mapping[str, Any]:
        """What its storage says of it; the answer of a moment ago is good enough unless it has to be `fresh`."""
        now = time.monotonic()
        if fresh or self._known is None or now - self._known[0] > _FRESH:
            with self._connect() as (storage, name):
                self._known = now, storage.info(name)
        return self._known[1]

    @property
    def state(self) -> State:
        return _version(self.info())

    def exists(self, *, follow_symlinks: bool = True) -> bool:
        try:
            self.info()
        except FileNotFoundError:
            return False
        return True

    def is_dir(self, *, follow_symlinks: bool = True) -> bool:
        """Raises StorageError for a folder elsewhere, of which nobody can tell what belongs to it."""
        try:
            folder = not self.web and self.info().get("type") == "directory"
        except FileNotFoundError:
            return False
        if folder:
            raise StorageError(f"is a folder of a storage; expected a file, or a pattern such as {self}/*.jsonl")
        return False

    def is_file(self, *, follow_symlinks: bool = True) -> bool:
        return self.exists()

    def stat(self, *, follow_symlinks: bool = True) -> os.stat_result:
        size = self.info().get("size")
        return os.stat_result((stat.S_IFREG | stat.S_IRUSR, 0, 0, 1, 0, 0, size or 0, 0, 0, 0))

    def samefile(self, other_path: str | os.PathLike[str]) -> bool:
        return str(self) == os.fspath(other_path)

    def open(self, *_: Any, **__: Any) -> IO[bytes]:  # type: ignore[override] # to be read, as it is
        return io.BufferedReader(_RemoteFile(self), _BUFFER)

    def matches(self) -> list[Path]:
        """The files whose names go with it as a pattern, sorted."""
        with self._connect() as (storage, name):
            files = storage.glob(name, detail=True)
        named = sorted(name for name, info in files.items() if info.get("type") != "directory")
        return [Remote.at(name if "://" in name else f"{self.scheme}://{name.lstrip('/')}") for name in named]

    @contextmanager
    def _connect(self) -> Iterator[tuple[Any, str]]:
        """Its storage and its name there; whatever that raises becomes an OSError that says why in one line."""
        try:
            from fsspec.core import url_to_fs
        except ImportError as error:
            raise self._missing_package("pip install 'showthrough[remote]'") from error
        try:
            yield url_to_fs(self.url, **_options(self.scheme))
        except FileNotFoundError as error:
            cause = error.__cause__  # of whatever went wrong a web server's reader says that there is no file
            if not self.web or not isinstance(cause, Exception) or getattr(cause, "status", 0) in _GONE:
                raise
            raise StorageError(self._describe_error(cause)) from error
        except ImportError as error:
            raise self._missing_package(shorten(str(error), _FAULT)) from error
        except Exception as error:  # of a library of whatever storage, anything
            raise StorageError(self._describe_error(error)) from error

    def _missing_package(self, package: str) -> InputError:
        """That a package is missing, which no path can do without."""
        instead = "or copy the file to this machine, and name it there"
        return InputError(
            Problem(str(self), "", f"{self.scheme}:// needs a package that is not installed: {package}; {instead}")
        )

    def _describe_error(self, error: Exception) -> str:
        """What a library says, in one line and without secrets."""
        class_name = type(error).__name__
        if isinstance(error, StorageError):
            return str(error.strerror)
        if isinstance(error, PermissionError) or getattr(error, "status", None) in (401, 403):
            return "access denied; the storage's own settings and environment variables give credentials"
        if "Credentials" in class_name:
            return "no credentials found; the storage's own settings and environment variables give them"
        if isinstance(error, ValueError) and "rotocol" in str(error):
            return f"no storage is known by {self.scheme}://; expected s3, gs, hdfs, http, https or another of fsspec's"
        if "Timeout" in class_name:
            return "the storage did not answer in time"
        if getattr(error, "status", None) is not None:
            return f"the server answers {error.status} {shorten(str(getattr(error, 'message', '')))}".rstrip()  # type: ignore[attr-defined]
        message = str(error).replace(self.url, str(self)).strip().split("\n")[0]
        message = _ADDRESS.sub(lambda match: f"{match[1] or match[3]}{match[2] or ''}", message)
        return shorten(f"{message or class_name}", _FAULT)


def _options(scheme: str) -> dict[str, Any]:
    """How a storage is asked: what it listed before is not believed, and it must answer some time."""
    options: dict[str, Any] = {"use_listings_cache": False}
    connect, answer = _PATIENCE
    if scheme in ("s3", "s3a"):
        patient = {"connect_timeout": connect, "read_timeout": answer, "retries": {"max_attempts": 2}}
        return {**options, "config_kwargs": patient}
    if scheme in _WEB:
        with suppress(ImportError):  # which the storage itself then tells
            from aiohttp import ClientTimeout

            waiting = ClientTimeout(total=None, sock_connect=connect, sock_read=answer)
            return {**options, "client_kwargs": {"timeout": waiting, "trust_env": True}}
    return options


def _version(info: Mapping[str, Any]) -> State:
    description = repr([(key, str(info[key])) for key in _VERSIONS if key in info]).encode()
    size = info.get("size")
    return -1 if size is None else int(size), int.from_bytes(
        hashlib.blake2b(description, digest_size=7).digest(), "big"
    )


class _RemoteFile(io.RawIOBase):
    """A file elsewhere, read in blocks; from its start on where its server gives no others."""

    def __init__(self, path: Remote) -> None:
        self._path = path
        self._state = _version(path.info(fresh=True))
        self._asked = time.monotonic()
        self._position = 0
        self._stream: Any = None  # of a server that gives no blocks
        self._passed = 0  # bytes of the stream
        with path._connect() as (storage, name):
            self._file: Any = storage.open(name, "rb", block_size=_BLOCK)

    @property
    def state(self) -> State:
        """That of the file as it was opened; asked for again after a while."""
        now = time.monotonic()
        if now - self._asked > _FRESH:
            self._asked = now
            try:
                self._state = self._path.state
            except OSError:
                self._state = -1, -1
        return self._state

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._state[0]}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Any) -> int:
        chunk = self._read(len(buffer))
        buffer[: len(chunk)] = chunk
        self._position += len(chunk)
        return len(chunk)

    def _read(self, size: int) -> bytes:
        with self._path._connect() as (storage, name):
            if self._stream is None:
                try:
                    self._file.seek(self._position)
                    chunk: bytes = self._file.read(size)
                    return chunk
                except ValueError:  # no blocks, but from the start
                    if not self._path.web:
                        raise
            if self._stream is None or self._passed > self._position:
                self._stream, self._passed = storage.open(name, "rb", block_size=0), 0
            while self._passed < self._position:
                skipped = self._stream.read(min(_BUFFER, self._position - self._passed))
                if not skipped:
                    return b""
                self._passed += len(skipped)
            chunk = self._stream.read(size)
            self._passed += len(chunk)
            return chunk

    def close(self) -> None:
        if not self.closed:
            super().close()
            for file in (getattr(self, "_file", None), getattr(self, "_stream", None)):
                if file is not None:
                    with suppress(Exception):  # nothing more is wanted of it
                        file.close()


def file_state(file: Path | IO[bytes] | int) -> State:
    """Size and time of a file: another pair tells that somebody wrote into it. Of one that is not there, -1."""
    source = getattr(file, "raw", file)  # of a file elsewhere, or a packed one, what knows
    try:
        if hasattr(source, "state"):
            state: State = source.state
            return state
        status = os.stat(file if isinstance(file, Path | int) else file.fileno())  # noqa: PTH116 (also of an open file)
    except (OSError, ValueError):
        return -1, -1
    return status.st_size, status.st_mtime_ns


def is_pattern(path: Path) -> bool:
    """Whether a name means the files that it goes with; one that is there as it stands means that."""
    if isinstance(path, Remote):
        return bool(_MAGIC.search("/".join(path.parts[2:]))) and not path.exists()
    return bool(_MAGIC.search(str(path))) and not os.path.lexists(path)


def expand_pattern(pattern: Path) -> list[Path]:
    """The files that a pattern goes with, sorted by name; raises InputError where there is none."""
    try:
        paths = pattern.matches() if isinstance(pattern, Remote) else _local_matches(pattern)
    except FileNotFoundError:
        paths = []
    except OSError as error:
        raise InputError(Problem(str(pattern), "", f"cannot be read: {error.strerror or error}")) from error
    if not paths:
        raise InputError(Problem(str(pattern), "", "no file matches; expected a name, or a pattern that some have"))
    return paths


def _local_matches(pattern: Path) -> list[Path]:
    return [path for path in map(Path, sorted(glob.glob(str(pattern), recursive=True))) if not path.is_dir()]  # noqa: PTH207 (also of absolute ones)
