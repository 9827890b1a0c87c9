"""`showthrough list`: what there is to choose from, also in packages that are installed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import is_dataclass
from typing import Annotated, Any, NamedTuple

import typer
from rich import box
from rich.table import Table as Columns
from rich.text import Text

from showthrough.cli import labels
from showthrough.cli.completion import kind_names, listed_names
from showthrough.cli.consoles import console
from showthrough.core.call_syntax import choices, descriptions, parameters
from showthrough.core.errors import PlanError, quote_value, suggest_name
from showthrough.core.plugins import Registry
from showthrough.data.types import NAMES
from showthrough.families.authorship.verifiers.table import LEARNERS as VERIFIER_LEARNERS, VERIFIERS
from showthrough.families.authorship.verifiers.trained import parse_verifier
from showthrough.families.inference._spec import ANSWERS, READER, RULES
from showthrough.families.reidentification.attacks import ATTACKS, approaches
from showthrough.formats import FORMATS, Format
from showthrough.formats.base import can
from showthrough.formats.registry import format_named
from showthrough.formats.samples import example
from showthrough.metrics import HEADLINE, METRICS, PRESETS, Metric, metric_text, parse_metric
from showthrough.models.chat.base import MODEL
from showthrough.models.detectors import DETECTORS, parse_detector
from showthrough.models.published import models_in, published_models
from showthrough.report.table import ARROWS
from showthrough.systems import ANONYMIZERS, anonymizer
from showthrough.systems.base import get_optional
from showthrough.systems.combined import Everywhere
from showthrough.systems.rules import Rules
from showthrough.systems.spec import EVERYWHERE
from showthrough.systems.taggers.learners.base import LEARNERS, learner_class


class Kind(NamedTuple):
    """Something that there are several of."""

    what: str
    show: Callable[[str | None], None]  # all of them, or the one of a name
    names: Iterable[str]


def command(
    kind: Annotated[
        str | None, typer.Argument(metavar="[KIND]", help="What to list.", autocompletion=kind_names)
    ] = None,
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="One of these, in full.", autocompletion=listed_names),
    ] = None,
) -> None:
    """Without KIND, the kinds are listed. With NAME, one entry is shown in full: what it is and what can be set."""
    if kind is None:
        width = max(map(len, KINDS))
        for key, listed in KINDS.items():
            typer.echo(f"{key.ljust(width)}  {listed.what}")
    elif kind in KINDS:
        KINDS[kind].show(name)
    else:
        there = f"{suggest_name(kind, KINDS)}there are: {', '.join(KINDS)}"
        raise PlanError(f"unknown kind {quote_value(kind)}; {there}", "list")


def _metrics(name: str | None) -> None:
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


def _attacks(name: str | None) -> None:
    if name is None:
        show_table(("attack", "version"), ATTACKS, lambda attack: (str(attack.version),))
        return
    for part in approaches(name)[0].parts:
        _show_entry(f"{part} (version {part.attack.version})", part.attack)


def _anonymizers(name: str | None) -> None:
    if name is None:
        show_table(("anonymizer", "version"), ANONYMIZERS, lambda anonymizer: (str(anonymizer.version),))
        console().print(Text("FOLDER/ is a model of showthrough train; a+b is what either finds"))
        console().print(Text("everywhere(a) is also every other occurrence of what a finds"))
        return
    chosen_system = Everywhere(Rules()) if name == EVERYWHERE else anonymizer(name)
    _show_entry(
        f"{name if name == EVERYWHERE else chosen_system.name} (version {chosen_system.version})", chosen_system
    )


def _systems(name: str | None) -> None:
    """Every system that can be named, then published models; with a name, what is known of it."""
    if name is not None:
        _describe_published(name)
        return
    show_table(("system", "needs"), ANONYMIZERS, lambda system: (get_optional(system, "needs", ""),))
    console().print(Text("FOLDER/ is a model of showthrough train; a+b is what either finds"))
    console().print(Text("everywhere(a) repeats what a finds; repair(a) also masks what an attacker still reads\n"))
    rows = [
        (model.system, model.licence or "not known", model.trained_on or "not said")
        for model in published_models()
        if model.system
    ]
    _show_rows(("published model", "licence of weights"), rows, "trained on")
    console().print(
        Text("hf:, gliner: and spacy: take any other model of their kind. Check a licence before you use weights.")
    )


def _describe_published(name: str) -> None:
    _anonymizers(name)
    for model_name, model in models_in(name):
        checksum = "as its page says" if model.checked else "not checked on its page"
        lines = [
            f"weights of {model_name}: {model.licence or 'licence not known'}",
            f"trained on: {model.trained_on or 'not said'} ({checksum})",
            *([f"source: {model.source}"] if model.source else []),
        ]
        console().print(Text("\n".join(lines)))


def _detectors(name: str | None) -> None:
    if name is None:
        show_table(("detector", "version"), DETECTORS, lambda detector: (str(detector.version),))
        return
    chosen_detector = parse_detector(name)
    _show_entry(f"{chosen_detector} (version {chosen_detector.detector.version})", chosen_detector.detector)


def _formats(name: str | None) -> None:
    if name is None:
        heads = ("format", "corpus", "system", "written")  # narrow, so that there is room for what it is
        show_table(heads, FORMATS, _can, lambda chosen: f"{chosen.description} ({', '.join(chosen.endings)})")
        console().print(Text("showthrough list formats NAME prints a sample"))
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
    table: Registry[Any],
    cells: Callable[[Any], Iterable[str]],
    describe: Callable[[Any], str] = summary,
) -> None:
    """Every entry: its name, some cells, and what it is; or why a package's entry cannot be used."""
    rows = []
    for name in table:
        if fault := table.fault(name):
            rows.append((name, *[""] * (len(heads) - 1), f"cannot be used: {fault}"))
        else:
            rows.append((name, *cells(table[name]), describe(table[name])))
    _show_rows(heads, rows)


