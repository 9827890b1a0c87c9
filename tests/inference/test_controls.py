"""What stands in for a text, and how sure one is that an attack beats it."""

from __future__ import annotations

import numpy as np
import pytest

from showthrough.data.documents import Corpus, Document
from showthrough.data.subjects import Attribute, Subject
from showthrough.families.inference.base import AttackCase
from showthrough.families.inference.controls import answers_of, as_trials, risk, risk_interval, stand_ins
from showthrough.statistics.numerics.control import above, rate


def people(*names: str) -> tuple[Subject, ...]:
    return tuple(Subject(name, (Attribute("NAME", name),)) for name in names)


def documents(**groups: str) -> Corpus:
    return Corpus([Document(key, f"text {key}", group=group, subjects=people(key)) for key, group in groups.items()])


def test_nobody_stands_in_for_their_own_group() -> None:
    corpus = documents(a="x", b="x", c="y", d="", e="")
    for seed in range(20):
        found = stand_ins(corpus, seed)
        assert set(found) == set("abcde")
        assert all(found[one] not in ("a", "b") for one in "ab")
        assert all(found[one] != one for one in "cde")  # without a group everybody is their own
    assert stand_ins(documents(a="x", b="x"), 0) == {}
    assert len({tuple(stand_ins(corpus, seed).items()) for seed in range(20)}) > 1


def test_documents_about_nobody_stand_in_for_nobody() -> None:
    corpus = Corpus(
        [Document("a", "A", subjects=people("a")), Document("b", "B"), Document("c", "C", subjects=people("c"))]
    )
    assert stand_ins(corpus, 0) == {"a": "c", "c": "a"}


def test_controls_are_asked_about_this_document_s_people() -> None:
    corpus = documents(a="", b="")
    asked: list[AttackCase] = []

    class Silent:
        name = "silent"

        def infer(self, cases: list[AttackCase]) -> list[None]:
            asked.extend(cases)
            return [None] * len(cases)

    texts = {"a": "released a", "b": "released b"}
    found = answers_of(Silent(), "x", list(corpus), texts, {"a": "b"}, "subjects", ("NAME",))  # type: ignore[arg-type]
    ours = people("a")
    assert asked[:3] == [
        AttackCase("x", "a", "released a", ours, "subjects", ("NAME",)),
        AttackCase("x", "", "", ours, "subjects", ("NAME",)),
        AttackCase("x", "b", "released b", ours, "subjects", ("NAME",)),
    ]
    assert len(asked) == 5  # nothing stands in for b
    assert [one.other for one in found] == [None, None]


def test_one_try_a_document_is_anonymeter_s() -> None:
    """Giomi et al. 2023, as in tests/numerics: 30 and 10 of 100."""
    won, control, ones = np.repeat([1, 0], [30, 70]), np.repeat([1, 0], [10, 90]), np.ones(100)
    assert as_trials(won, ones, 0.95) == pytest.approx((30, 100), abs=1e-9)
    low, high = above(rate(30, 100), rate(10, 100)).ends
    assert risk_interval((won, ones), (control, ones), 0.95) == pytest.approx((low.item(), high.item()), abs=1e-12)


def test_tries_that_stand_together_are_fewer_trials() -> None:
    # Ten documents, of which half tell all of their 10 attributes and half nothing: ten trials, and t makes them fewer.
    won = np.repeat([10, 0], 5)
    right, trials = as_trials(won, np.full(10, 10), 0.95)
    assert right / trials == pytest.approx(0.5)
    assert 5 < trials <= 10
    # Spread evenly they say more than ten, and never more than there are.
    random = np.random.default_rng(0)
    assert 30 < as_trials(random.binomial(10, 0.5, 30), np.full(30, 10), 0.95)[1] <= 300


