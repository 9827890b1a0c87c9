"""Training: a command for each kind of model."""

from __future__ import annotations

import typer

from showthrough.cli import train_tagger, train_transformer, verifier_train
from showthrough.cli.plain_values import Command

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.command("tagger", cls=Command)(train_tagger.command)
app.command("transformer", cls=Command)(train_transformer.command)
app.command("verifier", cls=Command)(verifier_train.command)
