"""Rows of features: what holds of each token of a text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from showthrough.anonymizers.taggers.features.settings import Features
from showthrough.anonymizers.taggers.tokens import Tokens


@dataclass
class Extractor:
    """Makes rows by some settings and what was learned from training records."""

    features: Features

    def rows(self, tokens: Tokens, majority: Mapping[str, str] | None = None) -> list[list[str]]:
        """One row a token. `majority` is the label that a first pass mostly gave each word of the record."""
        raise NotImplementedError
