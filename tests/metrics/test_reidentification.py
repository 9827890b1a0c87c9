"""Re-identification as a metric: what it counts, what it needs, what it refuses, and how well it attacks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import ArrayLike

from showthrough import (
    Anonymization,
    Background,
    Corpus,
    Document,
    InputError,
    Interrupted,
    Mask,
    PlanError,
    ReIdentification,
    Run,
    evaluate,
    parse_metric,
    read_anonymization,
    read_background,
    read_corpus,
    reidentify,
)
from showthrough.cli import demo_corpus as demo
from showthrough.families.reidentification.attacks import _assignment
from showthrough.families.reidentification.attacks.ranks import RankResult
from showthrough.families.reidentification.attacks.suite import NOT_FUSED, AttackOutcome, Suite
from showthrough.formats.people.background import read_recorded
from showthrough.metrics import HEADLINE, Rows, metric_text
from showthrough.models import Resources
from showthrough.statistics.numerics.distributions import binomial_ends

TOPICS = {"ann": "surgeon", "bob": "bread", "cem": "judge", "dee": "boats"}
BACKGROUND = {name: f"{name.title()} and the {topic}: {topic} all day" for name, topic in TOPICS.items()}
CORPUS = Corpus([Document(name, f"{name.title()} has a {topic}") for name, topic in TOPICS.items()], "four")
NAMES = Anonymization({name: [Mask(0, 3, "PERSON")] for name in TOPICS})
ALL = Anonymization({document.id: [Mask(0, len(document.text), "***")] for document in CORPUS})


def run_of(background: Mapping[str, str] | Background = BACKGROUND, **more: object) -> Run:
    return evaluate(CORPUS, {"names": NAMES, "all": ALL}, ["trir"], background=background, **more)  # type: ignore[arg-type]


# What it counts.


def test_values_by_hand() -> None:
    run = run_of()
    assert {part: score.value for part, score in run.parts("names", "trir").items()} == {
        HEADLINE: 1, "lexical": 1, "lexical @5": 1, "lexical mrr": 1, "lexical control": 0, "lexical risk": 1,
        "lexical+assignment": 1, "lexical+assignment @5": 1, "lexical+assignment mrr": 1,
        "lexical+assignment control": 0, "lexical+assignment risk": 1, "chance": 1 / 4, "ceiling": 1,
    }  # fmt: skip
    hidden = run.parts("all", "trir")
    assert hidden[HEADLINE].value == hidden["lexical"].value == 1 / 4  # nothing is left: one of four, whoever it is
    assert hidden["lexical mrr"].value == pytest.approx((1 + 1 / 2 + 1 / 3 + 1 / 4) / 4)
    assert hidden["lexical @5"].value == 1


def test_the_headline_is_the_worst_that_ran() -> None:
    metric = ReIdentification()
    totals = {"documents": np.array(4.0), "individuals": np.array(16.0), "in_background": np.array(3.0)}
    for name, right in (("lexical", 1.0), ("lexical+assignment", 3.0)):
        totals |= {f"right:{name}": np.array(right), f"right_at_k:{name}": np.array(4.0)}
        totals |= {f"reciprocal:{name}": np.array(2.0), f"ran:{name}": np.array(4.0)}
        totals |= {f"control:{name}": np.array(1.0), f"controlled:{name}": np.array(4.0)}
    found = metric.combine(totals)
    assert found[HEADLINE] == 3 / 4
    assert (found["chance"], found["ceiling"]) == (4 / 16, 3 / 4)
    assert (found["lexical risk"], found["lexical+assignment risk"]) == (0, (3 / 4 - 1 / 4) / (1 - 1 / 4))
    totals |= {key: np.array(0.0) for key in totals if key.endswith("+assignment")}
    found = metric.combine(totals)
    assert found[HEADLINE] == 1 / 4
    assert np.isnan(found["lexical+assignment"])


def test_what_was_not_run_has_no_value_and_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_assignment, "LARGEST", 3)
    run = run_of()
    score = run["names", "trir", "lexical+assignment"]
    assert score.value is None
    assert _assignment.NOT_RUN in score.reason
    assert NOT_FUSED in score.reason
    assert run["names", "trir"].value == 1


def test_people_outside_the_background_lower_the_ceiling() -> None:
    run = run_of({"ann": BACKGROUND["ann"], "eve": "somebody else", "fay": "and another"})
    assert run["names", "trir", "ceiling"].value == 1 / 4
    assert run["names", "trir"].value == 1 / 4
    assert run["names", "trir", "chance"].value == 1 / 3


def test_rows_are_enough_for_intervals_and_tests() -> None:
    run = run_of()
    score = run["all", "trir", "lexical"]
    assert score.value == 1 / 4
    assert score.low is not None
    assert score.high is not None
    assert score.low < 1 / 4 < score.high
    difference = next(one for one in run.compare("trir", shuffles=999) if one.part == "lexical")
    assert difference.difference == 3 / 4
    assert difference.p is None  # all four documents differ alike; 2 of 16 shuffles are as large
    assert "too few to say" in difference.note


def test_an_assignment_couples_documents_so_that_two_are_one_trial_and_none_is_exchanged() -> None:
    """All four are found, by either attack. Of the assignment 1 + 2 · 1 = 3 documents are one trial: 4 / 3 of them."""
    run = run_of()
    assigned, worst = run["names", "trir", "lexical+assignment"], run["names", "trir"]
    assert (assigned.value, assigned.high, assigned.note) == (1, 1, "")
    assert assigned.low == pytest.approx(0.05 ** (3 / 4))
    assert worst.low == pytest.approx(0.05 ** (1 / 4))  # of the largest either end is the largest, as lexical's alone
    assert run["names", "trir", "lexical+assignment mrr"].low is None
    assert "couples the documents" in run["names", "trir", "lexical+assignment mrr"].note
    for part in (HEADLINE, "lexical+assignment", "lexical+assignment mrr"):
        compared = [one for one in run.compare("trir", shuffles=9) if one.part == part]
        assert {one.p for one in compared} == {None}
        assert all("couples the documents" in one.note for one in compared)
    alone = evaluate(CORPUS, {"names": NAMES}, ['trir(attacks="lexical")'], background=BACKGROUND)
    assert alone["names", 'trir(attacks="lexical")'].low is not None


@pytest.mark.parametrize(
    ("found", "documents", "trials"),
    [(0, 64, 32), (6, 64, 32), (48, 64, 64 / 2.5)],  # 1 + 2 · 0.75 = 2.5
)
def test_the_interval_of_an_assignment_is_that_of_fewer_trials(found: int, documents: int, trials: float) -> None:
    metric = ReIdentification("lexical+assignment")
    columns = "right:lexical+assignment", "ran:lexical+assignment"
    right = np.arange(documents) < found
    ends = metric.own_interval(HEADLINE, Rows(columns, np.column_stack([right, np.ones(documents)])), 0.95)
    expected = [end.item() for end in binomial_ends(found / documents * trials, trials, 0.95)]
    assert ends == pytest.approx(tuple(expected))
    if not found:
        assert ends == pytest.approx((0, 1 - 0.05 ** (1 / 32)))  # 0.0894: 64 without a find show at most 0.09


def test_documents_in_a_group_are_no_more_trials_than_groups() -> None:
    """Twenty groups of three documents of which all or none are found: 20 trials, and two of them are one."""
    metric = ReIdentification("lexical+assignment")
    columns = "right:lexical+assignment", "ran:lexical+assignment"
    none = Rows(columns, np.column_stack([np.zeros(20), np.full(20, 3.0)]))
    assert metric.own_interval(HEADLINE, none, 0.95) == pytest.approx((0, 1 - 0.05 ** (1 / 10)))
    some = Rows(columns, np.column_stack([3.0 * (np.arange(20) < 5), np.full(20, 3.0)]))
    apart = Rows(columns, np.column_stack([np.arange(60) < 15, np.ones(60)]))
    together, single = (metric.own_interval(HEADLINE, rows, 0.95) for rows in (some, apart))
    assert together is not None
    assert single is not None
    assert together[0] < single[0] < 0.25 < single[1] < together[1]


def test_what_follows_from_the_files_has_no_interval() -> None:
    score = run_of()["names", "trir", "chance"]
    assert (score.low, score.high) == (None, None)
    assert "no estimate" in score.note


def test_an_anonymization_does_not_depend_on_the_others() -> None:
    together, alone = run_of(), evaluate(CORPUS, {"names": NAMES}, ["trir"], background=BACKGROUND)
    assert together.rows["trir"]["names"] == alone.rows["trir"]["names"]
    assert together.evidence["trir"]["names"] == alone.evidence["trir"]["names"]


def test_the_background_is_learned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = Suite.__init__

    def counted(self: Suite, *rest: object, **more: object) -> None:
        made.append(self)
        real(self, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Suite, "__init__", counted)
    run_of()
    assert len(made) == 1


def test_evidence_is_in_the_run_file(tmp_path: Path) -> None:
    run = run_of()
    run.save(tmp_path / "run.json")
    found = Run.load(tmp_path / "run.json").evidence["trir"]["names"]["ann"]
    assert (found.guess, found.rank, found.attack) == ("ann", 1, "lexical")
    assert found.words[0][0] == "surgeon"
    assert found.margin is not None
    assert found.margin > 0
    assert run.without_text().evidence["trir"]["names"]["ann"].words == []


def test_an_interrupted_run_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics = ["trir", "trir(k=1)"]
    whole = evaluate(CORPUS, {"names": NAMES}, metrics, background=BACKGROUND)
    real, calls = Suite.attack, []

    def stopped(self: Suite, *rest: object) -> object:
        calls.append(self)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return real(self, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(Suite, "attack", stopped)
    with pytest.raises(Interrupted) as stop:
        evaluate(CORPUS, {"names": NAMES}, metrics, background=BACKGROUND)
    resumed = evaluate(CORPUS, {"names": NAMES}, metrics, background=BACKGROUND, resume=stop.value.partial)
    assert resumed.rows == whole.rows
    assert resumed.evidence == whole.evidence
    other = {**BACKGROUND, "ann": "another text"}
    with pytest.raises(PlanError, match="background"):
        evaluate(CORPUS, {"names": NAMES}, metrics, background=other, resume=stop.value.partial)


# Against a control.


def rows_of(right: ArrayLike, control: ArrayLike, per_group: int = 1) -> Rows:
    """Documents of whom so many are found, by their own texts and by others'."""
    own, others = (np.asarray(each, dtype=float).reshape(-1, per_group).sum(axis=1) for each in (right, control))
    tried = np.full(len(own), float(per_group))
    return Rows.named(
        {"right:lexical": own, "ran:lexical": tried, "control:lexical": others, "controlled:lexical": tried}
    )


