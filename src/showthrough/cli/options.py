"""Options made from the fields of settings: what a field says of itself is what `--help` says."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, get_args, get_origin

import typer

from showthrough.cli.completion import OF_SETTINGS, limits_of_run, metric_names, preset_names
from showthrough.evaluation.settings import Option
from showthrough.metrics import PRESETS, preset

CliOptions = dict[str, Any]  # what stands on the command line, by name: it overrides a plan, which a default does not
Command = Callable[..., None]
Output = Annotated[
    Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write the run, for report and compare.")
]
MinThresholds = Annotated[
    list[str] | None,
    typer.Option(
        "--min",
        metavar="METRIC=LIMIT",
        help="What a metric must reach, e.g. removed_di=0.95; repeatable.",
        autocompletion=limits_of_run,
    ),
]
MaxThresholds = Annotated[
    list[str] | None,
    typer.Option(
        "--max",
        metavar="METRIC=LIMIT",
        help="What a metric must not exceed, e.g. trir=0.09; repeatable.",
        autocompletion=limits_of_run,
    ),
]

Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "-m",
        "--metric",
        metavar="METRIC",
        help="A metric, e.g. er_di; may be repeated.",
        autocompletion=metric_names,
    ),
]
Presets = Annotated[
    list[str] | None,
    typer.Option(
        "--preset",
        metavar="NAME",
        help=f"A set of metrics: {', '.join(PRESETS)}. Two of them, tab and tae, need the extra models.",
        autocompletion=preset_names,
    ),
]
Anonymizations = Annotated[
    list[str] | None, typer.Argument(metavar="NAME=FILE", help="Anonymizations: masks with offsets, or texts.")
]


def chosen_metrics(presets: Iterable[str] | None, metrics: Iterable[str] | None) -> list[str]:
    """Those of presets, then those by name."""
    return [*(name for preset_name in presets or () for name in preset(preset_name)), *(metrics or ())]


def with_options(
    headings: Mapping[str, Sequence[str]] = MappingProxyType({}), **groups: Mapping[str, Option]
) -> Callable[[Command], Command]:
    """A command whose parameters of these names stand for several options each, and are given what was said of them.

    Its help lists options under `headings`: those that are named there, then those that are declared with one.
    """

    def decorate(command: Command) -> Command:
        parameters = [inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)]
        for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
            if name in groups:
                parameters += map(_parameter, groups[name].values())
            else:
                parameters.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))

        def called(context: typer.Context, **values: Any) -> None:
            for group, options in groups.items():
                group_values = {option: values.pop(option) for option in options}
                values[group] = {
                    name: _join_values(options[name], value) if _repeatable(options[name]) else value
                    for name, value in group_values.items()
                    if _is_set(context, name)
                }
            command(**values)

        called.__doc__ = command.__doc__
        called.headings = _fill_headings(headings, groups.values())  # type: ignore[attr-defined]
        called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return called

    return decorate


def _fill_headings(
    headings: Mapping[str, Sequence[str]], groups: Iterable[Mapping[str, Option]]
) -> dict[str, list[str]]:
    """The names of options by heading, each once and rare ones last."""
    named = {name for names in headings.values() for name in names}
    options = sorted((option for group in groups for option in group.values()), key=lambda option: option.rare)
    return {
        heading: [
            *names,
            *(option.name for option in options if option.heading == heading and option.name not in named),
        ]
        for heading, names in headings.items()
    }


def _parameter(option: Option) -> inspect.Parameter:
    kind, default = (list[str] | None, None) if _repeatable(option) else (option.type, option.default)
    flag = option.name.replace("_", "-")
    usual = f"--{flag}/--no-{flag}" if option.default is True else f"--{flag}"
    offered = OF_SETTINGS.get(option.name)
    shown = typer.Option(*(option.flags or (usual,)), metavar=option.metavar, help=option.help, autocompletion=offered)
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(option.name, keyword, default=default, annotation=Annotated[kind, shown])


def _repeatable(option: Option) -> bool:
    """Whether it takes several names: a text with commas between them, or a collection of any kind."""
    return any(get_origin(kind) for kind in get_args(option.type))


def _join_values(option: Option, values: list[str]) -> str | tuple[str, ...]:
    """Names in one text; files as they are, since a comma may stand in a path."""
    several = any(get_origin(kind) is tuple for kind in get_args(option.type))
    return tuple(values) if several else ",".join(values)


def _is_set(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"
