"""The command line: one module a command; each only parses, calls a library function and prints."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer

from showthrough.cli import lists, rate, train, verifier
from showthrough.cli.statuses import BAD_INPUT, FELL_SHORT, INTERRUPTED, exit_status
from showthrough.cli.stopping import stoppable
from showthrough.cli.streams import outlets
from showthrough.errors import PlanError, ShowthroughError
from showthrough.version import __version__

app = typer.Typer(
    name="showthrough",
    help="How much still shows through in anonymized text, how much use is left, and which anonymizer is better.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for name in (
    "evaluate", "compare", "report", "attack", "validate", "anonymize", "demo", "cache", "convert", "vocabulary",
    "surrogate", "labels", "scan", "annotate", "apply", "check",
    "corpus", "agreement", "errors", "review", "fetch", "bench", "risk",
):  # fmt: skip
    app.command(name)(import_module(f"{__name__}.{name}").command)
app.add_typer(train.app, name="train")
app.add_typer(rate.app, name="rate")
app.add_typer(verifier.app, name="verifier")
for listing in (lists.metrics, lists.formats, lists.attacks, lists.anonymizers, lists.detectors):
    app.command(listing.__name__)(listing)

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
    """The entry point: errors become lines on standard error and an exit status, never a traceback.

    A reader of standard output who leaves early ends nothing and is no error. Output that cannot be written for another
    reason is told when all else is done.
    """
    with outlets() as out:
        with stoppable():
            status = _status()
        sys.stdout.flush()
        if out and out.fault and not out.left:
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
