"""Surrogates: realistic, consistent, in the form of the original, and nothing of it left."""

from __future__ import annotations

import re
from datetime import date
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import Annotation, Corpus, Document, Mention, PlanError, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.data.levels import by_type
from showthrough.data.schemes import PHI_TYPES, phi_type
from showthrough.models.dictionary import dictionary_from
from showthrough.systems.surrogates.dates import WrittenDate, day_comes_first, find_dates
from showthrough.systems.surrogates.names import Names
from showthrough.systems.surrogates.numbers import NumberSurrogates
from showthrough.systems.surrogates.replacement import IdentifyingStrings, audit, surrogates
from showthrough.systems.surrogates.wordlists import MEDICAL

TAG = re.compile(r"\[(\w+):([^\]]*)\]")


def record(tagged: str, name: str = "r") -> Document:
    """`[PATIENT:Mary Jones] slept` as a record with its mentions."""
    pieces: list[str] = []
    mentions = []
    position = length = 0
    for tag in TAG.finditer(tagged):
        before = tagged[position : tag.start()]
        start = length + len(before)
        pieces += (before, tag[2])
        length = start + len(tag[2])
        mentions.append(Mention(start, length, tag[1], phi_type(tag[1]).identifier))
        position = tag.end()
    return Document(name, "".join((*pieces, tagged[position:])), (Annotation("gold", tuple(mentions)),))


def shape(text: str) -> str:
    """The pattern of a text: 9 for a digit, A and a for letters."""
    return "".join("9" if one.isdigit() else ("A" if one.isupper() else "a") if one.isalpha() else one for one in text)


def full(written: WrittenDate) -> date | None:
    """The date, when it says all of it."""
    return None if None in (written.year, written.month, written.day) else written.on(0)


def marked(document: Document) -> list[str]:
    return [document.text[one.start : one.end] for one in document.annotations[0].mentions]


def made(tagged: str, seed: int = 0, ambiguous: float = 0.0, keep: tuple[str, ...] = ()) -> Document:
    result = surrogates(Corpus([record(tagged)]), seed=seed, ambiguous=ambiguous, keep=keep)
    assert result.leaks == ()
    (document,) = result.corpus
    return document


SEEDS = range(12)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_orthography_of_a_name_stays(seed: int) -> None:
    found = made("[PATIENT:SLOAN , CHARLES E] saw [DOCTOR:Dr. Anna-Lena van der Berg] and [DOCTOR:o'neil]", seed)
    patient, doctor, small = marked(found)
    assert re.fullmatch(r"[A-Z]{4,} , [A-Z]{4,} [A-Z]", patient)  # surname first, capitals, initial
    assert re.fullmatch(r"Dr\. [A-Z][a-z]+-[A-Z][a-z]+ van der [A-Z][a-z]+", doctor)
    assert re.fullmatch(r"[a-z]+'[a-z]+", small)
    assert not {"sloan", "charles", "anna", "lena", "berg", "neil"} & set(re.findall(r"\w+", found.text.lower()))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_person_is_the_same_throughout(seed: int) -> None:
    found = made(
        "[PATIENT:SLOAN , CHARLES E] . Mr. [PATIENT:Sloan] slept. [PATIENT:C. Sloan] left; [PATIENT:CS] , "
        "[PATIENT:C.E.S.] , [PATIENT:Charles]",
        seed,
    )
    full, surname, short, initials, dotted, given_name = marked(found)
    family, given_out, middle = re.fullmatch(r"(\w+) , (\w+) (\w)", full).groups()  # type: ignore[union-attr]
    assert surname == family.capitalize()
    assert short == f"{given_out[0]}. {family.capitalize()}"
    assert initials == given_out[0] + family[0]
    assert given_name == given_out.capitalize()
    assert dotted.split(".")[0] == given_out[0]
    assert dotted.split(".")[2] == family[0]
    assert middle.isupper()


