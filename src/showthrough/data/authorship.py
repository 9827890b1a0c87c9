"""Who wrote a text: what is known by one author, and what readers say of passages that were written anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated

import msgspec

from showthrough.data.documents import Corpus, digest_of
from showthrough.data.masks import Anonymization
from showthrough.errors import Problem, at_document, quoted, shown, some

LOWEST, HIGHEST = 0, 2  # that a passage can be rated: no sense, all of it


class Rating(msgspec.Struct, frozen=True, kw_only=True):
    """What one person says of one passage that an anonymization wrote."""

    document: str
    anonymization: str
    item: str  # which passage of the document: what tells it from the others of that anonymization
    rater: str
    value: Annotated[int, msgspec.Meta(ge=LOWEST, le=HIGHEST)]
    comment: str = ""


class Ratings:
    """What people say of passages, each of each passage once.

    `passages` are what they read, by anonymization and document, where that is known: it is held against what is
    evaluated, which may be another version of it.
    """

    def __init__(
        self,
        ratings: Iterable[Rating],
        name: str = "ratings",
        source: str = "",
        passages: Mapping[tuple[str, str], Collection[str]] | None = None,
    ) -> None:
        self.ratings = tuple(ratings)
        self.name = name
        self.source = source
        self.passages = passages or {}

    def __len__(self) -> int:
        return len(self.ratings)

    def __repr__(self) -> str:
        return f"Ratings({self.name!r}, {len(self)} ratings)"

    @cached_property
    def of(self) -> Mapping[str, Mapping[str, tuple[Rating, ...]]]:
        """By anonymization and document."""
        found: dict[str, dict[str, tuple[Rating, ...]]] = {}
        for one in self.ratings:
            documents = found.setdefault(one.anonymization, {})
            documents[one.document] = (*documents.get(one.document, ()), one)
        return found

    @cached_property
    def digest(self) -> str:
        """Changes whenever a rating changes; their order does not matter, nor do comments."""
        keys = {"\0".join((one.anonymization, one.document, one.item, one.rater)): one.value for one in self.ratings}
        return digest_of(keys, self.source or self.name, "rating")

    def problems(self, corpus: Corpus, anonymizations: Sequence[Anonymization]) -> list[Problem]:
        """Why these ratings are not of what is evaluated; empty where they are."""
        file = self.source or self.name
        names = {one.name: one for one in anonymizations}
        found = [] if self.ratings else [Problem(file, "", "has no ratings; expected at least one")]
        for name in sorted(self.of.keys() - names.keys()):
            what = f"was rated and is not evaluated; expected ratings of {some(names)} alone"
            found.append(Problem(file, f"anonymization {shown(name)}", what))
        rated = {one.document for one in self.ratings}
        if strangers := sorted(rated.difference(corpus.ids)):
            many = f"{len(strangers):,} rated documents are" if len(strangers) > 1 else "was rated and is"
            found.append(
                Problem(file, at_document(strangers[0]), f"{many} not in {some([corpus.name])}; expected its ids")
            )
        part = Corpus([document for document in corpus if document.id in rated], corpus.name, corpus.source)
        return found or [problem for one in anonymizations for problem in self._other_texts(part, one, file)]

    def _other_texts(self, corpus: Corpus, anonymization: Anonymization, file: str) -> Iterator[Problem]:
        """Of an anonymization the first passage that was rated and is not in what it gives."""
        texts = anonymization.texts(corpus)
        for document in corpus:
            released = _bare(texts[document.id])
            for passage in self.passages.get((anonymization.name, document.id), ()):
                if _bare(passage) not in released:
                    place = f"{at_document(document.id)}: {quoted(passage)}"
                    what = f"was rated and is not in the text of {shown(anonymization.name)}"
                    yield Problem(file, place, f"{what}; expected ratings of this text")
                    return


def _bare(text: str) -> str:
    """A text as far as readers see the same: passages are handed in with other white space than whole texts."""
    return "".join(text.replace("\ufeff", "").split())
