"""Attributes of authors: what counts as inferred, what as missing, against which control, and how sure it is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Anonymization, Corpus, Document, InputError, Mask, PlanError, Run, evaluate, parse_metric
from showthrough.data.references import EVERYTHING, NOTHING
from showthrough.data.subjects import AUTHOR, Attribute, Subject
from showthrough.families.inference._authors import collect_attributes, guesses_of, score_answers
from showthrough.families.inference.attributes import AuthorAttributes
from showthrough.families.inference.base import Answer, Guess, GuessPair, Person
from showthrough.metrics import metric_text
from showthrough.statistics.rows import Rows

Said = Mapping[str, Mapping[str, Sequence[str]]]


def profile(key: str, group: str = "", text: str = "Nothing to see here.", **true: str | Attribute) -> Document:
    attributes = tuple(
        value if isinstance(value, Attribute) else Attribute(tag, value, 5, 1) for tag, value in true.items()
    )
    return Document(key, text, group=group, subjects=(Subject(AUTHOR, attributes),))


def answers(folder: Path, said: Said, verdicts: Mapping[str, Mapping[str, Sequence[float]]] | None = None) -> str:
    """A file of guesses by document and tag, as an attacker's name."""
    path = folder / f"said-{len(list(folder.iterdir()))}.jsonl"
    lines = [
        {
            "profile": key,
            "attributes": {
                tag: {"guesses": [*guesses]} | ({"verdicts": [*verdicts[key][tag]]} if verdicts else {})
                for tag, guesses in by_tag.items()
            },
        }
        for key, by_tag in said.items()
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return f"answers:{path}"


def nothing_masked(corpus: Corpus) -> Anonymization:
    return Anonymization({key: [] for key in corpus.ids})


def run_of(corpus: Corpus, metric: AuthorAttributes, **options: object) -> Run:
    return evaluate(corpus, {"A": nothing_masked(corpus)}, [metric], resamples=200, **options)  # type: ignore[arg-type]


def values(run: Run, metric: AuthorAttributes, name: str = "A") -> dict[str, float | None]:
    return {part: score.value for part, score in run.parts(name, metric_text(metric)).items()}


TWO = Corpus([profile("a", sex="male", age="30"), profile("b", sex="female", occupation="nurse")])
GUESSED: Said = {
    "a": {"sex": ["Female", "Male"], "age": ["28"]},
    "b": {"sex": ["Female"], "occupation": ["Lawyer", "Cook", "Baker", "Nurse"]},
}


def test_counted_by_hand(tmp_path: Path) -> None:
    """Of four attributes two first guesses are right; a's sex is the second guess, b's occupation the fourth."""
    metric = AuthorAttributes(answers(tmp_path, GUESSED))
    run = run_of(TWO, metric)
    found = values(run, metric)
    assert (found[""], found["top-3"]) == (2 / 4, 3 / 4)
    assert (found["top-1:sex"], found["top-3:sex"], found["top-1:age"], found["top-3:occupation"]) == (0.5, 1, 1, 0)
    assert found["hardness:1"] == found["certainty:5"] == 0.5
    rows = run.rows[metric_text(metric)]["A"]
    assert (rows["inferred"], rows["attributes"]) == ([1, 1], [2, 2])


def test_the_control_is_the_other_authors_answer_about_what_both_were_asked(tmp_path: Path) -> None:
    """Nobody asked about b's age or a's occupation. Of the sexes, Female is wrong for a and for b also Female."""
    metric = AuthorAttributes(answers(tmp_path, GUESSED))
    run = run_of(TWO, metric)
    found = values(run, metric)
    assert found["control:other"] == 1 / 2  # of b's first guess about a, and of a's about b: Female twice
    assert found["risk:other"] == 0  # of the same two, the attack itself has one right
    assert found["control:empty"] is None
    assert run.parts("A", metric_text(metric))["risk:empty"].reason == "the attacker has no answer without any text"
    assert any("the control is as good as the attack" in note for note in run.notes)


def test_a_document_without_an_answer_counts_nowhere_and_that_is_said(tmp_path: Path) -> None:
    corpus = Corpus([*TWO, profile("c", sex="male")])
    metric = AuthorAttributes(answers(tmp_path, GUESSED))
    run = run_of(corpus, metric)
    assert values(run, metric) == values(run_of(TWO, metric), metric) | {
        part: value for part, value in values(run, metric).items() if part.partition(":")[0] in ("control", "risk")
    }
    assert any(note.startswith("A: 1 documents have no answer") for note in run.notes)


def test_an_answer_without_a_guess_is_not_inferred_and_that_is_said(tmp_path: Path) -> None:
    metric = AuthorAttributes(
        answers(tmp_path, {"a": {"sex": ["Male"], "age": []}, "b": {"sex": [], "occupation": []}})
    )
    run = run_of(TWO, metric)
    assert values(run, metric)[""] == 1 / 4
    assert "A: the answers have no guess for 3 of 4 attributes, which count as not inferred" in run.notes


@pytest.mark.parametrize(("partly", "expected"), [(0.0, 0), (0.5, 0.5), (1.0, 1)])
def test_what_a_less_precise_guess_counts(tmp_path: Path, partly: float, expected: float) -> None:
    corpus = Corpus([profile("a", city_country="Oslo, Norway")])
    metric = AuthorAttributes(answers(tmp_path, {"a": {"city_country": ["Norway"]}}), partly=partly)
    assert values(run_of(corpus, metric), metric)[""] == expected


def test_recorded_verdicts_overrule_rules(tmp_path: Path) -> None:
    said = answers(
        tmp_path, GUESSED, {"a": {"sex": [1, 0], "age": [0]}, "b": {"sex": [0.5], "occupation": [0, 0, 1, 1]}}
    )
    metric = AuthorAttributes(said, said)
    found = values(run_of(TWO, metric), metric)
    assert (found[""], found["top-3"]) == (1 / 4, 2 / 4)
    assert any("nobody recorded verdicts on the controls" in note for note in run_of(TWO, metric).notes)


def test_how_far_rules_agree_with_verdicts(tmp_path: Path) -> None:
    """Of seven guesses three are right by rules (a's second sex, a's age, b's sex); the verdicts differ on the age."""
    said = answers(tmp_path, GUESSED, {"a": {"sex": [0, 1], "age": [0]}, "b": {"sex": [1], "occupation": [0, 0, 0, 1]}})
    metric = AuthorAttributes(said, verdicts=said)
    found = values(run_of(TWO, metric), metric)
    assert found["judge:agreement"] == pytest.approx(6 / 7)
    assert found[""] == 2 / 4


def test_certainty_and_several_values_of_a_tag(tmp_path: Path) -> None:
    doubtful = Attribute("age", "30", 2, 4)
    both = Subject(AUTHOR, (Attribute("occupation", "nurse"), Attribute("occupation", "cook"), doubtful))
    corpus = Corpus([Document("a", "x", subjects=(both,))])
    said = answers(tmp_path, {"a": {"occupation": ["Cook"], "age": ["70"]}})
    assert values(run_of(corpus, AuthorAttributes(said)), AuthorAttributes(said))[""] == 1
    wider = AuthorAttributes(said, certainty=1)
    found = values(run_of(corpus, wider), wider)
    assert (found[""], found["hardness:4"], found["certainty:2"]) == (0.5, 0, 0)


def test_the_reader_reads_what_stands_there_and_says_that_it_is_a_floor() -> None:
    documents = [
        profile(f"d{number}", text=f"I am a {job}.", occupation=job) for number, job in enumerate(("nurse", "cook"))
    ]
    corpus = Corpus(documents)
    masked = Anonymization({"d0": [Mask(7, 12, "***")], "d1": []})
    run = evaluate(corpus, {"A": masked}, ["attributes"], resamples=100)
    assert values(run, AuthorAttributes())[""] == 0.5
    assert (values(run, AuthorAttributes(), NOTHING)[""], values(run, AuthorAttributes(), EVERYTHING)[""]) == (1, 0)
    assert values(run, AuthorAttributes())["control:empty"] == 0
    assert any("an attacker who knows more or thinks further" in note for note in run.notes)


def test_evidence_says_what_was_inferred_and_where() -> None:
    corpus = Corpus([profile("a", text="I am a nurse.", occupation="nurse"), profile("b", occupation="cook")])
    run = evaluate(corpus, {"A": nothing_masked(corpus)}, ["attributes"], resamples=0)
    (one,) = run.evidence["attributes"]["A"]["a"].inferred
    assert (one.tag, one.true, one.start, one.end) == ("occupation", "nurse", 7, 12)
    assert "b" not in run.evidence["attributes"]["A"]
    assert not run.without_text().evidence.get("attributes", {}).get("A")


def test_two_anonymizations_in_one_run_are_compared_by_document(tmp_path: Path) -> None:
    corpus = Corpus([profile(f"d{number}", text=f"Nothing to see in {number}.", sex="male") for number in range(12)])
    seen = answers(tmp_path, {key: {"sex": ["Male"]} for key in corpus.ids}).removeprefix("answers:")
    hidden = answers(tmp_path, {key: {"sex": ["Female"]} for key in corpus.ids}).removeprefix("answers:")
    metric = AuthorAttributes(f"answers:original={seen},A={seen},B={hidden}")
    systems = {name: nothing_masked(corpus) for name in "AB"}
    run = evaluate(corpus, systems, [metric], resamples=200)
    assert [values(run, metric, name)[""] for name in ("A", "B", NOTHING)] == [1, 0, 1]
    (test,) = run.compare(metric, parts=False, shuffles=999)
    assert test.p < 0.01
    assert EVERYTHING not in run.rows[metric_text(metric)]


class Counting:
    """A judge who finds everything right that it is asked about, unless it is said to be silent."""

    name, overrules = "llm:counting", False

    def __init__(self, verdict: float | None = 1.0) -> None:
        self.pairs: list[GuessPair] = []
        self._verdict = verdict

    def verdicts(self, pairs: Sequence[GuessPair]) -> list[float | None]:
        self.pairs += pairs
        return [self._verdict] * len(pairs)


def said(*guesses: str) -> Answer:
    return (Person(tuple(Guess("sex", one) for one in guesses)),)


def test_a_judge_is_asked_only_where_it_matters() -> None:
    """First guesses that rules find wrong, and others where no guess is right by rules."""
    asked = collect_attributes([profile(key, sex="male") for key in "abc"], 3)
    judge = Counting()
    score_answers(asked, [said("Male", "Other"), said("Other", "None", "Male"), said("Other", "None")], judge)
    assert [(pair.guess, pair.rank) for pair in judge.pairs] == [("Other", 0), ("Other", 0), ("None", 1)]


def test_a_silent_judge_makes_an_attribute_missing_unless_rules_settle_it() -> None:
    asked = collect_attributes([profile(key, sex="male") for key in "abc"], 3)
    scores = score_answers(asked, [said("Male", "Other"), said("Other", "Male"), said("Other")], Counting(None))
    assert scores.first.tolist()[0] == 1
    assert np.isnan(scores.first[1:]).all()
    assert scores.best.tolist()[:2] == [1, 1]
    assert np.isnan(scores.best[2])


def test_who_is_meant_by_an_answer() -> None:
    """The author; or the only person; a guess without any certainty says nothing."""
    other, author = Person((Guess("sex", "Male"),), "2"), Person((Guess("sex", "Female", 0), Guess("sex", "x")), AUTHOR)
    assert [guess.value for _, guess in guesses_of((other, author))["sex"]] == ["x"]
    assert [rank for rank, _ in guesses_of((other, author))["sex"]] == [1]
    assert guesses_of((other,))["sex"][0][1].value == "Male"
    assert guesses_of(()) == guesses_of(None) == {}


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ('attributes(attacker="gpt4.jsonl")', "attacker"),
        ('attributes(judge="reader")', "judge"),
        ("attributes(certainty=0)", "expected 1 to 5"),
        ("attributes(partly=0.7)", "expected 0, 0.5 or 1"),
        ('attributes(verdicts="rules")', "expected answers:FILE"),
        ('attributes(verdicts="answers:")', "expected answers:FILE"),
        ("attributes(seed=-1)", "expected 0 or more"),
    ],
)
def test_parameters_that_make_no_sense(written: str, fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        parse_metric(written)


def test_the_text_form_reads_back() -> None:
    metric = AuthorAttributes("answers:said.jsonl", partly=1)
    assert parse_metric(metric_text(metric)) == metric
    assert metric.asks == ("answers:said.jsonl", "rules")


def test_a_corpus_without_authors_is_refused() -> None:
    crowd = Document(
        "a", "x", subjects=(Subject("1", (Attribute("AGE", "3"),)), Subject("2", (Attribute("AGE", "4"),)))
    )
    for document in (Document("a", "x"), crowd):
        with pytest.raises(InputError, match="no document says what is true of its author"):
            run_of(Corpus([document]), AuthorAttributes())


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("mf"), st.lists(st.sampled_from(["Male", "Female", "Other"]), max_size=4)),
        min_size=2,
        max_size=6,
    ),
    st.randoms(use_true_random=False),
)
def test_order_does_not_matter_and_the_best_of_three_is_no_worse(
    people: list[tuple[str, list[str]]], random: object
) -> None:
    documents = [profile(f"d{number}", sex={"m": "male", "f": "female"}[sex]) for number, (sex, _) in enumerate(people)]
    answered = {f"d{number}": said(*guesses) for number, (_, guesses) in enumerate(people)}
    one = _sums(documents, answered)
    random.shuffle(documents)  # type: ignore[attr-defined]
    assert _sums(documents, answered) == one
    assert one[0] <= one[1] <= len(people)