INITIALS = ["jd", "JD", "J.D.", "J D", "jD", "j. d.", "JD", "Jd"]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("known", ["", "[PATIENT:John Doe] , "])
def test_initials_stay_initials(known: str, seed: int) -> None:
    """As many letters, in the capitals and with the signs of the original, and the same initials in every form."""
    found = marked(made(known + " , ".join(f"[DOCTOR:{one}]" for one in INITIALS), seed))[-len(INITIALS) :]
    assert [shape(one) for one in found] == [shape(one) for one in INITIALS]
    (letters,) = {re.sub(r"\W", "", one).lower() for one in found}
    assert letters[0] != "j"
    assert letters[1] != "d"
    if known:
        full = marked(made(known + " , ".join(f"[DOCTOR:{one}]" for one in INITIALS), seed))[0].lower().split()
        assert letters == full[0][0] + full[1][0]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("O'Brien", r"O'[A-Z][a-z]+"),
        ("O'BRIEN", r"O'[A-Z]+"),
        ("D’Angelo", r"D’[A-Z][a-z]+"),
        ("de la Cruz", r"de la [A-Z][a-z]+"),
        ("DE LA CRUZ", r"DE LA [A-Z]+"),
        ("McCoy", r"Mc[A-Z][a-z]+"),
        ("MCCOY", r"MC[A-Z]+"),
        ("mccoy", r"mc[a-z]+"),
        ("MacKenzie", r"Mac[A-Z][a-z]+"),
        ("DeShawn", r"De[A-Z][a-z]+"),
        ("JoAnn Lee", r"[A-Z][a-z][A-Z][a-z]+ [A-Z][a-z]+"),
        ("Smith-Jones", r"[A-Z][a-z]+-[A-Z][a-z]+"),
        ("SMITH-JONES , J", r"[A-Z]+-[A-Z]+ , [A-Z]"),
        ("Dr. JD Smith", r"Dr\. [A-Z]{2} [A-Z][a-z]+"),
        ("Dr. AB Smith", r"Dr\. [A-Z]{2} [A-Z][a-z]+"),
        ("jrrt", r"[a-z]{4}"),
        ("jd/km", r"[a-z]{2}/[a-z]{2}"),
        ("ab", r"[a-z]{2}"),
        ("R2D2", r"[A-Z]\d[A-Z]\d"),
        ("John2 Doe", r"[A-Z][a-z]+\d [A-Z][a-z]+"),
        ("LEE , ANN M", r"[A-Z]{4,} , [A-Z]{4,} [A-Z]"),
        ("Ng", r"[A-Z][a-z]"),
    ],
)
def test_orthography(name: str, expected: str, seed: int) -> None:
    (found,) = marked(made(f"[DOCTOR:{name}]", seed))
    assert re.fullmatch(expected, found)
    assert found.lower() != name.lower()


def test_a_name_is_the_same_in_all_its_capitals() -> None:
    for seed in SEEDS:
        found = marked(made("[DOCTOR:McCoy] [DOCTOR:MCCOY] [DOCTOR:mccoy] [DOCTOR:MACKENZIE] [DOCTOR:MacKenzie]", seed))
        assert len({one.lower() for one in found}) == 2


def test_two_persons_stay_two() -> None:
    for seed in SEEDS:
        names = marked(made("[PATIENT:Ann Lee] [PATIENT:Bob Ray] [DOCTOR:Eve Fox] [DOCTOR:Tom Day]", seed))
        assert len({word for name in names for word in name.split()}) == 8


@pytest.mark.parametrize("seed", SEEDS)
def test_dates_move_together(seed: int) -> None:
    text = "[DATE:10/29/1997] , [DATE:Oct 31] , [DATE:Monday] , [DATE:November 3, 1997] , [DATE:1997-12-01]"
    first, second, weekday, third, fourth = marked(made(text, seed))
    days = [full(find_dates(one, day_first=False)[0]) for one in (first, third, fourth)]
    assert None not in days
    assert (days[1] - days[0]).days == 5  # type: ignore[operator]
    assert (days[2] - days[1]).days == 28  # type: ignore[operator]
    assert re.fullmatch(r"[A-Z][a-z]{2} \d{1,2}", second)
    moved = (days[0] - date(1997, 10, 29)).days  # type: ignore[operator]
    names = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    assert weekday == names[moved % 7]