LEXICAL = ReIdentification("lexical")


def test_the_interval_of_the_risk_is_anonymeters() -> None:
    right, control = np.arange(100) < 30, np.arange(100) < 10
    interval = LEXICAL.own_interval("lexical risk", rows_of(right, control), 0.95)
    assert interval == pytest.approx((0.10463496526435635, 0.33052259121492683), abs=1e-9)
    assert LEXICAL.own_interval("lexical", rows_of(right, control), 0.95) is None


def test_a_control_as_good_as_the_attack_has_a_risk_around_0() -> None:
    """Every document tells of somebody else at random: whose text it is does not matter."""
    random = np.random.default_rng(0)
    names = [f"p{number}" for number in range(60)]
    known = {name: f"{name} the one of w{number} and w{number}" for number, name in enumerate(names)}
    texts = {name: f"PERSON and w{random.integers(0, 60)}" for name in names}
    run = reidentify(known, {"shuffled": texts}, "lexical", references=False)
    metric = run.metrics[0].text
    risk = run["shuffled", metric, "lexical risk"]
    assert risk.low == 0
    assert risk.high is not None
    assert risk.high < 0.2
    hidden = reidentify(known, {"all": dict.fromkeys(names, "***")}, "lexical", references=False)
    assert hidden["all", metric, "lexical risk"].value == hidden["all", metric, "lexical risk"].low == 0
    said = [note for note in hidden.notes if "no more people than with somebody else's document" in note]
    assert said == [
        "trir, all: lexical (1.7 %; control 1.7 %) finds no more people than with somebody else's document, the "
        "control. Another attack may find more"
    ]


