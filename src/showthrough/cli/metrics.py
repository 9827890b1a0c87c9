from __future__ import annotations

import inspect
from typing import Annotated, Literal, get_args, get_origin, get_type_hints

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from showthrough.cli.consoles import console as standard_output
from showthrough.metrics import METRICS, PRESETS, Metric, metric_text, parse_metric
from showthrough.report.table import ARROWS


def command(
    name: Annotated[str | None, typer.Argument(metavar="[METRIC]", help="One metric, in full.")] = None,
) -> None:
    """List the metrics; or one in full: formula, citation, parameters, example."""
    console = standard_output()
    if name is None:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for head in ("metric", "group", "better", "what it is"):
            table.add_column(head, no_wrap=head != "what it is")
        for key, metric in METRICS.items():
            table.add_row(key, metric.group, ARROWS[metric.better], _summary(metric) + _apart(metric))
        console.print(table)
        for key, names in PRESETS.items():
            console.print(Text(f"preset {key}: {', '.join(names)}"))
        return
    metric = parse_metric(name)
    console.print(Text(f"{metric_text(metric)} ({metric.title}, version {metric.version})", style="bold"))
    console.print(Text(inspect.getdoc(metric) or ""))
    console.print()
    console.print(Text(f"group: {metric.group}; {metric.better} is better; undefined when {metric.undefined}"))
    console.print(Text("parameters:"))
    hints = get_type_hints(type(metric))
    for key, value in metric.parameters.items():
        allowed = get_args(hints[key])
        among = f"   (one of {', '.join(map(repr, allowed))})" if get_origin(hints[key]) is Literal else ""
        console.print(Text(f"  {key} = {value!r}{among}"))


def _apart(metric: Metric) -> str:
    """The parameters that tell an entry from others of its kind: ` (identifier=direct)`."""
    kin = [other.parameters for other in METRICS.values() if type(other) is type(metric)]
    differing = [key for key in metric.parameters if len({parameters[key] for parameters in kin}) > 1]
    told = [f"{key}={metric.parameters[key]}" for key in differing if metric.parameters[key] != ""]
    return f" ({', '.join(told)})" if told else ""


def _summary(metric: object) -> str:
    return (inspect.getdoc(metric) or "").splitlines()[0]
