"""Dictionaries: which words there are. A word list, or the words that the `wordfreq` package knows."""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from showthrough.core.errors import PlanError, ResourceError, quote_value
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


def pin_dictionary(name: str) -> str:
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


def _files() -> dict[str, Path]:
    """The small lists of `wordfreq` by language; none where it is not installed.

    Its files are read as they lie there. Importing the package takes a third of a second, for tokenizers that nobody
    needs who asks for a list.
    """
    package = find_spec("wordfreq")
    if package is None or package.origin is None:
        return {}
    paths = Path(package.origin).parent.glob("data/small_*.msgpack.gz")
    return {path.name.removeprefix("small_").partition(".")[0]: path for path in paths}


def in_use(language: str) -> dict[str, float] | None:
    """How often each word of the small list of `wordfreq` is used; `None` where it has none of a language."""
    path = _files().get(language)
    return None if path is None else _read_frequencies(path)


def frequencies(language: str) -> dict[str, float]:
    """How often each word of the small list of `wordfreq` is used, as a share of all words."""
    files = _files()
    if not files:
        raise ResourceError(
            f"the dictionary {WORDFREQ}{language} needs wordfreq: pip install wordfreq, or name a word list"
        )
    if language not in files:
        raise PlanError(f"found {quote_value(language)}; expected one of {', '.join(sorted(files))}", "dictionary")
    return _read_frequencies(files[language])


@cache
def _read_frequencies(path: Path) -> dict[str, float]:
    """A file has a head, and then words that are used equally often: the first 1 in 1, each next a centibel less."""
    head, *steps = msgspec.msgpack.decode(gzip.decompress(path.read_bytes()))
    if head != {"format": "cB", "version": 1}:
        raise fail(path, "is no list of frequencies that can be read; expected wordfreq 3")
    shares: dict[str, float] = {}
    for number, words in enumerate(steps):
        shares |= dict.fromkeys(words, 10 ** (-number / 100))
    return shares


def _wordfreq(language: str) -> frozenset[str]:
    # The small list: words of at least one in a million. The large one has most family names, which are what a
    # dictionary is to tell apart.
    return frozenset("\n".join(frequencies(language)).casefold().split("\n"))
