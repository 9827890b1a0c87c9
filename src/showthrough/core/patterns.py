"""Regular expressions that are compiled when they are first used: most programs use few of those that modules have."""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


class _LazyPattern:
    def __init__(self, pattern: Any, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        """A method of the compiled expression, which is then found without asking here."""
        value = getattr(re.compile(*self._source), name)
        setattr(self, name, value)
        return value


def lazy_pattern(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What `re.compile` gives, for those who call its methods.

    >>> lazy_pattern("a+").findall("a baa")
    ['a', 'aa']
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, flags))
