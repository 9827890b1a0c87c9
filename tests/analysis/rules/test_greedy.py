"""What a list of rules says is what evaluating again gives, whatever is marked, masked and written."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    Mask,
    Mention,
    PlanError,
    evaluate,
    read_anonymization,
    read_corpus,
)
from showthrough.cli import demo_corpus as demo
from showthrough.run import documents
from showthrough.run.run import Run
from showthrough.studies.rules import Rule, Step, SystemScores, Weights, Worth, rules_worth, with_rules
from showthrough.studies.rules._workspace import MaskState, RuleCorpus
from showthrough.studies.rules.greedy import Prospects, propose_rules

PLAIN = ("er_di", "er_qi", "recall", "precision")
OTHERS = (
    ('er_di(replacements="trusted")', 'er_qi(replacements="trusted")', 'precision(unit="mention")'),
    (
        'er_qi(function_word_mentions="free")',
        'recall(unit="mention", function_word_mentions="free")',
        'precision(overlaps="each")',
    ),
    ('recall(ignorable="skip", function_words="none")', 'precision(unit="mention", overlaps="each")'),
    ("precision", 'recall(unit="entity")'),
)
WORDS = ("Ole", "Berg", "Oslo", "Court", "Mr", "of", "per", "1998", "12/98", "May", "東", "京", "3", "Ole-Berg", "—")
TYPES = ("PERSON", "PER", "LOC", "", "a|b_&\n")


def agrees(run: Run, corpus: Corpus, worth: Worth) -> None:
    """Every number of both lists, taken together and alone, against a new evaluation."""
    metrics = list(worth.metrics.values())
    name = worth.anonymization
    for steps in (worth.rules, worth.types):
        rules = [step.rule for step in steps]
        masked = [with_rules(run, name, rules[:place]) for place in range(len(rules) + 1)]
        alone = [with_rules(run, name, [rule]) for rule in rules]
        named = {str(place): Anonymization(one.masks) for place, one in enumerate([*masked, *alone])}
        again = evaluate(corpus, named, metrics, resamples=0)
        told = [worth.before, *(step.after for step in steps), *(step.alone for step in steps)]
        for place, numbers in enumerate(told):
            values = [again[str(place), metric].value for metric in metrics]
            assert values == pytest.approx([numbers.direct, numbers.quasi, numbers.recall, numbers.precision], abs=1e-9)
        for place, step in enumerate(steps):
            assert step.masks == count(masked[place + 1]) - count(masked[place])
        counted(again, worth, steps)


def counted(again: Run, worth: Worth, steps: Iterable[Step]) -> None:
    """Entities that a step hides are those that the metrics count."""
    for place, step in enumerate(steps):
        for metric, hidden in ((worth.metrics["direct"], step.direct), (worth.metrics["quasi"], step.quasi)):
            rows = again.rows[metric]
            assert hidden == sum(rows[str(place + 1)]["hidden"]) - sum(rows[str(place)]["hidden"])


def count(anonymization: Anonymization) -> int:
    return sum(map(len, anonymization.masks.values()))


@st.composite
def cases(draw: st.DrawFn, written: bool = True) -> tuple[Corpus, Anonymization]:
    laid, masks = [], {}
    for name in ("a", "b")[: draw(st.integers(1, 2))]:
        text = " ".join(draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9)))
        edges = sorted({0, len(text), *(place for place, sign in enumerate(text) if sign == " ")})
        at = st.sampled_from(edges) if draw(st.booleans()) else st.integers(0, len(text))

        def span(at: st.SearchStrategy[int] = at, text: str = text) -> tuple[int, int]:
            low, high = sorted((draw(at), draw(at)))
            low += low < len(text) and text[low] == " "
            return (low, high) if low < high else (0, len(text))

        layers = tuple(
            Annotation(
                who,
                tuple(
                    Mention(
                        *span(),
                        draw(st.sampled_from(TYPES)),
                        draw(st.sampled_from(["DIRECT", "QUASI", "NO_MASK"])),
                        draw(st.sampled_from(["", "e1", "e2"])),
                    )
                    for _ in range(draw(st.integers(0, 3)))
                ),
            )
            for who in ("x", "y", "z")[: draw(st.integers(int(name == "a"), 3))]
        )
        laid.append(Document(name, text, layers))
        writes = st.sampled_from([None, "", *WORDS, "Ole of Oslo", "Os"]) if written else st.none()
        masks[name] = [Mask(*span(), draw(writes)) for _ in range(draw(st.integers(0, 3)))]
    # Marks anywhere may look as if they counted something else; here they insist.
    return Corpus(laid, offsets="characters"), Anonymization(masks, "one", offsets="characters")


@settings(max_examples=30)
@given(cases(), st.sampled_from([PLAIN, *OTHERS]))
def test_numbers_are_those_of_evaluating_again(case: tuple[Corpus, Anonymization], metrics: tuple[str, ...]) -> None:
    corpus, anonymization = case
    run = evaluate(corpus, [anonymization], list(metrics), resamples=0)
    worth = rules_worth(run, "one", most=4)
    agrees(run, corpus, worth)
    assert all(metric in worth.metrics.values() for metric in metrics)  # the run's own, with their parameters


@settings(max_examples=40)
@given(cases(written=False))
def test_what_a_candidate_seems_to_win_it_wins(case: tuple[Corpus, Anonymization]) -> None:
    """Where nothing is written for masks, all candidates are worth what they were tried for."""
    corpus, anonymization = case
    run = evaluate(corpus, [anonymization], list(PLAIN), resamples=0)
    assert run.texts is not None
    ground = RuleCorpus(run, run.texts)
    standing = MaskState(ground, run.texts.masks["one"])
    leaking = np.flatnonzero(ground.asked & (standing.readable_counts > 0))
    rules, places = propose_rules(ground, standing, leaking)
    gains = Prospects(ground, places, leaking, len(rules)).gains(standing, Weights())
    for number, rule in enumerate(rules):
        own = places.of_rule(number)
        then = standing.add_masks(own[standing.find_unmasked(own)])
        assert then.numbers.direct_hidden - standing.numbers.direct_hidden == gains.direct[number], rule
        assert then.numbers.quasi_hidden - standing.numbers.quasi_hidden == gains.quasi[number], rule
        now_left = (then.readable_counts[ground.asked] > 0).sum()
        assert (standing.readable_counts[ground.asked] > 0).sum() - now_left == gains.mentions[number], rule


def one(text: str, mentions: Iterable[Mention], *masks: Mask, metrics: Iterable[str] = PLAIN) -> Run:
    corpus = Corpus([Document("d", text, (Annotation("a", tuple(mentions)),))])
    return evaluate(corpus, {"one": Anonymization({"d": list(masks)})}, list(metrics), resamples=0)


def test_a_year_by_hand() -> None:
    """Two of four quasi-identifiers are hidden by masking two years of three, of which one was not marked."""
    #       0         1         2         3         4
    #       0123456789012345678901234567890123456789012345678
    text = "Born 1951 in Oslo; 1977 was cold; moved 1978 to X"
    marks = [Mention(5, 9, "DATETIME", "QUASI", "1"), Mention(13, 17, "LOC", "QUASI", "2")]
    marks += [Mention(40, 44, "DATETIME", "QUASI", "3"), Mention(48, 49, "LOC", "QUASI", "4")]
    run = one(text, marks, Mask(48, 49))
    worth = rules_worth(run, "one", most=1, weights=Weights(precision=0.0))
    step = worth.rules[0]
    assert step.rule == Rule("pattern", "years")
    assert (step.masks, step.documents, step.direct, step.quasi) == (3, 1, 0, 2)
    assert worth.before == SystemScores(None, 1 / 4, 1 / 4, 1.0, 0, 1)
    assert (
        step.after == step.alone == SystemScores(None, 3 / 4, 3 / 4, 3 / 4, 0, 3)
    )  # X and two years of four masked words


def test_a_rule_that_costs_more_than_it_wins_is_not_taken() -> None:
    """Masking "may" hides the month, and eight words that nobody marked."""
    text = "may " * 9
    run = one(text, [Mention(0, 3, "DATETIME", "QUASI", "1"), Mention(0, 7, "DATETIME", "NO_MASK", "2")])
    assert [step.quasi for step in rules_worth(run, "one").rules] == [1]  # 0.3 + 0.03 won, 0.3 · 8/9 lost
    assert rules_worth(run, "one", weights=Weights(precision=0.4)).rules == ()  # 0.33 won, 0.4 · 8/9 lost


def test_two_rules_for_one_entity_are_both_found() -> None:
    """Neither name hides the person alone; the first is taken for the mention that it hides."""
    text = "Ole came. Berg left."
    run = one(text, [Mention(0, 3, "PERSON", "DIRECT", "1"), Mention(10, 14, "PERSON", "DIRECT", "1")])
    worth = rules_worth(run, "one")
    assert [(step.direct, step.after.direct) for step in worth.rules] == [(0, 0.0), (1, 1.0)]
    assert {step.rule.text for step in worth.rules} == {"Ole", "Berg"}
    assert [(step.rule.name, step.direct) for step in worth.types] == [("PERSON", 1)]


def test_a_word_that_a_replacement_says_again_is_no_gain() -> None:
    text = "Ole Berg left"
    run = one(text, [Mention(0, 8, "PERSON", "DIRECT", "1")], Mask(0, 8, "Ole Dahl"))
    worth = rules_worth(run, "one")
    assert (worth.leaking, worth.repeated, worth.rules, worth.types) == (1, 1, (), ())


def test_a_mask_that_joins_another_is_read_with_what_it_says() -> None:
    """Masking "Berg Ole" joins the mask of Berg, for which Ole is written: Ole stays readable."""
    text = "Berg Ole left"
    run = one(text, [Mention(0, 8, "PERSON", "DIRECT", "1")], Mask(0, 4, "Ole"))
    worth = rules_worth(run, "one")
    assert [step.rule.text for step in worth.rules] == ["Ole"]  # alone it stands apart from that mask
    assert worth.rules[0].after.direct == 1.0
    assert worth.types == ()  # the whole name is one mask with the other


def test_a_type_masks_what_need_not_be_masked_too() -> None:
    text = "Ole met Ann"
    run = one(text, [Mention(0, 3, "PER", "DIRECT", "1"), Mention(8, 11, "PERSON", "NO_MASK", "2")])
    (step,) = rules_worth(run, "one").types
    assert (step.rule.name, step.masks, step.after.precision) == ("PERSON", 2, 0.5)


def test_metrics_that_cannot_be_made_of_the_texts_are_the_usual_ones() -> None:
    """The texts are kept as the first metric reads them; one that reads them otherwise is not what is told here."""
    run = one("Ole left", [Mention(0, 3)], metrics=["er_di", 'er_qi(function_words="none")'])
    assert rules_worth(run, "one").metrics == {
        "direct": "er_di", "quasi": "er_qi", "recall": "recall", "precision": "precision",
    }  # fmt: skip


@pytest.mark.parametrize("layers", [(), (Annotation("a"),), (Annotation("a"), Annotation("b"))])
def test_nothing_marked_is_no_rule(layers: tuple[Annotation, ...]) -> None:
    corpus = Corpus([Document("d", "Ole left", layers), Document("e", "—", layers)])
    run = evaluate(corpus, {"one": Anonymization({"d": [], "e": []})}, ["residual"], resamples=0)
    worth = rules_worth(run, "one")
    assert (worth.leaking, worth.rules, worth.types, worth.before) == (
        0,
        (),
        (),
        SystemScores(None, None, None, None, 0, 0),
    )


def test_a_run_without_text_says_what_to_do() -> None:
    run = one("Ole left", [Mention(0, 3)]).without_text()
    with pytest.raises(PlanError, match="without --without-text"):
        rules_worth(run, "one")


def test_an_unknown_name_is_told_with_the_names_there_are() -> None:
    with pytest.raises(PlanError, match="there are one"):
        rules_worth(one("Ole left", [Mention(0, 3)]), "two")


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule("type", "ORG"), "there are LOC"),
        (Rule("pattern", "yeers", "x"), "there are years"),
        (Rule("string"), "found no text"),
        (Rule("pattern", "before"), "found no text"),
    ],
)
def test_a_rule_that_says_nothing_here_is_refused(rule: Rule, message: str) -> None:
    with pytest.raises(PlanError, match=message):
        with_rules(one("Ole left", [Mention(0, 3, "LOC")]), "one", [rule])


def test_values_go_through_json_and_lose_their_words() -> None:
    run = one("Ole of Court Oslo", [Mention(0, 3, "PERSON"), Mention(13, 17, "LOC")])
    worth = rules_worth(run, "one")
    assert msgspec.json.decode(msgspec.json.encode(worth), type=Worth) == worth
    bare = worth.without_text()
    assert {step.rule.text for step in worth.rules} == {"Ole", "Oslo"}
    assert "Oslo" not in msgspec.json.encode(bare).decode()
    assert [step.after for step in bare.rules] == [step.after for step in worth.rules]


def test_of_documents_that_a_run_keeps_the_numbers_are_of_these(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two documents the one at more risk is kept: there nothing is hidden, in the run half is."""
    monkeypatch.setattr(documents, "MOST_DOCUMENTS", 1)
    corpus = Corpus([Document(name, "Ole left", (Annotation("a", (Mention(0, 3, "PERSON"),)),)) for name in "ab"])
    run = evaluate(corpus, {"one": Anonymization({"a": [Mask(0, 3)], "b": []})}, list(PLAIN), resamples=0)
    worth = rules_worth(run, "one")
    assert (worth.documents, worth.corpus, worth.whole) == (1, 2, False)
    assert (run["one", "er_qi"].value, worth.before.quasi, worth.rules[0].after.quasi) == (0.5, 0.0, 1.0)


def test_the_demo_to_the_last_digit() -> None:
    corpus = read_corpus(demo.corpus_path(), name="demo")
    found = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    run = evaluate(corpus, found, list(PLAIN), resamples=0)
    for name in found:
        worth = rules_worth(run, name)
        assert worth.rules
        assert worth.whole
        assert worth.before.direct == run[name, "er_di"].value
        agrees(run, corpus, worth)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["presidio", "manual_entity", "manual_intact", "presidio_gpt"])
def test_tab_to_the_last_digit(data: Path, name: str) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    masks = read_anonymization(data / f"tab/train_anonymizations/{name}.json", corpus, name=name)
    run = evaluate(corpus, [masks], list(PLAIN), resamples=0)
    agrees(run, corpus, rules_worth(run, name))
