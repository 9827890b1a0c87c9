"""The state of a release: ten situations, what may never be free of objections, and what somebody accepted."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from dataclasses import astuple
from datetime import datetime, timedelta, timezone
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace
from rich.console import Console

from showthrough import (
    Annotation,
    Anonymization,
    Background,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    Run,
    evaluate,
)
from showthrough.data.levels import by_type
from showthrough.metrics import METRICS as NAMES
from showthrough.metrics.matching.entities import HowRead
from showthrough.report.evidence import evidence
from showthrough.report.files import markdown_text
from showthrough.report.summary import show_short_verdict, show_verdict
from showthrough.report.tiles import tiles
from showthrough.report.verdict import judge, verdict
from showthrough.run.documents import RunTexts
from showthrough.run.gate import accepted as accepted_list, state
from showthrough.run.gate.accepted import (
    Accepted,
    AcceptedIdentifier,
    describe_unused,
    digest_of_identifier,
    read_accepted,
    readable_identifiers,
)
from showthrough.run.gate.checking import Gate, check_run
from showthrough.run.gate.checks import ReadableCheck
from showthrough.run.gate.grading import FAILED, PASSED, UNSURE
from showthrough.run.gate.reasons import Reason, ReleaseState
from showthrough.run.gate.state import Decision, decide, decisions, rank
from showthrough.run.records import Failure, MetricRecord
from showthrough.run.thresholds import Threshold
from situations import METRICS, SITUATIONS, Letter, Situation, corpus_of, letters, release, run_of

NOT_YET, NEVER, FREE = ReleaseState.NOT_ENOUGH_EVIDENCE, ReleaseState.DO_NOT_RELEASE, ReleaseState.NO_OBJECTION


@pytest.fixture(scope="module")
def situations() -> dict[str, Situation]:
    return {name: make() for name, make in SITUATIONS.items()}


@pytest.fixture(scope="module")
def safe(situations: dict[str, Situation]) -> Run:
    return situations["all safe"].run


def test_without_limits_none_is_called_best() -> None:
    """Both mask Ona once and leave it once; one keeps more words. That makes neither of them the better one."""
    corpus = Corpus([Document(f"d{number}", "Ona rowed to Skerrow. Ona sang.") for number in range(30)])
    less = Anonymization({key: [Mask(0, 3)] for key in corpus.ids}, "less")
    more = Anonymization({key: [Mask(0, 3), Mask(13, 20)] for key in corpus.ids}, "more")
    metrics = ["inconsistent", 'tpi(ic="wordfreq", chunking="none")']
    first = decisions(evaluate(corpus, [less, more], metrics, resamples=20), Gate())[0]
    assert (first.state, first.limits, first.best_of) == (NOT_YET, [], 0)
    assert "best" not in verdict(evaluate(corpus, [less, more], metrics, resamples=20)).state


@pytest.fixture(scope="module")
def one_left(situations: dict[str, Situation]) -> Run:
    return situations["one name left"].run


def decided(situation: Situation) -> Decision:
    return decide(situation.run, baseline=situation.baseline, thresholds=situation.thresholds)


@pytest.mark.parametrize("name", SITUATIONS)
def test_ten_situations(situations: dict[str, Situation], name: str) -> None:
    situation = situations[name]
    decision = decided(situation)
    assert (decision.state, situation.says in decision.sentence) == (situation.state, True), decision


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_sentence_is_plain(situations: dict[str, Situation], name: str) -> None:
    """No metric by its id, and no sign of mathematics."""
    decision = decided(situations[name])
    for sentence in (decision.sentence, *(reason.sentence for reason in decision.reasons)):
        words = set(sentence.replace("(", " ").replace(")", " ").replace(",", " ").split())
        assert not words & {name for name in NAMES if "_" in name or name in ("trir", "cpr", "tps")}
        assert not set("≥≤αβκεΔ") & set(sentence)


@pytest.mark.parametrize("name", SITUATIONS)
def test_the_gate_says_the_same(situations: dict[str, Situation], name: str) -> None:
    situation = situations[name]
    gate = Gate(situation.thresholds, baseline=situation.baseline)
    (checked,) = check_run(situation.run, gate).anonymizations
    assert checked.state == situation.state
    assert checked.sentence == decided(situation).sentence
    expected = {NEVER: {FAILED}, NOT_YET: {FAILED, UNSURE}, FREE: {PASSED}}
    assert checked.status in expected[situation.state]


@pytest.mark.parametrize("name", SITUATIONS)
def test_terminal_markdown_and_notebook_begin_with_it(situations: dict[str, Situation], name: str) -> None:
    situation = situations[name]
    run = replace(situation.run, thresholds=list(situation.thresholds))
    gate = Gate(baseline=situation.baseline)
    said = f"{situation.state.title}. {decided(situation).sentence}"
    for show in (show_verdict, show_short_verdict):
        screen = Console(width=1000, file=StringIO())
        show(verdict(run, judge(run, gate)), screen)
        assert screen.file.getvalue().splitlines()[0] == said  # type: ignore[attr-defined]
    assert markdown_text(run, gate).splitlines()[0].replace("\\", "") == f"**{said}**"
    if not situation.baseline:  # a notebook knows of none
        assert f'<div style="font-weight:bold">{said}</div>' in run._repr_html_()


OF_CORPUS = {"no annotations", "four documents", "copies", "weak attacker", "silver marks", "all safe"}


@pytest.mark.parametrize("name", SITUATIONS)
def test_a_sentence_names_the_system_only_where_it_is_about_it(situations: dict[str, Situation], name: str) -> None:
    """`In “tool”, programs made the annotations` reads as if the tool had made them."""
    decision = decided(situations[name])
    assert decision.sentence.startswith("In “tool”, ") == (name not in OF_CORPUS), decision.sentence
    if name in OF_CORPUS - {"all safe"}:
        assert decision.sentence == decision.reasons[0].sentence


def test_what_is_worse_is_told_by_what_it_counts(situations: dict[str, Situation]) -> None:
    """30 of 200 towns and 31 of 200 people now; none and one before. A part of a number has its title alone."""
    situation = situations["a regression"]
    told = [reason.sentence for reason in decided(situation).reasons if reason.kind == "worse"]
    assert "Only 85 % of indirect identifiers are hidden; the earlier release hid 100 %." in told
    assert "16 % of people can be recognised; in the earlier release it was 0.5 %." in told
    part = Threshold("removed_qi", "min", 0.75, "LOC")
    parts = decide(situation.run, baseline=situation.baseline, thresholds=(part,))
    assert any(
        reason.sentence.endswith(" (LOC): 85 %, which is worse than 100 % in the earlier release.")
        for reason in parts.reasons
    ), parts.reasons


def test_no_release_with_a_readable_name_is_free_of_objections(safe: Run) -> None:
    """Whatever else is asked, and however little."""
    made = letters()
    run = run_of(made, release(made, lambda at, one: one.masks[1:] if at == 0 else one.masks), metrics=METRICS[:3])
    for thresholds in ([], [Threshold("removed_di", "min", 0.0)], [Threshold("er_di", "max", 1.0)]):
        for few in (0, 20):
            assert decide(run, thresholds=thresholds, documents=few, identifiers=0).state == NEVER
    assert decide(safe).state == FREE


def without(run: Run, *metrics: str) -> Run:
    return replace(
        run,
        metrics=[record for record in run.metrics if record.text not in metrics],
        rows={text: rows for text, rows in run.rows.items() if text not in metrics},
        scores=[score for score in run.scores if score.metric not in metrics],
    )


def lacking(run: Run) -> Iterator[tuple[str, Run, str]]:
    """Runs without something, each with what is said of it."""
    yield "marked places alone", without(run, "removed_di"), "only the places that were marked were searched"
    yield "no direct identifiers", without(run, "removed_di", "er_di"), "nobody counted which direct identifiers"
    yield "interrupted", replace(run, complete=False), "interrupted"
    yield "a metric failed", replace(without(run, "trir"), metrics=run.metrics, failures=[Failure("trir", "no")]), "no"
    yield "silver", replace(run, corpus=replace(run.corpus, silver="silver(a.v1) and others")), "programs made"
    unlike = [replace(one, unlike=30) for one in run.anonymizations]
    yield "unlike", replace(run, anonymizations=unlike), "30 of 200 released documents are unlike their originals"
    yield "doubtful", replace(run, corpus=replace(run.corpus, doubtful=9)), "9 documents may be of one person"
    rows = {text: {name: of for name, of in by.items() if name == "tool"} for text, by in run.rows.items()}
    yield "no originals", replace(run, rows=rows, references=[]), "nobody tried the attack on the originals"
    yield "no intervals", replace(run, scores=[replace(one, low=None, high=None) for one in run.scores]), "no interval"


def test_whatever_is_lacking_is_said_and_is_never_free_of_objections(safe: Run) -> None:
    for what, run, says in lacking(safe):
        decision = decide(run)
        assert decision.state == NOT_YET, what
        assert says in decision.sentence.lower(), (what, decision.sentence)


def test_a_usual_limit_that_nobody_set_and_that_is_missed_is_told(safe: Run) -> None:
    """Half of the towns can be read, and somebody asked for names alone."""
    made = letters()
    run = run_of(made, release(made, lambda at, one: one.masks[: 2 + at % 2]), metrics=METRICS[:3])
    asked = [Threshold("removed_di", "min", 0.95)]
    decision = decide(run, thresholds=asked)
    assert (decision.state, decision.reasons[0].sentence) == (
        NOT_YET, "100 of 200 indirect identifiers can still be read.",
    )  # fmt: skip
    only = check_run(run, Gate(asked, only=True))
    assert (only.status, only.anonymizations[0].state) == (PASSED, NOT_YET)
    assert decide(run).state == NEVER


def test_who_leaves_out_the_usual_limits_is_told_all_the_same() -> None:
    """All names and towns are hidden, and what else the letters say tells an attacker who everybody is."""
    made = letters()
    known = Background({f"letter-{at:03}": one.text.partition("told of ")[2] for at, one in enumerate(made)})
    run = evaluate(corpus_of(made), release(made), METRICS, background=known, resamples=50)
    gate = Gate([Threshold("removed_di", "min", 0.95)], only=True)
    (checked,) = check_run(run, gate).anonymizations
    assert (checked.status, [check.asked for check in checked.failed]) == (PASSED, [])  # as was asked
    assert (checked.state, checked.sentence) == (NEVER, "In “tool”, 200 of 200 people can still be recognised.")
    assert decisions(run, gate)[0].state == NEVER


def test_a_limit_that_the_originals_reach_is_no_evidence() -> None:
    """All towns can be read and half of the people are found, and somebody asked for nothing better."""
    made = letters(100)
    run = run_of(made, release(made, lambda at, one: one.masks[:2] if at % 2 else one.masks))
    asked = [Threshold("removed_di", "min", 0.95), Threshold("removed_qi", "min", 0.0), Threshold("trir", "max", 1.0)]
    decision = decide(run, thresholds=asked)
    assert decision.state == NOT_YET
    told = [reason.sentence for reason in decision.reasons]
    assert sum("Even the originals, with nothing masked, keep the limit on" in sentence for sentence in told) == 2


def test_a_loose_limit_on_an_attack_makes_nobody_sure() -> None:
    """Half of the letters keep their town, which finds whoever wrote them; at most 90 % was somebody's limit."""
    made = letters(100)
    run = run_of(made, release(made, lambda at, one: one.masks[:2] if at % 2 else one.masks))
    asked = [Threshold("removed_di", "min", 0.95), Threshold("removed_qi", "min", 0.3), Threshold("trir", "max", 0.9)]
    decision = decide(run, thresholds=asked)
    found = round(run["tool", "trir"].value * 100)
    assert 45 <= found <= 60
    said = f"In “tool”, {found} of 100 people can still be recognised; the limit that was set (90 %) allows it."
    assert (decision.state, decision.sentence) == (NOT_YET, said)
    assert check_run(run, Gate(asked)).status == PASSED  # the limits are somebody's own


