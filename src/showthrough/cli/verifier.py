"""Author verifiers: how good their answers are."""

from __future__ import annotations

import typer

from showthrough.cli import verifier_score

app = typer.Typer(help="Author verifiers: how good they are.", no_args_is_help=True, rich_markup_mode=None)
app.command("score")(verifier_score.command)


@app.callback()
def verifier() -> None:
    """A group also with one command, which typer would take for the group itself."""
