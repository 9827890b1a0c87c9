"""Questions about authors: none of them is on both sides of what somebody learns from, and order tells nothing."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings, strategies as st

from showthrough import Corpus, Document
from showthrough.data.documents import Authorship
from showthrough.families.authorship.problems import Problems, problems_of

TEXTS = [f"text {number}" for number in range(12)]


@st.composite
def asking(draw: st.DrawFn) -> Corpus:
    """Problems that share texts and groups now and then."""
    truths = draw(st.sampled_from([[None], [True], [True, False], [True, False, None]]))
    documents = []
    for number in range(draw(st.integers(1, 12))):
        known = tuple(draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=2)))
        text = draw(st.sampled_from([*TEXTS, f"only {number}"]))
        question = Authorship(known, draw(st.sampled_from(truths)))
        documents.append(Document(f"d{number}", text, group=draw(st.sampled_from(["", "a", "b"])), authorship=question))
    return Corpus(documents)


@st.composite
def grouped(draw: st.DrawFn) -> Corpus:
    groups = draw(st.lists(st.sampled_from(["", "a", "b", "c", "d"]), min_size=1, max_size=14))
    return Corpus([Document(f"d{number}", f"text {number}", group=group) for number, group in enumerate(groups)])


def content(problems: Problems) -> set[tuple[object, ...]]:
    """All questions, whatever their order and however circles are numbered."""
    circles: dict[int, frozenset[str]] = {
        circle: frozenset(problems.ids[place] for place in problems.documents[problems.circles == circle])
        for circle in problems.circles.tolist()
    }
    each = zip(
        problems.documents.tolist(),
        problems.author_texts,
        problems.same,
        problems.counted,
        problems.circles.tolist(),
        strict=True,
    )
    return {(problems.ids[at], known, bool(same), bool(counts), circles[one]) for at, known, same, counts, one in each}


@settings(max_examples=100)
@given(asking() | grouped(), st.integers(0, 3))
def test_no_text_and_no_group_is_in_two_circles(corpus: Corpus, seed: int) -> None:
    problems = problems_of(corpus, 2, seed)
    by_id = {one.id: one for one in corpus}
    traces: dict[object, set[int]] = {}
    for place, question in enumerate(
        problems.questions({one.id: one.text for one in corpus}, np.arange(99)[: len(problems.same)])
    ):
        about = by_id[problems.ids[problems.documents[place]]]
        for trace in (question.text, *question.known, *([("group", about.group)] if about.group else [])):
            traces.setdefault(trace, set()).add(int(problems.circles[place]))
    assert all(len(circles) == 1 for circles in traces.values())


@settings(max_examples=60)
@given(asking() | grouped(), st.randoms(use_true_random=False))
def test_the_order_of_documents_changes_no_question(corpus: Corpus, random: object) -> None:
    turned = list(corpus)
    random.shuffle(turned)  # type: ignore[attr-defined]
    assert content(problems_of(Corpus(turned), 2, 0)) == content(problems_of(corpus, 2, 0))


@settings(max_examples=60)
@given(asking())
def test_what_documents_ask_is_asked_as_it_is(corpus: Corpus) -> None:
    problems = problems_of(corpus, 2, 0)
    told = [one for one in corpus if one.authorship and one.authorship.same is not None]
    asked = {one.id: one.authorship for one in told or corpus}
    counted = np.flatnonzero(problems.counted).tolist()
    assert sorted(problems.ids[problems.documents[place]] for place in counted) == sorted(asked)
    for place in counted:
        question = asked[problems.ids[problems.documents[place]]]
        assert question is not None
        assert problems.author_texts[place] == question.known
        assert problems.same[place] == (question.same is not False)
    assert not problems.same[~problems.counted].any()  # those that were made are about others
    assert problems.untold.sum() == (0 if told else len(asked))
    assert problems.alone.sum() == len(corpus) - len(asked)


def test_same_author_problems_are_put_to_others_in_pairs() -> None:
    """Each text and all known texts are in one question answered yes and in one answered no: neither tells alone."""
    corpus = Corpus([Document(f"d{at:02}", f"t{at}", authorship=Authorship((f"k{at}",))) for at in range(30)])
    problems = problems_of(corpus, 5, 0)
    for same in (True, False):
        which = problems.same == same
        assert sorted(problems.documents[which].tolist()) == list(range(30))
        assert sorted(known for known, one in zip(problems.author_texts, which, strict=True) if one) == sorted(
            (f"k{at}",) for at in range(30)
        )
    assert problems.authors == 30
    assert len(set(problems.circles.tolist())) == 15


def test_documents_of_groups_are_asked_about_their_own_author_and_another() -> None:
    groups = ["ann", "ann", "ann", "bob", "bob", "cem", ""]
    corpus = Corpus([Document(f"d{at}", f"t{at}", group=group) for at, group in enumerate(groups)])
    problems = problems_of(corpus, 1, 0)
    assert problems.alone.tolist() == [False] * 5 + [True] * 2  # cem and nobody wrote nothing else
    own = {0: {"t1", "t2"}, 1: {"t0", "t2"}, 2: {"t0", "t1"}, 3: {"t4"}, 4: {"t3"}}
    for at, known, same in zip(problems.documents.tolist(), problems.author_texts, problems.same, strict=True):
        others = {"t3", "t4"} if at < 3 else {"t0", "t1", "t2"}
        assert len(known) == 1
        assert known[0] in (own[at] if same else others)
    assert problems.counted.all()
    assert problems.same.sum() == 5
    assert len(problems.same) == 10


def test_more_texts_of_an_author_are_known_where_more_are_asked_for() -> None:
    corpus = Corpus([Document(f"d{at}", f"t{at}", group="ab"[at % 2]) for at in range(12)])
    for known in (1, 3, 9):
        assert {len(each) for each in problems_of(corpus, known, 0).author_texts} <= {known, 5, 6}
        assert max(len(each) for each in problems_of(corpus, known, 0).author_texts) == min(known, 6)
