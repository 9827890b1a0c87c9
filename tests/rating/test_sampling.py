"""Passages to be rated: drawn by chance, the same of every system, under names that tell nothing."""

from __future__ import annotations

import stat
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, OutputError, PlanError, rating_sample
from showthrough.data.text_anonymizations import Rewriting
from showthrough.formats.authorship.rating_folder import RatingItem, read_items

PARTS = ("One came here. ", "Two went there. ", "Three stood still. ", "Four fell down. ")


def problems(number: int = 6) -> Corpus:
    return Corpus([Document(f"p{place}", "".join(PARTS)) for place in range(number)])


def rewriting(name: str, corpus: Corpus, shift: int = 0) -> Rewriting:
    """All passages anew; `shift` moves the borders between them."""
    ends = np.cumsum([len(part) for part in PARTS])
    cuts = [0, *(ends[:-1] + shift).tolist(), int(ends[-1])]
    return Rewriting(
        {
            document.id: [
                Mask(low, high, f"{name} {place} of {document.id}.") for place, (low, high) in enumerate(pairwise(cuts))
            ]
            for document in corpus
        },
        name,
    )


def test_the_same_passages_of_every_system() -> None:
    corpus = problems()
    drawn = rating_sample(corpus, [rewriting("A", corpus), rewriting("B", corpus)], documents=4, passages=2, seed=3)
    places = {
        name: {(one.document, one.start, one.end) for one in drawn.items if one.anonymization == name} for name in "AB"
    }
    assert places["A"] == places["B"]
    assert len(places["A"]) == 8
    assert len({document for document, _, _ in places["A"]}) == 4
    assert drawn.notes == ()


def test_where_borders_differ_what_overlaps_most() -> None:
    corpus = problems(1)
    drawn = rating_sample(corpus, [rewriting("A", corpus), rewriting("B", corpus, shift=2)], documents=1, passages=4)
    said = {name: sorted(one.text for one in drawn.items if one.anonymization == name) for name in "AB"}
    assert said["B"] == [text.replace("A", "B") for text in said["A"]]


def test_a_seed_draws_the_same_in_whatever_order_things_are_given() -> None:
    corpus = problems()
    turned = Corpus(list(corpus)[::-1])
    both = [rewriting("A", corpus), rewriting("B", corpus)]
    one = rating_sample(corpus, both, documents=3, passages=2, seed=5)
    two = rating_sample(turned, both[::-1], documents=3, passages=2, seed=5)
    other = rating_sample(corpus, both, documents=3, passages=2, seed=6)
    assert one.files == two.files
    assert one.items != other.items


def test_every_passage_can_be_drawn_and_ids_tell_nothing() -> None:
    corpus = problems()
    both = [rewriting("A", corpus), rewriting("B", corpus)]
    seen: set[tuple[str, int]] = set()
    firsts = []
    for seed in range(120):
        items = rating_sample(corpus, both, documents=2, passages=1, seed=seed).items
        seen |= {(item.document, item.start) for item in items}
        firsts.append(items[0].anonymization)
    assert len(seen) == 24
    assert 40 < firsts.count("A") < 80  # of 120, at even odds


def test_masks_are_in_few_sentences_and_those_are_drawn() -> None:
    text = "Ann came. It rained. Bob left. It snowed."
    corpus = Corpus([Document("a", text), Document("b", text)])
    ann = Anonymization({key: [Mask(0, 3, "X")] for key in "ab"}, "ann")
    bob = Anonymization({key: [Mask(21, 24)] for key in "ab"}, "bob")
    drawn = rating_sample(corpus, {"ann": ann, "bob": bob}, documents=2, passages=4)
    found = sorted((one.anonymization, one.text.strip()) for one in drawn.items if one.document == "a")
    assert found == [("ann", "Bob left."), ("ann", "X came."), ("bob", "Ann came."), ("bob", "left.")]
    assert (drawn.sample.short, drawn.sample.unchanged) == (8, 4)  # each system leaves the other's sentence
    assert drawn.notes == (
        "8 of 8 passages have fewer than 3 words",
        "4 of 8 passages read as in the original",
    )


def test_fewer_documents_than_asked_for_are_told() -> None:
    corpus = problems(3)
    whole, part = rewriting("A", corpus), rewriting("B", corpus).part(["p0", "p2"])
    drawn = rating_sample(corpus, [whole, part], documents=5, passages=1)
    assert {one.document for one in drawn.items} == {"p0", "p2"}
    assert drawn.notes == (
        "left aside: 1 of 3 documents, which not every anonymization has",
        "found 2 documents to draw from, fewer than 5: all are taken",
    )


def test_the_folder_is_its_owners_and_is_never_written_over(tmp_path: Path) -> None:
    corpus = problems()
    drawn = rating_sample(corpus, [rewriting("A", corpus)])
    drawn.write(tmp_path / "new")
    for file in ("items.jsonl", "sample.json"):
        assert stat.S_IMODE((tmp_path / "new" / file).stat().st_mode) == 0o600
    sample, items = read_items(tmp_path / "new")
    assert (sample, list(items.values())) == (drawn.sample, drawn.items)
    assert sample.anonymizations == {"A": rewriting("A", corpus).digest}
    with pytest.raises(OutputError, match="is not empty; choose another folder"):
        drawn.write(tmp_path / "new")


def test_passages_that_were_changed_are_not_asked_for(folder: Path) -> None:
    file = folder / "items.jsonl"
    file.write_bytes(file.read_bytes().replace(b"Somebody", b"Anybody "))
    with pytest.raises(InputError, match="is not as sample"):
        read_items(folder)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"documents": 0}, "documents: found 0; expected 1 or more"),
        ({"passages": 0}, "passages: found 0; expected 1 or more"),
        ({"seed": -1}, "seed: found -1; expected 0 or more"),
    ],
)
def test_what_cannot_be_drawn_is_told(given: dict[str, int], says: str) -> None:
    corpus = problems(2)
    with pytest.raises(PlanError, match=says):
        rating_sample(corpus, [rewriting("A", corpus)], **given)


def test_nothing_to_rate_is_told() -> None:
    corpus = problems(2)
    with pytest.raises(PlanError, match="none was given"):
        rating_sample(corpus, [])
    with pytest.raises(PlanError, match="changed no passage"):
        rating_sample(corpus, [Anonymization({"p0": [], "p1": []}, "A")])
    with pytest.raises(PlanError, match="no document of the corpus in common"):
        rating_sample(corpus, [rewriting("A", corpus).part(["p0"]), rewriting("B", corpus).part(["p1"])])
    with pytest.raises(InputError, match="past the end of the text"):
        rating_sample(corpus, [Anonymization({"p0": [Mask(0, 999)]}, "A")])
    with pytest.raises(InputError, match="used twice"):
        rating_sample(corpus, [rewriting("A", corpus), rewriting("A", corpus)])


def test_an_item_names_its_place() -> None:
    assert RatingItem("1", "d", "A", 3, 9, "x").location == "3-9"
