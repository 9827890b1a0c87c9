"""Digests by which texts and authors are recognized, independent of how a file stores them."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.data.documents import Corpus, Document
from showthrough.models.model_folders import TrainingTexts

# What copies of one text may differ in, such as marks at the start, line ends and quotation marks.
_SIGNS = bytes(code for code in range(128) if not chr(code).isalnum())
_SIGNS_BEYOND = re.compile(r"[^\w\x00-\x7f]+")
UNLESS = "expected another, or --seen to have its numbers all the same (in Python, seen=True)"


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


def count_seen(verifier: Any, corpus: Corpus) -> int:
    """Documents whose text, or a known text beside it, it was trained on; none where it does not say.

    Texts are known again however they were saved: with other line ends, a mark at the start or one blank more. So are
    near copies of them.
    """
    training = getattr(verifier, "training", None)
    if training is None:
        return 0
    trained_traces, learned = frozenset(training.documents), TrainingTexts(training)
    return sum(  # a plugin may say either: documents, or texts
        any(trace(text) in trained_traces or learned.has(text) for text in texts_of(document)) for document in corpus
    )


def trained_on(verifier: Any, corpus: Corpus) -> str:
    """That it knows documents, and of how many; empty where it knows none."""
    if not (count := count_seen(verifier, corpus)):
        return ""
    finding = f"was trained on texts of {count} of these {len(corpus)} documents"
    return f"{finding}: it knows them, and its numbers say little about others"


def components(keys: Sequence[Iterable[str]]) -> Ints:
    """A number for each of those that share a key, also by way of others.

    >>> components([["a", "b"], ["c"], ["b", "d"], ["d"]]).tolist()
    [0, 1, 0, 0]
    """
    home: dict[str, int] = {}
    parent = list(range(len(keys)))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = at = parent[parent[at]]
        return at

    for at, item_keys in enumerate(keys):
        for key in item_keys:
            first, second = root(at), root(home.setdefault(key, at))
            parent[max(first, second)] = min(first, second)
    return np.unique([root(at) for at in range(len(keys))], return_inverse=True)[1].astype(np.int64)


def split_folds(authors: Ints, same: Bools, folds: int, seed: int) -> Ints:
    """The fold of each problem: authors whole, the largest first, each where problems of its kinds are fewest.

    There are fewer folds where there are fewer authors.
    """
    names, number = np.unique(authors, return_inverse=True)
    count = min(folds, len(names))
    problems = np.column_stack([np.bincount(number, flags, minlength=len(names)) for flags in (same, ~same)])
    order = np.random.default_rng(seed).permutation(len(names))
    load, fold = np.zeros((count, 2)), np.zeros(len(names), dtype=np.int64)
    for name in order[np.argsort(-problems.sum(axis=1)[order], kind="stable")]:
        fold[name] = at = int((load @ problems[name]).argmin()) if load.any() else 0
        load[at] += problems[name]
    return fold[number]
