"""Overlap similarity: how much of what one sentence says another says too, word by word, from 0 to 5.

As PAN's soundness of author masking has it (Potthast, Hagen and Stein 2016): two words are as similar as WordNet and
word vectors say, every word is matched with the most similar of the other sentence, and both ways count alike.
Stop words are left out where enough other words are there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Protocol

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.patterns import lazy_pattern
from showthrough.models.cache import Arrays, Cache, question
from showthrough.models.files import library_versions
from showthrough.models.settings import Watch, share_of
from showthrough.models.word_vectors import WordVectorSource
from showthrough.models.wordnet import WordNet

if TYPE_CHECKING:
    from showthrough.models._similarity import Similarity

# Stop words say little of what a sentence is about, so measures that compare sentences leave them out.

# The list of the Information Retrieval Group of the University of Glasgow, with `computer`, which later copies lack.
# The published values of PAN's soundness come out with it, and with no other list that was tried.
_GLASGOW = """
    a about above across after afterwards again against all almost alone along already also although always am among
    amongst amoungst amount an and another any anyhow anyone anything anyway anywhere are around as at back be
    became because become becomes becoming been before beforehand behind being below beside besides between beyond
    bill both bottom but by call can cannot cant co computer con could couldnt cry de describe detail do done down
    due during each eg eight either eleven else elsewhere empty enough etc even ever every everyone everything
    everywhere except few fifteen fifty fill find fire first five for former formerly forty found four from front
    full further get give go had has hasnt have he hence her here hereafter hereby herein hereupon hers herself him
    himself his how however hundred i ie if in inc indeed interest into is it its itself keep last latter latterly
    least less ltd made many may me meanwhile might mill mine more moreover most mostly move much must my myself
    name namely neither never nevertheless next nine no nobody none noone nor not nothing now nowhere of off often
    on once one only onto or other others otherwise our ours ourselves out over own part per perhaps please put
    rather re same see seem seemed seeming seems serious several she should show side since sincere six sixty so
    some somehow someone something sometime sometimes somewhere still such system take ten than that the their them
    themselves then thence there thereafter thereby therefore therein thereupon these they thick thin third this
    those though three through throughout thru thus to together too top toward towards twelve twenty two un under
    until up upon us very via was we well were what whatever when whence whenever where whereafter whereas whereby
    wherein whereupon wherever whether which while whither who whoever whole whom whose why will with within without
    would yet you your yours yourself yourselves
