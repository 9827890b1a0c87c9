"""How often something is called met whose truth is just the limit: small versions of benchmarks/gate.py."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.evaluation._scoring import compute_scores
from showthrough.families.reidentification.metric import ReIdentification
from showthrough.metrics import EntityRecall, Rows
from showthrough.run.gate.checking import Gate, check_run
from showthrough.run.gate.grading import FAILED, PASSED, UNSURE
from showthrough.run.records import columns_of
from showthrough.run.thresholds import Threshold
from showthrough.statistics.numerics.matching import best_matching

TIMES = 80
MOST = 0.1  # 5 %, and two standard errors of 80 tries


def statuses(groups: list[str], right: list[np.ndarray], limit: float, *, allow: bool = False) -> list[int]:
    """What a gate says of systems that hide so many of each document's five names."""
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    words = [f"Doe w{one} x{one} y{one} z{one}" for one in range(len(groups))]
    texts = [Document(f"d{one:03}", words[one], marks, group) for one, group in enumerate(groups)]
    masks = Anonymization({one.id: [Mask(0, 3)] for one in texts}, "system")
    run = evaluate(Corpus(texts), [masks], ["er_di"], resamples=100, references=False)
    there = run.rows_of("er_di", "system")
    systems = [msgspec.structs.replace(run.anonymizations[0], name=f"s{number}") for number in range(len(right))]
    tables = {}
    for one, hidden in zip(systems, right, strict=True):
        values = np.zeros_like(there.values)
        values[:, there.columns.index("hidden")], values[:, there.columns.index("total")] = hidden, 5
        tables["er_di", one.name] = replace(there, values=values)
    rows = {"er_di": {name: columns_of(table) for (_, name), table in tables.items()}}
    run = msgspec.structs.replace(run, anonymizations=systems, rows=rows)
    run.scores = list(compute_scores(run, [EntityRecall("direct")], run.settings, tables))
    gate = Gate([Threshold("er_di", "min", limit)], documents=0, identifiers=0, only=True, allow_unsure=allow)
    return [one.status for one in check_run(run, gate).anonymizations]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("documents", "size", "together"), [(40, 1, False), (40, 1, True), (60, 3, True)], ids=["singly", "whole", "groups"]
)
def test_just_the_limit_is_seldom_called_met(documents: int, size: int, together: bool) -> None:
    """0.9 of all names are hidden, in documents or groups that leak as a whole, or name by name."""
    random = np.random.default_rng(3)
    units = documents // size
    groups = [f"g{one // size}" if size > 1 else "" for one in range(documents)]
    right = [
        5.0 * np.repeat(random.random(units) < 0.9, size) if together else random.binomial(5, 0.9, documents)
        for _ in range(TIMES)
    ]
    found = statuses(groups, right, 0.9)
    assert {*found} <= {PASSED, UNSURE, FAILED}
    assert found.count(PASSED) / TIMES <= MOST
    assert found.count(UNSURE) > 0  # which never is 0
    allowed = statuses(groups, right[:10], 0.9, allow=True)
    assert [one == PASSED for one in allowed] == [one in (PASSED, UNSURE) for one in found[:10]]


@pytest.mark.parametrize(("alike", "clue"), [(1, 0.5), (1, 2.0), (2, 0.0), (2, -1.0), (3, 1.0)])
def test_an_assignment_is_covered(alike: int, clue: float) -> None:
    """30 people, who look alike in pairs or threes or do not: of each own document some speaks for its person."""
    random = np.random.default_rng(4)
    metric = ReIdentification(attacks="lexical+assignment")
    own, people = np.arange(30), 30
    columns = "right:lexical+assignment", "ran:lexical+assignment"
    right = []
    for _ in range(TIMES):
        fit = random.standard_normal((people, people)) + 6 * (alike > 1) * (own[:, None] // alike == own // alike)
        fit[own, own] += clue
        right.append(best_matching(fit) == own)
    share = np.mean(right)
    ends = [metric.own_interval("", Rows(columns, np.column_stack([one, np.ones(people)])), 0.95) for one in right]
    low, high = np.array(ends, dtype=np.float64).T
    assert np.mean((low <= share) & (share <= high)) >= 1 - MOST
    assert np.mean(high < share) <= MOST
