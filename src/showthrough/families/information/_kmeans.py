"""k-means for many starts at once: every step of all tries is one matrix product.

Lloyd's algorithm from greedy k-means++ starts (Arthur and Vassilvitskii 2007), as scikit-learn has it, run until no
point changes its cluster. The best of the tries is the one whose points lie nearest to their centres.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from showthrough.core.arrays import Floats, Ints
from showthrough.engines.base import cores
from showthrough.statistics.numerics.sparse import sums

SAMPLE = 5_000  # points that the tries are made with, where there are more
_STEPS = 300
_CELLS = 16_000_000  # of the largest arrays that all threads hold at once: 128 MB each


def clusterings(points: Floats, k: int, count: int, tries: int, seed: int) -> list[Ints]:
    """The cluster of each point, 0 to k − 1, so many times over: each the best of its tries.

    Points in the same place are in the same cluster; where there are fewer places than clusters, some clusters are
    empty. Of more than 5,000 points so many are drawn to try with, and the best try is carried on with all of them.

    >>> first, second = clusterings(np.array([[0.0], [0.1], [5.0], [5.1]]), k=2, count=2, tries=5, seed=0)
    >>> (first == first[0]).tolist()
    [True, True, False, False]
    """
    from threadpoolctl import threadpool_limits

    # One thread a clustering: threads that share one small matrix product mostly wait for each other.
    threads = min(count, cores())
    block = max(1, _CELLS // threads // (min(len(points), SAMPLE) * k))
    with threadpool_limits(1, "blas"), ThreadPoolExecutor(threads) as pool:
        # Of each point the first in the same place: between two centres in one place only rounding would decide.
        _, firsts, alike = np.unique(points, axis=0, return_index=True, return_inverse=True)
        first = firsts[alike.reshape(-1)]
        points = _compact(points)
        randoms = [np.random.default_rng((seed, k, number)) for number in range(count)]
        return list(pool.map(lambda random: _best(points, k, tries, block, random)[first], randoms))


def _best(points: Floats, k: int, tries: int, block: int, random: np.random.Generator) -> Ints:
    if len(points) <= SAMPLE:
        return _best_try(points, k, tries, block, random)
    sample = points[np.sort(random.choice(len(points), SAMPLE, replace=False))]
    centres = _means(sample, _best_try(sample, k, tries, block, random)[None], sample[None, :k])
    return np.asarray(_run_lloyd(points, centres)[0][0])


def _best_try(points: Floats, k: int, tries: int, block: int, random: np.random.Generator) -> Ints:
    # All chance is drawn beforehand: how many tries go together depends on the machine, and the result must not.
    firsts = random.integers(len(points), size=tries)
    chances = random.random((k - 1, tries, 2 + int(math.log(k))))
    best, least = np.zeros(len(points), dtype=np.int64), math.inf
    for first in range(0, tries, block):
        batch = slice(first, first + block)
        labels, inertia = _run_lloyd(points, _starts(points, firsts[batch], chances[:, batch]))
        index = int(np.argmin(inertia))
        if inertia[index] < least:
            best, least = labels[index], float(inertia[index])
    return best


def _compact(points: Floats) -> Floats:
    """The same distances in as few dimensions as there are points."""
    points = points - points.mean(axis=0)
    return points if len(points) >= points.shape[1] else np.asarray(np.linalg.qr(points.T, mode="r")).T


def _starts(points: Floats, firsts: Ints, chances: Floats) -> Floats:
    """Greedy k-means++: each next centre is the best of a few points drawn by squared distance from those before.

    `firsts` are the first centres, a try each; `chances` say what is drawn: further centres × tries × candidates.
    """
    rows = np.arange(len(firsts))
    chosen = np.empty((len(firsts), 1 + len(chances)), dtype=np.int64)
    chosen[:, 0] = firsts
    nearest = _squared_distances(points, points[firsts])
    for index, chance in enumerate(chances, start=1):
        reach = np.cumsum(nearest, axis=1)
        drawn = chance * reach[:, -1:]
        picked = np.minimum((reach[:, None, :] <= drawn[:, :, None]).sum(axis=2), len(points) - 1)
        closer = np.minimum(_squared_distances(points, points[picked]), nearest[:, None, :])
        best = closer.sum(axis=2).argmin(axis=1)
        chosen[:, index] = picked[rows, best]
        nearest = closer[rows, best]
    return points[chosen]


def _run_lloyd(points: Floats, centres: Floats) -> tuple[Ints, Floats]:
    """Labels (tries × points) and inertia of each try after Lloyd's steps; a try that has settled is left alone."""
    tries, k = centres.shape[:2]
    labels = np.full((tries, len(points)), -1)
    inertia = np.zeros(tries)
    active = np.arange(tries)
    for _ in range(_STEPS):
        distance = _squared_distances(points, centres)
        nearest = distance.argmin(axis=1)
        inertia[active] = np.take_along_axis(distance, nearest[:, None, :], axis=1).sum(axis=(1, 2))
        moved = (nearest != labels[active]).any(axis=1)
        labels[active] = nearest
        active, centres, nearest, distance = active[moved], centres[moved], nearest[moved], distance[moved]
        if not len(active):
            break
        centres = _means(points, _fill_empty(nearest, distance, k), centres)
    return labels, inertia


