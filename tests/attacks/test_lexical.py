"""The lexical attack against its formula, written out slowly; and what an attacker must not be fooled by."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engines.pickling import Pickling
from showthrough.families.reidentification.attacks import lexical
from showthrough.families.reidentification.attacks._terms import TextWords
from showthrough.families.reidentification.attacks.base import PRIOR
from showthrough.families.reidentification.attacks.lexical import Attempt, Lexical, weigh_terms
from showthrough.models import Resources

BACKGROUND = {
    "ann": "Ann is a surgeon in Oslo. The surgeon from Oslo likes red tulips.",
    "bob": "Bob bakes bread in Rome; the bread of Rome is white.",
    "cem": "Cem is a judge in Bonn and has been a judge for ten years.",
    "dee": "Dee sails. In winter she repairs boats in Bergen.",
}


FITTED = Lexical().fit(BACKGROUND)


def terms_of(text: str, view: str) -> Counter[str]:
    """The terms of one view as strings."""
    words = "".join(c if c.isalnum() else " " for c in text.lower()).split()
    if view == "words":
        return Counter(words)
    if view == "phrases":
        return Counter(" ".join(words[low : low + n]) for n in (1, 2, 3) for low in range(len(words) - n + 1))
    return Counter(
        padded[low : low + 4] for word in words for padded in [f" {word} "] for low in range(len(padded) - 3)
    )


def unit(weights: dict[str, float]) -> dict[str, float]:
    length = math.sqrt(sum(value**2 for value in weights.values())) or 1
    return {term: value / length for term, value in weights.items()}


def slow_scores(background: Sequence[str], documents: Sequence[str]) -> np.ndarray:
    """The docstring's formula, term by term."""
    total = np.zeros((len(documents), len(background)))
    for view in ("words", "phrases", "pieces"):
        theirs = [terms_of(text, view) for text in background]
        ours = [terms_of(text, view) for text in documents]
        known = {term for counts in theirs for term in counts}
        n, m = len(background), sum(bool(counts) for counts in ours)
        weight = {}
        for term in known:
            having, times = sum(term in counts for counts in theirs), sum(counts[term] for counts in theirs)
            burst = max(0, math.log(n / having) + math.log(1 - math.exp(-times / n)))
            weight[term] = math.log((1 + n) / (1 + having)) + burst
        b = [unit({t: (1 + math.log(c)) * weight[t] for t, c in counts.items()}) for counts in theirs]
        mean = {term: sum(one.get(term, 0) for one in b) / n for term in known}
        x = []
        for counts in ours:
            rare = {t: math.log((1 + m) / sum(t in other for other in ours)) for t in counts if t in known}
            x.append(unit({t: (1 + math.log(counts[t])) * rare[t] for t in rare}))
        fit = np.array([[sum(v * (one.get(t, 0) - mean[t]) for t, v in row.items()) for one in b] for row in x])
        usual = (fit**2).mean()
        middle = fit.sum(axis=0) / (m + PRIOR)
        deviation = np.sqrt((((fit - middle) ** 2).sum(axis=0) + PRIOR * usual) / (m + PRIOR))
        total += (fit - middle) / np.where(deviation == 0, 1, deviation)
    return total


words = st.sampled_from(["surgeon", "oslo", "bread", "rome", "judge", "boats", "person", "the", "red", "of"])
documents = st.lists(st.lists(words, min_size=2, max_size=8).map(" ".join), min_size=1, max_size=5)


@given(documents)
@settings(max_examples=50)
def test_scores_are_what_the_formula_says(texts: list[str]) -> None:
    found = FITTED.scores(texts)
    if found.heard.all():
        assert found.score == pytest.approx(slow_scores(list(BACKGROUND.values()), texts), abs=1e-4)  # weights in fp32
    else:  # nothing in them that only some individuals have
        assert not set(" ".join(np.array(texts)[~found.heard]).split()) - {"person", "the"}


