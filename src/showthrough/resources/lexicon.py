"""Function words that need not be masked, from word lists that ship.

The closed classes of English: adpositions, particles, coordinating conjunctions and determiners (the Universal
Dependencies classes ADP, PART, CCONJ, DET). Words that are more often something else ("one", "then") are left out:
a word on this list may stay readable without counting as a leak, so in doubt it is not on it.
"""

from __future__ import annotations

import numpy as np

from showthrough.axis import Axis, Bools

TITLES = frozenset({"mr", "mrs", "ms"})
ALWAYS = TITLES | {"no", "nr", "about"}
PUNCTUATION = frozenset(" ,.-;:/&()[]–'\"’“”")
_APOSTROPHES = frozenset("'’")

_ADPOSITIONS = """
    aboard above across after against along alongside amid amidst among amongst around as at atop before behind
    below beneath beside besides between beyond by despite down during except for from in inside into near
    notwithstanding of off on onto opposite out outside over past per since through throughout till to toward towards under underneath
    until unto up upon via with within without
"""
_PARTICLES = "not nt"
_CONJUNCTIONS = "and but or nor yet plus"
_DETERMINERS = "a an the this these those each every either neither another all both some any"

LEXICONS = {"lexicon-en.1": frozenset(f"{_ADPOSITIONS} {_PARTICLES} {_CONJUNCTIONS} {_DETERMINERS}".split())}


class Lexicon:
    """A word list as a source of function words.

    >>> from showthrough.text import Corpus, Document
    >>> axis = Axis(Corpus([Document("a", "Mr Doe's trip to Oslo")]))
    >>> "".join("-" if free else letter for free, letter in zip(Lexicon("lexicon-en.1").ignorable(axis), axis.text))
    '---Doe---trip----Oslo'
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.words = LEXICONS[name] | ALWAYS
        self._longest = max(map(len, self.words))

    def ignorable(self, axis: Axis) -> Bools:
        free = axis.table(PUNCTUATION.__contains__)
        tokens = axis.tokens
        # Only tokens that some mention touches are ever asked about; the rest of the text is most of it.
        gold = axis.gold
        step = np.zeros(len(axis) + 1, dtype=np.int32)
        np.add.at(step, gold.start, 1)
        np.add.at(step, gold.end, -1)
        marked = np.concatenate([[0], np.cumsum(np.cumsum(step[:-1]) > 0)])
        asked = (marked[tokens.end] > marked[tokens.start]) & (tokens.end - tokens.start <= self._longest)
        start, end = tokens.start[asked], tokens.end[asked]
        words, text = self.words, axis.text
        found = np.array(
            [_is_free(text, low, high, words) for low, high in zip(start.tolist(), end.tolist(), strict=True)],
            dtype=bool,
        )
        start, end = start[found], end[found]
        paint = np.zeros(len(axis) + 1, dtype=np.int8)
        paint[start] = 1
        paint[end] -= 1
        free |= np.cumsum(paint[:-1], dtype=np.int8).view(np.bool_)
        return free


def _is_free(text: str, start: int, end: int, words: frozenset[str]) -> bool:
    found = text[start:end]
    word = found.lower()
    if len(found) == 1:
        # A lone capital is an initial ("A. Smith"), not an article; a lone s is one only as in "Doe's".
        return found in words or (word == "s" and start > 0 and text[start - 1] in _APOSTROPHES)
    # To TAB's script "Mr." is one token, full stop included, and that token is not on its list: published numbers
    # ask for it to be masked where it is marked, so this list does too.
    return word in words and not (word in TITLES and text[end : end + 1] == ".")
