"""Which documents of a release belong together: a score for pairs, from what two texts share that few others have."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.core.patterns import lazy_pattern
from showthrough.data.reading_form import reading_form
from showthrough.metrics.matching._dates import dates_in

ALL_PAIRS = 2000  # documents up to which all pairs are scored; of more, those that share something rare
_COMMON = 4  # what more than one document in so many has is not rare
_MOST = 50  # documents that share something rare, at most
_STYLE, _FURTHEST = 0.002, 2.0  # what a deviation of style is worth, and the largest that counts
_GRAMS = 2048  # kinds of character trigrams; several share one
_BLOCK = 1 << 16  # pairs whose styles are compared at once
_DATES = 200  # of a document
_DIGITS = 9  # of a score: what differs by less is equal
_NEAR = 2  # days between dates that say nothing

_TOKEN = lazy_pattern(r"[\[<({][^\W\d_][\w-]*[\]>)}]|[^\W_]+(?:['’-][^\W_]+)*")
_NUMBERED = lazy_pattern(r"[\[<({](?P<label>[^\W\d_][\w-]*?)[_-]?(?P<number>\d+)[\]>)}]")


class Scored(NamedTuple):
    """Pairs of documents, the first number below the second, with scores; all others share nothing."""

    left: Ints
    right: Ints
    score: Floats


def score_pairs(texts: Sequence[str]) -> Scored:
    """How much speaks for two texts being about the same person.

    Cosine of what both have and few others: words, two words that begin with capitals, pseudonyms, dates, and how many
    days lie between two dates. A thing has the weight ln(documents / documents that have it)². Style adds little: it
    decides between pairs that share about equally much.
    """
    count = len(texts)
    items = _without_own_numbers([{*_words(text)} for text in texts])
    items = [own | {*_dates(text)} for own, text in zip(items, texts, strict=True)]
    keys, weights = _shared(items)
    left, right = np.triu_indices(count, 1) if count <= ALL_PAIRS else np.divmod(keys, count)
    score = np.zeros(len(left))
    score[np.searchsorted(left * count + right, keys)] = weights
    return Scored(left, right, np.round(score + _STYLE * _styles(texts, left, right), _DIGITS))


def _words(text: str) -> Iterator[str]:
    """Words in small letters, placeholders as they are, and neighbours that both begin with a capital."""
    before = None
    for match in _TOKEN.finditer(text):
        word = match[0]
        yield word.casefold()
        if before is not None and word[0].isupper() and before[0][0].isupper() and match.start() - before.end() == 1:
            yield f"{before[0]} {word}".casefold()
        before = match


def _without_own_numbers(items: list[set[str]]) -> list[set[str]]:
    """Without placeholders whose numbers begin anew in nearly every document: two documents share these by chance."""
    anew: dict[str, list[bool]] = defaultdict(list)
    for own in items:
        numbers: dict[str, set[int]] = defaultdict(set)
        for number in filter(None, map(_NUMBERED.fullmatch, own)):
            numbers[number["label"]].add(int(number["number"]))
        for label, used in numbers.items():
            anew[label].append(used == {*range(1, len(used) + 1)})
    local = {label for label, flags in anew.items() if sum(flags) > 0.9 * len(flags)}
    return [
        {item for item in own if (match := _NUMBERED.fullmatch(item)) is None or match["label"] not in local}
        for own in items
    ]


def _dates(text: str) -> Iterator[str]:
    """Dates, and the days between dates that follow each other: these stay where all dates are moved alike."""
    days = sorted({match.date.toordinal() for match in dates_in(f" {reading_form(text)} ")})[:_DATES]
    yield from (f"date {day}" for day in days)
    for step in (1, 2):
        gaps = (later - earlier for earlier, later in zip(days, days[step:], strict=False))
        yield from (f"days {gap}" for gap in gaps if gap > _NEAR)


def _shared(items: Sequence[set[str]]) -> tuple[Ints, Floats]:
    """Pairs that share something rare, as left · documents + right in ascending order, and how much."""
    count = len(items)
    frequency = Counter(item for own in items for item in own)
    most = max(2, min(_MOST, count // _COMMON))
    having: dict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(items):
        for item in own:
            if 2 <= frequency[item] <= most:
                having[item].append(number)
    by_size: dict[int, list[list[int]]] = defaultdict(list)
    for item in sorted(having):  # in this order, so that no last digit depends on where documents stand
        by_size[len(having[item])].append(having[item])
    keys, weights = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
    for size, lists in sorted(by_size.items()):
        first, second = np.triu_indices(size, 1)
        documents = np.array(lists, dtype=np.int64)
        keys.append((documents[:, first] * count + documents[:, second]).ravel())
        weights.append(np.full(len(keys[-1]), _weight(count, size)))
    pairs, inverse = np.unique(np.concatenate(keys), return_inverse=True)
    shared = np.bincount(inverse, np.concatenate(weights), len(pairs))
    rare = ([_weight(count, frequency[item]) for item in own if frequency[item] <= most] for own in items)
    sizes = np.sqrt(np.array([math.fsum(own) for own in rare]))
    left, right = np.divmod(pairs, count)
    return pairs, shared / (sizes[left] * sizes[right])


def _weight(documents: int, having: int) -> float:
    """What a shared thing adds to a product of two documents."""
    return math.log(documents / having) ** 4


def _styles(texts: Sequence[str], left: Ints, right: Ints) -> Floats:
    """How alike pairs are in their character trigrams, in standard deviations; all of them are 0 where none differ."""
    rows = np.array([_grams(text) for text in texts])
    rows -= rows.mean(axis=0)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(lengths > 0, lengths, 1)
    if len(texts) <= ALL_PAIRS:
        alike = (rows @ rows.T)[left, right]
    else:
        blocks = [slice(start, start + _BLOCK) for start in range(0, len(left), _BLOCK)]
        products = [np.einsum("ij,ij->i", rows[left[block]], rows[right[block]]) for block in blocks]
        alike = np.concatenate([np.zeros(0), *products])
    spread = alike.std() if len(alike) else 0.0
    if spread < 1e-12:
        return np.zeros(len(alike))
    return np.asarray(np.clip((alike - alike.mean()) / spread, -_FURTHEST, _FURTHEST))


def _grams(text: str) -> Floats:
    codes = np.frombuffer(" ".join(text.lower().split()).encode("utf-32-le", "surrogatepass"), dtype="<u4")
    codes = codes.astype(np.int64)
    grams = (codes[:-2] * 8191 + codes[1:-1] * 127 + codes[2:]) % _GRAMS
    return np.asarray(np.log1p(np.bincount(grams, minlength=_GRAMS)))
