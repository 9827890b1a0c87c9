"""Aligning a rewritten text: worked examples, properties that hold for any two texts, and real judgments."""

from __future__ import annotations

import json
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import example, given, strategies as st

from showthrough.data.alignment import align
from showthrough.data.masks import Mask, apply_masks

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]
DATA = os.environ.get("SHOWTHROUGH_DATA", "")


def masked(original: str, rewritten: str) -> list[tuple[str, str | None]]:
    """What is gone, and what stands there now."""
    return [(original[mask.start : mask.end], mask.replacement) for mask in align(original, rewritten)]


# What reads the same


@pytest.mark.parametrize(
    ("original", "rewritten"),
    [
        pytest.param("one\r\ntwo\r\n", "one\ntwo", id="line ends"),
        pytest.param("one two", "  one \t  two \n\n", id="added spaces"),
        pytest.param("one   two ", "one two", id="collapsed spaces"),
        pytest.param("one, two", "one , two", id="space before a comma"),
        pytest.param("some one", "someone", id="space inside a word"),
        pytest.param("\ufeffone", "one", id="byte order mark"),
        pytest.param("10\u00a0000\u202fkg", "10 000 kg", id="no-break spaces"),
        pytest.param("“it’s” – he said—so‑so", '"it\'s" - he said-so-so', id="quotes and dashes"),
        pytest.param("yes -- no", "yes — no", id="typed dash"),
        pytest.param("Çağlar Müller", unicodedata.normalize("NFD", "Çağlar Müller"), id="NFD"),
        pytest.param("한국어 문서", unicodedata.normalize("NFD", "한국어 문서"), id="NFD Hangul"),
        pytest.param("ﬁne … ½ m² №5 ＡＢＣ ｶﾞ", unicodedata.normalize("NFKC", "ﬁne … ½ m² №5 ＡＢＣ ｶﾞ"), id="NFKC"),
        pytest.param("นำ น้ำ", unicodedata.normalize("NFKC", "นำ น้ำ"), id="NFKC Thai"),
        pytest.param("co\u00adoperate", "cooperate", id="soft hyphen"),
        pytest.param("\u200fשלום\u200e ok", "שלום ok", id="direction marks"),
        pytest.param("❤️ love", "❤ love", id="variation selector"),
        pytest.param("", "", id="both empty"),
        pytest.param("", "something", id="empty original"),
        pytest.param(" \n", "", id="only white space"),
    ],
)
def test_no_mask_where_nothing_changed(original: str, rewritten: str) -> None:
    assert align(original, rewritten) == []
    if original:
        assert align(rewritten, original) == []


# What was changed