@pytest.mark.parametrize("seed", SEEDS)
def test_numbers_keep_their_form(seed: int) -> None:
    found = made(
        "[ID:MR-0417 b] , [ID:mr0417B] , [PHONE:(555) 010-4477] , [ZIP:02139] , [EMAIL:ab.smith2@mail.example.com] , "
        "[IPADDR:10.0.3.77]",
        seed,
    )
    code, again, phone, post, mail, address = marked(found)
    assert (shape(code), shape(phone), shape(post)) == ("AA-9999 a", "(999) 999-9999", "99999")
    assert again == re.sub(r"\W", "", code).lower()[:-1] + code[-1].upper()  # the same number, written otherwise
    assert re.fullmatch(r"[a-z]{2}\.[a-z]{5}\d@[a-z]{4}\.[a-z]{7}\.com", mail)
    assert shape(address) == "99.9.9.99"
    assert code != "MR-0417 b"


@pytest.mark.parametrize("seed", SEEDS)
def test_ages_stay_on_their_side_of_ninety(seed: int) -> None:
    assert re.fullmatch(r"[1-9]\d{7}", marked(made("[AGE:19971029]", seed))[0])  # no age, but digits all the same
    found = made("[AGE:62 years] , [AGE:62] , [AGE:91] , [AGE:102] , [AGE:7] , [AGE:sixty-two years]", seed)
    years, same, old, oldest, child, said = marked(found)
    assert years == f"{same} years"
    assert 10 <= int(same) <= 89
    assert same != "62"
    assert 90 <= int(old) <= 99
    assert 100 <= int(oldest) <= 115
    assert 1 <= int(child) <= 9
    assert re.fullmatch(r"[a-z]+ty-[a-z]+ years", said)
    assert said != "sixty-two years"


def test_generic_words_of_places_stay() -> None:
    house, street, short, only = marked(
        made(
            "[HOSPITAL:Hospital General de Jerez] [STREET:C/ Serrano, 27, 1 A] "
            "[HOSPITAL:MGH] [HOSPITAL:General Hospital]"
        )
    )
    assert re.fullmatch(r"Hospital General de [A-Z][a-z]+", house)
    assert re.fullmatch(r"C/ [A-Z][a-z]+, \d\d, \d A", street)
    assert re.fullmatch(r"[A-Z]{3}", short)
    assert only.startswith("General ")
    assert only != "General Hospital"


def test_a_share_of_names_are_medical_terms() -> None:
    people = " , ".join(f"[PATIENT:Person{letter}{other}]" for letter in "abcdefghij" for other in "klmnopqrst")
    terms = [name.lower() in MEDICAL for name in marked(made(people, ambiguous=0.15))]
    assert 5 <= sum(terms) <= 27  # 100 draws with 0.15: 15 expected, and this is three standard deviations around it
    assert not any(name.lower() in MEDICAL for name in marked(made(people, ambiguous=0.0)))
    with pytest.raises(PlanError, match=r"ambiguous: found 1\.5"):
        made(people, ambiguous=1.5)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_a_share_of_names_is_out_of_vocabulary(share: float) -> None:
    """Of 100 draws, within four standard deviations; at both ends exactly."""
    known = dictionary_from("wordfreq:en")
    people = " , ".join(f"[PATIENT:Person{letter}{other}]" for letter in "abcdefghij" for other in "klmnopqrst")
    result = surrogates(Corpus([record(people)]), seed=1, out_of_vocabulary=share, dictionary=known)
    names = [name.lower() for name in marked(result.corpus.documents[0])]
    assert len(set(names)) == 100
    outside = sum(name not in known for name in names)
    assert abs(outside - 100 * share) <= 4 * (100 * share * (1 - share)) ** 0.5
    assert not result.leaks


def test_names_out_of_vocabulary_stand_beside_ambiguous_ones() -> None:
    corpus = Corpus([record(" , ".join(f"[PATIENT:Person{letter}]" for letter in "abcdefghijklmnopqrst"))])
    known = dictionary_from("wordfreq:en")
    both = surrogates(corpus, ambiguous=0.5, out_of_vocabulary=0.5, dictionary=known).corpus.documents[0]
    assert all(name.lower() in MEDICAL or name.lower() not in known for name in marked(both))
    with pytest.raises(PlanError, match="expected at most 1 together"):
        surrogates(corpus, ambiguous=0.6, out_of_vocabulary=0.5, dictionary=known)
    with pytest.raises(PlanError, match="has 1 words of four to nine letters"):
        surrogates(corpus, out_of_vocabulary=0.5, dictionary=frozenset({"zebra"}))


