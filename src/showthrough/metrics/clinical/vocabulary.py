"""How hard PHI is to tell from the rest by its words (Uzuner, Luo and Szolovits 2007, Tables 2 to 5).

A token is *out of vocabulary* when a dictionary does not have it, *ambiguous with non-PHI* when it also occurs where
it is no PHI, and *ambiguous between categories* when it occurs in more than one. All tokens count, numbers too. An
instance is out of vocabulary, or ambiguous, when it includes one or more such tokens.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass

import numpy as np

from showthrough.axis.axis import Axis
from showthrough.axis.spans import Bools, Ints
from showthrough.data.documents import Corpus
from showthrough.data.labels import label_map
from showthrough.metrics.clinical.instances import NONE, Kinds, gold_instances
from showthrough.metrics.clinical.tokens import TokenGold, Tokens

ALL = "(all)"
NON_PHI = "(non-PHI)"


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
    # Of those that are ambiguous in the corpus, how many are so with medical terms; without a list of these, none.
    medical: Share | None = None


@dataclass(frozen=True)
class Analysis:
    """Instances and tokens by category, and which categories share words."""

    dictionary: str
    medical: str  # the list of medical terms; empty: none
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

    @property
    def is_phi(self) -> Bools:
        return np.asarray(self.tokens.kind != NONE)

    def _occurs(self, which: Bools) -> Bools:
        """Of every word, whether some of these tokens are it."""
        return np.asarray(np.bincount(self.code[which], minlength=len(self.spelling)) > 0)

    def ambiguous_with_others(self) -> Bools:
        """Of every word, whether it occurs both as PHI and as none."""
        return self._occurs(self.is_phi) & self._occurs(~self.is_phi)

    def ambiguous_between_kinds(self) -> Bools:
        """Of every word, whether it occurs in more than one category."""
        pairs = np.unique(np.stack([self.code, self.tokens.kind])[:, self.is_phi], axis=1)
        return np.asarray(np.bincount(pairs[0], minlength=len(self.spelling)) > 1)

    def within(self, words: Set[str]) -> Bools:
        """Of every token, whether a list has its word."""
        return np.array([word in words for word in self.spelling], dtype=bool)[self.code]


def words_of(split: TokenGold) -> Words:
    numbers: dict[str, int] = {}
    code = [numbers.setdefault(word, len(numbers)) for word in split.spellings(split.tokens)]
    return Words(split.tokens, np.array(code, dtype=np.int64), list(numbers))


def analyse(
    corpus: Corpus,
    words: Set[str],
    dictionary: str = "",
    mapping: str = "",
    *,
    medical: Set[str] | None = None,
    medical_name: str = "",
    tokens: str = "challenge",
) -> Analysis:
    """Out-of-vocabulary and ambiguous PHI of a corpus; `medical` is a list of medical terms, a word each."""
    axis = Axis(corpus)
    layers = axis.layers
    kinds = Kinds(label_map(mapping))
    gold = gold_instances(axis, kinds)
    split = TokenGold(axis, layers, gold, tokens)
    found = words_of(split)
    names = tuple(kinds.names)
    of_tokens = _traits(found, words, medical)
    return Analysis(
        dictionary,
        medical_name,
        _by_kind(names, gold.kind, _including(of_tokens, split)),
        _by_kind(names, found.tokens.kind, of_tokens),
        _shared(found, names),
    )


@dataclass(frozen=True)
class _Traits:
    """Of every token, or of every instance, what makes it hard."""

    unknown: Bools
    in_record: Bools
    in_corpus: Bools
    medical: Bools | None


def _traits(found: Words, words: Set[str], medical: Set[str] | None) -> _Traits:
    outside = ~found.is_phi
    in_corpus = (np.bincount(found.code[outside], minlength=len(found.spelling)) > 0)[found.code]
    place = found.tokens.layer * len(found.spelling) + found.code
    return _Traits(
        ~found.within(words),
        np.isin(place, place[outside]),
        in_corpus,
        None if medical is None else in_corpus & found.within(medical),
    )


def _including(traits: _Traits, split: TokenGold) -> _Traits:
    """The traits of instances: those of one or more of their tokens."""
    return _Traits(
        split.including(traits.unknown),
        split.including(traits.in_record),
        split.including(traits.in_corpus),
        None if traits.medical is None else split.including(traits.medical),
    )


def _by_kind(names: tuple[str, ...], kind: Ints, traits: _Traits) -> dict[str, Difficulty]:
    """Traits of things by their category, the whole first."""

    def difficulty(which: Bools) -> Difficulty:
        return Difficulty(
            _share(which, traits.unknown),
            _share(which, traits.in_record),
            _share(which, traits.in_corpus),
            None if traits.medical is None else _share(which & traits.in_corpus, traits.medical),
        )

    numbers = sorted(range(len(names)), key=names.__getitem__)
    return {ALL: difficulty(kind != NONE)} | {names[number]: difficulty(kind == number) for number in numbers}


def _share(which: Bools, trait: Bools) -> Share:
    return Share(int((which & trait).sum()), int(which.sum()))


def _shared(found: Words, names: tuple[str, ...]) -> dict[str, dict[str, Share]]:
    """Categories against categories, and against what is no PHI, which comes last."""
    order = [*sorted(range(len(names)), key=names.__getitem__), NONE]
    titles = {number: NON_PHI if number == NONE else names[number] for number in order}
    occurs = np.zeros((len(found.spelling), len(order)), dtype=bool)
    occurs[found.code, found.tokens.kind] = True  # of NONE, the last column
    matrix: dict[str, dict[str, Share]] = {}
    for row in order:
        of_row = found.code[found.tokens.kind == row]
        also = occurs[of_row].sum(axis=0)
        matrix[titles[row]] = {
            titles[column]: Share(int(also[column]), len(of_row)) for column in order if column != row
        }
    return matrix
