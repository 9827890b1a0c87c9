"""Exit statuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from showthrough.core.errors import InputError, Interrupted, OutputError, PlanError, ResourceError, UnavailableError

FELL_SHORT = 1
BAD_INPUT = 2
INTERRUPTED = 130


def exit_status(error: BaseException) -> int:
    if isinstance(error, Interrupted):
        return exit_status(error.__cause__) if error.__cause__ else INTERRUPTED
    return BAD_INPUT if isinstance(error, InputError | OutputError | UnavailableError) else FELL_SHORT


@contextmanager
def refuse_unavailable() -> Iterator[None]:
    """A model that cannot be had, or had in this memory, is a bad request where nothing else is done."""
    try:
        yield
    except ResourceError as error:
        raise PlanError(str(error)) from error
