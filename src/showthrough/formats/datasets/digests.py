"""What a file is known by: digests that were published or measured, and those of what came."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from showthrough.core.errors import PlanError, quote_value
from showthrough.storage.reading import fail, reading

Kind = Literal["sha256", "md5", "git-blob-sha1"]
_BLOCK = 1 << 20
_ACCIDENTS = "guards against accidents alone, and not against somebody who wants to deceive"
_SHA256 = re.compile(r"[0-9a-f]{64}")


def sha256_of(text: str, location: str) -> str:
    """A digest that somebody typed. Raises PlanError for what is none."""
    typed = text.strip().lower()
    if not _SHA256.fullmatch(typed):
        raise PlanError(f"found {quote_value(text)}; expected the 64 hexadecimal digits of a sha256", location)
    return typed


def compute_digests(path: Path, kinds: Iterable[Kind] = ("sha256",)) -> dict[Kind, str]:
    """The digests of a file, read once."""
    with reading(path), path.open("rb") as file:
        makers = {kind: _new_hasher(kind, path) for kind in kinds}
        while block := file.read(_BLOCK):
            for maker in makers.values():
                maker.update(block)
    return {kind: maker.hexdigest() for kind, maker in makers.items()}


def _new_hasher(kind: Kind, path: Path) -> Any:
    if kind == "sha256":
        return hashlib.sha256()
    if kind == "md5":
        return hashlib.md5(usedforsecurity=False)
    # Git names a file by its content with the length before it.
    return hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)


def check(actual: Mapping[Kind, str], expected: Mapping[Kind, str], file: Path | str, then: str = "") -> None:
    """Raises InputError for a digest that is another than it must be."""
    for kind, value in expected.items():
        if actual[kind] != value:
            raise fail(file, f"is another file: found {kind} {actual[kind]}, expected {value}{then}")


def weakness(kinds: Collection[Kind]) -> str:
    """What a file that has these digests may still be; empty where that need not be said.

    >>> weakness(["sha256", "md5"]), weakness(["md5"])
    ('', 'md5 guards against accidents alone, and not against somebody who wants to deceive')
    """
    return f"md5 {_ACCIDENTS}" if set(kinds) == {"md5"} else ""
