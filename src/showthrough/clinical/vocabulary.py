"""How hard PHI is to tell from the rest by its words (Uzuner, Luo and Szolovits 2007, Tables 2 to 5).

A word is *out of vocabulary* when a dictionary does not have it, *ambiguous with non-PHI* when it also occurs where it
is no PHI, and *ambiguous between categories* when it occurs in more than one. Tokens without a letter are no words.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from showthrough.axis import Axis, Bools, Ints
from showthrough.clinical.instances import (
    NONE,
    Instances,
    Kinds,
    Sheets,
    gold_instances,
    label_map,
    overlapping,
)
from showthrough.clinical.tokens import Tokens, all_tokens
from showthrough.text import Corpus

ALL = "(all)"


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    count: int
    total: int

    @property
    def value(self) -> float | None:
        return self.count / self.total if self.total else None


@dataclass(frozen=True)
class Difficulty:
    """How much of a category's PHI is out of vocabulary or ambiguous with non-PHI."""

    out_of_vocabulary: Share
    ambiguous_in_record: Share
    ambiguous_in_corpus: Share


@dataclass(frozen=True)
class Analysis:
    """Instances and tokens by category, and which categories share words."""

    dictionary: str
    instances: dict[str, Difficulty]
    tokens: dict[str, Difficulty]
    # Of the tokens of a category (row), how many are words that also occur as another category (column).
    shared: dict[str, dict[str, Share]]


@dataclass(frozen=True)
class Words:
    """All tokens of a corpus with their words as numbers."""

    tokens: Tokens
    code: Ints  # of a token: its word's number
    spelling: list[str]  # of a word, small letters
    is_word: Bools  # of a word: has a letter

    @property
    def is_phi(self) -> Bools:
        return np.asarray(self.tokens.kind != NONE)

    def _occurs(self, which: Bools) -> Bools:
        """Of every word, whether some of these tokens are it."""
        return np.asarray(np.bincount(self.code[which], minlength=len(self.spelling)) > 0)

    def ambiguous_with_others(self) -> Bools:
        """Of every word, whether it occurs both as PHI and as none."""
        return self._occurs(self.is_phi) & self._occurs(~self.is_phi) & self.is_word

    def ambiguous_between_kinds(self) -> Bools:
        """Of every word, whether it occurs in more than one category."""
        pairs = np.unique(np.stack([self.code, self.tokens.kind])[:, self.is_phi], axis=1)
        return np.asarray(np.bincount(pairs[0], minlength=len(self.spelling)) > 1) & self.is_word


def spellings(axis: Axis, sheets: Sheets, tokens: Tokens) -> list[str]:
    """The words of tokens, in small letters."""
    base = sheets.base[tokens.sheet]
    texts = [axis.documents[number].text for number in sheets.document.tolist()]
    places = zip(tokens.sheet.tolist(), (tokens.start - base).tolist(), (tokens.end - base).tolist(), strict=True)
    return [texts[sheet][start:end].casefold() for sheet, start, end in places]


def words_of(axis: Axis, sheets: Sheets, gold: Instances) -> Words:
    tokens = all_tokens(axis, sheets, gold)
    numbers: dict[str, int] = {}
    code = [numbers.setdefault(word, len(numbers)) for word in spellings(axis, sheets, tokens)]
    letters = np.array([any(map(str.isalpha, word)) for word in numbers], dtype=bool)
    return Words(tokens, np.array(code, dtype=np.int64), list(numbers), letters)