def _means(points: Floats, labels: Ints, before: Floats) -> Floats:
    """The middle of every cluster of every try; an empty one stays where it was before."""
    tries, k = before.shape[:2]
    cell = (labels + np.arange(tries)[:, None] * k).ravel()
    count = np.bincount(cell, minlength=tries * k)
    member = np.argsort(cell, kind="stable") % len(points)
    whole = sums(points, member, np.concatenate([[0], np.cumsum(count)])).reshape(before.shape)
    size = count.reshape(tries, k, 1)
    return np.where(size > 0, whole / np.maximum(size, 1), before)


def _fill_empty(labels: Ints, distance: Floats, k: int) -> Ints:
    """Labels in which every empty cluster has the point that lies farthest from its centre, as scikit-learn does."""
    tries = len(labels)
    size = np.bincount((labels + np.arange(tries)[:, None] * k).ravel(), minlength=tries * k).reshape(tries, k)
    filled = labels.copy()
    for number in np.flatnonzero((size == 0).any(axis=1)).tolist():
        far = np.argsort(-np.take_along_axis(distance[number], labels[number][None], axis=0)[0], kind="stable")
        for empty, point in zip(np.flatnonzero(size[number] == 0).tolist(), far.tolist(), strict=False):
            old = labels[number, point]
            if size[number, old] > 1 and distance[number, old, point] > 0:
                filled[number, point] = empty
                size[number, old] -= 1
                size[number, empty] = 1
    return filled


def _squared_distances(points: Floats, centres: Floats) -> Floats:
    """Squared distances of all points from centres of any shape: … × points."""
    flat = centres.reshape(-1, centres.shape[-1])
    squared = 2 * flat @ points.T
    np.subtract((flat**2).sum(axis=1)[:, None], squared, out=squared)
    squared += (points**2).sum(axis=1)
    return np.asarray(np.maximum(squared, 0, out=squared).reshape(*centres.shape[:-1], len(points)))


def silhouette(points: Floats, labels: Ints) -> float:
    """Mean silhouette by cosine distance (Rousseeuw 1987); 0 for a point that is alone in its cluster.

    The mean distance to a cluster is 1 − u·(sum of the cluster's unit vectors) / its size, so no distance between two
    points is ever computed.
    """
    sizes = np.linalg.norm(points, axis=1, keepdims=True)
    unit = np.divide(points, sizes, out=np.zeros_like(points), where=sizes > 0)
    _, own = np.unique(labels, return_inverse=True)
    count = np.bincount(own)
    if len(count) < 2:
        return 0.0
    sums = np.zeros((len(count), points.shape[1]))
    np.add.at(sums, own, unit)
    near = unit @ sums.T
    rows = np.arange(len(points))
    inside = 1 - (near[rows, own] - (unit**2).sum(axis=1)) / np.maximum(count[own] - 1, 1)
    outside = 1 - near / count
    outside[rows, own] = np.inf
    other = outside.min(axis=1)
    widest = np.maximum(inside, other)
    value = np.divide(other - inside, widest, out=np.zeros(len(points)), where=(widest > 0) & (count[own] > 1))
    return float(value.mean())
