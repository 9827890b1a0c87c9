"""Labels of every scheme into masks."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.core.arrays import Floats32
from showthrough.core.errors import PlanError
from showthrough.data.masks import ScoredMask
from showthrough.models.segments import TokenPieces
from showthrough.systems.encoders._decoding import Decoder
from showthrough.systems.encoders._schemes import tagset

TEXT = "Ona Rask met Bo Lind in Oslo"
WORDS = [(0, 3), (4, 8), (9, 12), (13, 15), (16, 20), (21, 23), (24, 28)]


def pieces(places: Sequence[tuple[int, int]]) -> TokenPieces:
    table = np.array(places, dtype=np.int64).reshape(-1, 2)
    none = np.zeros(len(table), dtype=np.int64)
    return TokenPieces(none, table[:, 0], table[:, 1], none.astype(bool))


def sure(labels: Sequence[str], said: Sequence[str], much: float = 0.9) -> Floats32:
    table = np.full((len(said), len(labels)), (1 - much) / (len(labels) - 1), dtype=np.float32)
    table[np.arange(len(said)), [labels.index(one) for one in said]] = much
    return table


def masks(
    said: str, *, places: Sequence[tuple[int, int]] = WORDS, text: str = TEXT, **settings: str
) -> list[ScoredMask]:
    """What comes of a label for each token; all labels that occur are those of the model."""
    labels = sorted({"O", *said.split()})
    decoder = Decoder(tagset(labels, {}), **settings)  # type: ignore[arg-type]
    return decoder.masks(text, pieces(places), sure(labels, said.split()))


def spans(found: Sequence[ScoredMask], text: str = TEXT) -> list[tuple[str, str]]:
    return [(text[one.start : one.end], one.entity_type) for one in found]


PEOPLE = [("Ona Rask", "PER"), ("Bo Lind", "PER"), ("Oslo", "LOC")]


@pytest.mark.parametrize(
    "said",
    [
        "PER PER O PER PER O LOC",
        "I-PER I-PER O I-PER I-PER O I-LOC",
        "B-PER I-PER O B-PER I-PER O B-LOC",
        "I-PER E-PER O I-PER E-PER O E-LOC",
        "B-PER E-PER O B-PER E-PER O S-LOC",
        "B-PER L-PER O B-PER L-PER O U-LOC",
        "B_PER I_PER O B_PER I_PER O B_LOC",
        "PER-B PER-I O PER-B PER-I O LOC-B",
        "PER_B PER_E O PER_B PER_E O LOC_S",
        "b-PER i-PER O b-PER i-PER O b-LOC",
        "B:PER I:PER O B:PER I:PER O LOC",  # one type that is never two in a row has no tag
    ],
)
def test_every_scheme_says_the_same(said: str) -> None:
    assert spans(masks(said)) == PEOPLE


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("I-PER I-PER B-PER I-PER", ["Ona Rask", "met Bo"]),  # IOB1: B only between two
        ("B-PER I-PER B-PER I-PER", ["Ona Rask", "met Bo"]),
        ("I-PER E-PER I-PER I-PER", ["Ona Rask", "met Bo"]),  # IOE1: E only between two
        ("S-PER S-PER B-PER E-PER", ["Ona", "Rask", "met Bo"]),
        ("U-PER I-PER B-PER L-PER", ["Ona", "Rask", "met Bo"]),  # broken: an I after a U
        ("B-PER I-LOC I-LOC B-PER", ["Ona", "Rask met", "Bo"]),  # another type starts
        ("O I-PER O B-PER", ["Rask", "Bo"]),  # an I after an O starts
        ("B-PER O I-PER I-PER", ["Ona", "met Bo"]),
        ("PER PER LOC PER", ["Ona Rask", "met", "Bo"]),
        ("B I O B", ["Ona Rask", "Bo"]),
    ],
)
def test_where_mentions_start(said: str, found: list[str]) -> None:
    assert [text for text, _ in spans(masks(f"{said} O O O"))] == found


def test_types_that_look_like_tags() -> None:
    assert tagset(["O", "E_MAIL", "S-CODE"], {}).types == ("E_MAIL", "S-CODE")
    assert tagset(["O", "I-94", "NAME"], {}).types == ("94", "NAME")
    assert tagset(["O", "I-94", "NAME"], {}, "types").types == ("I-94", "NAME")
    assert tagset(["O", "B-E_MAIL", "I-E_MAIL"], {}).types == ("E_MAIL",)


def test_what_says_no_type_writes_a_mask() -> None:
    for said in ("B-MASK I-MASK O O O O O", "B I O O O O O"):
        (mask,) = masks(said)
        assert (mask.start, mask.end, mask.replacement, mask.entity_type) == (0, 8, "MASK", "")


NER = ["O", "B-PER", "I-PER", "B-MISC", "I-MISC"]


def test_maps() -> None:
    tags = tagset(NER, {"PER": "PERSON", "MISC": ""})
    assert (tags.types, tags.kind.tolist()) == (("PERSON",), [-1, 0, 0, -1, -1])
    assert tagset(NER, {"PER": "X", "MISC": "X"}).types == ("X",)
    assert tagset(NER, {"MISC": "O"}).types == ("PER",)
    numbered = tagset(["LABEL_0", "LABEL_1", "LABEL_2"], {"LABEL_0": "O", "LABEL_1": "B-PER", "LABEL_2": "I-PER"})
    assert (numbered.types, numbered.kind.tolist(), numbered.starts.tolist()) == (
        ("PER",),
        [-1, 0, 0],
        [False, True, False],
    )
    assert tagset(["no", "yes"], {"no": ""}).types == ("yes",)
    assert tagset(["[PAD]", "O", "PER"], {}).kind.tolist() == [-1, -1, 0]


@pytest.mark.parametrize(
    ("labels", "mapping", "fault"),
    [
        (
            ["LABEL_0", "LABEL_1"],
            {},
            r'does not name its labels \(LABEL_0, LABEL_1\); .*labels="LABEL_0=O,LABEL_1=PERSON"',
        ),
        (["LABEL_0", "LABEL_1"], {"PER": "PERSON"}, "does not name its labels"),
        (NER, {"PRE": "PERSON"}, "the model has no 'PRE'; did you mean PER.* there are: MISC, PER"),
        (NER, {"PER": "", "MISC": ""}, "leaves nothing of m to be masked"),
        (["O"], {}, "leaves nothing of m to be masked"),
        (["PER", "NONE"], {}, r"no label of m is O \(PER, NONE\), so all text would be masked"),
    ],
)
def test_labels_that_say_nothing(labels: list[str], mapping: dict[str, str], fault: str) -> None:
    with pytest.raises(PlanError, match=fault) as caught:
        tagset(labels, mapping, model="m")
    assert "\n" not in str(caught.value)


def test_a_word_is_masked_when_a_piece_of_it_is() -> None:
    split = [(0, 3), (4, 6), (6, 8), (9, 12)]
    assert spans(masks("B-PER O I-PER O", places=split)) == [("Ona Rask", "PER")]
    assert spans(masks("B-PER O B-PER O", places=split)) == [("Ona", "PER"), ("Rask", "PER")]
    assert spans(masks("B-PER I-PER B-LOC O", places=split)) == [("Ona Rask", "PER")]  # no second half of a word
    assert spans(masks("B-PER O I-PER O", places=split, words="first")) == [("Ona", "PER")]
    assert spans(masks("B-PER I-PER O O", places=split, words="first")) == [("Ona Rask", "PER")]
    assert spans(masks("B-PER O I-PER O", places=split, words="piece")) == [("Ona", "PER"), ("sk", "PER")]
    assert spans(masks("B-PER E-PER I-PER O", places=split)) == [("Ona Rask", "PER")]
    ended = "B-PER I-PER E-PER I-PER"  # a mention ends with the last piece of a word
    assert spans(masks(ended, places=split)) == [("Ona Rask", "PER"), ("met", "PER")]


def test_what_a_tokenizer_leaves_out_goes_with_its_word() -> None:
    text = "Cafe\u0301 Rask\u0301."  # the accents are no part of a token
    found = masks("B-PER O", places=[(6, 10), (11, 12)], text=text)
    assert spans(found, text) == [("Rask\u0301", "PER")]


def test_space_is_no_part_of_a_mask() -> None:
    places = [(0, 3), (3, 8), (8, 9), (9, 12)]  # with the space before each, and one that is nothing else
    assert spans(masks("B-PER I-PER O O", places=places)) == [("Ona Rask", "PER")]
    assert spans(masks("B-PER I-PER O I-PER", places=places)) == [("Ona Rask met", "PER")]


def test_scripts_without_spaces_are_masked_piece_by_piece() -> None:
    text = "東京のタナカさんは"
    places = [(n, n + 1) for n in range(len(text))]
    said = "B-LOC I-LOC O B-PER O O O O O"
    assert spans(masks(said, places=places, text=text), text) == [("東京", "LOC"), ("タナカ", "PER")]


def test_several_pieces_of_one_character() -> None:
    text = "a👍b"
    found = masks("O B-X O O", places=[(0, 1), (1, 2), (1, 2), (2, 3)], text=text, words="piece")
    assert spans(found, text) == [("👍", "X")]


def test_scores() -> None:
    labels = ["O", "B-PER", "I-PER"]
    table = np.array([[0.1, 0.8, 0.1], [0.4, 0.1, 0.5], [0.7, 0.2, 0.1]], dtype=np.float32)
    tags = tagset(labels, {})

    def found(**settings: object) -> list[tuple[int, int, float | None]]:
        made = Decoder(tags, **settings).masks(TEXT, pieces(WORDS[:3]), table)  # type: ignore[arg-type]
        return [(one.start, one.end, one.score) for one in made]

    assert found() == [(0, 8, pytest.approx(0.75))]  # (0.9 + 0.6) / 2
    assert found(scores="min") == [(0, 8, pytest.approx(0.6))]
    assert found(threshold=0.65) == [(0, 3, pytest.approx(0.9))]
    # From 0.3 on "met" goes too, which is more likely a B than an I.
    assert found(threshold=0.3) == [(0, 8, pytest.approx(0.75)), (9, 12, pytest.approx(0.3))]


def test_what_is_never_masked_counts_as_outside() -> None:
    """P(PER) is 0.3 and P(MISC) 0.5: with MISC left out, the rest is 0.7 and the word stays."""
    labels = ["O", "PER", "MISC"]
    table = np.array([[0.2, 0.3, 0.5]], dtype=np.float32)
    for threshold in (0.0, 0.31):
        assert Decoder(tagset(labels, {"MISC": ""}), threshold).masks(TEXT, pieces(WORDS[:1]), table) == []
    (kept,) = Decoder(tagset(labels, {"MISC": ""}), 0.29).masks(TEXT, pieces(WORDS[:1]), table)
    assert (kept.entity_type, kept.score) == ("PER", pytest.approx(0.3))


@given(
    text=st.text("abc é東タさ.👍\r\n\u0301", max_size=40),
    data=st.data(),
    words=st.sampled_from(["any", "first", "piece"]),
    threshold=st.sampled_from([0.0, 0.4]),
)
def test_whatever_a_model_says(text: str, data: st.DataObject, words: str, threshold: float) -> None:
    """Masks ascend, do not overlap, cover something that can be read, and with `any` all that was said."""
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))))
    places = list(pairwise(cuts))
    labels = ["O", "B-PER", "I-PER", "E-PER", "S-LOC"]
    said = data.draw(st.lists(st.sampled_from(labels), min_size=len(places), max_size=len(places)))
    decoder = Decoder(tagset(labels, {}), threshold, words)  # type: ignore[arg-type]
    found = decoder.masks(text, pieces(places), sure(labels, said).reshape(-1, len(labels)))
    edges = [edge for one in found for edge in (one.start, one.end)]
    assert edges == sorted(edges)
    assert all(one.start < one.end and 0 <= (one.score or 0) <= 1 for one in found)
    assert all(text[one.start : one.end].strip() for one in found)
    covered = {place for one in found for place in range(one.start, one.end)}
    asked = {place for span, label in zip(places, said, strict=True) if label != "O" for place in range(*span)}
    if words != "first":
        assert {place for place in asked if not text[place].isspace()} <= covered
    if words == "any":
        inside = {
            n for n in range(1, len(text)) if (text[n - 1] + text[n]).isalpha() and (text[n - 1] + text[n]).isascii()
        }
        assert not {n for n in inside if (n in covered) != (n - 1 in covered)}


# The types of openai/privacy-filter. Its configuration has O, then B, I, E and S of each.
PRIVACY_FILTER = (
    "account_number private_address private_date private_email private_person private_phone private_url secret"
)


def test_the_tags_of_openai_s_privacy_filter() -> None:
    """33 labels. Two mentions of one type side by side stay two, which types alone could not say."""
    labels = ["O", *(f"{tag}-{kind}" for kind in PRIVACY_FILTER.split() for tag in "BIES")]
    tags = tagset(labels, {})
    assert tags.types == tuple(PRIVACY_FILTER.split())
    assert tags.kind.tolist() == [-1, *(number for number in range(8) for _ in "BIES")]
    assert tags.starts.tolist() == [False, *[True, False, False, True] * 8]
    assert tags.ends.tolist() == [False, *[False, False, True, True] * 8]
    said = ["B-private_person", "E-private_person", "O", *["S-private_person"] * 2, "O", "S-private_address"]
    found = Decoder(tags).masks(TEXT, pieces(WORDS), sure(labels, said))
    assert spans(found) == [
        ("Ona Rask", "private_person"),
        ("Bo", "private_person"),
        ("Lind", "private_person"),
        ("Oslo", "private_address"),
    ]


def test_the_tags_of_piiranha() -> None:
    """It has an I for each type and nothing else, so neighbours of one type are one mention."""
    labels = ["I-CITY", "I-GIVENNAME", "I-SURNAME", "O"]
    said = ["I-GIVENNAME", "I-SURNAME", "O", "I-GIVENNAME", "I-GIVENNAME", "O", "I-CITY"]
    found = Decoder(tagset(labels, {})).masks(TEXT, pieces(WORDS), sure(labels, said))
    assert spans(found) == [("Ona", "GIVENNAME"), ("Rask", "SURNAME"), ("Bo Lind", "GIVENNAME"), ("Oslo", "CITY")]