def test_what_was_overlooked_is_replaced_too() -> None:
    text = "[PATIENT:Mary Brown] came. Brown slept; MARY  BROWN left. Browned, brown skin stays."
    result = surrogates(Corpus([record(text)]))
    (document,) = result.corpus
    name = marked(document)[0]
    given_name, family = name.split()
    upper = f"{given_name.upper()}  {family.upper()}"
    assert document.text == f"{name} came. {family} slept; {upper} left. Browned, brown skin stays."
    assert result.repeats == 2
    assert len(document.annotations[0].mentions) == 1  # the annotation stays what it was


def test_types_can_be_kept() -> None:
    document = made("[PATIENT:Mary Jones] , [HOSPITAL:Mercy West]", keep=("HOSPITAL",))
    assert marked(document)[1] == "Mercy West"
    assert "Mary" not in document.text


def test_no_mask_stays_and_several_annotators_agree_afterwards() -> None:
    text = "Mary Jones of Oslo, 10/29"
    one = Annotation("one", (Mention(0, 10, "PERSON", "DIRECT", "a"), Mention(14, 18, "LOC", "NO_MASK")))
    two = Annotation("two", (Mention(5, 10, "PERSON", "DIRECT", "b"), Mention(20, 25, "DATETIME")))
    result = surrogates(Corpus([Document("r", text, (one, two))]))
    (document,) = result.corpus
    full, place = (document.text[mark.start : mark.end] for mark in document.annotations[0].mentions)
    family, _ = (document.text[mark.start : mark.end] for mark in document.annotations[1].mentions)
    assert full.split()[1] == family
    assert place == "Oslo"
    assert document.annotations[0].mentions[0].entity_id == "a"


def test_the_seed_decides_and_other_records_do_not() -> None:
    one, two = record("[PATIENT:Mary Jones]", "1"), record("[PATIENT:Mary Jones]", "2")
    both = list(surrogates(Corpus([one, two]), seed=3).corpus)
    assert both[0] == next(iter(surrogates(Corpus([one]), seed=3).corpus))
    assert both[0].text != both[1].text
    assert both[0] != next(iter(surrogates(Corpus([one]), seed=4).corpus))


def test_the_audit_finds_what_is_left() -> None:
    original = record("[PATIENT:Mary Jones] , [HOSPITAL:Mercy West] , [DATE:June 2004] , [ID:77]")
    clean = Document("r", "Alda Frist , Gorwick , July 2005 , 12", original.annotations)
    assert audit(original, clean) == []
    for text, left in (
        ("Alda JONES came", "JONES"), ("a mary\njones", "mary\njones"), ("at MERCY  WEST", "MERCY  WEST"),
        ("in june 2004", "june 2004"),
    ):  # fmt: skip
        found = audit(original, Document("r", text))
        assert [leak.text for leak in found] == [left]
        assert text[found[0].start : found[0].end] == left
    assert audit(original, Document("r", "Joneses, mercy, 77, Westmary")) == []  # other words, or too short to tell
    # A word in small letters is not the name; but where the name is marked so, it is.
    assert audit(original, Document("r", "he jones")) == []
    assert [leak.text for leak in audit(record("[PATIENT:jones]"), Document("r", "Jones"))] == ["Jones"]
    # A month that was marked alone is not left by being the month of another date.
    other = Document("r", "5 June 2004", (Annotation("gold", (Mention(0, 11, "DATE"),)),))
    assert audit(original, other) == []
    assert audit(original, other, keep=("PATIENT",)) == []


@pytest.mark.parametrize("name", ["İzmirli", "Weißenstraße", "Ǆemal", "ΣΊΣΥΦΟΣ", "山田太郎様"])
def test_the_audit_knows_letters_of_all_kinds(name: str) -> None:
    original = record(f"[PATIENT:{name}]")
    assert [leak.text for leak in audit(original, Document("r", f"Mr. {name} came"))] == [name]
    assert name not in made(f"[PATIENT:{name}] came").text


def test_identifying_strings() -> None:
    found = IdentifyingStrings(record("[DOCTOR:Dr. Jo de la Cruz] [CITY:Rye] [ID:12345] [HOSPITAL:St  Mary]"))
    assert found.kinds == {"dr. jo de la cruz": "person", "cruz": "person", "st mary": "organization"}


