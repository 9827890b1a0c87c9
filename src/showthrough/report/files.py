"""A run as CSV, Markdown, LaTeX and JSON text, and the table of all views that are files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping

import msgspec

from showthrough.metrics import HEADLINE
from showthrough.report.cautions import cautions
from showthrough.report.escaping import in_latex, in_markdown, latex_label, latex_row, markdown_code, single_line
from showthrough.report.sheets.latex import latex_grid
from showthrough.report.sheets.markdown import markdown_block
from showthrough.report.slices import slice_grids
from showthrough.report.systems import cost_grid, grids
from showthrough.report.table import DASH, Cell, ScoreTable, documents_line, every_table, signatures
from showthrough.report.verdict import judge, state_words
from showthrough.run.gate.checking import Gate
from showthrough.run.records import Score
from showthrough.run.run import Run
from showthrough.storage.writing import guard_cell


def csv_text(run: Run) -> str:
    """One score a line, in full precision; references last."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    columns = Score.__struct_fields__[:-1]  # all but the note
    writer.writerow(columns)
    writer.writerows([_csv(getattr(score, column)) for column in columns] for score in run.scores)
    return out.getvalue()


def _csv(entry: str | float | None) -> str | float:
    """A cell of a table; text that a spreadsheet would take for a formula has an apostrophe before it.

    A line end or another control character in a name is written as its number, so that a score stays one line.

    >>> _csv("=1+1"), _csv("AGE"), _csv(-0.5), _csv(None), _csv("A\\rB")
    ("'=1+1", 'AGE', -0.5, '', 'A\\\\rB')
    """
    if isinstance(entry, str):
        return _CONTROL.sub(lambda match: ascii(match[0])[1:-1], guard_cell(entry))
    return "" if entry is None else entry


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def json_text(run: Run) -> str:
    """The scores alone, without rows, with what failed and what a reader must know; references last."""
    content = {
        "corpus": run.corpus,
        "anonymizations": run.anonymizations,
        "settings": run.settings,
        "cautions": cautions(run),
        "notes": run.notes,
        "references": [reference.name for reference in run.references],
        "scores": run.scores,
        "ceiling": run.ceiling,
        "sweeps": run.sweeps,
        "slices": list(run.slices.values()),
        "failures": run.failures,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def markdown_text(run: Run, gate: Gate | None = None) -> str:
    """The state of the release, tables as Markdown, best values in bold, how systems were made, what they cost."""
    notes = [*cautions(run), *run.notes]
    parts = [f"**{in_markdown(state_words(judge(run, gate)[0]))}**"]
    parts += ["\n".join(f"- note: {in_markdown(note)}" for note in notes)] if notes else []
    parts += [_markdown_table(table, run) for table in every_table(run)]
    for grid in [*slice_grids(run), *grids(run)]:
        parts += [f"**{in_markdown(grid.caption)}**", *markdown_block(grid)]
    parts += [f"- failed: {markdown_code(failure.metric)}: {in_markdown(failure.reason)}" for failure in run.failures]
    parts += ["\n".join(f"{markdown_code(line)}  " for line in signatures(run))]
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: ScoreTable, run: Run) -> str:
    heads = [
        " ".join(filter(None, (in_markdown(column.head), column.arrow, f"({column.group})")))
        for column in table.columns
    ]
    lines = [f"**{in_markdown(_title(table, run))}**", "", f"| | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for index, name in enumerate(table.names):
        head = in_markdown(name) if index < table.tested else f"*{in_markdown(name)}*"
        lines.append(f"| {head} | {' | '.join(_md_cell(column.cells[index]) for column in table.columns)} |")
    notes = [f"- {in_markdown(line)}" for line in (*table.explain_dashes(), *table.remarks())]
    return "\n".join([*lines, *([""] if notes else []), *notes])


def _md_cell(cell: Cell) -> str:
    value = f"**{cell.value}**" if cell.best else cell.value
    return f"{value} ({cell.interval})" if cell.interval else value


def _title(table: ScoreTable, run: Run) -> str:
    intervals = f"; {run.settings.confidence * 100:g} % intervals" if run.settings.resamples else ""
    return f"{documents_line(run)}{table.heading}{intervals}"


def latex_text(run: Run) -> str:
    """Tables for a paper: booktabs, groups over columns, best values in bold."""
    labels: list[str] = []
    parts = [
        "% needs \\usepackage{booktabs}\n",
        *(f"% note: {single_line(note)}\n" for note in (*cautions(run), *run.notes)),
    ]
    for table in every_table(run):
        labels.append(latex_label(table.title, labels))
        parts.append(_latex_table(table, run, labels[-1]))
    for grid in [*slice_grids(run), *filter(None, [cost_grid(run)])]:
        labels.append(latex_label(grid.caption, labels))
        parts.append(latex_grid(grid, labels[-1]))
    return "\n".join(parts)


def _latex_table(table: ScoreTable, run: Run, label: str) -> str:
    over = " & ".join(rf"\multicolumn{{{len(group)}}}{{c}}{{{name}}}" for name, group in table.groups())
    heads = " & ".join(f"{in_latex(column.head)}{_ARROW[column.better]}" for column in table.columns)
    lines = [r"\begin{table}", r"\centering", rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}", r"\toprule"]
    lines += [rf" & {over} \\", rf" & {heads} \\", r"\midrule"]
    for index, name in enumerate(table.names):
        cells = [column.cells[index] for column in table.columns]
        if index == table.tested:
            lines.append(r"\midrule")
        if index >= table.tested:
            lines.append(rf"\textit{{{in_latex(name)}}} & {' & '.join(map(_tex_value, cells))} \\")
            continue
        lines.append(rf"{latex_row(name)} & {' & '.join(map(_tex_value, cells))} \\")
        lines.append(rf" & {' & '.join(_tex_interval(cell) for cell in cells)} \\")
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{in_latex(_title(table, run))}}}"]
    lines += [rf"\label{{{label}}}", r"\end{table}"]
    lines += [f"% {single_line(line)}" for line in (*table.explain_dashes(), *table.remarks(), *signatures(run, table))]
    return "\n".join(lines) + "\n"


