"""Training a tagger, keeping it, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from showthrough import Annotation, Corpus, Document, Mention, PlanError, ResourceError, evaluate, read_corpus
from showthrough.systems import anonymize, anonymizer
from showthrough.systems.rules import Rules
from showthrough.systems.taggers._examples import examples_of, folds_of
from showthrough.systems.taggers._labeller import Recipe
from showthrough.systems.taggers._thresholds import GRID, apply_threshold, best
from showthrough.systems.taggers.learners.base import TaggedSequence
from showthrough.systems.taggers.tagger import Tagger
from showthrough.systems.taggers.training import PRESETS, build_recipe, train_tagger

Records = Callable[[int, int], Corpus]
QUICK = Recipe(settings={"iterations": 25})


@pytest.fixture(scope="module")
def tagger(records: Records) -> Tagger:
    return train_tagger(records(24, 1), recipe=QUICK)


@pytest.fixture
def folder(tagger: Tagger, tmp_path: Path) -> Path:
    tagger.save(tmp_path / "crf")
    return tmp_path / "crf"


def corpus_of(*documents: Document) -> Corpus:
    return Corpus(documents, name="small")


def marked(name: str, *annotators: str, start: int = 0, end: int = 4) -> Document:
    layers = tuple(Annotation(one, (Mention(start, end, "NAME"),)) for one in annotators)
    return Document(name, f"Rask of {name} went home.", layers)


TWO = corpus_of(marked("1", "a"), marked("2", "a"))


def test_it_finds_in_new_records_what_it_learned_with_types_and_scores(tagger: Tagger, records: Records) -> None:
    others = records(10, 2)
    made = anonymize(others, tagger)
    run = evaluate(others, {"crf": made}, ["phi_strict", "recall", "precision"], references=False, resamples=0)
    assert (run["crf", "phi_strict"].value or 0) > 0.9
    assert (run["crf", "recall"].value or 0) > 0.95
    masks = [mask for each in made.masks.values() for mask in each]
    assert {mask.entity_type for mask in masks} == {"PATIENT", "DOCTOR", "CITY", "DATE"}
    assert all(mask.score is not None and tagger.threshold <= mask.score <= 1 for mask in masks)


def test_the_folder_masks_as_the_tagger_did_and_refuses_what_it_learned_from(
    tagger: Tagger, folder: Path, records: Records
) -> None:
    others = records(4, 3)
    loaded = anonymizer(f"{folder}/")
    assert dict(anonymize(others, loaded).masks) == dict(anonymize(others, tagger).masks)
    with pytest.raises(PlanError, match="was trained on 4 of these 4 documents"):
        anonymize(Corpus(list(records(24, 1))[:4]), loaded)
    assert {path.name for path in folder.iterdir()} == {"model.json", "crf.crfsuite", "learned.json"}
    assert set(loaded.pinned) == {"device", "libraries", "model"}  # type: ignore[attr-defined]
    assert "python-crfsuite" in loaded.pinned["libraries"]  # type: ignore[attr-defined]


def test_another_threshold_than_the_chosen_one_can_be_asked_for(folder: Path, records: Records) -> None:
    def covered(system: str) -> int:
        made = anonymize(records(6, 4), anonymizer(system))
        return sum(mask.end - mask.start for masks in made.masks.values() for mask in masks)

    low, high = (covered(f"trained:{folder}/(threshold={one})") for one in (0.001, 0.99))
    assert high < covered(f"{folder}/") < low
    with pytest.raises(PlanError, match="is no probability; expected 0 to 1"):
        anonymizer(f"trained:{folder}/(threshold=2.0)")


def test_training_again_gives_the_same_files(tagger: Tagger, folder: Path, records: Records, tmp_path: Path) -> None:
    train_tagger(records(24, 1), recipe=QUICK).save(tmp_path / "again")
    for name in ("crf.crfsuite", "learned.json"):
        assert (tmp_path / "again" / name).read_bytes() == (folder / name).read_bytes()
    cards = [json.loads((tmp_path / one / "model.json").read_bytes()) for one in ("again", "crf")]
    assert cards[0]["settings"] == cards[1]["settings"]


def test_workers_choose_the_same_threshold(tagger: Tagger, records: Records) -> None:
    assert train_tagger(records(24, 1), recipe=QUICK, jobs=2).figures["thresholds"] == tagger.figures["thresholds"]


def test_the_threshold_is_where_f_is_highest_on_records_that_were_held_out(tagger: Tagger) -> None:
    points = tagger.figures["thresholds"]
    assert [one["threshold"] for one in points] == list(GRID)
    assert max(one["f"] for one in points) == next(one["f"] for one in points if one["threshold"] == tagger.threshold)
    recalls = [one["recall"] for one in points]
    assert recalls == sorted(recalls, reverse=True)
    assert best([{"threshold": 0.1, "f": 0.5}, {"threshold": 0.2, "f": 0.5}]) == 0.1  # of equals what hides more


def test_records_of_one_patient_are_never_on_both_sides() -> None:
    documents = [replace_group(marked(str(number), "a", "b"), f"p{number // 3}") for number in range(12)]
    examples = examples_of(corpus_of(*documents))
    fold = folds_of(examples, 3, 0)
    sides: dict[str, set[int]] = {}
    for one, number in zip(examples, fold, strict=True):
        sides.setdefault(one.record, set()).add(number)
    assert len(examples) == 24
    assert len(sides) == 4
    assert all(len(each) == 1 for each in sides.values())
    assert len(set(fold)) == 3


def replace_group(document: Document, group: str) -> Document:
    return Document(document.id, document.text, document.annotations, group)


def test_what_is_hidden_is_decided_by_the_probability() -> None:
    answer = TaggedSequence(["O", "B-A", "O"], [0.6, 0.7, 0.9], [0.6, 0.3, 0.9], ["B-B", "B-A", "B-C"])
    assert apply_threshold(answer, 0.3)[0] == ["B-B", "B-A", "O"]
    assert apply_threshold(answer, 0.8)[0] == ["O", "O", "O"]


def test_what_a_threshold_adds_never_lengthens_what_is_sure() -> None:
    answer = TaggedSequence(["B-A", "O", "O", "O"], [0.9] * 4, [0.1, 0.7, 0.7, 0.99], ["B-A", "I-A", "I-A", "B-A"])
    assert apply_threshold(answer, 0.2)[0] == ["B-A", "B-A", "I-A", "O"]
    assert apply_threshold(answer, 0.5)[0] == ["B-A", "O", "O", "O"]


def test_every_annotator_is_a_copy_or_all_are_one_or_one_is_named() -> None:
    both = (Annotation("a", (Mention(0, 4, "NAME"),)), Annotation("b", (Mention(8, 9, "CITY"),)))
    corpus = corpus_of(Document("1", "Rask of X", both), Document("2", "Rask of Y", both))
    labels = [one.labels for one in examples_of(corpus)]
    assert labels[:2] == [["B-NAME", "O", "O"], ["O", "O", "B-CITY"]]
    assert [one.labels for one in examples_of(corpus, "union")] == [["B-NAME", "O", "B-CITY"]] * 2
    assert [one.labels for one in examples_of(corpus, "b")] == [["O", "O", "B-CITY"]] * 2


def test_people_are_learned_from_where_programs_marked_a_document_too() -> None:
    corpus = corpus_of(marked("1", "ann", "silver(rules)"), marked("2", "silver(rules)"))
    assert [one.silver for one in examples_of(corpus)] == [False, True]  # of the second there is nothing else


@pytest.mark.parametrize(
    ("corpus", "more", "fault"),
    [
        (corpus_of(Document("1", "Rask")), {}, "corpus small: has no annotations; expected documents in which"),
        (corpus_of(marked("1", "a")), {}, "corpus small: has one annotated document or group; expected at least two"),
        (
            corpus_of(Document("1", "x", (Annotation("a"),)), Document("2", "y", (Annotation("a"),))),
            {},
            "corpus small: has no mention that is to be masked; expected some that are DIRECT or QUASI",
        ),
        (
            TWO,
            {"annotators": "z"},
            "corpus small: has no layer of 'z'; there are: a",
        ),
        (
            TWO,
            {"learner": "oracle"},
            "unknown learner 'oracle'; there are: crf",
        ),
        (
            TWO,
            {"preset": "welner3"},
            "unknown preset 'welner3'; did you mean",
        ),
        (TWO, {"beta": 0}, "beta: found 0; expected a number above 0"),
        (TWO, {"threshold": 2}, "threshold: found 2; expected a number from"),
        (
            TWO,
            {"dev": corpus_of(marked("1", "a"))},
            "corpus small: has 1 documents that are trained on too; expected others to score on",
        ),
        (
            TWO,
            {"dev": corpus_of(Document("3", "Rask"))},
            "corpus small: has no annotations; expected documents to score on",
        ),
        (
            TWO,
            {"recipe": Recipe(settings={"colour": 1})},
            "the learner crf does not take these settings",
        ),
    ],
)
def test_what_cannot_be_trained_is_told_in_a_line(corpus: Corpus, more: dict[str, object], fault: str) -> None:
    with pytest.raises(PlanError) as raised:
        train_tagger(corpus, **more)  # type: ignore[arg-type]
    assert str(raised.value).startswith(fault)


@pytest.mark.parametrize("spoil", ["crf.crfsuite", "learned.json", "model.json"])
def test_a_folder_that_is_not_as_it_was_is_refused(folder: Path, records: Records, spoil: str) -> None:
    if spoil == "model.json":
        card = json.loads((folder / spoil).read_bytes())
        card["settings"]["recipe"]["unit"] = "page"
        (folder / spoil).write_text(json.dumps(card))
    else:
        (folder / spoil).write_bytes((folder / spoil).read_bytes()[:-5])
    with pytest.raises(ResourceError, match=r"is not as showthrough train wrote it .*; train it again"):
        anonymizer(f"{folder}/").masks(list(records(1, 5)))  # as `anonymize` calls it, without what it makes of faults


def test_a_learner_can_be_another_than_the_presets_and_features_are_switched_on_top() -> None:
    made = build_recipe("hmm", "wellner3", "-cues")
    assert (made.learner, made.features.cues, made.features.window) == ("hmm", 0, 3)
    assert build_recipe("", "wellner1").learner == "crf"


def test_masks_without_types_can_be_learned(records: Records) -> None:
    tagger = train_tagger(records(12, 1), recipe=QUICK, binary=True, threshold=0.5)
    assert tagger.types == ("MASK",)
    assert tagger.figures["thresholds"] == []


def test_a_second_pass_and_propagation_are_kept_in_the_folder(records: Records, tmp_path: Path) -> None:
    recipe = replace(PRESETS["aramaki1"], settings={"iterations": 20}, propagate=True)
    tagger = train_tagger(records(16, 1), recipe=recipe, threshold=0.5)
    tagger.save(tmp_path / "two")
    assert (tmp_path / "two" / "second-crf.crfsuite").is_file()
    others = list(records(5, 2))
    assert anonymizer(f"{tmp_path}/two/").masks(others) == tagger.masks(others)
    assert sum(map(len, tagger.masks(others))) > 15


def test_records_of_blanks_or_one_word_are_no_special_case(tagger: Tagger) -> None:
    assert tagger.masks([Document("a", " \n "), Document("b", "x")])[0] == []


@pytest.mark.slow
def test_real_cases_are_masked_better_than_by_rules(data: Path) -> None:
    documents = list(read_corpus(data / "tab" / "train_100.json"))
    short = sorted(documents, key=lambda one: len(one.text))[:40]
    seen, unseen = Corpus(short[::2], "seen"), Corpus(short[1::2], "unseen")
    tagger = train_tagger(seen, recipe=Recipe(settings={"iterations": 40}), threshold=0.1)
    systems = {"crf": anonymize(unseen, tagger), "rules": anonymize(unseen, Rules())}
    run = evaluate(unseen, systems, ["er_di", "er_qi", "precision"], references=False, resamples=0)
    score = {(system, name): run[system, name].value or 0 for system in systems for name in ("er_di", "er_qi")}
    assert score["crf", "er_di"] > 0.9
    assert score["crf", "er_qi"] > max(0.75, score["rules", "er_qi"])
    assert (run["crf", "precision"].value or 0) > 0.75