def test_texts_that_leak_everything_have_a_risk_of_1() -> None:
    names = [f"p{number}" for number in range(60)]
    known = {name: f"{name} the one of w{number}" for number, name in enumerate(names)}
    run = reidentify(known, {"none": {name: f"w{number}" for number, name in enumerate(names)}}, references=False)
    score = run["none", "trir", "lexical risk"]
    assert (score.value, score.high) == (1, 1)
    assert score.low is not None
    assert 0.9 < score.low < 1
    coupled = run["none", "trir", "lexical+assignment risk"]
    assert (coupled.value, coupled.low) == (1, None)
    assert "couples the documents" in coupled.note
    assert not [note for note in run.notes if "control" in note]


@pytest.mark.parametrize(("found", "by_others"), [(0.5, 0.1), (0.9, 0.02), (0.2, 0.2), (0.05, 0.01)])
def test_the_interval_covers_the_risk(found: float, by_others: float) -> None:
    """Of 300 releases of 60 documents: at least 93 in 100 intervals hold the true risk, few exclude 0 without cause."""
    random, true = np.random.default_rng(1), (found - by_others) / (1 - by_others)
    ends = [
        LEXICAL.own_interval("lexical risk", rows_of(random.random(60) < found, random.random(60) < by_others), 0.95)
        for _ in range(300)
    ]
    held = np.mean([low <= true <= high for low, high in filter(None, ends)])
    assert held >= 0.93
    if found == by_others:
        assert np.mean([low > 0 for low, _ in filter(None, ends)]) <= 0.04


