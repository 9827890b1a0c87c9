"""Perturbations: what they change, that marks are carried along, and that nothing else changes."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from msgspec import structs

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    Mask,
    Mention,
    PlanError,
    apply_masks,
    evaluate,
    read_corpus,
)
from showthrough.studies.stress.carrying import carry, fitting_edits
from showthrough.studies.stress.perturbations import PERTURBATIONS, Perturbation, parse_perturbations, perturb

ALL = list(PERTURBATIONS.values())
# Latin, Cyrillic, Greek, Arabic, Hebrew, Devanagari, Thai, Han, kana, Hangul; numbers and dates in all.
WORDS = (
    "Ole", "Müller", "Johnson", "O'Brien", "left", "for", "Пётр", "Иванов", "пришёл", "Γιώργος", "Παπαδόπουλος",
    "محمد", "أحمد", "דוד", "כהן", "राम", "शर्मा", "สมชาย", "ใจดี", "王小明", "北京", "さくら", "タナカ", "김민준", "서울",
    "3 May 2004", "2004-05-03", "17.10.1999", "36110", "1,200", "12 345 678", "No. 4/97", "...", "İzmir", "STRASSE",
    "ﬁ",
)  # fmt: skip
SIGNS = (" ", ", ", ". ", "\n", "-", "", " (", "\u00a0")
# What these do can be taken back: letters, digits and their order stay as they were.
KEEP_LETTERS = (
    "lowercase", "capitals", "zero-width", "letters-apart", "decomposed", "no-accents", "hyphens", "line-breaks",
    "spaces", "no-punctuation", "digits", "separators",
)  # fmt: skip
NO_ACCENT = str.maketrans("ıøłđ", "iold")  # letters that no normalization takes apart


@st.composite
def documents(draw: st.DrawFn) -> Document:
    """Words of many scripts, and marks of two annotators anywhere, also inside of words and over each other."""
    pieces = draw(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SIGNS)), min_size=1, max_size=12))
    text = "".join(f"{word}{sign}" for word, sign in pieces)
    layers = []
    for annotator in ("ann", "bob"):
        spans = draw(st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, 14)), max_size=5))
        layers.append(
            Annotation(
                annotator,
                tuple(
                    Mention(
                        start,
                        min(start + length, len(text)),
                        draw(st.sampled_from(("PERSON", "LOC", "CODE"))),
                        draw(st.sampled_from(("DIRECT", "QUASI", "NO_MASK"))),
                        draw(st.sampled_from(("", "e1", "e2"))),
                    )
                    for start, length in spans
                ),
            )
        )
    return Document(draw(st.sampled_from(("d1", "d2"))), text, tuple(layers), group="g", fields={"year": 1997})


def letters(text: str) -> str:
    """Letters and digits alone, however they are written."""
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    return "".join(letter for letter in plain.casefold() if letter.isalnum()).translate(NO_ACCENT)


def mentions(document: Document) -> list[Mention]:
    return [mention for layer in document.annotations for mention in layer.mentions]


@pytest.mark.parametrize("perturbation", ALL, ids=lambda one: one.name)
@settings(max_examples=30, deadline=None)
@given(document=documents(), seed=st.integers(0, 3))
def test_marks_cover_what_became_of_their_text(perturbation: Perturbation, document: Document, seed: int) -> None:
    edits = perturbation.edits(document, seed)
    after = perturbation.apply(document, seed)
    assert all(end <= start for (_, end, _), (start, _, _) in pairwise(edits))
    masks = [Mask(*edit) for edit in edits]
    assert after.text == apply_masks(document.text, masks)  # outside of edits the text is as it was
    for old, new in zip(mentions(document), mentions(after), strict=True):
        before = apply_masks(document.text[: old.start], [mask for mask in masks if mask.end <= old.start])
        inside = [Mask(mask.start - old.start, mask.end - old.start, mask.replacement) for mask in masks
                  if old.start <= mask.start and mask.end <= old.end]  # fmt: skip
        assert after.text[: new.start] == before
        assert after.text[new.start : new.end] == apply_masks(document.text[old.start : old.end], inside)
        assert new.start < new.end
        assert structs.replace(new, start=old.start, end=old.end) == old
    assert after.problems() == []
    assert structs.replace(after, text=document.text, annotations=document.annotations) == document
    assert perturbation.apply(document, seed) == after


@pytest.mark.parametrize("name", KEEP_LETTERS)
@settings(max_examples=30, deadline=None)
@given(document=documents(), seed=st.integers(0, 3))
def test_marks_have_the_letters_that_they_had(name: str, document: Document, seed: int) -> None:
    """Whatever the edits say of themselves: the covered text is the same to the letter."""
    after = PERTURBATIONS[name].apply(document, seed)
    assert letters(after.text) == letters(document.text)
    for old, new in zip(mentions(document), mentions(after), strict=True):
        assert letters(after.text[new.start : new.end]) == letters(document.text[old.start : old.end])


@pytest.mark.parametrize("perturbation", [one for one in ALL if one.scope != "text"], ids=lambda one: one.name)
@settings(max_examples=20, deadline=None)
@given(document=documents())
def test_what_is_not_marked_stays(perturbation: Perturbation, document: Document) -> None:
    bare = structs.replace(document, annotations=())
    assert perturbation.apply(bare) == bare


@pytest.mark.parametrize("perturbation", ALL, ids=lambda one: one.name)
def test_the_example_of_each_can_come_of_it(perturbation: Perturbation) -> None:
    before, after = perturbation.example
    spans = [Mention(0, len(before), "PERSON", "DIRECT")]
    assert after in {
        perturbation.apply(Document("d", before, (Annotation("a", tuple(spans)),)), seed).text for seed in range(2000)
    }


TEXT = (
    "Mr Brennan Holmgren-Müller, born on 3 May 2004 in Uddevalla (No. 361101), paid 1,200. "
    "Then Brennan Holmgren-Müller left, and No. 361101 was closed on 3 May 2004."
)


def marked(text: str, *strings: tuple[str, str]) -> Annotation:
    """Where each string is first."""
    places = [(text.index(string), string, kind) for string, kind in strings]
    return Annotation("ann", tuple(Mention(at, at + len(string), kind, "DIRECT") for at, string, kind in places))


DOCUMENT = Document("d", TEXT, (marked(TEXT, ("Brennan Holmgren-Müller", "PERSON"), ("361101", "CODE")),))


# The search knows no name in single letters: of letters-apart the control of a study says how much that hides.
@pytest.mark.parametrize("perturbation", [one for one in ALL if one.name != "letters-apart"], ids=lambda one: one.name)
def test_what_could_be_read_elsewhere_can_be_read_afterwards(perturbation: Perturbation) -> None:
    """Else a perturbation would make a leak look like protection."""
    for seed in range(3):
        corpus = perturb(Corpus([DOCUMENT]), perturbation, seed)
        (document,) = corpus.documents
        masks = {"d": [Mask(mention.start, mention.end) for mention in mentions(document)]}
        run = evaluate(corpus, {"marks": Anonymization(masks)}, ["removed_di"], references=False, resamples=0)
        assert run["marks", "removed_di"].value == 0  # both can be read in the second sentence


def test_the_order_of_documents_does_not_matter() -> None:
    others = [Document(f"d{number}", TEXT, DOCUMENT.annotations) for number in range(4)]
    for perturbation in ALL:
        there, back = (perturb(Corpus(list(ones)), perturbation, 5) for ones in (others, others[::-1]))
        assert list(there) == list(back)[::-1]
    typos = {document.text for document in perturb(Corpus(others), PERTURBATIONS["typos"], 5)}
    assert len(typos) == 4  # documents differ in their errors


def test_seeds_differ_and_rates_count() -> None:
    typos = PERTURBATIONS["typos"]
    assert typos.apply(DOCUMENT, 1).text != typos.apply(DOCUMENT, 2).text
    (much,) = parse_perturbations(["typos(rate=1)"])
    assert {*typos.edits(DOCUMENT, 1)} < {*much.edits(DOCUMENT, 1)}  # the same words, and more
    assert (much.text, typos.text) == ("typos(rate=1)", "typos")


def test_an_entity_is_one_person_of_one_origin() -> None:
    text = "Ann Berg met Ole Dahl. Berg, Ann, and O. Dahl left in May; June May came. Mr Berg Ann Berg."
    spans = [(0, 8, "e1"), (13, 21, "e2"), (23, 32, "e1"), (38, 45, "e2"), (59, 67, "e3")]
    layer = Annotation("a", tuple(Mention(start, end, "PERSON", "DIRECT", entity) for start, end, entity in spans))
    after = PERTURBATIONS["names"].apply(Document("d", text, (layer,)), 3)
    first, second, again, initial, month = (after.text[one.start : one.end] for one in mentions(after))
    given, family = first.split()
    assert again == f"{family}, {given}"
    assert initial == f"O. {second.split()[1]}"
    assert month == "June May"  # months are never replaced
    assert after.text.endswith(f"Mr {family} {given} {family}.")
    assert {given, family} & {"Ann", "Berg"} == set()


def test_dates_that_can_be_read_two_ways_stay() -> None:
    dates = PERTURBATIONS["dates"]
    assert dates.edits(Document("d", "On 3/4/2004.")) == []
    (edit,) = dates.edits(Document("d", "On 23/4/2004."))
    assert edit[2] in ("2004-04-23", "23.04.2004", "April 23, 2004", "23 April 2004")
    assert dates.edits(Document("d", "From 3 to 5 May 1997.")) == []  # the 3 has its month from the 5


def test_edits_that_do_not_fit_are_left_out() -> None:
    document = Document("d", "Ann Lee!", (Annotation("a", (Mention(0, 5), Mention(7, 8))),))
    edits = [(4, 7, "x"), (0, 3, "Ann"), (7, 8, ""), (0, 1, "a"), (0, 2, "b")]
    assert fitting_edits(document, edits) == [(0, 1, "a")]  # 4–7 crosses a border; 7–8 would leave a mark empty
    assert carry(document, [(0, 1, "aa")]).annotations[0].mentions == (Mention(0, 6), Mention(8, 9))
    assert fitting_edits(Document("d", "!"), [(0, 1, "")]) == []  # of the text something stays


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("typo", "perturb: unknown perturbation 'typo'; did you mean typos? there are: typos, ocr, lowercase"),
        ("typos(rate=0)", "perturb typos: rate: found 0; expected more than 0, and at most 1"),
        ("typos(rate=2.0)", "expected more than 0, and at most 1"),
        ("typos(rate=much)", "perturb typos: rate: found 'much'"),
        ("typos(share=0.1)", "perturb typos: share: unknown parameter; expected rate"),
        ("typos(", "unknown perturbation 'typos('"),
    ],
)
def test_what_is_no_perturbation(text: str, fault: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_perturbations([text])
    assert fault in str(caught.value)


def test_each_perturbation_once() -> None:
    with pytest.raises(PlanError, match="perturb typos: is there twice"):
        parse_perturbations(["typos", "typos(rate=0.5)"])
    assert len(parse_perturbations()) == len(ALL) >= 12


def test_the_page_lists_them_as_they_are() -> None:
    """Names, summaries, scopes and rates; examples as the page can show them."""
    page = (Path(__file__).parents[3] / "docs/stress.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (.+?) \| (.+?) \| ([\d.]+) \| `(.+?)` → `(.+?)`", page, re.MULTILINE)
    scopes = {"text": "all text", "marks": "marks", "names": "names"}
    assert [row[:4] for row in rows] == [(one.name, one.summary, scopes[one.scope], f"{one.rate:g}") for one in ALL]
    for (*_, before, after), one in zip(rows, ALL, strict=True):
        assert (before, after.encode().decode("unicode_escape") if "\\" in after else after) == one.example


@pytest.mark.slow
@pytest.mark.parametrize("name", KEEP_LETTERS)
def test_marks_of_real_documents_have_the_letters_that_they_had(name: str, data: Path) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    after = perturb(corpus, PERTURBATIONS[name], 1)
    assert sum(one.text != two.text for one, two in zip(corpus, after, strict=True)) > 20
    for one, two in zip(corpus, after, strict=True):
        for old, new in zip(mentions(one), mentions(two), strict=True):
            assert letters(two.text[new.start : new.end]) == letters(one.text[old.start : old.end])
