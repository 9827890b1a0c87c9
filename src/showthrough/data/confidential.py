"""Reads what mentions say about confidential attributes."""

from __future__ import annotations

from functools import lru_cache

from showthrough.data.kinds import folded

NOT_CONFIDENTIAL = "NOT_CONFIDENTIAL"  # what TAB says of a mention that is not


@lru_cache(maxsize=1024)
def is_confidential(status: str | None) -> bool | None:
    """What a mention's status says; `None` where it says nothing.

    >>> is_confidential("HEALTH"), is_confidential("not confidential"), is_confidential(None), is_confidential(" ")
    (True, False, None, None)
    """
    folded_status = folded(status or "")
    return folded_status != folded(NOT_CONFIDENTIAL) if folded_status else None
