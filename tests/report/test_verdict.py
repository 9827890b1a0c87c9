"""What follows from the numbers, and nothing else: worked by hand."""

from __future__ import annotations

from io import StringIO

import msgspec
import pytest
from rich.console import Console

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.data.provenance import Provenance
from showthrough.report.findings import findings
from showthrough.report.summary import in_words, show_verdict
from showthrough.report.verdict import verdict
from showthrough.run.records import Evidence, Failure
from showthrough.run.thresholds import Threshold
from situations import corpus_of, letters, release

TEXT = "Ole Berg, file 77/12, of Oslo came home"
MARKS = (
    Mention(0, 8, "PERSON", "DIRECT", "e1"),
    Mention(15, 20, "CODE", "DIRECT", "e2"),
    Mention(25, 29, "LOC", "QUASI", "e3"),
)


def text_of(number: int) -> str:
    """Everybody has a name and a file number of their own, as long as those of `TEXT`."""
    last = chr(ord("A") + number // 26) + "e" + chr(ord("a") + number % 26) + "k"
    return f"{TEXT.replace('Berg', last).replace('77/12', f'{number:02}/{99 - number:02}')} {number}"


NAME, CODE, TOWN, REST = Mask(0, 8), Mask(15, 20), Mask(25, 29), Mask(30, 39)


def run_of(documents: int = 100, **masks: list[Mask]) -> Run:
    marks = (Annotation("a", MARKS),)
    corpus = Corpus([Document(f"d{number:03}", text_of(number), marks) for number in range(documents)])
    given = {name: Anonymization({one.id: list(own) for one in corpus}) for name, own in masks.items()}
    return evaluate(corpus, given, ["er_di", "er_qi", "precision"])


def told(run: Run) -> str:
    screen = Console(record=True, width=100, file=StringIO())
    show_verdict(verdict(run), screen)
    return screen.export_text()


def test_a_name_that_must_be_escaped_cuts_no_number() -> None:
    """Escaped, it is four times as long: with it the sentence does not fit into one line."""
    name = "\x1b" * 8
    text = " ".join(told(run_of(**{name: [NAME, TOWN]})).split())
    escaped = name.encode("unicode_escape").decode()
    assert f"{escaped} does not meet all thresholds." in text
    assert "It misses er_di ≥ 0.95 (0.500)." in text
    assert "\x1b" not in text


def test_a_number_is_told_on_its_side_of_the_limit() -> None:
    """With three digits it would miss 0.95 with 0.950."""
    run = run_of(nearly=[NAME, CODE, TOWN])
    run.scores = [msgspec.structs.replace(one, value=0.94996) if one.metric == "er_di" else one for one in run.scores]
    assert verdict(run).recommendation.endswith("It misses er_di ≥ 0.95 (0.94996).")
    assert "misses er_di ≥ 0.95 (0.94996)" in told(run)


def test_what_failed_recommends_nothing() -> None:
    run = run_of(good=[NAME, CODE, TOWN])
    rows = {text: rows for text, rows in run.rows.items() if text != "er_di"}
    scores = [score for score in run.scores if score.metric != "er_di"]
    failed = msgspec.structs.replace(run, rows=rows, scores=scores, failures=[Failure("er_di", "it broke")])
    assert verdict(failed).recommendation == ("good cannot be judged: a number that a threshold needs is missing.")


def test_one_that_meets_them_is_told_with_what_that_leaves_open() -> None:
    """100 of 100 hidden: the interval starts at 0.05 ** (1 / 100) = 0.9705, above 0.95."""
    run = run_of(good=[NAME, CODE, TOWN], bad=[NAME])
    assert verdict(run).recommendation == (
        "good meets all thresholds. That is no proof that a release is safe: no attack was made."
    )
    assert [one.grade for one in verdict(run).systems] == ["met", "missed"]


def test_a_model_that_was_trained_on_the_documents_never_meets_them_without_a_word_of_it() -> None:
    run = run_of(good=[NAME, CODE, TOWN], bad=[NAME])
    learned = Provenance(anonymizer="crf/", version=1, trained_on="train@0a", seen=60)
    run.anonymizations = [msgspec.structs.replace(one, made=learned) for one in run.anonymizations]
    assert verdict(run).recommendation == (
        "good meets all thresholds. That is no proof that a release is safe: good was trained on 60 of these 100 "
        "documents, and no attack was made."
    )
    run.anonymizations = run.anonymizations[1:]
    assert verdict(run).recommendation.endswith("But bad was trained on 60 of these 100 documents.")


def test_of_two_that_meet_them_the_better_one_is_named_where_a_test_shows_it() -> None:
    """All mask what is marked; `greedy` also two words more of each document, `sparing` of every other one."""
    marked = [NAME, CODE, TOWN]
    corpus = Corpus([Document(f"d{number:03}", text_of(number), (Annotation("a", MARKS),)) for number in range(100)])
    every = {one.id: [*marked, REST] for one in corpus}
    some = {one.id: [*marked, *([REST] if number % 2 else [])] for number, one in enumerate(corpus)}
    masks = {"greedy": Anonymization(every), "sparing": Anonymization(some)}
    run = evaluate(corpus, masks, ["er_di", "er_qi", "precision"])
    text = verdict(run).recommendation
    assert text.startswith("greedy and sparing meet all thresholds. Of these, sparing keeps most use (Masked words")
    alike = run_of(one=[NAME, CODE, TOWN], two=[NAME, CODE, TOWN])
    assert "No test shows which of these keeps most use (Masked words that were marked, precision)." in (
        verdict(alike).recommendation
    )


def test_one_that_leaves_a_name_readable_is_never_the_one_to_choose() -> None:
    """`leaky` is within its limits: 399 of 400 hidden, and 0.988 at worst. `good` also masks a word of each letter."""
    made = letters()
    leaky = release(made, lambda at, one: one.masks[1:] if at == 7 else one.masks)
    good = release(made, lambda at, one: [*one.masks, Mask(*one.span("wrote"))])
    both = evaluate(corpus_of(made), {"leaky": leaky, "good": good}, ["removed_di", "precision"], resamples=200)
    assert [one.grade for one in verdict(both).systems] == ["met", "met"]
    assert verdict(both).recommendation.startswith("good meets the threshold. That is no proof")
    assert "leaky" not in verdict(both).recommendation
    assert verdict(both).state.startswith(
        "No objection found. What was tested found nothing against the best candidate."
    )
    assert verdict(both).state.endswith(" The best of 2 by these checks is good.")
    alone = evaluate(corpus_of(made), {"leaky": leaky}, ["removed_di", "precision"], resamples=200)
    assert verdict(alone).recommendation == "leaky meets the threshold, but something else speaks against a release."
    assert verdict(alone).state == (
        "Do not release. In “leaky”, 1 of 400 direct identifiers can still be read, in 1 of 200 documents."
    )


def test_few_documents_are_never_enough() -> None:
    """20 of 20 hidden: 0.05 ** (1 / 20) = 0.861, below 0.95. 0.05 ** (1 / 59) = 0.9505: 59 would do."""
    run = run_of(20, good=[NAME, CODE, TOWN])
    assert verdict(run).recommendation.startswith(
        "good meets all thresholds in these documents, but may not in others (good may miss er_di ≥ "
        "0.95: 0.861 cannot be ruled out): score more documents before deciding; 39 more documents without a leak "
        "would be enough."
    )


def test_none_is_recommended_where_none_is_good_enough() -> None:
    """`names` hides 100 of 200 direct and no quasi-identifiers, `codes` also the towns: it misses one threshold."""
    run = run_of(names=[NAME], codes=[CODE, TOWN])
    assert verdict(run).recommendation == (
        "None of the 2 meets all thresholds. codes comes closest. It misses er_di ≥ 0.95 (0.500)."
    )
    alone = run_of(names=[NAME])
    assert verdict(alone).recommendation == (
        "names does not meet all thresholds. It misses er_di ≥ 0.95 (0.500) and er_qi ≥ 0.95 (0.000)."
    )


def test_more_documents_make_no_interval_where_there_is_none() -> None:
    run = run_of(good=[NAME, CODE, TOWN])
    bare = [msgspec.structs.replace(one, low=None, high=None) if one.metric == "er_qi" else one for one in run.scores]
    assert (
        "but may not in others (er_qi ≥ 0.95 of good: it has no interval): look at other documents too"
        in verdict(msgspec.structs.replace(run, scores=bare)).recommendation
    )


def test_a_number_is_told_on_the_side_of_its_threshold_where_it_lies() -> None:
    """0.94996 misses 0.95, and must not be told as 0.950."""
    run = run_of(good=[NAME, CODE, TOWN])
    near = [
        msgspec.structs.replace(one, value=0.94996, low=0.9, high=0.97)
        if (one.anonymization, one.metric) == ("good", "er_di")
        else one
        for one in run.scores
    ]
    run = msgspec.structs.replace(run, scores=near)
    assert verdict(run).recommendation.endswith("It misses er_di ≥ 0.95 (0.94996).")
    assert "good misses er_di ≥ 0.95 (0.94996)" in told(run)


def test_thresholds_that_were_set_decide() -> None:
    """Half of the direct identifiers are hidden, which is enough here; nobody asked for quasi-identifiers."""
    run = run_of(names=[NAME])
    run.thresholds = [Threshold("er_di", "min", 0.3)]
    assert verdict(run).recommendation.startswith(
        "names meets all thresholds that count, but something else speaks against a release. Usual thresholds that are "
        "not met, though nobody set them: er_qi ≥ 0.95"
    )
    assert "Usual thresholds that nobody set: er_qi ≥ 0.95." in told(run)
    run.thresholds = [Threshold("er_qi", "min", 0.0)]
    assert verdict(run).recommendation.endswith("It misses er_di ≥ 0.95 (0.500).")  # which is grave, whoever asked
    run.thresholds = [Threshold("er_di", "min", 0.3), Threshold("er_qi", "min", 0.0)]
    assert verdict(run).recommendation == "names meets all thresholds, but something else speaks against a release."
    assert "The thresholds are the usual ones" not in told(run)
    run.thresholds = []
    assert "The thresholds are the usual ones" in told(run)


def test_what_leaks_most_comes_first_with_what_a_fix_would_win() -> None:
    """Each of 100 documents: a code of two direct identifiers, and the town, can be read."""
    first, second = findings(run_of(names=[NAME]))
    assert in_words(first) == (
        "names leaves 100 direct identifiers readable: codes such as case numbers (CODE), in 100 of 100 "
        "documents (d000 (1), d001 (1), d002 (1) and 97 more); hiding all of them would bring er_di from 0.500 "
        "to 1.000."
    )
    assert in_words(second).startswith("names leaves 100 indirect identifiers readable: places (LOC), in 100 of 100")


def test_what_nobody_marked_ranks_below_a_direct_identifier() -> None:
    """The town is masked once and readable once in all documents, the code is readable in half of them."""
    text = f"{TEXT} to Oslo"
    corpus = Corpus([Document(f"d{number}", text, (Annotation("a", MARKS),)) for number in range(4)])
    masks = {f"d{number}": [NAME, TOWN, *([CODE] if number % 2 else [])] for number in range(4)}
    first, second = findings(evaluate(corpus, {"one": Anonymization(masks)}, ["er_di", "inconsistent"]))
    assert (first.what.split(" readable")[0], second.what.split(" in ")[0]) == (
        "leaves 2 direct identifiers", "masks 4 strings",
    )  # fmt: skip


def test_whom_an_attack_finds_and_by_which_words(demo_attacked: Run) -> None:
    found = next(one for one in findings(demo_attacked) if one.name == "ner" and one.words)
    assert found.what == "lets an attack (trir) find the person of 41 of 42 documents"
    assert found.where.startswith("most certain: ")
    assert not any(word in in_words(found) for word in found.words)  # ids are told on the terminal, words are not


def test_of_an_interrupted_run_nothing_is_said() -> None:
    run = msgspec.structs.replace(run_of(names=[NAME]), complete=False, scores=[])
    assert verdict(run).recommendation == ""
    assert verdict(run).findings == []
    assert told(run).strip() == "Not enough evidence. The evaluation was interrupted: nothing can be said yet."


def test_no_number_is_no_pass() -> None:
    corpus = Corpus([Document("d", "It rained", (Annotation("a", ()),))])
    run = evaluate(corpus, {"one": Anonymization({"d": []})}, ["er_di"])
    assert verdict(run).recommendation == ("one cannot be judged: a number that a threshold needs is missing.")
    assert "not judged by er_di ≥ 0.95 (no annotator marked an entity of this kind)" in told(run)


@pytest.fixture(scope="module")
def demo_attacked() -> Run:
    from showthrough.cli import demo_corpus as demo
    from showthrough.formats import read_anonymization, read_corpus
    from showthrough.formats.people.background import read_background

    corpus = read_corpus(demo.corpus_path(), name="demo")
    path = demo.anonymization_paths()["ner"]
    masks = {"ner": read_anonymization(path, corpus, name="ner")}
    return evaluate(corpus, masks, ["er_di", "trir"], background=read_background(demo.background_path()), resamples=0)


def test_evidence_without_words_names_none(demo_attacked: Run) -> None:
    bare = demo_attacked.without_text()
    assert all(not one.words for one in findings(bare))
    assert isinstance(next(iter(bare.evidence["trir"]["ner"].values())), Evidence)
