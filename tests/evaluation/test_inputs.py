"""Inputs of families on their way through plans, records and resumed runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from showthrough import Anonymization, Background, Corpus, Document, InputError, Mask, PlanError, Run, evaluate
from showthrough.core.families import FAMILIES, Family, record_for
from showthrough.evaluation._resume import _SAME
from showthrough.evaluation.plan_files import read_request
from showthrough.metrics import parse_metric
from showthrough.run.provenance import metric_record

CORPUS = Corpus([Document("ann", "Ann sings in Oslo."), Document("bob", "Bob bakes in Rome.")])
MASKS = Anonymization({"ann": [Mask(0, 3, "She")], "bob": [Mask(0, 3, "He")]}, "m")
ONE, OTHER = {"ann": "Ann sings", "bob": "Bob bakes"}, {"ann": "a singer", "bob": "a baker"}


def scored(**texts: dict[str, str]) -> Run:
    given = [Background(known, name) for name, known in texts.items()]
    return evaluate(CORPUS, MASKS, background=given, resamples=0, references=False)


def test_backgrounds_that_change_places_are_others() -> None:
    """Rows of one must not be taken for rows of the other where a run is resumed; their order says nothing."""
    same = _SAME["background"]
    assert same(scored(a=ONE, b=OTHER)) != same(scored(a=OTHER, b=ONE))
    assert same(scored(a=ONE, b=OTHER)) == same(scored(b=OTHER, a=ONE))


def test_a_record_is_found_by_the_name_that_a_metric_says() -> None:
    records = scored(a=ONE, b=OTHER).inputs["background"]
    found = {name: record_for("background", records, metric_record(parse_metric(name))) for name in (
        "trir", 'trir(background="b")', 'trir(background="c")', "precision",
    )}  # fmt: skip
    assert [found[name] for name in found] == [records[0], records[1], None, None]


@pytest.mark.parametrize("written", ["[]", '["a.json", "b.json"]', '""', "3"])
def test_a_background_that_is_no_file_is_refused_or_none(written: str, tmp_path: Path) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(f'corpus = "c.json"\nbackground = {written}\n[anonymizations]\nm = "m.json"\n', encoding="utf-8")
    if written == "[]":
        assert not read_request(plan).settings.background
        return
    with pytest.raises(InputError, match=r"plan\.toml: background") as caught:
        read_request(plan)
    assert len(caught.value.problems) == 1


@dataclass
class Melting:
    heat: int = 0


@dataclass(frozen=True, kw_only=True)
class Lacking:
    heat: int


@pytest.mark.parametrize("options", [Melting, Lacking, int])
def test_options_that_cannot_be_put_together_with_others_are_refused(options: type) -> None:
    with pytest.raises(PlanError, match="expected a frozen dataclass of keywords, each with a default"):
        FAMILIES.register("hot", Family("hot", options=options))
    assert "hot" not in FAMILIES