def analyse(corpus: Corpus, words: Set[str], dictionary: str = "", mapping: str = "") -> Analysis:
    """Out-of-vocabulary and ambiguous PHI of a corpus.

    An instance is out of vocabulary when one of its words is; it is ambiguous when all of it, word by word, also
    stands somewhere as no PHI: in the same record, or anywhere in the corpus.
    """
    axis = Axis(corpus)
    sheets = Sheets.of(axis)
    kinds = Kinds(label_map(mapping))
    gold = gold_instances(axis, sheets, kinds)
    found = words_of(axis, sheets, gold)
    unknown = found.is_word & np.array([word not in words for word in found.spelling], dtype=bool)
    names = tuple(kinds.names)
    return Analysis(
        dictionary,
        _by_kind(names, gold.kind, *_of_instances(found, gold, unknown)),
        _by_kind(names, found.tokens.kind, *_of_tokens(found, unknown)),
        _shared(found, names),
    )


def _by_kind(names: tuple[str, ...], kind: Ints, counts: Bools, *traits: Bools) -> dict[str, Difficulty]:
    """Traits of things that count, by their category, the whole first."""

    def difficulty(which: Bools) -> Difficulty:
        asked = which & counts
        return Difficulty(*(Share(int((asked & trait).sum()), int(asked.sum())) for trait in traits))

    numbers = sorted(range(len(names)), key=names.__getitem__)
    return {ALL: difficulty(kind != NONE)} | {names[number]: difficulty(kind == number) for number in numbers}


def _of_tokens(found: Words, unknown: Bools) -> tuple[Bools, Bools, Bools, Bools]:
    """Of every token: whether it is a word, out of vocabulary, ambiguous in its record, ambiguous in the corpus."""
    outside = ~found.is_phi
    in_corpus = np.bincount(found.code[outside], minlength=len(found.spelling)) > 0
    place = found.tokens.sheet * len(found.spelling) + found.code
    in_record = np.isin(place, place[outside])
    return found.is_word[found.code], unknown[found.code], in_record, in_corpus[found.code]


def _of_instances(found: Words, gold: Instances, unknown: Bools) -> tuple[Bools, Bools, Bools, Bools]:
    """The same of every instance."""
    token, instance, _ = overlapping(found.tokens, gold)
    counts = np.bincount(instance, found.is_word[found.code[token]], minlength=len(gold)) > 0
    strange = np.bincount(instance, unknown[found.code[token]], minlength=len(gold)) > 0
    size = np.bincount(instance, minlength=len(gold))
    first = np.full(len(gold), len(found.tokens), dtype=np.int64)
    np.minimum.at(first, instance, token)
    in_record, in_corpus = np.zeros(len(gold), dtype=bool), np.zeros(len(gold), dtype=bool)
    free = np.concatenate([[0], np.cumsum(found.is_phi)])
    phrase = found.code
    for length in range(1, int(size.max(initial=0)) + 1):
        if length > 1:
            # A phrase is the phrase one word shorter and a further word; phrases are numbered afresh at each length.
            longer = phrase[:-1] * len(found.spelling) + found.code[length - 1 :]
            phrase = np.unique(longer, return_inverse=True)[1]
        sheet = found.tokens.sheet[: len(phrase)]
        outside = (free[length:] == free[: len(phrase)]) & (sheet == found.tokens.sheet[length - 1 :])
        which = np.flatnonzero(size == length)
        said, where = phrase[first[which]], sheet[first[which]]
        in_corpus[which] = np.isin(said, phrase[outside])
        stride = int(phrase.max()) + 1
        in_record[which] = np.isin(where * stride + said, (sheet * stride + phrase)[outside])
    return counts, strange, in_record, in_corpus


def _shared(found: Words, names: tuple[str, ...]) -> dict[str, dict[str, Share]]:
    asked = found.is_phi & found.is_word[found.code]
    code, kind = found.code[asked], found.tokens.kind[asked]
    occurs = np.zeros((len(found.spelling), len(names)), dtype=bool)
    occurs[code, kind] = True
    order = sorted(range(len(names)), key=names.__getitem__)
    matrix: dict[str, dict[str, Share]] = {}
    for row in order:
        of_row = code[kind == row]
        matrix[names[row]] = {
            names[column]: Share(int(occurs[of_row, column].sum()), len(of_row)) for column in order if column != row
        }
    return matrix
