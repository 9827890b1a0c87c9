"""The best one-to-one matching of rows and columns."""

from __future__ import annotations

import numpy as np

from showthrough.core.arrays import Floats, Ints

NOBODY = -1


def best_matching(score: Floats) -> Ints:
    """Of each row its column, so that the scores of all matches together are highest; NOBODY where columns run out.

    Shortest augmenting paths (Jonker and Volgenant 1987), for matrices of any shape. Every row takes the column that
    it likes best; then each that found its column taken gets one over the cheapest chain of rows that move on. Where
    several matchings are as good, it is always the same of them.

    >>> best_matching(np.array([[9.0, 8.0, 0.0], [9.0, 2.0, 1.0]])).tolist()
    [1, 0]
    >>> best_matching(np.array([[1.0], [3.0], [2.0]])).tolist()
    [-1, 0, -1]
    """
    if not np.isfinite(score).all():
        raise ValueError("a score that is not finite cannot be matched")
    rows, columns = score.shape
    if rows > columns:
        matched = np.full(rows, NOBODY)
        matched[best_matching(score.T)] = np.arange(columns)
        return matched
    matching = _Matching(-np.asarray(score, dtype=np.float64))
    for row in np.flatnonzero(matching.column < 0).tolist():
        matching.augment(row)
    return matching.column


class _Matching:
    """A matching that grows, with the prices that prove it best so far.

    No row's cost less its price and the column's is below 0, and that of every match is 0. A column that nobody has
    costs nothing.
    """

    def __init__(self, cost: Floats) -> None:
        rows, columns = cost.shape
        self.cost = np.ascontiguousarray(cost)
        self.row_price, self.column_price = cost.min(axis=1, initial=np.inf), np.zeros(columns)
        self.column, self.row = np.full(rows, NOBODY), np.full(columns, NOBODY)
        liked, first = np.unique(cost.argmin(axis=1) if columns else self.column, return_index=True)
        self.column[first], self.row[liked] = liked, first

    def augment(self, start: int) -> None:
        """Gives one more row a column, over the cheapest chain of rows that each take the next one's."""
        reach = np.full(len(self.row), np.inf)  # of each column, what a chain costs that ends there
        before = np.full(len(self.row), start)
        ahead = np.zeros(len(self.row))  # 0 where a chain may still go, infinite where it has been
        chain, passed, row, so_far = [start], [], start, 0.0
        while True:
            other = self.cost[row] - (self.row_price[row] - so_far)
            other -= self.column_price
            other += ahead
            shorter = other < reach
            reach[shorter], before[shorter] = other[shorter], row
            open_ = reach + ahead
            column = int(open_.argmin())
            so_far = float(open_[column])
            ends = np.flatnonzero((open_ == so_far) & (self.row < 0))
            if len(ends):
                column = int(ends[0])
                break
            ahead[column] = np.inf
            row = int(self.row[column])
            passed.append(column)
            chain.append(row)
        reached = reach[passed]
        self.row_price[chain] += so_far - np.concatenate([[0.0], reached])
        self.column_price[passed] -= so_far - reached
        while True:
            row = int(before[column])
            self.row[column] = row
            column, self.column[row] = int(self.column[row]), column
            if row == start:
                break
