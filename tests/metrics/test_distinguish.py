"""From which of two originals a release comes, and what that says of ε."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, PlanError, Run, evaluate
from showthrough.families.reidentification.distinguish import epsilon_bound, pair_up
from showthrough.statistics.numerics.distributions import binomial_ends

GROUPED = 'distinguish(pairs="group")'


def answered(pairs: int, epsilon: float, seed: int = 0) -> tuple[Corpus, Anonymization]:
    """Randomised response: neighbours that said yes and no, of whom each is released truly with e^ε / (1 + e^ε)."""
    random = np.random.default_rng(seed)
    truly = random.random(2 * pairs) < math.exp(epsilon) / (1 + math.exp(epsilon))
    said = ["yes", "no"] * pairs
    corpus = Corpus(
        [Document(f"{at:05}", f"Somebody said {word}", group=f"pair {at // 2}") for at, word in enumerate(said)]
    )
    swapped = {"yes": "no", "no": "yes"}
    masks = {
        f"{at:05}": [] if true else [Mask(14, 14 + len(word), swapped[word])]
        for at, (word, true) in enumerate(zip(said, truly.tolist(), strict=True))
    }
    return corpus, Anonymization(masks)


def values(run: Run) -> Mapping[str, float | None]:
    return {score.part: score.value for score in run.scores if score.anonymization == "x"}


def test_randomised_response_is_seen_through() -> None:
    """The attack finds every true answer, so the accuracy is that of the mechanism; its bound lies below ε."""
    corpus, masks = answered(2000, 1.0)
    run = evaluate(corpus, {"x": masks}, metrics=[GROUPED], resamples=0, references=False)
    right = sum(not own for own in masks.masks.values())
    assert values(run)[""] == right / 4000
    assert values(run)["epsilon"] == pytest.approx(epsilon_bound(np.array(right), np.array(4000), 0, 0.95).item())
    assert 0.7 < (values(run)["epsilon"] or 0) <= 1.0


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 3.0])
def test_the_bound_holds_and_is_near(epsilon: float) -> None:
    """1,000 tries with 2,000 pairs each: at or below ε in at least 93 % of them, and within 0.3 of it."""
    truth = math.exp(epsilon) / (1 + math.exp(epsilon))
    right = np.random.default_rng(7).binomial(4000, truth, 1000).astype(np.float64)
    bounds = epsilon_bound(right, np.full(1000, 4000.0), 0.0, 0.95)
    assert (bounds <= epsilon).mean() >= 0.93
    assert np.median(bounds) > epsilon - 0.3


def test_the_bound_by_hand() -> None:
    """30 of 30 right: a ≥ 0.05^(1/30) = 0.9050; ln(0.9050 / 0.0950) = 2.2542; with δ = 0.1, ln(0.8050 / 0.0950)."""
    low = 0.05 ** (1 / 30)
    every = np.array(30.0)
    assert epsilon_bound(every, every, 0.0, 0.95).item() == pytest.approx(math.log(low / (1 - low)))
    assert epsilon_bound(every, every, 0.1, 0.95).item() == pytest.approx(math.log((low - 0.1) / (1 - low)))
    assert epsilon_bound(np.array(15.0), every, 0.0, 0.95).item() == 0.0
    assert math.isnan(epsilon_bound(np.array(0.0), np.array(0.0), 0.0, 0.95).item())


def test_what_stays_is_traced_and_what_is_gone_is_a_tie() -> None:
    texts = [f"Letter {number * 7919} of a {word} person" for number, word in enumerate(["tall", "small"] * 20)]
    corpus = Corpus([Document(f"{at:02}", text) for at, text in enumerate(texts)])
    all_gone = Anonymization({one.id: [Mask(0, len(one.text))] for one in corpus})
    as_it_was = Anonymization({key: [] for key in corpus.ids})
    for masks, accuracy, bound in (
        (as_it_was, 1.0, math.log(0.05 ** (1 / 40) / (1 - 0.05 ** (1 / 40)))),
        (all_gone, 0.5, 0.0),
    ):
        run = evaluate(corpus, {"x": masks}, metrics=["distinguish"])
        assert values(run)[""] == accuracy
        assert values(run)["epsilon"] == pytest.approx(bound)
    assert any("does not show that ε is small" in note for note in run.notes)


def test_the_interval_is_of_releases_however_alike_originals_are() -> None:
    corpus, masks = answered(50, 2.0)
    score = evaluate(corpus, {"x": masks}, metrics=[GROUPED])["x", GROUPED]
    right = sum(not own for own in masks.masks.values())
    low, high = binomial_ends(right, 100, 0.95)
    assert (score.low, score.high) == (pytest.approx(low.item()), pytest.approx(high.item()))


def test_drawn_pairs_take_one_document_of_each_person() -> None:
    corpus = Corpus([Document(f"{at}", f"Text {at * 7919} of {at % 4}", group=f"person {at % 4}") for at in range(12)])
    partner = pair_up(corpus, "drawn", 0)
    paired = np.flatnonzero(partner >= 0)
    assert len(paired) == 4
    assert sorted(int(number) % 4 for number in paired) == [0, 1, 2, 3]
    assert (partner[partner[paired]] == paired).all()


def test_the_order_of_documents_does_not_matter() -> None:
    corpus = Corpus([Document(f"{at}", f"Text {at * 7919}") for at in range(9)])
    turned = Corpus(list(corpus)[::-1])
    pairs = [
        {frozenset((one.ids[at], one.ids[other])) for at, other in enumerate(pair_up(one, "drawn", 3)) if other >= 0}
        for one in (corpus, turned)
    ]
    assert pairs[0] == pairs[1]
    assert len(pairs[0]) == 4  # of nine documents one is in no pair


def test_groups_of_more_than_two_are_refused() -> None:
    corpus = Corpus([Document(f"{at}", f"Text {at}", group="g") for at in range(3)])
    masks = Anonymization({f"{at}": [] for at in range(3)})
    with pytest.raises(InputError, match="groups g: have more than two documents; expected two"):
        evaluate(corpus, {"x": masks}, metrics=[GROUPED])
    alone = Corpus([Document("a", "Text")])
    with pytest.raises(InputError, match="expected --group-by FIELD"):
        evaluate(alone, {"x": Anonymization({"a": []})}, metrics=[GROUPED])
    score = evaluate(alone, {"x": Anonymization({"a": []})}, metrics=["distinguish"])["x", "distinguish"]
    assert (score.value, score.reason) == (None, "no two documents make a pair")


@pytest.mark.parametrize("wrong", ["delta=1.0", "confidence=0.5", "seed=-1", 'similarity="magic"'])
def test_values_out_of_range_are_refused(wrong: str) -> None:
    corpus = Corpus([Document("a", "Text")])
    with pytest.raises(PlanError):
        evaluate(corpus, {"x": Anonymization({"a": []})}, metrics=[f"distinguish({wrong})"])
