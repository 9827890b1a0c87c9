"""Everything that showthrough raises on purpose.

ShowthroughError
├── InputError            what was given cannot be used; lists every problem found     (exit 2)
│   ├── ChangedError      a file is no longer what it was when it was looked at first  (exit 2)
│   └── PlanError         an unknown metric, parameter, preset, anonymizer or option   (exit 2)
├── OutputError           a result cannot be written where it was asked for            (exit 2)
├── NoScoreError          a run has no such score; a KeyError as well                  (Python alone)
├── ResourceError         a model, an extra or a plugin cannot be used; the message says why (exit 1)
└── Interrupted           stopped on request; carries what was finished                (exit 130)
                          by something else, such as a full memory                     (exit 1 or 2)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

# What a reader leaves that takes any bytes for text; nothing that holds it can be written or given to a model.
HALF_CHARACTER = "holds half of a surrogate pair, which is no character; expected text that was read as UTF-8"
LISTED = 50  # problems that a message shows in full; a broken exporter breaks every document alike
LINE = 480  # characters of a message at most: a terminal shows it, a log keeps it, and it is no place for a document
QUOTED = 40  # characters of a document that a message may show
_WHERE = 120  # characters of a file or a place, where a line would be too long with all of it
_NAMES = 160  # characters of a list of names


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it is, then what was found and what was expected."""

    file: str
    place: str
    message: str

    def __str__(self) -> str:
        named = [part if part == part.strip() else repr(part) for part in (self.file, self.place) if part]
        where = [shorten(part, LINE) for part in named]
        if sum(map(len, where)) + len(self.message) > LINE - 4:  # with a colon and a space after each
            where = [shorten(part, _WHERE) for part in where]
        room = LINE - sum(len(part) + 2 for part in where)
        return ": ".join([*where, *([shorten(self.message, room)] if self.message else [])])


def printable(text: str) -> str:
    """Ids and texts come from files: a line feed or an escape sequence in one must not reach the terminal.

    >>> printable("a\\x1b[31mb")
    'a\\\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else ascii(character)[1:-1] for character in text)


def shorten(text: str, most: int = QUOTED) -> str:
    """Text from a file as a message shows it: printable, and without its middle where it is long.

    >>> shorten("0123456789", 7)
    '0123…89'
    """
    long = len(text) > most  # then the ends alone are looked at: it may be a megabyte
    text = printable(text[:most] + text[-most:] if long else text)
    if not long and len(text) <= most:
        return text
    tail = (most - 1) // 3
    return f"{text[: most - 1 - tail]}…{text[len(text) - tail :]}"


def at_document(name: str) -> str:
    """The place that a document is."""
    return f"document {shorten(name)}"


def quote_value(value: object, most: int = QUOTED) -> str:
    """A value as it is in a file, in quotes, and its beginning alone where it is long.

    >>> quote_value("Oslo"), quote_value("Mr Doe of Oslo", 7), quote_value([1, 2])
    ("'Oslo'", "'Mr Doe…'", '[1, 2]')
    """
    if not isinstance(value, str):
        return shorten(repr(value), most)
    return repr(value if len(value) <= most else f"{value[: most - 1]}…")


def join_names(names: Iterable[str], most: int = _NAMES) -> str:
    """Names in a list, as many as there is room for.

    >>> join_names(["AGE", "DATE", "NAME"]), join_names(["AGE", "DATE", "NAME"], 8), join_names([])
    ('AGE, DATE, NAME', 'AGE and 2 more', 'none')
    """
    listed = [shorten(name) for name in names]
    count, room = 0, most
    while count < len(listed) and room >= len(listed[count]):
        room -= len(listed[count]) + 2
        count += 1
    count = max(count, 1)
    more = f" and {len(listed) - count} more" if len(listed) > count else ""
    return (", ".join(listed[:count]) + more) or "none"


def suggest_name(name: str, names: Iterable[str]) -> str:
    """The nearest of the names that there are, as a question.

    >>> suggest_name("presido", ["presidio", "spacy"]), suggest_name("x", ["presidio"])
    ('did you mean presidio? ', '')
    """
    from difflib import get_close_matches

    near = get_close_matches(shorten(name), names, 1)
    return f"did you mean {shorten(near[0])}? " if near else ""


class ShowthroughError(Exception):
    """The root of the tree."""


class _OneLine(ShowthroughError):  # noqa: N818 (its children are errors)
    """An error that is one sentence, whatever names are in it."""

    def __init__(self, message: str) -> None:
        super().__init__(shorten(message, LINE))


class InputError(ShowthroughError):
    """What was given cannot be used. `problems` holds all that was found, not only the first."""

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: Sequence[Problem] = [problems] if isinstance(problems, Problem) else list(problems)
        lines = [str(problem) for problem in self.problems[:LISTED]]
        if len(self.problems) > LISTED:
            lines.append(f"… and {len(self.problems) - LISTED} more problems of this kind")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild_error, (type(self), self.problems)  # from a worker process

    def at(self, location: str) -> InputError:
        """The same, with another location."""
        return _rebuild_error(
            type(self), [replace(problem, message=f"{problem.message} ({location})") for problem in self.problems]
        )


def _rebuild_error(cls: type[InputError], problems: Sequence[Problem]) -> InputError:
    error = cls.__new__(cls)
    InputError.__init__(error, problems)
    return error


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

    def __init__(self, message: str, location: str = "", file: str = "") -> None:
        super().__init__(Problem(file, location, message))


class OutputError(_OneLine):
    """A result cannot be written where it was asked for."""


class NoScoreError(_OneLine, KeyError):
    """A run was asked for what it does not have."""

    def __str__(self) -> str:  # that of a KeyError is in quotes
        return str(self.args[0])


class ResourceError(_OneLine):
    """A model, a pipeline or an optional package is missing, or a plugin does not do what it must."""


class UnavailableError(ResourceError):
    """A model, a pipeline, a word list or an optional package is not on this machine."""


class Interrupted(ShowthroughError):  # noqa: N818 (it is no error: the user asked for it)
    """Stopped on request, or for a `reason`. `partial` is the run as far as it got."""

    def __init__(self, partial: Any, reason: str = "") -> None:
        super().__init__(reason or "interrupted")
        self.partial = partial
        self.reason = reason
