"""Author verifiers: trained, asked, and judged by their answers."""

from __future__ import annotations

import typer

from showthrough.cli import verifier_answer, verifier_score, verifier_train

app = typer.Typer(
    help="Author verifiers: train one, ask it, and tell how good answers are.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.command("train")(verifier_train.command)
app.command("answer")(verifier_answer.command)
app.command("score")(verifier_score.command)
