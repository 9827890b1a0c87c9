"""Exit statuses."""

from __future__ import annotations

from showthrough.errors import InputError, Interrupted, OutputError

FELL_SHORT = 1
BAD_INPUT = 2
INTERRUPTED = 130


def exit_status(error: BaseException) -> int:
    if isinstance(error, Interrupted):
        return exit_status(error.__cause__) if error.__cause__ else INTERRUPTED
    return BAD_INPUT if isinstance(error, InputError | OutputError) else FELL_SHORT
