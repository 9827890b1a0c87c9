"""What systems lose on perturbed corpora: differences by hand, what is said of them, and the gate."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, InputError, Mention, PlanError
from showthrough.studies.stress.comparison import stress
from showthrough.studies.stress.values import StressDifference, StressStudy

FIRST = (
    "Brennan", "Delphine", "Ottoline", "Casimir", "Eudora", "Leopold", "Marigold", "Thaddeus", "Winifred", "Zebulon",
    "Clemence", "Hadrian",
)  # fmt: skip
LAST = (
    "Holmgren", "Vasquez", "Okonjo", "Petrescu", "Lindqvist", "Moreau", "Castellan", "Drummond", "Feldspar", "Garrick",
    "Halloran", "Iverson",
)  # fmt: skip
WORDS = ("red", "blue", "green", "black", "white", "grey", "pink", "brown", "gold", "teal")


def corpus(count: int = 24, more: str = "") -> Corpus:
    """Documents of two sentences, a name in the first; no two are near copies."""
    documents = []
    for number in range(count):
        name = f"{FIRST[number % 12]} {LAST[(number * 5 + number // 12) % 12]}"
        colours = " ".join(f"{WORDS[(number * place + place) % 10]} thing {number * place}" for place in range(1, 8))
        text = f"Then {name} left {more}with {colours}."
        mention = Mention(5, 5 + len(name), "PERSON", "DIRECT", "e")
        documents.append(Document(f"d{number:02}", text, (Annotation("ann", (mention,)),)))
    return Corpus(documents, "made up")


def capitalised(text: str) -> list[tuple[int, int]]:
    """A system that masks two words with capitals in a row."""
    return [match.span() for match in re.finditer(r"[A-Z]\w+ [A-Z]\w+(?= left)", text)]


def of(study: StressStudy, metric: str = "removed_di") -> StressDifference:
    (one,) = study.of("system", metric)
    return one


def test_a_system_that_needs_capitals_loses_all_without_them() -> None:
    study = stress(corpus(), {"system": capitalised}, ["lowercase", "digits"], resamples=100, shuffles=999)
    lower, digits = study.of("system", "removed_di")
    assert (lower.perturbation, lower.original, lower.perturbed, lower.difference) == ("lowercase", 1.0, 0.0, -1.0)
    assert lower.low is not None
    assert lower.low <= -1.0
    assert (digits.difference, digits.state) == (0.0, "not shown")  # names have none
    precision = study.of("system", "precision")[0]
    assert (precision.original, precision.perturbed, precision.state) == (1.0, None, "unknown")  # nothing is masked
    assert "nothing was masked" in precision.note
    (by_type,) = {one.part for one in study.differences if one.metric == "removed" and one.part}
    assert by_type == "PERSON"
    assert [one.control for one in study.perturbations] == [
        {"removed_di": 0.0, "removed_qi": None, "precision": 0.0}
    ] * 2
    assert len(study.broken) == 10
    assert {(one.perturbation, one.direct, one.quasi) for one in study.broken} == {("lowercase", 1, 0)}
    assert study.broken[0].strings == ["brennan holmgren"]
    assert study.without_text().broken[0].strings == []


def test_a_loss_in_part_is_found_and_its_state_said() -> None:
    """A system that knows names letter by letter misses each that is mistyped."""
    known = {f"{first} {last}" for first in FIRST for last in LAST}

    def listed(text: str) -> list[tuple[int, int]]:
        return [(text.index(name), text.index(name) + len(name)) for name in known if name in text]

    study = stress(corpus(), {"system": listed}, ["typos"], seed=2, resamples=100, shuffles=999)
    one = of(study)
    (perturbation,) = study.perturbations
    assert one.original == 1.0
    assert one.perturbed == pytest.approx(1 - perturbation.marks / 24)  # each changed name is missed
    assert 0 < perturbation.marks < 24
    assert one.low is not None
    assert one.high is not None
    assert one.low < -perturbation.marks / 24 < one.high
    assert one.state == ("loss" if one.high < 0 and (one.p_holm or 1) <= 0.05 else "not shown")


def test_no_loss_shown_is_no_promise() -> None:
    study = stress(corpus(), {"system": capitalised}, ["digits"], resamples=100, shuffles=999)
    one = of(study)
    assert (one.difference, one.state) == (0.0, "not shown")
    assert one.low is not None
    assert one.low < -0.05  # of 24 documents: 0.05 cannot be excluded
    assert (study.check(0.0).status, study.check(0.9).status) == (3, 0)
    assert "may fall by up to" in study.check(0.05).said


def test_too_few_documents_pass_nothing() -> None:
    study = stress(corpus(6), {"system": capitalised}, ["digits"], resamples=100, shuffles=999)
    assert study.check(1.0).status == 3
    assert any(
        note.startswith("too few documents to show small losses: 6 independent documents") for note in study.notes
    )


def test_the_gate_fails_for_a_loss_and_for_what_cannot_be_known() -> None:
    study = stress(corpus(), {"system": capitalised}, ["lowercase"], resamples=100, shuffles=999)
    outcome = study.check(0.05)
    assert (outcome.status, outcome.lost) == (1, 1.0)
    assert outcome.said == "removed_di of system after lowercase falls by 1.000"
    outcome = study.check(1.0)  # precision has no value any more
    assert outcome.status == 1
    assert outcome.said.startswith("precision of system after lowercase has no value: nothing was masked")
    with pytest.raises(PlanError, match="max-loss: found 2; expected a number from 0 to 1"):
        study.check(2)


def test_what_the_search_no_longer_finds_counts_against_the_gate() -> None:
    """A name in single letters is read by nobody's search: who leaves the second one readable seems to gain."""
    documents = Corpus(
        [msgspec.structs.replace(one, text=f"{one.text} {' '.join(one.text.split()[1:3])} paid.") for one in corpus()]
    )
    study = stress(
        documents, {"system": lambda text: capitalised(text)[:1]}, ["letters-apart"], resamples=100, shuffles=999
    )
    one = of(study)
    assert one.original == 0.0  # the name can be read in the second sentence
    blind = study.perturbations[0].control["removed_di"]
    assert blind is not None
    assert blind > 0.5  # the control masks the marks alone, and so it leaves the second one readable too
    assert any(note.startswith("letters-apart: the search finds less by itself") for note in study.notes)
    assert one.low is not None
    assert study.check(0.5).most == pytest.approx(blind - one.low)