"""
GLASGOW = frozenset(_GLASGOW.split())
# What Penn-Treebank-style tokens leave of clitics and of the verbs before them (can't: ca, n't).
CLITICS = frozenset(("n't", "'s", "'m", "'d", "'ll", "'re", "'ve", "ca", "wo", "sha"))

Pair = tuple[str, str]
Words = list[str]

MOST = 5.0
VERSION = 1  # of the answers
_SHARED, _UNRELATED = 0.5, 0.15
_FEW = 2  # content words: where neither side has so many, all words count
_TOGETHER = 2048  # words of passages that are compared at once
_CELLS = 4_000_000  # similarities of words that are held at once
_BLOCK = 256  # documents whose answers are stored together: what a stop can lose
_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\ufeff": None})
_NOT = lazy_pattern(r"(?<=[a-z])n't\b")
_CLITIC = lazy_pattern(r"'(?=(?:s|m|d|ll|re|ve)\b)")
_TOKEN = lazy_pattern(r"n't\b|'(?:s|m|d|ll|re|ve)\b|\d+(?:[.,:]\d+)*(?![-\w])|[^\W_]+(?:[-.&_]\w+)*")
_PLAIN = GLASGOW | CLITICS


def words_of(text: str) -> Words:
    """The words of a text as the Penn Treebank cuts them, in lower case; punctuation is none.

    >>> words_of("They don\u2019t cost $3.50, e.g. he\u2019s 21-year-old.")
    ['they', 'do', "n't", 'cost', '3.50', 'e.g', 'he', "'s", '21-year-old']
    """
    spaced = _NOT.sub(" n't", text.translate(_QUOTES).lower().replace("cannot", "can not"))
    return _TOKEN.findall(_CLITIC.sub(" '", spaced))


def select_words(left: str, right: str) -> tuple[Words, Words]:
    """The words that count of two texts: content words, or all where neither has two of these.

    >>> select_words("I begged it was the latter.", "I prayed it was the latter.")[0]
    ['i', 'begged', 'it', 'was', 'the', 'latter']
    >>> select_words("He told it simply.", "He stated simply.")
    (['told', 'simply'], ['stated', 'simply'])
    """
    words = words_of(left), words_of(right)
    first, second = ([word for word in side if word not in _PLAIN] for side in words)
    return words if max(len(first), len(second)) < _FEW else (first, second)


class Overlap:
    """Compares texts by WordNet and, where there are some, word vectors."""

    def __init__(
        self, wordnet: WordNet, vectors: WordVectorSource | None, cache: Cache, watch: Watch | None = None
    ) -> None:
        self.wordnet = wordnet
        self.vectors = vectors
        self.cache = cache
        self.watch = watch

    def similarities(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        """Those of every pair, group by group (a group is what one document asks), from the cache where it has them."""
        identity = (
            VERSION,
            self.wordnet.revision,
            library_versions("nltk"),
            self.vectors.revision if self.vectors else "",
        )
        names = [question("overlap", *identity, list(group)) for group in groups]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            for first in range(0, len(indices), _BLOCK):
                block = [groups[index] for index in indices[first : first + _BLOCK]]
                by_pair = self._compare(list(dict.fromkeys(chain.from_iterable(block))))
                share_of(self.watch, "passages", first, len(block), len(indices))(1.0)
                for group in block:
                    yield {"sts": np.array([by_pair[pair] for pair in group], dtype=np.float64)}

        return [np.asarray(entry["sts"], dtype=np.float64) for entry in self.cache.through(names, answer)]

    def _compare(self, pairs: Sequence[Pair]) -> dict[Pair, float]:
        similarities: dict[Pair, float] = {}
        batch: dict[Pair, tuple[Words, Words]] = {}
        word_count = 0
        for pair in pairs:
            first, second = select_words(*pair)
            if not first or not second:  # without a word on either side nothing that means anything was lost
                alike = not first and not second and bool(pair[0].strip()) == bool(pair[1].strip())
                similarities[pair] = MOST if alike else 0.0
                continue
            if word_count and word_count + len(first) + len(second) > _TOGETHER:
                similarities |= self._compare_words(batch)
                batch, word_count = {}, 0
            batch[pair] = first, second
            word_count += len(first) + len(second)
        return similarities | self._compare_words(batch)

    def _compare_words(self, batch: dict[Pair, tuple[Words, Words]]) -> dict[Pair, float]:
        if not batch:
            return {}
        vocabulary = list(dict.fromkeys(chain.from_iterable(chain.from_iterable(batch.values()))))
        near = Nearness(vocabulary, self.wordnet, self.vectors)
        number = {word: index for index, word in enumerate(vocabulary)}
        numbered = {pair: [[number[word] for word in side] for side in sides] for pair, sides in batch.items()}
        return {pair: near.similarity(*map(np.array, sides)) for pair, sides in numbered.items()}


class Nearness:
    """How similar any two of some words are: 1, ½, their cosine, or 0.15."""

    def __init__(self, words: Words, wordnet: WordNet, vectors: WordVectorSource | None) -> None:
        self.size = len(words)
        senses = list(map(wordnet.senses, words))
        same = [
            sorted({*word_senses.lemmas, *(f"={first}" for first in word_senses.synsets[:1])}) for word_senses in senses
        ]
        self._links = (
            (_SHARED, _link_marks([word_senses.synsets for word_senses in senses])),
            (1.0, _link_marks(same)),
        )
        self._vectors = vectors.of(words) if vectors else None
        every = np.arange(self.size)
        self._all = self.between(every, every) if self.size**2 <= _CELLS else None

    def similarity(self, left: Ints, right: Ints) -> float:
        """5 · (mean best match of the one + mean best match of the other) / 2."""
        (first, left), (second, right) = (np.unique(side, return_inverse=True) for side in (left, right))
        best, other = np.zeros(len(first)), np.zeros(len(second))
        step = max(1, _CELLS // self.size)
        for low in range(0, len(first), step):
            rows = first[low : low + step]
            near = self.between(rows, second) if self._all is None else self._all[np.ix_(rows, second)]
            best[low : low + step] = near.max(axis=1)
            other = np.maximum(other, near.max(axis=0))
        return MOST * float(best[left].mean() + other[right].mean()) / 2

    def between(self, rows: Ints, columns: Ints) -> Floats:
        """Rows × columns; cosines below 0 count as 0."""
        near = np.full((len(rows), len(columns)), _UNRELATED)
        if self._vectors is not None:
            vectors, has_vector = self._vectors
            cosines = (vectors[rows] @ vectors[columns].T).clip(0.0, 1.0).round(9)  # alike however they are batched
            near = np.where(has_vector[rows][:, None] & has_vector[columns], cosines, near)
        row, column = (np.full(self.size, -1) for _ in range(2))
        row[rows], column[columns] = np.arange(len(rows)), np.arange(len(columns))
        for value, (left, right) in self._links:
            linked = (row[left] >= 0) & (column[right] >= 0)
            near[row[left[linked]], column[right[linked]]] = value
        return near


def _link_marks(marks: Sequence[Sequence[str]]) -> tuple[Ints, Ints]:
    """All pairs of places that have a mark in common, both ways round; each with itself where it has any."""
    number: dict[str, int] = {}
    mark = np.array(
        [number.setdefault(mark_text, len(number)) for word_marks in marks for mark_text in word_marks], dtype=np.int64
    )
    index = np.repeat(np.arange(len(marks)), list(map(len, marks)))
    order = np.argsort(mark, kind="stable")
    index = index[order]
    _, start, count = np.unique(mark[order], return_index=True, return_counts=True)
    size = np.repeat(count, count)
    left = np.repeat(index, size)
    step = np.arange(len(left)) - np.repeat(np.cumsum(size) - size, size)
    return left, index[np.repeat(np.repeat(start, count), size) + step]


# How alike two passages are in what they say, from 0 (nothing) to 5 (all), as people rate it (STS).


class Sts(Protocol):
    """Gives a similarity from 0 to 5 for every pair, group by group (a group is what one document asks)."""

    def similarities(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]: ...


class Cosines:
    """Five times a cosine, or what is like one; below 0 it is 0."""

    def __init__(self, source: Similarity) -> None:
        self.source = source

    @property
    def revision(self) -> str:
        return str(getattr(self.source, "revision", ""))

    def similarities(self, groups: Sequence[Sequence[Pair]]) -> list[Floats]:
        return [MOST * np.clip(cosines_of_group, 0.0, 1.0) for cosines_of_group in self.source.cosines(groups)]
