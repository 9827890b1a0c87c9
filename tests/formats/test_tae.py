"""Masks with offsets: what TAE's files may hold, and how they are kept."""

from __future__ import annotations

import gzip
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, InputError, Mask, apply_masks, evaluate, read_anonymization

MASKS: dict[str, list[list[Any]]] = {
    "d1": [[28, 33, "DATE"], [15, 19, None], [3, 11, ""], [0, 11], [15, 19]],  # descending, overlapping, repeated
    "d2": [[2, 9, "X 😀"]],
    "d3": [],
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(MASKS))
    return path


def test_two_or_three_elements_null_and_empty(file: Path) -> None:
    found = read_anonymization(file)
    assert found.name == "rules"
    assert found.source == str(file)
    assert list(found.masks) == ["d1", "d2", "d3"]
    assert found.of("d1") == [Mask(28, 33, "DATE"), Mask(15, 19), Mask(3, 11, ""), Mask(0, 11), Mask(15, 19)]
    assert found.of("d2") == [Mask(2, 9, "X 😀")]
    assert found.of("d3") == []
    assert found.of("nobody") == ()
    assert [mask.suppressed for mask in found.of("d1")] == [False, True, True, True, True]


def test_order_and_repetition_change_no_number(file: Path, tiny: Corpus) -> None:
    other = file.with_name("other.json")
    other.write_text(json.dumps({"d3": [], "d2": MASKS["d2"], "d1": [[0, 11], [15, 19], [28, 33, "DATE"]]}))
    one, two = read_anonymization(file), read_anonymization(other)
    run = evaluate(tiny, [one, two])
    assert [score.value for score in run.scores if score.anonymization == "rules"] == [
        score.value for score in run.scores if score.anonymization == "other"
    ]
    [text, *_] = (document.text for document in tiny)
    assert apply_masks(text, one.of("d1")) == apply_masks(text, two.of("d1")) == " of  left on DATE."


@pytest.mark.parametrize("form", ["json", "json.gz", "jsonl", "jsonl.gz", "list.json"])
def test_every_form_holds_the_same(form: str, file: Path) -> None:
    lines = [json.dumps({"doc_id": key, "masks": masks}) for key, masks in MASKS.items()]
    text = {"json": json.dumps(MASKS), "jsonl": "\n".join(lines), "list.json": f"[{','.join(lines)}]"}
    content = text[form.removesuffix(".gz")].encode()
    path = file.with_name(f"same.{form}")
    path.write_bytes(gzip.compress(content) if form.endswith(".gz") else content)
    assert read_anonymization(path).digest == read_anonymization(file).digest


def test_digest_tells_masks_apart_and_not_their_order(file: Path) -> None:
    def digest(**changes: Any) -> str:
        file.write_text(json.dumps({**MASKS, **changes}))
        return read_anonymization(file).digest

    same = digest()
    assert digest(d1=MASKS["d1"][::-1]) == same
    assert digest(d2=[[2, 9, "X"]]) != same
    assert digest(d2=[[2, 8, "X 😀"]]) != same
    assert digest(d3=[[0, 1]]) != same


def test_part_and_pickle_keep_the_masks(file: Path) -> None:
    found = read_anonymization(file)
    part = found.part(["d2", "d3", "nobody"])
    assert dict(part.masks) == {"d2": [Mask(2, 9, "X 😀")], "d3": []}
    copy: Anonymization = pickle.loads(pickle.dumps(part))  # noqa: S301 (our own bytes; so workers get them)
    assert dict(copy.masks) == dict(part.masks)


def test_problems_of_all_documents_at_once(file: Path) -> None:
    file.write_text(json.dumps({"d1": [[1]], "d2": [[0, 4]], "d3": 5}))
    with pytest.raises(InputError) as caught:
        read_anonymization(file)
    assert [problem.place for problem in caught.value.problems] == ["document d1: masks[0]", "document d3: masks"]
