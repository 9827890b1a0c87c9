"""What Python's `evaluate` takes for corpora and anonymizations, and what readers say of what is no path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, PlanError, evaluate, read_anonymization, read_corpus


def test_evaluate_takes_what_people_have(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    texts, released = {"a": "Ann Lee of Oslo.", "b": "Bob Ray."}, {"a": "*** of Oslo.", "b": "Bob Ray."}
    spans = {"a": [(0, 7)], "b": []}
    corpus = Corpus.from_texts(texts)
    expected = evaluate(corpus, {"x": Anonymization.from_texts(released, corpus)}, "inconsistent").rows
    (tmp_path / "texts.json").write_text(json.dumps(texts))
    (tmp_path / "released.json").write_text(json.dumps(released))
    (tmp_path / "spans.json").write_text(json.dumps(spans))
    rows = [{"doc_id": key, "text": text} for key, text in texts.items()]
    corpora: list[Any] = [texts, tmp_path / "texts.json", str(tmp_path / "texts.json"), pandas.DataFrame(rows)]
    for source in corpora:
        for masks in (released, spans, tmp_path / "released.json", str(tmp_path / "spans.json")):
            assert evaluate(source, {"x": masks}, "inconsistent").rows == expected, (source, masks)


@pytest.mark.parametrize("read", [read_corpus, read_anonymization])
@pytest.mark.parametrize("given", [{"a": "Ann Lee"}, [{"id": "a"}], 5])
def test_what_is_no_path_names_what_takes_it(read: Any, given: Any) -> None:
    with pytest.raises(PlanError, match=r"^path: found a value of type \w+; expected a path; \w+\.from_frame takes"):
        read(given)


@pytest.mark.parametrize("column", ["entity_type", "label", "type"])
def test_types_of_spans_in_frames_have_any_usual_name(column: str) -> None:
    rows = [{"doc_id": "a", "start": 0, "end": 7, column: "PERSON"}]
    corpus = Corpus.from_frame([{"doc_id": "a", "text": "Ann Lee of Oslo."}], spans=rows)
    (mention,) = corpus.documents[0].annotations[0].mentions
    assert (mention.entity_type, mention.identifier) == ("PERSON", "DIRECT")
    (mask,) = Anonymization.from_frame(rows, corpus).of("a")
    assert mask.entity_type == "PERSON"


def test_rows_with_spans_are_a_corpus() -> None:
    rows = [{"id": "a", "text": "Ann Lee of Oslo.", "spans": [{"start": 0, "end": 7, "label": "PERSON"}]}]
    run = evaluate(rows, {"x": [{"id": "a", "text": "Ann Lee of Oslo."}]}, "removed_di")
    assert run["x", "removed_di"].value == 0.0


def test_dicts_are_no_documents() -> None:
    with pytest.raises(PlanError, match=r"^documents: found something else; .*Corpus\.from_frame takes rows"):
        Corpus([{"id": "a", "text": "Ann"}])  # type: ignore[list-item]
