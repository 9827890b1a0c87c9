"""Attacks carried out together: nothing depends on order, on the others, or on what stands beside."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough.data.background import Background
from showthrough.families.reidentification import attacks
from showthrough.families.reidentification.attacks import Approach, _assignment, lexical
from showthrough.families.reidentification.attacks.base import Candidates
from showthrough.families.reidentification.attacks.ranks import RankResult
from showthrough.families.reidentification.attacks.suite import AttackOutcome, Suite
from showthrough.models import Resources

CHOSEN = attacks.approaches(f"{attacks.DEFAULT}, lexical+prior, lexical+prior+assignment")
NAMES = [f"p{number}" for number in range(8)]
TOPICS = [
    "surgeon scalpel",
    "bread oven",
    "judge robe",
    "boats harbour",
    "violin string",
    "goats cheese",
    "chess rook",
    "moss fern",
]
BACKGROUND = {name: f"{topic} and {topic} in town {name}" for name, topic in zip(NAMES, TOPICS, strict=True)}
DOCUMENTS = {name: f"PERSON knows {topic.split()[0]}" for name, topic in zip(NAMES, TOPICS, strict=True)}


def outcome(
    background: Mapping[str, str], texts: Mapping[str, str], chosen: Sequence[Approach] = CHOSEN, k: int = 5
) -> AttackOutcome:
    return Suite(chosen, Background(background), Resources(), {}).attack(texts, k)


def shown(found: AttackOutcome) -> dict[str, Any]:
    """Everything that was found out, by document."""
    columns: dict[str, Any] = {}
    for name, standing in found.standings.items():
        assert isinstance(standing, RankResult)
        for key in ("right", "right_at_k", "reciprocal", "rank", "margin", "lead", "control"):
            columns[f"{name} {key}"] = getattr(standing, key).tolist()
    rows = {
        key: {column: values[place] for column, values in columns.items()} for place, key in enumerate(found.documents)
    }
    return {key: (row, found.evidence[key]) for key, row in sorted(rows.items())}


def shuffled(items: Mapping[str, str], seed: int) -> dict[str, str]:
    keys = list(items)
    random.Random(seed).shuffle(keys)
    return {key: items[key] for key in keys}


words = st.sampled_from(["surgeon", "bread", "judge", "boats", "violin", "goats", "PERSON", "town", ""])
texts = st.lists(st.lists(words, max_size=4).map(" ".join), min_size=8, max_size=8)


@given(texts, texts, st.integers(0, 1000))
@settings(max_examples=20)
def test_input_order_cannot_matter(known: list[str], documents: list[str], seed: int) -> None:
    """Texts of a few words: many are empty, equal or tied."""
    background = dict(zip(NAMES, [*known[:6], "surgeon", "bread oven"], strict=True))
    anonymized = dict(zip(NAMES, documents, strict=True))
    first = outcome(background, anonymized)
    second = outcome(shuffled(background, seed), shuffled(anonymized, seed + 1))
    assert shown(first) == shown(second)  # to the last digit


def test_everybody_is_found_by_what_was_left() -> None:
    found = outcome(BACKGROUND, DOCUMENTS)
    for standing in found.standings.values():
        assert isinstance(standing, RankResult)
        assert standing.right.tolist() == [1.0] * 8
    assert found.evidence["p0"]["guess"] == "p0"
    assert found.evidence["p0"]["words"][0][0] == "surgeon"
    assert found.evidence["p0"]["rank"] == 1


def test_an_anonymization_is_attacked_alone() -> None:
    suite = Suite(CHOSEN, Background(BACKGROUND), Resources(), {})
    before = shown(suite.attack(DOCUMENTS, 5))
    suite.attack(dict.fromkeys(NAMES, "bread bread"), 5)
    assert shown(suite.attack(DOCUMENTS, 5)) == before


def test_the_same_text_about_different_people_is_shared() -> None:
    found = outcome(BACKGROUND, {"p0": "surgeon", "p1": "surgeon"})
    plain, matched, *_ = found.standings.values()
    assert isinstance(plain, RankResult)
    assert isinstance(matched, RankResult)
    assert plain.right.tolist() == [1, 0]
    assert matched.right[0] == 1 / 2  # one of the two documents is p0's, and nobody can tell which


def test_individuals_of_whom_the_same_is_known_are_shared() -> None:
    twins = {**BACKGROUND, "twin": BACKGROUND["p0"]}
    found = outcome(twins, {"p0": "surgeon scalpel", "p1": "bread"})
    for standing in found.standings.values():
        assert isinstance(standing, RankResult)
        assert standing.right.tolist() == [1 / 2, 1]
    assert found.individuals == 9


def test_empty_documents_count_and_are_guessed_at_chance() -> None:
    found = outcome(BACKGROUND, {**DOCUMENTS, "p0": "", "p1": " \u2026 "})
    plain, matched, *_ = found.standings.values()
    assert isinstance(plain, RankResult)
    assert isinstance(matched, RankResult)
    assert plain.right[:2].tolist() == [1 / 8, 1 / 8]
    assert matched.right[:2].tolist() == [1 / 2, 1 / 2]  # six are taken, two are left
    assert found.evidence["p0"]["guess"] is None
    assert found.evidence["p0"]["words"] == []


def test_people_outside_the_background_are_never_found() -> None:
    found = outcome(BACKGROUND, {**DOCUMENTS, "stranger": "surgeon scalpel"})
    assert found.in_background.tolist() == [1] * 8 + [0]
    for standing in found.standings.values():
        assert isinstance(standing, RankResult)
        assert standing.right[-1] == standing.reciprocal[-1] == 0
    assert found.evidence["stranger"]["rank"] is None
    assert found.evidence["stranger"]["margin"] is None


def test_an_individual_with_a_text_without_a_word_is_not_in_the_background() -> None:
    found = outcome({**BACKGROUND, "p0": " … "}, DOCUMENTS)
    assert found.individuals == 7
    assert found.in_background.tolist() == [0] + [1] * 7


def test_what_is_too_large_is_not_run_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_assignment, "LARGEST", 7)
    found = outcome(BACKGROUND, DOCUMENTS)
    assert isinstance(found.standings["lexical"], RankResult)
    assert found.standings["lexical+assignment"] == _assignment.NOT_RUN
    assert found.evidence["p0"]["attack"] == "lexical"


def test_of_many_individuals_the_best_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexical, "EVERYBODY", 5)
    monkeypatch.setattr(lexical, "BEST", 3)
    found = outcome(BACKGROUND, DOCUMENTS, attacks.approaches('lexical, lexical+dense(embedding="lsa")'))
    plain = found.standings["lexical"]
    assert isinstance(plain, RankResult)
    assert plain.right.tolist() == [1.0] * 8
    assert found.standings['lexical+dense(embedding="lsa")'] == "fusing attacks takes at most 5,000 individuals"
    assert found.evidence["p1"]["words"][0][0] == "bread"


class Backwards(attacks.Attack):
    """An attack that knows everybody by name, and lists them the other way round."""

    watches = True
    fitted_with: ClassVar[list[Any]]

    def fit(self, background: Mapping[str, str], resources: Resources, watched: Any = None) -> Any:
        self.fitted_with.append((dict(background), watched))
        individuals = tuple(sorted(background, reverse=True))

        class Fitted:
            @property
            def individuals(self) -> tuple[str, ...]:
                return individuals

            def scores(self, documents: Sequence[str]) -> Candidates:
                scores = np.array([[float(name in text) for name in individuals] for text in documents])
                return replace(Candidates.of(scores), explain=explained)

        def explained(columns: Any) -> list[list[tuple[str, float]]]:
            return [[] if column < 0 else [(individuals[column], 1.0)] for column in columns.tolist()]

        return Fitted()


@pytest.fixture
def backwards(monkeypatch: pytest.MonkeyPatch) -> Backwards:
    monkeypatch.setattr(Backwards, "fitted_with", [], raising=False)
    monkeypatch.setitem(attacks.ATTACKS, "backwards", Backwards())
    return attacks.ATTACKS["backwards"]


def test_any_attack_takes_part(backwards: Backwards) -> None:
    named = {name: f"it is {name}" for name in NAMES}
    chosen = attacks.approaches("backwards, backwards+assignment, lexical+backwards")
    suite = Suite(chosen, Background(BACKGROUND), Resources(), {"named": named})
    found = suite.attack(named, 5)
    for standing in found.standings.values():
        assert isinstance(standing, RankResult)
        assert standing.right.tolist() == [1.0] * 8
    assert [one["words"][0][0] for one in found.evidence.values()] == list(named)  # by its own columns
    assert len(backwards.fitted_with) == 1  # once, however often it is asked for
    background, watched = backwards.fitted_with[0]
    assert background == BACKGROUND
    assert watched["named"].individuals == tuple(named)
    assert watched["named"].texts == tuple(named.values())
    assert set(suite.fit_seconds) == {"backwards", "lexical"}
    assert set(found.seconds) == {str(one) for one in chosen}


def test_an_attack_that_watches_sees_one_of_those_who_cannot_be_told_apart(backwards: Backwards) -> None:
    twins = {"b": "surgeon", "a": "surgeon", "c": "baker"}
    Suite(attacks.approaches("backwards"), Background(twins), Resources(), {"one": {"b": "x", "zed": "y"}})
    background, watched = backwards.fitted_with[0]
    assert background == {"c": "baker", "a": "surgeon"}
    assert watched["one"].individuals == ("a", "zed")


# The control.


def test_a_control_has_somebody_elses_text() -> None:
    found = outcome(BACKGROUND, DOCUMENTS)
    standing = found.standings["lexical"]
    assert isinstance(standing, RankResult)
    assert standing.right.sum() == 8
    assert standing.control.sum() == 0  # whoever is named by another's text is that other
    assert found.controlled.tolist() == [1] * 8


def test_texts_that_tell_nothing_are_as_good_as_anybody_elses() -> None:
    found = outcome(BACKGROUND, dict.fromkeys(NAMES, "***"))
    for standing in found.standings.values():
        assert isinstance(standing, RankResult)
        assert standing.control.tolist() == standing.right.tolist() == [1 / 8] * 8


def test_who_cannot_be_told_apart_does_not_stand_in() -> None:
    same = {**BACKGROUND, "p1": BACKGROUND["p0"]}
    texts = {key: DOCUMENTS[key] for key in ("p0", "p1")}
    assert outcome(same, texts).controlled.tolist() == [0, 0]
    assert outcome(BACKGROUND, texts).controlled.tolist() == [1, 1]
    suite = Suite(CHOSEN, Background(BACKGROUND), Resources(), {})
    assert suite.attack(texts, 5, groups=dict.fromkeys(texts, "one")).controlled.tolist() == [0, 0]


def test_a_control_counts_whom_another_text_leads_to() -> None:
    """Both documents tell of the surgeon: by hers he would be found never, and she by his always."""
    found = outcome(BACKGROUND, {"p0": "PERSON, surgeon", "p1": "PERSON the surgeon"})
    standing = found.standings["lexical"]
    assert isinstance(standing, RankResult)
    assert standing.right.tolist() == [1, 0]
    assert standing.control.tolist() == [1, 0]