@given(documents, st.lists(st.integers(0, 3), min_size=5, max_size=5))
@settings(max_examples=50)
def test_words_explain_the_score_exactly(texts: list[str], columns: list[int]) -> None:
    attempt = Attempt(FITTED, texts)
    found = attempt.candidates()
    asked = np.array(columns[: len(texts)])
    parts = attempt.gather_evidence(range(len(texts)), asked).contributions(TextWords(texts), FITTED.known)
    added = sum(np.bincount(occurrences.text, part, minlength=len(texts)) for occurrences, part in parts)
    score = found.score[np.arange(len(texts)), asked]
    heard = found.heard
    baseline = (attempt.mean[:, asked] / attempt.deviation[:, asked]).sum(axis=0)
    assert (added - baseline)[heard] == pytest.approx(score[heard], abs=1e-5)


def test_a_word_by_hand() -> None:
    # One of four has the term once: ln(5/2) + max(0, ln 4 + ln(1 − e^(−1/4))) = 0.916 + max(0, 1.386 − 1.508) = 0.916.
    # Nine times: 0.916 + ln 4 + ln(1 − e^(−9/4)) = 0.916 + 1.386 − 0.111 = 2.191. Everybody has it once: 0.
    found = weigh_terms(np.array([1, 1, 4]), np.array([1.0, 9.0, 4.0]), 4)
    assert found == pytest.approx([0.916, 2.191, 0.0], abs=1e-3)


def test_the_person_is_found_by_what_was_left() -> None:
    texts = [
        "PERSON, a surgeon, likes tulips.",
        "PERSON sold bread.",
        "The judge PERSON spoke.",
        "PERSON repairs boats.",
    ]
    assert Lexical().fit(BACKGROUND).scores(texts).score.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_the_words_that_gave_a_person_away_are_named() -> None:
    fitted = Lexical().fit(BACKGROUND)
    found = fitted.scores(["PERSON, the Surgeon, saw PERSON.", "PERSON baked bread."])
    assert found.explain is not None
    first, second = found.explain(np.array([0, 1]))
    assert first[0][0] == "Surgeon"  # as it stands in the text
    assert second[0][0] == "bread"
    assert "PERSON" not in dict(first)


def test_a_document_alone_is_attacked_too() -> None:
    fitted = Lexical().fit(BACKGROUND)
    for place, text in enumerate(["a surgeon", "bread of Rome", "a judge", "boats"]):
        assert fitted.scores([text]).score[0].argmax() == place


@pytest.mark.parametrize("mark", ["XXXX", "[PERSON_1]", "***", "NOMBRE", "\u2588\u2588"])
def test_marks_that_the_background_lacks_change_nothing(mark: str) -> None:
    fitted = Lexical().fit(BACKGROUND)
    plain = fitted.scores(["the surgeon", "white bread", "a judge"]).score
    marked = fitted.scores([f"the surgeon {mark} {mark}", f"white bread {mark}", f"a judge {mark}"]).score
    assert marked == pytest.approx(plain, abs=1e-12)


def test_a_mark_that_somebody_uses_as_a_word_does_not_fool_it() -> None:
    """All documents have it, so it tells nothing: LOCATION must not lead to whoever writes of locations."""
    background = {**BACKGROUND, "eve": "Eve knows every location: location is all, location by location."}
    texts = [f"LOCATION LOCATION {rest} LOCATION" for rest in ("a surgeon", "bread", "a judge", "boats")]
    assert Lexical().fit(background).scores(texts).score.argmax(axis=1).tolist() == [0, 1, 2, 3]


def test_whoever_has_most_text_is_not_everybodys_match() -> None:
    """Much is known about one person, a little of everything; the others still are found."""
    talker = " ".join([*BACKGROUND.values(), "wine music trains rivers"] * 5)
    texts = [
        "PERSON is a surgeon",
        "PERSON bakes bread",
        "PERSON was a judge",
        "PERSON repairs boats",
        "wine and trains",
    ]
    found = Lexical().fit({**BACKGROUND, "fay": talker}).scores(texts)
    assert found.score.argmax(axis=1).tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("text", ["", "   ", "\u2026", "12345 zzzz"])
def test_a_document_that_tells_nothing_is_not_heard(text: str) -> None:
    found = Lexical().fit(BACKGROUND).scores([text, "a surgeon"])
    assert found.heard.tolist() == [False, True]
    assert found.explain is not None
    assert found.explain(np.array([0, 0]))[0] == []


