"""PAN 2020's authorship verification: three submissions' answers, and the measures that were published for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from showthrough.formats.authorship.verifier_answers import read_answers, read_truth
from showthrough.studies.verification import verifier_scores

PUBLISHED = {  # AUC, c@1, F0.5u, F1, Brier, overall
    "boenninghoff20-large": (0.969, 0.928, 0.918, 0.936, 0.933, 0.937),
    "weerasinghe20-large": (0.953, 0.880, 0.882, 0.891, 0.904, 0.902),
    "niven20-small": (0.795, 0.786, 0.842, 0.778, 0.830, 0.806),
}


def test_all_published_values(data: Path) -> None:
    folder = data / "pan20"
    truth = read_truth(folder / "truth.jsonl.gz")
    answers = {name: read_answers(folder / f"{name}.jsonl.gz") for name in PUBLISHED}
    found = verifier_scores(truth, answers, resamples=0)
    assert found.problems == 14_311
    for one in found.verifiers:
        rounded = tuple(round(each.value or 0, 3) for each in one.measures.values())
        assert rounded == PUBLISHED[one.name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_overall_is_the_mean_before_rounding(data: Path, name: str) -> None:
    """Both readings of PAN's table give the published overall; this is the one that loses nothing."""
    folder = data / "pan20"
    found = verifier_scores(
        read_truth(folder / "truth.jsonl.gz"), {name: read_answers(folder / f"{name}.jsonl.gz")}, resamples=0
    )
    *five, overall = (each.value or 0 for each in found.verifiers[0].measures.values())
    assert overall == pytest.approx(sum(five) / 5)
    assert round(sum(round(value, 3) for value in five) / 5, 3) == PUBLISHED[name][-1]
