"""Which documents are one unit: copies, near copies, one person or record; and what stays apart."""

from __future__ import annotations

import random
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Corpus, Document, Mention
from showthrough.data._document_traces import plain_name, plain_number
from showthrough.data._independence import components
from showthrough.data.copies import CopyMarks, Sketching, copy_mark, shingles, without_spaces
from showthrough.data.documents import Authorship, InferredMention
from showthrough.data.retyping import Retyping, retype_corpus
from showthrough.data.subjects import AUTHOR, Attribute, Subject
from showthrough.data.survey import Survey

WORDS = [f"w{number}" for number in range(5000)]


def words(count: int, seed: int) -> list[str]:
    return random.Random(seed).choices(WORDS, k=count)


def units(corpus: Corpus) -> set[frozenset[str]]:
    """The units of two documents or more."""
    found: dict[str, set[str]] = defaultdict(set)
    for key, label in zip(corpus.ids, corpus.units.labels, strict=False):
        found[label].add(key)
    return {frozenset(each) for label, each in found.items() if label}


def marked(
    name: str, text: str, value: str, kind: str, level: str = "DIRECT", made: type[Mention] = Mention
) -> Document:
    start = text.index(value)
    mention = made(start, start + len(value), kind, level)  # type: ignore[arg-type]
    return Document(name, text, (Annotation("a", (mention,)),))


def of(*ids: str) -> frozenset[str]:
    return frozenset(ids)


def test_documents_that_share_nothing_are_units_of_their_own() -> None:
    corpus = Corpus([Document(str(seed), " ".join(words(50, seed))) for seed in range(30)])
    assert (corpus.units.labels, corpus.units.count, corpus.units.joined, corpus.units.notes) == ((), 30, 0, ())


def test_texts_that_are_equal_but_for_white_space() -> None:
    texts = {"a": "Mr Doe left", "b": " Mr\tDoe\u00a0left\n", "c": "Mr Doe left.", "d": "MrDoe\u2009left", "e": "x"}
    corpus = Corpus([Document(key, text) for key, text in texts.items()])
    assert units(corpus) == {of("a", "b", "d")}
    assert (corpus.units.count, corpus.units.joined) == (3, 3)
    assert list(corpus.units.labels) == ["a", "a", "", "a", ""]
    assert corpus.units.notes == (
        "3 of 5 documents belong together with others, so that intervals, tests and checks count 3 independent units "
        "(equal texts: a, b, d)",
    )


@pytest.mark.parametrize(
    ("changed", "together"),
    [
        # 104 words have 100 shingles. One word inside changes five: 95 of 105 are shared, 0.905.
        ((50,), True),
        # Two words far apart change ten: 90 of 110 are shared, 0.818.
        ((20, 80), False),
        # The last word changes one, so does the first: 98 of 102, 0.961.
        ((0, 103), True),
        # Two words side by side change six: 94 of 106, 0.887.
        ((50, 51), False),
    ],
)  # fmt: skip
def test_near_copies_are_told_by_their_shingles(changed: tuple[int, ...], together: bool) -> None:
    first = [f"v{number}" for number in range(104)]
    second = [f"new{at}" if at in changed else word for at, word in enumerate(first)]
    others = [Document(str(seed), " ".join(words(104, seed))) for seed in range(20)]
    corpus = Corpus([Document("a", " ".join(first)), *others, Document("b", " ".join(second))])
    assert units(corpus) == ({of("a", "b")} if together else set())
    if together:
        assert corpus.units.notes[0].endswith("count 21 independent units (near copies: a, b)")


def test_short_texts_are_joined_where_they_are_equal_alone() -> None:
    """Of 19 words with one more at the end, 15 of 16 shingles are shared: 0.94. But these are too few to tell by."""
    short = " ".join(words(19, 1))
    assert units(Corpus([Document("a", short), Document("b", f"{short} end")])) == set()
    longer = " ".join(words(20, 1))
    assert units(Corpus([Document("a", longer), Document("b", f"{longer} end")])) == {of("a", "b")}  # 16 of 17


def test_ideographs_are_words() -> None:
    text = "".join(chr(0x4E00 + number) for number in random.Random(0).sample(range(5000), 120))
    corpus = Corpus([Document("a", text), Document("b", text[:119] + "新"), Document("c", text[::-1])])
    assert units(corpus) == {of("a", "b")}  # 115 of 117 shingles


