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


@pytest.mark.parametrize(
    "form",
    ["json", "json.gz", "jsonl", "jsonl.gz", "list.json", "ids.jsonl", "ids.jsonl.gz", "ids.json", "some.jsonl"],
)
def test_every_form_holds_the_same(form: str, file: Path) -> None:
    lines = [json.dumps({"doc_id": key, "masks": masks}) for key, masks in MASKS.items()]
    text = {"json": json.dumps(MASKS), "jsonl": "\n".join(lines), "list.json": f"[{','.join(lines)}]"}
    by_id = [json.dumps({key: masks}) for key, masks in MASKS.items()]
    text |= {"ids.jsonl": "\n".join(by_id), "ids.json": "\n\n".join(by_id) + "\n"}
    (first, masks), *others = MASKS.items()
    text["some.jsonl"] = f"{json.dumps(dict(others))}\n{json.dumps({first: masks})}"  # several in a line
    content = text[form.removesuffix(".gz")].encode()
    path = file.with_name(f"same.{form}")
    path.write_bytes(gzip.compress(content) if form.endswith(".gz") else content)
    assert read_anonymization(path).digest == read_anonymization(file).digest


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (['{"d1": [[0, 1]]}', '{"d2": []}', '{"d1": []}'], "document d1: occurs twice; expected unique ids"),
        (['{"d1": [[0, 1]], "d1": []}'], "document d1: occurs twice; expected it once"),
        (
            ['{"d1": [[0, 1]]}', '{"d2": [[0]]}'],
            "document d2: masks[0]: found a list of 1; expected a list of at least 2",
        ),
        (['{"d1": [[0, 1]]}', '{"d2": [[0, 1]'], "line 2: "),
        (['{"d1": [[0, 1]]}', "[[0, 1]]"], "line 2: found a list […]; expected an object {…}"),
        (['{"d1": [[0, 1]]}', '{"": [[0, 1]]}'], "a document: its id is empty; expected a name"),
    ],
)
def test_what_is_wrong_with_masks_by_id_one_a_line(lines: list[str], line: str, file: Path) -> None:
    path = file.with_name("ids.jsonl")
    path.write_text("\n".join(lines))
    with pytest.raises(InputError) as caught:
        read_anonymization(path)
    assert str(caught.value).startswith(f"{path}: {line}")


def test_lines_of_lists_under_one_key_are_not_by_id(file: Path) -> None:
    path = file.with_name("spans.jsonl")
    path.write_text('{"spans": [[0, 1]]}\n{"spans": [[2, 3]]}\n')
    with pytest.raises(InputError, match="found objects with the keys spans, which no format has"):
        read_anonymization(path)


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