def _sums(documents: list[Document], answered: Mapping[str, Answer]) -> tuple[float, float]:
    scores = score_answers(collect_attributes(documents, 3), [answered[one.id] for one in documents], None)
    return scores.first.sum(), scores.best.sum()


def _simulated(random: np.random.Generator, right: float, guessed: float, documents: int) -> Rows:
    """Documents with 1 to 4 attributes whose success hangs together within each."""
    tried = random.integers(1, 5, documents)
    chances = random.beta(3 * right, 3 * (1 - right), documents)
    ours, theirs = random.binomial(tried, chances), random.binomial(tried, guessed)
    columns = {"inferred": ours, "attributes": tried, "attributes:control:other": tried}
    return Rows.named({**columns, "inferred:own:other": ours, "inferred:control:other": theirs})


def test_intervals_of_the_risk_hold_it() -> None:
    """95 % intervals over 120 documents, in 200 simulated corpora: at least 90 % of them."""
    random, metric = np.random.default_rng(1), AuthorAttributes()
    held = 0
    for _ in range(200):
        ends = metric.own_interval("risk:other", _simulated(random, 0.6, 0.2, 120), 0.95)
        assert ends is not None
        held += ends[0] <= (0.6 - 0.2) / (1 - 0.2) <= ends[1]
    assert held >= 180
