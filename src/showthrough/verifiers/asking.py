"""How verifiers are written: `glad/`, `NAME=folder/`, or a name that a package brings."""

from __future__ import annotations

from collections.abc import Sequence

from showthrough.errors import PlanError
from showthrough.verifiers.base import Verifier


def asked_verifiers(written: Sequence[str]) -> tuple[Verifier, ...]:
    """All that are asked for, loaded. Raises InputError or ResourceError with everything that is wrong."""
    if written:
        raise PlanError("cannot be loaded", f"verifier {written[0]}")
    return ()