@pytest.mark.parametrize(
    ("kind", "level", "value", "made", "joins"),
    [
        ("MRN", "DIRECT", "4711-08", Mention, True),
        ("ID/MEDICALRECORD", "DIRECT", "4711-08", InferredMention, True),
        ("ID_SUJETO_ASISTENCIA", "QUASI", "4711", InferredMention, True),
        ("CODE", "DIRECT", "36110/97", Mention, True),  # TAB's application
        ("CODE", "QUASI", "36110/97", Mention, False),  # a law, or another case
        ("MRN", "DIRECT", "unknown", Mention, False),  # no number
        ("PATIENT", "DIRECT", "Ann Berg", InferredMention, True),
        ("NAME/PATIENT", "DIRECT", "Ann Berg", InferredMention, True),
        ("PATIENT", "DIRECT", "Berg", InferredMention, False),
        ("PATIENT", "DIRECT", "Mrs A. Berg", InferredMention, False),  # a title and an initial are no names
        ("PERSON", "DIRECT", "Ann Berg", Mention, True),  # TAB's applicant
        ("PERSON", "QUASI", "Ann Berg", Mention, False),  # a judge
        ("PERSON", "DIRECT", "Ann Berg", InferredMention, False),  # nobody said who that is
        ("DOCTOR", "DIRECT", "Ann Berg", Mention, False),
        ("PHONE", "DIRECT", "555 12 34 56", Mention, False),
        ("EMAIL", "DIRECT", "ann.berg@example.org", Mention, False),
        ("STREET", "DIRECT", "Kirkegata 12", Mention, False),
        ("HOSPITAL", "QUASI", "Oslo University Hospital", Mention, False),
    ],
)  # fmt: skip
def test_who_documents_are_about(kind: str, level: str, value: str, made: type[Mention], joins: bool) -> None:
    texts = {"a": f"{value} was seen on Monday", "b": f"On Friday came {value} again", "c": "Nobody came"}
    corpus = Corpus([
        marked("a", texts["a"], value, kind, level, made), marked("b", texts["b"], value, kind, level, made),
        Document("c", texts["c"]),
    ])  # fmt: skip
    assert units(corpus) == ({of("a", "b")} if joins else set())
    if joins:
        assert "the same person or record: a, b" in corpus.units.notes[0]
        assert value not in corpus.units.notes[0]


def test_a_name_in_two_fields_is_one_name() -> None:
    """Surnames alone are no full name: of three patients called García Pérez two are called Ana."""

    def record(name: str, given: str) -> Document:
        text = f"{name} Nombre: {given}. Apellidos: García Pérez. NHC: {len(name)}."
        spans = [(text.index(one), text.index(one) + len(one)) for one in (given, "García Pérez")]
        marks = tuple(InferredMention(*span, "NOMBRE_SUJETO_ASISTENCIA", "DIRECT") for span in spans)
        return Document(name, text, (Annotation("a", marks),))

    assert units(Corpus([record("a", "Ana"), record("b", "Eva María"), record("c", "Ana")])) == {of("a", "c")}


def test_names_and_numbers_as_they_are_compared() -> None:
    assert plain_name("Berg, Ann") == plain_name("ANN BERG") == plain_name("Mrs Ann K. Berg") == "ann berg"
    assert plain_name("José Núñez") == plain_name("Jose\u0301 Nunez") == "jose nunez"
    assert (plain_name("van der Berg"), plain_name("Mr and Mrs Berg"), plain_name("A. B.")) == ("", "", "")
    assert plain_number("AB 12-3") == plain_number("ab123") == "ab123"


@pytest.mark.parametrize(("documents", "together"), [(10, True), (11, False)])
def test_what_is_found_in_more_than_ten_documents_joins_nothing(documents: int, together: bool) -> None:
    texts = [f"Note {number} of Ann Berg" for number in range(documents)]
    corpus = Corpus([marked(f"d{number:02}", text, "Ann Berg", "PATIENT") for number, text in enumerate(texts)])
    assert corpus.units.count == (1 if together else documents)
    assert corpus.units.joined == (documents if together else 0)
    assert ("--group-by" in "".join(corpus.units.notes)) == (not together)


def test_a_document_that_was_copied_counts_once_among_ten() -> None:
    """Eleven copies of one text, and another text about the same person: two texts in all."""
    one = [marked(f"a{number:02}", "Note 1 of Ann Berg", "Ann Berg", "PATIENT") for number in range(11)]
    assert Corpus([*one, marked("b", "Ann Berg again", "Ann Berg", "PATIENT")]).units.count == 1


