"""Strings that leak, and where else they stand: word by word as written, whatever space is between the words."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from showthrough.analysis.rules.ground import Found, Ground, Standing, word_keys
from showthrough.analysis.rules.worth import Rule
from showthrough.axis.axis import Axis
from showthrough.axis.spans import Bools, Ints, Keys, spread
from showthrough.data.documents import Corpus, Document

MOST_WORDS = 20  # of a string: a longer one is no rule but a quotation


def leaking_strings(ground: Ground, standing: Standing, leaking: Ints) -> list[Rule]:
    """What mentions that can be read say, and what masks leave of them, each string once."""
    held, tokens = ground.axis.gold_contents, ground.axis.tokens
    cut = np.zeros(len(held.first), dtype=bool)
    cut[held.cut.origin] = True
    first, last = held.first[leaking], held.last[leaking]
    fit = ~cut[leaking] & (last > first) & (last - first <= MOST_WORDS)
    first, last = first[fit], last[fit]
    runs = _unmasked(ground, standing, first, last)
    spans = np.unique(np.concatenate([np.column_stack([first, last]), runs]), axis=0)
    starts, ends = tokens.start[spans[:, 0]].tolist(), tokens.end[spans[:, 1] - 1].tolist()
    written = (ground.axis.text[start:end] for start, end in zip(starts, ends, strict=True))
    return [Rule("string", text=text) for text in dict.fromkeys(map(plain, written))]


def plain(text: str) -> str:
    """With one space wherever there is any."""
    return " ".join(text.split())


def _unmasked(ground: Ground, standing: Standing, first: Ints, last: Ints) -> Ints:
    """Of runs of tokens, those parts that no mask touches, without function words at their ends; first and last."""
    tokens = ground.axis.tokens
    run, token = spread(first, last)
    solid = ground.ruler.before[tokens.end] > ground.ruler.before[tokens.start]
    bare = ~standing.masked_tokens[token]
    run, token = run[bare], token[bare]
    if not len(token):
        return np.zeros((0, 2), dtype=np.int64)
    breaks = (np.diff(token, prepend=-2) != 1) | (np.diff(run, prepend=-1) != 0)
    part = np.cumsum(breaks) - 1
    kept = solid[token]
    part, token = part[kept], token[kept]
    if not len(token):
        return np.zeros((0, 2), dtype=np.int64)
    opens = np.flatnonzero(np.diff(part, prepend=-1))
    return np.column_stack([token[opens], np.append(token[opens[1:] - 1], token[-1]) + 1])


def string_places(ground: Ground, strings: Sequence[str]) -> Found:
    """Where strings stand; a rule's number is that of its string."""
    tokens, text = ground.axis.tokens, ground.axis.text
    first, last = _walked(ground, strings)
    start, end = tokens.start[first], tokens.end[last]
    # Words of one key may differ, and what stands between words is to be the same but for space.
    numbers = {string: number for number, string in enumerate(strings)}
    spans = zip(start.tolist(), end.tolist(), strict=True)
    which = np.array([numbers.get(plain(text[low:high]), -1) for low, high in spans], dtype=np.int64)
    real = which >= 0
    return Found(which[real], start[real], end[real])


def _walked(ground: Ground, strings: Sequence[str]) -> tuple[Ints, Ints]:
    """All runs of tokens that have the words of some string: the first token and the last.

    Strings are one tree of words, in which all tokens go down at once, a word at a time: few get beyond the first.
    """
    keys, number = ground.words
    edges, node, ends = _tree(strings, keys)
    place = np.arange(len(number) if len(edges) else 0)
    at = np.zeros_like(place)
    found = [(place[:0], place[:0])]
    for depth in range(MOST_WORDS):
        inside = place + depth < len(number)
        place, at = place[inside], at[inside]
        same = ground.token_document[place] == ground.token_document[place + depth]
        place, at = place[same], at[same]
        if not len(place):
            break
        step = at * len(keys) + number[place + depth]
        edge = np.minimum(np.searchsorted(edges, step), len(edges) - 1)
        there = edges[edge] == step
        place, at = place[there], node[edge[there]]
        found.append((place[ends[at]], place[ends[at]] + depth))
    first, last = (np.concatenate(column) for column in zip(*found, strict=True))
    return first, last


def _tree(strings: Sequence[str], keys: Keys) -> tuple[Ints, Ints, Bools]:
    """Strings as a tree of words: edges in order, the node that each leads to, and in which nodes a string ends.

    An edge is the node that it leaves, times the number of words, and the word. A string with a word that stands
    nowhere is not in it.
    """
    sheet = Axis(Corpus([Document(str(number), text) for number, text in enumerate(strings)]))
    own = word_keys(sheet)
    word = np.searchsorted(keys, own)
    known = np.append(keys, 0)[word] == own
    bounds = np.searchsorted(sheet.tokens.start, sheet.bounds)
    nodes: dict[int, int] = {}
    last_nodes = []
    for first, last in pairwise(bounds.tolist()):
        if first == last or not known[first:last].all():
            continue
        at = 0
        for one in word[first:last].tolist():
            at = nodes.setdefault(at * len(keys) + one, len(nodes) + 1)
        last_nodes.append(at)
    edges = np.array(sorted(nodes), dtype=np.int64)
    node = np.array([nodes[edge] for edge in edges.tolist()], dtype=np.int64)
    ends = np.zeros(len(nodes) + 1, dtype=bool)
    ends[last_nodes] = True
    return edges, node, ends
