"""Masks that stay in their file are those that would be in memory."""

from __future__ import annotations

import gzip
import json
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from showthrough import Anonymization, Corpus, Document, InputError, read_anonymization
from showthrough.core.errors import ChangedError
from showthrough.data.masks import NumberedMasks
from showthrough.data.pairing import check_pair
from showthrough.data.retyping import Retyping, retyped_masks
from showthrough.evaluation._sweeps import _Swept
from showthrough.formats import _parallel_lines, mask_lines, records
from showthrough.formats.base import Input, Texts
from showthrough.formats.benchmarks import tae
from showthrough.formats.mask_lines import LineMasks
from showthrough.storage.file_heads import Head
from working import Elsewhere

SAFE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
IDS = [f"d{number}" for number in range(8)]
CORPUS = Corpus([Document(one, "x" * 9) for one in IDS])


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Every file counts as large."""
    with monkeypatch.context() as patched:
        patched.setattr(mask_lines, "SMALL", -1)
        patched.setattr(_parallel_lines, "_LEAST", 7)
        yield


def told(path: Path, small: int, step: int = 1 << 20, corpus: Corpus | None = None, engine: object = None) -> object:
    """All that can be asked of an anonymization, or what is wrong with its file."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(mask_lines, "SMALL", small)
        patched.setattr(_parallel_lines, "STRETCH", step)
        file = Input(Head(path), corpus=corpus, engine=engine)  # type: ignore[arg-type]
        try:
            masks = records.read(file)
        except InputError as error:
            return [str(problem) for problem in error.problems]
    if isinstance(masks, Texts):
        return masks, file.remarks.notes
    assert isinstance(masks, LineMasks) == (small < 0 and path.suffix != ".gz")
    found = Anonymization(masks, "x")
    ids = [*reversed(IDS), "nobody", *IDS[2:5]]
    parts = [found.part(ids[low : low + 3]).masks for low in range(0, len(ids), 2)]
    lazy = [found.part(ids[low : low + 3], lazy=True) for low in range(0, len(ids), 2)]
    sent = [pickle.loads(pickle.dumps(one)).masks for one in lazy]  # noqa: S301 (our own bytes)
    assert [dict(one) for one in sent] == parts
    assert [("d1" in one, len(one)) for one in sent] == [("d1" in one, len(one)) for one in parts]
    return (
        *(list(masks.items()), list(masks.values()), list(masks), len(masks), found.digest, found.types, parts),
        *([masks.get(one) for one in ids], [one in masks for one in ids], file.remarks.notes),
        [(one.place, one.message) for one in check_pair(CORPUS, found)],
        [type(mask) for each in masks.values() for mask in each],
        found.digests.tobytes(),  # also where they were made use of before
    )


MASKS = st.lists(
    st.tuples(st.integers(-1, 8), st.integers(0, 10))
    | st.tuples(st.integers(0, 3), st.integers(4, 9), st.sampled_from([None, "é", "X"]))
    | st.tuples(st.integers(0, 3), st.just(9), st.none(), st.sampled_from(["A", "B"]))
    | st.tuples(st.integers(0, 3), st.just(9), st.none(), st.just("A"), st.sampled_from([0.5, None, 7])),
    max_size=3,
)
OTHERS = st.fixed_dictionaries({}, optional={"text": st.just("t"), "odd": st.just(1), "group": st.none()})


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    ids = draw(st.permutations(IDS) | st.just(IDS) | st.lists(st.sampled_from([*IDS, "", "other"]), min_size=1))
    lines = [{"doc_id": one, "masks": draw(MASKS), **draw(OTHERS)} for one in ids]
    for line in lines:
        if not draw(st.integers(0, 40)):
            del line[draw(st.sampled_from(["doc_id", "masks"]))]
    end = draw(st.sampled_from(["\n", "\r\n", "\n\n", "\n \n"]))
    return draw(st.sampled_from([b"", b"\xef\xbb\xbf"])) + end.join(map(json.dumps, lines)).encode()


