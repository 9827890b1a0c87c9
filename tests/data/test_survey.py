"""Surveys: what one look at all documents tells, and that those of parts are that of the whole."""

from __future__ import annotations

import hashlib
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough import Annotation, Corpus, Document, InputError, Mention
from showthrough.data.documents import Authorship, InferredMention, chunk_ranges
from showthrough.data.subjects import Attribute, Subject
from showthrough.data.survey import Survey

NAMES = st.sampled_from(["ann", "bob", "silver(x)"])
MENTIONS = st.builds(
    lambda kind, start, entity_type, level: kind(start, start + 1, entity_type, level),
    *(st.sampled_from([Mention, InferredMention]), st.integers(0, 2), st.sampled_from(["A", "B"])),
    st.sampled_from(["DIRECT", "QUASI"]),
)
PERSON = Subject("0", (Attribute("NAME", "Doe", 5, 1),))


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    return [
        Document(
            f"{draw(st.integers(0, 99))}-{number}",
            draw(st.text(alphabet="aé𝄞 ", min_size=3, max_size=9)),
            tuple(
                Annotation(name, tuple(draw(st.lists(MENTIONS, max_size=3))))
                for name in draw(st.lists(NAMES, max_size=3))
            ),
            group=draw(st.sampled_from(["", "", "g", "h"])),
            authorship=draw(st.sampled_from([None, Authorship(("x",), True)])),
            subjects=draw(st.sampled_from([(), (PERSON,)])),
        )
        for number in range(draw(st.integers(1, 9)))
    ]


def told(survey: Survey) -> dict[str, Any]:
    """All that a survey tells."""
    return {
        "ids": list(survey.ids), "lengths": survey.lengths.tolist(), "annotated": survey.annotated,
        "annotators": survey.annotators, "mentions": survey.mentions, "digest": survey.digest, "types": survey.types,
        "marked": {tuple(kind): many for kind, many in survey.marked.items()}, "groups": list(survey.groups),
        "silver": dict(survey.silver), "shared": list(survey.shared), "asked": survey.questions,
        "subjects": survey.subjects, "tags": survey.tags,
    }  # fmt: skip


def expected(documents: list[Document]) -> dict[str, Any]:
    """The same, found document by document with nothing but lists."""
    layers = [layer for one in documents for layer in one.annotations]
    mentions = [mention for layer in layers for mention in layer.mentions]
    groups = [one.group for one in documents]
    programs = Counter(layer.annotator for layer in layers if layer.annotator.startswith("silver("))
    digests = b"".join(sorted(one.digest() for one in documents))
    return {
        "ids": [one.id for one in documents], "lengths": [len(one.text) for one in documents],
        "annotated": sum(bool(one.annotations) for one in documents), "annotators": len(layers),
        "mentions": len(mentions), "digest": hashlib.blake2b(digests, digest_size=16).hexdigest(),
        "types": tuple(sorted({one.entity_type for one in mentions})),
        "marked": Counter((one.entity_type, one.identifier, type(one) is Mention) for one in mentions),
        "groups": groups if any(groups) else [], "silver": programs,
        "shared": [number for number, one in enumerate(documents) if len(one.readers) > 1],
        "asked": sum(one.authorship is not None for one in documents),
        "subjects": sum(len(one.subjects) for one in documents),
        "tags": ("NAME",) if any(one.subjects for one in documents) else (),
    }  # fmt: skip


@given(corpora(), st.data())
def test_surveys_of_parts_are_that_of_the_whole(documents: list[Document], data: st.DataObject) -> None:
    assert told(Corpus(documents).survey) == expected(documents)
    cuts = sorted(data.draw(st.lists(st.integers(1, len(documents) - 1), unique=True))) if len(documents) > 1 else []
    bounds = list(zip([0, *cuts], [*cuts, len(documents)], strict=True))
    parts = [pickle.loads(pickle.dumps(Corpus(documents[low:high]).survey)) for low, high in bounds]  # noqa: S301
    joined = Survey.merge(parts, [f"{number}.jsonl" for number in range(len(parts))])
    assert told(joined) == expected(documents)
    assert told(Survey.merge([joined, Corpus([Document("z", "z")]).survey], "ab")) == expected(
        [*documents, Document("z", "z")]
    )


def test_an_id_that_two_parts_have() -> None:
    parts = [Corpus([Document(one, "x") for one in ids]).survey for ids in ("ab", "cd", "ea")]
    with pytest.raises(InputError) as caught:
        Survey.merge(parts, ["one.jsonl", "two.jsonl", "three.jsonl"])
    assert str(caught.value) == "three.jsonl: document a: this id occurs in one.jsonl as well; expected unique ids"
    with pytest.raises(InputError, match=r"^c.jsonl: document a: this id occurs twice; expected unique ids$"):
        Survey.merge(parts, ["c.jsonl"] * 3)
    with pytest.raises(InputError, match="the corpus is empty"):
        Survey.merge([], [])


def test_what_is_wrong_is_told_in_the_order_of_the_documents() -> None:
    documents = [Document("a", "x"), Document("b", ""), Document("a", "y"), Document("c", "\ud800"), Document("a", "")]
    with pytest.raises(InputError) as caught:
        _ = Corpus(documents, source="c").survey
    assert [(one.place, one.message.split(";")[0]) for one in caught.value.problems] == [
        ("document b", "text is empty"),
        ("document a", "this id occurs twice"),
        ("document c", "holds half of a surrogate pair, which is no character"),
        ("document a", "text is empty"),
        ("document a", "this id occurs twice"),
    ]


@given(st.lists(st.integers(0, 50), min_size=1, max_size=60), st.integers(1, 60))
def test_stretches_of_documents(lengths: list[int], characters: int) -> None:
    """Each begins with the first document past so many characters, whatever is added up together."""
    before = np.cumsum([0, *(length + 1 for length in lengths)])[: len(lengths)] // characters
    starts = [number for number in range(len(lengths)) if not number or before[number] != before[number - 1]]
    wanted = [range(*pair) for pair in zip(starts, [*starts[1:], len(lengths)], strict=True)]
    for together in (1, 7, 1000):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("showthrough.data.documents._TOGETHER", together)
            assert list(chunk_ranges(np.array(lengths, dtype=np.int32), characters)) == wanted
    assert list(chunk_ranges(np.zeros(0, dtype=np.int32))) == []
