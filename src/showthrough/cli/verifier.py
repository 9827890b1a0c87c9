"""Who wrote texts: verifiers asked and judged by their answers, and one author named of several."""

from __future__ import annotations

import typer

from showthrough.cli import verifier_answer, verifier_attribute, verifier_score
from showthrough.cli.plain_values import Command

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
app.command("answer", cls=Command)(verifier_answer.command)
app.command("attribute", cls=Command)(verifier_attribute.command)
app.command("score", cls=Command)(verifier_score.command)
