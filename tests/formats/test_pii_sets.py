"""presidio-evaluator's samples, ai4privacy's and Nemotron-PII's rows: their shapes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, InputError, read_corpus

TEXT = "Mr John Doe of Oslo left."
SPANS = [{"start": 3, "end": 11, "label": "NAME"}, {"start": 15, "end": 19, "label": "CITY"}]
FOUND = [(3, 11, "NAME"), (15, 19, "CITY")]


def read(tmp_path: Path, *rows: Any) -> Corpus:
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    return read_corpus(path)


def marks(corpus: Corpus) -> list[tuple[int, int, str]]:
    (annotation,) = corpus.documents[0].annotations
    return [(one.start, one.end, one.entity_type) for one in annotation.mentions]


def ai4privacy(mask: Any, **more: Any) -> dict[str, Any]:
    return {
        "uid": "u",
        "source_text": TEXT,
        "masked_text": "Mr [NAME_1] of [CITY_1] left.",
        "privacy_mask": mask,
        **more,
    }


def nemotron(spans: Any, **more: Any) -> dict[str, Any]:
    return {"uid": "u", "domain": "Law", "document_type": "Letter", "document_description": "", "locale": "us",
            "document_format": "plain", "text": TEXT, "spans": spans, "text_tagged": "", **more}  # fmt: skip


def test_samples_as_the_tool_writes_them(tmp_path: Path) -> None:
    """`InputSample.to_json` of presidio-evaluator 0.3.2."""
    normal = dict.fromkeys(("normalized_tokens", "normalized_start_index", "normalized_end_index",
                            "normalized_start_indices", "token_start", "token_end"))  # fmt: skip
    spans = [{"entity_type": "PERSON", "entity_value": "Ann Lee", "start_position": 2, "end_position": 9, **normal}]
    first = {
        "full_text": "😀 Ann Lee",
        "masked": "😀 {{PERSON}}",
        "spans": spans,
        "template_id": 4,
        "metadata": {"a": 1},
    }
    second = {"full_text": "Nothing", "masked": None, "spans": [], "template_id": None, "metadata": None}
    corpus = read(tmp_path, first, second)
    assert marks(corpus) == [(2, 9, "PERSON")]
    assert corpus.notes == ("its documents have no ids: they are numbered, from 1 on",)


@pytest.mark.parametrize(
    "row",
    [
        ai4privacy([{**one, "value": TEXT[one["start"] : one["end"]], "label_index": 1} for one in SPANS]),  # type: ignore[misc]
        ai4privacy(json.dumps(SPANS), mbert_tokens=["Mr"], mbert_token_classes=["O"], locale="US", split="train"),
        ai4privacy(repr(SPANS), span_labels="[]", mbert_text_tokens=[], mbert_bio_labels=[], language="en", set="x"),
        ai4privacy({"[NAME_1]": "John Doe", "[CITY_1]": "Oslo"}),
        ai4privacy("{'[NAME_1]': 'John Doe', '[CITY_1]': \"Oslo\"}"),
        {"id": 4, "unmasked_text": TEXT, "masked_text": "Mr [NAME_1] of [CITY_1] left.", "bio_labels": [],
         "tokenised_text": [], "privacy_mask": "{'[NAME_1]': 'John Doe', '[CITY_1]': 'Oslo'}"},
        {"source_text": TEXT, "target_text": "Mr [NAME_1] of [CITY_1] left.", "id": "4", "privacy_mask": SPANS},
        nemotron(json.dumps(SPANS)),
        nemotron(repr(SPANS)),
        nemotron(repr([{**one, "text": TEXT[one["start"] : one["end"]]} for one in SPANS])),  # type: ignore[misc]
        nemotron(SPANS),
    ],
)  # fmt: skip
def test_the_mask_in_every_shape(tmp_path: Path, row: Any) -> None:
    corpus = read(tmp_path, row)
    assert marks(corpus) == FOUND
    assert corpus.notes == ()


def test_python_writes_quotation_marks_as_it_likes(tmp_path: Path) -> None:
    text = 'Jo\'n "X" \\ Lee, and\nnone'
    spans = [{"start": 0, "end": 4, "label": "n", "text": "Jo'n"},
             {"start": 5, "end": 14, "label": "n", "text": text[5:14]},
             {"start": 16, "end": 24, "label": "n", "text": "and\nnone"}]  # fmt: skip
    assert '"Jo\'n"' in repr(spans)
    assert len(marks(read(tmp_path, nemotron(repr(spans), text=text)))) == 3


def test_brackets_that_stand_in_the_text(tmp_path: Path) -> None:
    """What is no placeholder of the mask is text, and values that occur elsewhere too are found where they were put."""
    row = ai4privacy({"[CITY_1]": "Oslo"}, source_text="Oslo [sic] and Oslo", masked_text="Oslo [sic] and [CITY_1]")
    assert marks(read(tmp_path, row)) == [(15, 19, "CITY")]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        ({"full_text": TEXT,
          "spans": [{"entity_type": "P", "entity_value": "John", "start_position": 3, "end_position": 11}]},
         "document number 1: spans[0]: the text at 3–11 is 'John Doe' but the file says 'John'; expected offsets in "
         "Unicode code points, unless --offsets says what they count"),
        ({"full_text": TEXT, "spans": [{"entity_type": "P", "start_position": -3, "end_position": 11}]},
         "document number 1: spans[0]: start -3 is negative; expected 0 or more"),
        ({"full_text": None, "spans": []}, "document number 1: full_text: found null; expected text"),
        (ai4privacy({"[NAME_1]": "John Do", "[CITY_1]": "Oslo"}),
         "document u: privacy_mask: its values put into the masked text do not give the text; expected offsets"),
        (ai4privacy({"[NAME_1]": "John Doe", "[CITY_1]": "Oslo", "[X_1]": "q"}),
         "document u: privacy_mask: X_1 is not in the masked text; expected offsets"),
        ({"uid": "u", "source_text": TEXT, "privacy_mask": {"[NAME_1]": "John Doe"}},
         "document u: privacy_mask: has values without offsets; expected masked_text or target_text beside it"),
        ({"masked_text": "Mr [NAME_1]", "unmasked_text": "Mr Doe", "token_entity_labels": ["O"]},
         "document number 1: privacy_mask is missing: without it nobody knows what is marked"),
        (ai4privacy("[{'value': __import__('os'), 'start': 3}]"),
         "document u: privacy_mask: found \"[{'value': __import__('os'), 'start': 3…\"; expected a list, in JSON or as "
         "Python prints it"),
        (ai4privacy("[" * 5000),
         f"document u: privacy_mask: found '{'[' * 39}…'; expected a list, in JSON or as Python prints it"),
        (nemotron("[{'start': '3', 'end': 5, 'label': 'q'}]"),
         "document u: spans[0].start: found text; expected a whole number"),
        (nemotron(f"({'1,' * 600_000})"),
         "document u: spans: has 1200002 characters; expected a list, in JSON or as Python prints it, of at most "
         "1000000"),
        (nemotron("[{'start': 1j}]"),
         "document u: spans: found \"[{'start': 1j}]\"; expected a list, in JSON or as Python prints it"),
        (nemotron("['\\d']"), "document u: spans[0]: found text; expected an object {…} or a list […]"),
        (nemotron(7), "document number 1: spans: found a whole number; expected text, a list […] or null"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, row: Any, line: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, row)
    assert str(caught.value) == f"{tmp_path / 'rows.json'}: {line}"
