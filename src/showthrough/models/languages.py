"""Which language texts look like.

Two things tell. Of the words of running text, 38 to 46 % are small words (below) of its own language and at most 22 %
those of another, Danish and Norwegian apart. And of its words of four letters or more, 90 % are among those that
`wordfreq` finds at least once in a million words of the language, and less than a third among those of most others.
(These are shares in the lists of `wordfreq` themselves; clinical notes have some 30 % and 70 %.) Shorthand and lists of
names have few small words of any language: nothing is said of them.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Corpus
from showthrough.models.closed_classes import CLOSED_CLASSES
from showthrough.models.dictionary import in_use

# Pronouns, auxiliaries and the like: as frequent as function words, and told apart from them nowhere else.
_ALSO = {
    "en": """i you he she it we they him her his its their my your me who which that what when where there is are was
        were be been being have has had do does did will would can could may should must if then than so no because
        also more most other such only""",
    "es": """que no se es fue son era está han ha había lo le les me nos él ella ellos como más muy ya también cuando
        donde porque si ser sido yo esto""",
    "de": """ich er sie es wir ihr ist sind war waren wird werden wurde wurden hat haben hatte kann auch sich dass daß
        wenn noch nur wie so aber mehr sein was man""",
    "fr": """que qui ne pas il elle ils elles on nous vous je se est sont était ont été être avait où plus aussi
        comme si cela""",
    "da": """det er var har havde som der jeg han hun vi ikke kan skal vil blev bliver sig også når hvis da at man
        være""",
    "nb": """det de er var har hadde som der jeg han hun vi ikke kan skal vil ble blir seg også når hvis da at man
        være""",
    "sv": "det är var har hade som jag han hon vi kan ska skall vill blev blir sig också när då man vara",
    "nl": """dat die is was zijn waren heeft hebben had wordt werd worden ik hij zij ze we niet ook er zich als nog kan
        dan wat""",
    "it": """che non si è sono era stato stata ha hanno come più anche se ci mi lui lei essere perché quando dove
        questo""",
    "pt": """que não se é foi são era está tem foram ser como mais também quando onde porque ele ela eles lhe já
        muito""",
}  # fmt: skip
_DOCUMENTS, _CHARACTERS = 200, 200_000  # of a sample, at most
_WORD = lazy_pattern(r"[^\W\d_]{2,}")  # lone letters are initials and shorthand as often as words
_LATIN = lazy_pattern(r"[A-Za-zÀ-ɏḀ-ỿ]+")
_LONG = 4  # letters of a word that is looked up
_FEWEST_WORDS, _FEWEST_LONG, _FEWEST_SMALL = 30, 40, 8  # below which nothing can be said: running words, long, small
_FITTING = 0.18  # share of small words from which on a text looks like a language
_RIVAL = 0.7  # of the best share: a language with as much cannot be told from the best
_KNOWN, _UNKNOWN = 0.4, 0.35  # share of long words that a text in a language has at least, and in another at most


@dataclass
class WordSample:
    """Words of documents, counted: all in small letters, and those that were written so."""

    words: Counter[str] = field(default_factory=Counter)
    small: Counter[str] = field(default_factory=Counter)
    letters: int = 0
    latin: int = 0

    def add(self, text: str) -> None:
        words = _WORD.findall(text)
        self.words.update(word.lower() for word in words)
        self.small.update(word for word in words if word.islower())
        self.letters += sum(map(str.isalpha, text))
        self.latin += sum(map(len, _LATIN.findall(text)))

    def share(self, language: str) -> float:
        """Of all words, how many are small words of a language."""
        return sum(self.words[word] for word in small_words(language)) / max(self.words.total(), 1)


def sample_of(corpus: Corpus) -> WordSample:
    """Some documents from all over a corpus, the beginning of each where they are long."""
    sample = WordSample()
    size = min(len(corpus), _DOCUMENTS)
    for number in np.linspace(0, len(corpus) - 1, size).astype(int).tolist():
        sample.add(corpus.documents[number].text[: _CHARACTERS // size])
    return sample


def another_language(sample: WordSample, language: str) -> tuple[str, ...] | None:
    """What a sample looks like, if clearly not the language that is in use.

    Several where they cannot be told apart; an empty tuple where it is none of those that this program knows; `None`
    where nothing speaks against the language in use, or too little.

    >>> from showthrough.data.documents import Document
    >>> text = "El paciente fue visto en la consulta del hospital por el dolor que tenía desde hacía un mes, y se le "
    >>> sample = sample_of(Corpus([Document("a", text + "pidió una prueba de sangre para ver si era de la herida.")]))
    >>> another_language(sample, "en"), another_language(sample, "es")
    (('es',), None)
    """
    if language in CLOSED_CLASSES and sample.letters >= _FEWEST_WORDS and sample.latin < sample.letters / 2:
        return ()  # all that are known are written in Latin letters
    if sample.words.total() < _FEWEST_WORDS:
        return None
    shares = {code: sample.share(code) for code in CLOSED_CLASSES}
    best = max(shares, key=shares.__getitem__)
    own = shares.get(language, 0.0)
    if own >= _RIVAL * shares[best] and own >= _FITTING:
        return None
    alike = tuple(code for code, share in shares.items() if share >= _RIVAL * shares[best])
    if shares[best] >= _FITTING and alike in ((best,), ("da", "nb")) and _is_at_home(sample, best):
        return alike
    return () if own < _FITTING and _is_strange(sample, language) else None


def _is_at_home(sample: WordSample, language: str) -> bool:
    """Whether a sample's words are a language's: enough different small ones, and long ones that are in use."""
    small = sum(word in sample.words for word in small_words(language))
    return small >= _FEWEST_SMALL and _share_in_use(sample.words, language) >= _KNOWN


def _is_strange(sample: WordSample, language: str) -> bool:
    """Whether running text, in small letters, has hardly a word that a language uses."""
    long = sum(count for word, count in sample.small.items() if len(word) >= _LONG)
    return long >= _FEWEST_LONG and _share_in_use(sample.small, language) < _UNKNOWN


def _share_in_use(words: Counter[str], language: str) -> float:
    """Of the long words, how many are in use in a language; all, where that cannot be told."""
    used = in_use(language)
    if used is None:
        return 1.0
    long = {word: count for word, count in words.items() if len(word) >= _LONG}
    return sum(count for word, count in long.items() if word in used) / max(sum(long.values()), 1)


@cache
def small_words(language: str) -> frozenset[str]:
    """The words by which a language is known."""
    words = CLOSED_CLASSES[language].words | frozenset(_ALSO[language].split())
    return frozenset(word for word in words if _WORD.fullmatch(word))
