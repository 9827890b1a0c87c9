"""The JSON in what a model said: alone, as it should be, or after its thoughts and between fences, as it often is."""

from __future__ import annotations

import re
from typing import TypeVar

import msgspec

from showthrough.core.patterns import lazy_pattern

T = TypeVar("T")

_THOUGHTS = lazy_pattern(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = lazy_pattern(r"```(?:json)?\s*\n(.*?)\n\s*```", re.DOTALL)


def decode_answer(content: str, kind: type[T]) -> T:
    """What it says, as a value of that kind. Raises ValueError for all else.

    >>> decode_answer('Here it is:\\n```json\\n[1, 2]\\n```', list[int])
    [1, 2]
    """
    spoken = _THOUGHTS.sub("", content, count=1).strip()
    fenced = _FENCED.findall(spoken)
    try:
        return msgspec.json.decode((fenced[-1] if fenced else spoken).encode(), type=kind)
    except (UnicodeEncodeError, RecursionError) as error:
        raise ValueError(str(error)) from None
