"""How surely thresholds are met: worked by hand."""

from __future__ import annotations

import pytest
from msgspec.structs import asdict, replace

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.data.provenance import Provenance
from showthrough.metrics.base import Role
from showthrough.report.table import tables
from showthrough.run.gate.grading import (
    FAILED,
    PASSED,
    UNJUDGED,
    UNSURE,
    Demand,
    Grade,
    Grading,
    demands_of,
    grade_demand,
    overall,
    status_of,
)
from showthrough.run.records import Failure, Input
from showthrough.run.run import Run
from showthrough.run.thresholds import Threshold
from showthrough.statistics import ALIKE


@pytest.fixture(scope="module")
def run() -> Run:
    """40 documents with a name each; `most` leaves one of them readable."""
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    corpus = Corpus([Document(f"d{number:02}", f"Doe left {number}", marks) for number in range(40)])
    every = {one.id: [Mask(0, 3)] for one in corpus}
    masks = {"every": Anonymization(every), "most": Anonymization({**every, "d00": []})}
    return evaluate(corpus, masks, metrics=["er_di", "er_qi"])


def grade_of(run: Run, name: str, threshold: Threshold) -> Grade:
    return grade_demand(run, name, Demand(threshold)).grade


def usual(run: Run) -> list[str]:
    return [str(one.threshold) for one in demands_of(run)]


@pytest.mark.parametrize(
    ("name", "limit", "grade"),
    [
        ("every", 0.9, "met"),  # 40 of 40 hidden: the interval starts at 0.928
        ("every", 0.95, "unsure"),  # below that, 5 % may leak all the same
        ("most", 0.975, "unsure"),  # 39 of 40 are 0.975, which still is good enough
        ("most", 0.976, "missed"),
    ],
)
def test_a_threshold_is_met_only_with_the_interval(run: Run, name: str, limit: float, grade: Grade) -> None:
    assert grade_of(run, name, Threshold("er_di", "min", limit)) == grade


def test_the_other_end_counts_where_less_is_better(run: Run) -> None:
    assert grade_of(run, "most", Threshold("er_di", "max", 0.98)) == "unsure"
    assert grade_of(run, "most", Threshold("er_di", "max", 1.0)) == "met"
    assert grade_of(run, "most", Threshold("er_di", "max", 0.9)) == "missed"


def test_no_number_is_no_pass(run: Run) -> None:
    assert grade_of(run, "every", Threshold("er_qi", "min", 0.0)) == "unknown"  # nobody marked any
    assert grade_of(run, "every", Threshold("er_di", "min", 0.0, "PERSON")) == "unknown"


def test_what_failed_is_asked_for_all_the_same(run: Run) -> None:
    rows = {text: rows for text, rows in run.rows.items() if text != "er_di"}
    failed = replace(run, rows=rows, failures=[Failure("er_di", "it broke")])
    assert usual(failed) == ["er_di ≥ 0.95"]  # nobody marked a quasi-identifier, so that none is asked for
    neither = replace(run, rows={}, failures=[Failure(text, "it broke") for text in ("er_di", "er_qi")])
    assert usual(neither) == ["er_di ≥ 0.95", "er_qi ≥ 0.95"]  # how many were marked is not known
    missed = Demand(Threshold("er_di", "min", 0.95), grave=True), Demand(Threshold("er_qi", "min", 0.95), grave=False)
    assert demands_of(neither) == [*missed]
    assert grade_demand(neither, "every", Demand(Threshold("er_di", "min", 0.9, "X"))).cautious is None


@pytest.mark.parametrize(("total", "asked"), [([1] * 40, True), ([0] * 40, False), (None, False)])
def test_places_are_asked_for_where_there_are_any(run: Run, total: list[int] | None, asked: bool) -> None:
    """Also where none of them is hidden; not where rows do not tell how many there are."""
    columns = {"hidden": [0] * 40, **({} if total is None else {"total": total})}
    rows = {**run.rows, "er_qi": dict.fromkeys(run.names, columns)}
    assert ("er_qi ≥ 0.95" in usual(replace(run, rows=rows))) == asked


