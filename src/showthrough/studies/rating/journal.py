"""What one rater says, saved before it counts: a file that only grows, and that one program alone writes."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import msgspec

from showthrough.core.errors import OutputError
from showthrough.formats.authorship.rating_folder import (
    ANSWERS,
    TITLE,
    RaterAnswer,
    RatingItem,
    answers_file,
    latest_answers,
    read_answers,
)
from showthrough.storage.growing import GrowingFile
from showthrough.storage.writing import report_os_errors

if sys.platform != "win32":
    import fcntl


class RatingJournal:
    """The answers of one rater. An answer is on disk when `add` returns, and the last one of a passage counts."""

    def __init__(self, folder: Path, rater: str, items: Mapping[str, RatingItem]) -> None:
        """Raises InputError for a file that is damaged, OutputError where another program writes it."""
        self.path = answers_file(folder, rater)
        with report_os_errors(self.path):
            (folder / ANSWERS).mkdir(mode=0o700, exist_ok=True)
        self._lock = _only_writer(self.path)
        self._turn = threading.Lock()
        self._file = GrowingFile(self.path, TITLE)
        try:
            self._said = read_answers(self.path, items)
            self._file.begin(*map(msgspec.json.encode, self._said))  # what a kill left half written is gone
        except BaseException:
            self.close()
            raise

    @property
    def current_answers(self) -> dict[str, RaterAnswer]:
        """What counts, in the order in which it was said."""
        with self._turn:
            return latest_answers(self._said)

    def add(self, answer: RaterAnswer) -> None:
        """Raises OutputError where it could not be saved; then it does not count."""
        with self._turn:
            if not self._file.is_intact:
                raise OutputError(f"{self.path}: was removed or replaced meanwhile; start rate serve again")
            self._file.add(msgspec.json.encode(answer))
            self._said.append(answer)

    def close(self) -> None:
        self._file.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def _only_writer(path: Path) -> int | None:
    """A lock that ends with this program, however it ends: the file is begun anew, so no other may write it then."""
    if sys.platform == "win32":
        return None
    with report_os_errors(path):
        handle = os.open(path.with_name(f".{path.stem}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        why = "another rate serve asks this rater; open the address that it printed, or stop it first"
        raise OutputError(f"{path}: {why}") from None
    except OSError:  # a file system without locks
        pass
    return handle
