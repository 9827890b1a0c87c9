"""A file from the web, whole: what an earlier call left of it is gone on with, if it is still the same file there."""

from __future__ import annotations

import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from showthrough.formats.datasets._web import RangeRefused, Web
from showthrough.formats.datasets.entries import PublishedFile
from showthrough.storage.limits import Limit
from showthrough.storage.reading import fail
from showthrough.storage.writing import report_os_errors, write_atomically

if TYPE_CHECKING:
    from http.client import HTTPResponse

Watch = Callable[[str, int, int], None]  # a file's name, bytes that came, bytes of all (0: not known)

MOST = Limit("SHOWTHROUGH_DOWNLOAD_LIMIT", 5 * 10**9)
_BLOCK = 1 << 16
_RANGE = re.compile(r"bytes (\d+)-\d+/(?:\d+|\*)")


class _Note(msgspec.Struct, frozen=True):
    """What the server said of the file whose beginning is there: by this the rest is known to be of the same."""

    url: str
    etag: str = ""
    changed: str = ""  # Last-Modified
    total: int = 0  # bytes of all; 0: not said

    @classmethod
    def of(cls, url: str, answer: HTTPResponse, total: int) -> _Note:
        return cls(url, answer.headers.get("ETag", ""), answer.headers.get("Last-Modified", ""), total)

    def same_as(self, answer: HTTPResponse, total: int) -> bool:
        tags = answer.headers.get("ETag", self.etag), answer.headers.get("Last-Modified", self.changed)
        return tags == (self.etag, self.changed) and total == self.total

    def range_headers(self, start: int) -> dict[str, str]:
        """A weak tag may not stand in If-Range; then what comes is compared."""
        strong = self.etag if self.etag and not self.etag.startswith("W/") else self.changed
        return {"Range": f"bytes={start}-"} | ({"If-Range": strong} if strong else {})


class PartialDownload:
    """What came of a file so far: `NAME.part`, and a note beside it."""

    def __init__(self, file: PublishedFile, folder: Path) -> None:
        self.file = file
        self.path = folder / f"{file.name}.part"
        self._note = folder / f"{file.name}.part.note"

    def complete(self, web: Web, watch: Watch) -> None:
        """Fetches what is missing. Stopped or cut off, it leaves what came, and the next call goes on from there."""
        begun, note = self._resume_state()
        if note and begun == note.total:
            return
        if note and begun:
            try:
                with web.open(self.file.url, note.range_headers(begun)) as answer:
                    if answer.status == HTTPStatus.OK:  # all of it: another file, or a server that has no ranges
                        self._take(web, answer, 0, watch)
                        return
                    if _start(answer) == begun and note.same_as(answer, _total(answer, begun)):
                        self._take(web, answer, begun, watch)
                        return
            except RangeRefused:
                pass
        with web.open(self.file.url, {}) as answer:
            self._take(web, answer, 0, watch)

    def discard(self) -> None:
        with report_os_errors(self.path):
            self.path.unlink(missing_ok=True)
            self._note.unlink(missing_ok=True)

    def move(self, target: Path) -> None:
        with report_os_errors(target):
            self.path.replace(target)
            self._note.unlink(missing_ok=True)

    def _resume_state(self) -> tuple[int, _Note | None]:
        """How much is there, and of what; nothing where nobody can tell of what."""
        try:
            note = msgspec.json.decode(self._note.read_bytes(), type=_Note)
            size = self.path.stat().st_size
        except (OSError, msgspec.DecodeError):
            return 0, None
        resumable = note.url == self.file.url and (note.etag or note.changed)
        return (size, note) if resumable else (0, None)

    def _take(self, web: Web, answer: HTTPResponse, start: int, watch: Watch) -> None:
        url, total = self.file.url, _total(answer, start)
        self._check(answer, total)
        most = self.file.size or total or MOST.bytes
        came = start
        with report_os_errors(self.path), self.path.open("ab" if start else "wb") as sink:
            if not start:  # after the old beginning is gone: a note must never speak of another file's
                write_atomically(self._note, msgspec.json.encode(_Note.of(url, answer, total)), private=False)
            watch(self.file.name, came, total)
            while block := _block(web, url, answer):
                came += len(block)
                if came > most:
                    break
                sink.write(block)
                watch(self.file.name, came, total)
        if came > most:
            self.discard()
            if most == MOST.bytes:
                raise MOST.exceeded_error(url, "has")
            raise fail(url, f"is another file: more than {most:,} bytes came; nothing of it is kept")
        if came < total:
            rest = "the same command fetches the rest"
            raise fail(url, f"cannot be fetched: the connection ended after {came:,} of {total:,} bytes; {rest}")
        if self.file.size and came != self.file.size:
            self.discard()
            raise fail(
                url, f"is another file: found {came:,} bytes, expected {self.file.size:,}; nothing of it is kept"
            )

    def _check(self, answer: HTTPResponse, total: int) -> None:
        """Raises InputError for what need not be waited for."""
        url, packed = self.file.url, answer.headers.get("Content-Encoding", "identity")
        if packed != "identity":
            raise fail(url, f"cannot be fetched: the server packs it ({packed}), which it was asked not to")
        if total and self.file.size and total != self.file.size:
            raise fail(url, f"is another file: found {total:,} bytes, expected {self.file.size:,}; nothing was fetched")
        if total > MOST.bytes:
            raise MOST.exceeded_error(url, "has")


def _block(web: Web, url: str, answer: HTTPResponse) -> bytes:
    with web.report_errors(url):
        return answer.read1(_BLOCK)


def _start(answer: HTTPResponse) -> int:
    """Where the part that came begins; -1 where that is not said."""
    match = _RANGE.fullmatch(answer.headers.get("Content-Range", ""))
    return int(match[1]) if match else -1


def _total(answer: HTTPResponse, start: int) -> int:
    """Bytes of the whole file; 0 where that is not said."""
    coming = answer.headers.get("Content-Length", "")
    return start + int(coming) if coming.isdecimal() else 0