def test_chains() -> None:
    """a and b are equal, b and c share a number, c and d a name."""
    number, name = Mention(0, 4, "MRN", "DIRECT"), Mention(5, 13, "PATIENT", "DIRECT")
    corpus = Corpus([
        Document("a", "4711 Ann Berg"), Document("b", "4711 Ann Berg", (Annotation("x", (number,)),)),
        Document("c", "4711 Eva Holm c", (Annotation("x", (number, name)),)),
        Document("d", "0815 Eva Holm d", (Annotation("x", (name,)),)), Document("e", "alone"),
    ])  # fmt: skip
    assert units(corpus) == {of("a", "b", "c", "d")}
    assert corpus.units.count == 2


def test_authors() -> None:
    """Problems that share a text share its author; so do documents about an author of the same full name."""
    ann, eva = (Subject(AUTHOR, (Attribute("NAME", name),)) for name in ("Ann Berg", "Eva Holm"))
    corpus = Corpus([
        Document("a", "one", authorship=Authorship(("x", "y"))), Document("b", "two", authorship=Authorship(("z",))),
        Document("c", "three", authorship=Authorship(("y ",))), Document("d", "four", authorship=Authorship(("two",))),
        Document("e", "five", subjects=(ann,)), Document("f", "six", subjects=(eva,)),
        Document("g", "seven", subjects=(ann,)),
    ])  # fmt: skip
    assert units(corpus) == {of("a", "c"), of("b", "d"), of("e", "g")}


def test_groups_stay_and_are_joined_further() -> None:
    corpus = Corpus([
        Document("a", "one", group="p"), Document("b", "two", group="p"), Document("c", "two"),
        Document("d", "three", group="q"), Document("e", "four"), Document("f", "four"), Document("g", "five"),
        Document("h", "six", group="e"),
    ])  # fmt: skip
    assert list(corpus.units.labels) == ["p", "p", "p", "q", "unit of e", "unit of e", "", "e"]
    assert (corpus.units.count, corpus.units.joined) == (5, 4)
    assert list(corpus.survey.groups) == ["p", "p", "", "q", "", "", "", "e"]
    alone = Corpus([Document("a", "one", group="p"), Document("b", "two", group="p"), Document("c", "three")])
    assert alone.units.labels is alone.survey.groups
    assert (alone.units.count, alone.units.joined, alone.units.notes) == (2, 0, ())


@st.composite
def corpora(draw: st.DrawFn) -> list[Document]:
    texts = [words(40, seed) for seed in range(4)]
    found = []
    for number in range(draw(st.integers(1, 12))):
        text = [*draw(st.sampled_from(texts)), *draw(st.lists(st.sampled_from("xyz"), max_size=3))]
        kind = draw(st.sampled_from(["MRN", "DOCTOR"]))
        value = draw(st.sampled_from(["n1", "n2", "n3", "n4"]))
        found.append(marked(f"d{number:02}", f"{' '.join(text)} {value}", value, kind))
    return found


@settings(max_examples=60, deadline=None)
@given(corpora(), st.randoms(use_true_random=False), st.data())
def test_units_are_the_same_in_whatever_order_and_however_read(
    documents: list[Document], chance: random.Random, data: st.DataObject
) -> None:
    """Against a comparison of all with all."""
    edges = [(one.id, two.id) for one, two in combinations(documents, 2) if _together(one, two)]
    numbers = {one.id: number for number, one in enumerate(documents)}
    ends = np.array([[numbers[key] for key in pair] for pair in edges], dtype=np.int64).reshape(-1, 2)
    whole = components(len(documents), ends[:, 0], ends[:, 1])
    expected = {
        frozenset(one.id for one, its in zip(documents, whole, strict=True) if its == unit) for unit in set(whole)
    }
    corpus = Corpus(documents)
    assert units(corpus) == {each for each in expected if len(each) > 1}
    assert corpus.units.count == len(expected)
    label = dict(zip(corpus.ids, corpus.units.labels or [""] * len(documents), strict=True))
    shuffled = chance.sample(documents, len(documents))
    again = Corpus(shuffled)
    cut = data.draw(st.integers(0, len(shuffled)))
    parts = [Corpus(part).traced_survey for part in (shuffled[:cut], shuffled[cut:]) if part]
    again.survey = Survey.merge(parts, "ab"[: len(parts)])
    assert dict(zip(again.ids, again.units.labels or [""] * len(documents), strict=True)) == label
    assert again.units.notes == corpus.units.notes


