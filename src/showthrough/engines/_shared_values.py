"""Values that many tasks use: a worker receives one when it first needs it, and drops it when nobody uses it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from itertools import count
from typing import Any, TypeVar
from weakref import WeakValueDictionary

from showthrough.engines.base import SharedValue

T = TypeVar("T")

_numbers = count()
_met = threading.local()  # shared values in what this thread is packing


class SharedHandle(SharedValue[T]):
    """A value in the program that shares it. In a task it travels as its number."""

    def __init__(self, value: T) -> None:
        self._value = value
        self.number = next(_numbers)
        _alive[self.number] = self

    @property
    def value(self) -> T:
        return self._value

    def __reduce__(self) -> tuple[Any, ...]:
        _met.values.append(self)
        return _WorkerValue, (self.number,)


_alive: WeakValueDictionary[int, SharedHandle[Any]] = WeakValueDictionary()


def pack_task(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bytes, list[SharedHandle[Any]]]:
    """A task as bytes, and the shared values that it names."""
    import cloudpickle  # it also sends what was defined at a prompt or in a script

    values: list[SharedHandle[Any]] = []
    _met.values = values
    message = bytes(cloudpickle.dumps((function, arguments)))
    _met.values = []  # nothing is held longer than whoever sends it does
    return message, values


def left_behind(numbers: Iterable[int]) -> list[int]:
    """Those of the values that nobody holds any more."""
    return [number for number in numbers if number not in _alive]


# In the worker.

_here: dict[int, Any] = {}  # by number


class _WorkerValue(SharedValue[T]):
    """A shared value, where it was sent to."""

    def __init__(self, number: int) -> None:
        self._number = number

    @property
    def value(self) -> T:
        value: T = _here[self._number]
        return value


def keep(number: int, value: Any) -> None:
    _here[number] = value


def forget(numbers: Iterable[int]) -> None:
    for number in numbers:
        _here.pop(number, None)
