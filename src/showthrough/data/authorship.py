"""Who wrote a text: what is known by one author, and what readers say of passages that were written anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Annotated

import msgspec

from showthrough.core.errors import Problem, at_document, join_names, quote_value, shorten
from showthrough.data.documents import Corpus, digest_of
from showthrough.data.masks import Anonymization

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
        result: dict[str, dict[str, tuple[Rating, ...]]] = {}
        for rating in self.ratings:
            documents = result.setdefault(rating.anonymization, {})
            documents[rating.document] = (*documents.get(rating.document, ()), rating)
        return result

    @cached_property
    def digest(self) -> str:
        """Changes whenever a rating changes; their order does not matter, nor do comments."""
        keys = {
            "\0".join((rating.anonymization, rating.document, rating.item, rating.rater)): rating.value
            for rating in self.ratings
        }
        return digest_of(keys, self.source or self.name, "rating")

    def problems(self, corpus: Corpus, anonymizations: Sequence[Anonymization]) -> list[Problem]:
        """Why these ratings are not of what is evaluated; empty where they are."""
        file = self.source or self.name
        names = {item.name: item for item in anonymizations}
        problem_list = [] if self.ratings else [Problem(file, "", "has no ratings; expected at least one")]
        for name in sorted(self.of.keys() - names.keys()):
            message = f"was rated and is not evaluated; expected ratings of {join_names(names)} alone"
            problem_list.append(Problem(file, f"anonymization {shorten(name)}", message))
        rated = {item.document for item in self.ratings}
        if strangers := sorted(rated.difference(corpus.ids)):
            subject = f"{len(strangers):,} rated documents are" if len(strangers) > 1 else "was rated and is"
            problem_list.append(
                Problem(
                    file, at_document(strangers[0]), f"{subject} not in {join_names([corpus.name])}; expected its ids"
                )
            )
        part = Corpus([document for document in corpus if document.id in rated], corpus.name, corpus.source)
        return problem_list or [problem for item in anonymizations for problem in self._other_texts(part, item, file)]

    def _other_texts(self, corpus: Corpus, anonymization: Anonymization, file: str) -> Iterator[Problem]:
        """Of an anonymization the first passage that was rated and is not in what it gives."""
        texts = anonymization.texts(corpus)
        for document in corpus:
            released = _without_spaces(texts[document.id])
            for passage in self.passages.get((anonymization.name, document.id), ()):
                if _without_spaces(passage) not in released:
                    location = f"{at_document(document.id)}: {quote_value(passage)}"
                    message = f"was rated and is not in the text of {shorten(anonymization.name)}"
                    yield Problem(file, location, f"{message}; expected ratings of this text")
                    return


def _without_spaces(text: str) -> str:
    """A text as far as readers see the same: passages are handed in with other white space than whole texts."""
    return "".join(text.replace("\ufeff", "").split())