def _together(one: Document, two: Document) -> bool:
    if without_spaces(one.text) == without_spaces(two.text):
        return True
    some, others = set(shingles(one.text)), set(shingles(two.text))
    if len(some & others) / len(some | others) >= 0.9:
        return True
    kinds = {document.annotations[0].mentions[0].entity_type for document in (one, two)}
    return kinds == {"MRN"} and one.text.split()[-1] == two.text.split()[-1]


def test_types_that_a_user_renames_join_nothing_else() -> None:
    """Staff stay staff, whatever is counted, and who is left out still tells that documents belong together."""
    patients = [marked(one, f"{one} Ann Berg", "Ann Berg", "PATIENT") for one in "ab"]
    staff = [marked(one, f"{one} Eva Holm", "Eva Holm", "DOCTOR") for one in "cd"]
    corpus = Corpus([*patients, *staff])
    for retyping in (Retyping.of({"DOCTOR": "PATIENT"}), Retyping.of(ignore="PATIENT")):
        assert units(retype_corpus(Corpus(corpus.documents), retyping)) == {of("a", "b")}


def test_near_copies_are_found_among_many_that_are_much_alike() -> None:
    """A form of 60 words and 40 of its own in each of 2,000 notes; 50 of these have one word more at the end."""
    form = words(60, 7)
    texts = [" ".join([*form, *words(40, 1000 + seed)]) for seed in range(2000)]
    notes = [Document(f"n{number:04}", text) for number, text in enumerate(texts)]
    copies = [Document(f"n{number:04}c", f"{texts[number]} end") for number in range(0, 2000, 40)]
    corpus = Corpus([*notes, *copies])
    assert units(corpus) == {of(f"n{number:04}", f"n{number:04}c") for number in range(0, 2000, 40)}


def test_near_copies_are_found_among_texts_with_equal_sketches() -> None:
    """Of 40 words with three others at the end, 36 of 42 shingles are shared: 0.86. With a fourth, 39 of 40 are."""
    form = " ".join(words(40, 0))
    texts = {str(number): f"{form} {number} {number} {number}" for number in range(10, 70)}
    copies = {f"{number}c": f"{texts[str(number)]} x" for number in range(10, 70, 10)}
    corpus = Corpus([Document(key, text) for key, text in {**texts, **copies}.items()])
    assert len(np.unique(corpus.traces.sketches, axis=0)) < 10
    assert units(corpus) == {of(key[:-1], key) for key in copies}


def test_many_near_copies_of_one_text_are_one_unit() -> None:
    form = words(300, 1)
    texts = [" ".join([*form[:at], f"x{at}", *form[at + 1 :]]) for at in range(200)]
    assert Corpus([Document(str(at), text) for at, text in enumerate(texts)]).units.count == 1


def test_what_models_keep_knows_near_copies_again() -> None:
    known = [words(200, seed) for seed in range(20)]
    marks = CopyMarks(copy_mark(" ".join(text)) for text in [*known, ["Mr", "Doe"]])
    assert all(marks.know("\n".join(text)) for text in known)
    near = [[*text[:100], "new", *text[101:]] for text in known]  # 191 of 201 shingles: 0.95
    assert all(marks.know(" ".join(text)) for text in near)
    apart = [[*text[:60], *words(140, 99)] for text in known]  # 56 of 336
    assert not any(marks.know(" ".join(text)) for text in apart)
    assert (marks.know("Mr  Doe"), marks.know("Ms Doe"), CopyMarks([]).know("Mr Doe")) == (True, False, False)


def test_a_text_longer_than_what_is_looked_at_together() -> None:
    long = " ".join(words(100_000, 3))
    corpus = Corpus([Document("a", long), Document("b", f"{long} end"), Document("c", "x"), Document("d", "")][:3])
    assert units(corpus) == {of("a", "b")}


def test_sketches_do_not_hang_on_what_is_looked_at_with_a_text() -> None:
    texts = [" ".join(words(count, count)) for count in (1, 3, 30, 500, 40_000)]
    together, alone = Sketching(), Sketching()
    for text in texts:
        together.append(text)
        one = Sketching()
        one.append(text)
        alone.extend(*one.build())
    for some, others in zip(together.build(), alone.build(), strict=True):
        assert np.array_equal(some, others)
