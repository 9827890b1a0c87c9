"""Everything that showthrough raises on purpose.

ShowthroughError
├── InputError            what was given cannot be used; lists every problem found     (exit 2)
│   ├── ChangedError      a file is no longer what it was when it was looked at first  (exit 2)
│   └── PlanError         an unknown metric, parameter, preset, anonymizer or option   (exit 2)
├── OutputError           a result cannot be written where it was asked for            (exit 2)
├── ResourceError         a model or an extra is not there; the message has the remedy (exit 1)
└── Interrupted           stopped on request; carries what was finished                (exit 130)
                          by something else, such as a full memory                     (exit 1 or 2)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

# What a reader leaves that takes any bytes for text; nothing that holds it can be written or given to a model.
HALF_CHARACTER = "holds half of a surrogate pair, which is no character; expected text that was read as UTF-8"
LISTED = 50  # problems that a message shows in full; a broken exporter breaks every document alike


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it is, then what was found and what was expected."""

    file: str
    place: str
    message: str

    def __str__(self) -> str:
        whole = ": ".join(part for part in (self.file, self.place, self.message) if part)
        return printable(whole)


def printable(text: str) -> str:
    """Ids and texts come from files: a line feed or an escape sequence in one must not reach the terminal."""
    return "".join(found if found.isprintable() else ascii(found)[1:-1] for found in text)


class ShowthroughError(Exception):
    """The root of the tree."""


class InputError(ShowthroughError):
    """What was given cannot be used. `problems` holds all that was found, not only the first."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: Sequence[Problem] = [problems] if isinstance(problems, Problem) else list(problems)
        lines = [str(problem) for problem in self.problems[:LISTED]]
        if len(self.problems) > LISTED:
            lines.append(f"… and {len(self.problems) - LISTED} more problems of this kind")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.problems)  # from a worker process


def _again(kind: type[InputError], problems: Sequence[Problem]) -> InputError:
    made = kind.__new__(kind)
    InputError.__init__(made, problems)
    return made


def kind_of(usual: object) -> str:
    """What kind of value a parameter takes, in words.

    >>> kind_of(6), kind_of(False)
    ('a whole number', 'True or False')
    """
    return _KINDS.get(type(usual), f"a {type(usual).__name__}")


_KINDS = {bool: "True or False", int: "a whole number", float: "a number", str: "text"}


class ChangedError(InputError):
    """A file is no longer what it was when it was looked at first."""


class PlanError(InputError):
    """Something was asked for that does not exist."""

    def __init__(self, message: str, place: str = "", file: str = "") -> None:
        super().__init__(Problem(file, place, message))


class OutputError(ShowthroughError):
    """A result cannot be written where it was asked for."""


class ResourceError(ShowthroughError):
    """A model, a pipeline or an optional package is missing."""


class Interrupted(ShowthroughError):  # noqa: N818 (it is no error: the user asked for it)
    """Stopped on request, or for a `reason`. `partial` is the run as far as it got."""

    def __init__(self, partial: Any, reason: str = "") -> None:
        super().__init__(reason or "interrupted")
        self.partial = partial
        self.reason = reason
