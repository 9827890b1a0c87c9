"""A long file read in stretches, by this process or by workers: what is found never hangs on where it is cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from showthrough import Corpus, Document, InputError
from showthrough.engines.base import Engine
from showthrough.formats import _parallel_lines, records
from showthrough.formats.annotation_tools.line_index import GrowingLines
from showthrough.formats.base import Input
from showthrough.formats.benchmarks import tab
from showthrough.formats.lines import LineDocuments
from showthrough.storage.file_heads import Head
from working import Elsewhere

SAFE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)


@pytest.fixture(autouse=True)
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stretches of some bytes."""
    monkeypatch.setattr(_parallel_lines, "_LEAST", 7)


def read(path: Path, step: int, engine: Engine | None = None, reader: Any = tab.read_lines) -> tuple[Any, ...]:
    """All that reading a file gives, or what is wrong with it."""
    file = Input(Head(path), engine=engine)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_parallel_lines, "STRETCH", step)
        try:
            documents = reader(file)
            survey = Corpus(documents, source=str(path)).survey
        except InputError as error:
            return ("wrong", *map(str, error.problems))
    assert isinstance(documents, LineDocuments)
    assert survey is documents.find_survey()
    told = Corpus(list(documents)).survey
    assert (list(survey.ids), survey.lengths.tolist(), survey.digest) == (
        *(list(told.ids), told.lengths.tolist(), told.digest),
    )
    return list(documents), survey.digest, survey.marked, file.remarks.notes


GOOD = st.fixed_dictionaries({"text": st.text(alphabet="aé\n", min_size=1, max_size=9)}, optional={"odd": st.just(1)})
BLANK = st.sampled_from(["", " ", "\t", "\f"])
BAD = st.sampled_from(
    ["{", '{"doc_id": "q"}', '{"doc_id": "q", "text": ""}', '{"doc_id": "0", "text": "twice"}', "[1]"]
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    lines = []
    for number in range(draw(st.integers(1, 12))):
        kind = draw(st.integers(0, 19))
        if kind > 3 or not number:
            record = {"doc_id": str(number), **draw(GOOD)}
            lines.append(json.dumps(record, ensure_ascii=kind % 2 == 0))
        else:
            lines.append(draw(BLANK if kind else BAD))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    mark = draw(st.sampled_from([b"", b"\xef\xbb\xbf"]))
    return mark + (end.join(lines) + draw(st.sampled_from(["", end]))).encode()


@SAFE
@given(content=files(), step=st.integers(1, 90))
def test_wherever_a_file_is_cut(tmp_path: Path, content: bytes, step: int) -> None:
    path = tmp_path / "c.jsonl"
    path.write_bytes(content)
    whole = read(path, 1 << 20)
    assert read(path, step) == whole
    assert read(path, step, Elsewhere()) == whole


@pytest.mark.parametrize("step", [5, 20, 33, 400])
def test_documents_without_ids_are_numbered_in_their_file(tmp_path: Path, step: int) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text("\n\n".join(json.dumps({"text": f"text {number}"}) for number in range(20)))
    documents, _, _, notes = read(path, step, Elsewhere(), records.read_corpus)
    assert documents == [Document(str(number + 1), f"text {number}") for number in range(20)]
    assert notes == ("its documents have no ids: they are numbered, from 1 on",)
    # Where only later ones have none, nobody could know beforehand.
    path.write_text('{"id": "a", "text": "x"}\n\n{"text": "y"}\n{"id": "b", "text": "z"}\n{"text": "v"}\n')
    documents, *_ = read(path, step, Elsewhere(), records.read_corpus)
    assert [one.id for one in documents] == ["a", "2", "b", "4"]


@pytest.mark.parametrize("engine", [None, Elsewhere()])
def test_a_line_that_is_too_long_is_told_by_its_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine | None
) -> None:
    path = tmp_path / "c.jsonl"
    lines = [json.dumps({"doc_id": str(number), "text": "x" * (300 if number == 7 else 9)}) for number in range(12)]
    path.write_text("\n\n".join(lines))
    monkeypatch.setenv("SHOWTHROUGH_RECORD_LIMIT", "200")
    [_, problem] = read(path, 50, engine)
    assert problem.startswith(f"{path}: line 15: has more than 200 B")


@pytest.mark.parametrize("engine", [None, Elsewhere()])
def test_a_file_that_is_broken_throughout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine | None
) -> None:
    monkeypatch.setattr(_parallel_lines, "ENOUGH", 30)
    path = tmp_path / "c.jsonl"
    path.write_text("{\n" * 100)
    _, *problems = read(path, 10, engine)
    assert len(problems) == 31
    assert problems[-1].startswith(f"{path}: line 31: ")


def test_a_document_is_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """For being looked at and for the survey together."""
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(json.dumps({"doc_id": str(number), "text": "x"}) for number in range(9)))
    made: list[str] = []
    original = tab._document
    monkeypatch.setattr(tab, "_document", lambda wire, *rest: (made.append(wire.id), original(wire, *rest))[1])
    corpus = Corpus(tab.read_lines(Input(Head(path))))
    assert len(corpus.survey.ids) == len(made) == 9


SPANS = st.lists(st.tuples(st.integers(0, 3), st.integers(1, 9)), min_size=1, max_size=40)


@settings(max_examples=40)
@given(SPANS, st.data())
def test_places_of_lines(spans: list[tuple[int, int]], data: st.DataObject) -> None:
    """Gaps between lines, and sizes."""
    ends = np.cumsum([gap + size for gap, size in spans])
    sizes = [size for _, size in spans]
    offsets = [int(end) - size for end, size in zip(ends, sizes, strict=True)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("showthrough.formats.annotation_tools.line_index._EVERY", data.draw(st.integers(1, 9)))
        growing = GrowingLines()
        for place in zip(offsets, sizes, strict=True):
            growing.append(*place)
        places = growing.finish()
        low, high = sorted(data.draw(st.tuples(*[st.integers(0, len(spans))] * 2)))
        numbers = data.draw(st.lists(st.integers(0, len(spans) - 1)))
        joined = GrowingLines()
        joined.extend(places.part(0, low))
        joined.extend(places, low)
        for found in (places, joined.finish()):
            assert [one.tolist() for one in found.at(low, high)] == [offsets[low:high], sizes[low:high]]
        part = places.part(low, high)
        assert [one.tolist() for one in part.at(0, len(part))] == [offsets[low:high], sizes[low:high]]
        taken = places.taken(np.array(numbers, dtype=np.int64))
        assert [one.tolist() for one in taken.at(0, len(taken))] == [
            [of[one] for one in numbers] for of in (offsets, sizes)
        ]
