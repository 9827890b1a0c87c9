"""GLAD on PAN's own problems, beside what was published for it (Potthast, Hagen and Stein 2016).

Trained on the problems of 2013 to 2015, among whose texts those of the masking problems are: so did PAN, and the
program refuses it unless asked (`--seen`).
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from showthrough import read_anonymization, read_corpus, train_verifier
from showthrough.families.authorship.verifiers.answering import answers_to
from showthrough.families.authorship.verifiers.base import UNANSWERED, Question
from showthrough.families.authorship.verifiers.traces import count_seen

pytestmark = pytest.mark.slow


def test_glad(pan: Path) -> None:
    glad = train_verifier(read_corpus(pan / "verification_train"))
    figures = glad.figures
    assert (figures["problems"], figures["same"]) == (410, 205)
    assert figures["held_out_problems"]["accuracy"] >= 0.65
    assert figures["held_out_authors"]["auc"] > 0.65
    corpus = read_corpus(pan / "masking_problems")
    assert count_seen(glad, corpus) == len(corpus) == 205
    texts = {"original": {one.id: one.text for one in corpus}}
    texts |= {name: read_anonymization(pan / f"submission_{name}", corpus, name=name).texts(corpus) for name in "AB"}
    found = {name: answers_to(glad, corpus, each) for name, each in texts.items()}
    right = {name: np.mean([value > UNANSWERED for value in each.values()]) for name, each in found.items()}
    assert 0.58 <= right["original"] <= 0.75  # published: 0.656
    assert right["B"] < right["A"] < right["original"]  # published: 0.532, 0.587
    # Of all three, most problems are like those of training; of a text without marks and capitals, none is.
    texts["bare"] = {key: re.sub(r"[^\w\s]", "", text).lower() for key, text in texts["original"].items()}
    known = {one.id: one.authorship.known for one in corpus if one.authorship}
    far = {name: glad.outside([Question(known[key], each[key]) for key in known]) for name, each in texts.items()}
    shares = {name: float(each.any(axis=1).mean()) for name, each in far.items()}
    assert shares == pytest.approx({"original": 0.12, "A": 0.15, "B": 0.34, "bare": 1.0}, abs=0.01)