def test_a_release_without_a_number_of_use_goes_after_one_that_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {"a": None, "b": SimpleNamespace(value=None), "c": SimpleNamespace(value=0.0)}
    monkeypatch.setattr(state, "choose_metric", lambda *_: None)
    monkeypatch.setattr(state, "headline", lambda run, name, record: numbers[name])
    assert [state._use(cast("Run", None), Decision(FREE, name, "")) for name in numbers] == [-1.0, -1.0, 0.0]


def test_a_run_that_judges_nothing_says_so_in_a_sentence() -> None:
    """What a scan finds in the release shows nothing of what it does not know."""
    decision = decide(run_of(letters(20), metrics=["residual"]))
    said = "No number of this run shows whether an identifier is left in the release."
    assert said in [reason.sentence for reason in decision.reasons]
    assert decision.state == NOT_YET  # which speaks against nobody


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [
        ("Words are left.", "In “tool”, words are left."),
        ("A name is left.", "In “tool”, a name is left."),
        ("PHI is left.", "In “tool”, PHI is left."),
        ("3 of 4 names are left.", "In “tool”, 3 of 4 names are left."),
    ],
)
def test_a_sentence_goes_on_in_small_letters(reason: str, sentence: str) -> None:
    decision = Decision(NEVER, "tool", "", (Reason(reason, "missed", NEVER),))
    assert state._in_words(decision, cast("Run", None)).sentence == sentence


