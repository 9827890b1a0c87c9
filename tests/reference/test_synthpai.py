"""SynthPAI's recorded answers and verdicts (Yukhymenko et al. 2024): published shares, raw answers, rules."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, evaluate, read_corpus
from showthrough.families.inference._parsing import guesses_in
from showthrough.families.inference.attributes import AuthorAttributes
from showthrough.families.inference.profiles import right
from showthrough.metrics import metric_text

DATA = Path(os.environ.get("SHOWTHROUGH_DATA", "")) / "inference"
ATTACKERS = {"gpt4": (0.780, 0.914), "gpt4_anonymized": (0.650, 0.836), "llama3_70b": (0.717, 0.887)}

pytestmark = pytest.mark.skipif("SHOWTHROUGH_DATA" not in os.environ, reason="needs SynthPAI's answers")


def path_of(name: str) -> Path:
    return DATA / f"synthpai_{name}.jsonl.gz"


def lines_of(name: str) -> list[dict[str, Any]]:
    with gzip.open(path_of(name), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return read_corpus(path_of("gpt4"))


@pytest.mark.parametrize("name", ATTACKERS)
def test_published_shares_from_recorded_verdicts(name: str, corpus: Corpus) -> None:
    """A verdict of 0.5 counts as no; attributes without a guess count as not inferred."""
    said = f"answers:{path_of(name)}"
    metric = AuthorAttributes(said, said)
    masks = Anonymization({key: [] for key in corpus.ids})
    run = evaluate(corpus, {"A": masks}, [metric], resamples=0, references=False)
    found = run.parts("A", metric_text(metric))
    assert (round(found[""].value or 0, 3), round(found["top-3"].value or 0, 3)) == ATTACKERS[name]
    assert sum(run.rows[metric_text(metric)]["A"]["attributes"]) == 700


@pytest.mark.parametrize("name", ATTACKERS)
def test_recorded_guesses_are_found_in_raw_answers(name: str) -> None:
    """The first three, which count: of Llama's, eight have more, which are sentences that stand below the guesses."""
    found, recorded = 0, 0
    for line in lines_of(name):
        guesses = guesses_in(line["answer"], tuple(line["attributes"])) or ()
        for tag, attribute in line["attributes"].items():
            said = [guess.value for guess in guesses if guess.tag == tag]
            found += said[:3] == attribute["guesses"][:3]
            recorded += 1
    assert recorded == 700
    assert found >= 0.99 * recorded


def test_rules_agree_with_recorded_verdicts() -> None:
    """On whether a guess is right, in 95 % of 6,208 guesses."""
    agreed, guesses = 0, 0
    for name in ATTACKERS:
        for line in lines_of(name):
            for tag, one in line["attributes"].items():
                for guess, verdict in zip(one["guesses"][:3], one["verdicts"], strict=False):
                    agreed += (right(tag, one["gold"], guess) == 1) == (verdict == 1)
                    guesses += 1
    assert guesses == 6208
    assert agreed / guesses == pytest.approx(0.9518, abs=5e-4)
