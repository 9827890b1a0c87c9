"""The significance matrix: approximate randomization over records, on F, P and R."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from rich.console import Console

from showthrough import Annotation, Anonymization, Corpus, Document, Mention, Run, TypedMask, evaluate
from showthrough.families.clinical.base import measures
from showthrough.report.differences import PARTS, comparable, show_matrix, significance
from showthrough.report.table import tables

WORDS = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Fay", "Gus", "Hal"]


def corpus(records: int) -> Corpus:
    """Records of eight words, of which the first four are PHI."""
    text = " ".join(WORDS)
    gold = tuple(
        Mention(start, start + len(word), "DATE" if word == "Dan" else "NAME")
        for word in WORDS[:4]
        for start in [text.index(word)]
    )
    return Corpus([Document(str(number), f"{text} {number}", (Annotation("gold", gold),)) for number in range(records)])


def system(found: list[str]) -> Anonymization:
    """One string a record: the first letters of the words that are masked."""
    text = " ".join(WORDS)
    return Anonymization(
        {
            str(number): [
                TypedMask(start, start + len(word), None, "DATE" if word == "Dan" else "NAME")
                for word in WORDS
                if word[0] in letters
                for start in [text.index(word)]
            ]
            for number, letters in enumerate(found)
        }
    )


def run_of(**systems: list[str]) -> Run:
    records = len(next(iter(systems.values())))
    found = {name: system(letters) for name, letters in systems.items()}
    return evaluate(corpus(records), found, ["phi_token", "phi_instance"], resamples=0)


def test_equal_systems_do_not_differ() -> None:
    same = ["ABC", "ABCDE", "A", "ABCD"] * 5
    run = run_of(one=[letters.upper() for letters in same], two=same)
    found = significance(run, "phi_token")
    assert found.p["one", "two"] == {"F": 1.0, "P": 1.0, "R": 1.0}
    assert found.letters("one", "two") == found.letters("two", "one") == "FPR"


def test_a_clearly_better_system_differs_as_much_as_can_be() -> None:
    run = run_of(good=["ABCD"] * 40, bad=["AEF"] * 40)
    found = significance(run, "phi_instance")
    assert found.p["good", "bad"] == {"F": 1 / 10_000, "P": 1 / 10_000, "R": 1 / 10_000}
    assert found.letters("good", "bad") == ""


def test_measures_are_told_apart() -> None:
    # Both find the same, but the second also masks what is no PHI: recall is equal, precision is not.
    run = run_of(careful=["ABC"] * 30, eager=["ABCEF"] * 30)
    found = significance(run, "phi_token")
    assert found.p["careful", "eager"]["R"] == 1.0
    assert found.letters("careful", "eager") == "R"


def test_it_agrees_with_an_exact_enumeration() -> None:
    run = run_of(
        one=["ABCD", "ABC", "AB", "ABCE", "ABCD", "AB", "ABCDF", "ACD"],
        two=["ABC", "ABCE", "A", "AB", "ABCD", "ABEF", "ABD", "AC"],
    )
    found = significance(run, "phi_token", seed=1)
    tables_ = [
        np.array([run.rows["phi_token"][name][column] for column in ("TP", "FP", "FN")]) for name in ("one", "two")
    ]

    def values(sums: np.ndarray) -> dict[str, float]:
        right, extra, lost = sums
        return {key: float(value) for key, value in measures(right, right + extra, right + lost).items()}

    exact = dict.fromkeys(PARTS, 0)
    real = [values(table.sum(axis=1)) for table in tables_]
    for flips in itertools.product([False, True], repeat=8):
        which = np.array(flips)
        one = np.where(which, tables_[1], tables_[0]).sum(axis=1)
        two = np.where(which, tables_[0], tables_[1]).sum(axis=1)
        for letter in PARTS:
            difference = abs(values(one)[letter] - values(two)[letter])
            exact[letter] += difference >= abs(real[0][letter] - real[1][letter]) - 1e-12
    for letter in PARTS:
        assert found.p["one", "two"][letter] == pytest.approx(exact[letter] / 256, abs=0.02)


def test_it_keeps_the_challenge_s_procedure_and_agrees_with_itself() -> None:
    """Plain differences, which `compare` does not look at: what one side counts is not what the other does."""
    run = run_of(one=["ABCD", "ABC", "AB"] * 4, two=["ABC", "ABCE", "A"] * 4, three=["A", "B", "C"] * 4)
    found = significance(run, "phi_instance", shuffles=999, seed=5)
    assert {one.difference for one in run.compare("phi_instance", shuffles=9) if one.part in PARTS.values()} >= {
        run["one", "phi_instance"].value - run["two", "phi_instance"].value
    }
    assert significance(run, "phi_instance", shuffles=999, seed=5) == found
    assert significance(run, "phi_instance", shuffles=999, seed=6) != found


def test_of_an_undefined_measure_nothing_is_known() -> None:
    run = run_of(one=["A", "B"], nothing=["", ""])
    found = significance(run, "phi_token")
    assert found.p["one", "nothing"]["P"] is None
    assert "P" not in found.letters("one", "nothing")
    assert "–" in found.letters("one", "nothing")


def test_only_metrics_with_a_precision_and_a_recall_are_comparable() -> None:
    found = {"one": system(["A"]), "two": system(["B"])}
    run = evaluate(corpus(1), found, ["phi_leak", "phi_token", "recall"], resamples=0)
    assert comparable(run) == ["phi_token"]


def test_the_matrix_on_the_terminal() -> None:
    console = Console(width=80, record=True)
    run = run_of(a=["ABCD"] * 20, b=["ABCD"] * 20, c=["AE"] * 20)
    show_matrix(significance(run, "phi_token"), 0.1, console)
    lines = [line.split() for line in console.export_text().splitlines() if line.strip()]
    assert lines[1] == ["b", "c"]
    assert lines[3:] == [["a", "FPR", "·"], ["b", "·"]]


def test_categories_with_their_counts() -> None:
    run = run_of(a=["ABCDE", "AD"])
    table = next(table for table in tables(run) if table.title == "phi_instance of a by category")
    assert table.names == ("(all)", "DATE", "NAME")
    cells = {column.head: [cell.value for cell in column.cells] for column in table.columns}
    # NAME: gold 6, found A, B, C and A, and E beyond it. DATE: both found.
    assert cells["C"] == ["6", "2", "4"]
    assert cells["I"] == ["1", "0", "1"]
    assert cells["D"] == ["2", "0", "2"]
    assert cells["R"] == ["0.750", "1.000", "0.667"]
