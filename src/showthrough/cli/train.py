"""Training anonymizers: a command for each kind of model."""

from __future__ import annotations

import typer

from showthrough.cli import train_tagger, train_transformer

app = typer.Typer(help="Train an anonymizer on annotated documents.", no_args_is_help=True, rich_markup_mode=None)
app.command("tagger")(train_tagger.command)
app.command("transformer")(train_transformer.command)
