"""The reading form of a text: what is read as what, the ways to read it again, and where each letter comes from."""

from __future__ import annotations

import pytest
from hypothesis import example, given, strategies as st

from showthrough.data import reading_form as module
from showthrough.data.reading_form import cased_form, is_unbordered, locate, reading_form
from showthrough.data.text_views import TextReading


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Ｊｏｈｎ 𝓓𝓸𝓮", "john doe"),  # compatibility forms
        ("J\u200bo\u00adh\ufeffn", "john"),  # nobody sees these
        ("Kow\u0430lska", "kowalska"),  # a Cyrillic letter among Latin ones
        ("Москва", "москва"),  # all of one script: left as it is
        ("\u0421осна", "сосна"),  # so is a word that could be half Latin
        ("Müller Šostakovič Ünay", "muller sostakovic unay"),
        ("Łukasz Ødegård Đorđe", "lukasz odegard dorde"),  # strokes are no combining marks, and read the same
        ("İstanbul ığdır", "istanbul igdir"),
        ("Straße Ægir", "strasse aegir"),
        ("Ἀθῆναι", "αθηναι"),
        ("שָׁלוֹם", "שלום"),
        ("مُحَمَّد", "محمد"),
        ("が", "が"),  # kana keep their marks
        ("हिन्दी", "हिन्दी"),  # and so does Devanagari
        ("٣٦١١٠/٩٧", "36110 97"),
        ("e\u0301", "e"),
        ("a_b-c…d", "a b c d"),
        ("", ""),
        (" \n\u200b", ""),
    ],
)
def test_what_is_read(text: str, form: str) -> None:
    assert reading_form(text) == form
    assert TextReading(text).form == f" {form} "


@pytest.mark.parametrize(
    ("text", "how", "word"),
    [
        ("Kowal-\nska", "otherwise", "kowalska"),
        ("K o w a l", "otherwise", "kowal"),
        ("K.o.w.a.l.", "otherwise", "kowal"),
        ("K.o.w.a.l's", "otherwise", "kowal"),  # not only "kowals"
        ("XXXÜnay", "otherwise", "unay"),
        ("SelimÜnay", "otherwise", "selim"),
        ("PERSON1Doe", "otherwise", "doe"),
        ("K<b>owal</b>ska", "otherwise", "kowalska"),
        ("**Kow**alska", "otherwise", "kowalska"),
        ("Kow&#97;lska", "encoded", "kowalska"),
        ("Kow%61lska", "encoded", "kowalska"),
        (r"Kow\u0061lska", "encoded", "kowalska"),
        (r"Kow\x61lska", "encoded", "kowalska"),
        (r"K\u00fchnel", "encoded", "kuhnel"),
        (r"K\xfchnel", "encoded", "kuhnel"),
        (r"K\xc3\xbchnel", "encoded", "kuhnel"),
        (r"K\ud835\udc1ahnel", "encoded", "kahnel"),
        ("K=C3=BChnel", "encoded", "kuhnel"),
        ("K=FChnel", "encoded", "kuhnel"),
        ("S293YWxza2E=", "encoded", "kowalska"),
    ],
)
def test_other_ways_to_read(text: str, how: str, word: str) -> None:
    read = TextReading(f"so {text} said")
    assert word in read.words
    assert [view.how for view in read.other_views if word in view.form.split()][:1] == [how]
    assert all(len(view.form) == len(view.cased) for view in read.views)


def test_plain_text_has_no_other_way() -> None:
    assert TextReading("The Court's decision of 3 May, in Strasbourg (no. 36110/97).").other_views == ()


def test_what_is_no_base64() -> None:
    # Words that look like it and decode to nothing that anybody writes.
    assert TextReading("Understanding internationalization JavaScript TypeScript").other_views[-1].how == "otherwise"


def test_scripts_without_borders() -> None:
    assert is_unbordered("王小明")
    assert is_unbordered("김철수")
    assert not is_unbordered("Wang")
    assert not is_unbordered("Ван")


LETTERS = st.text(
    st.sampled_from("ab Z.’é\u0301\u200bßİıłæ𝓙ﬁ½…٣Кажо王김각\u1112\u1161\n-'0?\x00º²µş“ʼש\u05b8"), max_size=20
)


@given(LETTERS | st.text(max_size=30))
@example("a\u03d2")  # a hooked upsilon, which looks like Y where it is normalized
def test_letters_know_where_they_come_from(text: str) -> None:
    located = locate(text)
    assert located.cased == cased_form(text)
    assert len(located.form) == len(located.starts) == len(located.ends) == len(located.cased)
    assert list(located.starts) == sorted(located.starts)
    assert all(0 <= start <= end <= len(text) for start, end in zip(located.starts, located.ends, strict=True))


@given(LETTERS)
def test_the_fast_way_reads_the_same(text: str) -> None:
    """Letter by letter where one is enough for each, and through normalization where it is not."""
    slow = " ".join(module._latin(module._compose(text)).translate(module._LETTERS).split())
    assert cased_form(text) == f" {slow} "


@given(LETTERS)
@example("ºЌ")  # an accented letter looks like the Latin one too
@example("ᄒ\u0301ᅡ")  # a mark that is not read stands between two parts of one letter
@example("\u09c7\u20dd\u09be")  # and between those of a vowel
def test_a_reading_form_is_its_own(text: str) -> None:
    form = reading_form(text)
    assert reading_form(form) == form
