"""Standard output and standard error that are never the reason to lose work."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO


class Outlet(io.RawIOBase):
    """A stream that takes everything: what cannot be written is dropped, and the reason kept."""

    def __init__(self, raw: io.RawIOBase | None) -> None:
        self._raw = raw
        self.fault: OSError | None = None

    def write(self, data: Any) -> int | None:
        if self.fault is None:
            try:
                if self._raw is None:
                    raise OSError(errno.EBADF, os.strerror(errno.EBADF))
                return self._raw.write(data)
            except OSError as error:
                self.fault = error
        return len(data)

    @property
    def reader_left(self) -> bool:
        """Whether a reader went away, who then has seen what they wanted."""
        return self.fault is not None and self.fault.errno == errno.EPIPE

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return self._raw is not None and self._raw.isatty()

    def fileno(self) -> int:
        if self._raw is None:
            raise io.UnsupportedOperation("fileno")
        return self._raw.fileno()


@contextmanager
def outlets() -> Iterator[Outlet | None]:
    """Standard output and standard error as outlets, while the program runs; gives that of standard output."""
    _occupy()
    before = sys.stdout, sys.stderr
    sys.stdout, out = _over(before[0])
    sys.stderr, _ = _over(before[1])
    try:
        yield out
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        sys.stdout, sys.stderr = before


def _over(stream: TextIO | None) -> tuple[TextIO, Outlet | None]:
    """A stream that writes through an outlet. One that is no file, as in a test, is left as it is."""
    if stream is None:  # it was closed before the program started
        outlet = Outlet(None)
        return io.TextIOWrapper(io.BufferedWriter(outlet), "utf-8", "backslashreplace"), outlet
    buffer = getattr(stream, "buffer", None)
    raw = getattr(buffer, "raw", buffer)  # without a buffer (python -u) the file itself
    if not isinstance(stream, io.TextIOWrapper) or not isinstance(raw, io.RawIOBase):
        return stream, None
    stream.flush()
    outlet = Outlet(raw)
    over = io.TextIOWrapper(
        io.BufferedWriter(outlet),
        stream.encoding,
        stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )
    return over, outlet


def _occupy() -> None:
    """Takes the places of standard streams that are closed: else a file would get one, and what is printed."""
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