def test_documents_in_groups_make_it_wider() -> None:
    right = np.repeat(np.arange(20) < 10, 5)
    alone = LEXICAL.own_interval("lexical risk", rows_of(right, right * 0), 0.95)
    together = LEXICAL.own_interval("lexical risk", rows_of(right, right * 0, per_group=5), 0.95)
    assert alone is not None
    assert together is not None
    assert together[0] < alone[0] < alone[1] < together[1]


def test_a_risk_is_not_tested_by_exchanging_documents() -> None:
    run = run_of()
    parts = {one.part: one for one in run.compare("trir", shuffles=9)}
    assert "another document's text" in parts["lexical risk"].note
    assert run.metrics[0].describes("lexical control")
    assert not run.metrics[0].describes("lexical risk")


def test_without_anybody_else_there_is_no_control() -> None:
    run = reidentify(BACKGROUND, {"one": {"ann": "surgeon"}}, "lexical", references=False)
    for part in ("control", "risk"):
        score = run["one", run.metrics[0].text, f"lexical {part}"]
        assert score.value is None
        assert "no document is about somebody else" in score.reason


# Only those of whom an attacker is sure.


def test_who_names_only_the_sure_by_hand() -> None:
    """By lead 1 of 1 is right, 2 of 2, then with both of 3 named 3 of 4, and 4 of 5: two of five can be named."""
    right, lead, zeros = np.array([1.0, 1, 0, 1, 1]), np.array([5.0, 4, 3, 3, 1]), np.zeros(5)
    standing = RankResult(right, right, right, zeros, zeros, zeros.astype(int), lead, zeros)
    ones = np.ones(5, dtype=np.int64)
    outcome = AttackOutcome(tuple("abcde"), 9, ones, ones, {"lexical": standing, "dense": "too large"}, {}, {}, {})
    metric = ReIdentification("lexical, dense", abstain=True)
    found = metric.combine(metric.rows("abcde", outcome).totals())
    assert (found["lexical recall@0.9"], found["lexical recall@0.99"]) == (2 / 5, 2 / 5)
    assert found["lexical"] == 4 / 5
    assert np.isnan(found["dense recall@0.9"])


def test_who_names_only_the_sure_has_no_interval() -> None:
    run = reidentify(BACKGROUND, {"mine": TOPICS}, "lexical", abstain=True, references=False)
    metric = run.metrics[0].text
    assert metric == 'trir(attacks="lexical", abstain=True)'
    score = run["mine", metric, "lexical recall@0.99"]
    assert (score.value, score.low, score.high) == (1, None, None)
    assert "with knowledge of who is right" in score.note
    assert all("recall" not in part for part in run_of().parts("names", "trir"))


def test_a_language_model_that_does_not_answer_is_told_of() -> None:
    metric = ReIdentification("lexical+llm:m")
    assert metric.asks == ("llm:m",)
    name = "lexical+llm:m"
    columns = {f"{one}:{name}": [1, 0] for one in ("right", "right_at_k", "reciprocal", "margin", "unanswered")}
    columns |= {f"{one}:{name}": [0, 0] for one in ("control",)} | {
        f"{one}:{name}": [1, 1] for one in ("ran", "controlled")
    }
    columns |= {one: [1, 1] for one in ("documents", "individuals", "in_background")}
    lines = metric.remarks({"mine": Rows.named(columns), "everything masked": Rows.named(columns)}, Resources())
    assert lines == [
        "trir, mine: lexical+llm:m has no valid answer for 1 of 2 documents, which keep the order they had"
    ]


# Its identity.


