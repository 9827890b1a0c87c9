"""Attack and repair: masks only grow, the attacker never infers more, and what it infers in the end is on record."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import evaluate
from showthrough.core.errors import InputError, PlanError
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Mask, TypedMask, apply_masks
from showthrough.data.provenance import READ, UNANSWERED, UNLOCATED, added_in, inferred_after
from showthrough.data.subjects import Attribute, Subject
from showthrough.evaluation.notices import answer_notes
from showthrough.models.cache import Cache
from showthrough.models.chat import _client
from showthrough.models.settings import AskingSettings
from showthrough.systems import anonymize, anonymizer
from showthrough.systems._repairing_attackers import Reading
from showthrough.systems.language_model import LanguageModelAnonymizer, estimate_systems
from showthrough.systems.repair import Repair, new_masks
from showthrough.systems.spec import bind_asking, language_models
from talking import talking

ANN = Subject("1", (Attribute("NAME", "Ann Lee"), Attribute("OCCUPATION", "ship surgeon")))
TEXT = "Ann Lee met Bob. Lee is a ship surgeon."
_POOL = (
    "Mr John van Doe J. Mrs Ann Lee he his she her applicant wife widow married born in 1970 aged 54 Moss Oslo Norway "
    "Norwegian Polish public prosecutor university +91 864 036 9485 the and my I'm a man low income ann@lee.no , . \n"
)
WORDS = _POOL.split(" ")


@dataclass(frozen=True)
class Chosen:
    """Masks every so many words: a base that anybody could be."""

    every: int = 3
    name: str = "chosen"
    version: int = 1

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        return [list(_words(document.text))[:: self.every] for document in documents]


def _words(text: str) -> list[Mask]:
    masks, position = [], 0
    for word in text.split():
        start = text.index(word, position)
        position = start + len(word)
        masks.append(TypedMask(start, position, None, "PERSON"))
    return masks


def people_file(folder: Path, *documents: Document) -> str:
    """A corpus in SPIA's form."""
    lines = []
    for document in documents:
        people = []
        for person in document.subjects:
            values = [
                {"tag": item.tag, "keyword": item.value, "certainty": 5, "hardness": 1} for item in person.attributes
            ]
            people.append({"id": person.id, "description": person.description, "PIIs": values})
        lines.append(json.dumps({"metadata": {"data_id": document.id}, "text": document.text, "subjects": people}))
    path = folder / f"people{len(list(folder.iterdir()))}.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return str(path)


def covered(masks: Sequence[Mask]) -> set[int]:
    return {place for mask in masks for place in range(mask.start, mask.end)}


# How it is written.


@pytest.mark.parametrize(
    "written",
    [
        "repair(rules)",
        "repair(rules+presidio, rounds=2)",
        "everywhere(repair(rules, certainty=5))",
        'repair(repair(rules), attacker="lexical", background="a, b=.json")',
        'repair(presidio(org=True), people="it\'s.jsonl")',
        "repair(rules)+rules",
    ],
)
def test_it_is_written_as_it_is_read(written: str) -> None:
    system = anonymizer(written)
    assert anonymizer(system.written) == system  # type: ignore[attr-defined]
    assert anonymizer(system.name) == system


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("repair", "found nothing to repair; expected another anonymizer in brackets, as in repair(rules)"),
        ("repair(rounds=2)", "found nothing"),
        ("repair(rules, attacker='judge')", "attacker: found judge; expected reader, lexical or llm:MODEL"),
        ("repair(rules, attacker='llm:')", "attacker: found llm:; expected reader, lexical or llm:MODEL"),
        ("repair(rules, rounds=0)", "rounds: found 0; expected 1 to 20"),
        ("repair(rules, certainty=6)", "certainty: found 6; expected 1 to 5"),
        ("repair(rules, attacker='lexical')", "expected background=FILE and attacker=lexical together"),
        ("repair(rules, background='a.json')", "expected background=FILE and attacker=lexical together"),
        ("repair(rules, attacker='llm:m', people='a')", "only the attacker reader looks for what is true"),
        ("repair(rules, turns=2)", "repair"),
    ],
)
def test_what_cannot_be_asked_for(written: str, fault: str) -> None:
    with pytest.raises(PlanError) as caught:
        anonymizer(written)
    assert fault in str(caught.value).replace("'", "")
    assert "\n" not in str(caught.value)