def test_places_are_asked_for_where_any_system_has_them(run: Run) -> None:
    """One whose rows count none does not speak for the others."""
    with_none, with_some = ({"hidden": [0] * 40, "total": [total] * 40} for total in (0, 1))
    for every, most in ((with_none, with_some), (with_some, with_none)):
        rows = {**run.rows, "er_qi": {"every": every, "most": most}}
        assert "er_qi ≥ 0.95" in usual(replace(run, rows=rows))


def test_a_status_is_that_of_the_worst_number(run: Run) -> None:
    """39 of 40 names hidden in `most` and all in `every`, whose intervals begin above 0.8 and below 0.95."""
    for threshold, status in [
        (Threshold("er_di", "min", 0.8), PASSED),
        (Threshold("er_di", "min", 0.95), UNSURE),
        (Threshold("er_di", "min", 0.98), FAILED),  # `most` misses it
        (Threshold("er_qi", "min", 0.0), FAILED),  # nobody marked any: no number is no pass
    ]:
        assert status_of(replace(run, thresholds=[threshold])) == status


def test_the_worst_grade_counts() -> None:
    """A miss is worse than a number that is not there, and that is worse than one that is not sure."""
    ranked: tuple[Grade, ...] = ("met", "unsure", "unknown", "missed")
    for place, worse in enumerate(ranked):
        assert {overall([worse, better]) for better in ranked[: place + 1]} == {worse}


def test_words_are_asked_for_only_where_no_entities_are(run: Run) -> None:
    """Recall counts the same once more, so that either kind of identifiers stands in for it."""
    direct, quasi = run.metrics
    recall = replace(quasi, text="recall", name="recall", roles=("recall",), counts={})
    words = [replace(one, metric="recall") for one in run.scores if one.metric == "er_di"]
    rows = {**run.rows, "recall": run.rows["er_di"], "er_qi": run.rows["er_di"]}  # as though both were marked
    every = replace(run, rows=rows, scores=[*run.scores, *words])
    for metrics, asked in [
        ([direct, quasi, recall], ["er_di ≥ 0.95", "er_qi ≥ 0.95"]),
        ([direct, recall], ["er_di ≥ 0.95"]),
        ([quasi, recall], ["er_qi ≥ 0.95"]),
        ([recall], ["recall ≥ 0.95"]),
    ]:
        assert usual(replace(every, metrics=metrics)) == asked


def test_whose_limits_count_for_the_usual_thresholds(run: Run) -> None:
    """Of the same metric what was asked for, be it less; of others of its role only more. Not the other end."""
    direct, quasi = run.metrics
    other = replace(direct, text="er_di(types=[X])")
    every = replace(
        run,
        metrics=[direct, other, quasi],
        rows={**run.rows, other.text: run.rows["er_di"], "er_qi": run.rows["er_di"]},
    )

    def beside(*asked: Threshold) -> list[str]:
        return [str(one.threshold) for one in demands_of(every, asked) if one.usual]

    assert beside(Threshold(other.text, "min", 0.5)) == ["er_di ≥ 0.5", "er_qi ≥ 0.95"]
    assert beside(Threshold(other.text, "max", 0.5)) == ["er_di ≥ 0.95", "er_qi ≥ 0.95"]
    assert beside(Threshold("er_di", "min", 0.5)) == ["er_qi ≥ 0.95"]
    assert beside(Threshold("er_di", "max", 0.5)) == ["er_di ≥ 0.95", "er_qi ≥ 0.95"]
    assert beside(Threshold("er_qi", "min", 0.99)) == ["er_di ≥ 0.95"]  # which is of places, and not of names
    assert beside(Threshold("er_di", "min", 0.5, "PERSON")) == ["er_di ≥ 0.95", "er_qi ≥ 0.95"]  # of a part alone
    attacks = replace(run, metrics=[replace(one, roles=("attack",)) for one in run.metrics])
    for limit, asked in [(0.05, "er_qi ≤ 0.05"), (0.2, "er_qi ≤ 0.09")]:
        demands = demands_of(attacks, [Threshold("er_di", "max", limit)])
        assert [(str(one.threshold), one.grave) for one in demands if one.usual] == [(asked, True)]


