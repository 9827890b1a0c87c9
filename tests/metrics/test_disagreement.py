"""What one anonymization leaves and another masks."""

from __future__ import annotations

import pytest

from showthrough import Anonymization, Corpus, Document, Mask, Run, TypedMask, evaluate
from showthrough.data import documents

TEXT = "Mr Ole Berg of Oslo paid 500 kroner in 1996."
#       0  3   7       15        25         39
OLE, BERG, OSLO, SUM, YEAR = (3, 6), (7, 11), (15, 19), (25, 28), (39, 43)


def compared(systems: dict[str, list[Mask]], text: str = TEXT, **settings: object) -> Run:
    masks = {name: Anonymization({"d": of}) for name, of in systems.items()}
    return evaluate(Corpus([Document("d", text)]), masks, ["disagreement"], resamples=0, **settings)  # type: ignore[arg-type]


def parts(run: Run, name: str) -> dict[str, float | None]:
    return {part: score.value for part, score in run.parts(name, "disagreement").items()}


def test_what_is_left_and_what_is_found_alone() -> None:
    run = compared({"a": [Mask(*OLE), Mask(*OSLO)], "b": [Mask(3, 11)], "c": [Mask(*SUM)]})
    # Masked by somebody: Ole, Berg, Oslo, 500.
    assert parts(run, "a") == {"": 0.5, "alone": 0.25}  # leaves Berg and 500; Oslo is its own
    assert parts(run, "b") == {"": 0.5, "alone": 0.25}  # leaves Oslo and 500; Berg is its own
    assert parts(run, "c") == {"": 0.75, "alone": 0.25}  # leaves all but 500
    assert parts(run, "nothing masked") == {"": 1.0, "alone": 0.0}
    assert parts(run, "everything masked") == {"": 0.0, "alone": 0.0}


def test_by_type() -> None:
    name, place = TypedMask(*OLE, None, "PERSON"), TypedMask(*OSLO, None, "LOC")
    run = compared({"a": [name, place], "b": [TypedMask(3, 11, None, "PERSON")], "c": [Mask(*OSLO)]})
    # PERSON: Ole and Berg; LOC: Oslo, which c masks without a type.
    assert parts(run, "a") == {
        "": pytest.approx(1 / 3), "alone": 0.0, "alone:LOC": 0.0, "alone:PERSON": 0.0, "left:LOC": 0.0,
        "left:PERSON": 0.5,
    }  # fmt: skip
    assert parts(run, "b")["alone:PERSON"] == 0.5  # Berg
    assert parts(run, "c")["left:PERSON"] == 1.0
    assert run.rows["disagreement"]["c"] == {
        "masked": [3], "left": [2], "alone": [0], "masked:PERSON": [2], "left:PERSON": [2], "alone:PERSON": [0],
        "masked:LOC": [1], "left:LOC": [0], "alone:LOC": [0],
    }  # fmt: skip


def test_function_words_do_not_count_and_words_that_are_repeated_are_left() -> None:
    run = compared({"a": [Mask(0, 19)], "b": [Mask(3, 19, "Ole of Bergen")]})
    # Ole, Berg and Oslo; "Mr" and "of" need no mask.
    assert (parts(run, "a")[""], parts(run, "b")[""]) == (0.0, pytest.approx(1 / 3))
    run = compared({"a": [Mask(0, 19)], "b": [Mask(3, 19)]}, function_words="none")
    assert run["b", 'disagreement(function_words="none")'].value == pytest.approx(1 / 5)  # Mr


def test_a_word_that_is_cut_is_not_hidden() -> None:
    run = compared({"a": [Mask(*OSLO)], "b": [Mask(15, 17)], "c": [Mask(15, 17), Mask(17, 19)]})
    assert (parts(run, "b")[""], parts(run, "c")[""]) == (1.0, 0.0)


@pytest.mark.parametrize("systems", [{"a": [Mask(*OLE)]}, {"a": [], "b": []}])
def test_undefined_with_nobody_to_disagree_with(systems: dict[str, list[Mask]]) -> None:
    score = compared(systems)["a", "disagreement"]
    assert score.value is None
    assert "fewer than two" in score.reason


def test_the_signature_names_all_systems() -> None:
    run = compared({"a": [Mask(*OLE)], "b": []})
    for one in run.anonymizations:
        assert f"{one.name}@{one.digest[:8]}" in run["a", "disagreement"].signature.split("|systems:")[1]
    other = compared({"a": [Mask(*OLE)], "b": [Mask(*OSLO)]})
    assert other["a", "disagreement"].signature != run["a", "disagreement"].signature


def test_nobody_is_better() -> None:
    from showthrough.report.privacy_utility import plane_metrics
    from showthrough.report.table import tables

    run = compared({"a": [Mask(*OLE)], "b": [Mask(*OSLO), TypedMask(*YEAR, None, "DATE")]})
    cells = [(column.arrow, cell.best) for table in tables(run) for column in table.columns for cell in column.cells]
    assert {arrow for arrow, _ in cells} == {""}
    assert not any(best for _, best in cells)
    assert plane_metrics(run) == []


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_and_processes_change_nothing(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus([Document(f"d{number}", TEXT) for number in range(6)])
    spans = [[OLE], [OSLO], [OLE, OSLO], [], [YEAR], [BERG]]
    masks = {
        name: Anonymization({f"d{at}": [Mask(*span) for span in spans[(at + shift) % 6]] for at in range(6)})
        for shift, name in enumerate("abc")
    }
    whole = evaluate(corpus, masks, ["disagreement"])
    monkeypatch.setattr(documents.Corpus.chunks, "__defaults__", (100, 0))
    cut = evaluate(corpus, masks, ["disagreement"], jobs=jobs)
    assert cut.rows == whole.rows
    assert cut.scores == whole.scores