def test_the_best_goes_first() -> None:
    """By its state, then by how much it misses."""
    made = letters(40)

    def leaving(names: int) -> Any:
        return release(made, lambda at, one: one.masks[1:] if at < names else one.masks)

    masks = {"nine": leaving(9), "none": leaving(0), "two": leaving(2)}
    run = evaluate(corpus_of(made), masks, ["removed_di"], resamples=50)
    ranked = decisions(run, Gate())
    assert [one.candidate for one in ranked] == ["none", "two", "nine"]
    assert [one.state for one in ranked] == [NOT_YET, NEVER, NEVER]
    assert ranked[0].sentence.startswith("In the best candidate, ")
    assert decide(run, candidate="two").sentence.startswith("In “two”, 2 of 80 direct identifiers can still be read")
    with pytest.raises(PlanError, match=r"^candidate three: not in this run; there are nine, none, two"):
        decide(run, candidate="three")


def test_a_type_that_was_left_out_was_not_looked_at() -> None:
    """All names can be read, and somebody ignored names; or left them out by their map. Towns identify nobody alone."""
    made = letters()
    names = release(made, lambda at, one: one.masks[1:])
    for how in ({"ignore": ["PERSON"]}, {"map": {"PERSON": ""}}):
        decision = decide(evaluate(corpus_of(made), names, METRICS[:3], resamples=50, **how))  # type: ignore[arg-type]
        assert (decision.state, decision.sentence) == (
            NOT_YET, "Nobody looked at PERSON: these marks were left out of the evaluation.",
        )  # fmt: skip
    renamed = evaluate(corpus_of(made), names, METRICS[:3], resamples=50, map={"PERSON": "X"}, ignore=["X"])
    assert decide(renamed).sentence == "Nobody looked at PERSON: these marks were left out of the evaluation."
    towns = release(made, lambda at, one: one.masks[:2])
    assert decide(evaluate(corpus_of(made), towns, METRICS[:3], resamples=50, ignore=["LOC"])).state == FREE