def test_every_attack_counts(run: Run) -> None:
    """The strongest may be any of them."""
    attacks = replace(run, metrics=[replace(one, roles=("attack",)) for one in run.metrics])
    assert usual(attacks) == ["er_di ≤ 0.09", "er_qi ≤ 0.09"]
    failed = replace(attacks, rows={"er_qi": run.rows["er_qi"]}, failures=[Failure("er_di", "it broke")])
    assert sorted(usual(failed)) == ["er_di ≤ 0.09", "er_qi ≤ 0.09"]


def test_what_can_have_no_interval_is_graded_by_its_number(run: Run) -> None:
    """And says so; one that has none because nothing varies, or because nobody asked for any, is not sure."""
    for note, grade in {"clusters cannot be drawn": "met", ALIKE: "unsure", "": "unsure"}.items():
        bare = [replace(one, low=None, high=None, note=note) for one in run.scores]
        found = grade_demand(replace(run, scores=bare), "every", Demand(Threshold("er_di", "min", 0.9)))
        assert found.grade == grade
        begins = "it can have no interval" if grade == "met" else "it has no interval"
        assert found.why == (f"{begins}: {note}" if note else begins)
        assert found.need is None  # documents make no interval of none


@pytest.mark.parametrize(
    ("silver", "made", "name", "grade"),
    [
        ("silver(rules.v1)", None, "every", "met"),
        ("silver(rules.v1)", None, "rules", "unknown"),
        ("silver(rules.v1) and others", "rules", "every", "unknown"),
        ("silver(presidio.v1)", 'spacy(model="en_core_web_lg")', "every", "unknown"),  # whose pipelines Presidio asks
        ("silver(presidio.v1)", "rules", "every", "met"),
        ("silver(hf.v1 deid-bert)", "hf:other/deid-roberta", "every", "met"),  # both are models, but not the same
        ("silver(hf.v1 deid-bert)", "hf:somebody/deid-bert", "every", "unknown"),
        ("", "rules", "rules", "met"),  # people marked it
    ],
)
def test_nobody_passes_by_their_own_marks(run: Run, silver: str, made: str | None, name: str, grade: Grade) -> None:
    """Though 40 of 40 names are hidden, which 0.928 and thus 0.9 is sure of."""
    provenance = None if made is None else Provenance(anonymizer=made, version=1)
    system = replace(run.anonymizations[0], name=name, made=provenance)
    scores = [replace(one, anonymization=name) for one in run.scores if one.anonymization == "every"]
    rows = {text: {name: rows["every"]} for text, rows in run.rows.items()}
    corpus = replace(run.corpus, silver=silver)
    own = replace(run, corpus=corpus, anonymizations=[system], scores=scores, rows=rows)
    found = grade_demand(own, name, Demand(Threshold("er_di", "min", 0.9)))
    assert found.grade == grade
    assert ("a program of its own family" in found.why) == (grade == "unknown")
    missed = grade_demand(own, name, Demand(Threshold("er_di", "min", 1.0, "PERSON")))
    assert missed.grade == "unknown"  # there is no such part


def test_marks_are_nothing_to_an_attack(run: Run) -> None:
    """Whom an attack finds does not hang on what was marked."""
    texts = {"er_di": "trir", "er_qi": "er_qi"}
    attacked = replace(
        run,
        corpus=replace(run.corpus, silver="silver(every.v1)"),
        metrics=[replace(one, text=texts[one.text], counts={}) for one in run.metrics],
        scores=[replace(one, metric=texts[one.metric]) for one in run.scores],
    )
    assert grade_of(attacked, "every", Threshold("trir", "min", 0.9)) == "met"
    assert grade_of(replace(run, corpus=attacked.corpus), "every", Threshold("er_di", "min", 0.9)) == "unknown"


def test_what_is_not_installed_is_taken_to_read_marks(run: Run) -> None:
    """Nobody here can tell, and what would be a pass by its own marks is none."""
    theirs = replace(
        run,
        metrics=[replace(one, text="theirs", name="theirs", counts={}) for one in run.metrics[:1]],
        scores=[replace(one, metric="theirs") for one in run.scores if one.metric == "er_di"],
        rows={},
    )
    own = replace(theirs, corpus=replace(run.corpus, silver="silver(every.v1)"))
    assert grade_of(theirs, "every", Threshold("theirs", "min", 0.9)) == "met"
    assert grade_of(own, "every", Threshold("theirs", "min", 0.9)) == "unknown"


