"""Safety: what it counts, what it needs, what it says where it cannot say a number, and how sure it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    PlanError,
    Run,
    Safety,
    evaluate,
    parse_metric,
    train_verifier,
)
from showthrough.data.documents import Authorship
from showthrough.data.references import EVERYTHING, NOTHING
from showthrough.data.text_anonymizations import Rewriting
from showthrough.families.authorship.verifiers.base import Question
from showthrough.metrics import HEADLINE, metric_text
from verifiers.conftest import problems as habits

ANSWERS = 'safety(verifier="answers")'
SHARED = 'safety(verifier="shared")'


@dataclass(frozen=True)
class Shared:
    """Says one author where a text and the known ones share so many of their words; no answer exactly between."""

    name: str = "shared"
    version: int = 1
    figures: Any = None

    def answers(self, questions: Sequence[Question]) -> list[float]:
        found = []
        for one in questions:
            words, known = set(one.text.split()), set(" ".join(one.known).split())
            found.append(len(words & known) / len(words) if words else 0.0)
        return found


class Yes(Shared):
    """Whose c@1 is 1 where all are by the same author."""

    def answers(self, questions: Sequence[Question]) -> list[float]:
        return [0.9] * len(questions)


def problems(count: int, truth: Sequence[bool | None] = (None,)) -> Corpus:
    """The author of each says a word of his own; where the truth says no, somebody else's."""
    documents = []
    for number in range(count):
        same = truth[number % len(truth)]
        said = f"word{number}" if same is not False else "else"
        known = Authorship((f"word{number} more", f"word{number}"), same)
        documents.append(Document(f"d{number:02}", f"{said} {said}", authorship=known))
    return Corpus(documents)


def masked(corpus: Corpus, ids: Sequence[str]) -> Anonymization:
    """Nothing to recognise is left in these."""
    return Anonymization({one.id: [Mask(0, len(one.text), "x y")] if one.id in ids else [] for one in corpus})


def values(run: Run, name: str, metric: str) -> dict[str, float | None]:
    return {part: score.value for part, score in run.parts(name, metric).items()}


def reasons(run: Run, name: str, metric: str) -> dict[str, str]:
    return {part: score.reason for part, score in run.parts(name, metric).items() if score.value is None}


def answered(before: Sequence[float], after: Sequence[float], truth: Sequence[bool | None] = (None,)) -> Run:
    """A run with such answers about the originals and about what became of them."""
    corpus = problems(len(before), truth)
    given = {"original": dict(zip(corpus.ids, before, strict=True)), "A": dict(zip(corpus.ids, after, strict=True))}
    return evaluate(corpus, {"A": masked(corpus, [])}, [ANSWERS], answers=given, resamples=50)


# What it counts.


def test_values_by_hand() -> None:
    """Five problems, all by the same author: 3 found before, of which one is denied now and one left open."""
    run = answered([0.9, 0.8, 0.7, 0.2, 0.5], [0.9, 0.3, 0.5, 0.6, 0.1])
    found = values(run, "A", ANSWERS)
    assert found["before:answers"] == pytest.approx((3 + 1 * 3 / 5) / 5)
    assert found["c@1:answers"] == found[HEADLINE] == pytest.approx((2 + 1 * 2 / 5) / 5)
    assert found["lost:answers"] == pytest.approx(1 / 3)  # left open is not denied
    squared = [0.1**2, 0.7**2, 0.5**2, 0.4**2, 0.9**2]
    assert found["brier:answers"] == pytest.approx(1 - sum(squared) / 5)


def test_values_by_hand_with_both_kinds_of_problems() -> None:
    """Same, different, same, different: of the same one is found, of the different one is taken for the same."""
    found = values(answered([0.9, 0.1, 0.8, 0.2], [0.9, 0.7, 0.4, 0.2], [True, False]), "A", ANSWERS)
    assert found == {
        HEADLINE: 0.5, "c@1:answers": 0.5, "before:answers": 1.0, "lost:answers": 0.5,
        "auc:answers": 3 / 4,  # 0.9 is above 0.7 and 0.2, 0.4 above 0.2
        "f0.5u:answers": pytest.approx(1.25 / (1.25 + 0.25 + 1)), "f1:answers": 0.5,
        "brier:answers": pytest.approx(1 - (0.01 + 0.49 + 0.36 + 0.04) / 4),
        "overall:answers": pytest.approx((3 / 4 + 0.5 + 0.5 + 0.5 + 0.775) / 5),
        "told:answers": 0.5, "false:answers": 0.5,
    }  # fmt: skip


