"""Names, types, ids and words from files reach no terminal, spreadsheet, paper or page as anything but text."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from showthrough.report import tae_csv_text
from showthrough.report.terminal import PlainConsole, show_comparisons, show_run
from showthrough.run.records import Failure
from showthrough.run.run import Run
from showthrough.storage.safe_xml import NOT_XML

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202egnp.exe\u2066\r\x00\ufffe"
SHEET = '=HYPERLINK("http://example.org","open")'
PAPER = "x\n\\input{/etc/passwd}\r\u2028% $ & #"
PAGE = "y`z\n\n# owned\n\n| a | b |\n``<script>alert(1)</script>"
HOSTILE = (ESCAPES, SHEET, PAPER, PAGE)
STYLES = re.compile(r"\x1b\[[0-9;]*m")


def test_a_name_is_no_picture() -> None:
    """`cmd:cat: 3 masks` is what a program called cat found."""
    out = io.StringIO()
    PlainConsole(file=out).print("cmd:cat: 3 masks", markup=False)
    assert out.getvalue() == "cmd:cat: 3 masks\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A corpus whose ids and types are all hostile."""
    monkeypatch.chdir(tmp_path)
    documents, masks, known = [], {}, {}
    for number, name in enumerate((*HOSTILE, "sound")):
        person = f"Person{number}"
        text = f"{person} the {'abcde'[number]}{ESCAPES}smith met {person}."
        mentions = [
            {"start_offset": 0, "end_offset": 7, "entity_type": name, "identifier_type": "DIRECT"},
            {"start_offset": len(text) - 8, "end_offset": len(text) - 1, "entity_type": "LOC",
             "identifier_type": "QUASI"},
        ]  # fmt: skip
        documents.append({"doc_id": name, "text": text, "annotations": {ESCAPES: {"entity_mentions": mentions}}})
        masks[name] = [[0, 7, None, name]]
        known[name] = f"{person} was a {'abcde'[number]}{ESCAPES}smith."
    for name, content in {"corpus": documents, "masks": masks, "known": known}.items():
        Path(f"{name}.json").write_text(json.dumps(content))
    Path("open.json").write_text(json.dumps({key: [] for key in masks}))


PLAN = {"corpus": "corpus.json", "metrics": ["preset:light", "recall_per_type", "trir"], "background": "known.json"}


def plan() -> str:
    """A plan in which anonymizations have hostile names."""
    names = dict.fromkeys(HOSTILE, "masks.json") | {"open": "open.json"}
    lines = [f"{key} = {json.dumps(value)}" for key, value in PLAN.items()]
    lines += ["[anonymizations]", *(f"{json.dumps(name)} = {json.dumps(path)}" for name, path in names.items())]
    Path("plan.toml").write_text("\n".join(lines))
    return "plan.toml"


@pytest.fixture
def run(evaluated: Any) -> Run:
    evaluated(plan(), "--resamples", "20", "-o", "run.json")
    return Run.load("run.json")


def clean(text: str) -> None:
    assert text
    assert {found for found in text if not found.isprintable()} <= {"\n"}


@pytest.mark.parametrize(
    "command",
    [
        ("evaluate", "plan.toml", "--resamples", "20"),
        ("report", "run.json"),
        ("report", "run.json", "--csv", "\x1b.csv"),
        ("compare", "run.json", "--shuffles", "99"),
        ("compare", "run.json", "-m", "recall_per_type", "--shuffles", "99"),
        ("attack", "--background", "known.json", "--corpus", "corpus.json", "--explain", "3", "a\x1b[1m=masks.json"),
        ("corpus", "--vocabulary", "corpus.json", "--map", "LOC=A\x1b[1m", "a\x1b[1m=masks.json"),
        ("validate", "corpus.json", "masks.json"),
        ("validate", "plan.toml"),
        ("evaluate", "corpus.json", "a\x1b[1m=masks.json", "-m", "phi_token", "--resamples", "20"),
    ],
)
def test_terminal(command: tuple[str, ...], run: Run, cli: Any) -> None:
    outcome = cli(*command)
    assert outcome.status == 0, outcome.err
    clean(outcome.out)
    assert not outcome.err or clean(outcome.err) is None