@pytest.mark.parametrize(
    ("stated", "how"),
    [
        (True, {"quasi": ["PERSON"]}),
        (True, {"map": {"PERSON": "X"}, "quasi": ["X"]}),
        (False, {"map": {"PERSON": "LOC"}}),  # the type alone says that it identifies directly
        (False, {"map": {"PERSON": "SOMETHING"}}),
    ],
)
def test_names_that_were_taken_for_indirect_identifiers_are_told(stated: bool, how: dict[str, Any]) -> None:
    """Ten of 400 can be read, which is within the limit on indirect identifiers."""
    made = letters()
    documents = [
        document if stated else Document(document.id, document.text, (Annotation("ann", tuple(
            by_type(mark.start, mark.end, mark.entity_type, mark.entity_id) for mark in document.annotations[0].mentions
        )),)) for document in corpus_of(made)
    ]  # fmt: skip

    def decided_on(left: int) -> Decision:
        masks = release(made, lambda at, one: one.masks[1:] if at < left else one.masks)
        run = evaluate(Corpus(documents, "letters"), masks, METRICS[:3], resamples=50, **how)
        assert decide(run.without_text()).state == decide(run).state
        return decide(run)

    told = "The evaluation took PERSON for indirect identifiers; {} of 400 indirect identifiers can still be read."
    assert (decided_on(10).state, decided_on(10).sentence) == (NOT_YET, told.format(10))
    assert decided_on(0).state == FREE
    assert told.format(0) in decided_on(0).sentence


def test_what_was_marked_as_direct_counts_whatever_its_type_is_called() -> None:
    """Nobody knows HANDLE, and its marks say that it identifies directly: without them nothing is free."""
    made = letters()
    documents = [
        Document(document.id, document.text, (Annotation("ann", tuple(
            replace(mark, entity_type="HANDLE") if mark.entity_type == "PERSON" else mark
            for mark in document.annotations[0].mentions
        )),)) for document in corpus_of(made)
    ]  # fmt: skip
    names = release(made, lambda at, one: one.masks[1:] if at == 7 else one.masks)
    for how, says in (("ignore", "Nobody looked at HANDLE"), ("quasi", "The evaluation took HANDLE for indirect")):
        run = evaluate(Corpus(documents, "letters"), names, METRICS[:3], resamples=50, **{how: ["HANDLE"]})
        assert decide(run).state == NOT_YET
        assert decide(run).sentence.startswith(says)


def test_documents_that_nobody_annotated_show_nothing() -> None:
    """Nothing is masked where nothing was marked. An empty annotation shows that somebody read the document."""
    made = letters()

    def marked_only(marked: int, *others: Annotation) -> Decision:
        documents = [document if at < marked else Document(document.id, document.text, others)
                     for at, document in enumerate(corpus_of(made))]  # fmt: skip
        masks = release(made, lambda at, one: one.masks if at < marked else [])
        run = evaluate(Corpus(documents, "letters"), masks, METRICS[:3], resamples=50)
        assert decide(run.without_text()).state == decide(run).state  # which documents were read is kept
        return decide(run)

    few = marked_only(90)
    said = "Only 90 of 200 documents have annotations: nothing shows what is left in the others."
    assert (few.state, few.sentence) == (NOT_YET, said)
    for marked in (189, 199):
        few = marked_only(marked)
        said = f"Nobody annotated {200 - marked} of 200 documents: nothing shows what is left there."
        assert (few.state, few.sentence) == (NOT_YET, said)
    read = marked_only(190, Annotation("ann", ()))
    assert read.state == FREE  # and nothing was found
    assert "Nothing is marked in 10 of 200 documents." in read.sentence
    assert marked_only(90, Annotation("ann", ())).state == NOT_YET  # in most: perhaps nobody read them