@SAFE
@given(content=contents(), step=st.integers(1, 200), packed=st.booleans(), known=st.booleans())
def test_masks_in_their_file_are_those_in_memory(
    tmp_path: Path, large: None, content: bytes, step: int, packed: bool, known: bool
) -> None:
    path = tmp_path / ("m.jsonl.gz" if packed else "m.jsonl")
    path.write_bytes(gzip.compress(content) if packed else content)
    in_memory, corpus = told(path, 1 << 30), CORPUS if known else None
    assert told(path, -1, step, corpus) == in_memory
    assert told(path, -1, step, corpus, Elsewhere()) == in_memory


def written(path: Path, ids: list[str], **more: object) -> Path:
    lines = [{"doc_id": one, "masks": [[number % 5, 9, None, "ORT"]], **more} for number, one in enumerate(ids)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


def test_ids_of_the_corpus_are_kept_once(tmp_path: Path, large: None) -> None:
    masks = read_anonymization(written(tmp_path / "m.jsonl", IDS), CORPUS).masks
    assert isinstance(masks, NumberedMasks)
    assert masks.ids is CORPUS.ids
    other = read_anonymization(written(tmp_path / "m.jsonl", IDS[::-1]), CORPUS).masks
    assert list(other) == IDS[::-1]


def test_marks_under_another_key_are_refused_kindly(tmp_path: Path, large: None) -> None:
    path = written(tmp_path / "m.jsonl", IDS, spans=[{"start": 1, "end": 2}])
    path.write_text(path.read_text() + '\n{"masks": []}\n')
    with pytest.raises(InputError, match="key spans: looks like marks, and this format has released texts or masks"):
        read_anonymization(path)


def test_other_types_travel_too(tmp_path: Path, large: None) -> None:
    found = read_anonymization(written(tmp_path / "m.jsonl", IDS), CORPUS)
    renamed = retyped_masks(found, Retyping.of("ORT=CITY"))
    assert renamed.types == {"CITY": 8}
    part = pickle.loads(pickle.dumps(renamed.part(IDS[2:4], lazy=True)))  # noqa: S301 (our own bytes)
    assert [mask.entity_type for one in IDS[1:5] for mask in part.of(one)] == ["CITY", "CITY"]


def test_a_file_that_changes_meanwhile(tmp_path: Path, large: None) -> None:
    path = written(tmp_path / "m.jsonl", IDS)
    found = read_anonymization(path, CORPUS)
    assert next(iter(found.masks.values())) == [tae.TypedMask(0, 9, None, "ORT")]
    path.write_text(path.read_text().replace("ORT", "ORTE"))
    for ask in (lambda: found.of("d5"), lambda: dict(found.part(IDS[:2], lazy=True).masks)):
        with pytest.raises(ChangedError, match="changed while it was read"):
            ask()


def test_whether_there_are_scores_is_known_from_reading(tmp_path: Path, large: None) -> None:
    path = written(tmp_path / "m.jsonl", IDS)
    without = read_anonymization(path, CORPUS).masks
    assert isinstance(without, LineMasks)
    assert not without.scored
    line = '{"doc_id": "d3", "masks": [[0, 4, null, "ORT", 0.5], [4, 9, null, "ORT", 0.8]]}'
    path.write_text("\n".join(line if "d3" in one else one for one in path.read_text().splitlines()))
    with_some = read_anonymization(path, CORPUS)
    assert isinstance(with_some.masks, LineMasks)
    assert with_some.masks.scored
    assert [len(_Swept.of(one, CORPUS).thresholds) for one in (with_some, Anonymization(without))] == [2, 0]


def test_masks_one_after_the_other_are_read_together(tmp_path: Path, large: None) -> None:
    masks = read_anonymization(written(tmp_path / "m.jsonl", IDS), CORPUS).masks
    assert isinstance(masks, LineMasks)
    asked: list[list[int]] = []
    made = masks.load
    masks.load = lambda numbers: (asked.append(np.asarray(numbers).tolist()), made(numbers))[1]  # type: ignore[method-assign]
    assert [masks[one] for one in IDS] == [[tae.TypedMask(number % 5, 9, None, "ORT")] for number in range(8)]
    assert asked == [list(range(8))]
    assert masks["d3"][0].start == 3
