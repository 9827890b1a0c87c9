"""What a shell offers for a value: names in one of the tables, those of other packages too, or names in a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from showthrough.core.errors import ShowthroughError

Offer = Callable[[str], list[str]]


def _names(table: str) -> Offer:
    """Offers the names in a table, which is imported when a shell asks."""

    def offer(incomplete: str) -> list[str]:
        return _starting(resolve_name(f"showthrough.{table}"), incomplete)

    return offer


def _starting(names: Iterable[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


metric_names = _names("metrics:METRICS")
preset_names = _names("metrics:PRESETS")
format_names = _names("formats:FORMATS")
anonymizer_names = _names("systems:ANONYMIZERS")
detector_names = _names("models.detectors:DETECTORS")
perturbation_names = _names("studies.stress.perturbations:PERTURBATIONS")
attack_names = _names("families.reidentification.attacks:ATTACKS")
kind_names = _names("cli.listings:KINDS")

OF_SETTINGS = {"format": format_names, "attacks": attack_names}  # by the name of the field that makes the option


def listed_names(ctx: Any, incomplete: str) -> list[str]:
    """Entries of the kind that `list` was asked for."""
    kinds = resolve_name("showthrough.cli.listings:KINDS")
    kind = kinds.get(ctx.params.get("kind"))
    return _starting(kind.names, incomplete) if kind else []


def metrics_of_run(ctx: Any, incomplete: str) -> list[str]:
    """Metrics of the run that was named; without one, all."""
    run = _run(ctx)
    return metric_names(incomplete) if run is None else _starting((record.text for record in run.metrics), incomplete)


def systems_of_run(ctx: Any, incomplete: str) -> list[str]:
    """Anonymizations of the run that was named."""
    run = _run(ctx)
    return [] if run is None else _starting(run.names, incomplete)


def limits_of_run(ctx: Any, incomplete: str) -> list[str]:
    """Metrics of the run, or all, with the sign that a limit follows."""
    return [f"{name}=" for name in metrics_of_run(ctx, incomplete)]


def _run(ctx: Any) -> Any:
    """The run of a command that reads one; `None` where none was named yet, or it cannot be read.

    After an option that still lacks its value, arguments are not parsed yet: then the first is the run.
    """
    file = ctx.params.get("run_file") or next((word for word in ctx.args if not word.startswith("-")), None)
    if file is None:
        return None
    from showthrough.run.run import Run  # here: few ask for it

    with suppress(ShowthroughError, OSError):
        return Run.load(Path(file))
    return None
