"""An attacker who answered before: recorded answers, by anonymization and document. Nobody is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from showthrough.data.subjects import AUTHOR
from showthrough.families.inference._answer_files import AnswerFiles, Replies, paths_of
from showthrough.families.inference.base import Answer, AttackCase, Guess, Person
from showthrough.formats.people.inference_answers import DocumentAnswer, RecordedPerson
from showthrough.storage.reading import read_bytes


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