def test_the_best_verifier_is_the_headline() -> None:
    corpus = problems(4)
    given = {
        "weak": {"original": dict.fromkeys(corpus.ids, 0.9), "A": dict.fromkeys(corpus.ids, 0.1)},
        "strong": {"original": dict.fromkeys(corpus.ids, 0.9), "A": dict.fromkeys(corpus.ids, 0.8)},
    }
    run = evaluate(corpus, {"A": masked(corpus, [])}, ['safety(verifier="weak, strong")'], answers=given)
    found = values(run, "A", 'safety(verifier="weak, strong")')
    assert (found["c@1:weak"], found["c@1:strong"], found[HEADLINE]) == (0, 1, 1)
    assert (found["lost:weak"], found["lost:strong"]) == (1, 0)


def test_what_was_handed_in_is_what_verifiers_read() -> None:
    corpus = problems(3)
    passages = {one.id: [Mask(0, len(one.text), one.text)] for one in corpus}
    written = Rewriting(passages, "A", written=dict.fromkeys(corpus.ids, "nothing of it"))
    run = evaluate(corpus, [written], [SHARED], verifiers=[Shared()])
    assert values(run, "A", SHARED)["c@1:shared"] == 0
    assert values(run, "A", SHARED)["before:shared"] == 1


def test_false_alarms_are_those_on_masked_texts_of_others() -> None:
    """Where all are by the same author, known texts of others are put beside each text."""
    corpus = problems(6)
    run = evaluate(corpus, {"A": Anonymization({key: [] for key in corpus.ids})}, [SHARED], verifiers=[Shared()])
    found = values(run, "A", SHARED)
    assert (found["c@1:shared"], found["false:shared"], found["told:shared"]) == (1, 0, 1)

    run = evaluate(corpus, {"A": masked(corpus, corpus.ids)}, [SHARED], verifiers=[Yes()])
    found = values(run, "A", SHARED)
    assert (found["c@1:shared"], found["false:shared"], found["told:shared"]) == (1, 1, 0.5)


def test_of_a_text_without_a_word_nobody_is_asked() -> None:
    corpus = problems(4)
    empty = Anonymization({key: [Mask(0, 11, "*" * at)] for at, key in enumerate(corpus.ids)})
    run = evaluate(corpus, {"A": empty}, [SHARED], verifiers=[Yes()])
    found = values(run, "A", SHARED)
    assert (found["c@1:shared"], found["before:shared"], found["false:shared"], found["told:shared"]) == (0, 1, 0, 0.5)
    assert run.rows[SHARED]["A"]["answer:shared"] == [0.5] * 4
    assert run[EVERYTHING, SHARED].value == 0


def test_groups_are_asked_about_as_authors() -> None:
    """Masks of all names leave every word else: who is known by these is known as before."""
    groups = {"ann": ("oak", 3), "bob": ("elm", 2), "cem": ("fir", 1)}
    documents = [
        Document(f"{author}{at}", f"{tree} {tree} {author}", group=author)
        for author, (tree, count) in groups.items()
        for at in range(count)
    ]
    corpus = Corpus(documents)
    names = Anonymization({one.id: [Mask(8, 11)] for one in documents})
    words = Anonymization({one.id: [Mask(0, 7)] for one in documents})
    run = evaluate(corpus, {"names": names, "words": words}, [SHARED], verifiers=[Shared()])
    found = values(run, "names", SHARED)
    assert found[HEADLINE] == found["before:shared"] == found["auc:shared"] == 1
    assert (found["lost:shared"], found["false:shared"]) == (0, 0)
    assert values(run, "words", SHARED)[HEADLINE] == 1  # the name is left, and gives them away
    assert run.rows[SHARED]["names"]["problems:shared"] == [2, 2, 2, 2, 2, 0]
    assert any("1 of 6 documents do not count in safety" in note for note in run.notes)


# What it refuses, and what it says.