def test_documents_that_belong_together_count_once() -> None:
    """What a perturbation makes of two copies is no longer alike, and belongs together all the same."""
    documents = list(corpus(12))
    copies = [msgspec.structs.replace(one, id=f"{one.id}b") for one in documents]
    both = stress(
        Corpus([*documents, *copies]), {"system": capitalised}, ["typos(rate=1.0)"], resamples=100, shuffles=99
    )
    assert both.units == 12
    assert "12 independent units of 24 documents" in both.sample


def test_recorded_outputs_give_what_the_system_gives() -> None:
    def read(name: str, there: Corpus) -> Anonymization:
        return Anonymization.from_spans({one.id: capitalised(one.text) for one in there}, there, name)

    options = {"resamples": 100, "shuffles": 99, "seed": 4}
    system = stress(corpus(), {"system": capitalised}, ["typos", "capitals"], **options)
    recorded = stress(corpus(), (), ["typos", "capitals"], outputs={"system": read}, **options)
    assert recorded == system


def test_systems_are_tested_together() -> None:
    """Holm's correction is over all systems and perturbations of a number."""

    def lazy(text: str) -> list[tuple[int, int]]:
        return capitalised(text)

    options = {"resamples": 100, "shuffles": 999}
    alone = of(stress(corpus(), {"system": capitalised}, ["lowercase"], **options))
    beside = stress(corpus(), {"system": capitalised, "lazy": lazy}, ["lowercase"], **options)
    if alone.p_holm is not None:
        assert beside.of("system", "removed_di")[0].p_holm == pytest.approx(2 * alone.p_holm)
    assert beside.systems == ["system", "lazy"]


@pytest.mark.parametrize(
    ("documents", "systems", "ways", "fault"),
    [
        (corpus(3), (), ["typos"], "systems: no system was named"),
        (corpus(3), {"every mark masked": capitalised}, ["typos"], "this name is used twice"),
        (Corpus([Document("a", "Ann in Oslo")]), {"s": capitalised}, ["typos"], "has no annotations"),
        (corpus(3), {"s": capitalised}, ["no-accents"], "perturb: nothing of made up is changed by no-accents"),
        (corpus(3), {"s": capitalised}, ["typo"], "unknown perturbation 'typo'"),
    ],
)
def test_what_cannot_be_asked(documents: Corpus, systems: object, ways: Sequence[str], fault: str) -> None:
    with pytest.raises(InputError) as caught:
        stress(documents, systems, ways, resamples=0)  # type: ignore[arg-type]
    assert fault in str(caught.value)


def test_a_perturbation_that_changes_nothing_has_no_numbers() -> None:
    study = stress(corpus(), {"system": capitalised}, ["no-accents", "capitals"], resamples=0, shuffles=9)
    assert {one.perturbation for one in study.differences} == {"capitals"}
    assert [one.documents for one in study.perturbations] == [0, 24]
    assert "changes nothing in this corpus, so nothing is known of it: no-accents" in study.notes


def test_no_document_that_differs_is_no_certainty() -> None:
    """Of 24 documents none differs: 1 - 0.025 ** (1 / 24) = 0.142 may, so the interval has a width."""
    documents = corpus()
    half = {one.id: capitalised(one.text) if number % 2 else [] for number, one in enumerate(documents)}

    def read(name: str, there: Corpus) -> Anonymization:
        return Anonymization.from_spans(half, there, name)

    study = stress(documents, (), ["digits"], outputs={"system": read}, resamples=100, shuffles=99)
    one = of(study)
    assert (one.original, one.difference, one.state, one.note) == (0.5, 0.0, "not shown", "no document differs")
    assert one.low == pytest.approx(-0.1425, abs=1e-4)
    assert (study.check(0.1).status, study.check(0.9).status) == (3, 0)