def test_text_form_and_signature() -> None:
    assert metric_text(parse_metric("trir")) == "trir"
    assert metric_text(ReIdentification("lexical,lexical + assignment")) == "trir"
    assert metric_text(parse_metric('trir(attacks="lexical", k=1)')) == 'trir(attacks="lexical", k=1)'
    background = Background(BACKGROUND, "web")
    line = run_of(background).scores[0].signature
    assert (
        f"|attacks:lexical, lexical+assignment|k:5|abstain:False|lexical:v2|background:web@{background.digest[:8]}|"
        in line
    )


@pytest.mark.parametrize("written", ['trir(attacks="magic")', "trir(k=0)", "trir(k=1.5)", 'trir(attacks="")'])
def test_parameters_that_it_does_not_take(written: str) -> None:
    with pytest.raises(PlanError):
        parse_metric(written)


def test_the_digest_of_a_background_ignores_order_alone() -> None:
    one = Background({"a": "x", "b": "y"})
    assert one.digest == Background({"b": "y", "a": "x"}).digest
    assert one.digest != Background({"a": "y", "b": "x"}).digest


# What it refuses.


def test_no_background() -> None:
    with pytest.raises(
        InputError, match="background: none was given, which the metric trir needs; expected --background"
    ):
        evaluate(CORPUS, {"names": NAMES}, ["trir"])


def test_a_background_that_no_named_metric_asks_for_brings_its_attack() -> None:
    run = evaluate(CORPUS, {"names": NAMES}, ["inconsistent"], background=BACKGROUND)
    assert [record.text for record in run.metrics] == ["inconsistent", "trir"]


def test_of_several_backgrounds_a_metric_names_its_own() -> None:
    known = [Background(BACKGROUND, "public"), Background(dict.fromkeys(BACKGROUND, "nothing at all"), "rumours")]
    metrics = ["trir(background=public)", "trir(background=rumours)"]
    run = evaluate(CORPUS, {"names": NAMES}, metrics, background=known, resamples=0)
    alone = evaluate(CORPUS, {"names": NAMES}, ["trir"], background=BACKGROUND, resamples=0)
    assert run["names", metrics[0]].value == alone["names", "trir"].value
    # Of everybody the same is known: nobody can be told from anybody.
    assert run["names", metrics[1]].value == run["names", metrics[1], "chance"].value
    with pytest.raises(InputError, match="names none; expected one of the backgrounds public, rumours"):
        evaluate(CORPUS, {"names": NAMES}, ["trir"], background=known)
    with pytest.raises(InputError, match="expected unique names"):
        evaluate(CORPUS, {"names": NAMES}, metrics, background=[known[0], known[0]])


