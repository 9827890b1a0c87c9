"""What there is to choose from: metrics, formats, attacks, detectors and anonymizers, those of other packages too."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table as Columns
from rich.text import Text

from showthrough.cli.completion import anonymizer_names, attack_names, detector_names, format_names, metric_names
from showthrough.cli.consoles import console
from showthrough.core.call_syntax import choices, descriptions, parameters
from showthrough.core.plugins import Table
from showthrough.families.reidentification.attacks import ATTACKS, approaches
from showthrough.formats import FORMATS, Format
from showthrough.formats.base import can
from showthrough.formats.registry import format_named
from showthrough.formats.samples import example
from showthrough.metrics import HEADLINE, METRICS, PRESETS, Metric, metric_text, parse_metric
from showthrough.models.detectors import DETECTORS, parse_detector
from showthrough.report.table import ARROWS
from showthrough.systems import ANONYMIZERS, anonymizer
from showthrough.systems.combined import Everywhere
from showthrough.systems.rules import Rules
from showthrough.systems.spec import EVERYWHERE


def metrics(
    name: Annotated[
        str | None, typer.Argument(metavar="[METRIC]", help="One metric, in full.", autocompletion=metric_names)
    ] = None,
) -> None:
    """List the metrics; or one in full: formula, citation, parameters, example."""
    if name is None:
        show_table(
            ("metric", "group", "better"),
            METRICS,
            lambda entry: (entry.group, ARROWS[_better(entry)]),
            _describe_metric,
        )
        for key, names in PRESETS.items():
            console().print(Text(f"preset {key}: {', '.join(names)}"))
        return
    metric = parse_metric(name)
    traits = f"group: {metric.group}; {_better(metric)} is better; undefined when {metric.undefined}"
    _show_entry(f"{metric_text(metric)} ({metric.title}, version {metric.version})", metric, traits)


def _better(metric: Metric) -> str:
    return "neither" if HEADLINE in metric.neutral else metric.better


def attacks(
    name: Annotated[
        str | None, typer.Argument(metavar="[ATTACK]", help="One attack, in full.", autocompletion=attack_names)
    ] = None,
) -> None:
    """List the attacks; or one in full: how it works, and what can be set."""
    if name is None:
        show_table(("attack", "version"), ATTACKS, lambda attack: (str(attack.version),))
        return
    for part in approaches(name)[0].parts:
        _show_entry(f"{part} (version {part.attack.version})", part.attack)


def anonymizers(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[ANONYMIZER]", help="One anonymizer, in full.", autocompletion=anonymizer_names),
    ] = None,
) -> None:
    """List the anonymizers that are built in or installed; or one in full: what it hides, and what can be set."""
    if name is None:
        show_table(("anonymizer", "version"), ANONYMIZERS, lambda anonymizer: (str(anonymizer.version),))
        console().print(Text("FOLDER/ is a model of showthrough train; a+b is what either finds"))
        console().print(Text("everywhere(a) is also every other occurrence of what a finds"))
        return
    chosen_system = Everywhere(Rules()) if name == EVERYWHERE else anonymizer(name)
    _show_entry(
        f"{name if name == EVERYWHERE else chosen_system.name} (version {chosen_system.version})", chosen_system
    )


def detectors(
    name: Annotated[
        str | None, typer.Argument(metavar="[DETECTOR]", help="One detector, in full.", autocompletion=detector_names)
    ] = None,
) -> None:
    """List the detectors, which scan and residual look with; or one in full: what can be set."""
    if name is None:
        show_table(("detector", "version"), DETECTORS, lambda detector: (str(detector.version),))
        return
    chosen_detector = parse_detector(name)
    _show_entry(f"{chosen_detector} (version {chosen_detector.detector.version})", chosen_detector.detector)


def formats(
    name: Annotated[
        str | None, typer.Argument(metavar="[FORMAT]", help="One format, with a sample.", autocompletion=format_names)
    ] = None,
) -> None:
    """List the formats that are read and written; or one with a sample of its files."""
    if name is None:
        heads = ("format", "corpus", "system", "written")  # narrow, so that there is room for what it is
        show_table(heads, FORMATS, _can, lambda chosen: f"{chosen.description} ({', '.join(chosen.endings)})")
        console().print(Text("showthrough formats NAME prints a sample"))
        return
    format = format_named(name)
    files, reads, writes = _of_format(format)
    typer.echo(f"{name}: {format.description}")
    typer.echo(f"files: {files}; read as: {reads or 'nothing'}{'; can be written' if writes else ''}")
    for file, content in example(format).items():
        typer.echo(f"\n{file}:\n\n{content.rstrip()}")


def _can(chosen: Format) -> tuple[str, ...]:
    """Whether corpora and what systems made are read from it, and whether it is written."""
    able = chosen.read, chosen.read_anonymization, can(chosen, "write") or None
    return tuple("" if ability is None else "yes" for ability in able)


def _of_format(chosen: Format) -> tuple[str, str, str]:
    """Endings, what is read, and whether it is written."""
    reads = {"corpus": chosen.read, "anonymization": chosen.read_anonymization}
    return ", ".join(chosen.endings), ", ".join(filter(reads.get, reads)), "yes" if can(chosen, "write") else ""


def summary(value: object) -> str:
    """The sentence that a metric has, or the first line of what another value says of itself."""
    return value.summary if isinstance(value, Metric) else (inspect.getdoc(value) or "").partition("\n")[0]


def show_table(
    heads: tuple[str, ...],
    table: Table[Any],
    cells: Callable[[Any], Iterable[str]],
    describe: Callable[[Any], str] = summary,
) -> None:
    """Every entry: its name, some cells, and what it is; or why a package's entry cannot be used."""
    shown = Columns(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        shown.add_column(head, no_wrap=True)
    shown.add_column("what it is")
    for name in table:
        if fault := table.fault(name):
            row = [*[""] * (len(heads) - 1), f"cannot be used: {fault}"]
        else:
            row = [*cells(table[name]), describe(table[name])]
        shown.add_row(*map(Text, (name, *row)))
    console().print(shown)


def _show_entry(title: str, value: Any, traits: str = "") -> None:
    screen = console()
    screen.print(Text(title, style="bold"))
    screen.print(Text(f"{summary(value)}\n{(inspect.getdoc(value) or '').partition(chr(10))[2]}\n"))
    if traits:
        screen.print(Text(traits))
    given_by = parameters(value) if is_dataclass(value) else {}  # a plugin may have none
    screen.print(Text("parameters:" if given_by else "parameters: none"))
    allowed = choices(value.__class__) if given_by else {}
    for key, default in given_by.items():
        among = f" (one of {', '.join(map(repr, allowed[key]))})" if key in allowed else ""
        screen.print(Text(f"  {key} = {default!r}\n      {descriptions(value)[key]}{among}"))


def _describe_metric(metric: Metric) -> str:
    """What a metric is, and the parameters that tell it from others with the same sentence: ` (level=2)`."""
    alike = [other for other in METRICS.sound().values() if type(other) is type(metric)]
    kin = [other.parameters for other in alike if other.summary == metric.summary]
    differing = [key for key in metric.parameters if len({parameters[key] for parameters in kin}) > 1]
    telling = [f"{key}={metric.parameters[key]}" for key in differing if metric.parameters[key] != ""]
    return summary(metric) + (f" ({', '.join(telling)})" if telling else "")