def test_identifiers_of_other_documents_are_not_free_of_objections() -> None:
    """Letter 8 names the writer of letter 7, or has her number; or letter 8 was released as letter 7."""
    made = letters()
    seven, eight = made[7], made[8]

    def with_eight(more: str) -> Decision:
        text = f"{eight.text} {more}"
        every = [Letter(text, *one[1:]) if at == 8 else Letter(*one) for at, one in enumerate(map(astuple, made))]
        run = run_of(every, metrics=METRICS[:3])
        assert decide(run.without_text()).sentence == decide(run).sentence
        return decide(run)

    said = (
        "In “tool”, direct identifiers of other documents can be read in 1 of 200 documents, where nobody marked them."
    )
    for more in (f"She met {seven.name}.", f"Compare {seven.number}.", f"Signed: MR {seven.name.upper()}"):
        assert (with_eight(more).state, with_eight(more).sentence) == (NOT_YET, said)
    assert with_eight(f"She met {seven.name.split()[0]}.").state == FREE  # whoever that is
    masks = release(made, lambda at, one: [Mask(0, len(one.text), eight.text)] if at == 7 else one.masks)
    swapped = run_of(made, masks, metrics=METRICS[:3])
    assert (decide(swapped).state, decide(swapped).reasons[0].sentence) == (
        NOT_YET,
        said.removeprefix("In “tool”, ").capitalize(),
    )
    assert tiles(swapped, decide(swapped))[0].grade == "unsure"
    (listed, *_) = evidence(swapped, decide(swapped))
    assert (listed.title, listed.state) == ("Annotations", "weak")


def test_a_lower_number_of_documents_makes_no_state_better() -> None:
    """Ten letters, and a gate that asks for no more; the summary and notebooks know of none."""
    run = run_of(letters(10), metrics=METRICS[:3])
    asked = [Threshold("removed_di", "min", 0.1), Threshold("removed_qi", "min", 0.1)]
    (checked,) = check_run(run, Gate(asked, documents=1, identifiers=1)).anonymizations
    assert checked.status == PASSED  # as was asked
    said = "There are only 10 documents to judge by, and at least 20 are needed."
    assert (checked.state, checked.sentence) == (NOT_YET, said)
    assert decide(run, thresholds=asked, documents=1, identifiers=1).sentence == said


def test_a_loose_limit_on_indirect_identifiers_makes_nobody_sure() -> None:
    """60 of 200 towns can be read, and 0.6 was somebody's limit: the usual one is 0.95."""
    made = letters()
    run = run_of(made, release(made, lambda at, one: one.masks[:2] if at < 60 else one.masks), metrics=METRICS[:3])
    assert decide(run).state == NEVER
    asked = [Threshold("removed_qi", "min", 0.6)]
    said = "In “tool”, 60 of 200 indirect identifiers can still be read; the limit that was set (60 %) allows it."
    assert (decide(run, thresholds=asked).state, decide(run, thresholds=asked).sentence) == (NOT_YET, said)
    assert check_run(run, Gate(asked)).status == PASSED  # the limits are somebody's own
    few = run_of(made, release(made, lambda at, one: one.masks[:2] if at < 2 else one.masks), metrics=METRICS[:3])
    assert decide(few, thresholds=asked).state == FREE


def test_what_failed_and_releases_of_something_else_are_told(safe: Run) -> None:
    failed = replace(without(safe, "precision"), metrics=safe.metrics, failures=[Failure("precision", "no")])
    title = safe.record("precision").title
    assert decide(failed).state == FREE
    assert f"Could not be computed: {title}." in decide(failed).sentence
    for unlike, said in (
        (1, "1 released document is unlike its original."), (10, "10 released documents are unlike their originals."),
    ):  # fmt: skip
        run = replace(safe, anonymizations=[replace(one, unlike=unlike) for one in safe.anonymizations])
        assert (decide(run).state, said in decide(run).sentence) == (FREE, True)


def test_names_that_can_nearly_be_read_are_not_free_of_objections() -> None:
    """Three letters are signed with slips of the pen; another with a name that is an ordinary word."""

    def slip(name: str) -> str:
        first, last = name.split()
        return f"{first[:-1]}e {last[:-1]}x"

    made = [
        Letter(f"{one.text} Signed: {slip(one.name)}.", one.name, one.number, one.town) if at in (3, 4, 5) else one
        for at, one in enumerate(letters())
    ]
    run = run_of(made, metrics=METRICS[:3])
    nearly = sum(run.rows["removed_di"]["tool"]["nearly"])
    assert nearly > 0
    decision = decide(run)
    assert decision.state == NOT_YET
    assert f"In “tool”, {nearly:.0f} direct identifier{'s' * (nearly > 1)} can nearly be read: " in decision.sentence
    one = letters()[3]
    signed = Letter(f"{one.text.replace(one.name, 'Rose Brown')} Signed: Brown.", "Rose Brown", one.number, one.town)
    brown = decide(run_of([signed if at == 3 else other for at, other in enumerate(letters())], metrics=METRICS[:3]))
    assert (brown.state, brown.sentence.startswith("In “tool”, 1 direct identifier can nearly be read")) == (
        NOT_YET,
        True,
    )