def test_documents_that_ask_nothing_and_have_no_group_are_refused() -> None:
    for groups in (["", ""], ["a", "b"]):
        corpus = Corpus([Document(f"d{at}", "text", group=group) for at, group in enumerate(groups)])
        with pytest.raises(InputError, match="no document says what else its author wrote"):
            evaluate(corpus, {"A": Anonymization({})}, ["safety"], missing="unmasked")


def test_answers_cannot_be_about_groups() -> None:
    corpus = Corpus([Document(f"d{at}", f"text {at}", group="a") for at in range(2)])
    answers = dict.fromkeys(corpus.ids, 0.7)
    with pytest.raises(InputError, match="no document asks who wrote it"):
        evaluate(corpus, {"A": masked(corpus, [])}, [ANSWERS], answers={"original": answers, "A": answers})


@pytest.mark.parametrize("text", ["safety(known=0)", "safety(known=1001)", "safety(seed=-1)", 'safety(learner="?")'])
def test_parameters_out_of_range_are_told(text: str) -> None:
    with pytest.raises(PlanError, match=r"expected|there are"):
        parse_metric(text)


def test_names_are_written_one_way() -> None:
    assert metric_text(Safety(verifier=" b,a ,b,")) == 'safety(verifier="b, a")'
    assert Safety(verifier="b,a") == Safety(verifier="b, a")


def test_what_is_undefined_says_why() -> None:
    why = reasons(answered([0.1, 0.2], [0.9, 0.9]), "A", ANSWERS)
    both = "it needs problems by the same author and by different authors, and these are all of one kind"
    assert why == {
        "lost:answers": "it found no author before masking",
        **dict.fromkeys(("auc:answers", "f0.5u:answers", "f1:answers", "overall:answers"), both),
        **dict.fromkeys(("told:answers", "false:answers"), "it was not asked about both the right author and others"),
    }


def test_where_nothing_is_answered_f1_says_so() -> None:
    why = reasons(answered([0.9, 0.1], [0.5, 0.5], [True, False]), "A", ANSWERS)
    assert sorted(why) == ["f1:answers", "overall:answers"]
    assert all(reason.startswith("no problem was answered that F1 counts") for reason in why.values())


def test_the_signature_says_by_what_is_learned() -> None:
    corpus = problems(3)
    run = evaluate(corpus, {"A": masked(corpus, [])}, ["safety", SHARED], verifiers=[Shared()])
    assert "|adaptive:v1/10 folds/glad.v2|verifiers:shared@v1|" in run["A", "safety"].signature
    assert "adaptive" not in run["A", SHARED].signature


def test_few_authors_are_not_learned_from_and_that_is_said() -> None:
    corpus = problems(19)
    run = evaluate(corpus, {"A": masked(corpus, ["d03"])}, ["safety"], verifiers=[Shared()])
    found = values(run, "A", "safety")
    assert found[HEADLINE] == found["c@1:shared"] == pytest.approx(18 / 19)
    assert reasons(run, "A", "safety")["c@1:adaptive"].startswith("it was not trained: it needs at least 20 authors")
    assert any(note.startswith("no verifier learned from masked texts") for note in run.notes)


def test_what_a_reader_must_know_is_said() -> None:
    corpus = problems(4)
    empty = Anonymization({key: [Mask(0, len(one.text), ["", "x", "?!", "y"][at])] for at, (key, one) in
                           enumerate(zip(corpus.ids, corpus, strict=True))})  # fmt: skip
    verifier = Shared(figures={"held_out_authors": {"false_alarms": 0.234}})
    notes = evaluate(corpus, {"A": empty}, [SHARED], verifiers=[verifier]).notes
    assert any("a verifier that always says yes would have a c@1 of 1" in note for note in notes)
    assert any("took this share of other authors for the right one: shared 23%" in note for note in notes)
    assert any("A: 2 of 4 released texts have no word" in note for note in notes)
    told = evaluate(problems(4, [True]), {"A": empty}, [SHARED], verifiers=[verifier]).notes
    assert not any("always says yes" in note for note in told)


