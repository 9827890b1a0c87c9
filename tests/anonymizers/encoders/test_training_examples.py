"""What a transformer learns from: labels of tokens, copies, windows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import PlanError
from showthrough.data.documents import Annotation, Corpus, Document, Identifier, Mention
from showthrough.models.settings import ModelSettings
from showthrough.systems.encoders._examples import IGNORED, check_documents, examples_of, labels_for, token_labels
from showthrough.systems.encoders._loading import ENCODER, Encoder, encoder_files, load_encoder

WORDS = np.array([(0, 3), (4, 8), (9, 12), (13, 17), (17, 18)])  # "Ann Mary Lee left."
NAMES = ["O", "B-LOC", "I-LOC", "B-PERSON", "I-PERSON"]
TYPED = {"LOC": 1, "PERSON": 3}


def labels(*mentions: Mention, numbers: dict[str, int] = TYPED) -> list[str]:
    found = token_labels(WORDS[:, 0], WORDS[:, 1], mentions, numbers)
    return [NAMES[number] for number in found]


def test_first_and_other_tokens_of_a_mention() -> None:
    assert labels(Mention(0, 8, "PERSON"), Mention(13, 17, "LOC")) == ["B-PERSON", "I-PERSON", "O", "B-LOC", "O"]


def test_mentions_side_by_side_begin_anew() -> None:
    assert labels(Mention(0, 3, "LOC"), Mention(4, 8, "LOC")) == ["B-LOC", "B-LOC", "O", "O", "O"]


def test_a_token_that_is_touched_is_to_be_masked() -> None:
    assert labels(Mention(6, 10, "LOC")) == ["O", "B-LOC", "I-LOC", "O", "O"]


def test_what_is_not_to_be_masked_is_outside() -> None:
    assert labels(Mention(0, 8, "LOC", "NO_MASK")) == ["O"] * 5


def test_of_mentions_that_overlap_all_is_masked() -> None:
    """The longer of those that start first has its tokens; the rest of the other one is the other one's."""
    assert labels(Mention(0, 3, "LOC"), Mention(0, 12, "PERSON")) == ["B-PERSON", "I-PERSON", "I-PERSON", "O", "O"]
    assert labels(Mention(0, 8, "LOC"), Mention(4, 17, "PERSON")) == ["B-LOC", "I-LOC", "B-PERSON", "I-PERSON", "O"]
    assert labels(Mention(0, 8, "LOC"), Mention(4, 17, "LOC")) == ["B-LOC", "I-LOC", "I-LOC", "I-LOC", "O"]


def test_one_type_for_all_where_types_are_not_learned() -> None:
    found = labels(Mention(0, 3, "PERSON"), Mention(4, 8, ""), numbers={"MASK": 1})
    assert found == ["B-LOC", "B-LOC", "O", "O", "O"]  # labels 1, whatever they are called


@st.composite
def marked_tokens(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, list[Mention]]:
    lengths = draw(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 4)), min_size=1, max_size=20))
    ends = np.cumsum([gap + length for gap, length in lengths])
    starts = ends - [length for _, length in lengths]
    spans = st.tuples(st.integers(0, 30), st.integers(1, 20), st.sampled_from(["A", "B"]))
    levels: st.SearchStrategy[Identifier] = st.sampled_from(["DIRECT", "QUASI", "NO_MASK"])
    made = draw(st.lists(st.tuples(spans, levels), max_size=6))
    return starts, ends, [Mention(start, start + size, kind, level) for (start, size, kind), level in made]


@given(marked_tokens())
def test_every_token_that_a_mention_touches_is_labelled_and_no_other(
    case: tuple[np.ndarray, np.ndarray, list[Mention]],
) -> None:
    starts, ends, mentions = case
    found = token_labels(starts, ends, mentions, {"A": 1, "B": 3})
    to_mask = [one for one in mentions if one.identifier != "NO_MASK"]
    touched = [
        any(one.start < end and start < one.end for one in to_mask) for start, end in zip(starts, ends, strict=True)
    ]
    assert (found > 0).tolist() == touched
    inside = (found == 2) | (found == 4)
    before = np.append(0, found[:-1])
    assert ((before == found) | (before == found - 1))[inside].all()  # nothing goes on that did not begin


def loaded(folder: Path, corpus: Corpus, types: bool = False) -> Encoder:
    settings = ModelSettings(device="cpu")
    return load_encoder("tiny", encoder_files(str(folder), ENCODER), settings, ENCODER, labels_for(corpus, types))


def test_every_annotator_has_a_copy(untrained: Path, hearings: Corpus) -> None:
    """Two layers of a document are learned from, each with its own marks; not a program's beside them, nor what nobody
    marked."""
    first = hearings.documents[0]
    marks = first.annotations[0].mentions
    twice = Document(
        "twice", first.text, (Annotation("all", marks), Annotation("one", marks[:1]), Annotation("silver(rules)"))
    )
    corpus = Corpus([twice, hearings.documents[1], Document("unread", first.text)])
    encoder = loaded(untrained, corpus)
    examples = examples_of(corpus, encoder, 64, 62)
    assert len(examples) == 3
    masked = [int((examples.learned(number) == 1).sum()) for number in range(3)]
    assert masked == [len(marks), 1, len(hearings.documents[1].annotations[0].mentions)]


def test_every_token_is_learned_once_in_every_copy(untrained: Path, hearings: Corpus) -> None:
    encoder = loaded(untrained, hearings)
    examples = examples_of(hearings, encoder, 16, 9)
    assert len(examples) > 2 * len(hearings)
    pieces = encoder.pieces([one.text for one in hearings])
    learned = [
        place for number in range(len(examples)) for place in range(examples.first[number], examples.last[number])
    ]
    assert sorted(learned) == list(range(sum(len(one.ids) for one in pieces)))


def test_a_table_of_windows(untrained: Path, hearings: Corpus) -> None:
    encoder = loaded(untrained, hearings)
    examples = examples_of(hearings, encoder, 16, 9)
    last = int(np.argmin(examples.end - examples.begin))
    ids, read, found = examples.table([0, last], encoder.before, encoder.after, padding=0)
    assert ids.shape == read.shape == found.shape == (2, 16)
    assert (ids[0, 0], ids[0, -1]) == (2, 3)
    assert ids[0, 1:-1].tolist() == encoder.pieces([hearings.documents[0].text])[0].ids[:14].tolist()
    decided = int(examples.last[0])
    assert found[0, 1 : decided + 1].tolist() == examples.learned(0).tolist()
    assert set(found[0, decided + 1 :]) == {found[0, 0]} == {IGNORED}
    assert (read[0] == 1).all()


def test_labels_of_types(hearings: Corpus) -> None:
    assert labels_for(hearings, types=True) == ("O", "B-LOC", "I-LOC", "B-PERSON", "I-PERSON")


UNMARKED = Document("a", "Mr Doe")
EMPTY = (Annotation("ann", (Mention(0, 6, "PERSON", "NO_MASK"),)),)


@pytest.mark.parametrize(
    ("documents", "fault"),
    [
        ([UNMARKED, Document("b", "Oslo")], "found no document with annotations"),
        ([UNMARKED, Document("b", "Ann Lee", EMPTY)], "found 1 document with annotations"),
        ([Document("a", "Mr Doe", EMPTY), Document("b", "Ann Lee", EMPTY)], "found no mention that is to be masked"),
    ],
)
def test_documents_that_nothing_can_be_learned_from(documents: list[Document], fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        check_documents(Corpus(documents))
