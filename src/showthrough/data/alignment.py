"""Finds the masks of an anonymized text that came without offsets.

Both texts are cut into tokens that do not depend on white space or on how a character is encoded. The tokens are
aligned, matches that are mere coincidence are given up, and what is left unmatched is masked.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Ints, Ints32
from showthrough.core.patterns import lazy_pattern
from showthrough.data.masks import Mask
from showthrough.data.reading_form import SPELLINGS as _FOLD, assemble_words, legible

# Over character classes: a word, an ideograph, dashes, a flag, a symbol and what is joined to it (a family of emoji
# is one token), marks that stand alone.
_TOKEN = lazy_pattern(r"w[wmz]*|i[mz]*|d+|rr?|pm*(?:zpm*)*|[mz]+")
# Over capitals and small letters: where a word may be glued to another or to a stand-in (SelimÜnay, XXXÜnay, ID47110).
_GLUED = lazy_pattern(r"(?<=u)(?=U)|(?<=U)(?=Uu)|(?<=[uU])(?=\d)|(?<=\d)(?=[uU])|(?<=xxx)(?=U)")
_UNSPACED = lazy_pattern(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # Thai, Lao, Burmese, Khmer

_CELLS = 250_000  # of an alignment table; larger ones are split first
_NEVER = -(10**9)
_WEAK, _STRONG = 8, 12  # what a match is worth
_OPEN = 4  # what a change costs: less than any match is worth, so it only decides between equals
_EDGE = 1  # what it costs less for each strong end: names rarely start or end with "of"
_SOLID = 8  # equal tokens in a row that are never a coincidence
_FAR = 4  # tokens changed on either side of a weak one that make it a coincidence; as many more per strong one


class _Change(NamedTuple):
    """Tokens `[i1, i2)` of the original became tokens `[j1, j2)` of the rewritten text."""

    i1: int
    i2: int
    j1: int
    j2: int


@dataclass(frozen=True)
class _Tokens:
    """The tokens of a text: how they read, and where they are in the text as it was given."""

    text: str
    keys: Sequence[str]
    folded: Sequence[str]  # without regard to case: a name in capitals can be read all the same
    starts: Sequence[int]
    ends: Sequence[int]
    glued: frozenset[int] = field(default_factory=frozenset)  # those that stand in one word with the token before

    def gap(self, index: int) -> tuple[int, int]:
        """Start and end of what precedes a token; the end is first where one character holds two tokens ("½")."""
        start = self.ends[index - 1] if index else 0
        return start, self.starts[index] if index < len(self.keys) else len(self.text)

    def space(self, index: int) -> str:
        return self.text[slice(*self.gap(index))]

    def shares_character(self, index: int) -> bool:
        start, end = self.gap(index)
        return end < start


def align(original: str, rewritten: str) -> list[Mask]:
    """The masks that turn `original` into `rewritten` up to white space and encoding, ascending and disjoint.

    Words are compared whole, without regard to case. What stands in both texts stays unmasked, even a part of a date
    or a name. Text that was only added becomes the replacement of the white space where it was put.

    >>> align("born on 30 May 1996 in Oslo", "born on  May 1996 in\\r\\nCITY_1")
    [Mask(start=8, end=10, replacement=None), Mask(start=23, end=27, replacement='CITY_1')]
    """
    old, new = _tokens(original), _tokens_of_release(rewritten, original)
    new = _split_glued(new, old)
    if not new.keys:
        return [Mask(0, len(original))] if old.keys else []
    changes = _join_changes(
        _align_tokens(old.folded, new.folded), lambda left, right: _coincidental(left, right, old, new)
    )
    changes = _widen_changes(_slide_changes(changes, old, new), old, new)
    return [_mask(change, old, new) for change in changes if original and not _reads_the_same(change, old, new)]


def _tokens_of_release(rewritten: str, original: str) -> _Tokens:
    """The tokens of a rewritten text: words of the original whose letters stand apart are one token each."""
    joined = assemble_words(rewritten, original)
    tokens = _tokens(joined)
    if joined == rewritten:
        return tokens
    # What was joined is the text without some characters, so each of its letters is found farther on.
    positions: list[int] = []
    for letter in joined:
        positions.append(rewritten.index(letter, positions[-1] + 1 if positions else 0))
    starts = [positions[start] for start in tokens.starts]
    ends = [positions[end - 1] + 1 for end in tokens.ends]
    return _Tokens(rewritten, tokens.keys, tokens.folded, starts, ends)


def _tokens(text: str) -> _Tokens:
    plain, starts, ends = _plain(text)
    classes = plain.translate({ord(character): _character_class(character) for character in set(plain)})
    spans = [token.span() for token in _TOKEN.finditer(classes)]
    keys = ["-" if classes[first] == "d" else plain[first:last] for first, last in spans]
    folded = list(map(_fold_token, keys))
    return _Tokens(text, keys, folded, [starts[first] for first, _ in spans], [ends[last - 1] for _, last in spans])


def _fold_token(key: str) -> str:
    """A token as it reads, in whatever case and with whatever letters that look alike."""
    return key.casefold() if key.isascii() else legible(key).casefold() or key


def _split_glued(new: _Tokens, old: _Tokens) -> _Tokens:
    """The tokens, those taken apart that glue a name or a number of the original to something else."""
    words_before = {*old.folded}
    strange = [index for index, key in enumerate(new.folded) if key not in words_before and _is_mixed(new.keys[index])]
    if not strange:
        return new
    words = {_fold_token(key) for key in old.keys if _names(key)} - {key for key in old.keys if key.islower()}
    cuts = {index: positions for index in strange if (positions := _cuts(new.keys[index], words))}
    if not cuts or any(new.ends[index] - new.starts[index] != len(new.keys[index]) for index in cuts):
        return new  # where a letter was several characters, nobody can cut between them
    keys: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    glued: set[int] = set()
    for index, (key, start, end) in enumerate(zip(new.keys, new.starts, new.ends, strict=True)):
        edges = [0, *cuts.get(index, ()), len(key)]
        glued.update(range(len(keys) + 1, len(keys) + len(edges) - 1))
        keys += [key[low:high] for low, high in pairwise(edges)]
        starts += [start + low for low in edges[:-1]]
        ends += [*(start + high for high in edges[1:-1]), end]
    return _Tokens(new.text, keys, list(map(_fold_token, keys)), starts, ends, frozenset(glued))


def _is_mixed(key: str) -> bool:
    return not (key.islower() or key.istitle() or key.isupper() or key.isdigit()) or any(map(str.isdigit, key))


def _names(key: str) -> bool:
    """Whether a word of the original could be told even if it is glued to another: a name, a long number."""
    return len(key) > 4 if key.isdigit() else len(key) > 2 and key.isalpha() and key[0].isupper()


def _cuts(key: str, words: set[str]) -> list[int]:
    """Where to cut a token, so that words of the original stand alone."""
    classes = "".join(
        "U" if character.isupper() else character if character == "x" or character.isdigit() else "u"
        for character in key
    )
    classes = classes.replace("x", "u") if "xxx" not in classes else classes
    edges = [0, *(match.start() for match in _GLUED.finditer(classes)), len(key)]
    alone = [
        (low, high) for low, high in pairwise(edges) if _names(key[low:high]) and _fold_token(key[low:high]) in words
    ]
    return sorted({edge for span in alone for edge in span} - {0, len(key)})


def _plain(text: str) -> tuple[str, Sequence[int], Sequence[int]]:
    """The text as it reads, and for each of its characters where the source of it starts and ends in `text`."""
    folded = text.translate(_FOLD)
    if unicodedata.is_normalized("NFKC", folded) and not any(map(_invisible, set(folded))):
        return folded, range(len(text)), range(1, len(text) + 1)
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end in pairwise([*(i for i, character in enumerate(text) if not i or not _joins(character)), len(text)]):
        pieces.append(_plain_cluster(text[start:end]))
        starts += [start] * len(pieces[-1])
        ends += [end] * len(pieces[-1])
    return "".join(pieces), starts, ends


@lru_cache(maxsize=4096)
def _plain_cluster(cluster: str) -> str:
    visible = "".join(character for character in cluster.translate(_FOLD) if not _invisible(character))
    return unicodedata.normalize("NFKC", visible).translate(_FOLD)


@lru_cache(maxsize=4096)
def _joins(character: str) -> bool:
    """Whether normalisation can merge the character with the one before: marks, Hangul vowels and finals."""
    first = unicodedata.normalize("NFKD", character)[0]
    return unicodedata.category(first)[0] == "M" or "\u1160" <= first <= "\u11ff" or _invisible(character)


@lru_cache(maxsize=4096)
def _invisible(character: str) -> bool:
    """Byte order marks, soft hyphens, direction marks, variation selectors; not what joins emoji or tags flags."""
    if unicodedata.category(character) == "Cf":
        return character != "\u200d" and not "\U000e0020" <= character <= "\U000e007f"
    return "\ufe00" <= character <= "\ufe0f"


@lru_cache(maxsize=4096)
def _character_class(character: str) -> str:
    category = unicodedata.category(character)
    if character.isspace():
        return "s"
    if character in "\u200d-":
        return "d" if character == "-" else "z"
    if "\U0001f1e6" <= character <= "\U0001f1ff":
        return "r"
    # Skin tones and tags belong to the symbol before them; NFKC splits the Thai and Lao vowel AM into a mark and AA.
    if category in ("Mn", "Mc", "Me", "Cf") or "\U0001f3fb" <= character <= "\U0001f3ff" or character in "\u0e32\u0eb2":
        return "m"
    if not character.isalnum() and character != "_":
        return "p"
    wide = unicodedata.east_asian_width(character) == "W" and "HANGUL" not in unicodedata.name(character, "")
    return "i" if wide or _UNSPACED.match(character) else "w"


def _strong(key: str) -> bool:
    """Whether a token says something by itself, unlike "of" or a comma."""
    return any(map(str.isdigit, key)) or (key[0].isalpha() and len(key) > (3 if key.islower() else 2))


def _align_tokens(old: Sequence[str], new: Sequence[str]) -> list[_Change]:
    """The changes between two sequences of tokens, ascending, with an equal token between any two."""
    number: dict[str, int] = {}
    a = [number.setdefault(key, len(number)) for key in old]
    b = [number.setdefault(key, len(number)) for key in new]
    worth = np.array([_STRONG if _strong(key) else _WEAK for key in number], dtype=np.int32)
    changes: list[_Change] = []
    unsolved = [_Change(0, len(a), 0, len(b))]
    while unsolved:
        part = _trim(unsolved.pop(), a, b)
        x, y = a[part.i1 : part.i2], b[part.j1 : part.j2]
        if set(x).isdisjoint(y):
            changes += [part] if x or y else []
        elif len(x) * len(y) <= _CELLS:
            changes += _around(_best_matches(np.array(x), np.array(y), worth), part)
        elif anchors := _anchors(x, y):
            unsolved += _around(anchors, part)
        else:
            from rapidfuzz.distance import Levenshtein  # slow to import

            blocks = Levenshtein.editops(x, y).as_matching_blocks()
            changes += _around(((i + k, j + k) for i, j, size in blocks for k in range(size)), part)
    return sorted(changes)


def _trim(part: _Change, a: Sequence[int], b: Sequence[int]) -> _Change:
    i1, i2, j1, j2 = part
    while i1 < i2 and j1 < j2 and a[i1] == b[j1]:
        i1, j1 = i1 + 1, j1 + 1
    while i1 < i2 and j1 < j2 and a[i2 - 1] == b[j2 - 1]:
        i2, j2 = i2 - 1, j2 - 1
    return _Change(i1, i2, j1, j2)


def _around(matches: Iterable[tuple[int, int]], part: _Change) -> list[_Change]:
    """What lies between the matches, which count from where the part starts."""
    changes = []
    i1, j1 = part.i1, part.j1
    for i, j in (*((i + part.i1, j + part.j1) for i, j in matches), (part.i2, part.j2)):
        if i > i1 or j > j1:
            changes.append(_Change(i1, i, j1, j))
        i1, j1 = i + 1, j + 1
    return changes


def _join_changes(changes: Iterable[_Change], together: Callable[[_Change, _Change], bool]) -> list[_Change]:
    joined: list[_Change] = []
    for change in changes:
        while joined and together(joined[-1], change):
            last = joined.pop()
            change = _Change(last.i1, change.i2, last.j1, change.j2)
        joined.append(change)
    return joined


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Where both sides have the same tokens in a row, equally often: as many such places as stand in order."""
    for length in (4, 2):
        in_a, in_b = _positions_by_row(a, length), _positions_by_row(b, length)
        equally = [row for row, positions in in_a.items() if len(positions) == len(in_b.get(row, ()))]
        if equally:
            pairs = [pair for row in equally for pair in zip(in_a[row], in_b[row], strict=True)]
            return _longest_ascending(sorted(pairs))
    return []


