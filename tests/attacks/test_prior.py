"""How much is known of people, and what a release tells of it."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Background, apply_masks, read_anonymization, read_background, read_corpus, reidentify
from showthrough.core.arrays import Floats, Ints
from showthrough.families.reidentification.attacks import _prior, lexical
from showthrough.families.reidentification.attacks._prior import LITTLE, MUCH, apply_prior, measure_knowledge
from showthrough.families.reidentification.attacks.base import Candidates, Rest
from showthrough.families.reidentification.attacks.lexical import Lexical


def by_the_formula(score: Floats, known: Floats) -> tuple[float, float, float]:
    """β, γ and w as they are defined, γ being sought on a fine grid."""
    beta = math.pi / (math.sqrt(3) * math.sqrt(np.mean(score**2)))

    def likelihood(tilt: float) -> float:
        share = np.exp(tilt * known) / np.exp(tilt * known).sum()
        return float(np.log((share * np.exp(beta * score)).sum(axis=1)).sum())

    grid = np.arange(-4, 4, 0.001)
    tilt = float(grid[np.argmax([likelihood(one) - one**2 / 2 for one in grid])])
    ratio = 2 * (likelihood(tilt) - likelihood(0))
    return beta, tilt, 1 / (1 + math.exp(-(ratio - math.log(len(score))) / 2))


def planted(documents: int, individuals: int, pull: float, seed: int = 0) -> tuple[Floats, Floats, Ints]:
    """Fits of documents about people of whom more is known the larger `pull` is, how much that is, and who they are."""
    random = np.random.default_rng(seed)
    known = random.normal(size=individuals)
    known = (known - known.mean()) / known.std()
    chance = np.exp(pull * known)
    truth = random.choice(individuals, documents, p=chance / chance.sum())
    score = random.normal(size=(documents, individuals))
    score[np.arange(documents), truth] += 2.5
    return score, known, truth


@pytest.mark.parametrize(("pull", "seed"), [(1.5, 0), (-1.0, 1), (0.0, 2), (0.4, 3)])
def test_it_is_the_formula(pull: float, seed: int) -> None:
    score, known, _ = planted(40, 60, pull, seed)
    beta, tilt, weight = by_the_formula(score, known)
    found = apply_prior(Candidates.of(score), known, np.ones(60, dtype=np.int64))
    assert found.score == pytest.approx(beta * score + weight * tilt * known, abs=0.005)
    assert np.sign(tilt) == np.sign(pull) or not pull


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_documents_and_individuals_changes_next_to_no_digit(seed: int) -> None:
    score, known, _ = planted(33, 59, 0.4, seed)
    sizes, random = np.ones(59, dtype=np.int64), np.random.default_rng(0)
    found = apply_prior(Candidates.of(score.copy()), known, sizes).score
    for _ in range(5):
        rows, columns = random.permutation(33), random.permutation(59)
        again = apply_prior(Candidates.of(score[rows][:, columns]), known[columns], sizes).score
        assert again == pytest.approx(found[rows][:, columns], abs=1e-12)


def test_what_is_known_by_hand() -> None:
    # ln 2, ln 4 and ln 8, of which two individuals have the first: mean 7/4 ln 2, deviation ln 2 · √(11/16)
    found = measure_knowledge(["one", "one two three", "1 2 3 4 5 6 7"], np.array([2, 1, 1]))
    assert found == pytest.approx(np.array([-3 / 4, 1 / 4, 5 / 4]) / math.sqrt(11 / 16))
    assert measure_knowledge(["a b", "c d"], np.array([1, 1])).tolist() == [0, 0]


def test_evidence_stays_exact() -> None:
    """Words sum to the fit, and one more term says how much is known."""
    background = {"ann": "surgeon " + "and much more is said of her here " * 9, "bob": "a baker", "cem": "a judge"}
    fitted = Lexical().fit(background)
    before = fitted.scores(["the surgeon", "surgeon again"])
    known = measure_knowledge(list(background.values()), np.ones(3, dtype=np.int64))
    after = apply_prior(before, known, np.ones(3, dtype=np.int64))
    assert after.reason is not None
    scale = (after.score[0, 0] - after.reason(0)[0][1]) / before.score[0, 0]
    for column, (_, part) in enumerate(after.reason(number)[0] for number in range(3)):
        assert after.score[:, column] == pytest.approx(scale * before.score[:, column] + part)
    assert [after.reason(number)[0][0] for number in range(3)] == [MUCH, LITTLE, LITTLE]
    asked = np.array([0, 0])
    words = zip(before.explain_rows(asked, asked), after.explain_rows(asked, asked), strict=True)
    for old, new in words:
        assert [word for word, _ in new] == [word for word, _ in old] != []
        assert [part for _, part in new] == pytest.approx([scale * part for _, part in old])


def test_documents_that_tell_nothing_stay_ties() -> None:
    score, known, _ = planted(20, 10, 1.5)
    heard = np.arange(20) > 2
    score[~heard] = 0
    found = apply_prior(Candidates(score, 10, heard), known, np.ones(10, dtype=np.int64))
    assert not found.score[~heard].any()
    without = apply_prior(Candidates(score[heard], 10, heard[heard]), known, np.ones(10, dtype=np.int64))
    assert (found.score[heard] == without.score).all()
    silent = Candidates(score, 10, np.zeros(20, dtype=bool))
    assert apply_prior(silent, known, np.ones(10, dtype=np.int64)) is silent


def test_individuals_of_the_same_text_count_each() -> None:
    """A profile of three is three individuals: columns told apart give the same as one that stands for them."""
    score, known, _ = planted(30, 6, 1.0)
    sizes = np.array([3, 1, 1, 1, 1, 1])
    apart = np.repeat(np.arange(6), sizes)
    at = _prior._Release(Candidates.of(score), 1.0, known, sizes).likeliest()
    assert at == pytest.approx(
        _prior._Release(Candidates.of(score[:, apart]), 1.0, known[apart], np.ones(8, dtype=np.int64)).likeliest()
    )


@given(st.integers(0, 1000), st.floats(-3, 3))
@settings(max_examples=30, deadline=None)
def test_no_step_leads_down(seed: int, pull: float) -> None:
    score, known, _ = planted(8, 12, pull, seed)
    release = _prior._Release(Candidates.of(score), 2.0, known, np.ones(12, dtype=np.int64))
    tilt = release.likeliest()
    height = release.at(tilt)[0] - tilt**2 / 2
    assert height >= release.at(0.0)[0]
    assert all(height >= release.at(tilt + step)[0] - (tilt + step) ** 2 / 2 - 1e-9 for step in (-0.01, 0.01))


def test_where_only_the_best_are_kept_the_rest_still_counts() -> None:
    """2,000 individuals of whom 100 are kept: what is learned is nearly what all fits tell."""
    score, known, _ = planted(100, 2000, 1.0)
    ones = np.ones(2000, dtype=np.int64)
    column = np.argsort(-score, axis=1)[:, :100]
    best = np.take_along_axis(score, column, axis=1)
    left = 1900
    rest = Rest((score.sum(1) - best.sum(1)) / left, ((score**2).sum(1) - (best**2).sum(1)) / left)
    heard = np.ones(100, dtype=bool)
    whole, some = Candidates(score, 2000, heard), Candidates(best, 2000, heard, column, rest=rest)
    assert _prior._scale(some) == pytest.approx(_prior._scale(whole))
    scale = _prior._scale(whole)
    tilts = [_prior._Release(one, scale, known, ones).likeliest() for one in (whole, some)]
    assert tilts[1] == pytest.approx(tilts[0], rel=0.1)
    assert _prior.fits(some)
    assert not _prior.fits(Candidates(best, 2000, heard, column))


def test_the_lexical_attack_tells_what_it_did_not_keep(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    words = np.array([f"w{number}" for number in range(300)])
    texts = [" ".join(words[random.integers(0, 300, 30)]) for _ in range(40)]
    background = {str(number): text for number, text in enumerate(texts)}
    monkeypatch.setattr(lexical, "EVERYBODY", 10)
    whole = Lexical().fit(background).scores(texts[:5])
    assert whole.rest is None  # nobody is left
    monkeypatch.setattr(lexical, "BEST", 8)
    some = Lexical().fit(background).scores(texts[:5])
    assert some.rest is not None
    left = np.sort(whole.score, axis=1)[:, :-8]
    assert some.rest.mean == pytest.approx(left.mean(axis=1))
    assert some.rest.square == pytest.approx((left**2).mean(axis=1))


def test_it_costs_little_where_there_is_nothing_to_tell() -> None:
    """People in the release are as the others are: over 60 such sets one in a hundred is lost at most."""
    lost = []
    for seed in range(60):
        score, known, truth = planted(30, 100, 0.0, seed)
        found = apply_prior(Candidates.of(score), known, np.ones(100, dtype=np.int64)).score
        lost.append(np.mean(score.argmax(axis=1) == truth) - np.mean(found.argmax(axis=1) == truth))
    assert np.mean(lost) < 0.01


@pytest.mark.slow
def test_people_of_whom_much_is_known_are_found_among_others(data: Path) -> None:
    """The 30 applicants of TAB with the longest backgrounds among the 97 others: at least 5 points more."""
    corpus = read_corpus(data / "tab/test_texts.json")
    known = read_background(data / "tab/background/public.json").texts
    targets = sorted(known, key=lambda key: (-len(known[key].split()), key))[:30]
    texts = {}
    for path in sorted((data / "tab/anonymizations").glob("*.json")):
        found = read_anonymization(path, corpus)
        texts[path.stem] = {one.id: apply_masks(one.text, found.of(one.id)) for one in corpus if one.id in targets}
    run = reidentify(Background(known), texts, "lexical, lexical+prior", resamples=0, references=False)
    name = run.metrics[0].text
    plain, more = (np.mean([run[one, name, part].value or 0 for one in texts]) for part in ("lexical", "lexical+prior"))
    assert more >= plain + 0.05
