"""The example notebooks: their cells run in order, as plain Python, and give what is stored in them."""

from __future__ import annotations

import ast
import io
import json
import os
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from showthrough import METRICS

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BOOKS = {path.stem: path for path in (EXAMPLES / "notebook.ipynb", *sorted(EXAMPLES.glob("notebooks/*.ipynb")))}
LIMITS = {"notebook": (60_000, 40)}  # characters and cells; of the others below
SMALL = (30_000, 12)


def book_of(name: str) -> dict[str, Any]:
    return json.loads(BOOKS[name].read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def cells_in(book: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in book["cells"] if cell["cell_type"] == "code"]


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
            exec(compile(ast.Module(body, []), "cell", "exec"), names)  # noqa: S102 (our own)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 (our own)
        else:
            exec(compile(ast.Module([*body, last], []), "cell", "exec"), names)  # noqa: S102 (our own)
    shown = {"stdout": printed.getvalue(), "text/plain": "" if value is None else repr(value)}
    if hasattr(value, "_repr_html_"):
        shown["text/html"] = value._repr_html_()
    return {kind: text for kind, text in shown.items() if text}


def cells_of(html: str) -> list[str]:
    """What stands in the cells of a table: pandas wraps them differently from version to version."""
    return re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", html)


def executed(book: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    """Each cell with what it gives, run in order."""
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        for cell in cells_in(book):
            yield cell, given("".join(cell["source"]), names)
    finally:
        METRICS.pop("kept", None)


def write(name: str) -> None:
    """Executes a notebook and stores what it gives: `NOTEBOOKS=write pytest tests/run/test_notebook.py`."""
    book = book_of(name)
    for number, (cell, found) in enumerate(executed(book), start=1):
        cell["execution_count"], cell["outputs"] = number, []
        if printed := found.pop("stdout", ""):
            lines = printed.splitlines(keepends=True)
            cell["outputs"].append({"name": "stdout", "output_type": "stream", "text": lines})
        if found:
            data = {kind: text.splitlines(keepends=True) for kind, text in sorted(found.items())}
            result = {"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"}
            cell["outputs"].append(result)
    BOOKS[name].write_text(json.dumps(book, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@pytest.mark.parametrize("name", BOOKS)
def test_a_notebook_gives_what_it_shows(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "notebook":
        pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    if os.environ.get("NOTEBOOKS") == "write":
        write(name)
        pytest.skip("it was written")
    for cell, found in executed(book_of(name)):
        stored = outputs(cell)
        assert stored.keys() == found.keys(), cell["id"]
        for kind, text in found.items():
            if "dataframe" in found.get("text/html", ""):
                assert cells_of(stored["text/html"]) == cells_of(found["text/html"]) != [], cell["id"]
            else:
                assert stored[kind] == text, f"{cell['id']}: execute the notebook anew"
    assert name != "notebook" or "</html>" in (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("name", BOOKS)
def test_it_was_executed_once_from_above(name: str) -> None:
    cells = cells_in(book_of(name))
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))


def test_it_shows_a_run_a_table_a_system_and_a_comparison() -> None:
    shown = [outputs(cell).get("text/plain", "") for cell in cells_in(book_of("notebook"))]
    for beginning in ("Run(corpus: 42 documents", "metric ", "ner on corpus", "corpus: 42 documents"):
        assert any(text.startswith(beginning) for text in shown), beginning


@pytest.mark.parametrize("name", BOOKS)
def test_it_is_small_and_tells_no_path(name: str) -> None:
    text = BOOKS[name].read_text(encoding="utf-8")
    characters, cells = LIMITS.get(name, SMALL)
    assert len(text) < characters
    assert len(book_of(name)["cells"]) <= cells
    assert not re.findall(r"(?<![\w.$}<])/(?:home|root|tmp|work|Users|opt|var)/\S+|[A-Z]:\\\\\w+", text)


def test_there_is_a_notebook_for_every_reader() -> None:
    assert BOOKS.keys() == {"notebook", "hospital", "court", "researcher", "presidio", "llm-logs"}
    for name in BOOKS.keys() - {"notebook"}:
        guides = re.findall(r"\((\.\./\.\./docs/guides/[\w-]+\.md)\)", BOOKS[name].read_text(encoding="utf-8"))
        assert guides, name
        assert all((EXAMPLES / "notebooks" / guide).is_file() for guide in guides)