def _positions_by_row(ids: Sequence[int], length: int) -> dict[tuple[int, ...], list[int]]:
    positions: dict[tuple[int, ...], list[int]] = defaultdict(list)
    for index, row in enumerate(zip(*(ids[offset:] for offset in range(length)), strict=False)):
        positions[row].append(index)
    return positions


def _longest_ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The most pairs whose second members ascend as well (patience sorting)."""
    tops: list[int] = []
    owners: list[int] = []
    before: list[int] = []
    for index, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        tops[pile : pile + 1] = [j]
        owners[pile : pile + 1] = [index]
        before.append(owners[pile - 1] if pile else -1)
    chosen = []
    index = owners[-1]
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    return chosen[::-1]


def _best_matches(x: Ints, y: Ints, worth: Ints32) -> list[tuple[int, int]]:
    """The matches of most worth, less a little for each change between them; the leftmost among equals."""
    edges = np.where(worth[x] == _STRONG, _EDGE, 0)
    opening, closing = np.append(edges, 0) - _OPEN, np.append(0, edges)  # of a change before each token
    matched = np.full((len(x) + 1, len(y) + 1), _NEVER, dtype=np.int32)  # the best that ends with a match
    changed = np.empty_like(matched)  # the best that ends inside a change
    matched[0, 0], changed[0] = 0, opening[0]
    for row, token in enumerate(x, start=1):
        best = np.maximum(matched[row - 1, :-1], changed[row - 1, :-1] + closing[row - 1])
        matched[row, 1:] = np.where(y == token, best + worth[token], _NEVER)
        np.maximum.accumulate(np.maximum(matched[row] + opening[row], changed[row - 1]), out=changed[row])
    matches = []
    i, j = len(x), len(y)
    inside = changed[i, j] + closing[i] > matched[i, j]
    while i or j:
        if not inside:
            i, j = i - 1, j - 1
            matches.append((i, j))
            inside = changed[i, j] + closing[i] > matched[i, j]
        elif i and changed[i, j] == changed[i - 1, j]:
            i -= 1
        elif j and changed[i, j] == changed[i, j - 1]:
            j -= 1
        else:
            inside = False
    return matches[::-1]


def _coincidental(left: _Change, right: _Change, old: _Tokens, new: _Tokens) -> bool:
    """Whether the equal tokens between two changes belong to what was put there, not to what was kept."""
    if right.i1 - left.i2 > _SOLID:
        return False
    strong = sum(map(_strong, old.keys[left.i2 : right.i1]))
    sizes = [(change.i2 - change.i1, change.j2 - change.j1) for change in (left, right)]
    if right.i1 - left.i2 == 1 and not strong and all(map(all, sizes)) and _reads_on(left, right, old, new):
        return True
    return min(min(gone or put, put) for gone, put in sizes) >= _FAR * (1 + strong)


def _reads_on(left: _Change, right: _Change, old: _Tokens, new: _Tokens) -> bool:
    """Whether a weak token sits inside a replacement ("body of judges", "first-hand", "7,200").

    Between labels or names it was rather kept: "PERSON of CITY", "Ann and Bob".
    """
    put = new.keys[left.j2 - 1], new.keys[right.j1]
    phrase = all(key.isalpha() and key.islower() for key in put)
    if new.keys[left.j2][0].isalnum():
        return phrase and old.keys[left.i2 - 1].isalpha() and old.keys[right.i1].isalpha()
    return not new.space(left.j2) and not new.space(right.j1) and (phrase or all(map(str.isdigit, put)))


def _slide_changes(changes: Sequence[_Change], old: _Tokens, new: _Tokens) -> list[_Change]:
    """The changes, with removed tokens where the white space tells that they were.

    When "a b a c" became "a c", either "a b" or "b a" is gone; the wider gap in the rewritten text shows which.
    """
    slid: list[_Change] = []
    for index, change in enumerate(changes):
        low = slid[-1].i2 + 1 if slid else 0
        high = changes[index + 1].i1 - 1 if index + 1 < len(changes) else len(old.keys)
        slid.append(_slide_change(change, low, high, old, new) if change.j1 == change.j2 else change)
    return slid


def _slide_change(change: _Change, low: int, high: int, old: _Tokens, new: _Tokens) -> _Change:
    for step in (-1, 1):
        i1, i2, j, _ = change
        passed = (step - 1) // 2  # the token that a step moves over, seen from where it starts
        while old.space(i1) + old.space(i2) != new.space(j):
            if i1 + step < low or i2 + step > high or old.folded[i1 + passed] != old.folded[i2 + passed]:
                break
            i1, i2, j = i1 + step, i2 + step, j + step
        else:
            return _Change(i1, i2, j, j)
    return change


def _widen_changes(changes: Sequence[_Change], old: _Tokens, new: _Tokens) -> list[_Change]:
    """The changes, widened until they can be cut out of both texts and cover a character of the original."""
    closed: list[_Change] = []
    for index, (i1, i2, j1, j2) in enumerate(changes):
        low = closed[-1].i2 if closed else 0
        high = changes[index + 1].i1 if index + 1 < len(changes) else len(old.keys)
        if i1 == i2 and low < high and not old.space(i1):
            # Nothing stands here that a mask could cover, so a neighbour joins: one that says little, if possible.
            step = i1 == low or (i1 < high and old.keys[i1 - 1].isalnum() and not old.keys[i1].isalnum())
            i1, i2, j1, j2 = (i1, i2 + 1, j1, j2 + 1) if step else (i1 - 1, i2, j1 - 1, j2)
        while i1 > low and (old.shares_character(i1) or new.shares_character(j1)):
            i1, j1 = i1 - 1, j1 - 1
        while i2 < high and (old.shares_character(i2) or new.shares_character(j2)):
            i2, j2 = i2 + 1, j2 + 1
        closed.append(_Change(i1, i2, j1, j2))
    return _join_changes(closed, lambda left, right: (left.i2, left.j2) == (right.i1, right.j1))


def _reads_the_same(change: _Change, old: _Tokens, new: _Tokens) -> bool:
    """Whether only white space moved the borders of tokens: "some one", "Someone"."""
    return "".join(old.folded[change.i1 : change.i2]) == "".join(new.folded[change.j1 : change.j2])


def _mask(change: _Change, old: _Tokens, new: _Tokens) -> Mask:
    i1, i2, j1, j2 = change
    if i1 == i2:
        return Mask(*old.gap(i1), new.text[new.gap(j1)[0] : new.gap(j2)[1]])
    if new.glued and j1 < j2:  # the space between two words is gone where one of them is glued to what was put there
        start = old.gap(i1)[0] if j1 in new.glued else old.starts[i1]
        end = old.gap(i2)[1] if j2 in new.glued else old.ends[i2 - 1]
        return Mask(start, end, new.text[new.starts[j1] : new.ends[j2 - 1]])
    return Mask(old.starts[i1], old.ends[i2 - 1], new.text[new.starts[j1] : new.ends[j2 - 1]] if j1 < j2 else None)
