"""Which documents are independent of each other: intervals and tests draw units, and copies are no further evidence.

Documents are one unit where their texts are equal but for white space, where they are near copies, where they share a
record number or a full name of whom they are about, and where a user says so (`--group-by`). What belongs together is
the same in whatever order documents come, and whoever reads them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from showthrough.core.arrays import Bools, Bytes, Codes, Ints, distinct
from showthrough.core.errors import join_names
from showthrough.data.copies import BINS, NEAR, jaccard, shingles
from showthrough.storage.columns.strings import Strings

if TYPE_CHECKING:
    from showthrough.data._document_traces import Traces
    from showthrough.data.documents import Corpus
    from showthrough.data.survey import Survey

MOST = 10  # documents that share a number or a name and are joined by it; of more, it is rather a form than a person
_BAND = 3  # bins that have to be the same: near copies have one of the ten bands in common in all cases but 2 in 10^6
_LIKE = (
    20  # bins of 32 that are the same: 28.8 of near copies at the very limit, give or take 1.7, and more for short ones
)
# Texts with which each is compared in a band, on average: by sketches, and by shingles where both are not joined yet.
# Near copies of one text may have equal sketches, so that no band tells which of them stand beside each other: all are
# compared, unless there are so many that the work would no longer grow with the texts, but squared.
_LOOKED_AT, _COMPARED = 64, 4
_CHARACTERS = 1 << 24  # of texts that are read to compare them
_PAIRS = 1 << 16  # whose sketches are compared at once
_WAITING = 1 << 21  # pairs that are kept to be compared
_SHOWN = 60  # characters of ids in a note


class IndependentUnits(msgspec.Struct, frozen=True):
    """What is drawn and exchanged as a whole, of some documents."""

    labels: Sequence[str]  # of the documents, in their order; empty: alone in its own; none: all are
    count: int
    joined: int = 0  # documents that were found to belong to others, beside what a user said
    notes: tuple[str, ...] = ()  # what a reader must know of that, a sentence each
    doubtful: int = 0  # documents that share something with too many others to be joined, and nobody grouped


def independent_units(corpus: Corpus) -> IndependentUnits:
    """The units of a corpus: what its user grouped, joined further by what is found to belong together."""
    survey, traces = corpus.survey, corpus.traces
    text_of, firsts = _distinct(traces.texts)
    alone = np.arange(len(firsts))
    near = _near_copies(corpus, firsts, traces.sketches)
    copies = components(len(firsts), *near)
    shared, wide = _find_shared(traces, copies[text_of])
    roots = components(len(firsts), *_both(near, shared))
    notes = _advice(survey, wide)
    doubtful = len(wide) if notes else 0
    if len(firsts) == len(text_of) and np.array_equal(roots, alone):
        return IndependentUnits(survey.groups, _count(survey.groups, len(text_of)), notes=notes, doubtful=doubtful)
    unit = roots[text_of] if not survey.groups else _with_groups(survey.groups, roots[text_of])
    labels = _labels(survey, unit)
    joined = _numbers_in(np.bincount(roots[text_of], minlength=len(firsts)) > 1, roots[text_of])
    count = len(distinct(unit))
    reasons = [
        ("equal texts", _numbers_in(np.bincount(text_of, minlength=len(firsts)) > 1, text_of)),
        ("near copies", _numbers_in(np.isin(alone, near), text_of)),
        ("the same person or record", _numbers_in(np.isin(alone, shared), text_of)),
    ]
    detail = "; ".join(
        f"{reason}: {join_names(_ids(survey, numbers), _SHOWN)}" for reason, numbers in reasons if len(numbers)
    )
    note = (
        f"{len(joined):,} of {len(text_of):,} documents belong together with others, so that intervals, tests and "
        f"checks count {count:,} independent {'unit' if count == 1 else 'units'} ({detail})"
    )
    return IndependentUnits(labels, count, len(joined), (note, *notes), doubtful)


def _count(groups: Sequence[str], documents: int) -> int:
    return len(set(groups) - {""}) + groups.count("") if groups else documents


def _ids(survey: Survey, numbers: Ints) -> list[str]:
    return sorted(survey.ids.taken(numbers))


def _numbers_in(flags: Bools, of: Ints) -> Ints:
    """The documents of which something, told by a number for each, is wanted."""
    return np.flatnonzero(flags[of])


def _distinct(texts: Codes) -> tuple[Ints, Ints]:
    """Of each document the number of its text, in the order of their digests; and of each text one document."""
    _, firsts, text_of = np.unique(texts, return_index=True, return_inverse=True)
    return text_of, firsts


def components(count: int, left: Ints, right: Ints) -> Ints:
    """Of so many nodes, with edges between some, the least node that each is connected with.

    >>> components(6, np.array([5, 1]), np.array([3, 5])).tolist()
    [0, 1, 2, 1, 4, 1]
    """
    parent = np.arange(count)
    while True:
        left_roots, right_roots = parent[left], parent[right]
        if np.array_equal(left_roots, right_roots):
            return parent
        np.minimum.at(parent, np.maximum(left_roots, right_roots), np.minimum(left_roots, right_roots))
        while not np.array_equal(parent, above := parent[parent]):
            parent = above


def _both(first: tuple[Ints, Ints], second: tuple[Ints, Ints]) -> tuple[Ints, Ints]:
    return np.concatenate((first[0], second[0])), np.concatenate((first[1], second[1]))


# ---- near copies


def _near_copies(corpus: Corpus, firsts: Ints, sketches: Bytes) -> tuple[Ints, Ints]:
    """Pairs of texts that are near copies: enough of them that all that belong together are connected.

    Texts are in the order of their digests, so that no tie depends on the order of documents.
    """
    rows = sketches[firsts]
    usable = np.flatnonzero(rows.any(axis=1))
    rows = rows[usable]
    near: list[tuple[Ints, Ints]] = []
    parent = np.arange(len(usable))
    refused = np.zeros(0, dtype=np.int64)
    for band in range(BINS // _BAND):
        most = _COMPARED * len(usable)
        for left, right in _neighbours(rows, band):
            apart = parent[left] != parent[right]
            left, right = np.sort((left[apart], right[apart]), axis=0)
            much = _much_alike(rows, left, right)
            pairs = distinct(left[much] * len(usable) + right[much])
            pairs = pairs[~np.isin(pairs, refused, assume_unique=True)][:most]
            if not len(pairs):
                continue
            most -= len(pairs)
            left, right = np.divmod(pairs, len(usable))
            alike = _alike(corpus, firsts[usable[left]], firsts[usable[right]])
            refused = np.concatenate((refused, pairs[~alike]))
            if alike.any():
                near.append((left[alike], right[alike]))
                parent = components(len(usable), *_of_all(near))
            if not most:
                break
    left, right = _of_all(near)
    return usable[left], usable[right]


def _neighbours(rows: Bytes, band: int) -> Iterator[tuple[Ints, Ints]]:
    """Pairs of sketches that are the same in a band, the nearest in its order first, and ever more of them at once."""
    count = len(rows)
    turned = np.roll(np.arange(BINS), -_BAND * band)[:16]
    keys = np.ascontiguousarray(rows[:, turned]).view(">u8").astype(np.uint64)
    order = np.lexsort((keys[:, 1], keys[:, 0]))
    begins = (keys[:, 0] >> np.uint64(64 - 8 * _BAND))[order]
    same = np.arange(count)
    looked_at = waiting = 0
    batch: list[tuple[Ints, Ints]] = []
    for away in range(1, count):
        same = same[same < count - away]
        same = same[begins[same] == begins[same + away]]
        looked_at += len(same)
        if not len(same) or looked_at > _LOOKED_AT * count:
            break
        batch.append((order[same], order[same + away]))
        waiting += len(same)
        if away.bit_count() == 1 or waiting >= _WAITING:
            yield _of_all(batch)
            batch, waiting = [], 0
    if batch:
        yield _of_all(batch)


def _of_all(pairs: list[tuple[Ints, Ints]]) -> tuple[Ints, Ints]:
    left, right = zip(*pairs, strict=True) if pairs else ([np.zeros(0, dtype=np.int64)],) * 2
    return np.concatenate(left), np.concatenate(right)


def _much_alike(rows: Bytes, left: Ints, right: Ints) -> Bools:
    alike = np.zeros(len(left), dtype=bool)
    for start in range(0, len(left), _PAIRS):
        window = slice(start, start + _PAIRS)
        alike[window] = (rows[left[window]] == rows[right[window]]).sum(axis=1) >= _LIKE
    return alike


def _alike(corpus: Corpus, left: Ints, right: Ints) -> Bools:
    """Of pairs of documents, whether they are near copies, by all of their shingles."""
    lengths = corpus.survey.lengths.astype(np.int64)
    block = np.cumsum(lengths[left] + lengths[right]) // _CHARACTERS
    flags = []
    for window in np.split(np.arange(len(left)), np.flatnonzero(np.diff(block)) + 1):
        numbers = distinct(np.concatenate((left[window], right[window]))).tolist()
        sets = {number: _hashes_of(corpus.documents[number].text) for number in numbers}
        pairs = zip(left[window].tolist(), right[window].tolist(), strict=True)
        flags += [jaccard(sets[first], sets[second]) >= NEAR for first, second in pairs]
    return np.array(flags, dtype=bool)


def _hashes_of(text: str) -> Ints:
    return distinct(np.fromiter(map(hash, shingles(text)), dtype=np.int64))


# ---- people and records


def _find_shared(traces: Traces, copies: Ints) -> tuple[tuple[Ints, Ints], Ints]:
    """Pairs of texts that share a person or a record, and documents that share one with too many.

    `copies` are the texts by document, near copies as one: a document that was copied counts once.
    """
    none = np.zeros(0, dtype=np.int64)
    if not len(traces.identities):
        return (none, none), none
    order = np.lexsort((copies[traces.documents], traces.identities))
    value, text = traces.identities[order], copies[traces.documents][order]
    begins = np.flatnonzero(np.concatenate(([True], value[1:] != value[:-1])))
    new = np.concatenate(([True], (value[1:] != value[:-1]) | (text[1:] != text[:-1])))
    sizes = np.add.reduceat(new.astype(np.int64), begins)
    size = np.repeat(sizes, np.diff(begins, append=len(value)))
    follows = new & (size <= MOST)
    follows[begins] = False
    at = np.flatnonzero(follows)
    wide = distinct(traces.documents[order][size > MOST]).astype(np.int64)
    return (text[at - 1], text[at]), wide


def _advice(survey: Survey, wide: Ints) -> tuple[str, ...]:
    """What a user should say where a number or name is in so many documents that nobody else can tell."""
    if len(wide) and survey.groups:
        groups = survey.groups
        wide = np.array([number for number in wide.tolist() if not groups[number]], dtype=np.int64)
    if not len(wide):
        return ()
    return (
        f"{len(wide):,} documents share a number, a full name or an author's text with more than {MOST - 1} others "
        f"({join_names(_ids(survey, wide), _SHOWN)}). That is too many to join them: if they are of one person, "
        f"intervals are too narrow. Say which belong together with --group-by",
    )


# ---- groups and labels


def _with_groups(groups: Sequence[str], unit: Ints) -> Ints:
    """Units joined further by what a user grouped."""
    number: dict[str, int] = {}
    of = np.array([number.setdefault(group, len(number)) if group else -1 for group in groups], dtype=np.int64)
    grouped = np.flatnonzero(of >= 0)
    nodes = len(unit) + len(number)
    return components(nodes, unit[grouped], len(unit) + of[grouped])[unit]


def _labels(survey: Survey, unit: Ints) -> Strings:
    """A unit's name: the least of its groups, else of its ids; none for a document that is alone and not grouped."""
    count = len(unit)
    by_id = survey.ids.order()
    names, rank = survey.ids, by_id
    several = np.bincount(unit) > 1
    source = np.where(several[unit], _first_of_unit(unit, rank), count)
    if survey.groups:
        groups = survey.groups if isinstance(survey.groups, Strings) else Strings.of(survey.groups)
        named = groups.order()
        named = named[np.diff(groups.ends)[named] > 0]
        of_group = _first_of_unit(unit, named)
        prefix = _free_prefix(groups)
        names = Strings.of(prefix + document_id for document_id in survey.ids)
        source = np.where(of_group >= 0, count + 1 + of_group, source)
        return Strings.concatenate([names, Strings.of([""]), groups]).taken(source)
    return Strings.concatenate([names, Strings.of([""])]).taken(source)


def _first_of_unit(unit: Ints, order: Ints) -> Ints:
    """Of each document the first in an order of those in its unit; -1 where none of them is in it."""
    first = np.full(int(unit.max()) + 1, -1)
    first[unit[order[::-1]]] = order[::-1]
    return first[unit]


def _free_prefix(groups: Strings) -> str:
    prefix = "unit of "
    while any(group.startswith(prefix) for group in groups):
        prefix = f"_{prefix}"
    return prefix
