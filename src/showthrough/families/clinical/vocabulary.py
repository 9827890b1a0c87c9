"""How hard PHI is to tell from the rest by its words (Uzuner, Luo and Szolovits 2007, Tables 2 to 5).

A token is *out of vocabulary* when a dictionary does not have it, *ambiguous with non-PHI* when it also occurs where
it is no PHI, and *ambiguous between categories* when it occurs in more than one. All tokens count, numbers too. An
instance is out of vocabulary, or ambiguous, when it includes one or more such tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from showthrough.core.arrays import Bools, Ints
from showthrough.data.documents import Corpus
from showthrough.data.labels import TypeResolver, label_map
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.families.clinical._instances import NONE, Kinds, TypedSpans, gold_instances
from showthrough.families.clinical._tokens import TokenGold

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
class CorpusWords:
    """All tokens of a corpus with their words as numbers."""

    tokens: TypedSpans
    code: Ints  # of a token: its word's number
    spelling: list[str]  # of a word, small letters

    @property
    def is_phi(self) -> Bools:
        return np.asarray(self.tokens.kind != NONE)

    def occurs(self, which: Bools) -> Bools:
        """Of every word, whether some of these tokens are it."""
        return np.asarray(np.bincount(self.code[which], minlength=len(self.spelling)) > 0)

    def ambiguous(self, between_kinds: bool) -> frozenset[str]:
        """The words that occur both as PHI and as none; with `between_kinds` also those of more than one category."""
        which = self.occurs(self.is_phi) & self.occurs(~self.is_phi)
        if between_kinds:
            pairs = np.unique(np.stack([self.code, self.tokens.kind])[:, self.is_phi], axis=1)
            which |= np.bincount(pairs[0], minlength=len(self.spelling)) > 1
        return frozenset(self.spelling[number] for number in np.flatnonzero(which).tolist())

    def within(self, words: Set[str]) -> Bools:
        """Of every token, whether a list has its word."""
        return np.array([word in words for word in self.spelling], dtype=bool)[self.code]


def words_of(split: TokenGold) -> CorpusWords:
    numbers: dict[str, int] = {}
    code = [numbers.setdefault(word, len(numbers)) for word in split.spellings(split.tokens)]
    return CorpusWords(split.tokens, np.array(code, dtype=np.int64), list(numbers))


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
    axis = SpanLayout(corpus)
    kinds = Kinds(TypeResolver(label_map(mapping), corpus.survey.types))
    gold = gold_instances(axis, kinds)
    split = TokenGold(axis, gold, tokens)
    seen = words_of(split)
    titles = dict(sorted(enumerate(kinds.names), key=itemgetter(1)))
    of_tokens = _traits(seen, words, medical)
    of_instances = {
        name: split.find_containing(trait) for name, trait in of_tokens.items()
    }  # of one or more of their tokens
    return Analysis(
        dictionary,
        medical_name,
        _by_kind(titles, gold.kind, of_instances),
        _by_kind(titles, seen.tokens.kind, of_tokens),
        _count_shared(seen, {**titles, NONE: NON_PHI}),
    )


def _traits(seen: CorpusWords, words: Set[str], medical: Set[str] | None) -> dict[str, Bools]:
    """Of every token, what makes it hard, by the fields of `Difficulty`."""
    outside = ~seen.is_phi
    in_corpus = seen.occurs(outside)[seen.code]
    word_key = seen.tokens.layer * len(seen.spelling) + seen.code
    traits = {
        "out_of_vocabulary": ~seen.within(words),
        "ambiguous_in_record": np.isin(word_key, word_key[outside]),
        "ambiguous_in_corpus": in_corpus,
    }
    return traits if medical is None else {**traits, "medical": in_corpus & seen.within(medical)}


def _by_kind(titles: Mapping[int, str], kind: Ints, traits: Mapping[str, Bools]) -> dict[str, Difficulty]:
    """Traits of things by their category, the whole first."""

    def difficulty(which: Bools) -> Difficulty:
        counts = {name: int((which & trait).sum()) for name, trait in traits.items()}
        totals = {"medical": counts["ambiguous_in_corpus"]}
        return Difficulty(**{name: Share(count, totals.get(name, int(which.sum()))) for name, count in counts.items()})

    of_kinds = {title: difficulty(kind == number) for number, title in titles.items()}
    return {ALL: difficulty(kind != NONE)} | of_kinds


def _count_shared(seen: CorpusWords, titles: Mapping[int, str]) -> dict[str, dict[str, Share]]:
    """Categories against categories, and against what is no PHI, which comes last."""
    occurs = np.zeros((len(seen.spelling), len(titles)), dtype=bool)
    occurs[seen.code, seen.tokens.kind] = True  # of NONE, the last column
    matrix: dict[str, dict[str, Share]] = {}
    for row, title in titles.items():
        of_row = seen.code[seen.tokens.kind == row]
        also = occurs[of_row].sum(axis=0).tolist()
        matrix[title] = {name: Share(also[column], len(of_row)) for column, name in titles.items() if column != row}
    return matrix