def test_what_was_tested_and_has_no_limit_is_told() -> None:
    """A detector finds addresses that nobody marked; there is no usual limit on what it finds."""
    made = [Letter(f"{one.text} Write to a{at}@example.org.", one.name, one.number, one.town)
            for at, one in enumerate(letters())]  # fmt: skip
    run = run_of(made, metrics=[*METRICS[:3], "residual"])
    title = run.record("residual").title
    decision = decide(run)
    assert f"No limit was set on: {title}." in decision.sentence
    limited = decide(run, thresholds=[Threshold("removed_di", "min", 0.95), Threshold("residual", "max", 0.001)])
    assert "No limit" not in limited.sentence


def test_a_number_that_got_worse_is_not_ticked(situations: dict[str, Situation]) -> None:
    """31 of 200 people are within the limit of 0.3, and it was one of 200."""
    situation = situations["a regression"]
    grades = [tile.grade for tile in tiles(situation.run, decided(situation))]
    assert grades[:2] == ["met", "missed"]


# What somebody accepted.


def entry(one: Letter, **other: Any) -> AcceptedIdentifier:
    return AcceptedIdentifier(
        **{"document": "letter-007", "by": "N. N.", "when": "2026-11-18", "why": "public", **other}
    )


@pytest.mark.parametrize("by", ["text", "place", "digest"])
def test_what_was_accepted_is_no_objection(one_left: Run, by: str) -> None:
    name = letters()[7]
    start, end = name.span(name.name)
    ways: dict[str, dict[str, Any]] = {
        "text": {"text": name.name},
        "place": {"start": start, "end": end},
        "digest": {"digest": digest_of_identifier(name.name)},
    }
    way = ways[by]
    decision = decide(one_left, accepted=Accepted((entry(name, **way),), "accepted.json"))
    assert (decision.state, decision.accepted, decision.notes) == (FREE, 1, ())
    assert "apart from 1 readable identifier that somebody accepted" in decision.sentence


@pytest.mark.parametrize(
    "other",
    [
        {"text": "Somebody Else"},
        {"text": "left"},
        {"document": "letter-008"},
        {"document": "nowhere"},
        {"start": 0, "end": 2},
        {"digest": "0" * 64},
    ],
)
def test_what_fits_nothing_excuses_nothing_and_is_told(one_left: Run, other: dict[str, Any]) -> None:
    one = letters()[7]
    wrong = entry(one, **({"text": one.name} if set(other) == {"document"} else {}), **other)
    decision = decide(one_left, accepted=Accepted((wrong,), "accepted.json"))
    assert (decision.state, decision.accepted) == (NEVER, 0)
    (note,) = decision.notes
    assert note == f"accepted.json, entry 1 (document {wrong.document}) fits nothing that can be read there"
    assert one.name not in note


def test_of_several_that_can_be_read_each_must_be_accepted() -> None:
    """The name and the number of one letter; the number alone was accepted."""
    made = letters()
    run = run_of(made, release(made, lambda at, one: one.masks[2:] if at == 7 else one.masks), metrics=METRICS[:3])
    number, name = (entry(made[7], text=text) for text in (made[7].number, made[7].name))
    some = decide(run, accepted=Accepted((number,), "a.json"))
    assert (some.state, some.accepted) == (NEVER, 1)
    assert "1 of 400 direct identifiers can still be read and was accepted by nobody" in some.sentence
    assert decide(run, accepted=Accepted((number, name), "a.json")).accepted == 2


def test_without_the_texts_nobody_can_tell_which_was_accepted(one_left: Run) -> None:
    """Counts say that one can be read, and not which."""
    name = letters()[7]
    accepted = Accepted((entry(name, text=name.name),), "accepted.json")
    assert decide(one_left.without_text(), accepted=accepted).state == NEVER
    assert decide(replace(one_left, texts=None), accepted=accepted).state == NEVER


def test_what_stands_elsewhere_is_accepted_as_well(situations: dict[str, Situation]) -> None:
    """Three letters are signed: an entry for each."""
    run, made = situations["moved text"].run, letters()
    every = [entry(made[at], document=f"letter-{at:03}", text=made[at].name) for at in (3, 4, 5)]
    assert decide(run, accepted=Accepted(every, "a.json")).accepted == 3
    assert decide(run, accepted=Accepted(every[:2], "a.json")).state == NEVER


def twice(masked: list[Mask]) -> Run:
    """`Ann Lee` and `Lee` are marked as one person; unmarked, at the end, `Ann Lee` stands once more."""
    text = "Ann Lee came. Lee left. Ann Lee"
    marks = [Mention(0, 7, "PERSON", "DIRECT", "e"), Mention(14, 17, "PERSON", "DIRECT", "e")]
    corpus = Corpus([Document("letter-007", text, (Annotation("a", tuple(marks)),))])
    return evaluate(corpus, {"tool": Anonymization({"letter-007": masked})}, ["removed_di"], resamples=0)


