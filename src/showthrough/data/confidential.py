"""Reads what mentions say about confidential attributes."""

from __future__ import annotations

from functools import lru_cache

from showthrough.data.kinds import fold_type

NOT_CONFIDENTIAL = "NOT_CONFIDENTIAL"  # what TAB says of a mention that is not


@lru_cache(maxsize=1024)
def is_confidential(status: str | None) -> bool | None:
    """What a mention's status says; `None` where it says nothing.

    >>> is_confidential("HEALTH"), is_confidential("not confidential"), is_confidential(None), is_confidential(" ")
    (True, False, None, None)
    """
    folded_status = fold_type(status or "")
    return folded_status != fold_type(NOT_CONFIDENTIAL) if folded_status else None
