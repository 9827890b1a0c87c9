"""Words that may stand for others, in the form that the text has: by WordNet, in the most common sense of a word."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from showthrough.models.overlap import GLASGOW
from showthrough.models.wordnet import WordNet

_SHORTEST = 4  # letters: shorter words are seldom what WordNet takes them for
_SENSES = 5  # a word with more of them is too often another one
_KNOWN = 1e-6  # once in a million words: a form that is rarer may be none


class Thesaurus:
    """WordNet and the frequency of words. Raises ResourceError where WordNet is not there."""

    def __init__(self) -> None:
        self.wordnet = WordNet()
        self._known: dict[str, tuple[str, ...]] = {}

    def ready(self) -> None:
        """Loads WordNet, which takes a while."""
        self.synonyms("word")

    def synonyms(self, word: str) -> tuple[str, ...]:
        """Others for a word in small letters, in its own form, the most frequent first; none for words of grammar."""
        if word not in self._known:
            self._known[word] = tuple(sorted(set(self._find(word)), key=lambda item: (-frequency(item), item)))
        return self._known[word]

    def _find(self, word: str) -> Iterator[str]:
        if len(word) < _SHORTEST or not word.isalpha() or word in GLASGOW:
            return
        names = self.wordnet.senses(word).synsets
        if not 0 < len(names) <= _SENSES:
            return
        synset = self.wordnet.synset(names[0])
        for lemma in synset.lemmas():
            other = lemma.name().lower()
            if not other.isalpha() or other[:_SHORTEST] == word[:_SHORTEST]:
                continue
            if self.wordnet.senses(other).synsets[:1] != names[:1]:
                continue  # it usually means something else
            form = inflected(word, self._base(word, synset), other)
            if form and form != word and frequency(form) >= _KNOWN and not _sounds_unlike(word, form):
                yield form

    def _base(self, word: str, synset: Any) -> str:
        """The lemma of a synset that a word is a form of."""
        lemmas = {lemma.name().lower() for lemma in synset.lemmas()}
        return next((item for item in sorted(self.wordnet.senses(word).lemmas, key=len) if item in lemmas), word)


@lru_cache(maxsize=1)
def thesaurus() -> Thesaurus:
    """One for a process, since WordNet takes long to load."""
    return Thesaurus()


def _sounds_unlike(word: str, other: str) -> bool:
    """Whether `a` before the one would have to be `an` before the other."""
    return (word[0] in "aeiou") != (other[0] in "aeiou")


@lru_cache(maxsize=100_000)
def frequency(word: str) -> float:
    """How often an English word stands among others."""
    from wordfreq import word_frequency

    return float(word_frequency(word, "en"))


def inflected(word: str, base: str, other: str) -> str:
    """Another word in the form in which a word stands; empty where nobody knows that form.

    >>> [inflected(*words) for words in (("studies", "study", "work"), ("stopped", "stop", "cease"))]
    ['works', 'ceased']
    >>> inflected("went", "go", "travel"), inflected("house", "house", "home")
    ('', 'home')
    """
    if word == base:
        return other
    for ending, forms in _FORMS.items():
        if word.endswith(ending) and word[: len(base) - 1] == base[:-1]:
            return max(forms(other), key=lambda form: (frequency(form), form))
    return ""


def _with_s(word: str) -> tuple[str, ...]:
    return (word[:-1] + "ies",) if word.endswith("y") and word[-2:-1] not in "aeiou" else (word + "s", word + "es")


def _with_ed(word: str) -> tuple[str, ...]:
    return _joined(word, "ed") if not word.endswith("y") else (word + "ed", word[:-1] + "ied")


def _joined(word: str, ending: str) -> tuple[str, ...]:
    """Added, with the last letter doubled, or in the place of a final e."""
    return (word[:-1] + ending,) if word.endswith("e") else (word + ending, word + word[-1] + ending)


def _with_ing(word: str) -> tuple[str, ...]:
    return _joined(word, "ing")


_FORMS = {"s": _with_s, "ed": _with_ed, "ing": _with_ing}
