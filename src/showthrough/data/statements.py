"""What must not be learned from a document any more, and what must still be true after it was anonymized."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Literal, get_args

import msgspec

from showthrough.core.errors import Problem, at_document, join_names, quote_value, shorten
from showthrough.data.documents import Corpus, digest_of

Must = Literal["gone", "kept"]
MUST: tuple[Must, Must] = get_args(Must)
GONE, KEPT = MUST


class Statement(msgspec.Struct, frozen=True, kw_only=True):
    """One sentence about a document, which is true of the original.

    `must` says whether it has to be gone from a release, or has to stay true. `quote` is where the original says it.
    """

    document: str
    text: str
    must: Must
    quote: str = ""


class Statements:
    """Statements about documents, each about its document once.

    >>> Statements([Statement(document="a", text="Ann is ill.", must="gone")], name="ward")
    Statements('ward', 1 statements)
    """

    def __init__(self, statements: Iterable[Statement], name: str = "statements", source: str = "") -> None:
        self.statements = tuple(statements)
        self.name = name
        self.source = source

    def __len__(self) -> int:
        return len(self.statements)

    def __repr__(self) -> str:
        return f"Statements({self.name!r}, {len(self)} statements)"

    @cached_property
    def of(self) -> Mapping[str, tuple[Statement, ...]]:
        """By document, in an order that does not depend on how they were given."""
        result: dict[str, list[Statement]] = {}
        for statement in sorted(self.statements, key=lambda each: (each.document, each.must, each.text)):
            result.setdefault(statement.document, []).append(statement)
        return {document: tuple(of_document) for document, of_document in result.items()}

    @cached_property
    def digest(self) -> str:
        """Changes whenever a statement changes; their order does not matter."""
        keys = {
            f"{statement.document}\0{statement.text}": [statement.must, statement.quote]
            for statement in self.statements
        }
        return digest_of(keys, self.source or self.name, "statement")

    def problems(self, corpus: Corpus) -> list[Problem]:
        """Why these are no statements about a corpus; empty where they are."""
        file = self.source or self.name
        if not self.statements:
            return [Problem(file, "", "has no statements; expected at least one")]
        if strangers := sorted(self.of.keys() - {*corpus.ids}):
            fault = f"there is no such document in {shorten(corpus.name)}; expected ids such as"
            return [Problem(file, at_document(name), f"{fault} {join_names(corpus.ids[:1])}") for name in strangers]
        return [*self._repeated(file), *self._unquoted(corpus, file)]

    def _repeated(self, file: str) -> list[Problem]:
        return [
            Problem(file, at_document(document), f"states {quote_value(text)} {count} times; expected it once")
            for document, statements in self.of.items()
            for text, count in Counter(statement.text for statement in statements).items()
            if count > 1
        ]

    def _unquoted(self, corpus: Corpus, file: str) -> list[Problem]:
        """Quotes that their documents do not have."""
        quotes = [
            (document, statement.quote)
            for document in corpus
            for statement in self.of.get(document.id, ())
            if statement.quote
        ]
        return [
            Problem(file, at_document(document.id), f"does not say {quote_value(quote)}; expected a quote of its text")
            for document, quote in quotes
            if " ".join(quote.split()) not in " ".join(document.text.split())
        ]