# The reader.


def test_every_place_is_masked_where_the_truth_stands(tmp_path: Path) -> None:
    people = people_file(tmp_path, Document("a", TEXT, subjects=(ANN,)))
    made = anonymize(Corpus([Document("a", TEXT)]), f"repair(rules, people={people!r})")
    # Her name stands there twice, once without its first part; Bob is nobody whom it asks about.
    assert [TEXT[mask.start : mask.end] for mask in made.of("a")] == ["Ann Lee", "Lee", "ship surgeon"]
    assert apply_masks(TEXT, made.of("a")) == "NAME met Bob. NAME is a OCCUPATION."
    assert made.provenance is not None
    assert made.provenance.counts == {READ: 1, inferred_after(0): 2, added_in(1): 3}
    assert made.provenance.pinned["repair"] == "reader"
    assert made.provenance.pinned["people"]


def test_without_a_truth_it_tries_what_can_be_listed() -> None:
    text = "She is 54, born in Oslo, Norway; ann@lee.no, 91 864 036 9485. Ann Lee, ship surgeon."
    made = anonymize(Corpus([Document("a", text)]), "repair(rules)")
    hidden = [(text[mask.start : mask.end], mask.entity_type) for mask in made.of("a")]
    assert ("Norway", "LOCATION") in hidden
    assert ("She", "SEX") in hidden
    assert not any("Ann Lee" in words or "surgeon" in words for words, _ in hidden)  # names and work cannot be listed


def test_a_document_of_which_nobody_says_anything_is_named(tmp_path: Path) -> None:
    people = people_file(tmp_path, Document("a", TEXT, subjects=(ANN,)))
    with pytest.raises(InputError, match=r"document b: .*people0.jsonl does not have it"):
        anonymize(Corpus([Document("b", TEXT)]), f"repair(rules, people={people!r})")
    nobody = people_file(tmp_path, Document("a", TEXT))
    with pytest.raises(InputError, match="no document says whom it is about"):
        anonymizer(f"repair(rules, people={nobody!r})").prepare()  # type: ignore[attr-defined]


@given(st.lists(st.sampled_from(WORDS), max_size=40), st.integers(1, 5), st.integers(1, 3))
@settings(max_examples=60, deadline=None)
def test_masks_only_grow_and_the_risk_never_rises(words: list[str], every: int, rounds: int) -> None:
    document = Document("a", " ".join(words))
    base = Chosen(every)
    before, after = base.masks([document])[0], base.masks([document])[0]
    for number in range(1, rounds + 1):
        system = Repair(base, rounds=number)
        grown = system.masks([document])[0]
        assert covered(grown) >= covered(after)
        risks = [system.counts.get(inferred_after(step), 0) for step in range(number + 1)]
        assert risks == sorted(risks, reverse=True)
        after = grown
    assert after[: len(before)] == before
    added = after[len(before) :]
    assert not covered(before) & covered(added)
    assert sum(mask.end - mask.start for mask in added) == len(covered(added))


# Attackers of a test.


class Listed:
    """Answers what a test lists: of each reading a risk and a word."""

    def __init__(self, *readings: tuple[int, str] | None) -> None:
        self.readings = iter(readings)

    def read(self, documents: Sequence[Document], releases: Sequence[str]) -> list[Reading | None]:
        read = []
        for text in releases:
            reading = next(self.readings)
            if reading is not None:
                risk, word = reading
                start = text.find(word)
                spans = [(start, start + len(word), "MISC")] if word and start >= 0 else []
                read.append(Reading(risk, spans))
            else:
                read.append(None)
        return read


