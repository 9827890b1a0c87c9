"""SPIA's own figures (ACL 2026) for an attacker's answers about 144 court cases, at three levels of certainty."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough import Anonymization, Run, evaluate, read_corpus

LEVELS = (1, 3, 5)


@pytest.fixture(scope="module")
def run(data: Path) -> Run:
    corpus = read_corpus(data / "inference" / "spia_tab_144.jsonl.gz")
    attacker = f"answers:{data / 'inference' / 'spia_tab_answers.jsonl.gz'}"
    metrics = [f'{name}(attacker="{attacker}", certainty={level})' for name in ("cpr", "ipr") for level in LEVELS]
    same = Anonymization({key: [] for key in corpus.ids})
    return evaluate(corpus, {"same": same}, metrics, resamples=0, texts=False)


@pytest.mark.parametrize("level", LEVELS)
def test_both_rates_and_every_tag_are_spia_s(data: Path, run: Run, level: int) -> None:
    expected = json.loads((data / "inference" / "spia_tab_answers_reference.json").read_text())[str(level)]
    by_name = {one.name: one.text for one in run.metrics if one.parameters["certainty"] == level}
    rows = {name: run.rows_of(text, "same").totals() for name, text in by_name.items()}
    assert run["same", by_name["cpr"]].value == pytest.approx(expected["cpr"], abs=1e-9)
    assert run["same", by_name["ipr"]].value == pytest.approx(expected["ipr"], abs=1e-9)
    assert (rows["cpr"]["asked"], rows["cpr"]["inferred"]) == (expected["pii"], expected["score"])
    assert rows["ipr"]["asked"] == expected["subjects"]
    parts = run.parts("same", by_name["cpr"])
    assert {part for part in parts if part.startswith("tag:")} == {f"tag:{tag}" for tag in expected["by_tag"]}
    for tag, figures in expected["by_tag"].items():
        assert parts[f"tag:{tag}"].value == pytest.approx(figures["cpr"], abs=1e-9), tag
        counted = rows["cpr"][f"asked:{tag}"], rows["cpr"][f"inferred:{tag}"]
        assert counted == (figures["num_pii"], figures["score_sum"]), tag


def test_the_same_answers_about_another_case_tell_less(run: Run) -> None:
    for record in run.metrics:
        parts = run.parts("same", record.text)
        control, success = parts["control:other"].value, parts["success"].value
        assert control is not None
        assert success is not None
        assert 0.05 < control < success / 2
        assert "control:empty" not in parts  # nobody recorded what would be said without a text