def test_who_accepted_the_short_form_did_not_accept_the_long_one() -> None:
    def left(masked: list[Mask], **way: Any) -> int:
        found = readable_identifiers(twice(masked), "tool", Accepted((entry(letters(1)[0], **way),), "a.json"))
        assert found is not None
        return found.left

    first, second, third = Mask(0, 7), Mask(14, 17), Mask(24, 31)
    for masked in ([], [first], [first, second], [second, third], [first, third]):
        assert left(masked, text="Ann Lee") == 0  # wherever it stands, and what is shorter with it
        assert left(masked, text="Lee") == 1
        assert left(masked, digest=digest_of_identifier("Ann Lee")) == 0
    run = twice([first, third])
    (note,) = decide(run, accepted=Accepted((entry(letters(1)[0], text="Lee"),), "a.json")).notes
    assert note.endswith("fits nothing that can be read there; expected the longer text that was marked at 0–7")
    (note,) = decide(run, accepted=Accepted((entry(letters(1)[0], start=0, end=7),), "a.json")).notes
    assert note.endswith("; a place is accepted there alone, and a text wherever it appears")
    assert left([second, third], start=0, end=7) == 0  # that place, and it stands nowhere else
    assert left([second], start=0, end=7) == 1  # it stands at the end as well
    assert left([third], start=0, end=7) == 1  # Lee can be read too
    assert left([], start=0, end=31) == 1  # no mark


@pytest.mark.parametrize("parameters", [{}, {"function_words": "mine.txt"}, {"dictionary": "words.txt"}])
def test_what_a_metric_read_with_is_read_with_again(
    monkeypatch: pytest.MonkeyPatch, parameters: dict[str, str]
) -> None:
    """Its own list of words, where it had one: by another list other identifiers would be readable."""

    class SearchedError(Exception):
        pass

    def search(chunk: object, how: HowRead) -> None:
        raise SearchedError(how)

    monkeypatch.setattr(accepted_list, "EntitySearch", search)
    texts = cast("RunTexts", SimpleNamespace(documents=[Document("d", "Doe")]))
    record = cast("MetricRecord", SimpleNamespace(parameters=parameters))
    with pytest.raises(SearchedError) as searched:
        next(accepted_list._readable_entities(texts, "a", record, [0], {}))
    assert searched.value.args == (HowRead(**parameters),)


def test_a_list_is_read_from_json_and_csv(tmp_path: Path) -> None:
    row = {"document": "d1", "text": "Doe", "by": "N. N.", "when": "2026-11-18", "why": "public office"}
    place = {key: value for key, value in row.items() if key != "text"} | {"start": 3, "end": 6}
    for name, content in {
        "list.json": json.dumps([row, place]),
        "object.json": json.dumps({"accepted": [row, place]}),
    }.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert len(read_accepted(tmp_path / name).entries) == 2
    with (tmp_path / "list.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, ["document", "text", "start", "end", "by", "when", "why"])
        writer.writeheader()
        writer.writerows([row, place])
    assert read_accepted(tmp_path / "list.csv").entries == read_accepted(tmp_path / "list.json").entries
    assert read_accepted(tmp_path / "list.csv").reviewers == ("N. N.",)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{}", "accepted: expected a list of objects"),
        ("[3]", "entry 1: found a whole number; expected an object {…}; fields: document,"),
        ('[{"document": "d"}]', "entry 1: by is missing"),
        (
            '[{"document": "d", "by": " ", "when": "2026-11-18", "why": "x", "text": "Doe"}]',
            "by: is empty; expected who",
        ),
        (
            '[{"document": "d", "by": "N", "when": "soon", "why": "x", "text": "Doe"}]',
            "when: found 'soon'; expected a day",
        ),
        (
            '[{"document": "d", "by": "N", "when": "2026-11-18", "why": "x"}]',
            "text: expected one of text, start with end",
        ),
        (
            '[{"document": "d", "by": "N", "when": "2026-11-18", "why": "x", "start": 4, "end": 2}]',
            "start: expected start",
        ),
        ('[{"document": "d", "by": "N", "when": "2026-11-18", "why": "x", "digest": "12"}]', "digest: expected 64"),
        *(
            (
                f'[{{"document": "d", "by": "N", "when": "{day}", "why": "x", "text": "Doe"}}]',
                f"entry 1: when: found '{day}'; expected a day, as 2026-11-18",
            )
            for day in ("2025-W47-3", "2025W473", "20251118", "2025-11-18T09:00", " 2025-11-18", "2025-02-30")
        ),
        (
            '[{"document": "d", "by": "N", "when": "2999-01-01", "why": "x", "text": "Doe"}]',
            "entry 1: when: found '2999-01-01'; expected a day that is not in the future",
        ),
        *(
            (
                json.dumps([{"document": "d", "by": by, "when": "2025-11-18", "why": "x", "text": "Doe"}]),
                "entry 1: by: is empty; expected who accepted it",
            )
            for by in ("\u200b\u200b", "\ufeff", "\u00ad \u2060", "\u3164", "\u2800", "\u202e\ufe0f", "\u0007")
        ),
        (
            '[{"document": "d", "by": "N", "when": "2026-11-18", "why": "x", "text": "Doe", "age": 3}]',
            "unknown key age",
        ),
    ],
)
def test_a_list_that_says_too_little_is_refused(tmp_path: Path, content: str, says: str) -> None:
    (tmp_path / "list.json").write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_accepted(tmp_path / "list.json")
    assert says in str(error.value)
    assert str(error.value).startswith(f"{tmp_path / 'list.json'}: ")
    assert len(str(error.value).splitlines()) == 1


