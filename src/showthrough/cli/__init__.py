"""The command line: one module a command; each only parses, calls a library function and prints."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from showthrough.cli import (
    anonymize,
    attack,
    cache,
    compare,
    convert,
    demo,
    evaluate,
    metrics,
    report,
    surrogate,
    validate,
    vocabulary,
)
from showthrough.errors import InputError, Interrupted, OutputError, ShowthroughError
from showthrough.version import __version__

BAD_INPUT = 2
FELL_SHORT = 1
INTERRUPTED = 130

app = typer.Typer(
    name="showthrough",
    help="How much still shows through in anonymized text, how much use is left, and which anonymizer is better.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
)
for module in (
    evaluate, compare, report, attack, validate, metrics, anonymize, demo, cache, convert, vocabulary, surrogate
):  # fmt: skip
    app.command(module.__name__.rpartition(".")[2])(module.command)

_debug = False


def _print_version(asked: bool) -> None:
    if asked:
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
    """The entry point: errors become lines on standard error and an exit status, never a traceback."""
    try:
        app()
    except ShowthroughError as error:
        if _debug:
            raise
        for line in str(error).splitlines():
            print(line, file=sys.stderr)
        sys.exit(exit_status(error))
    except BrokenPipeError:
        sys.stderr.close()  # the reader of a pipe left; there is nobody to tell
        sys.exit(FELL_SHORT)


def exit_status(error: ShowthroughError) -> int:
    if isinstance(error, Interrupted):
        return INTERRUPTED
    return BAD_INPUT if isinstance(error, InputError | OutputError) else FELL_SHORT
