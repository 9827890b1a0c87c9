"""The arguments of public functions, checked before the work: a path would fail deep inside of it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import ParamSpec, TypeVar

from showthrough.core.errors import PlanError

P = ParamSpec("P")
R = TypeVar("R")

# What makes each of these kinds.
_MADE_BY = {
    "Corpus": "read_corpus reads a file, and Corpus.from_texts takes texts",
    "Anonymization": "read_anonymization reads a file",
    "Run": "Run.load reads a file",
}


def expects(**kinds: type) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Lets a function refuse anything but these kinds as these arguments. The line names what makes one.

    >>> class Corpus: ...
    >>> @expects(corpus=Corpus)
    ... def count(corpus): ...
    >>> count("corpus.json")
    Traceback (most recent call last):
        ...
    showthrough.core.errors.PlanError: corpus: found a value of type str; expected a Corpus: read_corpus reads a file, \
and Corpus.from_texts takes texts
    """

    def checked(function: Callable[P, R]) -> Callable[P, R]:
        places = {name: index for index, name in enumerate(signature(function).parameters) if name in kinds}

        @wraps(function)
        def call(*arguments: P.args, **named: P.kwargs) -> R:
            for name, index in places.items():
                value = arguments[index] if index < len(arguments) else named.get(name)
                if value is not None and not isinstance(value, kinds[name]):
                    kind = kinds[name].__name__
                    article = "an" if kind[0] in "AEIOU" else "a"
                    message = f"found a value of type {type(value).__name__}; expected {article} {kind}"
                    raise PlanError(f"{message}: {_MADE_BY[kind]}", name)
            return function(*arguments, **named)

        return call

    return checked
