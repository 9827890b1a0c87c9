"""Language models as anonymizers: quotes that are found in the text, texts that are written anew, what is no use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import InputError, PlanError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import apply_masks
from showthrough.data.provenance import INVENTED, QUOTES, UNUSABLE
from showthrough.evaluation.notices import answer_notes
from showthrough.models.chat import _client
from showthrough.models.settings import AskingSettings
from showthrough.systems import anonymize, anonymizer
from showthrough.systems.combined import Everywhere, Union
from showthrough.systems.language_model import LanguageModelAnonymizer, quoted_spans
from showthrough.systems.spec import bind_asking, language_models
from talking import talking

TEXT = "Ann Doe met Bob in Oslo.\n\nANN DOE left on 3 May 2004."


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr(_client, "FIRST", 0.001)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def quotes(*pairs: tuple[str, str]) -> str:
    return json.dumps({"entities": [{"text": text, "type": kind} for text, kind in pairs]})


def hidden(text: str, masks: Any) -> list[tuple[str, str]]:
    return [(text[mask.start : mask.end], mask.entity_type) for mask in masks]


# Quotes.


@pytest.mark.parametrize(
    ("quote", "text", "expected"),
    [
        ("Ann", "Ann met Joann and Ann.", ["Ann", "Ann"]),
        ("ann doe", "Ann\n Doe left.", ["Ann\n Doe"]),
        ("May", "In May it may rain. MAY!", ["May", "MAY"]),
        ("Jan Kowalski", "Mr Jan Kowalsky left.", ["Jan Kowalsky"]),  # 11 of 12 letters: 91.7
        ("(no. 36110/97)", "case (no. 36110/97) of", ["(no. 36110/97)"]),
        ("Bob", "Bab left.", []),  # too short to be a slip
        ("Marie Curie", "Albert Einstein left.", []),
        ("...", "left ...", []),
        ("", "left", []),
        ("x" * 201, "x" * 201, []),
    ],
)
def test_where_a_quote_stands(quote: str, text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in quoted_spans(quote, text)] == expected


@given(st.text(), st.text())
def test_a_quote_is_never_outside_of_the_text(quote: str, text: str) -> None:
    assert all(0 <= start < end <= len(text) for start, end in quoted_spans(quote, text))


# The two forms.


def test_what_a_model_quotes_is_masked_everywhere_and_what_it_invents_is_counted(tmp_path: Path) -> None:
    def answering(_: dict[str, Any]) -> str:
        return quotes(("Ann Doe", "person"), ("Doe", "PERSON"), ("Oslo", "LOC"), ("Nobody Else", "PERSON"))

    with talking(answering) as server:
        system = anonymizer(f"llm:m@{server.url}(recordings={str(tmp_path / 'a')!r})")
        made = anonymize(Corpus([Document("a", TEXT)]), system, name="llm")
        again = anonymize(Corpus([Document("a", TEXT)]), system, name="llm")
        assert server.answered.total() == 1  # two paragraphs are one window; the second time nothing is asked
    # Of masks that overlap the longest stays.
    assert hidden(TEXT, made.of("a")) == [("Ann Doe", "PERSON"), ("Oslo", "LOC"), ("ANN DOE", "PERSON")]
    assert apply_masks(TEXT, made.of("a")).startswith("PERSON met Bob in LOC.")
    assert made.provenance is not None
    assert made.provenance.counts == {QUOTES: 4, INVENTED: 1}
    assert again.digest == made.digest
    note = "llm: of 4 quotes, 1 are not in the text and were dropped"
    assert answer_notes(Corpus([Document("a", TEXT)]), [made], ()) == [note]


def test_a_text_that_is_written_anew(tmp_path: Path) -> None:
    def answering(asked: dict[str, Any]) -> str:
        text = asked["messages"][-1]["content"]
        assert text == text.strip()
        return "<think>hm</think>" + text.replace("Ann Doe", "A woman").replace("ANN DOE", "She").replace("Bob", "him")

    with talking(answering) as server:
        system = anonymizer(f'llm:m@{server.url}(form="rewrite", recordings={str(tmp_path / "a")!r})')
        made = anonymize(Corpus([Document("a", f"\n{TEXT} "), Document("b", " \n")]), system)
    assert apply_masks(f"\n{TEXT} ", made.of("a")) == "\nA woman met him in Oslo.\n\nShe left on 3 May 2004. "
    assert made.of("b") == []


@pytest.mark.parametrize("form", ["spans", "rewrite"])
def test_a_refusal_hides_nothing_and_is_counted(form: str, tmp_path: Path) -> None:
    with talking(lambda _: "I'm sorry, but I can't help with that.") as server:
        system = anonymizer(f"llm:m@{server.url}(form={form!r}, recordings={str(tmp_path / 'a')!r})")
        made = anonymize(Corpus([Document("a", TEXT), Document("b", "Bob left.")]), system, name="llm")
    assert [made.of(document) for document in ("a", "b")] == [[], []]
    assert made.provenance is not None
    assert made.provenance.counts[UNUSABLE] == 2
    note = "llm: 2 documents have text without a usable answer, which stays as it is"
    assert answer_notes(Corpus([]), [made], ()) == [note]


def test_a_long_text_is_asked_about_in_pieces(tmp_path: Path) -> None:
    text = "\n\n".join(f"Paragraph {number} about Ann Doe. " + "word " * 200 for number in range(20))
    with talking(lambda _: quotes(("Ann Doe", "PERSON"))) as server:
        system = anonymizer(f"llm:m@{server.url}(recordings={str(tmp_path / 'a')!r})")
        made = anonymize(Corpus([Document("a", text)]), system)
        sent = [asked["messages"][-1]["content"] for asked in server.sent]
    assert len(sent) > 1
    assert max(map(len, sent)) <= 6_000 + len("<text>\n\n</text>")
    assert len(made.of("a")) == 20


def test_a_prompt_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("Find the vets.", encoding="utf-8")
    with talking(lambda _: quotes()) as server:
        own = f"recordings={str(tmp_path / 'a')!r}, prompt={str(tmp_path / 'mine.txt')!r}"
        system = anonymizer(f"llm:m@{server.url}({own})")
        anonymize(Corpus([Document("a", TEXT)]), system)
        assert server.sent[0]["messages"][0]["content"] == "Find the vets."
    assert system.pinned["prompt"].startswith("mine@")  # type: ignore[attr-defined]
    (tmp_path / "mine.txt").write_text(" \n", encoding="utf-8")
    with pytest.raises(PlanError, match="is empty; expected a prompt"):
        anonymizer(f"llm:m@http://localhost:1({own})").prepare()  # type: ignore[attr-defined]


# Before anything is sent.


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("llm", "found no model; expected one"),
        ("llm:m@http://localhost:1", "its answers cost and are kept: expected --recordings FILE"),
        (
            "llm:m@https://far.example.org(recordings='a')",
            r"would send the text of all documents to far\.example\.org: --send-text-to far\.example\.org allows it",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused_at_once(written: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        anonymizer(written).prepare()  # type: ignore[attr-defined]


def test_a_form_that_there_is_not() -> None:
    with pytest.raises(PlanError, match="form: found 'haiku'; expected spans or rewrite"):
        anonymizer('llm:m(form="haiku")')


def test_settings_of_a_command_reach_every_model_and_change_no_name() -> None:
    settings = AskingSettings(recordings="kept", send_text_to="far.example.org", concurrency=3)
    written = "everywhere(rules+llm:m@https://far.example.org/v1)"
    system = bind_asking(anonymizer(written), settings)
    assert isinstance(system, Everywhere)
    assert isinstance(system.of, Union)
    (model,) = language_models(system)
    assert isinstance(model, LanguageModelAnonymizer)
    assert (model.recordings, model.send_text_to, model._settings.concurrency) == ("kept", "far.example.org", 3)
    model.prepare()
    assert system.name == written
    assert anonymizer(system.name).name == written