def repaired(*readings: tuple[int, str] | None, rounds: int = 3) -> tuple[list[str], dict[str, int]]:
    system = Repair(Chosen(100), rounds=rounds)
    system.__dict__["_attack"] = Listed(*readings)
    (masks,) = system.masks([Document("a", TEXT)])
    return [TEXT[mask.start : mask.end] for mask in masks], {
        key: n for key, n in system.counts.items() if n and key != READ
    }


def test_a_round_by_which_the_attacker_infers_more_is_not_kept() -> None:
    words, counts = repaired((3, "Bob"), (2, "ship"), (4, "surgeon"))
    assert words == ["Ann", "Bob"]  # "ship" would make it 4 of 2
    assert counts == {inferred_after(0): 3, added_in(1): 1, **{inferred_after(n): 2 for n in (1, 2, 3)}}


def test_it_ends_after_so_many_rounds_and_says_what_is_left() -> None:
    words, counts = repaired((3, "Bob"), (3, "ship"), (1, "surgeon"), rounds=2)
    assert words == ["Ann", "Bob", "ship"]
    assert counts == {inferred_after(0): 3, inferred_after(1): 3, inferred_after(2): 1, added_in(1): 1, added_in(2): 1}


def test_what_no_word_shows_cannot_be_masked() -> None:
    words, counts = repaired((2, ""))
    assert words == ["Ann"]
    assert counts == {inferred_after(n): 2 for n in range(4)}


def test_no_answer_is_not_nothing_inferred() -> None:
    assert repaired(None) == (["Ann"], {UNANSWERED: 1})
    words, counts = repaired((1, "Bob"), None)
    assert words == ["Ann", "Bob"]
    assert counts == {added_in(1): 1, UNANSWERED: 1, **{inferred_after(n): 1 for n in range(4)}}


def test_a_place_across_a_mask_is_masked_on_both_sides() -> None:
    document = Document("a", "The vet Ann of Oslo left.")
    # The release: The vet PERSON of Oslo left.
    added = new_masks(document, [TypedMask(8, 11, None, "PERSON")], [(4, 22, "POSITION")])
    assert [document.text[mask.start : mask.end] for mask in added] == ["vet", "of Oslo"]
    assert new_masks(document, added, [(0, 3, "MISC"), (0, 3, "NAME")]) == [TypedMask(0, 3, None, "MISC")]


# The search in a background.


def test_words_that_lead_to_a_person_in_a_background_are_masked(tmp_path: Path) -> None:
    known = {"a": "Ann is a surgeon of ships in Oslo", "b": "Bob bakes bread in Rome", "c": "Cem judges in Bonn"}
    path = tmp_path / "public.json"
    path.write_text(json.dumps(known), encoding="utf-8")
    corpus = Corpus([Document("a", "The surgeon came to Oslo."), Document("b", "Nothing is said.")])
    made = anonymize(corpus, f"repair(rules, attacker='lexical', background={str(path)!r})", name="safe")
    text = "The surgeon came to Oslo."
    assert {text[mask.start : mask.end] for mask in made.of("a")} >= {"surgeon", "Oslo"}
    assert made.of("b") == []
    assert made.provenance is not None
    assert made.provenance.counts[inferred_after(0)] == 1  # and 0 after it
    assert inferred_after(1) not in made.provenance.counts
    (note,) = answer_notes(corpus, [made], ())
    assert note.startswith("safe: what the repairing attacker infers: 1 before repair")


# A language model.


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("openai")
    monkeypatch.setattr(_client, "FIRST", 0.001)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def said(*attributes: tuple[str, str, int, str]) -> str:
    keys = ("tag", "value", "certainty", "evidence")
    return json.dumps(
        {"people": [{"who": "she", "attributes": [dict(zip(keys, row, strict=True)) for row in attributes]}]}
    )