@pytest.mark.parametrize(
    ("background", "message"),
    [
        ({}, "found 0 individuals with a text; expected at least 2"),
        ({"ann": "a surgeon"}, "found 1 individual with a text; expected at least 2"),
        ({"ann": "a surgeon", "bob": " "}, r"found 1 individual with a text \(1 more have a text without a word\)"),
        ({"x": "a surgeon", "y": "a baker"}, "no individual has the id of a document, such as 'ann'"),
        ({"ann": "", "x": "a surgeon", "y": "a baker"}, "no individual has the id of a document"),
    ],
)
def test_a_background_that_cannot_be_attacked_with(background: dict[str, str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        run_of(background)
    with pytest.raises(InputError, match=message):
        reidentify(background, {"one": {"ann": "text"}})


def test_texts_without_documents() -> None:
    with pytest.raises(InputError, match="anonymization one: has no document"):
        reidentify(BACKGROUND, {"one": {}, "two": {"ann": "surgeon"}})
    with pytest.raises(InputError, match="anonymizations: none was given"):
        reidentify(BACKGROUND, {})


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_an_attack_on_texts_that_is_stopped(error: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("showthrough.families.reidentification.attacks.suite.Suite.attack", stop)
    with pytest.raises(error):
        reidentify(BACKGROUND, {"one": {"ann": "surgeon"}})


def test_an_attack_on_texts_whose_model_is_not_there() -> None:
    with pytest.raises(InputError, match="nowhere"):
        reidentify(BACKGROUND, {"one": {"ann": "surgeon"}}, 'dense(embedding="st:nowhere/at-all")')


def test_times_of_an_attack_on_texts() -> None:
    run = reidentify(BACKGROUND, {"one": {"ann": "surgeon"}}, "lexical")
    times = run.provenance["attacks"]
    assert (set(times["learning"]), set(times["attacking"])) == ({"lexical"}, {"one", "everything masked"})


# Texts without originals.


def test_texts_give_what_masks_give() -> None:
    texts = {name: f"PERSON has a {topic}" for name, topic in TOPICS.items()}
    run = reidentify(BACKGROUND, {"names": texts})
    assert run.rows["trir"]["names"] == run_of().rows["trir"]["names"]


def test_anonymizations_may_have_different_documents() -> None:
    run = reidentify(BACKGROUND, {"two": {"ann": "surgeon", "bob": ""}, "one": {"cem": "judge"}})
    assert run.documents == ["ann", "bob", "cem"]
    assert run["one", "trir"].value == 1  # of its own one document
    assert run["two", "trir", "lexical"].value == (1 + 1 / 4) / 2
    assert run["one", "trir", "chance"].value == 1 / 4
    assert set(run.evidence["trir"]["one"]) == {"cem"}


# How well it attacks.


def test_with_the_originals_as_background_everybody_is_found() -> None:
    """A sanity test on the demonstration corpus: every anonymization leaves enough to find the very same text."""
    corpus = read_corpus(demo.corpus_path())
    found = {name: read_anonymization(path, corpus) for name, path in demo.anonymization_paths().items()}
    run = evaluate(corpus, found, ["trir"], background={document.id: document.text for document in corpus}, resamples=0)
    for name in found:
        assert (run[name, "trir"].value or 0) >= 0.98, name


def test_the_demonstration_ranks_its_anonymizations() -> None:
    corpus = read_corpus(demo.corpus_path())
    found = {name: read_anonymization(path, corpus) for name, path in demo.anonymization_paths().items()}
    run = evaluate(corpus, found, ["trir"], background=read_background(demo.background_path()), resamples=0)
    risk = {name: run[name, "trir"].value or 0 for name in found}
    assert min(risk, key=risk.__getitem__) == "overmask"
    assert risk["rules"] > 0.9


WIKI = {
    "ner3_abstract": 1.0, "ner4_abstract": 0.98, "ner7_abstract": 1.0, "presidio_abstract": 1.0,
    "spacy_abstract": 0.98, "word2vec_t=0.5_abstract": 0.98, "word2vec_t=0.25_abstract": 0.84, "manual_abstract": 0.78,
}  # fmt: skip


def test_actors_are_found(data: Path) -> None:
    recorded = read_recorded(data / "wiki_actors/WikiActors_50_eval.json")
    run = reidentify(recorded.background, recorded.documents, resamples=0)
    found = {name: run[name, "trir"].value or 0 for name in WIKI}
    assert {name: value for name, value in found.items() if value < WIKI[name]} == {}


TAB = {
    "spaCy_Entity": 0.94, "Presidio_Entity": 0.97, "St.NER3_Entity": 0.98, "Manual_Entity": 0.90,
    "Manual_INTACT": 0.92,
}  # fmt: skip


@pytest.mark.slow
def test_applicants_are_found(data: Path) -> None:
    corpus = read_corpus(data / "tab/test_texts.json")
    found = {name: read_anonymization(data / f"tab/anonymizations/{name}.json", corpus) for name in TAB}
    background = read_background(data / "tab/background/public.json")
    run = evaluate(corpus, found, ["trir"], background=background, resamples=0)
    values = {name: run[name, "trir"].value or 0 for name in TAB}
    assert {name: value for name, value in values.items() if value < TAB[name]} == {}


def test_the_order_of_files_cannot_matter(data: Path, tmp_path: Path) -> None:
    records = json.loads((data / "wiki_actors/WikiActors_50_eval.json").read_text(encoding="utf-8"))
    (tmp_path / "turned.json").write_text(json.dumps(records[::-1]), encoding="utf-8")
    one, two = (
        read_recorded(path) for path in (data / "wiki_actors/WikiActors_50_eval.json", tmp_path / "turned.json")
    )
    runs = [reidentify(each.background, {"manual": each.documents["manual_abstract"]}) for each in (one, two)]
    tables = [
        dict(zip(run.documents, zip(*run.rows["trir"]["manual"].values(), strict=True), strict=True)) for run in runs
    ]
    assert tables[0] == tables[1]  # to the last digit


def test_no_more_than_can_be_counted() -> None:
    with pytest.raises(PlanError, match=r"k=.* is out of range; expected 1 to 1000000000"):
        parse_metric(f"trir(k={'1' * 400})")
