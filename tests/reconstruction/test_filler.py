"""A masked language model that guesses what stood under masks."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from reconstruction.conftest import PAIRS
from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.models import Resources
from showthrough.models._mask_filling import Gap

pytestmark = pytest.mark.slow  # it learns for some seconds


def document(key: str, sentence: str, word: str) -> Document:
    start = sentence.index(word)
    return Document(key, sentence, (Annotation("us", (Mention(start, start + len(word), "LOC", "QUASI"),)),))


def suppressed(corpus: Corpus) -> Anonymization:
    return Anonymization(
        {one.id: [Mask(mark.start, mark.end) for mark in one.annotations[0].mentions] for one in corpus}
    )


def scores(corpus: Corpus, folder: Path) -> dict[str, float | None]:
    run = evaluate(corpus, {"x": suppressed(corpus)}, metrics=[f'recover(guesser="masked-lm:{folder}")'])
    return {score.part: score.value for score in run.scores if score.anonymization == "x"}


def capitals() -> Corpus:
    return Corpus([document(country, f"The capital of {country} is {town}.", town) for country, town in PAIRS.items()])


def test_gaps_are_filled_by_probability(learned: Path) -> None:
    filler = Resources().mask_filler(str(learned))
    [texts] = filler.fill([Gap("The capital of Norway is ", ".")])
    assert texts[0][0] == "oslo"
    assert texts[0][1] > 0.3  # nearly all of the third that gaps of one piece have
    assert sum(probability for _, probability in texts) <= 1.0 + 1e-9


def test_what_the_context_determines_is_recovered(learned: Path) -> None:
    found = scores(capitals(), learned)
    assert (found[""], found["exact"]) == (1.0, 1.0)
    assert found["control"] is not None
    assert found["control"] <= 1 / 5  # without the text at most one of five towns is the first guess
    assert found["risk"] == 1.0  # (1 − c) / (1 − c)


def test_what_the_context_does_not_determine_is_no_better_than_the_control(learned: Path) -> None:
    places = [
        document(f"d{number}", "Somebody once went to " + town + ".", town)
        for number, town in enumerate(PAIRS.values())
    ]
    found = scores(Corpus(places), learned)
    assert found[""] == 1 / 5  # all have one text: the same guess is right once
    assert found["risk"] is not None
    assert found["risk"] <= 1 / 5


def test_permuted_texts_give_the_control(learned: Path) -> None:
    """Behind each country another's capital: what the text says is wrong."""
    countries, towns = list(PAIRS), list(PAIRS.values())
    turned = dict(zip(countries, [*towns[1:], towns[0]], strict=True))
    corpus = Corpus(
        [document(country, f"The capital of {country} is {town}.", town) for country, town in turned.items()]
    )
    found = scores(corpus, learned)
    assert found[""] == 0.0
    assert found["risk"] == 0.0


def test_the_order_of_documents_does_not_matter(learned: Path) -> None:
    documents = list(capitals())
    Random(0).shuffle(documents)
    assert scores(Corpus(documents), learned) == scores(capitals(), learned)


def test_evidence_names_the_words_that_show_it(learned: Path) -> None:
    corpus, metric = capitals(), f'recover(guesser="masked-lm:{learned}")'
    run = evaluate(corpus, {"x": suppressed(corpus)}, metrics=[metric])
    [shown] = run.evidence[metric]["x"]["norway"].inferred
    assert (shown.true, shown.guess, shown.rank, shown.original) == ("oslo", "oslo", 1, (25, 29))
    assert shown.words[0][0] == "norway"
    assert [by_name["x"] for by_name in run.without_text().evidence.values()] == [{}]
