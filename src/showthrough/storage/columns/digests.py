"""Digests of very many documents, 16 bytes each, and one digest of all of them."""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

SIZE = 16
Digests = NDArray[np.bytes_]  # of 16 bytes each


def digest_of_bytes(content: bytes) -> bytes:
    return hashlib.blake2b(content, digest_size=SIZE).digest()


def in_order(digests: bytearray) -> Digests:
    """Digests that stand one after the other, sorted."""
    column = np.frombuffer(digests, dtype=f"S{SIZE}")
    column.sort()
    return column


def total(digests: Digests) -> str:
    """Of sorted ones: the same documents in another order have the same."""
    return hashlib.blake2b(digests.view(np.uint8).data, digest_size=SIZE).hexdigest()
