"""The challenge's thirteen systems: each trains on small records, finds what is in others, and is kept in a folder."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, PlanError, evaluate
from showthrough.systems import anonymize, anonymizer
from showthrough.systems.taggers.training import BEST, PRESETS, preset_named, train_tagger

Records = Callable[[int, int], Corpus]
TEAMS = {"aramaki": 1, "guillen": 1, "guo": 2, "hara": 3, "szarvas": 3, "wellner": 3}
RUNS = [f"{team}{number}" for team, count in TEAMS.items() for number in range(1, count + 1)]
FEWER: dict[str, dict[str, Any]] = {
    "crf": {"iterations": 25},
    "boosted": {"rounds": 20, "type_rounds": 8},
    "voted": {"settings": {"rounds": 12, "type_rounds": 6}},
}
LEAST = {"guillen1": 0.6}  # strict F of rules alone; of all others 0.9


def test_they_are_the_paper_s_runs_and_a_team_is_its_best_one() -> None:
    assert sorted(PRESETS) == RUNS
    assert set(BEST) == set(TEAMS)
    assert preset_named("wellner") == PRESETS["wellner3"]
    assert preset_named("szarvas") == PRESETS["szarvas2"]
    with pytest.raises(PlanError, match=r"unknown preset 'wrenn'; .*there are: aramaki1, guillen1"):
        preset_named("wrenn")


@pytest.mark.parametrize("run", RUNS)
def test_each_learns_from_small_records_and_masks_new_ones(run: str, records: Records, tmp_path: Path) -> None:
    recipe = preset_named(run)
    recipe = replace(recipe, settings={**recipe.settings, **FEWER.get(recipe.learner, {})})
    tagger = train_tagger(records(20, 1), recipe=recipe, threshold=0.5)
    others = records(8, 2)
    made = anonymize(others, tagger)
    told = evaluate(others, {run: made}, ["phi_strict", "precision"], references=False, resamples=0)
    assert (told[run, "phi_strict"].value or 0) >= LEAST.get(run, 0.9)
    assert (told[run, "precision"].value or 0) > 0.9
    tagger.save(tmp_path / run)
    assert dict(anonymize(others, anonymizer(f"{tmp_path}/{run}/")).masks) == dict(made.masks)


def test_systems_differ_where_the_paper_says_so() -> None:
    assert PRESETS["wellner1"].features == PRESETS["wellner2"].features
    assert {PRESETS[f"wellner{number}"].learner for number in (1, 2, 3)} == {"crf", "hmm"}
    assert PRESETS["szarvas3"].features.trusted > PRESETS["szarvas1"].features.trusted
    assert all(PRESETS[f"szarvas{number}"].propagate for number in (1, 2, 3))
    assert PRESETS["guo2"].features.window == 6
    assert PRESETS["hara3"].settings["of"] == "svm"
    assert PRESETS["hara1"].settings["of"] == "sentenced"
