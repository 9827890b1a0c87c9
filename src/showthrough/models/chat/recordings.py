"""What language models answered, kept in a private file of their own: each answer is on disk before anybody uses it.

A question that has an answer there is never asked again. The file names the anonymizations and documents that a
question was about, so that answers can be read without asking the questions again.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec
from msgspec.structs import replace

from showthrough.core.errors import InputError, OutputError, Problem, shorten
from showthrough.models.chat.base import ChatQuestion, Reply
from showthrough.storage.append_log import DamagedError, GrowingFile, pieces
from showthrough.storage.reading import exists, plain, read_bytes

TITLE = b"showthrough answers 1"
SUFFIX = ".answers"
_KIND = b"showthrough answers "
_EXPECTED = "expected answers that showthrough recorded; name another file with --recordings"

About = tuple[str, str]  # an anonymization, a document


class Recording(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="answer"):
    """One question that was answered, or that cannot be: then `content` is null, and `fault` says why.

    `answers` are all that the server gave, and the tokens those of all of them: what was no use is paid too.
    """

    key: str
    name: str  # of the model, as metrics write it
    prompt: str
    digest: str  # of the prompt
    about: list[About]
    content: str | None
    model: str = ""  # as the server named it
    tokens_in: int = 0
    tokens_out: int = 0
    answers: int = 1
    tries: int = 1
    fault: str = ""
    ignored: list[str] = []  # what the server was asked for and did not do
    seconds: float = 0.0  # from the question to the answer, of all tries


class InvalidAnswer(msgspec.Struct, frozen=True, omit_defaults=True, tag_field="kind", tag="invalid"):
    """An answer of no use to a question that is asked again; the recording of the last try counts it too."""

    key: str
    number: int  # of those to that question, from 0
    reply: Reply
    cut: bool = False  # it was longer than the question allowed
    ignored: list[str] = []


class RepeatRecording(msgspec.Struct, frozen=True, tag_field="kind", tag="again"):
    """What else a recorded question was about."""

    key: str
    about: list[About]


_Entry = Recording | RepeatRecording | InvalidAnswer
_ENTRY = msgspec.json.Decoder(_Entry)


def answers_path(run: Path) -> Path:
    """Where the answers of a run are kept: `run.json.answers`."""
    home = Path(os.path.realpath(run)) if run.is_symlink() else run
    return home.with_name(home.name + SUFFIX)


def key_of(name: str, question: ChatQuestion) -> str:
    """What tells a question to a model from all others; where the model is reached only if its name says so."""
    identity = [name, question.digest, question.instructions, question.text, question.schema]
    return hashlib.blake2b(msgspec.json.encode(identity, order="sorted"), digest_size=16).hexdigest()


class Recordings:
    """The answers in a file. It is locked while answers come in, and open no longer than that.

    Raises InputError for a file of another kind, which is left as it is.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = GrowingFile(path, TITLE)
        self._by_key: dict[str, Recording] = {}
        self._about: dict[str, set[About]] = {}
        self._invalid: dict[str, dict[int, InvalidAnswer]] = {}
        self._lock = threading.Lock()
        if exists(path):
            self._take(_pieces_of(path))

    def __getitem__(self, key: str) -> Recording:
        return self._by_key[key]

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def all(self) -> list[Recording]:
        """Each with everything that its question was about."""
        return [replace(recording, about=sorted(self._about[key])) for key, recording in self._by_key.items()]

    @contextmanager
    def open_for_append(self) -> Iterator[None]:
        """In here answers may be added. Raises OutputError where another program does so."""
        try:
            self._take(self._file.go_on())
        except DamagedError:
            raise InputError(Problem(str(self.path), "", _EXPECTED)) from None
        try:
            yield
        finally:
            with self._lock:
                self._file.close()

    def add(self, recording: Recording) -> None:
        """On disk when this returns. Whoever comes when the file is closed again is told so by an OutputError."""
        with self._lock:
            self._file.add(msgspec.json.encode(recording))
            self._keep(recording)

    def add_invalid(self, answer: InvalidAnswer) -> None:
        """On disk when this returns: whoever is killed before the next try need not pay for this one again."""
        with self._lock:
            self._file.add(msgspec.json.encode(answer))
            self._keep_invalid(answer)

    def invalid_answers(self, key: str) -> list[InvalidAnswer]:
        """Those so far to a question that is not yet recorded."""
        with self._lock:
            return list(self._invalid.get(key, {}).values())

    def note(self, about: Mapping[str, Iterable[About]]) -> None:
        """What else recorded questions are about, by their keys. Where it cannot be written down nothing is lost."""
        new = {key: sorted(set(subjects) - self._about[key]) for key, subjects in about.items() if key in self._about}
        if not any(new.values()):
            return
        with suppress(OutputError), self.open_for_append():
            for key, subjects in new.items():
                if subjects:
                    self._file.add(msgspec.json.encode(RepeatRecording(key, subjects)))
                    self._about[key].update(subjects)

    def _take(self, raw_entries: Iterable[bytes]) -> None:
        for entry in _entries(raw_entries, self.path):
            if isinstance(entry, Recording):
                self._keep(entry)
            elif isinstance(entry, InvalidAnswer):
                self._keep_invalid(entry)
            elif entry.key in self._about:
                self._about[entry.key].update(entry.about)

    def _keep(self, recording: Recording) -> None:
        self._by_key[recording.key] = recording
        self._about.setdefault(recording.key, set()).update(recording.about)

    def _keep_invalid(self, answer: InvalidAnswer) -> None:
        self._invalid.setdefault(answer.key, {})[answer.number] = answer


def read_recordings(path: Path) -> list[Recording]:
    """All answers of a file, each with everything that its question was about. Raises InputError."""
    return Recordings(path).all()


def is_recordings(content: bytes) -> bool:
    return content.startswith(TITLE + b"\n")


def _pieces_of(path: Path) -> list[bytes]:
    content = read_bytes(path)
    if content.startswith(_KIND) and not is_recordings(content) and not (TITLE + b"\n").startswith(content):
        title = shorten(content[:40].partition(b"\n")[0].decode("utf-8", "replace"))
        raise InputError(Problem(str(path), "", f"found {title}; this version reads {TITLE.decode()}"))
    if (TITLE + b"\n").startswith(content):  # nothing yet, or all that a kill left of the title
        return []
    if not is_recordings(content):
        raise InputError(Problem(str(path), "", f"holds something else; {_EXPECTED}"))
    try:
        return list(pieces(content, TITLE))
    except DamagedError:
        raise InputError(Problem(str(path), "", f"is damaged; {_EXPECTED}")) from None


def _entries(raw_entries: Iterable[bytes], path: Path) -> Iterator[_Entry]:
    for number, piece in enumerate(raw_entries, 1):
        try:
            yield _ENTRY.decode(piece)
        except msgspec.DecodeError as error:
            raise InputError(Problem(str(path), f"answer {number}", f"{plain(str(error))}; {_EXPECTED}")) from None
