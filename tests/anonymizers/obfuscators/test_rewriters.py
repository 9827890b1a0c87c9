"""Synonyms and round trips: who chooses, what is written, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import showthrough as st
from showthrough.core.errors import PlanError
from showthrough.data.documents import Document
from showthrough.data.masks import Mask, apply_masks
from showthrough.systems import anonymizer
from showthrough.systems.obfuscators import _thesaurus, synonyms
from showthrough.systems.obfuscators._thesaurus import Thesaurus, inflected
from showthrough.systems.obfuscators._translation import passages
from showthrough.systems.obfuscators.roundtrip import RoundTrip
from showthrough.systems.obfuscators.synonyms import Synonyms
from talking import talking


class Surprise(NamedTuple):
    nats: float


class Words:
    def synonyms(self, word: str) -> tuple[str, ...]:
        return {"big": ("large", "huge"), "house": ("home",)}.get(word, ())


class Model:
    """Is surprised by large."""

    def surprise(self, texts: list[str]) -> list[Surprise]:
        self.asked = texts
        return [Surprise(9.0 if "large" in text else 1.0) for text in texts]


TEXT = "A big house. We saw a Big house."


def test_without_a_model_the_first_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(synonyms, "thesaurus", Words)
    [masks] = Synonyms().masks([Document("a", TEXT)])
    # "Big" may be a name; what is in small letters becomes another
    assert masks == [Mask(2, 5, "large"), Mask(6, 11, "home"), Mask(26, 31, "home")]


def test_a_model_chooses_in_the_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Model()
    monkeypatch.setattr(synonyms, "thesaurus", Words)
    monkeypatch.setattr(synonyms, "_language_model", lambda name: model)
    [masks] = Synonyms("hf:some/model").masks([Document("a", TEXT)])
    assert apply_masks(TEXT, masks) == "A huge home. We saw a Big home."
    assert model.asked == ["A large house.", "A huge house.", "A big home.", "We saw a Big home."]


@pytest.mark.parametrize(
    ("word", "base", "other", "form"),
    [
        ("houses", "house", "home", "homes"),
        ("cities", "city", "town", "towns"),
        ("towns", "town", "city", "cities"),
        ("ended", "end", "finish", "finished"),
        ("ending", "end", "cease", "ceasing"),
        ("halted", "halt", "stop", "stopped"),
        ("went", "go", "travel", ""),  # nobody knows that form
    ],
)
def test_words_keep_their_form(word: str, base: str, other: str, form: str) -> None:
    assert inflected(word, base, other) == form


def test_synonyms_are_those_of_the_most_common_sense(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nltk = pytest.importorskip("nltk")
    monkeypatch.setattr(nltk.data, "path", [str(data / "nltk_data")])
    words = Thesaurus()
    assert words.synonyms("physician")[0] == "doctor"
    assert words.synonyms("physicians")[0] == "doctors"
    assert words.synonyms("have") == words.synonyms("xqzt") == ()  # a word of grammar, and none
    frequencies = [_thesaurus.frequency(word) for word in words.synonyms("physician")]
    assert frequencies == sorted(frequencies, reverse=True)


TRANSLATE = """
import json, sys
start, end = sys.argv[1:]
words = {("en", "de"): {"big": "gross", "house": "Haus"}, ("de", "en"): {"gross": "large", "Haus": "home"}}
for line in sys.stdin:
    one = json.loads(line)
    text = " ".join(words[start, end].get(word, word) for word in one["text"].split(" "))
    print(json.dumps({"id": one["id"], "text": text}), flush=True)
"""


def test_there_and_back(tmp_path: Path) -> None:
    program = tmp_path / "translate.py"
    program.write_text(TRANSLATE)
    system = anonymizer(f"roundtrip:{sys.executable} {program} {{from}} {{to}}")
    corpus = st.Corpus([Document("a", "A big old house stood there"), Document("b", "Nothing else")])
    made = st.anonymize(corpus, system)
    assert made.texts(corpus) == {"a": "A large old home stood there", "b": "Nothing else"}
    assert made.of("a") == [Mask(2, 15, "large old home")]  # so near that they are one
    assert list(system.pinned) == ["translate.py"]  # type: ignore[attr-defined]


def test_what_cannot_be_a_round_trip() -> None:
    with pytest.raises(PlanError, match=r"expected \{from\} and \{to\} in it, for the languages"):
        RoundTrip("python translate.py")
    with pytest.raises(PlanError, match=r"found 'de,'; expected a language, or several with commas"):
        RoundTrip("python translate.py {from} {to}", through="de,")
    with pytest.raises(PlanError, match=r"found no program; expected one that translates"):
        RoundTrip().prepare()
    with pytest.raises(PlanError, match=r"^anonymizer roundtrip: command: found 'cat'"):  # named once
        anonymizer("roundtrip:cat")
    with pytest.raises(PlanError, match=r"lm='gpt' is not known"):
        Synonyms("gpt")


def _translated(asked: dict[str, Any]) -> str:
    """A model that thinks first, and turns words about on the way there alone."""
    ways, text = asked["messages"][-1]["content"].split("\n\n", 1)
    return (
        f"<think>hm</think> {' '.join(text.split()[::-1]) if ways == 'en to de' else text.replace('came', 'arrived')}"
    )


def test_a_language_model_translates_and_is_asked_once(tmp_path: Path) -> None:
    pytest.importorskip("openai")
    kept = tmp_path / "b.answers"
    documents = [Document("a", "Ann came.\n\n12.\n\nBob left."), Document("b", "")]
    with talking(_translated) as server:
        system = anonymizer(f"roundtrip:llm:small@{server.url}(recordings={str(kept)!r})")
        found = [apply_masks(one.text, masks) for one, masks in zip(documents, system.masks(documents), strict=True)]
        assert [one.split() for one in found] == [["arrived.", "Ann", "12.", "left.", "Bob"], []]
        assert server.answered.total() == 4  # two passages, there and back; nothing without letters is asked
        assert system.masks(documents)
        assert server.answered.total() == 4
    assert kept.exists()


def test_a_language_model_elsewhere_is_not_asked_unless_it_is_named() -> None:
    away = "llm:small@https://far.example.org/v1"
    with pytest.raises(PlanError, match="recordings: found no file for the answers"):
        RoundTrip(away).prepare()
    with pytest.raises(PlanError, match=r"far\.example\.org is not this machine; send_text_to='far\.example\.org'"):
        RoundTrip(away, recordings="b.answers").masks([Document("a", "Ann came.")])
    RoundTrip(away, recordings="b.answers", send_text_to="far.example.org").prepare()
    with pytest.raises(PlanError, match="expected llm:MODEL or llm:MODEL@URL"):
        RoundTrip("llm:small@localhost:80")


def test_long_passages_are_cut_between_sentences() -> None:
    text = "One two three. " * 400 + "\n" + "x" * 5_000
    pieces = list(passages(text))
    assert "".join(pieces) == text
    assert max(map(len, pieces[:-1])) <= 2_000