@pytest.mark.parametrize(
    ("won", "tried", "trials"),
    [
        # 3 of 4, each document 0.5 from its mean: (0.5 / 4²) · 2 / 1 = 1 / 16, and 4 · 3/16 / 3 over that are 4 trials;
        # Student's t of 1 degree makes them 4 (1.95996 / 12.70620)².
        ([2, 1], [2, 2], 0.0951753),
        # 6 of 10; moves of 0.16, 0.04, 1.44 and 1.96: 3.6 / 100 · 4/3 = 0.048, and 10 · 0.24 / 9 over that are 5.5556.
        # They speak as 12.96 / 5.9424 = 2.18 do, which would be 4.36 degrees, but there are 3: t is 3.18245.
        ([1, 1, 3, 1], [1, 2, 3, 4], 2.1071794),
        # 15.652 trials are 5.608 by t of the 2.857 degrees that speak and 9.099 by that of 5: all six weigh alike.
        ([3, 3, 3, 3, 3, 0], [4, 4, 4, 4, 4, 4], 6),
        # Half of 50; moves of 16, 4, 2.25, 0.25 and 0: 22.5 / 2500 · 5/4 = 0.01125, and 50 / 4 / 49 over that are
        # 22.6757. They speak as 506.25 / 277.125 = 1.8268 do; t of 3.6536 degrees is 2.88341, which leaves 10.4772.
        # Documents weigh as 2500 / 650 = 3.84615 do, and what goes beyond counts by 3.84615 / 5:
        # 3.84615 + 0.76923 · 6.6310.
        ([9, 3, 1, 2, 10], [10, 10, 5, 5, 20], 8.9469394),
        ([4, 5, 6, 5, 5, 5, 5, 5], [10] * 8, 16),  # two of eight deviate: 8 · 2
        ([1, 1, 2, 2, 1, 2], [2, 2, 3, 3, 2, 3], 15),  # never more than there are
    ],
)
def test_trials_worked_by_hand(won: list[int], tried: list[int], trials: float) -> None:
    share = sum(won) / sum(tried)
    assert as_trials(won, tried, 0.95) == pytest.approx((share * trials, trials), rel=1e-5)


def test_documents_without_a_try_count_nowhere() -> None:
    assert as_trials([1, 0, 0], [1, 1, 0], 0.95) == as_trials([1, 0], [1, 1], 0.95)
    assert as_trials([0], [0], 0.95) == (0.0, 0.0)
    assert risk_interval(([1], [1]), ([0], [0]), 0.95) is None


def test_whoever_tells_everything_has_risk_1() -> None:
    every, none, ones = np.ones(40), np.zeros(40), np.ones(40)
    assert risk(1.0, 0.0) == 1
    low, high = risk_interval((every, ones), (none, ones), 0.95) or (0, 0)
    assert high == 1
    assert low > 0.7
    assert risk(1.0, 0.6) == 1
    assert np.isnan(risk(1.0, 1.0))  # nothing is left to be told


@pytest.mark.slow
@pytest.mark.parametrize(("success", "control", "spread"), [(0.3, 0.3, 0.5), (0.5, 0.1, 0.2), (0.9, 0.05, 0.5)])
def test_intervals_hold_the_risk_where_attributes_stand_together(success: float, control: float, spread: float) -> None:
    """Of 200 corpora of 40 documents with 1 to 10 attributes each; 95 % is meant, and 90 % would be 15 misses more."""
    random, true, missed = np.random.default_rng(7), max(0.0, (success - control) / (1 - control)), 0
    heavy = (1 - spread) / spread
    for _ in range(200):
        tried = random.integers(1, 11, 40)
        won = [random.binomial(tried, random.beta(one * heavy, (1 - one) * heavy, 40)) for one in (success, control)]
        low, high = risk_interval((won[0], tried), (won[1], tried), 0.95) or (1, 0)
        missed += not low <= true <= high
    assert missed <= 18


@pytest.mark.parametrize("uneven", [False, True])
def test_a_control_that_never_succeeds_does_not_lower_a_small_risk(uneven: bool) -> None:
    """Of 200 corpora of 144 documents where 5 % are inferred and nothing without a text; 95 % is meant."""
    random, above_it = np.random.default_rng(7), 0
    for _ in range(200):
        tried = np.maximum(random.lognormal(2, 1.2, 144).astype(int), 1) if uneven else np.full(144, 20)
        won = random.binomial(tried, random.beta(0.95, 18.05, 144))
        _, high = risk_interval((won, tried), (np.zeros(144), tried), 0.95) or (0, 0)
        above_it += high < 0.05
    assert above_it <= 12
