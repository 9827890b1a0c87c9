"""Agreement counted by hand, and of corpora in which there is little or nothing to compare."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace

from showthrough import Agreement, Annotation, Corpus, Document, InputError, Mention, agreement
from showthrough.data.documents import InferredMention
from showthrough.statistics import Spread, share_interval
from showthrough.statistics.agreement import ONE_CATEGORY
from showthrough.statistics.numerics.distributions import binomial_ends
from showthrough.studies.agreement import _study, estimates as intervals
from showthrough.studies.agreement.values import Estimate

TEXT = "Ann of Oslo met Bo."
ANN = Mention(0, 3, "PERSON", "DIRECT", "", "HEALTH")
OSLO = Mention(7, 11, "LOC", "QUASI")
BO = Mention(16, 18, "PERSON", "NO_MASK")


def document(name: str, **layers: tuple[Mention, ...]) -> Document:
    """As long as the others, and no copy of them: these would be one unit."""
    return Document(
        name, TEXT.replace("met", f"{name:_>3}"), tuple(Annotation(who, marks) for who, marks in layers.items())
    )


def numbers(found: Agreement) -> Iterator[Estimate]:
    for one in found.measured:
        yield from (one.observed, one.fleiss, one.krippendorff)
    for pair in found.pairs:
        for each in pair.measured:
            yield from (each.observed, each.cohen)


def sound(found: Agreement) -> None:
    """No number is made up: each is finite and inside its interval, or there is a reason."""
    for one in numbers(found):
        assert (one.value is None) == bool(one.reason)
        if one.value is not None:
            assert np.isfinite(one.value)
            assert (one.low is None) == bool(one.note)
            assert (
                one.low is None or one.high is None or -1 <= one.low <= one.value + 1e-9 <= one.high + 2e-9 <= 1 + 1e-6
            )
    msgspec.json.encode(found)


def test_counted_by_hand() -> None:
    """Of 19 characters, 3 are marked by both and 4 + 2 by one; of 3 spans, 1 by both."""
    found = agreement(Corpus([document("a", x=(ANN, OSLO), y=(ANN, BO))]))
    characters, spans = found.of("type", "characters"), found.of("type", "spans")
    assert (characters.items, spans.items) == (19, 3)
    assert characters.observed.value == pytest.approx(13 / 19)
    assert spans.observed.value == pytest.approx(1 / 3)
    # What y does not mask and x did not mark is the same decision.
    assert found.of("masking", "characters").observed.value == pytest.approx(15 / 19)
    assert found.of("masking", "spans").observed.value == pytest.approx(2 / 3)
    # PERSON 3 of 6, LOC 1, none 2: (1/3 − 14/36) / (1 − 14/36)
    assert spans.fleiss.value == pytest.approx((1 / 3 - 14 / 36) / (1 - 14 / 36))
    # x: PERSON, LOC, none; y: PERSON, none, PERSON: 2 + 0 + 1 of 9
    (pair,) = found.pairs
    cohen = next(one.cohen for one in pair.measured if (one.attribute, one.unit) == ("type", "spans"))
    assert cohen.value == pytest.approx((1 / 3 - 3 / 9) / (1 - 3 / 9))
    assert [(one.entity_type, one.compared, one.quasi_unmarked, one.differing) for one in found.decisions] == [
        ("LOC", 1, 1, 1),
        ("PERSON", 2, 0, 0),
    ]
    assert [(one.here, one.said) for one in found.places] == [("Oslo", {"quasi": 1, "unmarked": 1})]
    assert all(one.note.startswith("fewer than 5 documents") for one in numbers(found) if one.value is not None)
    sound(found)


def test_each_disputed_span_counts_once() -> None:
    """Ann: direct, quasi and unmarked; Oslo: quasi twice, and no mask; Bo: only y marked it, and not to be masked."""
    quasi, free = Mention(0, 3, "PERSON", "QUASI"), Mention(7, 11, "LOC", "NO_MASK")
    found = agreement(Corpus([document("a", x=(ANN, OSLO), y=(quasi, OSLO, BO), z=(free,))]))
    once = {one.entity_type: one for one in found.disputes}
    assert (once["PERSON"].compared, once["PERSON"].differing, once["PERSON"].direct_unmarked) == (2, 1, 1)
    assert (once["LOC"].compared, once["LOC"].differing, once["LOC"].quasi_no_mask) == (1, 1, 1)
    # Pairs: Ann direct/quasi, direct/unmarked, quasi/unmarked; Bo two with y; Oslo two of three.
    pairs = {one.entity_type: one for one in found.decisions}
    assert (pairs["PERSON"].compared, pairs["PERSON"].differing, pairs["PERSON"].direct_quasi) == (5, 3, 1)
    assert (pairs["LOC"].compared, pairs["LOC"].differing) == (3, 2)


def test_long_spans_are_counted() -> None:
    """Of 100, 101 and 150 characters; the second is marked by two."""
    text = "many words " * 20
    marks = [Mention(0, 100, "X", "QUASI"), Mention(0, 101, "X", "QUASI"), Mention(0, 150, "X", "QUASI")]
    layers = (Annotation("x", tuple(marks[:2])), Annotation("y", tuple(marks[1:])))
    found = agreement(Corpus([Document("d", text, layers)]))
    assert (found.long_spans, found.long_spans_shared) == (2, 1)


@pytest.mark.parametrize(
    ("documents", "reason"),
    [
        ([document("a")], "no document has annotations: there is nobody to agree"),
        ([document("a", x=(ANN,)), document("b", x=())], "one annotator marked this corpus (x)"),
        (
            [document(f"{who}", **{f"p{who}": (ANN,)}) for who in range(10)],
            "10 annotators, but no document was read by",
        ),
        ([document("a", **{"silver(rules.v1)": (ANN,)})], "all annotations are by programs (silver(rules.v1))"),
        ([document("a", x=(ANN,), **{"silver(rules.v1)": (ANN,)})], "one annotator marked this corpus (x)"),
    ],
)
def test_nothing_to_compare(documents: list[Document], reason: str) -> None:
    found = agreement(Corpus(documents))
    assert reason in found.reason
    assert (found.measured, found.pairs, found.decisions, found.shared) == ((), (), (), 0)


def test_annotators_who_marked_nothing() -> None:
    found = agreement(Corpus([document(f"{number}", x=(), y=()) for number in range(6)]))
    characters, spans = found.of("masking", "characters"), found.of("type", "spans")
    assert characters.observed.value == 1
    assert characters.observed.low == pytest.approx(0.05 ** (1 / 6))  # six documents prove little
    assert (characters.fleiss.value, characters.fleiss.reason) == (None, ONE_CATEGORY)
    assert (spans.observed.value, spans.krippendorff.value, spans.items) == (None, None, 0)
    assert found.places == found.decisions == ()
    sound(found)


def test_programs_are_left_out() -> None:
    people = [document(f"{number}", x=(ANN, OSLO), y=(ANN,)) for number in range(6)]
    silver = Annotation("silver(rules.v1)", (BO,))
    both = [msgspec.structs.replace(one, annotations=(*one.annotations, silver)) for one in people]
    one, two = agreement(Corpus(people)), agreement(Corpus(both))
    assert two.programs == ("silver(rules.v1)",)
    assert one.measured == two.measured
    assert one.pairs == two.pairs


def test_a_name_that_occurs_twice_is_one_person() -> None:
    layers = (Annotation("x", (ANN,)), Annotation("x", (OSLO,)), Annotation("y", (ANN, OSLO)))
    found = agreement(Corpus([Document("a", TEXT, layers)]))
    assert found.of("type", "characters").observed.value == 1
    assert [(pair.first, pair.second) for pair in found.pairs] == [("x", "y")]
    assert "x" in agreement(Corpus([Document("a", TEXT, layers[:2])])).reason


def test_what_a_corpus_does_not_say() -> None:
    told = InferredMention(0, 3, "PERSON", "QUASI")
    found = agreement(Corpus([document("a", x=(told,), y=())]))
    assert found.of("type", "spans").observed.value == 0
    for attribute in ("identifier", "masking"):
        reason = found.of(attribute, "spans").krippendorff.reason  # type: ignore[arg-type]
        assert reason.startswith("the corpus does not say whether")
    assert found.of("confidential", "spans").observed.reason == "the corpus does not say what is confidential"
    assert found.decisions == found.places == ()
    sound(found)


def test_a_string_as_long_as_its_document_is_told_in_short() -> None:
    text = "Ann of Oslo. " * 1_000
    layers = (Annotation("x", (Mention(0, len(text), "LOC", "QUASI"),)), Annotation("y", ()))
    [place] = agreement(Corpus([Document("d", text, layers)]), resamples=0).places
    assert len(place.here) < 250
    assert place.here.startswith("Ann of Oslo. Ann")


def test_perfect_agreement_is_not_sure() -> None:
    found = agreement(Corpus([document(f"{number}", x=(ANN, OSLO), y=(ANN, OSLO)) for number in range(20)]))
    one = found.of("type", "characters")
    for each in (one.observed, one.fleiss, one.krippendorff):
        assert (each.value, each.high) == (pytest.approx(1), pytest.approx(1))
        assert each.low is not None
        assert each.low <= 0.05 ** (1 / 20) + 1e-9
    unseen = 1 - 0.05 ** (1 / 20)
    assert one.fleiss.low == pytest.approx(1 - 2 * unseen)  # as a share of the way from −1 to 1
    sound(found)


def test_few_resamples_make_nothing_surer_than_documents_do() -> None:
    """A single resample does not vary. Documents do: in each second one 4 of 19 characters differ.

    Of 17 / 19 each is 2 / 19 off, which is a variance of 8 (2 / 19)² / 8² · 8/7 = 4 / 19² / 7, as 34 / 19² over that =
    59.5 trials have. Student's t of 7 degrees makes them 59.5 (1.95996 / 2.36462)² = 40.8786.
    """
    corpus = Corpus([document(f"{n}", x=(ANN, OSLO), y=(ANN, OSLO) if n % 2 else (ANN,)) for n in range(8)])
    one = agreement(corpus, resamples=1).of("type", "characters").observed
    trials = 59.5 * (1.959964 / 2.364624) ** 2
    assert (one.low, one.high) == pytest.approx(
        [float(end) for end in binomial_ends(17 / 19 * trials, trials, 0.95)], abs=1e-5
    )


def test_without_resamples_that_vary_kappa_has_the_jackknife_s_variance() -> None:
    """(n − 1) / n Σ (κᵢ − mean κ)² of κ without each document, as a share of the way from −1 to 1."""
    layers = [(ANN, OSLO), (ANN,), (ANN, OSLO, BO), (OSLO,), (ANN, OSLO), (ANN, BO)]
    documents = [document(f"{n}", x=(ANN, OSLO), y=marks) for n, marks in enumerate(layers)]

    def kappa(some: list[Document], resamples: int = 0) -> Estimate:
        return agreement(Corpus(some), resamples=resamples).of("type", "characters").fleiss

    found, many = kappa(documents, resamples=1), len(documents)
    without = np.array([((kappa([*documents[:n], *documents[n + 1 :]]).value or 0) + 1) / 2 for n in range(many)])
    squares = (without - without.mean()) ** 2
    variance, speaking = squares.sum() * (many - 1) / many, squares.sum() ** 2 / (squares**2).sum()
    spread = Spread(*np.array([[variance], [many], [many], [speaking]]))
    assert found.value is not None
    low, high = share_interval(np.array([(found.value + 1) / 2]), spread, 0.95)
    assert (found.low, found.high) == pytest.approx((2 * low.item() - 1, 2 * high.item() - 1))


def test_perfect_agreement_on_what_is_rare_is_even_less_sure() -> None:
    """3 of 19 characters are marked: what may be unseen weighs more against what chance would do."""
    found = agreement(Corpus([document(f"{number}", x=(ANN,), y=(ANN,)) for number in range(20)]))
    chance = 1 - (3**2 + 16**2) / 19**2
    unseen = 1 - 0.05 ** (1 / 20)
    assert found.of("type", "characters").fleiss.low == pytest.approx(1 - unseen / chance)


def test_a_single_document_with_all_the_variety() -> None:
    """Without it nothing tells agreement from chance: no interval would be true."""
    found = agreement(
        Corpus([document("a", x=(ANN,), y=(ANN,)), *(document(f"{number}", x=(), y=()) for number in range(6))])
    )
    one = found.of("type", "characters").fleiss
    assert (one.value, one.low) == (pytest.approx(1), None)
    assert one.note == "without one of the documents it would be undefined"


def test_documents_of_one_group_are_drawn_together() -> None:
    apart = [document(f"{number}", x=(ANN, OSLO), y=(ANN, OSLO) if number % 2 else (ANN,)) for number in range(24)]
    grouped = [
        msgspec.structs.replace(one, group=f"patient {number // 4}") for number, one in enumerate(sorted_by(apart))
    ]
    one, two = (agreement(Corpus(each)).of("type", "spans").fleiss for each in (apart, grouped))
    assert one.value == pytest.approx(two.value)
    assert two.high - two.low > one.high - one.low  # type: ignore[operator]


def sorted_by(documents: list[Document]) -> list[Document]:
    """Those with differences first, so that groups are of one kind."""
    return sorted(documents, key=lambda one: len(one.annotations[1].mentions))


def test_many_documents_are_drawn_some_together(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus(
        [document(f"{number}", x=(ANN, OSLO), y=(ANN, OSLO) if number % 3 else (ANN,)) for number in range(200)]
    )
    one = agreement(corpus)
    monkeypatch.setattr(_study, "_BLOCKS", 50)
    two = agreement(corpus)
    for each, other in zip(numbers(one), numbers(two), strict=True):
        assert each.value == pytest.approx(other.value, abs=1e-12)
    width = [each.of("type", "spans").fleiss for each in (one, two)]
    assert width[1].high - width[1].low == pytest.approx(width[0].high - width[0].low, rel=0.5)  # type: ignore[operator]


def test_categories_are_resampled_some_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = Corpus(
        [document(f"{n}", x=(Mention(0, 3, f"T{n}"),), y=(Mention(0, 3, f"T{n // 2}"), OSLO)) for n in range(9)]
    )
    one = agreement(corpus)
    monkeypatch.setattr(intervals, "_TOGETHER", 2)
    monkeypatch.setattr(intervals, "_CELLS", 0)
    for each, other in zip(numbers(one), numbers(agreement(corpus)), strict=True):
        assert (each.reason, each.note) == (other.reason, other.note)
        assert each.value == pytest.approx(other.value, abs=1e-9)
        assert each.low == pytest.approx(other.low, abs=1e-9)
        assert each.high == pytest.approx(other.high, abs=1e-9)


def test_strings_that_are_forgotten_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_study, "_KEPT", 1)
    marks = tuple(Mention(place, place + 1) for place in range(4))
    found = agreement(Corpus([document("a", x=marks, y=()), document("b", x=(OSLO,), y=())]))
    assert found.places_forgotten
    assert [(one.here, one.places) for one in found.places] == [("n", 2)]  # of Ann


def test_few_pairs_of_many_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_study, "PAIRS", 2)
    found = agreement(Corpus([document("a", x=(ANN,), y=(), z=()), document("b", y=(ANN,), z=())]))
    assert [(pair.first, pair.second, pair.documents) for pair in found.pairs] == [("y", "z", 2), ("x", "y", 1)]
    assert found.other_pairs == 1
    sound(found)


def test_the_order_of_annotators_does_not_matter() -> None:
    one = agreement(Corpus([document("a", x=(ANN, OSLO), y=(ANN, BO), z=())]))
    two = agreement(Corpus([document("a", z=(), y=(ANN, BO), x=(ANN, OSLO))]))
    assert one.measured == two.measured
    assert (one.decisions, one.disputes) == (two.decisions, two.disputes)
    assert {frozenset((pair.first, pair.second)) for pair in one.pairs} == {
        frozenset((pair.first, pair.second)) for pair in two.pairs
    }


def test_the_order_of_documents_does_not_matter() -> None:
    layers = [{"x": (ANN, OSLO), "y": (ANN, BO)}, {"x": (ANN, OSLO), "y": (ANN, OSLO)}, {"x": (BO,), "y": (OSLO, BO)}]
    documents = [document(f"d{number}", **layers[number % 3]) for number in range(7)]
    grouped = [replace(one, group="g" * (place < 2)) for place, one in enumerate(documents)]
    for each in (documents, grouped):
        one, two = agreement(Corpus(each)), agreement(Corpus([*each[3:], *each[:3]]))
        assert one.of("type", "spans").fleiss.low is not None
        for first, second in zip(numbers(one), numbers(two), strict=True):
            assert (first.value, first.low, first.high) == pytest.approx((second.value, second.low, second.high))


def test_an_empty_status_says_nothing() -> None:
    said, nothing = (replace(OSLO, confidential=status) for status in (" ", None))
    found = agreement(Corpus([document("a", x=(ANN, said), y=(ANN, nothing))]))
    assert found.of("confidential", "spans").observed.value == 1
    found = agreement(Corpus([document("a", x=(said,), y=(nothing,))]))
    assert found.of("confidential", "spans").observed.reason == "the corpus does not say what is confidential"


def test_without_resamples_there_is_no_interval() -> None:
    found = agreement(Corpus([document(f"{number}", x=(ANN, OSLO), y=(ANN,)) for number in range(6)]), resamples=0)
    assert {one.note for one in numbers(found) if one.value is not None} == {"no resamples were asked for"}


def test_settings_are_checked() -> None:
    with pytest.raises(InputError, match="confidence"):
        agreement(Corpus([document("a", x=(), y=())]), confidence=2)


def test_without_text() -> None:
    found = agreement(Corpus([document("a", x=(ANN, OSLO), y=(ANN,))]))
    assert b"Oslo" in msgspec.json.encode(found)
    assert b"Oslo" not in msgspec.json.encode(found.without_text())
