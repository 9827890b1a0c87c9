"""The vocabulary analysis on the terminal and as JSON."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from showthrough.core.errors import printable
from showthrough.families.clinical.vocabulary import ALL, Analysis, Difficulty, Share
from showthrough.metrics import HEADLINE
from showthrough.report.table import DASH, Cell
from showthrough.report.terminal import bare_table
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run

_HEADS = ("out of vocabulary", "ambiguous in record", "ambiguous in corpus")
_MEDICAL = "of these medical"
_HARD = {"oov": "out of vocabulary", "ambiguous": "ambiguous", "ambiguous_non_phi": "ambiguous with non-PHI"}


def show_analysis(analyses: Mapping[str, Analysis], console: Console) -> None:
    """Tables 2 to 5 of the paper: instances, tokens, and the words that categories share, of one corpus or several."""
    first = next(iter(analyses.values()))
    lists = f"words of {first.dictionary}" + (f", medical terms of {first.medical}" if first.medical else "")
    for noun in ("instances", "tokens"):
        by_corpus = {name: getattr(analysis, noun) for name, analysis in analyses.items()}
        console.print()
        console.print(Text(f"{' and '.join(analyses)}: PHI {noun} that are hard to tell; {lists}", "bold"))
        console.print(_difficulties(noun, by_corpus))
    if not first.medical:
        console.print()
        hint = "--medical FILE shows how many of the ambiguous ones are ambiguous with medical terms"
        console.print(hint, markup=False)
    for name, analysis in analyses.items():
        if analysis.shared:
            console.print()
            of_corpus = f"{name}: " if len(analyses) > 1 else ""
            heading = f"{of_corpus}tokens of the row whose word also occurs as the column (%)"
            console.print(Text(heading, "bold"))
            console.print(_matrix(analysis.shared))
    console.print()


def _difficulties(noun: str, by_corpus: Mapping[str, Mapping[str, Difficulty]]) -> Table:
    """A row for each category; of several corpora, one for each of them under it."""
    several = len(by_corpus) > 1
    medical = any(rows[ALL].medical is not None for rows in by_corpus.values())
    heads = ("corpus", noun) if several else (noun,)
    table = bare_table(*heads, *_HEADS, *((_MEDICAL,) if medical else ()))
    if several:
        table.columns[1].justify = "left"
    for category in dict.fromkeys(name for rows in by_corpus.values() for name in rows):
        for number, (corpus, rows) in enumerate(by_corpus.items()):
            label = Text("" if number else printable(category))
            beside = [Text(printable(corpus))] if several else []
            if category in rows:
                table.add_row(label, *beside, *_cells(rows[category]))
            else:
                table.add_row(label, *beside, DASH)
    return table


def _cells(row: Difficulty) -> list[str]:
    """How many, and how many of these are hard."""
    shares = (row.out_of_vocabulary, row.ambiguous_in_record, row.ambiguous_in_corpus, row.medical)
    hard = [
        f"{share.count} ({DASH if share.value is None else f'{100 * share.value:.1f} %'})" for share in shares if share
    ]
    return [str(row.out_of_vocabulary.total), *hard]


def _matrix(shared: Mapping[str, Mapping[str, Share]]) -> Table:
    # Long names would make the matrix too wide to read; a number leads back to the row.
    table = bare_table(*(str(number) for number, _ in enumerate(shared, 1)))
    for number, (name, row) in enumerate(shared.items(), 1):
        table.add_row(Text(f"{number} {printable(name)}"), *(_cell(row.get(other)) for other in shared))
    return table


def _cell(share: Share | None) -> str:
    if share is None:
        return "·"
    if not share.count:
        return "0" if share.total else DASH
    return f"{100 * (share.value or 0):.1f}"


def show_hard(run: Run, console: Console) -> None:
    """P, R and F of every system on hard tokens (Figure 7 of the paper)."""
    console.print(Text(f"{run.corpus.name}: P, R and F, token by token", "bold"))
    table = bare_table("", "P", "R", "F", "interval of F")
    table.columns[1].justify = "left"
    for name in run.names:
        for record in find_metrics(run, "F, P and R"):
            tokens = _HARD.get(str(record.parameters.get("hard")), "all tokens")
            scores = run.parts(name, record.text)
            cells = [Cell(scores.get(part)) for part in ("P", "R", HEADLINE)]
            table.add_row(Text(printable(name)), tokens, *(cell.value for cell in cells), cells[-1].interval)
    console.print(table)


def json_of(analysis: Analysis, against: Analysis | None, run: Run | None) -> bytes:
    content = {"analysis": analysis, "against": against, "scores": run.scores if run else []}
    return msgspec.json.format(msgspec.json.encode(content), indent=1)