_ARROW = {"higher": r" $\uparrow$", "lower": r" $\downarrow$", "neither": ""}


def _tex_value(cell: Cell) -> str:
    value = cell.value.replace(DASH, "--")
    return rf"\textbf{{{value}}}" if cell.best else value


def _tex_interval(cell: Cell) -> str:
    return rf"{{\footnotesize {cell.interval.replace('–', '--')}}}" if cell.interval else ""


def tae_csv_text(run: Run, labels: Mapping[str, str]) -> str:
    """The table that the Text Anonymization Evaluator writes: metrics as rows, anonymizations as columns.

    References are left out: programs that read such a table know what columns to expect.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    time = _csv(run.provenance["time"].replace("T", " ")[:19])
    writer.writerow([time, "Metric/Anonymization", *map(_csv, run.names)])
    for label, text in labels.items():
        values = [tae_value(run, name, text) for name in run.names]
        writer.writerow([time, _csv(label), *(str(value) if isinstance(value, dict) else value for value in values)])
    return out.getvalue()


def tae_value(run: Run, name: str, text: str) -> float | dict[str, float | None] | None:
    """The number of a metric; of one that has none, those of its parts by name."""
    parts = run.parts(name, text)
    if HEADLINE in parts:
        return parts[HEADLINE].value
    return {part: score.value for part, score in parts.items()}


# One table has the views of a run as files. Each view is an option of `evaluate` and `report`.


class View(msgspec.Struct, frozen=True):
    """What the help says of it, and what makes its text of a run.

    A view that `shows_documents` is asked whether to leave every word of them out. The others never see one then. One
    that is `judged` says what follows for a release, and is given the gate that asks.
    """

    help: str
    make: Callable[..., str]
    shows_documents: bool = False
    judged: bool = False

    def text(self, run: Run, without_text: bool, gate: Gate | None = None) -> str:
        arguments = {"gate": gate} if self.judged else {}
        if self.shows_documents:
            return self.make(run, without_text=without_text, **arguments)
        return self.make(run.without_text() if without_text else run, **arguments)

    def is_private(self, run: Run, without_text: bool) -> bool:
        """Whether original text is in it, which is for its owner alone."""
        return self.shows_documents and run.texts is not None and not without_text


def _page(run: Run, *, without_text: bool, gate: Gate | None = None) -> str:
    from showthrough.report.html import html_text  # here: charts take a moment to import

    return html_text(run, without_text=without_text, gate=gate)


VIEWS: dict[str, View] = {
    "csv": View("Write all scores as CSV.", csv_text),
    "markdown": View("Write state and tables as Markdown.", markdown_text, judged=True),
    "latex": View("Write the tables as LaTeX (booktabs).", latex_text),
    "json": View("Write the scores alone as JSON.", json_text),
    "html": View("Write one page to look at, with the documents in it.", _page, shows_documents=True, judged=True),
}
