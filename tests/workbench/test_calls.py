"""Python's `bench`."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, InputError, Mask, PlanError, bench, evaluate
from showthrough.evaluation.api import EvaluationCall
from showthrough.systems import anonymize
from showthrough.systems.rules import Rules
from showthrough.systems.workbench.api import BenchCall


def first_letters(text: str) -> list[tuple[int, int]]:
    return [(0, 3)]


QUICK: dict[str, Any] = {"cache": False, "resamples": 20}


def test_it_gives_what_anonymizing_and_evaluating_give(tiny: Corpus) -> None:
    file = Anonymization({"d1": [Mask(0, 11)], "d2": [], "d3": []}, "file")
    run = bench(tiny, ["rules"], anonymizations=[file], **QUICK)
    same = evaluate(tiny, [anonymize(tiny, Rules()), file], **QUICK)
    assert run.scores == same.scores
    assert [one.text for one in run.metrics] == [one.text for one in same.metrics]


@pytest.mark.parametrize(
    ("systems", "names"),
    [
        ("rules", ["rules"]),
        (Rules(), ["rules"]),
        (["mine=rules", Rules()], ["mine", "rules"]),
        ({"one": "rules", "two": Rules()}, ["one", "two"]),
        ([first_letters], ["first_letters"]),
    ],
)
def test_systems_in_any_form(systems: Any, names: list[str], tiny: Corpus) -> None:
    assert bench(tiny, systems, "er_di", **QUICK).names == names


@pytest.mark.parametrize(
    ("systems", "says"),
    [
        (3, "anonymizer: found 3; expected how one is written, a value or a function"),
        (["rules", "rules"], "anonymization rules: this name is used twice"),
        ("nobody", "unknown anonymizer 'nobody'"),
        ([], "anonymizations: none was given"),
    ],
)
def test_what_is_no_system_is_refused(systems: Any, says: str, tiny: Corpus) -> None:
    with pytest.raises(InputError, match=says):
        bench(tiny, systems, "er_di", **QUICK)


def test_settings_are_those_of_evaluate(tiny: Corpus) -> None:
    run = bench(tiny, "rules", "er_di", thresholds={"min": {"er_di": 0.5}}, texts=False, seed=7, **QUICK)
    assert (run.settings.seed, run.texts) == (7, None)
    assert [str(one) for one in run.thresholds] == ["er_di ≥ 0.5"]
    with pytest.raises(PlanError, match="unknown argument"):
        bench(tiny, "rules", sead=7)  # type: ignore[call-arg]


def test_with_a_background_people_are_looked_for(tiny: Corpus) -> None:
    known = {"d1": "John Doe lives in Oslo.", "d2": "Ann Lee of Oslo.", "d3": "Nobody."}
    assert bench(tiny, "rules", background=known, **QUICK).metrics[-1].name == "trir"


def test_bench_takes_all_that_evaluate_takes() -> None:
    own = {field.name for field in fields(BenchCall)}
    assert {field.name for field in fields(EvaluationCall)} - own == {"resume"}
