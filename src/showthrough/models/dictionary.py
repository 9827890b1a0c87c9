"""Dictionaries: which words there are. A word list, or the words that the `wordfreq` package knows."""

from __future__ import annotations

import hashlib
from pathlib import Path

from showthrough.core.errors import PlanError, ResourceError, quoted
from showthrough.storage.reading import fail, read_bytes, text_of

WORDFREQ = "wordfreq:"


def dictionary_from(name: str) -> frozenset[str]:
    """The words of a dictionary, capitals aside: `wordfreq:LANGUAGE`, or a file with one word a line.

    `FILE@DIGEST` asks for the very list that a score was computed with.
    """
    if name.startswith(WORDFREQ):
        return _wordfreq(name.removeprefix(WORDFREQ))
    file, expected = _file(name)
    content = read_bytes(file)
    if expected and digest_of(content) != expected:
        raise fail(file, f"its digest is {digest_of(content)}; expected {expected}: this is another list")
    words = frozenset(line.strip().casefold() for line in text_of(file, content).splitlines() if line.strip())
    if not words:
        raise fail(file, "holds no word; expected one a line")
    return words


def pinned(name: str) -> str:
    """The name of a dictionary with the digest of its list, so that a signature says which words it had."""
    if name.startswith(WORDFREQ) or _file(name)[1]:
        return name
    return f"{name}@{digest_of(read_bytes(Path(name)))}"


def digest_of(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=4).hexdigest()


def _file(name: str) -> tuple[Path, str]:
    """A file and the digest that is asked for; a name that exists as it stands has none."""
    path, at, digest = name.rpartition("@")
    if at and not Path(name).exists() and len(digest) == 8:
        return Path(path), digest
    return Path(name), ""


def frequencies(language: str) -> dict[str, float]:
    """How often each word of the small list of `wordfreq` is used, as a share of all words."""
    try:
        import wordfreq
    except ImportError as error:
        raise ResourceError(
            f"the dictionary {WORDFREQ}{language} needs wordfreq: pip install wordfreq, or name a word list"
        ) from error
    if language not in wordfreq.available_languages("small"):
        languages = ", ".join(sorted(wordfreq.available_languages("small")))
        raise PlanError(f"found {quoted(language)}; expected one of {languages}", "dictionary")
    by_word: dict[str, float] = wordfreq.get_frequency_dict(language, wordlist="small")
    return by_word


def _wordfreq(language: str) -> frozenset[str]:
    # The small list: words of at least one in a million. The large one has most family names, which are what a
    # dictionary is to tell apart.
    return frozenset(map(str.casefold, frequencies(language)))
