"""Opens the engine that the settings name, and closes it afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from showthrough.core.errors import PlanError, quote_value
from showthrough.engines.base import Engine, InProcess


@contextmanager
def open_engine(engine: str = "local", jobs: int | None = None, address: str | None = None) -> Iterator[Engine]:
    """Raises PlanError for an engine that cannot be had; whatever was started is gone at the end."""
    instance = _open_engine(engine, jobs, address)
    try:
        yield instance
    finally:
        instance.close()


def _open_engine(engine: str, jobs: int | None, address: str | None) -> Engine:
    if engine == "ray":
        from showthrough.engines._ray import RayEngine

        return RayEngine(address, jobs)
    if address is not None:
        raise PlanError(
            f"found {quote_value(address)}, which is for Ray alone; expected --engine ray with it", "address"
        )
    if (jobs or 1) == 1:
        return InProcess()
    from showthrough.engines.local import Local

    return Local(jobs or 1)
