from dataclasses import dataclass

import numpy as np

from showthrough import Attack, parameter


@dataclass(frozen=True)
class Initials(Attack):
    """Whose background has the most capitals that the document has too."""

    least: int = parameter(1, "capitals that count at least")

    def fit(self, background, resources, watched=None):
        return Fitted(tuple(background), [capitals(text) for text in background.values()], self.least)


class Fitted:
    def __init__(self, individuals, known, least):
        self.individuals, self.known, self.least = individuals, known, least

    def scores(self, documents):
        shared = [[len(capitals(text) & known) for known in self.known] for text in documents]
        fits = np.array(shared, dtype=float).reshape(len(documents), len(self.known))
        return np.where(fits >= self.least, fits, 0)


def capitals(text):
    return set(filter(str.isupper, text))
