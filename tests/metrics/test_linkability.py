"""Which documents of a release are about one person: planted pseudonyms, dates and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, Run, evaluate
from showthrough.families.reidentification._document_pairs import score_pairs
from showthrough.report.evidence import evidence
from showthrough.run.gate.state import decide
from situations import WORDS

PEOPLE, EACH = 20, 3


def letters(names: Sequence[str], dates: Sequence[str] = (), seed: int = 0) -> Corpus:
    """Letters of common words, each about somebody; what is masked stands first, then a date where there is one."""
    random = Random(seed)
    documents = []
    for at, name in enumerate(names):
        rest = " ".join(random.choices(WORDS[:20], k=12))
        when = f" on {dates[at]}" if dates else ""
        documents.append(Document(f"d{at:03}", f"{name} wrote{when}: {rest}.", group=f"person {at % PEOPLE}"))
    return Corpus(documents)


def values(run: Run) -> Mapping[str, float | None]:
    return {score.part: score.value for score in run.scores if score.anonymization == "x"}


def replaced(corpus: Corpus, pseudonyms: Sequence[str]) -> Anonymization:
    return Anonymization(
        {one.id: [Mask(0, one.text.index(" "), pseudonym)] for one, pseudonym in zip(corpus, pseudonyms, strict=True)}
    )


def linked(pseudonyms: Sequence[str]) -> Mapping[str, float | None]:
    corpus = letters([f"N{at % PEOPLE}x" for at in range(PEOPLE * EACH)])
    return values(evaluate(corpus, {"x": replaced(corpus, pseudonyms)}, metrics=["linkability"]))


def test_consistent_pseudonyms_link_everything() -> None:
    found = linked([f"Kim{at % PEOPLE}" for at in range(PEOPLE * EACH)])
    assert (found[""], found["named@0.9"]) == (1.0, 1.0)
    assert found["risk"] == 1.0  # (1 − c) / (1 − c)


def test_numbered_labels_link_only_if_numbers_go_through_the_corpus() -> None:
    assert linked([f"[PERSON_{1 + at % PEOPLE}]" for at in range(PEOPLE * EACH)])[""] == 1.0
    again = linked(["[PERSON_1]"] * (PEOPLE * EACH))[""]
    assert again is not None
    assert 0.3 < again < 0.7


def test_fresh_pseudonyms_and_labels_link_no_more_than_permuted_groups() -> None:
    random = Random(3)
    fresh = ["".join(random.choices("abcdefgh", k=8)) for _ in range(PEOPLE * EACH)]
    for pseudonyms in (fresh, ["[PERSON]"] * (PEOPLE * EACH)):
        found = linked(pseudonyms)
        assert found[""] == pytest.approx(0.5, abs=0.15)  # 60 pairs
        assert found["control"] == pytest.approx(0.5, abs=0.05)


def test_permuted_groups_give_one_half() -> None:
    corpus = letters([f"Kim{at % PEOPLE}" for at in range(PEOPLE * EACH)])
    found = values(evaluate(corpus, {"x": Anonymization({key: [] for key in corpus.ids})}, metrics=["linkability"]))
    assert found[""] == 1.0
    assert found["control"] == pytest.approx(0.5, abs=0.03)  # 20 permutations of 60 pairs: 1,200 draws, s.e. below 0.01
    by_chance = found["control named@0.9"]
    assert by_chance is not None
    assert by_chance < 0.05


def on(days: Sequence[date]) -> list[str]:
    return [f"{day.day} {day:%B %Y}" for day in days]


def test_shifted_dates_of_a_person_are_seen() -> None:
    """Everybody has one day; all dates of a person are moved by as much. Then by as much as no other document's."""
    random = Random(1)
    events = [date(1990, 1, 1) + timedelta(days=random.randrange(9000)) for _ in range(PEOPLE)]
    shifts = [timedelta(days=random.randrange(9000)) for _ in range(PEOPLE * EACH)]
    number = range(PEOPLE * EACH)
    names = [f"Kim{at}" for at in number]
    for shift, expected in ((lambda at: shifts[at % PEOPLE], 1.0), (lambda at: shifts[at], None)):
        corpus = letters(names, on([events[at % PEOPLE] + shift(at) for at in number]))
        found = values(evaluate(corpus, {"x": Anonymization({key: [] for key in corpus.ids})}, metrics=["linkability"]))
        assert found[""] == (expected or pytest.approx(0.5, abs=0.15))


def test_days_between_dates_link_what_was_moved_by_different_numbers() -> None:
    random = Random(2)
    gaps = [timedelta(days=random.randrange(10, 4000)) for _ in range(PEOPLE)]
    starts = [date(1990, 1, 1) + timedelta(days=random.randrange(3000)) for _ in range(PEOPLE * EACH)]
    number = range(PEOPLE * EACH)
    spans = [" and on ".join(on([starts[at], starts[at] + gaps[at % PEOPLE]])) for at in number]
    corpus = letters([f"Kim{at}" for at in number], spans)
    found = values(evaluate(corpus, {"x": Anonymization({key: [] for key in corpus.ids})}, metrics=["linkability"]))
    assert (found[""] or 0) > 0.95  # two documents may share a year or a month by chance


def test_an_auc_by_hand() -> None:
    """a, b and c of one person, d of another; a and b share a code, c and d share another: of the others none."""
    texts = {"a": "KX71 in", "b": "by KX71", "c": "to ZQ99", "d": "ZQ99 at"}
    corpus = Corpus([Document(key, text, group="y" if key == "d" else "x") for key, text in texts.items()])
    pairs = score_pairs(list(texts.values()))
    scores = dict(zip(zip(pairs.left.tolist(), pairs.right.tolist(), strict=True), pairs.score.tolist(), strict=True))
    right, wrong = [scores[0, 1], scores[0, 2], scores[1, 2]], [scores[0, 3], scores[1, 3], scores[2, 3]]
    expected = np.mean([(one > other) + (one == other) / 2 for one in right for other in wrong])
    run = evaluate(corpus, {"x": Anonymization({key: [] for key in texts})}, metrics=["linkability"])
    assert run["x", "linkability"].value == pytest.approx(expected)
    assert scores[0, 1] > max(scores[0, 2], scores[1, 2])


def test_without_people_with_several_documents_it_is_refused() -> None:
    corpus = Corpus([Document("a", "Ann"), Document("b", "Bob")])
    with pytest.raises(InputError, match=r"no two documents are of one person.*--group-by FIELD"):
        evaluate(corpus, {"x": Anonymization({"a": [], "b": []})}, metrics=["linkability"])


def test_one_person_alone_gives_no_number() -> None:
    corpus = Corpus([Document(key, text, group="x") for key, text in {"a": "Ann left", "b": "Bob is here"}.items()])
    score = evaluate(corpus, {"x": Anonymization({"a": [], "b": []})}, metrics=["linkability"])["x", "linkability"]
    assert (score.value, score.reason) == (None, "no two documents are of one group, or all are")


def test_an_attack_that_links_no_originals_is_no_evidence() -> None:
    corpus = letters([f"Kim{at}" for at in range(PEOPLE * EACH)])
    run = evaluate(corpus, {"x": replaced(corpus, ["[PERSON]"] * len(corpus))}, metrics=["linkability"])
    [line] = [item for item in evidence(run, decide(run)) if item.title == "Linkage between documents"]
    nothing = next(score.value for score in run.scores if score.anonymization == "nothing masked" and not score.part)
    assert nothing is not None
    assert line.state == ("weak" if nothing < 0.55 else "tested")
