"""A verifier that is not installed, represented by its recorded answers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeGuard

from showthrough.core.errors import PlanError, at_document, quote_value, shorten
from showthrough.data.documents import digest_of
from showthrough.formats.authorship.verifier_answers import read_answers
from showthrough.storage.reading import collect_results

ORIGINAL = "original"  # under which the answers on the originals are given
ANSWERS = "answers"  # the name of a verifier whose name nobody said

Answers = Mapping[str, float]  # probabilities by document id
_WRITTEN = "expected NAME=FILE or VERIFIER:NAME=FILE, NAME being original or an anonymization's"


@dataclass(frozen=True)
class GivenAnswers:
    """Probabilities by document id: of the originals, and of each anonymization by its name."""

    by: Mapping[str, Answers]
    name: str = ANSWERS
    sources: Mapping[str, str] = field(default_factory=dict)  # the file of each
    version: int = 1

    @property
    def source(self) -> str:
        return ", ".join(self.sources.values())

    @cached_property
    def digest(self) -> str:
        """Changes whenever an answer changes."""
        digests = {name: digest_of(answers, self.source, "document") for name, answers in self.by.items()}
        return digest_of(digests, self.source, "answers")


def read_answer_files(texts: Sequence[str], anonymizations: Collection[str]) -> list[GivenAnswers]:
    """Answers from files, as `NAME=FILE` or `VERIFIER:NAME=FILE`; raises InputError with all that is wrong.

    A name with a colon in it is that of an anonymization where there is one of that name.
    """
    files: dict[tuple[str, str], str] = {}

    def take(text: str) -> tuple[tuple[str, str], Answers]:
        label, _, file = text.partition("=")
        verifier, name = ANSWERS, label
        if ":" in label and label not in anonymizations:
            verifier, _, name = label.partition(":")
        if not (verifier and name and file):
            raise PlanError(f"found {quote_value(text)}; {_WRITTEN}", ANSWERS)
        if (verifier, name) in files:
            raise PlanError("were given twice; expected one file", f"{ANSWERS} {shorten(label)}")
        files[verifier, name] = file
        return (verifier, name), read_answers(file)

    by_key = dict(collect_results(texts, take))
    return [
        GivenAnswers(
            {name: answers for (owner, name), answers in by_key.items() if owner == verifier},
            verifier,
            {name: file for (owner, name), file in files.items() if owner == verifier},
        )
        for verifier in dict.fromkeys(verifier for verifier, _ in by_key)
    ]


def parse_answers(answers: Mapping[str, Any]) -> list[GivenAnswers]:
    """Python's: probabilities by document and name, `{"original": {…}, "A": {…}}`, or these by verifier.

    Raises PlanError for anything else.
    """
    several = _is_by_name(answers) and all(_is_by_name(value_of_name) for value_of_name in answers.values())
    named = answers if several else {ANSWERS: answers}
    for verifier, by_name in named.items():
        if not _is_by_name(by_name):
            raise PlanError('expected probabilities by document, such as {"original": {"d1": 0.7}}', ANSWERS)
        for name, by_document in by_name.items():
            for key, value in by_document.items():
                if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                    location = f"{verifier}: {shorten(str(name))}: {at_document(str(key))}"
                    raise PlanError(f"found {quote_value(value)}; expected a number from 0 to 1", location)
    return [GivenAnswers(by_name, verifier) for verifier, by_name in named.items()]


def _is_by_name(value: object) -> TypeGuard[Mapping[str, Mapping[str, Any]]]:
    """Whether it is mappings by name; an empty one is none."""
    return isinstance(value, Mapping) and bool(value) and all(isinstance(entry, Mapping) for entry in value.values())
