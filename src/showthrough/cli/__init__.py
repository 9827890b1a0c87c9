"""The command line: one module a command; each only parses, calls a library function and prints."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from showthrough.cli.exit_codes import BAD_INPUT, FELL_SHORT, INTERRUPTED, exit_status
from showthrough.cli.plain_values import take_plain_values
from showthrough.cli.signals import exit_on_signal, stoppable
from showthrough.cli.streams import outlets
from showthrough.core.errors import LINE, QUOTED, PlanError, ShowthroughError, shorten
from showthrough.version import __version__

# In the order in which help lists them: a module, and what in it is the command or holds several.
_COMMANDS = {
    **{name: f"{name}:command" for name in (
        "evaluate", "compare", "report", "attack", "validate", "anonymize", "demo", "cache", "convert", "vocabulary",
        "surrogate", "labels", "scan", "annotate", "apply", "check",
        "corpus", "agreement", "errors", "review", "fetch", "bench", "risk",
    )},
    **{name: f"listings:{name}" for name in ("metrics", "formats", "attacks", "anonymizers", "detectors")},
    **{name: f"{name}:app" for name in ("train", "rate", "verifier")},
}  # fmt: skip

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
            module, _, attribute = _COMMANDS[name].partition(":")
            parent = typer.Typer(rich_markup_mode=None)
            entry = getattr(import_module(f"{__name__}.{module}"), attribute)
            if isinstance(entry, typer.Typer):
                parent.add_typer(entry, name=name)
            else:
                parent.command(name, cls=_Command)(entry)
            self._imported[name] = get_group(parent).commands[name]

    def get(self, name: str, default: Any = None) -> Any:
        """As usual, but a KeyError while a command is imported is its own, and not that there is none."""
        return self[name] if name in _COMMANDS else default

    def __contains__(self, name: object) -> bool:
        return name in _COMMANDS

    def __iter__(self) -> Iterator[str]:
        return iter(_COMMANDS)

    def __len__(self) -> int:
        return len(_COMMANDS)


class _Command(TyperCommand):
    def get_params(self, context: Any) -> Any:
        return take_plain_values(super().get_params(context))


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
    help="How much still shows through in anonymized text, how much use is left, and which anonymizer is better.",
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

    A reader of standard output who leaves early ends nothing and is no error. Output that cannot be written for another
    reason is told when all else is done.
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
