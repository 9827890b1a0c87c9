"""Reports ask a metric what it is: by its record, whatever it is called, and also where it is not installed."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from showthrough import METRICS, Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.metrics import ROLES
from showthrough.report import latex_text, markdown_text
from showthrough.report._sentences import sentence
from showthrough.report.html import html_text
from showthrough.report.summary import in_words
from showthrough.report.table import tables
from showthrough.report.verdict import verdict
from showthrough.run.roles import choose_metric, count_by_kind, find_metrics

NAME = Mention(0, 8, "PERSON", "DIRECT", "e1")
TOWN = Mention(12, 16, "LOC", "QUASI", "e2")
CORPUS = Corpus([Document(f"d{n}", "Ole Berg of Oslo came home", (Annotation("a", (NAME, TOWN)),)) for n in range(2)])
MASKED = [
    Anonymization({"d0": [Mask(0, 3)], "d1": [Mask(0, 8)]}, "one"),
    Anonymization({"d0": [Mask(0, 16)], "d1": [Mask(0, 16)]}, "two"),
]
VARIANTS = [
    'er_di(function_words="lexicon-de.1")',
    'recall(ignorable="skip")',
    'precision(overlaps="each")',
]


def run_of(*metrics: str) -> Run:
    return evaluate(CORPUS, MASKED, list(metrics), resamples=0)


def renamed(run: Run, **names: str) -> Run:
    """The run of somebody whose metrics have other names, which nobody here has."""
    content = msgspec.to_builtins(run)

    def changed(text: str) -> str:
        name, bracket, inside = text.partition("(")
        return f"{names[name]}{bracket}{inside}" if name in names else text

    for record in content["metrics"]:
        record |= {"text": changed(record["text"]), "name": names.get(record["name"], record["name"])}
    for score in content["scores"]:
        score["metric"] = changed(score["metric"])
    content["rows"] = {changed(text): rows for text, rows in content["rows"].items()}
    return msgspec.convert(content, Run)


def sentences(run: Run) -> list[str]:
    told = verdict(run)
    said = [str(clause) for one in told.systems for clause in one.sentence]
    return [*said, *map(in_words, told.findings), told.recommendation, *told.caveats]


def test_every_role_is_somebody_s() -> None:
    declared = {role for metric in METRICS.values() for role in metric.roles}
    assert declared == set(ROLES)


def test_variants_are_spoken_of_as_the_metrics_themselves() -> None:
    plain, variant = run_of("er_di", "recall", "precision"), run_of(*VARIANTS)
    said = sentences(variant)
    assert said[0] == "leaves 1 of 2 direct identifiers readable, in 1 of 2 documents"
    assert len(said) == len(sentences(plain))


def test_metrics_that_nobody_here_has_are_spoken_of_all_the_same() -> None:
    here = run_of("er_di", "recall", "precision")
    there = renamed(here, er_di="their_entities", recall="their_recall", precision="their_precision")
    assert sentences(there) == [line.replace("er_di", "their_entities") for line in sentences(here)]
    assert "their\\_recall" in markdown_text(there)
    assert "their\\_recall" in latex_text(there)
    assert "their_entities" in html_text(there, without_text=True)
    assert there["one", "their_recall"].value == here["one", "recall"].value


def test_what_a_metric_does_not_say_is_not_made_up() -> None:
    run = run_of("recall", "precision")
    records = [msgspec.structs.replace(record, parameters={}) for record in run.metrics]
    words = "; ".join(map(str, sentence(msgspec.structs.replace(run, metrics=records), "two")))
    assert words == "hides 100 % of what annotators marked; 25 % of what it masks were not marked"


def test_of_several_the_one_without_parameters_of_its_own_is_chosen() -> None:
    run = run_of('recall(unit="mention")', 'recall(ignorable="skip")', "recall")
    assert [record.text for record in find_metrics(run, "recall")] == [record.text for record in run.metrics]
    assert getattr(choose_metric(run, "recall"), "text", "") == "recall"
    run = run_of('recall(unit="mention")', 'recall(ignorable="skip")')
    assert getattr(choose_metric(run, "recall"), "text", "") == 'recall(unit="mention")'


def scored(run: Run, metric: str, role: str, values: dict[str, float | None]) -> Run:
    record = msgspec.structs.replace(run.metrics[0], text=metric, name=metric, roles=(role,))
    scores = [
        msgspec.structs.replace(run.scores[0], metric=metric, anonymization=name, value=value, part="")
        for name, value in values.items()
    ]
    rows: dict[str, Any] = run.rows | {metric: {name: {} for name in run.names}}
    return msgspec.structs.replace(run, metrics=[*run.metrics, record], scores=[*run.scores, *scores], rows=rows)


def test_anonymizations_are_told_by_the_same_metric() -> None:
    """The better one has no number for the second: it would stand beside another metric's, and look like it."""
    run = scored(run_of("recall"), "best", "information", {"one": 0.9, "two": None})
    run = scored(run, "second", "words", {"one": 0.4, "two": 0.5})
    kept = [str(clause) for name in run.names for clause in sentence(run, name) if "information" in str(clause)]
    assert kept == ["keeps 40 % of the information by second", "keeps 50 % of the information by second"]
    run = scored(run_of("recall"), "best", "information", {"one": 0.9, "two": None})
    assert [len(sentence(run, name)) for name in run.names] == [2, 1]


def test_an_attack_without_a_number_does_not_make_anyone_look_safer() -> None:
    run = scored(run_of("recall"), "weak", "attack", {"one": 0.1, "two": 0.1})
    run = scored(run, "strong", "attack", {"one": 0.9, "two": None})
    one, two = (str(sentence(run, name)[1]) for name in run.names)
    assert one == "these attacks find the person of 90 % of 2 documents"
    assert two == "the attacks that have a number here find at least the person of 10 % of 2 documents"


@pytest.mark.parametrize("counts", [{}, {"hidden": "right"}, {"hid": "right", "total": "all"}])
def test_without_counts_nothing_is_said_about_leaks(counts: dict[str, Any]) -> None:
    run = run_of("er_di")
    records = [msgspec.structs.replace(run.metrics[0], counts=counts)]
    said = sentences(msgspec.structs.replace(run, metrics=records))
    assert [line for line in said if line] == []


def test_counts_are_those_of_the_rows() -> None:
    run = run_of("er_di")
    assert count_by_kind(run, run.metrics[0], "one", "all") == [1, 1]
    assert count_by_kind(run, run.metrics[0], "one", "right") == [0, 1]


def test_of_counts_those_of_what_is_right_are_better_higher() -> None:
    masks = Anonymization({"d0": [], "d1": []}, "one")
    run = evaluate(CORPUS, [masks], ["phi_instance", "phi_token"], resamples=0)

    def arrows(run: Run, metric: str) -> dict[str, str]:
        table = next(one for one in tables(run) if one.title == f"{metric} of one by category")
        return {column.head: column.better for column in table.columns if column.head not in ("P", "R", "F")}

    assert arrows(run, "phi_token") == {"TP": "higher", "FP": "lower", "FN": "lower"}
    assert arrows(run, "phi_instance") == {"C": "higher", **dict.fromkeys(("S", "I", "D", "S*"), "lower")}
    silent = [msgspec.structs.replace(record, counts={}) for record in run.metrics]
    assert set(arrows(msgspec.structs.replace(run, metrics=silent), "phi_token").values()) == {"neither"}