def test_the_matrix(cli: Any) -> None:
    names = ("a\x1b[1m=masks.json", "b\x1b[1m=masks.json")
    assert cli("evaluate", "corpus.json", *names, "-m", "phi_token", "-o", "run.json", "--resamples", "0").status == 0
    outcome = cli("compare", "run.json", "--matrix", "--shuffles", "9")
    clean(outcome.out)
    assert "a\\x1b[1m" in outcome.out


def test_a_terminal_with_colours(run: Run) -> None:
    """What is left without the styles is plain, and no name is cut off."""
    out = io.StringIO()
    console = PlainConsole(file=out, force_terminal=True, width=2000, color_system="truecolor")
    show_run(run, console)
    show_comparisons(run, run.compare(shuffles=9), 0.05, console)
    console.print(f"[bold]{ESCAPES}[/bold]", markup=False)
    assert STYLES.search(out.getvalue())
    clean(STYLES.sub("", out.getvalue()))
    assert "\\x1b]0;owned\\x07\\x1b[2J\\x9b31m\\u202egnp.exe\\u2066\\r\\x00\\ufffe" in out.getvalue()


def test_spreadsheet(run: Run, cli: Any) -> None:
    assert cli("report", "run.json", "--csv", "scores.csv").status == 0
    content = Path("scores.csv").read_bytes().decode()
    rows = list(csv.reader(io.StringIO(content, newline="")))
    assert content.count("\n") == 1 + len(run.scores)  # one a line
    clean(content.replace("\u202e", "").replace("\u2066", "").replace("\ufffe", ""))
    cells = {cell for row in rows[1:] for place, cell in enumerate(row) if place not in (3, 4, 5)}
    assert f"'{SHEET}" in cells
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r"))]
    for row in rows[1:]:
        for value in filter(None, row[3:6]):
            float(value)  # a number stays one, below 0 too
    table = list(csv.reader(io.StringIO(tae_csv_text(run, {SHEET: "er_di", "-x": "recall"}), newline="")))
    assert table[0][3] == f"'{SHEET}"
    assert [row[1] for row in table[1:]] == [f"'{SHEET}", "'-x"]


def test_paper(run: Run, cli: Any) -> None:
    assert cli("report", "run.json", "--latex", "tables.tex").status == 0
    lines = Path("tables.tex").read_text().split("\n")
    clean("".join(lines))
    commands = re.compile(r"\\(?:input|textbackslash\{\}input)")
    found = [line for line in lines if commands.search(line)]
    assert any(line.startswith("%") for line in found)
    assert not [line for line in found if "\\input" in line and not line.startswith("%")]
    for line in lines:
        if not line.startswith("%"):
            assert not re.search(r"(?<!\\)[%#]", line)


def test_page_of_markdown(run: Run, cli: Any) -> None:
    """A reader of Markdown sees our tables, and code, and nothing else."""
    run.failures.append(Failure(PAGE, PAGE))
    run.notes.append(PAGE)
    run.save("run.json", force=True)
    assert cli("report", "run.json", "--markdown", "tables.md").status == 0
    tokens = MarkdownIt("commonmark").enable("table").parse(Path("tables.md").read_text())
    kinds = {token.type.removesuffix("_open").removesuffix("_close") for token in tokens}
    assert kinds == {
        "paragraph", "inline", "table", "thead", "tbody", "tr", "th", "td", "bullet_list", "list_item",
    }  # fmt: skip
    inside = {child.type for token in tokens for child in token.children or ()}
    assert inside <= {"text", "strong_open", "strong_close", "em_open", "em_close", "code_inline", "softbreak",
                      "hardbreak", "text_special", "entity"}  # fmt: skip
    for line in Path("tables.md").read_text().split("\n"):
        clean(line or " ")


@pytest.mark.parametrize("kind", ["A\x01", "A\x00", "A\ufffe", "A\uffff", "A\x1b[1m"])
def test_figures(kind: str, cli: Any) -> None:
    corpus = json.loads(Path("corpus.json").read_text())[:1]
    corpus[0]["annotations"][ESCAPES]["entity_mentions"][0]["entity_type"] = kind
    Path("corpus.json").write_text(json.dumps(corpus))
    Path("masks.json").write_text(json.dumps({corpus[0]["doc_id"]: []}))
    command = ("evaluate", "corpus.json", "a=masks.json", "-m", "recall_per_type", "--plots", "figures")
    assert cli(*command, "--resamples", "0").status == 0
    drawing = Path("figures/recall_per_type.svg").read_text()
    assert not NOT_XML.search(drawing)
    assert ascii(kind)[1:-1] in drawing