def test_a_document_that_tells_nothing_leaves_the_others_alone() -> None:
    fitted = Lexical().fit(BACKGROUND)
    texts = ["a surgeon", "bread", "a judge"]
    assert (fitted.scores([*texts, ""]).score[:3] == fitted.scores(texts).score).all()


def test_only_silent_documents() -> None:
    found = Lexical().fit(BACKGROUND).scores(["", "…"])
    assert not found.heard.any()


def test_a_background_too_large_to_hold_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "_BLOCK", 60)
    texts = ["the surgeon of Oslo", "white bread", "ten years", ""]
    fitted = Lexical().fit(BACKGROUND)
    held = fitted.scores(texts)
    assert len(fitted.blocks) > 1
    monkeypatch.setattr(lexical, "_HELD", 0)
    read_again = Lexical().fit(BACKGROUND).scores(texts)
    assert (read_again.score == held.score).all()
    assert held.explain is not None
    assert read_again.explain is not None
    asked = np.array([0, 1, 2, -1])
    assert read_again.explain(asked) == held.explain(asked)


def test_documents_in_several_blocks_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the surgeon of Oslo", "white bread", "", "ten years a judge", "boats in Bergen"]
    fitted = Lexical().fit(BACKGROUND)
    whole = fitted.scores(texts)
    monkeypatch.setattr(lexical, "_BLOCK", 20)
    parts = fitted.scores(texts)
    assert (parts.score == whole.score).all()
    asked = np.array([0, 1, -1, 2, 3])
    assert whole.explain is not None
    assert parts.explain is not None
    expected = whole.explain(asked)
    assert [[word for word, _ in words] for words in parts.explain(asked)] == [
        [w for w, _ in words] for words in expected
    ]


def test_few_fits_at_a_time_give_the_same_best(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the surgeon of Oslo", "white bread", "ten years a judge"]
    fitted = Lexical().fit(BACKGROUND)
    whole = fitted.scores(texts).score
    monkeypatch.setattr(lexical, "_CELLS", 1)  # one individual at a time
    parts = fitted.scores(texts).score
    assert parts.argmax(axis=1).tolist() == whole.argmax(axis=1).tolist()
    assert parts == pytest.approx(whole, rel=0.5)  # the first individual tells the usual variance


def test_of_many_individuals_the_best_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["the surgeon of Oslo", "white bread", "", "ten years"]
    all_of_them = Lexical().fit(BACKGROUND).scores(texts)
    monkeypatch.setattr(lexical, "EVERYBODY", 3)
    monkeypatch.setattr(lexical, "BEST", 2)
    kept = Lexical().fit(BACKGROUND).scores(texts)
    assert kept.score.shape == (4, 2)
    assert kept.column is not None
    for row in (0, 1, 3):
        order = np.argsort(-all_of_them.score[row])[:2]
        assert kept.column[row].tolist() == order.tolist()
        # Blocks are smaller then, and the first of them tells the usual variance: not the same digits.
        assert kept.score[row] == pytest.approx(all_of_them.score[row][order], rel=0.3)


@pytest.mark.parametrize("held", [lexical._HELD, 0])
@pytest.mark.parametrize("everybody", [lexical.EVERYBODY, 3])
def test_whoever_calculates_every_digit_is_the_same(held: int, everybody: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers count, hold individuals against documents and explain; batches are cut as if nobody else were there."""
    for name, value in {"_HELD": held, "EVERYBODY": everybody, "_BLOCK": 40, "_CELLS": 5, "BEST": 2}.items():
        monkeypatch.setattr(lexical, name, value)
    texts = ["the surgeon of Oslo", "white bread", "", "ten years a judge", "boats in Bergen"]
    engine = Pickling()
    alone, shared = (
        Lexical().fit(BACKGROUND, resources).scores(texts) for resources in (None, Resources(engine=engine))
    )
    assert engine.tasks > 5
    assert (shared.score == alone.score).all()
    assert (shared.columns() == alone.columns()).all()
    asked = np.array([0, 1, -1, 2, 3])
    assert alone.explain is not None
    assert shared.explain is not None
    assert shared.explain(asked) == alone.explain(asked)
