"""Files of recorded answers, as `answers:` names them: of all anonymizations, or one for each."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from showthrough.data.references import NOTHING, REFERENCES
from showthrough.errors import PlanError, quoted
from showthrough.formats.inference_answers import Recorded, read_inference_answers
from showthrough.inference.asking import ANSWERS

ORIGINAL = "original"  # what files and names call the texts with nothing masked
_WRITTEN = f"expected {ANSWERS}FILE or {ANSWERS}NAME=FILE,NAME=FILE, NAME being {ORIGINAL} or an anonymization's"


class AnswerFiles:
    """Who answered what, by anonymization and document. An answer about one text is never taken for another's."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.paths = paths_of(name)
        self._read = {of: _read(path) for of, path in self.paths.items()}

    def of(self, anonymization: str, document: str) -> Recorded | None:
        """What is recorded of a document as an anonymization leaves it; nothing where no line speaks of that.

        A line that names no anonymization speaks of the one that its file is given for, and never of a reference unless
        it is given for that.
        """
        known = ORIGINAL if anonymization == NOTHING else anonymization
        named = known in self._read
        lines = self._read.get(known, self._read.get("", {}))
        found = lines.get((known, document))
        if found is None and (named or anonymization not in REFERENCES):
            found = lines.get(("", document))
        return found


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
        raise PlanError(f"found {quoted(name)}; {_WRITTEN}", "answers")
    return {of: path for of, _, path in entries}


def _read(path: str) -> dict[tuple[str, str], Recorded]:
    """Read once as long as the file is the same: attackers, judges and checks ask for it one after the other."""
    try:
        stat = Path(path).stat()
    except OSError:
        return read_inference_answers(path)  # which says what is wrong with it
    return _read_as(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _read_as(path: str, changed: int, size: int) -> dict[tuple[str, str], Recorded]:
    return read_inference_answers(path)
