"""What two clusterings of the same documents tell of each other, and what chance alone would make of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.data.layout.spans import expand_ranges
from showthrough.metrics.base import ratio
from showthrough.statistics.numerics.distributions import log_gamma

Cells = Sequence[tuple[int, int, Floats]]  # a cluster of either side, and how many documents stand in both
_TERMS = 1_000_000  # that are summed at once
_NOTHING = 1e-9  # nats; what rounding leaves of a difference that is 0


class MutualInformation(NamedTuple):
    """Of two clusterings: normalised and adjusted mutual information, and the first if one's labels were permuted."""

    nmi: Floats
    ami: Floats
    chance: Floats


def agreement(cells: Cells) -> MutualInformation:
    """Agreement from the number of documents in each pair of clusters: counts, or stacks of counts of any shape.

    It is I / H, (I − E) / (H − E) and E / H, as scikit-learn has the first two. I is the mutual information, E its mean
    over all permutations of one side's labels, and H the mean of both entropies. A single cluster on one side shows
    nothing, and all are 0. Where no permutation could change anything (a single cluster on both sides, or each
    document its own) all are 1.

    >>> shared = agreement([(0, 0, np.array(2)), (0, 1, np.array(1)), (1, 1, np.array(3))])  # abc | def, ab | cdef
    >>> [round(float(value), 3) for value in shared]
    [0.479, 0.355, 0.191]
    """
    counts = np.array([count for _, _, count in cells], dtype=np.float64)
    documents = counts.sum(axis=0)
    first, second = (
        _sizes([cluster for cluster, _, _ in cells], counts),
        _sizes([cluster for _, cluster, _ in cells], counts),
    )
    first_entropy, second_entropy, both = (_entropy(ratio(sizes, documents)) for sizes in (first, second, counts))
    shared, mean = np.maximum(first_entropy + second_entropy - both, 0.0), (first_entropy + second_entropy) / 2
    expected = expected_information(first, second, documents)
    room = mean - expected
    return MutualInformation(
        np.where(mean == 0, 1.0, ratio(shared, mean)),
        np.where(room < _NOTHING, 1.0, ratio(shared - expected, room)),
        np.where(mean == 0, 1.0, np.minimum(ratio(expected, mean), 1.0)),  # beyond it is nothing but rounding
    )


def _sizes(names: Sequence[int], counts: Floats) -> Floats:
    """How many documents each cluster of one side has: clusters × the shape of the stack."""
    side = np.array(names)
    return np.array([counts[side == name].sum(axis=0) for name in np.unique(side)])


def _entropy(share: Floats) -> Floats:
    return np.asarray(-np.sum(share * np.log(np.where(share > 0, share, 1.0)), axis=0))


def expected_information(row_sizes: Floats, column_sizes: Floats, documents: Floats) -> Floats:
    """Mean mutual information of clusterings with these sizes over all permutations of labels (Vinh et al. 2010).

    How many documents two clusters of a and b out of n share by chance is hypergeometric. Each (n, a, b) is worked out
    once, however often it occurs: clusters of many resamples mostly have sizes that were there before.
    """
    shape = (len(row_sizes), len(column_sizes), *np.shape(documents))
    sizes = documents, row_sizes[:, None], column_sizes[None]
    n, a, b = (np.broadcast_to(np.rint(size), shape).astype(np.int64) for size in sizes)
    width = int(n.max(initial=0)) + 1
    triples, inverse = np.unique((n * width + a) * width + b, return_inverse=True)
    rest, second = np.divmod(triples, width)
    values = _expected_terms(*np.divmod(rest, width), second)
    return np.asarray(values[inverse.reshape(shape)].sum(axis=(0, 1)))


def _expected_terms(n: Ints, a: Ints, b: Ints) -> Floats:
    """Of each (n, a, b): Σ over x of the chance to share x documents, times x/n · ln(n x / (a b)); a few at a time."""
    factorial = log_gamma(np.arange(n.max(initial=0) + 1) + 1.0)  # logarithms
    turn = np.cumsum(np.minimum(a, b)) // _TERMS
    cuts = np.flatnonzero(np.diff(turn, prepend=-1))
    slices = (slice(first, last) for first, last in zip(cuts, [*cuts[1:], len(n)], strict=True))
    return np.concatenate([np.zeros(0), *(_terms(n[part], a[part], b[part], factorial) for part in slices)])


def _terms(n: Ints, a: Ints, b: Ints, factorial: Floats) -> Floats:
    least, most = np.maximum(1, a + b - n), np.minimum(a, b)
    own, x = expand_ranges(least, most + 1)
    count = len(n)
    n, a, b = n[own], a[own], b[own]
    ways = factorial[a] + factorial[b] + factorial[n - a] + factorial[n - b] - factorial[n]
    chance = np.exp(ways - factorial[x] - factorial[a - x] - factorial[b - x] - factorial[n - a - b + x])
    information = x / n * np.log(n * x / (a * b))
    return np.asarray(np.bincount(own, weights=chance * information, minlength=count), dtype=np.float64)