def test_texts_unlike_all_that_a_verifier_learned_from_are_told() -> None:
    """A verifier whom such texts confuse denies everybody, and that hides nobody."""
    glad, corpus = train_verifier(habits(40), folds=2), habits(20, apart=200)
    flat = {one.id: re.sub(r"[\W_]+", " ", one.text).lower() for one in corpus}
    metric = 'safety(verifier="glad")'
    texts = {"as it was": {one.id: one.text for one in corpus}, "flat": flat}
    whole = {
        name: {key: [Mask(0, len(one.text), each[key])] for key, one in zip(corpus.ids, corpus, strict=True)}
        for name, each in texts.items()
    }
    run = evaluate(corpus, {name: Anonymization(each) for name, each in whole.items()}, [metric], verifiers=[glad])
    (note,) = [note for note in run.notes if "unlike everything" in note]
    assert note.startswith("flat: 20 of 20 problems are unlike everything that the verifier glad learned from (")
    assert "sentence length unknown 20" in note
    assert note.endswith("are extrapolated: a low c@1 is no evidence that authors are hidden")
    assert not any("outside" in column for column in run.rows[metric]["as it was"])


def test_problems_without_truth_count_nowhere_where_others_have_it() -> None:
    run = answered([0.9, 0.9, 0.9], [0.9, 0.1, 0.1], [True, None, False])
    assert run.rows[ANSWERS]["A"]["problems:answers"] == [1, 0, 1]
    assert values(run, "A", ANSWERS)[HEADLINE] == 1
    assert any("1 of 3 documents do not count" in note for note in run.notes)


def test_references_are_scored_where_somebody_knows_the_answers() -> None:
    corpus = problems(4)
    given = {name: dict.fromkeys(corpus.ids, 0.9) for name in ("original", "A")}
    run = evaluate(corpus, {"A": masked(corpus, [])}, ["safety", ANSWERS], answers=given, verifiers=[Shared()])
    by = {(one.anonymization, one.metric, one.part): one.value for one in run.scores}
    assert by[NOTHING, ANSWERS, "c@1:answers"] == 1
    assert (EVERYTHING, ANSWERS, "c@1:answers") not in by  # nobody was asked
    assert by[EVERYTHING, "safety", "c@1:shared"] == 0
    assert by[NOTHING, "safety", "lost:shared"] == 0


# What must always hold.


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[float], list[float], list[bool | None]]:
    count = draw(st.integers(1, 8))
    answers = st.lists(st.sampled_from([0.0, 0.2, 0.5, 0.7, 1.0]), min_size=count, max_size=count)
    truth = draw(st.sampled_from([[None], [True], [True, False], [False]]))
    return draw(answers), draw(answers), [truth[at % len(truth)] for at in range(count)]


@settings(max_examples=25, deadline=None)
@given(cases())
def test_every_part_is_a_share_and_the_headline_the_largest(case: tuple[Any, Any, Any]) -> None:
    run = answered(*case)
    for part, score in run.parts("A", ANSWERS).items():
        assert score.value is None or 0 <= score.value <= 1, part
        assert (score.value is None) == bool(score.reason)


@settings(max_examples=15, deadline=None)
@given(cases(), st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_nothing(case: tuple[Any, Any, Any], random: Any) -> None:
    rows = list(range(len(case[0])))
    corpus = problems(len(rows), case[2])
    random.shuffle(rows)
    turned = Corpus([list(corpus)[at] for at in rows])
    given = {
        name: dict(zip(corpus.ids, answers, strict=True))
        for name, answers in zip(("original", "A"), case[:2], strict=True)
    }
    found = [
        values(evaluate(one, {"A": masked(one, [])}, [ANSWERS], answers=given, resamples=0), "A", ANSWERS)
        for one in (corpus, turned)
    ]
    assert found[0] == pytest.approx(found[1], nan_ok=True)


@settings(max_examples=15, deadline=None)
@given(cases())
def test_the_same_answers_lose_nobody_and_no_answer_at_all_tells_nobody(case: tuple[Any, Any, Any]) -> None:
    before, _, truth = case
    same = values(answered(before, before, truth), "A", ANSWERS)
    assert same["lost:answers"] in (0, None)
    assert same["c@1:answers"] == same["before:answers"]
    open_ = values(answered(before, [0.5] * len(before), truth), "A", ANSWERS)
    assert open_["c@1:answers"] == open_[HEADLINE] == 0
    assert open_["lost:answers"] in (0, None)