def test_a_day_has_come_as_soon_as_it_has_begun_anywhere(tmp_path: Path) -> None:
    """Somebody in the east may accept in the morning what a machine in the west checks on the evening before."""
    first = datetime.now(timezone(timedelta(hours=14))).date()
    for days, refused in ((0, False), (-1, False), (2, True)):
        day = (first + timedelta(days)).isoformat()
        (tmp_path / "list.csv").write_text(f"document,text,by,when,why\nd,Doe,N,{day},x\n")
        if refused:
            with pytest.raises(InputError, match="not in the future"):
                read_accepted(tmp_path / "list.csv")
        else:
            assert read_accepted(tmp_path / "list.csv").reviewers == ("N",)


def test_an_entry_on_a_document_without_text_says_why_it_fits_nothing(one_left: Run) -> None:
    """A run without text, or of so many documents that it keeps some of them, cannot tell what was accepted."""
    listed = Accepted((entry(letters()[7], text=letters()[7].name),), "a.json")
    (note,) = decide(replace(one_left, texts=None), accepted=listed).notes
    assert note == "a.json, entry 1 (document letter-007) counts for nothing: the run keeps no text of that document"
    assert one_left.texts is not None
    fewer = replace(one_left.texts, documents=[], masks={"tool": []}, free=[], chosen="riskiest")
    assert decide(replace(one_left, texts=fewer), accepted=listed).notes == (note,)
    stranger = Accepted((entry(letters()[7], text="Nobody"),), "a.json")
    (other,) = decide(one_left, accepted=stranger).notes
    assert other.endswith("fits nothing that can be read there")


def test_three_longer_texts_are_named_by_their_places() -> None:
    """Four marks hold the word and more; the one that is the word alone, and the one of another person, do not."""
    text = "Jo Doe, Al Doe, Bo Doe, Cy Doe, Doe, Jo Roe"
    places = [(0, 6), (8, 14), (16, 22), (24, 30), (32, 35), (37, 43)]
    marks = tuple(Mention(start, end, "PERSON", "DIRECT") for start, end in places)
    document = Document("d", text, (Annotation("reader", marks),))
    run = cast("Run", SimpleNamespace(texts=SimpleNamespace(documents=[document]), documents=["d"]))
    listed = Accepted(
        tuple(AcceptedIdentifier("d", "Ann", "2026-11-18", "known", text=name) for name in ("doe", "Poe"))
    )
    longer, nowhere = describe_unused(run, listed, None)
    assert longer.endswith("; expected the longer text that was marked at 0–6, 8–14, 16–22")
    assert nowhere.endswith("entry 2 (document d) fits nothing that can be read there")


def test_who_was_chosen_goes_before_the_others() -> None:
    """Of two that leave nothing readable and one that leaves two names, the last was chosen."""
    made = letters(40)
    masks = {name: release(made, lambda at, one, names=names: one.masks[1:] if at < names else one.masks)
             for name, names in (("bad", 2), ("good", 0), ("fine", 0))}  # fmt: skip
    run = evaluate(corpus_of(made), masks, ["removed_di"], resamples=50)
    assert [one.candidate for one in rank(run, Gate(names=["bad"]))] == ["bad", "good", "fine"]
    assert [one.candidate for one in rank(run, Gate())][-1] == "bad"


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    """Nobody can say who accepted it."""
    path = tmp_path / "list.csv"
    path.write_text("document,text,by,by,when,why\nletter-007,Doe,A,B,2026-11-18,public\n")
    with pytest.raises(InputError, match=r"line 1: found two columns by; expected one"):
        read_accepted(path)


def test_the_gate_lets_pass_what_was_accepted(one_left: Run) -> None:
    name = letters()[7]
    (checked,) = check_run(one_left, Gate()).anonymizations
    readable = next(check for check in checked.checks if isinstance(check, ReadableCheck))
    assert (checked.status, readable.passed, readable.said) == (FAILED, False, "1 of 400 can be read")
    (checked,) = check_run(one_left, Gate(accepted=Accepted((entry(name, text=name.name),), "a.json"))).anonymizations
    readable = next(check for check in checked.checks if isinstance(check, ReadableCheck))
    assert (checked.status, readable.said) == (PASSED, "1 of 400 can be read; 1 of them accepted")
    only = check_run(one_left, Gate([Threshold("removed_di", "min", 0.9)], only=True))
    assert (only.status, only.anonymizations[0].state) == (PASSED, NEVER)  # who asks for less is told all the same
