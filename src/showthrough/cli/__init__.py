"""The command line: one module a command; each only parses, calls a library function and prints."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from showthrough.cli.former import use_current_spelling
from showthrough.cli.plain_values import Command, take_plain_values
from showthrough.cli.signals import BAD_INPUT, FELL_SHORT, INTERRUPTED, exit_on_signal, exit_status, stoppable
from showthrough.cli.streams import outlets
from showthrough.core.errors import LINE, QUOTED, PlanError, ShowthroughError, shorten
from showthrough.version import __version__

# By heading, in the order in which help lists them: a command, and its summary, which fits on one line.
_SUMMARIES = {
    "Evaluate": {
        "demo": "Score six systems on a small corpus that is included.",
        "evaluate": "Score anonymizations of a corpus, or systems (--with).",
        "compare": "Test which anonymizations are better by more than chance.",
        "check": "Check a run against limits: it passes, fails or is not sure.",
        "report": "Show a run again, or write it as HTML, CSV, LaTeX and more.",
        "attack": "Try to find the people in anonymized texts.",
        "stress": "Score systems on documents with typing errors and the like.",
        "site": "Show many runs as a site that others can look at.",
        "submit": "Check a run and write the file to hand in for such a site.",
    },
    "Inspect": {
        "validate": "Check files without scoring them, and list every problem.",
        "corpus": "Describe a corpus: documents, annotators, mentions by type.",
        "agreement": "Measure how far annotators agree, and where they do not.",
        "errors": "Show where anonymizations fail: leaks and needless masks.",
        "risk": "Describe the risks of a release, as far as a run shows them.",
        "scan": "Search released texts for what still looks like an identifier.",
        "list": "List metrics, formats, anonymizers and other choices.",
    },
    "Prepare": {
        "fetch": "Download a published corpus and check its digest.",
        "convert": "Convert a corpus from one format to another.",
        "split": "Divide a corpus into parts: train, dev and test.",
        "annotate": "Mark a corpus with systems: silver annotations to correct.",
        "apply": "Write the released texts: a corpus with masks applied.",
        "cache": "Show the stored answers of models, or clear them.",
    },
    "Systems": {
        "anonymize": "Anonymize a corpus with one or more systems.",
        "train": "Train an anonymizer or an author verifier.",
        "verifier": "Ask an author verifier, or score the answers of one.",
    },
    "People": {
        "review": "Have a second reader check the annotations of a corpus.",
        "adjudicate": "Merge annotators into one, by rules and by decisions.",
        "rate": "Have people rate what anonymizers wrote.",
    },
}
# A command is the function `command` in the module of its name, or one of these.
_ELSEWHERE = {"train": "train:app", "rate": "rate:app", "verifier": "verifier:app", "list": "listings:command"}
_COMMANDS = {name: summary for summaries in _SUMMARIES.values() for name, summary in summaries.items()}

_UsageError: type[Exception] = typer.BadParameter.__mro__[1]  # which typer has elsewhere in each of its versions


class _Commands(Mapping[str, Any]):
    """Commands by name. Each is imported when it is called or its help is asked for: all take most of a second."""

    def __init__(self) -> None:
        self._imported: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        with exit_on_signal():
            self._import(name)
        return self._imported[name]

    def _import(self, name: str) -> None:
        if name not in self._imported:
            module, _, attribute = _ELSEWHERE.get(name, f"{name}:command").partition(":")
            parent = typer.Typer(rich_markup_mode=None)
            entry = getattr(import_module(f"{__name__}.{module}"), attribute)
            if isinstance(entry, typer.Typer):
                parent.add_typer(entry, name=name, help=_COMMANDS[name])
            else:
                parent.command(name, cls=_Command, help=f"{_COMMANDS[name]}\n\n{inspect.getdoc(entry) or ''}")(entry)
            self._imported[name] = get_group(parent).commands[name]
            self._imported[name].headings = getattr(entry, "headings", {})

    def get(self, name: str, default: Any = None) -> Any:
        """As usual, but a KeyError while a command is imported is its own, and not that there is none."""
        return self[name] if name in _COMMANDS else default

    def __contains__(self, name: object) -> bool:
        return name in _COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Command(Command):
    headings: Mapping[str, Sequence[str]] = {}  # names of options by heading; those of no heading come last

    def get_params(self, context: Any) -> Any:
        return take_plain_values(super().get_params(context))

    def format_options(self, context: Any, formatter: Any) -> None:
        if not self.headings:
            super().format_options(context, formatter)
            return
        headings = {name: heading for heading, names in self.headings.items() for name in names}
        rows: dict[str, dict[str, Any]] = {heading: {} for heading in ("Arguments", *self.headings)}
        for parameter in self.get_params(context):
            is_argument = parameter.param_type_name == "argument"
            heading = "Arguments" if is_argument else headings.get(parameter.name, [*rows][-1])
            if record := parameter.get_help_record(context):
                rows[heading][parameter.name] = record
        for heading, records in rows.items():
            order = self.headings.get(heading, ())
            with formatter.section(heading):
                formatter.write_dl([*(records.pop(name) for name in order if name in records), *records.values()])


class _Group(TyperGroup):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands: Any = _Commands()

    def make_context(self, *args: Any, **settings: Any) -> Any:
        with _shorten_errors():
            return super().make_context(*args, **settings)

    def invoke(self, *args: Any) -> Any:
        with _shorten_errors():
            return super().invoke(*args)

    def get_params(self, context: Any) -> Any:
        return take_plain_values(super().get_params(context))

    def list_commands(self, _: object) -> list[str]:
        return list(self.commands)

    def resolve_command(self, context: Any, arguments: list[str]) -> Any:
        return super().resolve_command(
            context, arguments if context.resilient_parsing else use_current_spelling(arguments)
        )

    def format_options(self, context: Any, formatter: Any) -> None:
        """Commands by heading, from the table above: help imports no command. Options come last, in one line."""
        width = max(map(len, _COMMANDS))
        for heading, summaries in _SUMMARIES.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), summary) for name, summary in summaries.items()])
        flags = [flag for parameter in self.get_params(context) for flag in sorted(parameter.opts, key=len)]
        with formatter.section("Options"):
            formatter.write_text(", ".join(flags))


@contextmanager
def _shorten_errors() -> Iterator[None]:
    """What typer finds wrong with a command, without all of an argument that is long."""
    try:
        yield
    except _UsageError as error:
        error.message = _in_short(error.message)  # type: ignore[attr-defined]
        raise


def _in_short(message: str) -> str:
    parts = {
        part
        for argument in sys.argv[1:]
        for part in (argument, argument[2:], *argument.split("=", 1))
        if len(part) > QUOTED
    }
    for part in sorted(parts, key=len, reverse=True):
        message = message.replace(repr(part)[1:-1], shorten(part)).replace(part, shorten(part))
    return shorten(message, LINE)


app = typer.Typer(
    name="showthrough",
    cls=_Group,
    help="Measure what still shows through in anonymized text, and what use is left.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_debug = False


def _print_version(requested: bool) -> None:
    if requested:
        typer.echo(f"showthrough {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and leave.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    global _debug
    _debug = debug


def main() -> None:
    """The entry point: errors become lines on standard error and an exit status, never a traceback.

    A reader of standard output who leaves early ends nothing and is no error. If output cannot be written for another
    reason, the program says so at the end.
    """
    with outlets() as out:
        with stoppable():
            status = _status()
        sys.stdout.flush()
        if out and out.fault and not out.reader_left:
            print(f"standard output: cannot be written: {out.fault.strerror}", file=sys.stderr)
            status = status or BAD_INPUT
    sys.exit(status)


def _status() -> int:
    try:
        _check_arguments()
        app()
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except ShowthroughError as error:
        if _debug:
            raise
        for line in str(error).splitlines():
            print(line, file=sys.stderr)
        return exit_status(error)
    except OSError as error:
        # Each file is checked where it is used. This is for a name that no file can have, such as one that is too long.
        if _debug or not isinstance(error.filename, str | bytes):
            raise
        print(f"{shorten(os.fsdecode(error.filename))}: cannot be used: {error.strerror}", file=sys.stderr)
        return BAD_INPUT
    except MemoryError:
        if _debug:
            raise
        print("memory ran out; smaller files or fewer of them need less", file=sys.stderr)
        return FELL_SHORT
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


def _check_arguments() -> None:
    """Raises PlanError for what is no UTF-8: a run names the files it was made from, and could not be written."""
    for argument in sys.argv[1:]:
        try:
            argument.encode()
        except UnicodeEncodeError:
            raise PlanError("is not UTF-8; expected names of files and all else in UTF-8", argument) from None
