"""Packs what travels to workers and back: plugins, functions of scripts, and exceptions of tasks."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from typing import Any

from showthrough.core.errors import PlanError, shorten
from showthrough.core.plugins import plugins, sync


def packed_plugins() -> bytes:
    """What plugins registered here, for workers to register too. Raises PlanError for one that cannot be sent."""
    import cloudpickle  # it also sends what was defined at a prompt or in a script

    for kind, entries in plugins().items():
        for name, entry in entries.items():
            try:
                cloudpickle.dumps(entry)
            except Exception as error:  # whatever a plugin's own pickling raises
                fault = f"cannot be sent to a worker process: {error}; expected what can be pickled, or jobs=1"
                raise PlanError(fault, f"{kind}: {shorten(name)}") from error
    return bytes(cloudpickle.dumps(plugins()))


def outcome(function: Callable[..., Any], *arguments: Any) -> bytes:
    """What a call gives or raises, as bytes; `unpack_result` gives or raises the same."""
    import cloudpickle

    try:
        return bytes(cloudpickle.dumps((function(*arguments), None)))
    except Exception as error:  # whatever a task raises is the program's to handle: it is sent there
        error.add_note(traceback.format_exc())
        try:
            content = bytes(cloudpickle.dumps((None, error)))
            pickle.loads(content)  # noqa: S301 (some exceptions cannot be made again)
        except Exception:  # of another's making, and pickling it may raise anything
            content = bytes(cloudpickle.dumps((None, RuntimeError(traceback.format_exc()))))
        return content


def call_packed(message: bytes) -> Any:
    """Does a task that was packed."""
    function, task = pickle.loads(message)  # noqa: S301 (our own program wrote it)
    return function(*task)


def sync_plugins(sent: bytes) -> None:
    """Has the plugins of another process."""
    sync(pickle.loads(sent))  # noqa: S301 (our own program wrote it)


def unpack_result(content: bytes) -> Any:
    """What another process gave, or raises what it raised."""
    answer, error = pickle.loads(content)  # noqa: S301 (our own worker wrote it)
    if error is not None:
        raise error
    return answer
