"""Looks up the texts of a corpus by id, and ids by text."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping

from showthrough.core.errors import QUOTED, quote_value
from showthrough.data.documents import Corpus
from showthrough.storage.columns.index import Finder


class Originals(Mapping[str, str]):
    """The texts of a corpus by id, taken from it when they are asked for."""

    def __init__(self, corpus: Corpus) -> None:
        self._documents = corpus.documents
        self._finder = Finder(corpus.ids)

    def __getitem__(self, document_id: str) -> str:
        number = self._finder.number(document_id)
        if number < 0:
            raise KeyError(document_id)
        return self._documents[number].text

    def __contains__(self, document_id: object) -> bool:
        return isinstance(document_id, str) and self._finder.holds(document_id)

    def __iter__(self) -> Iterator[str]:
        return iter(self._finder.strings)

    def __len__(self) -> int:
        return len(self._finder.strings)


def text_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


class IdsByText:
    """The documents of a corpus that nobody has named yet, by their texts; of equal texts, one after the other."""

    def __init__(self, corpus: Corpus) -> None:
        self._open: dict[bytes, list[str]] = {}
        for document in corpus:
            self._open.setdefault(text_digest(document.text), []).append(document.id)
        for ids in self._open.values():
            ids.reverse()  # taken from the end: from the start each would move all the others

    def knows_any(self, texts: Iterable[str]) -> bool:
        return any(text_digest(text) in self._open for text in texts)

    def take(self, text: str) -> str:
        """The id of a document with this text. Raises KeyError, with a message, where there is none left."""
        ids = self._open.get(text_digest(text))
        if ids:
            return ids.pop()
        raise KeyError(
            f"no {'other ' if ids is not None else ''}document of the corpus has its text: {quote_value(text)}"
        )


def difference(text_found: str, expected: str) -> str:
    """Where a text is no longer the original, in words."""
    position = len(os.path.commonprefix([text_found, expected]))  # noqa: RUF071 (of any texts)
    actual, original = (
        quote_value(text[position : position + QUOTED // 2] or "the end") for text in (text_found, expected)
    )
    return f"its text differs from the corpus's at character {position}: found {actual}; expected {original}"
