"""Files of recorded answers, as `answers:` names them: of all anonymizations, or one for each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from showthrough.core.errors import InputError, PlanError, Problem, at_document, join_names, quote_value, shorten
from showthrough.data.references import NOTHING, REFERENCES
from showthrough.data.subjects import AUTHOR
from showthrough.families.inference._spec import ANSWERS
from showthrough.families.inference.base import Answer, AttackCase, Guess, Person
from showthrough.formats.people.inference_answers import DocumentAnswer, RecordedPerson, read_inference_answers
from showthrough.models.chat.recordings import is_recordings, read_recordings
from showthrough.storage.reading import read_bytes

if TYPE_CHECKING:
    from showthrough.evaluation.plan import Plan

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


# Checks whether recorded answers about people can be used.

Key = tuple[str, str]  # an anonymization, empty where a line names none, and a document
_EACH = f"expected anonymization in its lines, or {ANSWERS}NAME=FILE,NAME=FILE"


def answer_problems(plan: Plan) -> list[Problem]:
    """What keeps recorded answers from being used: files, names, and texts that they say nothing about."""
    names = dict.fromkeys(name for metric in plan.metrics for name in metric.asks if name.startswith(ANSWERS))
    tested = [anonymization.name for anonymization in plan.anonymizations]
    problems: list[Problem] = []
    if names and ORIGINAL in tested:
        why = "this name is that of the originals among answers; expected another"
        problems.append(Problem("", f"anonymization {ORIGINAL}", why))
    for name in names:
        try:
            files = AnswerFiles(name)
        except InputError as error:
            problems += error.problems
            continue
        file_problems = [*_unknown(files, tested, plan.corpus.ids)]
        problems += file_problems or _untold(files, tested)
    return problems


def _unknown(files: AnswerFiles, tested: Sequence[str], documents: Sequence[str]) -> Iterator[Problem]:
    """Names of no anonymization and ids of no document: nothing in such a file is about what is evaluated."""
    names, ids = [ORIGINAL, *tested], frozenset(documents)
    for of, lines in files.by_name.items():
        path = files.paths[of]
        if of and of not in (*names, NOTHING):
            expected = f"expected some of {join_names(names)}"
            yield Problem(path, f"answers {shorten(of)}", f"is no anonymization; {expected}")
        elif not any(document in ids for _, document in lines):
            message = f"answers about {join_names((document for _, document in lines), 40)}, and no document"
            yield Problem(path, "", f"{message}; expected ids such as {shorten(documents[0])}")


def _untold(files: AnswerFiles, tested: Sequence[str]) -> Iterator[Problem]:
    """An answer about one text says nothing of another, and one that is missing must not look like protection."""
    if "" in files.by_name and len(tested) > 1 and any(not of for of, _ in files.by_name[""]):
        fault = f"does not say which of {len(tested)} anonymizations it is about"
        yield Problem(files.paths[""], "", f"{fault}; {_EACH}")
        return
    for name in tested:
        if not _speaks_of(files.by_name, name):
            message = f"has no answers about {shorten(name)}; {_EACH}"
            yield Problem(", ".join(dict.fromkeys(files.paths.values())), "", message)


def _speaks_of(by_name: Mapping[str, Mapping[Key, object]], name: str) -> bool:
    lines = by_name.get(name, by_name.get("", {}))
    return any(of in ("", name) for of, _ in lines)


# An attacker who answered before: recorded answers, by anonymization and document. Nobody is asked.


class RecordedAnswers:
    """What is recorded of a document as an anonymization leaves it; of any other text there is no answer."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._files = AnswerFiles(name)

    def infer(self, cases: Sequence[AttackCase]) -> list[Answer | None]:
        return [self._answer(case) for case in cases]

    def _answer(self, case: AttackCase) -> Answer | None:
        # The control has neither text nor document: what was said of a text must not stand in for an empty one.
        same = bool(case.text) == bool(case.document)
        line = self._files.of(case.anonymization, case.document) if same else None
        return None if line is None else answer_of(line, case)


def answer_of(line: DocumentAnswer, case: AttackCase) -> Answer | None:
    """What a line says of the people of a case; where there is only what a model wrote, what can be read in that."""
    if line.answer is not None:
        return tuple(map(_person, line.answer))
    if isinstance(line, Replies):
        from showthrough.families.inference._interviewer import answer_in

        reply = line.by_prompt.get(case.aim)
        return None if reply is None else answer_in(case, reply)
    if line.raw and case.aim == "author":
        from showthrough.families.inference._parsing import guesses_in

        guesses = guesses_in(line.raw, case.tags)
        return None if guesses is None else (Person(guesses, AUTHOR, AUTHOR),)
    return None


def _person(person: RecordedPerson) -> Person:
    guesses = (Guess(guess.tag, guess.value, guess.certainty, guess.span, guess.why) for guess in person.guesses)
    return Person(tuple(guesses), person.id, person.matches)


def digest_of_answers(name: str) -> str:
    """Changes whenever one of the files does, or what it is given for."""
    digest = hashlib.blake2b(digest_size=16)
    for of, path in sorted(paths_of(name).items()):
        digest.update(f"{of}\0".encode())
        digest.update(hashlib.blake2b(read_bytes(Path(path))).digest())
    return digest.hexdigest()
