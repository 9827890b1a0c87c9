"""WordNet by way of NLTK: what a word may mean, and what it means most often."""

from __future__ import annotations

import hashlib
import warnings
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from showthrough.core.errors import ResourceError, UnavailableError

_NAME = "wordnet"
_COUNTS = "cntlist.rev"
_FILES = [
    *(_COUNTS, "index.sense", "lexnames"),
    *(name.format(part) for part in ("adj", "adv", "noun", "verb") for name in ("{}.exc", "data.{}", "index.{}")),
]
_PARTS = "nvar"  # of speech: noun, verb, adjective, adverb
_HELD = 200_000  # words whose senses stay in memory


class Senses(NamedTuple):
    """What is known of a word: its lemmas (itself among them) and its synsets, the most common first."""

    lemmas: frozenset[str]
    synsets: tuple[str, ...]


class WordNet:
    """Found at once, loaded when it is asked; nothing is ever downloaded."""

    def __init__(self) -> None:
        try:
            import nltk
        except ImportError as error:
            raise UnavailableError(
                "WordNet needs NLTK: pip install 'showthrough[authors]', then python -m nltk.downloader wordnet"
            ) from error
        self._root = _find_data(nltk.data)
        self._senses: dict[str, Senses] = {}

    @cached_property
    def revision(self) -> str:
        """Changes with its content, whether it lies in a folder or in a zip file."""
        return hashlib.blake2b(b"".join(map(self._content, _FILES)), digest_size=16).hexdigest()

    def _content(self, name: str) -> bytes:
        file = getattr(self._root, "zipfile", None)
        try:
            if file is None:
                return (Path(self._root.path) / name).read_bytes()
            with ZipFile(file.filename) as packed:
                return packed.read(f"{self._root.entry}{name}")
        except (OSError, KeyError, BadZipFile) as error:
            raise self._damage_error(error) from error

    @cached_property
    def _times(self) -> dict[str, int]:
        """How often each sense is tagged: NLTK would search the file for every one."""
        lines = map(str.split, self._content(_COUNTS).decode().splitlines())
        return {sense: int(times) for sense, _, times in lines}

    def senses(self, word: str) -> Senses:
        """Of a word in lower case."""
        word_senses = self._senses.get(word)
        if word_senses is None:
            if len(self._senses) >= _HELD:
                self._senses.clear()
            word_senses = self._senses[word] = self._look_up(word)
        return word_senses

    def synset(self, name: str) -> Any:
        """By the name that `senses` gives, as NLTK has it."""
        return self._reader.synset(name)

    def _look_up(self, word: str) -> Senses:
        """The most common synset is the one that is tagged most often in WordNet's own texts, whatever its part of
        speech; among equals the first.
        """
        reader = self._reader
        lemmas = {word, *filter(None, (reader.morphy(word, part) for part in _PARTS))}
        synsets = reader.synsets(word)
        times = [
            sum(self._times.get(lemma.key(), 0) for lemma in synset.lemmas() if lemma.name().lower() in lemmas)
            for synset in synsets
        ]
        ordered = sorted(range(len(synsets)), key=lambda index: -times[index])
        return Senses(frozenset(lemmas), tuple(synsets[index].name() for index in ordered))

    @cached_property
    def _reader(self) -> Any:
        from nltk.corpus.reader.wordnet import WordNetCorpusReader

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that other languages are not there
                reader: Any = WordNetCorpusReader(self._root, None)
        except (OSError, KeyError, ValueError, BadZipFile) as error:
            raise self._damage_error(error) from error
        return reader

    def _damage_error(self, error: Exception) -> ResourceError:
        return ResourceError(f"WordNet in {self._root} cannot be read ({error}): python -m nltk.downloader wordnet")


def _find_data(data: Any) -> Any:
    """Where NLTK has it: in a folder, or packed."""
    for path in (f"corpora/{_NAME}", f"corpora/{_NAME}.zip/{_NAME}/"):
        try:
            return data.find(path)
        except LookupError:
            continue
        except (OSError, BadZipFile) as error:
            raise ResourceError(f"WordNet cannot be read ({error}): python -m nltk.downloader wordnet") from error
    raise UnavailableError(
        "WordNet is not on this machine: python -m nltk.downloader wordnet, or set NLTK_DATA to the folder that has "
        "corpora/wordnet.zip"
    )
