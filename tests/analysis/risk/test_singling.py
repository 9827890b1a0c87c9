"""Singling out: figures by hand, who is counted, and what is said where something is missing."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from inferring import CENSUS, run_of
from showthrough import InputError, PlanError, Population, risk_annex
from showthrough.run.run import Run
from showthrough.studies.risk.values import SinglingOut

OLE = [("0", "AGE", "30", "30", 1.0), ("0", "SEX", "m", "male", 1.0)]  # one of the census
EVA = [("1", "SEX", "f", "woman", 1.0)]  # ten
BO = [("0", "LOCATION", "Bergen / Norway", "Norway", 0.5)]  # everybody
NOBODY = [("0", "AGE", "77", "77", 1.0)]


@pytest.fixture
def census(tmp_path: Path) -> Path:
    path = tmp_path / "census.csv"
    path.write_text(CENSUS, encoding="utf-8")
    return path


def only(run: Run, census: Path) -> SinglingOut:
    (found,) = risk_annex(run, census).singling_out.figures
    return found


def test_by_hand(census: Path) -> None:
    """k is 1, 10, 100, 0 and, for the one of whom nothing was inferred, 100."""
    found = only(run_of([[*OLE, *EVA], BO, NOBODY, []], [2, 1, 1, 1]), census)
    assert (found.people, found.narrowed) == (5, 4)
    assert found.expected.value == pytest.approx((1 + 0.1 + 0.01 + 1 + 0.01) / 5, rel=1e-12)
    assert [one.value for one in (found.unique, found.absent)] == pytest.approx([0.2, 0.2])
    assert found.above.value == pytest.approx(0.6)  # 1, 1/10 and nobody
    for one in (found.expected, found.unique, found.absent, found.above):
        assert one.low is not None
        assert one.high is not None
        assert 0 <= one.low <= (one.value or 0) <= one.high <= 1
    assert found.used == {"AGE": 2, "SEX": 2, "LOCATION": 1}
    assert found.strange == {"AGE": 1}
    assert found.remarks == ()


def test_what_was_inferred_without_any_numbers_counts_nobody(census: Path) -> None:
    """A run may keep what was inferred and have no rows of the metric: nobody knows of how many people that is."""
    run = run_of([OLE])
    assert run.evidence
    bare = replace(run, rows={}, scores=[])
    found = risk_annex(bare, census).singling_out
    assert (found.figures, found.reason) == ((), "nothing was inferred about people in this run: see Inference")


def test_the_threshold_is_taken_by_the_letter() -> None:
    for size, above in ((11, 1.0), (12, 0.0)):
        people = Population.of({"SEX": ["m", "f"]}, [size, 1])
        (found,) = risk_annex(run_of([OLE]), people).singling_out.figures
        assert found.above.value == above


def test_the_interval_is_over_documents(census: Path) -> None:
    """Everybody in one document is as one: with nothing seen in n documents up to about 3 in n may be there."""
    many = only(run_of([[]] * 40, [25] * 40), census)
    few = only(run_of([BO] * 4, [250] * 4), census)
    assert many.above.value == few.above.value == 0
    assert many.above.high == pytest.approx(1 - 0.05 ** (1 / 40))
    assert few.above.high == pytest.approx(1 - 0.05 ** (1 / 4))


def test_groups_are_drawn_as_a_whole(census: Path) -> None:
    run = run_of([BO] * 6)
    run.groups = ["a", "a", "a", "b", "b", "b"]
    assert only(run, census).above.high == pytest.approx(1 - 0.05 ** (1 / 2))


def test_without_resamples(census: Path) -> None:
    found = only(run_of([BO, OLE], resamples=0), census)
    assert (found.above.value, found.above.low, found.above.note) == (0.5, None, "the run was made without resamples")


def test_what_the_table_lacks_is_told(census: Path) -> None:
    job = [("0", "OCCUPATION", "Nurse", "nurse", 1.0), ("0", "AGE", "grown", "grown", 1.0)]
    found = only(run_of([[*job, *EVA]], [2]), census)
    assert (found.lacking, found.vague, found.narrowed) == ({"OCCUPATION": 1}, {"AGE": 1}, 1)


def test_a_name_leads_to_somebody_whatever_k_is(census: Path) -> None:
    """Bo is one of a hundred by his country, and named; Ole is one alone; nobody knows of the third."""
    named = [*BO, ("0", "NAME", "Bo Ek", "Bo Ek", 1.0)]
    found = only(run_of([[*named, ("1", "SEX", "m", "m", 1.0), ("1", "AGE", "30", "30", 1.0)], []], [2, 1]), census)
    assert found.expected.value == pytest.approx((0.01 + 1 + 0.01) / 3)
    assert (found.above.value, found.named.value, found.found.value) == pytest.approx((1 / 3, 1 / 3, 2 / 3))
    listed = Population.of({"NAME": ["Bo Ek", "Ole"], "LOCATION": ["Norway", "Norway"]}, [1, 9])
    (known,) = risk_annex(run_of([named]), listed).singling_out.figures  # the table says how many have the name
    assert (known.named.value, known.unique.value) == (0.0, 1.0)


def test_guesses_that_are_wrong_tell_nothing(census: Path) -> None:
    found = only(run_of([[("0", "AGE", "30", "70", 0.0), *EVA]], [2]), census)
    assert (found.narrowed, found.used) == (1, {"SEX": 1})


def test_of_several_guesses_the_best_counts(census: Path) -> None:
    both = [("0", "LOCATION", "Bergen / Norway", "Norway", 0.5), ("0", "LOCATION", "Oslo / Norway", "Oslo/Norway", 1.0)]
    found = only(run_of([both]), census)
    assert found.expected.value == pytest.approx(1 / 11)


def test_what_the_run_does_not_keep_is_told(census: Path) -> None:
    found = only(run_of([OLE, BO], counts={"inferences": [31.0, 1.0]}), census)
    (line,) = found.remarks
    assert line.startswith("for 1 of 2 documents the run does not keep all inferences")
    run = run_of([OLE, BO])
    del run.rows["cpr"]["names"]["people"]
    assert only(run, census).remarks[-1].endswith("these do not count here")


def test_two_metrics_of_one_attacker_are_one(census: Path) -> None:
    run, other = run_of([OLE]), run_of([OLE], metric="ipr")
    run.metrics += other.metrics[-1:]
    run.rows |= {"ipr": other.rows["ipr"]}
    run.evidence |= other.evidence
    run.scores += [one for one in other.scores if one.metric == "ipr"]
    assert [one.metric for one in risk_annex(run, census).singling_out.figures] == ["cpr"]


def test_the_signature_has_the_population(census: Path) -> None:
    found = only(run_of([OLE]), census)
    digest = risk_annex(run_of([OLE]), census).population
    assert digest
    assert found.signature == f"singling_out.v1|population:census@{digest.digest[:8]}|threshold:0.09|by:cpr|line"


def test_not_measured(census: Path) -> None:
    run = run_of([OLE])
    assert risk_annex(run).singling_out.reason.startswith("no population was given: --population names")
    bare = risk_annex(run.without_text(), census).singling_out
    assert bare.reason == (
        "the run was written without text, so it does not have what was inferred about people: "
        "evaluate again and keep the text"
    )
    run.metrics.pop()
    assert risk_annex(run, census).singling_out.reason == "nothing was inferred about people in this run: see Inference"
    assert "--metric cpr" in risk_annex(run, census).inference.reason


def test_nothing_inferred_is_a_figure(census: Path) -> None:
    found = only(run_of([[], []], [3, 1]), census)
    assert (found.people, found.narrowed, found.expected.value) == (4, 0, pytest.approx(0.01))
    run = run_of([[], []], [3, 1])
    run.rows["cpr"]["names"]["people"] = [0.0, 0.0]
    assert risk_annex(run, census).singling_out.reason == "no attacker answered about anybody"


def test_a_table_of_other_things_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("SEXE,count\nm,3\n", encoding="utf-8")
    with pytest.raises(
        InputError, match=r"p\.csv: found the columns SEXE; expected some of what the run infers: AGE, SEX"
    ):
        risk_annex(run_of([OLE]), path)


def test_an_interrupted_run_is_refused(census: Path) -> None:
    run = run_of([OLE])
    run.complete = False
    with pytest.raises(PlanError, match="interrupted"):
        risk_annex(run, census)
