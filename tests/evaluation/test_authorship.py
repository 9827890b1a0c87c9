"""Verifiers, answers and ratings on their way into a run: from Python and plans, refused early, noted where used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, PlanError, Run, bench, evaluate
from showthrough.data.authorship import Rating, Ratings
from showthrough.data.documents import Annotation, Authorship, Mention
from showthrough.data.provenance import text_digest
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.plan_files import read_request
from showthrough.evaluation.requests import default_metrics
from showthrough.families.authorship.family import RatingsInput
from showthrough.families.authorship.report_tables import author_caveats, verifiers_that_knew_them
from showthrough.families.authorship.verifiers.base import Question
from showthrough.families.authorship.verifiers.recorded import GivenAnswers
from showthrough.metrics import metric_name, metrics_of, preset
from showthrough.models.model_folders import TrainingRecord
from showthrough.report.verdict import verdict
from showthrough.run.thresholds import Threshold

NUMBERS = range(8)
KNOWN = "She was ill, and she wrote it down."
CORPUS = Corpus(
    [
        Document(f"d{n}", f"Text {n} of somebody.", authorship=Authorship((f"{n} {KNOWN}",), n % 2 == 0))
        for n in NUMBERS
    ],
    "problems",
)
MASKS = Anonymization({f"d{n}": [Mask(0, 4, "Word")] for n in NUMBERS}, "A")
BY_ANSWERS = ['safety(verifier="answers")']
RIGHT = {f"d{n}": 0.9 if n % 2 == 0 else 0.2 for n in NUMBERS}
WRONG = {key: 1 - value for key, value in RIGHT.items()}
RATED = Ratings([Rating(document="d1", anonymization="A", item="1", rater="r", value=2)])


@dataclass(frozen=True)
class Always:
    """A verifier that says one thing to everything."""

    name: str = "always"
    says: float = 0.9
    version: int = 1
    training: TrainingRecord | None = None

    def answers(self, questions: Sequence[Question]) -> list[float]:
        return [self.says] * len(questions)


def plan_of(metrics: Sequence[str], *verifiers: Any, **given: Any) -> Plan:
    inputs = {"verifiers": verifiers} if verifiers else {}
    inputs |= {"ratings": given.pop("ratings")} if "ratings" in given else {}
    return Plan(CORPUS, (MASKS,), tuple(metrics_of(metrics)), inputs=inputs, **given)


def told(plan: Plan) -> list[str]:
    with pytest.raises(InputError) as caught:
        plan.check()
    return [str(problem) for problem in caught.value.problems]


def scored(**given: Any) -> Run:
    return evaluate(CORPUS, MASKS, given.pop("metrics", BY_ANSWERS), resamples=0, references=False, **given)


def test_answers_from_python() -> None:
    """Before all 8 are right, after all wrong."""
    run = scored(answers={"original": RIGHT, "A": WRONG})
    assert run["A", BY_ANSWERS[0], "before:answers"].value == 1
    assert run["A", BY_ANSWERS[0]].value == 0
    assert [one.name for one in run.inputs["verifiers"]] == ["answers"]
    assert "verifiers:answers@" in run["A", BY_ANSWERS[0]].signature
    assert not any("answer" in note for note in run.notes)
    by_name = scored(metrics=['safety(verifier="mine")'], answers={"mine": {"original": RIGHT, "A": RIGHT}})
    assert by_name["A", 'safety(verifier="mine")'].value == 1


def test_other_answers_are_another_signature() -> None:
    one, two = (scored(answers={"original": RIGHT, "A": after}) for after in (WRONG, RIGHT))
    assert one["A", BY_ANSWERS[0]].signature != two["A", BY_ANSWERS[0]].signature


def test_missing_answers_count_as_unanswered_and_are_told() -> None:
    """3 of 8 are open after masking, 5 are right: c@1 = (5 + 3 · 5/8) / 8."""
    some_of_them = {key: RIGHT[key] for key in list(RIGHT)[3:]}
    run = scored(answers={"original": {**RIGHT, "z": 0.1}, "A": some_of_them})
    assert run["A", BY_ANSWERS[0]].value == pytest.approx((5 + 3 * 5 / 8) / 8)
    open_ = "about A there is no answer to 3 of 8 problems; these count as unanswered, which may look safer than it is"
    assert f"answers: {open_}" in run.notes
    assert "answers: about the originals 1 answers are to no problem here: z" in run.notes


def test_answers_that_do_not_fit() -> None:
    def of(*names: str, **other: Any) -> GivenAnswers:
        return GivenAnswers(dict.fromkeys(names, RIGHT), **other)

    assert told(plan_of(BY_ANSWERS, of("A", "C"))) == [
        "answers C: is no anonymization; expected some of original, A",
        "verifier answers: has no answers about the originals; expected --answers original=FILE as well",
    ]
    # What nobody asked about must not look hidden.
    assert told(plan_of(["safety"], of("original", name="mine"))) == [
        "verifier mine: has no answers about A; expected --answers mine:A=FILE as well"
    ]
    strange = GivenAnswers({"original": RIGHT, "A": {"x": 0.1, "y": 0.2}}, sources={"A": "a.txt"})
    assert told(plan_of(BY_ANSWERS, strange)) == [
        "a.txt: answers A: answers about x, y, and no document; expected ids such as d0"
    ]
    named = replace(plan_of(BY_ANSWERS, of("original")), anonymizations=(MASKS.with_name("original"),))
    assert told(named) == ["anonymization original: this name is that of the originals among answers; expected another"]
    grouped = Corpus([Document(f"d{n}", f"Text {n}.", group=str(n % 2)) for n in NUMBERS], source="c.jsonl")
    assert told(replace(plan_of(BY_ANSWERS, of("original", "A")), corpus=grouped)) == [
        "c.jsonl: no document asks who wrote it, so there is nothing to answer"
    ]


def test_verifiers_that_nobody_asks_or_has() -> None:
    expected = "expected some of always, adaptive; --verifier and --answers give others"
    assert told(plan_of(['safety(verifier="glad, always")'], Always())) == [
        f"metric safety(verifier=\"glad, always\"): asks for the verifier 'glad'; {expected}"
    ]
    assert told(plan_of(['tpi(ic="uniform")'], Always())) == [
        "verifier always: was given, but no metric needs it; expected safety among the metrics"
    ]
    assert told(plan_of(['safety(verifier="adaptive")'], Always())) == [
        "verifier always: was given, but no metric needs it; "
        'expected it among those that safety(verifier="adaptive") names'
    ]
    assert told(plan_of(["safety"], Always(), Always())) == [
        "verifier always: this name is used twice; expected unique names"
    ]
    assert told(plan_of(["safety"], Always("adaptive"))) == [
        "verifier adaptive: this name is that of the verifier that learns from masked texts; expected another"
    ]


def test_a_corpus_without_authors() -> None:
    bare = Corpus([Document(f"d{n}", f"Text {n} of somebody.") for n in NUMBERS], source="c.jsonl")
    (line,) = told(replace(plan_of(["safety"]), corpus=bare))
    assert line.startswith("c.jsonl: no document says what else its author wrote, which the metric safety needs")


@pytest.mark.parametrize("trained", ["Text 3 of somebody.", f"3 {KNOWN}"])
def test_a_verifier_that_was_trained_on_these_texts(trained: str) -> None:
    knowing = Always(training=TrainingRecord("pan", "x", (text_digest(trained),)))
    known = "was trained on texts of 1 of these 8 documents: it knows them, and its numbers say little about others"
    plan = plan_of(['safety(verifier="always")'], knowing)
    assert told(plan) == [
        f"verifier always: {known}; expected another, or --seen to have its numbers all the same (in Python, seen=True)"
    ]
    replace(plan, settings=replace(plan.settings, seen=True)).check()
    run = scored(metrics=['safety(verifier="always")'], verifiers=knowing, seen=True)
    assert f"the verifier always {known}" in run.notes
    assert not any(
        "trained" in note for note in scored(metrics=['safety(verifier="always")'], verifiers=[Always()]).notes
    )


def test_what_is_no_verifier_and_no_rating() -> None:
    with pytest.raises(PlanError, match="verifiers: found a value of type int; expected a verifier, or its folder"):
        scored(verifiers=[3])
    with pytest.raises(PlanError, match="verifiers: found a value of type int; expected a verifier, or its folder"):
        scored(verifiers=3)
    with pytest.raises(InputError, match="none"):
        scored(verifiers=Path("none/there"))
    with pytest.raises(PlanError, match="ratings: found a value of type dict; expected Ratings"):
        scored(ratings={})
    with pytest.raises(PlanError, match="expected probabilities by document"):
        scored(answers={"original": 3})


def test_ratings_bring_their_metric() -> None:
    metrics = metrics_of('tpi(ic="uniform")')
    brought = RatingsInput().metrics
    assert list(map(metric_name, brought([""], metrics, by_default=False))) == ["sensibleness"]
    assert brought([], metrics, by_default=False) == ()
    assert brought([""], metrics_of(["sensibleness", "tpi"]), by_default=False) == ()
    run = scored(metrics=['tpi(ic="uniform")'], ratings=RATED)
    assert run["A", "sensibleness"].value == 2
    assert [one.documents for one in run.inputs["ratings"]] == [len(RATED)]


def test_ratings_and_metrics_that_do_not_meet() -> None:
    assert told(plan_of(["sensibleness"])) == [
        "ratings: none were given, which the metric sensibleness needs; expected --ratings PLACE (in Python, ratings=…)"
    ]
    assert told(plan_of(['tpi(ic="uniform")'], ratings=RATED)) == [
        "ratings: was given, but no metric needs it; expected sensibleness among the metrics"
    ]


def test_documents_that_ask_have_the_preset_pan() -> None:
    assert default_metrics(CORPUS, 2) == tuple(metrics_of(preset("pan")))
    marked = replace_document(CORPUS, annotations=(Annotation("x", (Mention(0, 4, "CODE"),)),))
    assert default_metrics(marked, 2) == tuple(metrics_of([*preset("pan"), *preset("default")]))


def replace_document(corpus: Corpus, **values: Any) -> Corpus:
    import msgspec

    first, *rest = corpus
    return Corpus([msgspec.structs.replace(first, **values), *rest])


def test_paths_of_a_plan_are_beside_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / "texts.json").write_text('{"a": "Ann Berg of Oslo. Berg was ill."}')
    (home / "glad").mkdir()
    (home / "plan.toml").write_text(
        'corpus = "texts.json"\nmetrics = ["safety"]\nverifier = ["glad", "mine=other/", "installed"]\n'
        'answers = ["original=o.txt", "mine:A=sub/a.txt"]\nratings = "people/"\n[anonymizations]\nA = "m.json"\n'
    )
    request = read_request(home / "plan.toml")
    settings = request.settings
    assert settings.verifier == (str(home / "glad"), f"mine={home / 'other'}", "installed")
    assert settings.answers == (f"original={home / 'o.txt'}", f"mine:A={home / 'sub/a.txt'}")
    assert settings.ratings == (str(home / "people"),)
    assert {home / "glad", home / "o.txt", home / "sub/a.txt", home / "people"} <= {*request.extra_paths}


def test_files_that_cannot_be_read_are_all_told(tmp_path: Path) -> None:
    (tmp_path / "texts.json").write_text('{"a": "Ann Berg of Oslo. Berg was ill."}')
    (tmp_path / "plan.toml").write_text(
        'corpus = "texts.json"\nmetrics = ["safety"]\nverifier = ["none/"]\n'
        'answers = ["original=o.txt", "A=a.txt"]\nratings = ["people/"]\n[anonymizations]\nA = "m.json"\n'
    )
    _, problems = read_request(tmp_path / "plan.toml").read()
    said = "\n".join(map(str, problems))
    for name in ("m.json", "none", "o.txt", "a.txt", "people"):
        assert name in said


@pytest.mark.parametrize("key", ["verifier", "answers", "ratings"])
@pytest.mark.parametrize("value", ["", "=", "a=", "a\\u0000b/", "x=a\\u0000b", "long/" * 2000])
def test_paths_that_cannot_be(tmp_path: Path, key: str, value: str) -> None:
    (tmp_path / "texts.json").write_text('{"a": "Ann Berg of Oslo. Berg was ill."}')
    (tmp_path / "m.json").write_text('{"a": [[0, 8, null]]}')
    (tmp_path / "plan.toml").write_text(
        f'corpus = "texts.json"\nmetrics = ["safety"]\n{key} = "{value}"\n[anonymizations]\nA = "m.json"\n'
    )
    with pytest.raises(InputError) as caught:
        read_request(tmp_path / "plan.toml").plan()
    assert len(caught.value.problems) == 1


def test_bench_takes_them_too() -> None:
    run = bench(
        CORPUS, "rules", ['safety(verifier="mine")'], verifiers=[Always("mine", 0.8)], ratings=RATED, resamples=0,
        anonymizations=MASKS,
    )  # fmt: skip
    assert run["rules", 'safety(verifier="mine")'].value == 0.5  # it says yes to all, and half of them are by others
    assert [one.name for one in run.inputs["verifiers"]] == ["mine"]
    assert run["A", "sensibleness"].value == 2


def test_a_run_remembers_which_verifier_knew_its_documents() -> None:
    learned = tuple(text_digest(CORPUS.documents[n].text) for n in range(3))
    knowing = Always(training=TrainingRecord("other", "x", learned))
    run = scored(metrics=['safety(verifier="always, fresh")'], verifiers=[knowing, Always("fresh")], seen=True)
    assert {one.name: one.seen for one in run.inputs["verifiers"]} == {"always": 3, "fresh": 0}
    assert verifiers_that_knew_them(run) == ["verifier always learned from texts of 3 of these 8 documents"]
    assert any("verifier always learned from texts of 3 of these 8" in line for line in author_caveats(run))
    run.thresholds = [Threshold(run.metrics[0].text, "max", 1.0)]
    assert "the verifier always learned from texts of 3 of these 8 documents" in verdict(run).recommendation