@pytest.mark.usefixtures("hasty")
def test_what_a_language_model_quotes_is_masked_in_turns(tmp_path: Path) -> None:
    def answering(asked: dict[str, Any]) -> str:
        text = asked["messages"][-1]["content"]
        if "surgeon" in text:
            return said(
                ("OCCUPATION", "doctor", 4, "a ship surgeon"), ("AGE", "40", 2, "Bob"), ("SEX", "Female", 3, "")
            )
        return said(("SEX", "Female", 3, ""))

    with talking(answering) as server:
        written = f"repair(rules, attacker='llm:m@{server.url}', recordings={str(tmp_path / 'a')!r})"
        made = anonymize(Corpus([Document("a", TEXT)]), written)
        again = anonymize(Corpus([Document("a", TEXT)]), written)
        assert server.answered.total() == 2  # the second time nothing is asked
    assert [TEXT[mask.start : mask.end] for mask in made.of("a")] == ["a ship surgeon"]  # age 40 was a guess of 2
    assert made.provenance is not None
    assert made.provenance.counts == {
        READ: 1,
        inferred_after(0): 2, added_in(1): 1, **{inferred_after(n): 1 for n in (1, 2, 3)}, UNLOCATED: 1,
    }  # fmt: skip
    assert again.digest == made.digest


def test_its_language_models_are_asked_as_the_settings_say() -> None:
    settings_ = AskingSettings(recordings="kept", send_text_to="far.example.org")
    bound = bind_asking(anonymizer("repair(llm:a, attacker='llm:b@https://far.example.org')"), settings_)
    assert isinstance(bound, Repair)
    assert isinstance(bound.of, LanguageModelAnonymizer)
    assert (bound.recordings, bound.of.recordings, bound.send_text_to) == ("kept", "kept", "far.example.org")
    assert bound.name == "repair(llm:a, attacker='llm:b@https://far.example.org')".replace("'", '"')
    assert language_models(bound) == [bound.of, bound]
    assert language_models(anonymizer("repair(rules)")) == []
    with pytest.raises(PlanError, match="would send the text of all documents to far"):
        anonymizer("repair(rules, attacker='llm:b@https://far.example.org', recordings='a')").prepare()  # type: ignore[attr-defined]


def test_an_estimate_counts_a_reading_before_each_round_and_after_the_last() -> None:
    pytest.importorskip("openai")
    system = anonymizer("repair(rules, attacker='llm:b@http://localhost:1', rounds=2, recordings='a')")
    (estimate,) = estimate_systems(
        Corpus([Document("a", TEXT), Document("b", "x")]), {"mine": system}, AskingSettings()
    )
    assert estimate.count.calls == 2 * 3


# On record.


def test_a_run_says_who_repaired_and_judges(tmp_path: Path) -> None:
    corpus = Corpus([Document("a", TEXT, subjects=(ANN,))])
    people = people_file(tmp_path, *corpus)
    made = [
        anonymize(corpus, f"everywhere(repair(rules, people={people!r}))", name="repaired"),
        anonymize(corpus, "rules", name="plain"),
    ]
    notes = "\n".join(evaluate(corpus, made, metrics=["cpr"], resamples=10).notes)
    assert "repaired was repaired with the attacker reader, which judges it too (cpr)" in notes
    assert "repaired was repaired with knowledge of what is true of the people" in notes
    assert "plain was repaired" not in notes


def test_the_record_of_rounds_is_kept_with_the_masks(tmp_path: Path) -> None:
    cache, corpus = Cache(tmp_path), Corpus([Document("a", "aged 54")])
    first, second = (anonymize(corpus, Repair(anonymizer("repair(rules)")), cache=cache).provenance for _ in range(2))
    assert first is not None
    assert second is not None
    assert second.cost is not None
    assert second.cost.earlier == 1
    assert second.counts == first.counts
