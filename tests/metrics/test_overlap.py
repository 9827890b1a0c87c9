"""BLEU and ROUGE, held to the packages that define them."""

from __future__ import annotations

import builtins
import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings, strategies as st

from showthrough import Anonymization, Corpus, Document, Mask, evaluate
from showthrough.data.references import REFERENCES
from showthrough.families.information.overlap import Bleu, Rouge
from showthrough.metrics import HEADLINE, Metric, Rows
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources

words = st.lists(
    st.sampled_from(["a", "the", "Oslo", "Kraków", "left", "B.", "3,5", "don't", "—", "山田", "\n"]), max_size=12
)
texts = st.lists(st.tuples(words.map(" ".join), words.map(" ".join)), min_size=1, max_size=6)
Pairs = list[tuple[str, str]]


def rows_of(metric: Metric, pairs: Pairs) -> Rows:
    """Of originals and what was released, as masks of whole documents."""
    corpus = Corpus([Document(str(number), original) for number, (original, _) in enumerate(pairs)])
    masks = {
        str(number): [Mask(0, len(original), released)] for number, (original, released) in enumerate(pairs) if original
    }
    return Chunk(corpus).rows(metric, Anonymization(masks, "x"))


def value_of(metric: Metric, pairs: Pairs) -> float:
    return float(metric.combine(rows_of(metric, pairs).totals())[HEADLINE])


@pytest.mark.parametrize("given_to", [{}, {"lowercase": True}, {"tokenize": "intl"}, {"tokenize": "char"}])
@given(pairs=texts)
@settings(max_examples=40)
def test_bleu_is_sacrebleus(given_to: Mapping[str, Any], pairs: Pairs) -> None:
    pairs = [(original, released if original else "") for original, released in pairs]
    metric = Bleu(**given_to)
    rows = rows_of(metric, pairs)
    originals, released = [one for one, _ in pairs], [two for _, two in pairs]
    expected = sacrebleu.corpus_bleu(released, [originals], **given_to)
    defined = expected.ref_len > 0
    assert value_of(metric, pairs) == pytest.approx(expected.score if defined else math.nan, abs=1e-9, nan_ok=True)
    stacks = {column: np.stack([values, 2 * values]) for column, values in rows.totals().items()}
    assert metric.combine(stacks)[HEADLINE][0] == pytest.approx(expected.score if defined else math.nan, nan_ok=True)


def test_bleu_sums_before_it_divides() -> None:
    pairs = [("one two three four five", "one two three four five"), ("six seven eight nine ten", "x y")]
    whole = sacrebleu.corpus_bleu([two for _, two in pairs], [[one for one, _ in pairs]]).score
    mean = np.mean([sacrebleu.corpus_bleu([two], [[one]]).score for one, two in pairs])
    assert value_of(Bleu(), pairs) == pytest.approx(whole, abs=1e-9)
    assert abs(whole - mean) > 1


@pytest.mark.parametrize("variant", ["rougeL", "rouge1", "rouge2"])
@pytest.mark.parametrize("stemmer", [False, True])
@given(pairs=texts)
@settings(max_examples=25)
def test_rouge_is_rouge_scores(variant: Any, stemmer: bool, pairs: Pairs) -> None:
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer([variant], use_stemmer=stemmer)
    read = [(one, two) for one, two in pairs if any(letter.isascii() and letter.isalnum() for letter in one)]
    expected = np.mean([scorer.score(one, two)[variant].fmeasure for one, two in read]) if read else math.nan
    assert value_of(Rouge(variant, stemmer), pairs) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_a_text_that_is_as_it_was_has_the_most_and_one_of_which_nothing_is_left_the_least() -> None:
    corpus = Corpus([Document(str(number), "The applicant lives in a small house.") for number in range(20)])
    masks = {document.id: [Mask(4, 13, "person")] for document in corpus}
    run = evaluate(corpus, {"x": Anonymization(masks)}, ["bleu", "rouge"])
    for metric, most in (("bleu", 100), ("rouge", 1)):
        score = run["x", metric]
        assert score.value is not None
        assert score.low is not None
        assert score.high is not None
        assert 0 <= score.low <= score.value <= score.high <= most
        assert [run[name, metric].value for name in REFERENCES] == [pytest.approx(most), 0]
    assert f"sacrebleu:{sacrebleu.__version__}" in run["x", "bleu"].signature
    assert "rouge-score:0.1" in run["x", "rouge"].signature


def test_what_rouge_score_cannot_read_is_said() -> None:
    pairs = [("Он живёт в Осло.", "Он живёт в [ГОРОД]."), ("He lives in Oslo.", "He lives in Oslo.")]
    rows = rows_of(Rouge(), pairs)
    assert Rouge().combine(rows.totals())[HEADLINE] == 1
    assert Rouge().remarks({"x": rows}, Resources()) == [
        "rouge-score reads a to z and digits alone: 1 of 2 documents have none and count nowhere, and 48% of the "
        "letters are none of these"
    ]
    assert not Rouge().remarks({"x": rows_of(Rouge(), pairs[1:])}, Resources())


@pytest.mark.parametrize(("metric", "package"), [(Bleu(), "sacrebleu"), (Rouge(), "rouge_score")])
def test_without_the_package(monkeypatch: pytest.MonkeyPatch, metric: Metric, package: str) -> None:
    usual = builtins.__import__

    def importing(name: str, *rest: Any, **others: Any) -> Any:
        if name.partition(".")[0] == package:
            raise ModuleNotFoundError(name)
        return usual(name, *rest, **others)

    monkeypatch.setattr(builtins, "__import__", importing)
    corpus = Corpus([Document("a", "He lives in Oslo.")])
    run = evaluate(corpus, {"x": Anonymization({"a": []})}, [metric, "tpi(ic=wordfreq, chunking=none)"])
    (failure,) = run.failures
    assert "pip install 'showthrough[overlap]'" in failure.reason
