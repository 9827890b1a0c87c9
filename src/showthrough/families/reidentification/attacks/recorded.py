"""The attack `answers`: whom people, agents or programs named for each document, as a file says."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, Problem, join_names, shorten
from showthrough.data.references import REFERENCES
from showthrough.families.inference._answer_files import ORIGINAL, paths_of
from showthrough.families.inference._spec import ANSWERS
from showthrough.families.reidentification.attacks.base import Attack, Candidates, FittedAttack, WatchedDocuments
from showthrough.families.reidentification.attacks.ranks import NOBODY
from showthrough.formats.people.named_individuals import NamedByDocument, NamedIndividual, read_named_individuals
from showthrough.storage.reading import read_bytes

if TYPE_CHECKING:
    from showthrough.models import Resources

NOT_RUN = "nobody recorded whom an attacker names here"


@dataclass(frozen=True)
class Recorded(Attack):
    """Whom somebody named for each document, read from a file: people, agents that search, any other attack.

    A document without an answer counts as one for whom nobody is named. Several who are named have places by their
    confidence, and share a place where it is the same. `answers:FILE` is of one anonymization or names it in its lines,
    `answers:NAME=FILE,NAME=FILE` has a file for each.
    """

    file: str = parameter("", "the file, or NAME=FILE,NAME=FILE with one for each anonymization")

    def fit(
        self, background: Mapping[str, str], resources: Resources, watched: Mapping[str, WatchedDocuments] | None = None
    ) -> FittedAttack:
        raise NotImplementedError("answers are read, and not learned")

    @property
    def paths(self) -> Mapping[str, str]:
        """The files by the anonymization that each is of; under the empty name one for all."""
        if not self.file:
            raise PlanError(f"names no file; expected {ANSWERS}FILE, or {ANSWERS}NAME=FILE,NAME=FILE", "attack answers")
        return paths_of(ANSWERS + self.file)

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """The answers themselves, since another file of the same name gives other numbers."""
        digest = hashlib.blake2b(digest_size=4)
        for path in self.paths.values() if self.file else ():
            digest.update(read_bytes(Path(path)))
        return (("answers", digest.hexdigest()),)

    def read(self) -> dict[str, NamedByDocument]:
        return {of: read_named_individuals(path) for of, path in self.paths.items()}

    def named(self, anonymization: str, documents: Sequence[str]) -> list[tuple[NamedIndividual, ...] | None] | None:
        """Who is named for each document, `None` where no line speaks of it; `None` if none speaks of a reference."""
        files = self.read()
        name = ORIGINAL if anonymization in REFERENCES else anonymization
        own, others = files.get(name, {}), files.get("", {})
        if anonymization in REFERENCES and not own and not any(of == name for of, _ in others):
            return None
        lines: dict[str, tuple[NamedIndividual, ...]] = {}
        for (of, document), people in (*others.items(), *own.items()):
            if of == name or (not of and (own or anonymization not in REFERENCES)):
                lines[document] = people
        return [lines.get(document) for document in documents]

    def candidates(
        self, named: Sequence[Sequence[NamedIndividual]], of: Mapping[str, int], individuals: int
    ) -> Candidates:
        """How sure the attacker is of each who is named; behind them nobody, of whom they are not sure at all."""
        width = max(map(len, named), default=0) + 1
        score, column = np.zeros((len(named), width)), np.full((len(named), width), NOBODY)
        for row, people in enumerate(named):
            by_profile: dict[int, float] = {}
            for person in people:  # of two of whom the same is known, the likelier stands for both
                profile = of[person.individual]
                by_profile[profile] = max(person.confidence, by_profile.get(profile, 0.0))
            score[row, : len(by_profile)], column[row, : len(by_profile)] = [*by_profile.values()], [*by_profile]
        return Candidates(score, individuals, np.ones(len(named), dtype=bool), column)

    def problems(
        self, anonymizations: Sequence[str], documents: Sequence[str], known: Mapping[str, int]
    ) -> Iterator[Problem]:
        """What keeps the answers from being used: names that there are not, and answers of which text nobody says."""
        ids, names = frozenset(documents), [ORIGINAL, *anonymizations]
        for of, lines in self.read().items():
            path = self.paths[of]
            for name in dict.fromkeys([of, *(named for named, _ in lines)]):
                if name and name not in names:
                    yield Problem(
                        path, f"anonymization {shorten(name)}", f"is none; expected some of {join_names(names)}"
                    )
            if unknown := [document for _, document in lines if document not in ids]:
                expected = f"expected ids such as {shorten(documents[0])}"
                yield Problem(
                    path, "", f"answers about {join_names(unknown, 40)}, and no such document is attacked; {expected}"
                )
            people = dict.fromkeys(person.individual for named in lines.values() for person in named)
            if strangers := [person for person in people if person not in known]:
                expected = f"expected ids such as {shorten(min(known))}"
                yield Problem(
                    path, "", f"names {join_names(strangers, 40)}, of whom the background says nothing; {expected}"
                )
            if not of and len(anonymizations) > 1 and any(not named for named, _ in lines):
                expected = f"expected anonymization in its lines, or {ANSWERS}NAME=FILE,NAME=FILE"
                yield Problem(
                    path, "", f"does not say which of {len(anonymizations)} anonymizations was read; {expected}"
                )
        names_in_file = {of for of, _ in self._lines()}
        if any(of and of not in names for of in names_in_file):
            return
        for name in anonymizations:
            if "" not in names_in_file and name not in names_in_file:  # nobody named would look like protection
                yield Problem(
                    "", f"anonymization {shorten(name)}", f"{ANSWERS}{shorten(self.file)} has no answers about it"
                )

    def _lines(self) -> Iterator[tuple[str, str]]:
        """What is answered, by anonymization and document; a file for one is of that one."""
        for of, lines in self.read().items():
            yield from ((named or of, document) for named, document in lines)