@pytest.mark.parametrize(
    ("original", "rewritten", "expected"),
    [
        pytest.param("Mr John Doe of Oslo", "Mr  of CITY", [("John Doe", None), ("Oslo", "CITY")], id="both ways"),
        pytest.param("on 30 May 1996 in", "on May 1996 in", [("30", None)], id="a part is kept"),
        pytest.param("in 1996.", "in 1990.", [("1996", "1990")], id="words are compared whole"),
        pytest.param(
            "Doe, 35, of Oslo", "***, ***, of ***", [("Doe", "***"), ("35", "***"), ("Oslo", "***")], id="stars"
        ),
        pytest.param("(A. Doe)", "([PERSON_1])", [("A. Doe", "[PERSON_1]")], id="brackets"),
        pytest.param("see Anna Maria Doe", "see PERSON", [("Anna Maria Doe", "PERSON")], id="at the end"),
        pytest.param("x, Ann, Bob, y", "x, , y", [("Ann, Bob", None)], id="one gap rather than two"),
        pytest.param(
            "Court of Human Rights", "a body of judges", [("Court of Human Rights", "a body of judges")], id="of"
        ),
        pytest.param("Ann of Oslo", "PERSON of CITY", [("Ann", "PERSON"), ("Oslo", "CITY")], id="of between labels"),
        pytest.param("pay 5,500 liras", "pay 7,200 liras", [("5,500", "7,200")], id="comma inside a number"),
        pytest.param("Mr Smith and Mr Smith", "Mr  and Mr Smith", [("Smith", None)], id="first of two"),
        pytest.param("Mr Smith of Oslo", "MR SMITH OF CITY", [("Oslo", "CITY")], id="capitals can be read"),
        pytest.param("张三在北京工作", "某人在北京工作", [("张三", "某人")], id="ideographs"),
        pytest.param("田中さんは東京に住む", "[人]さんは[地]に住む", [("田中", "[人]"), ("東京", "[地]")], id="kana"),
        pytest.param("ฉันชื่อสมชาย", "ฉันชื่อ[X]", [("สมชาย", "[X]")], id="Thai"),
        pytest.param("يعيش محمد في القاهرة", "يعيش في القاهرة", [("محمد", None)], id="right to left"),
        pytest.param("hi 👨‍👩‍👧 from 🇫🇷", "hi 👨‍👩‍👦 from 🇫🇮", [("👨‍👩‍👧", "👨‍👩‍👦"), ("🇫🇷", "🇫🇮")], id="emoji"),
        pytest.param("👍🏽 ok", "👍🏿 ok", [("👍🏽", "👍🏿")], id="skin tone"),
        pytest.param("add ½ cup", "add 1⁄3 cup", [("½", "1⁄3")], id="a character that holds several tokens"),
        pytest.param("add 1⁄3 cup", "add ½ cup", [("1⁄3", "½")], id="and the other way round"),
        pytest.param("all of it", "nothing here", [("all of it", "nothing here")], id="entirely different"),
        pytest.param(" all of it\n", " ", [(" all of it\n", None)], id="everything"),
        pytest.param(" \n", "new", [(" \n", "new")], id="white space became text"),
    ],
)
def test_changed_stretches(original: str, rewritten: str, expected: list[tuple[str, str | None]]) -> None:
    assert masked(original, rewritten) == expected


def test_offsets_count_code_points_of_the_text_as_given() -> None:
    original = unicodedata.normalize("NFD", "Société Müller à Besançon")
    (mask,) = align(original, "Société Müller à VILLE")
    assert original[mask.start : mask.end] == unicodedata.normalize("NFD", "Besançon")
    assert mask.start == len("Société Müller à ") + 4  # é, é, ü and à take two code points each


def test_white_space_tells_which_of_two_equal_words_is_gone() -> None:
    original = "On the same day the court sat"
    assert align(original, "On  the court sat") == [Mask(3, 15)]  # "the same day"
    assert align(original, "On the  court sat") == [Mask(7, 19)]  # "same day the"


def test_added_text_replaces_white_space_and_hides_no_word() -> None:
    assert align("the Polish Government", "the former Polish Government") == [Mask(3, 4, " former ")]


def test_added_text_without_white_space_takes_the_weaker_neighbour() -> None:
    assert align("years’ ban", "years and months’ ban") == [Mask(5, 6, "and months’")]
    assert align("我爱你", "我很爱你") == [Mask(0, 1, "我很")]


def test_order_of_repeated_records() -> None:
    record = "Patient {} was seen by Dr {} on {}. "
    names = [("Ann Lee", "Moe", "3 May"), ("Bo Day", "Roe", "4 June"), ("Cy Fox", "Poe", "5 July")] * 400
    original = "".join(record.format(*name) for name in names)
    labels = "".join(record.format("[NAME]", "[DOCTOR]", "[DATE]") for _ in names)
    expected = [pair for name in names for pair in zip(name, ("[NAME]", "[DOCTOR]", "[DATE]"), strict=True)]
    assert masked(original, labels) == expected


# What holds for any two texts

CHARACTERS = st.sampled_from(
    [
        *"ab1.,' -\n", "ab", "of ", "\r\n", "\u0301", "é", "e", "“", "—", "\u00a0", "½", "…", "ﬁ", "張", "が",
        "か\u3099", "한", "\u1112\u1161", "ก", "ำ", "م", "👩", "\u200d", "🇫", "❤️", "\ufeff",
    ]
)  # fmt: skip
TEXTS = st.lists(CHARACTERS, max_size=30).map("".join)
FOLD = str.maketrans("‘’“”—–‑", "''\"\"---")


