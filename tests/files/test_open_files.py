"""Files that stay open while something reads from them: closed with it, whoever frees it."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import read_corpus
from showthrough.models.word_vectors import word_vectors


def lines(folder: Path) -> Any:
    (folder / "a.jsonl").write_text('{"id": "a", "text": "Ann"}\n{"id": "b", "text": "Ben"}\n')
    corpus = read_corpus(folder / "a.jsonl")
    assert [document.id for document in corpus.documents] == ["a", "b"]
    return corpus


def vectors(folder: Path) -> Any:
    (folder / "v.txt").write_text("ann 0.5 0.25\nben 0.25 0.5\n")
    source = word_vectors(str(folder / "v.txt"))
    source.of(["ann"])
    return source


@pytest.mark.parametrize("reader", [lines, vectors])
def test_a_file_is_closed_where_the_collector_frees_its_reader(reader: Callable[[Path], Any], tmp_path: Path) -> None:
    """The collector frees the members of a cycle in any order, so the file may come before its reader."""
    cycle: list[Any] = [reader(tmp_path)]
    cycle.append(cycle)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        del cycle
        gc.collect()
    assert [str(warning.message) for warning in seen if warning.category is ResourceWarning] == []