@settings(max_examples=150)
@given(st.text(max_size=30), st.sampled_from(sorted({kind.kind for kind in PHI_TYPES.values()})), st.integers(0, 99))
def test_any_text_has_a_surrogate(text: str, kind: str, seed: int) -> None:
    name = next(name for name, known in PHI_TYPES.items() if known.kind == kind)
    if not text:
        return
    body = f"Seen: {text} today"
    document = Document("r", body, (Annotation("gold", (Mention(6, 6 + len(text), name),)),))
    result = surrogates(Corpus([document]), seed=seed)
    (found,) = result.corpus
    assert found.problems() == []
    assert found.text.startswith("Seen: ")
    assert found.text.endswith(" today")
    (mention,) = found.annotations[0].mentions
    assert found.text[mention.end :] == " today"
    assert mention.start == 6


def test_mentions_that_cut_a_word_hold_all_of_its_surrogate() -> None:
    document = Document("r", "Smithson", (Annotation("one", (Mention(0, 8, "PATIENT"), Mention(0, 5, "PATIENT"))),))
    (found,) = surrogates(Corpus([document])).corpus
    whole, part = found.annotations[0].mentions
    assert (whole.start, whole.end) == (part.start, part.end) == (0, len(found.text))


def test_makers_are_consistent() -> None:
    names = Names(Random(1), taken=())
    assert names.place("Lund")[0][2] == names.place("Lund")[0][2]
    numbers = NumberSurrogates(Random(1), taken=())
    assert numbers.code("A-1")[0][2] == numbers.code("a1")[0][2][0].upper()
    assert numbers.code("--") == []


def check(corpus: Corpus, seed: int) -> None:
    """All that must hold for the surrogates of a corpus."""
    result = surrogates(corpus, seed=seed)
    assert result.leaks == ()
    day_first = bool(
        day_comes_first(
            one.text[mark.start : mark.end]
            for one in corpus
            for layer in one.annotations
            for mark in layer.mentions
            if phi_type(mark.entity_type).kind == "date"
        )
    )
    for old, new in zip(corpus, result.corpus, strict=True):
        assert new.problems() == []
        distances = set()
        for before, after in zip(old.annotations, new.annotations, strict=True):
            for one, two in zip(before.mentions, after.mentions, strict=True):
                assert (one.entity_type, one.entity_id, one.identifier) == (
                    two.entity_type,
                    two.entity_id,
                    two.identifier,
                )
                if one.identifier == "NO_MASK":
                    continue
                was, now = old.text[one.start : one.end], new.text[two.start : two.end]
                kind = phi_type(one.entity_type).kind
                if kind == "date":
                    dates = [[full(day) for day in find_dates(text, day_first)] for text in (was, now)]
                    assert len(dates[0]) == len(dates[1]), (was, now)  # each is still a date, so a valid one
                    distances |= {(b - a).days for a, b in zip(*dates, strict=True) if a and b}
                    if re.fullmatch(r"[\d\W]+", was):
                        assert re.sub(r"\d{1,2}", "9", shape(was)) == re.sub(r"\d{1,2}", "9", shape(now))
                if kind in ("code", "age") and not re.search(r"[^\W\d_]", was):
                    assert shape(was) == shape(now)
        assert len(distances) <= 1, (old.id, distances)  # one offset: intervals are unchanged


@pytest.mark.parametrize("seed", [0, 7])
def test_the_demonstration_corpus(seed: int) -> None:
    check(read_corpus(demo.corpus_path()), seed)


def test_records_of_meddocan(records: Corpus) -> None:
    check(Corpus(records.documents[:200]), 7)


def test_groups_stay_groups_under_other_names() -> None:
    """Intervals need to know which records are one patient's; a patient's number is none of the reader's business."""
    records = [Document(str(number), "Dr. Lee left.", (), group) for number, group in enumerate(("MRN 7", "", "MRN 7"))]
    assert [one.group for one in surrogates(Corpus(records)).corpus] == ["group-1", "", "group-1"]


def test_what_nobody_stated_is_not_stated_afterwards() -> None:
    mention = by_type(4, 7, "DOCTOR")
    record = Document("1", "Dr. Lee left.", (Annotation("a", (mention,)),))
    (made,) = surrogates(Corpus([record])).corpus
    assert [one.stated for one in made.annotations[0].mentions] == [False]