class Unlike(Input, frozen=True):
    """An anonymization of which some documents are unlike their originals."""

    unlike: int = 0


@pytest.mark.parametrize(("unlike", "grade"), [(0, "met"), (2, "met"), (3, "unsure")])  # 2 of 40 are just 5 %
def test_releases_of_something_else_are_not_sure(run: Run, unlike: int, grade: Grade) -> None:
    first, second = run.anonymizations
    given = {key: value for key, value in asdict(first).items() if key != "unlike"}
    other = replace(run, anonymizations=[Unlike(**given, unlike=unlike), second])
    found = grade_demand(other, "every", Demand(Threshold("er_di", "min", 0.9)))
    assert found.grade == grade
    assert found.why == ("3 of 40 documents are unlike their originals" if unlike == 3 else "")
    assert grade_of(other, "most", Threshold("er_di", "min", 0.976)) == "missed"  # what is missed stays missed


def test_a_number_that_few_documents_carry_is_not_sure(run: Run) -> None:
    """39 documents of one entity and one of 100: (39 + 100)² / (39 + 100²) = 1.9."""
    rows = {"er_di": {name: {**columns, "total": [100] + [1] * 39} for name, columns in run.rows["er_di"].items()}}
    assert dict(run.record("er_di").counts)["total"] == "all"
    found = grade_demand(replace(run, rows=rows), "every", Demand(Threshold("er_di", "min", 0.9)))
    assert (found.grade, found.why) == ("unsure", "a few documents weigh most, as if there were only 1.9")


