"""Digests by which texts and authors are recognized, independent of how a file stores them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator

from showthrough.data.documents import Document

# What copies of one text may differ in, such as marks at the start, line ends and quotation marks.
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_SIGNS_BEYOND = re.compile(r"[^\w\x00-\x7f]+")


def texts_of(document: Document) -> Iterator[str]:
    """What its author wrote and what others did: the document and all that it knows of an author."""
    yield document.text
    if document.authorship:
        yield from document.authorship.known


def trace(text: str) -> str:
    """A digest of the letters and digits of a text; empty where it has none.

    >>> trace("\\ufeffIt’s 5.\\r\\n") == trace("it's 5") != trace("its 6"), trace("…")
    (True, '')
    """
    plain = unicodedata.normalize("NFKC", text.casefold())  # of text in ASCII, the very same
    letters = _SIGNS_BEYOND.sub("", plain).encode("utf-8", "surrogatepass").translate(None, _SIGNS)
    return hashlib.blake2b(letters, digest_size=16).hexdigest() if letters else ""


def traces(document: Document) -> list[str]:
    """What gives away that two problems are about one author: a text that they share, letter by letter, or a group."""
    keys = [f"text {digest}" for digest in map(trace, texts_of(document)) if digest]
    return [*keys, f"group {document.group}"] if document.group else keys
