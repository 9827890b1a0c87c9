"""Strings that leak, and where else they stand: as written, whole words, whatever space is between them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Ints
from showthrough.data.layout.spans import contents_of, expand_ranges
from showthrough.models.lexicon import is_punctuation
from showthrough.studies.rules._words import WordIndex
from showthrough.studies.rules._workspace import MaskState, RuleCorpus, RuleMatches
from showthrough.studies.rules.worth import Rule

MOST_WORDS, MOST_LETTERS = 20, 200  # of a string: a longer one is no rule but a quotation


def leaking_strings(ground: RuleCorpus, standing: MaskState, leaking: Ints) -> list[Rule]:
    """What mentions that can be read say, and what masks leave of them, each string once."""
    start, end = _trim(ground, ground.gold.start[leaking], ground.gold.end[leaking])
    contents = contents_of(ground.words.laid, start, end)
    fit = (
        (contents.last > contents.first)
        & (contents.last - contents.first <= MOST_WORDS)
        & (end - start <= MOST_LETTERS)
    )
    fit[contents.cut.origin] = False
    start, end, first, last = start[fit], end[fit], contents.first[fit], contents.last[fit]
    mention, low, high = _find_unmasked(ground, standing, first, last)
    words = ground.words.laid
    # Signs at either end of a mention, such as that of a currency, go with the word beside them.
    part_start = np.where(low == first[mention], start[mention], words.start[low])
    part_end = np.where(high == last[mention] - 1, end[mention], words.end[high])
    spans = np.column_stack([np.concatenate([start, part_start]), np.concatenate([end, part_end])])
    text = ground.axis.text
    return [
        Rule("string", text=string)
        for string in dict.fromkeys(plain(text[a:b]) for a, b in np.unique(spans, axis=0).tolist())
    ]


def plain(text: str) -> str:
    """With one space wherever there is any."""
    return " ".join(text.split())


def _trim(ground: RuleCorpus, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Spans without punctuation and space at their ends; empty where there is nothing else."""
    positions = np.flatnonzero(ground.axis.table(is_punctuation) == 0)
    first, last = np.searchsorted(positions, start), np.searchsorted(positions, end)
    nonempty = last > first
    low, high = start.copy(), start.copy()
    low[nonempty], high[nonempty] = positions[first[nonempty]], positions[last[nonempty] - 1] + 1
    return low, high


def _find_unmasked(ground: RuleCorpus, standing: MaskState, first: Ints, last: Ints) -> tuple[Ints, Ints, Ints]:
    """Of runs of words, those parts that no mask touches, without function words at their ends.

    The number of the run, and the first and last word of the part.
    """
    words = ground.words.laid
    run, word = expand_ranges(first, last)
    bare = ~standing.masked(words)[word]
    run, word = run[bare], word[bare]
    part = np.cumsum((np.diff(word, prepend=-2) != 1) | (np.diff(run, prepend=-1) != 0))
    solid = (ground.span_index.before[words.end] > ground.span_index.before[words.start])[word]
    run, word, part = run[solid], word[solid], part[solid]
    edges = np.diff(part, prepend=0, append=part[-1:] + 1) != 0
    opens, closes = np.flatnonzero(edges[:-1]), np.flatnonzero(edges[1:])
    return run[opens], word[opens], word[closes]


def string_places(ground: RuleCorpus, rules: Sequence[Rule]) -> RuleMatches:
    """Where strings stand; a rule's number is its place among the rules."""
    strings = [plain(rule.text) for rule in rules]
    tree = _Tree.of(strings, ground.words)
    words, text, bounds = ground.words.laid, ground.axis.text, ground.axis.bounds
    node, first, last = _walk(ground.words, tree)
    document = ground.words.document[first]
    rows = []
    candidates = np.column_stack(
        [node, words.start[first], words.end[last], bounds[document], bounds[document + 1] - 1]
    )
    # Words of one key may differ, and signs before, between and after the words have to be the same too.
    for at, start, end, least, most in candidates.tolist():
        for string, before, after in tree.strings[at]:
            low, high = start - before, end + after
            if low >= least and high <= most and plain(text[low:high]) == strings[string]:
                rows.append((string, low, high))
    return RuleMatches(*np.array(rows, dtype=np.int64).reshape(-1, 3).T)


class _Tree(NamedTuple):
    """Strings as a tree of words. An edge is the node that it leaves, times the number of words, and the word."""

    edges: Ints  # ascending
    node: Ints  # that each edge leads to
    strings: list[list[tuple[int, int, int]]]  # of each node: those that end there, and their signs before and after

    @classmethod
    def of(cls, strings: Sequence[str], words: WordIndex) -> _Tree:
        """A string with a word that stands nowhere is not in it."""
        keys, own = words.key_index[0], WordIndex.of(strings)
        word = np.searchsorted(keys, own.keys)
        in_texts = np.append(keys, 0)[word] == own.keys
        bounds = np.searchsorted(own.document, np.arange(len(strings) + 1))
        nodes: dict[int, int] = {}
        ends: list[list[tuple[int, int, int]]] = [[]]
        base = 0
        for string, (first, last) in enumerate(pairwise(bounds.tolist())):
            if first < last and in_texts[first:last].all():
                at = 0
                for word_number in word[first:last].tolist():
                    at = nodes.setdefault(at * len(keys) + word_number, len(nodes) + 1)
                    if at == len(ends):
                        ends.append([])
                before, after = own.laid.start[first] - base, base + len(strings[string]) - own.laid.end[last - 1]
                ends[at].append((string, int(before), int(after)))
            base += len(strings[string]) + 1
        edges = np.array(sorted(nodes), dtype=np.int64)
        return cls(edges, np.array([nodes[edge] for edge in edges.tolist()], dtype=np.int64), ends)


def _walk(words: WordIndex, tree: _Tree) -> tuple[Ints, Ints, Ints]:
    """All runs of words that are those of some string: the node of the tree, and the first and last word.

    All words go down the tree at once, a word at a time: few get beyond the first.
    """
    keys, number = words.key_index
    ends = np.array([bool(strings) for strings in tree.strings])
    position = np.arange(len(number) if len(tree.edges) else 0)
    at = np.zeros_like(position)
    matches = [(at[:0], position[:0], position[:0])]
    for depth in range(len(tree.node)):
        inside = position + depth < len(number)
        position, at = position[inside], at[inside]
        same = words.document[position] == words.document[position + depth]
        position, at = position[same], at[same]
        if not len(position):
            break
        step = at * len(keys) + number[position + depth]
        edge = np.minimum(np.searchsorted(tree.edges, step), len(tree.edges) - 1)
        has_edge = tree.edges[edge] == step
        position, at = position[has_edge], tree.node[edge[has_edge]]
        done = ends[at]
        matches.append((at[done], position[done], position[done] + depth))
    node, first, last = (np.concatenate(column) for column in zip(*matches, strict=True))
    return node, first, last