def test_a_part_that_few_documents_carry_is_not_sure() -> None:
    """Of 40 documents one has 30 codes, and 11 have one: 41² / (30² + 11) = 1.8; names are spread evenly."""
    codes = [Mention(4 + 5 * place, 8 + 5 * place, "CODE", "DIRECT", f"c{place}") for place in range(30)]

    def text(number: int) -> str:
        return "Doe " + " ".join(f"{number:02}{place:02}" for place in range(30))

    def marks(number: int) -> tuple[Annotation, ...]:
        some = codes if not number else codes[:1] if number < 12 else []
        return (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"), *some)),)

    corpus = Corpus([Document(f"d{number:02}", text(number), marks(number)) for number in range(40)])
    masks = {one.id: [Mask(mark.start, mark.end) for mark in one.annotations[0].mentions] for one in corpus}
    run = evaluate(corpus, {"every": Anonymization(masks)}, metrics=["er_di", "recall_per_type", "precision"])
    code, name = (
        grade_demand(run, "every", Demand(Threshold("recall_per_type", "min", 0.7, kind)))
        for kind in ("CODE", "PERSON")
    )
    assert (code.grade, code.why) == ("unsure", "a few documents weigh most, as if there were only 1.8")
    assert name.grade == "met"
    # What the run says itself: 81 things, 31 in one document, two in each of eleven, and one in each of the others.
    even = f"{81**2 / (31**2 + 11 * 4 + 28):.1f}"
    said = [note for note in run.notes if note.startswith("a few documents weigh most")]
    # `recall_per_type` has no number of its own.
    assert said == [f"a few documents weigh most, as if there were only so many: er_di ({even}), precision ({even})"]


def test_ten_that_weigh_alike_are_enough(run: Run) -> None:
    """10² / 10 = 10 are, and 9² / 9 = 9 are not; where nothing is counted, nothing is told of that."""
    for counts, enough in [([1] * 10 + [0] * 30, "met"), ([1] * 9 + [0] * 31, "unsure"), ([0] * 40, "met")]:
        rows = {"er_di": {name: {**columns, "total": counts} for name, columns in run.rows["er_di"].items()}}
        assert grade_of(replace(run, rows=rows), "every", Threshold("er_di", "min", 0.9)) == enough
    assert grade_of(replace(run, rows={"er_di": {}}), "every", Threshold("er_di", "min", 0.9)) == "met"


@pytest.mark.parametrize(
    ("roles", "nearly", "grade"),
    [
        (("direct identifiers", "release"), 0.1, "met"),  # 1 − 0.1 is 0.9, which still holds
        (("direct identifiers", "release"), 0.11, "unsure"),
        (("direct identifiers", "release"), 0.0, "met"),
        (("direct identifiers",), 0.11, "met"),  # what is nearly readable counts for what reads the release alone
    ],
)
def test_what_is_nearly_readable_is_doubted(run: Run, roles: tuple[Role, ...], nearly: float, grade: Grade) -> None:
    hidden, other = run.metrics
    part = replace(run["every", "er_di"], part="nearly", value=nearly)
    read = replace(run, metrics=[other, replace(hidden, roles=roles)], scores=[*run.scores, part])
    found = grade_demand(read, "every", Demand(Threshold("er_di", "min", 0.9)))
    assert found.grade == grade
    assert found.why == (
        "a further share of 0.110 is nearly readable, and with it the number misses the threshold" * (grade != "met")
    )


def test_documents_that_may_be_of_one_person_are_doubted(run: Run) -> None:
    doubtful = replace(run, corpus=replace(run.corpus, doubtful=2))
    found = grade_demand(doubtful, "every", Demand(Threshold("er_di", "min", 0.9)))
    assert found.grade == "unsure"
    assert found.why.startswith("2 documents may be of one person")


def test_answers_about_texts_that_a_verifier_never_saw_are_doubted(run: Run) -> None:
    """A low number of a verifier that extrapolates is no evidence; other systems are graded as before."""
    table = run.rows["er_di"]
    far = {**run.rows, "er_di": {**table, "every": {**table["every"], "outside:glad": [1.0] * 40}}}
    found = grade_demand(replace(run, rows=far), "every", Demand(Threshold("er_di", "min", 0.9)))
    assert (found.grade, found.why) == ("unsure", "most of its texts are unlike everything that glad learned from")
    assert grade_demand(run, "every", Demand(Threshold("er_di", "min", 0.9))).grade == "met"
    far["er_di"]["every"]["outside:ppm"] = [1.0] * 40
    both = grade_demand(replace(run, rows=far), "every", Demand(Threshold("er_di", "min", 0.9)))
    assert both.why == "most of its texts are unlike everything that glad and ppm learned from"


def test_a_number_without_a_record_is_graded(run: Run) -> None:
    """What a metric says of itself raises doubts; a number that has none of that is a number all the same."""
    bare = replace(run, metrics=[], rows={})
    demand = Demand(Threshold("er_di", "min", 0.9))
    assert grade_demand(bare, "every", demand, only=True).grade == "met"
    assert grade_demand(bare, "every", demand).why == UNJUDGED  # what the number tells of is not known either


def test_what_says_nothing_of_what_is_left_judges_nobody(run: Run) -> None:
    """A number for use, or of what a detector finds: the release may hold whatever was missed."""
    demand = Demand(Threshold("er_di", "min", 0.9))
    for changed in ({"group": "utility"}, {"roles": ("residual",)}):
        other = replace(run, metrics=[replace(one, **changed) for one in run.metrics])
        found = grade_demand(other, "every", demand)
        assert (found.grade, found.why) == ("unsure", UNJUDGED)


def test_what_reads_the_release_goes_before_what_reads_marks(run: Run) -> None:
    """Wherever it stands, and also where it failed: no number is no pass."""
    hidden, other = run.metrics
    removed = replace(
        other, text="removed_di", name="removed_di", roles=("direct identifiers", "release"), counts=hidden.counts
    )
    both = replace(
        run,
        metrics=[hidden, removed],
        rows={"er_di": run.rows["er_di"], "removed_di": run.rows["er_di"]},
        scores=[*run.scores, *(replace(one, metric="removed_di") for one in run.scores if one.metric == "er_di")],
    )
    for metrics in ([hidden, removed], [removed, hidden]):
        assert usual(replace(both, metrics=metrics)) == ["removed_di ≥ 0.95"]
    failed = replace(both, rows={"er_di": run.rows["er_di"]}, failures=[Failure("removed_di", "it broke")])
    assert usual(failed) == ["removed_di ≥ 0.95"]
    # What failed and reads marks alone takes the place of neither: there is a number to speak of.
    marks = replace(both, rows={"removed_di": run.rows["er_di"]}, failures=[Failure("er_di", "it broke")])
    assert usual(marks) == ["removed_di ≥ 0.95"]
    # Of several that failed the first alone is asked for, whether there is a number beside them or not.
    again = replace(removed, text="removed_di(types=[X])")
    failures = [Failure(one.text, "it broke") for one in (removed, again)]
    for metrics, rows in (([hidden, removed, again], {"er_di": run.rows["er_di"]}), ([removed, again], {})):
        assert usual(replace(both, metrics=metrics, rows=rows, failures=failures)) == ["removed_di ≥ 0.95"]
    other_marks = replace(hidden, text="er_di(types=[X])")
    alike = replace(run, metrics=[other_marks, hidden], failures=[Failure(other_marks.text, "it broke")])
    assert usual(alike) == ["er_di ≥ 0.95"]
    # Who asked for less of what is hidden where it was marked has not said that less may be removed.
    beside = demands_of(both, [Threshold("er_di", "min", 0.8)])
    assert [(str(one.threshold), one.usual, one.grave) for one in beside] == [
        ("er_di ≥ 0.8", False, False),
        ("removed_di ≥ 0.95", True, True),
    ]
    stricter = demands_of(both, [Threshold("er_di", "min", 0.99)])
    assert [str(one.threshold) for one in stricter] == ["er_di ≥ 0.99", "removed_di ≥ 0.99"]
    assert demands_of(both, [Threshold("er_di", "min", 0.8)], only=True) == beside[:1]


def test_what_a_usual_threshold_beside_others_bears_on(run: Run) -> None:
    """A grave miss, or a number that should be there; not what is unsure, nor that nobody marked any."""
    score = run["every", "er_di"]
    for grade, grave, bearing in [
        ("missed", True, "missed"),
        ("missed", False, "met"),
        ("unsure", True, "met"),
        ("unknown", True, "unknown"),
    ]:
        one = Grading(Demand(Threshold("er_di", "min", 0.95), True, grave), score, grade)
        assert one.bearing == bearing
        assert Grading(replace_usual(one.demand), score, grade).bearing == grade
    nobody = Demand(Threshold("er_di", "min", 0.95), True, True)
    assert Grading(nobody, replace(score, value=None, reason="none was marked"), "unknown").bearing == "met"
    assert Grading(nobody, None, "unknown").bearing == "unknown"
    # That an attack has no number is no such thing: whom it would find is not known.
    attack = Demand(Threshold("trir", "max", 0.09), True, True)
    assert Grading(attack, replace(score, value=None, reason="it found no background"), "unknown").bearing == "unknown"


def replace_usual(demand: Demand) -> Demand:
    return Demand(demand.threshold, grave=demand.grave)


def test_nobody_passes_by_a_detector_that_looks_for_what_it_hides() -> None:
    """`rules` and the detector `patterns` have the same expressions: of 0 finds nothing follows."""
    corpus = Corpus([Document(f"d{one}", f"Dr Rask saw {one} cats on 3 May 2011 in Oslo.") for one in range(4)])
    texts = {one.id: one.text for one in corpus}
    masks = {key: [Mask(0, 7), Mask(text.index("3 May"), text.index(" in"))] for key, text in texts.items()}
    systems = {"rules": Anonymization(masks), "ner": Anonymization({key: [Mask(0, 7)] for key in masks})}
    systems["nobody"] = Anonymization({key: [] for key in masks})
    run = evaluate(corpus, systems, ["residual"], resamples=0, references=False)
    assert run["rules", "residual"].value == 0
    (told,) = [note for note in run.notes if note.startswith("residual: rules is not independent of the detector")]
    assert "no such system counts as best" in told
    table = tables(run)[0]
    assert [cell.best for cell in table.columns[0].cells] == [False, True, False]
    one = grade_demand(run, "rules", Demand(Threshold("residual", "max", 1.0)), only=True)
    assert (one.grade, one.why) == ("unknown", "the detector patterns looks for what it hides itself")
    assert grade_demand(run, "ner", Demand(Threshold("residual", "max", 1000.0)), only=True).grade == "unsure"
