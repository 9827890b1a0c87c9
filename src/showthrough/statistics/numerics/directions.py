"""The main directions of many sparse rows: a truncated singular value decomposition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from showthrough.core.arrays import Floats
from showthrough.statistics.numerics.sparse import SparseRows

_WHOLE = 1_000  # rows or columns up to which all directions are found, to keep some
_BLOCK = 8  # vectors that are looked at together
_KEPT, _HELD = 1.5, 3.0  # times as many vectors as are asked for: what a restart leaves, and what is held before it
_ROUNDS = 100
_EXACT = 1e-13  # of the largest: what the last digits make of a residual
_SAME = 1e-10  # of a sum
_LOST = 1e-10  # of a vector: what rounding leaves of it


def main_directions(rows: SparseRows, most: int) -> tuple[Floats, Floats]:
    """The largest singular values, descending, and their right singular vectors: directions × columns.

    There are as many as asked for, or as there are rows or columns. Where singular values are equal, any directions of
    their space are as good; the same rows always give the same.

    >>> rows = SparseRows(np.array([3.0, 4.0, 1.0]), np.array([0, 1, 2]), np.array([0, 2, 3]), width=3)
    >>> sizes, directions = main_directions(rows, 1)
    >>> sizes.round(6).tolist(), np.abs(directions).round(6).tolist()
    ([5.0], [[0.6, 0.8, 0.0]])
    """
    least = min(len(rows), rows.width)
    if least <= most + 1:
        _, sizes, directions = np.linalg.svd(rows.dense(), full_matrices=False)
        return sizes[:most], directions[:most]
    narrow, wide = (rows, rows.transpose()) if len(rows) == least else (rows.transpose(), rows)
    if least <= _WHOLE:
        vectors = np.linalg.eigh(narrow.product(wide))[1].T[: -most - 1 : -1]
    else:
        vectors = _leading_vectors(lambda block: _products(narrow, _products(wide, block)), least, most)
    # Squares lose half of the digits of what is small: the directions are told apart once more, as they are.
    basis = np.linalg.qr(_products(wide, vectors).T)[0].T if narrow is rows else vectors
    turns, sizes, _ = np.linalg.svd(_products(rows, basis), full_matrices=False)
    return sizes, turns.T @ basis


def _products(rows: SparseRows, vectors: Floats) -> Floats:
    """Each of some vectors times each row: vectors × rows."""
    filled = np.flatnonzero(np.diff(rows.bound))
    products = np.zeros((len(vectors), len(rows)))
    for product, vector in zip(products, vectors, strict=True):
        product[filled] = np.add.reduceat(vector[rows.column] * rows.data, rows.bound[filled])
    return products


def _leading_vectors(squared: Callable[[Floats], Floats], size: int, count: int) -> Floats:
    """The vectors that a symmetric product, of so many dimensions, lengthens most: vectors × dimensions.

    Block Lanczos with thick restarts (Wu and Simon 2000). A value that occurs more often than a block is wide has
    vectors that the blocks never meet, so what is found is confirmed: blocks from another start must find no better.
    """
    random = np.random.default_rng(0)
    kept_count, basis_size = int(_KEPT * count), int(_HELD * count)
    basis, images = np.zeros((2, 0, size))
    block, best_total = random.normal(size=(_BLOCK, size)), -np.inf
    for _ in range(_ROUNDS):
        while len(basis) < basis_size:
            block = _apart(block, basis, random)
            image = squared(block)
            basis, images, block = np.vstack([basis, block]), np.vstack([images, image]), image
        block = _apart(block, basis, random)
        values, turns = np.linalg.eigh(basis @ images.T)
        turns = turns.T[: -kept_count - 1 : -1]
        basis, images = turns @ basis, turns @ images
        residuals = images[:count] - basis[:count] * values[: -count - 1 : -1, None]
        if np.linalg.norm(residuals, axis=1).max() <= _EXACT * values[-1]:
            if (total := float(values[-count:].sum())) <= best_total * (1 + _SAME):
                break
            block, best_total = random.normal(size=block.shape), total
    return basis[:count]


def _apart(vectors: Floats, basis: Floats, random: np.random.Generator) -> Floats:
    """Orthonormal vectors of the same space as these, apart from a basis; what lies within it gives way to chance."""
    length = np.linalg.norm(vectors, axis=1)
    vectors, lengths_left = _orthonormal(vectors - (vectors @ basis.T) @ basis)
    lost = lengths_left <= _LOST * length
    vectors[lost] = random.normal(size=(int(lost.sum()), vectors.shape[1]))
    for _ in range(2):  # once is not enough, by what rounding leaves
        vectors, _ = _orthonormal(vectors - (vectors @ basis.T) @ basis)
    return vectors


def _orthonormal(vectors: Floats) -> tuple[Floats, Floats]:
    """Orthonormal vectors, and how long each of those given is apart from those before it."""
    turned, triangle = np.linalg.qr(vectors.T)
    return turned.T, np.abs(np.diag(triangle))
