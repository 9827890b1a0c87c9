"""Files of recorded answers, as `answers:` names them: of all anonymizations, or one for each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from showthrough.core.errors import InputError, PlanError, Problem, at_document, join_names, quote_value
from showthrough.data.references import NOTHING, REFERENCES
from showthrough.families.inference._spec import ANSWERS
from showthrough.formats.people.inference_answers import DocumentAnswer, read_inference_answers
from showthrough.models.chat.recordings import is_recordings, read_recordings

ORIGINAL = "original"  # what files and names call the texts with nothing masked
_WRITTEN = f"expected {ANSWERS}FILE or {ANSWERS}NAME=FILE,NAME=FILE, NAME being {ORIGINAL} or an anonymization's"


class Replies(DocumentAnswer, frozen=True):
    """What a language model wrote about one document, by the first word of the prompt that asked for it."""

    by_prompt: Mapping[str, str] = {}


class AnswerFiles:
    """Who answered what, by anonymization and document. An answer about one text is never taken for another's."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.paths = paths_of(name)
        self.by_name = {of: _read(path) for of, path in self.paths.items()}  # empty: the one file for all

    def of(self, anonymization: str, document: str) -> DocumentAnswer | None:
        """What is recorded of a document as an anonymization leaves it; nothing where no line speaks of that.

        A line that names no anonymization speaks of the one that its file is given for, and never of a reference unless
        it is given for that.
        """
        names = (ORIGINAL, NOTHING) if anonymization in (ORIGINAL, NOTHING) else (anonymization,)
        file_name = next((name for name in names if name in self.by_name), "")
        lines = self.by_name.get(file_name, {})
        line = next((lines[name, document] for name in names if (name, document) in lines), None)
        if line is None and (file_name or anonymization not in REFERENCES):
            line = lines.get(("", document))
        return line


def files_behind(names: Iterable[str]) -> list[Path]:
    """The files that attackers and judges of these names answer from."""
    recorded = (name for name in names if name.startswith(ANSWERS))
    return [Path(path) for name in recorded for path in paths_of(name).values()]


def paths_of(name: str) -> dict[str, str]:
    """The files of a name, each by the anonymization that it is of; under the empty name one for all of them.

    >>> paths_of("answers:said.jsonl"), paths_of("answers:original=a.jsonl,anon=b.jsonl")
    ({'': 'said.jsonl'}, {'original': 'a.jsonl', 'anon': 'b.jsonl'})
    """
    written = name.removeprefix(ANSWERS)
    entries = [entry.strip().partition("=") for entry in written.split(",")]
    if any(not equals or "/" in of for of, equals, _ in entries):  # a path may have both signs in it
        return {"": written}
    if any(not of or not path for of, _, path in entries) or len({of for of, _, _ in entries}) < len(entries):
        raise PlanError(f"found {quote_value(name)}; {_WRITTEN}", "answers")
    return {of: path for of, _, path in entries}


def _read(path: str) -> Mapping[tuple[str, str], DocumentAnswer]:
    """Read once as long as the file is the same: attackers, judges and checks ask for it one after the other."""
    try:
        stat = Path(path).stat()
    except OSError:
        return read_inference_answers(path)  # which says what is wrong with it
    return _read_as(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _read_as(path: str, changed: int, size: int) -> Mapping[tuple[str, str], DocumentAnswer]:
    with Path(path).open("rb") as file:
        replayed = is_recordings(file.read(64))
    return _replies(Path(path)) if replayed else read_inference_answers(path)


def _replies(path: Path) -> dict[tuple[str, str], Replies]:
    """What a language model answered in another run; raises InputError where several models did."""
    by_key: dict[tuple[str, str], dict[str, str]] = {}
    said_by: dict[tuple[str, str, str], str] = {}
    for recording in read_recordings(path):
        prompt = recording.prompt.partition(".")[0]
        for anonymization, document in recording.about if recording.content is not None else ():
            other = said_by.setdefault((anonymization, document, prompt), recording.name)
            if other != recording.name:
                why = f"has answers of {join_names([other, recording.name])}; expected those of one language model"
                raise InputError(Problem(str(path), at_document(document), why))
            by_key.setdefault((anonymization, document), {})[prompt] = recording.content or ""
    if not by_key:
        raise InputError(Problem(str(path), "", "has no answers; expected some"))
    return {key: Replies(by_prompt=replies) for key, replies in by_key.items()}