def reading(text: str, form: Form = "NFKC", dash: str = "-") -> str:
    """The text without white space, invisible characters and differences of encoding."""
    plain = unicodedata.normalize("NFKC", text.translate(FOLD))
    # Format characters (Cf) such as a joiner cannot be seen: "a" and "a\u200d" read alike.
    visible = "".join(letter for letter in re.sub(r"[\s\ufe0f]", "", plain) if unicodedata.category(letter) != "Cf")
    return re.sub("-+", dash, unicodedata.normalize(form, visible))


@st.composite
def anonymized(draw: st.DrawFn) -> tuple[str, str]:
    original = draw(TEXTS)
    places = sorted(draw(st.lists(st.integers(0, len(original)), max_size=8)))
    spans = zip(places[::2], places[1::2], strict=False)
    return original, apply_masks(original, [Mask(start, end, draw(TEXTS)) for start, end in spans if start < end])


PAIRS = st.tuples(TEXTS, TEXTS) | anonymized()


@given(TEXTS)
def test_a_text_has_no_masks_against_itself(text: str) -> None:
    assert align(text, text) == []


@given(TEXTS, st.sampled_from(["NFC", "NFD", "NFKC", "NFKD"]))
def test_normalising_a_text_masks_nothing(text: str, form: Form) -> None:
    assert align(text, unicodedata.normalize(form, text)) == []


@given(PAIRS)
def test_masks_are_ascending_disjoint_and_not_empty(pair: tuple[str, str]) -> None:
    original, rewritten = pair
    position = 0
    for mask in align(original, rewritten):
        assert position <= mask.start < mask.end <= len(original)
        position = mask.end


@given(PAIRS)
@example(("a", "a\u200d"))
def test_applying_the_masks_gives_the_rewritten_text(pair: tuple[str, str]) -> None:
    original, rewritten = pair
    if original:
        assert reading(apply_masks(original, align(original, rewritten))) == reading(rewritten)


@given(PAIRS)
@example(("a\u200d", "a"))
def test_what_is_unmasked_stands_in_the_rewritten_text_in_order(pair: tuple[str, str]) -> None:
    original, rewritten = pair
    # Decomposed and without dashes, so that no neighbour can melt with the end of a stretch.
    rest = reading(rewritten, "NFKD", dash="")
    position = 0
    for mask in (*align(original, rewritten), Mask(len(original), len(original))):
        kept = reading(original[position : mask.start], "NFKD", dash="")
        assert kept in rest
        rest = rest[rest.index(kept) + len(kept) :]
        position = mask.end


# Real judgments


def covered(masks: list[Mask], length: int) -> bytearray:
    painted = bytearray(length)
    for mask in masks:
        painted[mask.start : mask.end] = b"\1" * (mask.end - mask.start)
    return painted


def reflowed(text: str) -> str:
    return unicodedata.normalize("NFD", " ".join(text.split()))


@pytest.mark.skipif(not DATA, reason="SHOWTHROUGH_DATA is not set; it names the folder that holds tab/train_100.json")
@pytest.mark.parametrize(
    "name",
    [
        "presidio",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("manual_entity", "manual_intact", "presidio_gpt")),
    ],
)
@pytest.mark.parametrize(
    ("label", "passed_on"),
    [
        pytest.param("", str, id="suppressed"),
        pytest.param("[PERSON_{}]", str, id="labels"),
        pytest.param("***", reflowed, id="stars, reflowed and decomposed"),
    ],
)
def test_masks_of_real_judgments_come_back(name: str, label: str, passed_on: Callable[[str], str]) -> None:
    folder = Path(DATA) / "tab"
    texts = {document["doc_id"]: document["text"] for document in json.loads((folder / "train_100.json").read_bytes())}
    spans = json.loads((folder / "train_anonymizations" / f"{name}.json").read_bytes())
    hidden = recovered = other = spurious = 0
    for document, text in texts.items():
        masks = [Mask(start, end, label.format(number)) for number, (start, end, _) in enumerate(spans[document])]
        truth = covered(masks, len(text))
        found = covered(align(text, passed_on(apply_masks(text, masks))), len(text))
        both = sum(a & b for a, b in zip(truth, found, strict=True))
        hidden, recovered = hidden + sum(truth), recovered + both
        other, spurious = other + len(text) - sum(truth), spurious + sum(found) - both
    assert recovered >= 0.995 * hidden
    assert spurious <= 0.005 * other
