"""Who wrote a text: what is known by one author, and what readers say of passages that were written anew."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated

import msgspec

from showthrough.data.documents import digest_of

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
    """What people say of passages, each of each passage once."""

    def __init__(self, ratings: Iterable[Rating], name: str = "ratings", source: str = "") -> None:
        self.ratings = tuple(ratings)
        self.name = name
        self.source = source

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