def _show_rows(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]], last: str = "what it is") -> None:
    shown = Columns(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for head in heads:
        shown.add_column(head, no_wrap=True)
    shown.add_column(last)
    for row in rows:
        shown.add_row(*map(Text, row))
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


def _verifiers(name: str | None) -> None:
    if name is None:
        if len(VERIFIERS):
            show_table(("verifier", "version"), VERIFIERS, lambda verifier: (str(verifier.version),))
        else:
            console().print(Text("No installed package brings a verifier."))
        console().print(Text("FOLDER is a verifier that showthrough train verifier made; list learners shows how."))
        return
    verifier = parse_verifier(name)
    _show_entry(f"{verifier.name} (version {verifier.version})", verifier)


def _learners(name: str | None) -> None:
    """Learners of taggers, then those of verifiers."""
    groups: dict[str, Mapping[str, object]] = {
        "train tagger": {key: learner_class(key) for key in LEARNERS},
        "train verifier": VERIFIER_LEARNERS,
    }
    every = {(command, key): value for command, learners in groups.items() for key, value in learners.items()}
    chosen = {entry: value for entry, value in every.items() if name in (None, entry[1])}
    if not chosen:
        names = dict.fromkeys(key for _, key in every)
        raise PlanError(f"unknown learner {quote_value(name)}; there are: {', '.join(names)}")
    rows = [(key, f"{command} --learner {key}", summary(value)) for (command, key), value in chosen.items()]
    _show_rows(("learner", "how it is chosen"), rows)


def _choices(noun: str, written: Mapping[str, str]) -> tuple[Callable[[str | None], None], Iterable[str]]:
    """A listing of what is written in a metric's parameters, and is no entry of a table; and the names in it."""

    def show(name: str | None) -> None:
        rows = [(text, what) for text, what in written.items() if name is None or text.partition(":")[0] == name]
        if not rows:
            raise PlanError(f"unknown {noun} {quote_value(name)}; there are: {', '.join(written)}")
        _show_rows((noun,), rows)

    return show, written


_ATTACKERS = {
    READER: "Finds what can simply be read off the text. It needs no model.",
    f"{ANSWERS}FILE": "Answers that somebody recorded in a file.",
    f"{MODEL}MODEL[@URL]": "A language model, asked at URL. --send-text-to allows its host.",
}
_JUDGES = {
    RULES: "Fixed rules compare a guess with what is true. They need no model.",
    f"{ANSWERS}FILE": "Verdicts that somebody recorded in a file.",
    f"{MODEL}MODEL[@URL]": "A language model, asked where the rules say no.",
}
KINDS = {
    "metrics": Kind("Measure privacy and utility: evaluate -m NAME.", _metrics, METRICS),
    "formats": Kind("Hold corpora and anonymizations: --format NAME.", _formats, FORMATS),
    "anonymizers": Kind("Mask documents: --with NAME.", _anonymizers, ANONYMIZERS),
    "systems": Kind("Mask documents: what each needs, licences, training data.", _systems, ANONYMIZERS),
    "detectors": Kind("Find what looks like an identifier: scan --detector NAME.", _detectors, DETECTORS),
    "attacks": Kind("Search for the people of a text: attack --attacks NAME.", _attacks, ATTACKS),
    "labels": Kind("Name the types of what is marked, and how each identifies.", labels.show_labels, NAMES),
    "verifiers": Kind("Decide whether two texts have one author: --verifier NAME.", _verifiers, VERIFIERS),
    "learners": Kind("Learn from annotated documents: train tagger --learner NAME.", _learners, LEARNERS),
    "attackers": Kind('Guess what is true of people: attributes(attacker="NAME").', *_choices("attacker", _ATTACKERS)),
    "judges": Kind('Decide whether a guess is right: attributes(judge="NAME").', *_choices("judge", _JUDGES)),
}
