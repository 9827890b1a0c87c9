"""What a guesser by frequency recovers, counted by hand."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, PlanError, Run, evaluate
from showthrough.data.labels import Labels
from showthrough.families.reconstruction.slots import targets_of, way_of
from showthrough.metrics.released_text import ReleasedText
from showthrough.report.evidence import evidence
from showthrough.report.verdict import verdict
from showthrough.run.gate.state import decide

VISITS = {
    "a": "Ann saw Oslo", "b": "In Oslo we met", "c": "Off to Oslo, all of us", "d": "Rome was hot",
    "e": "Nobody left Rome",
}  # fmt: skip


def document(key: str, text: str, *marks: tuple[str, str, str], group: str = "") -> Document:
    """A text with what annotators marked: words, type and identifier."""
    mentions = [
        Mention(text.index(words), text.index(words) + len(words), kind, identifier)  # type: ignore[arg-type]
        for words, kind, identifier in marks
    ]
    return Document(key, text, (Annotation("us", tuple(mentions)),), group=group)


def visits() -> Corpus:
    towns = {key: "Oslo" if "Oslo" in text else "Rome" for key, text in VISITS.items()}
    return Corpus([document(key, text, (towns[key], "LOC", "QUASI")) for key, text in VISITS.items()])


def written(corpus: Corpus, replacement: str | None) -> Anonymization:
    marks = {one.id: one.annotations[0].mentions for one in corpus}
    return Anonymization({key: [Mask(mark.start, mark.end, replacement) for mark in own] for key, own in marks.items()})


def values(run: Run, name: str = "x") -> Mapping[str, float | None]:
    return {score.part: score.value for score in run.scores if score.anonymization == name}


def test_the_most_frequent_value_of_other_documents_is_the_first_guess() -> None:
    found = values(evaluate(visits(), {"x": written(visits(), "[LOC]")}, metrics=["recover"]))
    # a: Oslo 2, Rome 2 in the others; equally many go by name, so Oslo, which is right; so are b and c. d and e: Oslo.
    assert found[""] == 3 / 5
    assert (found["exact"], found["top-5"], found["exact-5"]) == (3 / 5, 1.0, 1.0)
    assert found["top-1:LOC"] == found["top-1:(quasi)"] == found["top-1:(labelled)"] == 3 / 5
    assert (found["control"], found["risk"]) == (3 / 5, 0.0)  # there is one type: a label tells nothing


def test_a_label_tells_the_type_and_stars_the_length() -> None:
    corpus = Corpus([
        document("a", "Oslo, said Ann", ("Oslo", "LOC", "QUASI"), ("Ann", "PERSON", "DIRECT")),
        document("b", "So Ann saw Oslo", ("Oslo", "LOC", "QUASI"), ("Ann", "PERSON", "DIRECT")),
        document("c", "Ann, dear Ann of Oslo", ("Oslo", "LOC", "QUASI"), ("Ann", "PERSON", "DIRECT")),
    ])  # fmt: skip
    masks = {
        "labels": Anonymization({"a": [Mask(0, 4, "<LOC>"), Mask(11, 14, "<PERSON>")], "b": [], "c": []}),
        "stars": Anonymization({"a": [Mask(0, 4, "****"), Mask(11, 14, "***")], "b": [], "c": []}),
        "nothing": Anonymization({"a": [Mask(0, 4), Mask(11, 14)], "b": [], "c": []}),
    }
    run = evaluate(corpus, masks, metrics=["recover"])
    assert values(run, "labels")[""] == values(run, "stars")[""] == 1.0  # of each type, and of each length, one value
    assert values(run, "nothing")[""] == 1 / 2  # Ann and Oslo are equally frequent: Ann goes first, for both
    assert values(run, "labels")["control"] == 1 / 2
    assert values(run, "labels")["risk"] == 1.0  # (1 − 1/2) / (1 − 1/2)
    assert values(run, "nothing")["risk"] == 0.0
    assert values(run, "labels")["top-1:(direct)"] == 1.0
    assert "words" not in values(run, "labels")  # it reads no text


def test_values_of_the_same_person_do_not_count() -> None:
    texts = {"a": "Ann saw Oslo", "b": "In Oslo we met", "c": "Rome was hot"}
    towns = {"a": "Oslo", "b": "Oslo", "c": "Rome"}
    corpus = Corpus(
        [
            document(key, text, (towns[key], "LOC", "QUASI"), group=key if key == "c" else "x")
            for key, text in texts.items()
        ]
    )
    assert values(evaluate(corpus, {"x": written(corpus, "[LOC]")}, metrics=["recover"]))["top-5"] == 0.0


def test_what_reads_the_same_is_recovered_and_not_exact() -> None:
    corpus = Corpus(
        [
            document("a", "Ann saw OSLO", ("OSLO", "LOC", "QUASI")),
            document("b", "In Oslo we met", ("Oslo", "LOC", "QUASI")),
        ]
    )
    found = values(evaluate(corpus, {"x": written(corpus, None)}, metrics=["recover"]))
    assert (found[""], found["exact"]) == (1.0, 0.5)  # of two spellings that are equally frequent OSLO goes first


def test_where_nothing_is_masked_nothing_can_be_recovered() -> None:
    run = evaluate(visits(), {"x": Anonymization({key: [] for key in VISITS})}, metrics=["recover"])
    score = run["x", "recover"]
    assert (score.value, score.reason) == (None, "no mask hides a mention that has to be masked")
    assert all(value is None for value in values(run).values())


def test_what_need_not_be_masked_does_not_count() -> None:
    corpus = Corpus([document("a", "Ann saw Oslo", ("Oslo", "LOC", "NO_MASK"))])
    assert evaluate(corpus, {"x": written(corpus, "[LOC]")}, metrics=["recover"])["x", "recover"].value is None


def test_evidence_says_what_was_guessed_and_goes_without_text() -> None:
    run = evaluate(visits(), {"x": written(visits(), "[LOC]")}, metrics=["recover"])
    [shown] = run.evidence["recover"]["x"]["a"].inferred
    assert (shown.true, shown.guess, shown.rank, shown.tag) == ("Oslo", "Oslo", 1, "LOC")
    assert (shown.start, shown.end, shown.original) == (8, 13, (8, 12))  # [LOC] stands where Oslo stood
    assert shown.words == [("[LOC]", 0.5)]  # Oslo is one of two values in the other documents, seen in 2 of 4
    assert run.without_text().evidence["recover"]["x"] == {}


def test_readers_hear_that_a_weak_guesser_says_little() -> None:
    run = evaluate(visits(), {"x": written(visits(), "[LOC]")}, metrics=["recover"])
    assert any("a reader of the text may recover more" in note for note in run.notes)
    sentence = "".join(map(str, verdict(run).systems[0].sentence))
    assert sentence.startswith(
        "lets the guesser frequency recover 60.0 % of what stood under its masks (60.0 % without"
    )
    [line] = [item for item in evidence(run, decide(run)) if item.title == "Reconstruction"]
    assert (line.state, line.notion) == ("weak", "reconstruction")


@pytest.mark.parametrize(
    ("written_instead", "hidden", "way"),
    [
        ("", "Oslo", "suppressed"), ("   ", "Oslo", "suppressed"), ("XXXX", "Oslo", "suppressed"),
        ("[LOC]", "Oslo", "labelled"), ("LOC", "Oslo", "labelled"), ("[NOBODY_KNOWS]", "Oslo", "labelled"),
        ("[LOC_3]", "Oslo", "numbered"), ("LOC3", "Oslo", "numbered"),
        ("Rome", "Oslo", "surrogate"), ("1984", "1985", "surrogate"), ("ROE", "DOE", "surrogate"),
        ("Norway", "Oslo", "generalized"), ("1980s", "1985", "generalized"), ("May 2019", "5 May 2019", "generalized"),
    ],
)  # fmt: skip
def test_ways_of_replacing_are_told_apart(written_instead: str, hidden: str, way: str) -> None:
    assert way_of(written_instead, hidden, Labels(["LOC"]))[0] == way


def test_what_annotators_mark_differently_is_one_question() -> None:
    text = "Mr John Doe left"
    layers = (
        Annotation("one", (Mention(3, 11, "PERSON", "DIRECT"),)),
        Annotation("two", (Mention(0, 11, "PERSON", "QUASI"), Mention(3, 7, "PERSON", "QUASI"))),
    )
    released = ReleasedText.of(text, [Mask(0, 11, "[PERSON]")])
    [target] = targets_of(Document("a", text, layers), released, Labels(["PERSON"]))
    assert (target.text, target.identifier) == ("Mr John Doe", "DIRECT")
    assert target.exact == {"Mr John Doe", "John Doe", "John"}


def test_parts_of_a_mention_that_stay_are_not_asked_for() -> None:
    marked = document("a", "John Henry Doe left", ("John Henry Doe", "PERSON", "DIRECT"))
    released = ReleasedText.of(marked.text, [Mask(0, 4, "[A]"), Mask(11, 14, "[B]")])
    assert [target.text for target in targets_of(marked, released, Labels([]))] == ["John", "Doe"]


def test_what_a_mask_itself_says_is_not_hidden() -> None:
    marked = document("a", "Ann left", ("Ann", "PERSON", "DIRECT"))
    assert targets_of(marked, ReleasedText.of(marked.text, [Mask(0, 3, "dear ann")]), Labels([])) == []


def test_a_name_of_no_guesser_is_refused() -> None:
    with pytest.raises(PlanError, match="expected frequency, masked-lm:MODEL or llm:MODEL"):
        evaluate(visits(), {"x": written(visits(), None)}, metrics=['recover(guesser="crystal ball")'])
