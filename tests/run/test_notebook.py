"""The example notebook: its cells run in order, as plain Python, and give what is stored in it."""

from __future__ import annotations

import ast
import io
import json
import re
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from showthrough import METRICS

PATH = Path(__file__).resolve().parents[2] / "examples/notebook.ipynb"
NOTEBOOK = json.loads(PATH.read_text(encoding="utf-8"))
CELLS = [cell for cell in NOTEBOOK["cells"] if cell["cell_type"] == "code"]


def outputs(cell: dict[str, Any]) -> dict[str, str]:
    """What is stored below a cell, by its kind."""
    found = {}
    for output in cell["outputs"]:
        assert output["output_type"] in ("stream", "execute_result"), "a cell failed when it was executed"
        for kind, text in ({"stdout": output["text"]} if "text" in output else output["data"]).items():
            found[kind] = "".join(text)
    return found


def given(source: str, names: dict[str, Any]) -> dict[str, str]:
    """What a cell prints and what its last line shows, by its kind."""
    *body, last = ast.parse(source).body
    value, printed = None, io.StringIO()
    with redirect_stdout(printed):
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(body, []), PATH, "exec"), names)  # noqa: S102 (our own)
            value = eval(compile(ast.Expression(last.value), PATH, "eval"), names)  # noqa: S307 (our own)
        else:
            exec(compile(ast.Module([*body, last], []), PATH, "exec"), names)  # noqa: S102 (our own)
    shown = {"stdout": printed.getvalue(), "text/plain": "" if value is None else repr(value)}
    if hasattr(value, "_repr_html_"):
        shown["text/html"] = value._repr_html_()
    return {kind: text for kind, text in shown.items() if text}


def cells_of(html: str) -> list[str]:
    """What stands in the cells of a table: pandas wraps them differently from version to version."""
    return re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", html)


def test_the_notebook_gives_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        for cell in CELLS:
            stored, found = outputs(cell), given("".join(cell["source"]), names)
            assert stored.keys() == found.keys(), cell["id"]
            for kind, text in found.items():
                if "dataframe" in found.get("text/html", ""):
                    assert cells_of(stored["text/html"]) == cells_of(found["text/html"]) != [], cell["id"]
                else:
                    assert stored[kind] == text, f"{cell['id']}: execute the notebook anew"
    finally:
        METRICS.pop("kept", None)
    assert "</html>" in (tmp_path / "report.html").read_text("utf-8")


def test_it_was_executed_once_from_above() -> None:
    assert [cell["execution_count"] for cell in CELLS] == list(range(1, len(CELLS) + 1))


def test_it_shows_a_run_a_table_a_system_and_a_comparison() -> None:
    shown = [outputs(cell).get("text/plain", "") for cell in CELLS]
    for beginning in ("Run(corpus: 42 documents", "metric ", "ner on corpus", "corpus: 42 documents"):
        assert any(text.startswith(beginning) for text in shown), beginning


def test_it_is_small_and_tells_no_path() -> None:
    text = PATH.read_text(encoding="utf-8")
    assert len(text) < 60_000
    assert not re.findall(r"(?<![\w.$}<])/(?:home|root|tmp|work|Users|opt|var)/\S+|[A-Z]:\\\\\w+", text)
