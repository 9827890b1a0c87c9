"""Whether surrogates make sense, by hand: every rule in five languages, then what is counted of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    Mask,
    Mention,
    PlanError,
    Run,
    evaluate,
    parse_metric,
)
from showthrough.data.masks import TypedMask
from showthrough.data.text_anonymizations import Rewriting
from showthrough.families.information._fidelity_rules import RULES
from showthrough.systems.replacing import WAYS, make_replacer
from talking import talking

Pair = tuple[
    str, str, str
]  # what a mask hides, what it writes, and its type; before a | in it stands a title or a word
PER, LOC, ORG, DATE, ID, REL = "PERSON", "LOC", "ORG", "DATE", "ID", "RELATIVE"


def document(key: str, pairs: list[Pair], group: str = "") -> tuple[Document, list[TypedMask]]:
    """A text with all that is hidden, a line for each."""
    text, masks = "", []
    for hidden, written, kind in pairs:
        before, bar, own = hidden.rpartition("|")
        text += before if bar else "– "
        masks.append(TypedMask(len(text), len(text) + len(own), written, kind))
        text += f"{own}.\n"
    return Document(key, text, group=group), masks


def run_of(*documents: list[Pair], metric: str = "fidelity", language: str = "en", groups: str = "") -> Run:
    made = [document(f"d{number}", pairs, groups[number : number + 1]) for number, pairs in enumerate(documents)]
    masks = Anonymization({own.id: marked for own, marked in made}, offsets="characters")
    corpus = Corpus([own for own, _ in made], offsets="characters")
    return evaluate(corpus, {"a": masks}, [metric], language=language, texts=False, resamples=0, references=False)


def counts(run: Run, rule: str) -> tuple[float, float, float]:
    """How many surrogates are right, how many can be judged, and how many the rule asks about."""
    (rows,) = (by["a"] for by in run.rows.values())
    return tuple(sum(rows[f"{column}:{rule}"]) for column in ("right", "said", "asked"))  # type: ignore[return-value]


def pairs(text: str, kind: str) -> list[Pair]:
    """`Ann → Eva; Mr |Doe → Roe`."""
    return [(hidden, written, kind) for hidden, _, written in (each.partition(" → ") for each in text.split("; "))]


# A rule, a language, the pairs with their type, and of them: right, judged, asked.
TABLE: list[tuple[str, str, str, str, tuple[int, int, int]]] = [
    # Kinds: right, wrong, and a name that may be anything.
    ("type", "en", "Mr Doe → Mr Roe; Ann Doe → May 2019; Ann → Brell", PER, (1, 2, 3)),
    ("type", "en", "Ann Doe → Sofia; Doe → Paris; Ann Doe → Oslo", PER, (1, 2, 3)),
    ("type", "es", "Sevilla → Madrid; Sevilla → 12345; Sevilla → Brell", LOC, (1, 2, 3)),
    ("type", "de", "5. Mai 2019 → 7. Juni 2020; 5. Mai 2019 → Hamburg", DATE, (1, 2, 2)),
    (
        "type",
        "fr",
        "Hôpital Nord → Clinique Sud, hôpital; Hôpital Nord → 4 mai 2001; Hôpital Nord → Brell",
        ORG,
        (1, 2, 3),
    ),
    ("type", "it", "AB-123 → CD-456; AB-123 → Giulia", ID, (1, 2, 2)),
    # Gender: by title or given name; one that may be either cannot be judged, and of some originals nobody knows.
    ("gender", "en", "Mrs Doe → Mrs Roe; Anna Doe → John Roe; Mr |Doe → Roe; Doe → Roe", PER, (1, 2, 3)),
    ("gender", "es", "Sra. Pérez → Sra. Gil; María Pérez → Juan Gil; Juan Gil → Robin Mas", PER, (1, 2, 3)),
    ("gender", "de", "Frau Berg → Frau Tal; Herr |Berg → Ursula Tal; Herr Berg → Dr. Tal", PER, (1, 2, 3)),
    ("gender", "fr", "Mme Petit → Mme Grand; Pierre Petit → Sylvie Grand; Pierre Petit → Claude Grand", PER, (1, 2, 3)),
    ("gender", "it", "Sig.ra Bruni → Sig.ra Verdi; Chiara Bruni → Paolo Verdi; Paolo → Andrea", PER, (1, 2, 3)),
    ("gender", "nl", "mevrouw Vos → mevrouw Smit; Willem Vos → Anouk Smit; de heer Vos → Robin Smit", PER, (1, 2, 2)),
    ("gender", "en", "sister → sister-in-law; mother → father; uncle → neighbour", REL, (1, 2, 3)),
    ("gender", "es", "hermana → tía; madre → padre", REL, (1, 2, 2)),
    # Number: two who are joined, plural titles, plural nouns. A name without a sign of several is one person's.
    ("number", "en", "Ann and Bob Doe → Eva and Tom Roe; Ann and Bob Doe → Eva Roe; Ann → Eva", PER, (1, 2, 2)),
    ("number", "es", "Juan y María Gil → Luis y Ana Mas; Ramón y Cajal → Luis y Ana Mas", PER, (1, 2, 2)),
    ("number", "de", "Brüder → Söhne; Schwester → Tanten; Mutter → Nachbarin", REL, (1, 2, 3)),
    ("number", "fr", "Mmes Petit → Mmes Grand; MM. Petit → M. Grand", PER, (1, 2, 2)),
    ("number", "it", "figli → fratelli; figlia → sorelle", REL, (1, 2, 2)),
    # One person, one name: repeated, by surname alone, and where a surname is that of two.
    ("one", "en", "Ann Doe → Eva Roe; Ann Doe → Eva Roe; Doe → Roe; Ann → Zoe", PER, (2, 3, 3)),
    ("one", "es", "Ana Gil → Eva Mas; Luis Gil → Juan Mas; Gil → Mas", PER, (0, 0, 1)),
    ("one", "de", "Berg → Tal; BERG → TAL; Berg → Feld", PER, (1, 2, 2)),
    ("one", "fr", "Lyon → Nantes; Lyon → Nantes; Lyon → Lille", LOC, (1, 2, 2)),
    ("one", "it", "AB-123 → CD-456; AB 123 → CD 456; AB123 → XY999", ID, (1, 2, 2)),
    # Two persons, two names: each but the first; a shorter form of one name is not a second.
    ("two", "en", "Ann Doe → Eva Roe; Bob Fry → Eva Roe; Doe → Roe; Tom Hill → Jim Vale", PER, (2, 3, 3)),
    ("two", "es", "Sevilla → Madrid; Bilbao → Madrid; Lugo → Cuenca", LOC, (1, 2, 2)),
    ("two", "de", "12-345 → 98-765; 12-346 → 98-766; 12-347 → 98-765", ID, (1, 2, 2)),
    ("two", "fr", "Anne Petit → Eve Grand; Luc Blanc → Guy Noir", PER, (1, 1, 1)),
    ("two", "it", "Anna Bruni → Eva Verdi; Luca Neri → Eva Verdi", PER, (0, 1, 1)),
    # Relations: a shared surname that stays shared, one that is lost, one that is invented.
    ("relations", "en", "Ann Doe → Eva Roe; Bob Doe → Tom Roe", PER, (1, 1, 1)),
    ("relations", "en", "Ann Doe → Eva Roe; Bob Doe → Tom Fry", PER, (0, 1, 1)),
    ("relations", "en", "Ann Doe → Eva Roe; Bob Hill → Tom Roe; Jim Fry → Al Vale", PER, (0, 1, 1)),
    ("relations", "en", "Ann Doe → Eva Roe; Bob Doe → Tom", PER, (0, 0, 1)),
    ("relations", "es", "Pérez Gil, Ana → Mas Rey, Eva; Luis Pérez Sanz → Juan Mas Coll", PER, (1, 1, 1)),
    ("relations", "de", "Klinikum Passau → Klinikum Fulda; Passau → Fulda; Stadt Passau → Stadt Celle", LOC, (1, 2, 2)),
    (
        "relations",
        "fr",
        "Brest → Niort; Hôpital de Brest → Hôpital de Niort; Mairie de Brest → Mairie de Pau",
        ORG,
        (1, 2, 2),
    ),
    ("relations", "it", "Anna Bruni → Eva Verdi; Luca Bruni → Ugo Verdi", PER, (1, 1, 1)),
    # Order and distances: each date but the earliest, by what it follows. 9 − 5 days is 4, and so is 11 − 7.
    ("order", "en", "5 May 2019 → 7 June 2018; 9 May 2019 → 1 June 2018; May 2019 → June 2018", DATE, (0, 1, 2)),
    (
        "distances",
        "en",
        "5 May 2019 → 7 June 2018; 9 May 2019 → 11 June 2018; 10 May 2019 → 14 June 2018",
        DATE,
        (1, 2, 2),
    ),
    ("order", "es", "5 de mayo de 2019 → 1 de abril de 2018; 9 de mayo de 2019 → 5 de abril de 2018", DATE, (1, 1, 1)),
    ("distances", "es", "13/05/2019 → 14/04/2018; 01/06/2019 → 03/05/2018", DATE, (1, 1, 1)),  # 19 days; 13 is no month
    ("distances", "es", "03/05/2019 → 04/04/2018; 01/06/2019 → 03/05/2018", DATE, (0, 0, 1)),  # which is the month?
    ("order", "de", "05.03.2019 → 06.04.2018; 07.03.2019 → 08.04.2018", DATE, (1, 1, 1)),  # with stops the day is first
    ("distances", "de", "5. März 2019 → 6. April 2018; 7. März 2019 → 9. April 2018", DATE, (0, 1, 1)),
    ("distances", "fr", "5 août 2019 → 6 mars 2018; 7 août 2019 → 9 mars 2018", DATE, (0, 1, 1)),
    ("order", "it", "5 maggio 2019 → 6 aprile 2018; 7 maggio 2019 → 2 aprile 2018", DATE, (0, 1, 1)),
    ("order", "fr", "5 août 2019 → 6 mars 2018; 7 août 2019 → 8 mars 2018", DATE, (1, 1, 1)),
    ("distances", "it", "5 maggio 2019 → 6 aprile 2018; 7 maggio 2019 → 8 aprile 2018", DATE, (1, 1, 1)),
    # Formats: of dates, codes, ages and addresses.
    ("format", "en", "5 May 2019 → 12 June 2018; 5 May 2019 → 12/06/2018; 31/01/2019 → 31/02/2019", DATE, (1, 3, 3)),
    ("format", "es", "a@b.es → c@d.es; a@b.es → c@d", "EMAIL", (1, 2, 2)),
    ("format", "es", "ward7@b.es → maria@d.es; ward7@b.es → 99", "CODE", (1, 2, 2)),
    ("format", "de", "AB-1234 → XY-9876; AB-1234 → XY-98765; AB-1234 → xy-9876", ID, (1, 3, 3)),
    ("format", "fr", "45 ans → 38 ans; 45 ans → 38", "AGE", (1, 2, 2)),
    ("format", "it", "12,50 € → 9,80 €; 12,50 € → 9", "MONEY", (1, 2, 2)),
    # Check digits: valid before and after, or not after; what was not valid before is not asked about.
    (
        "digits",
        "en",
        "NHS |943 476 5919 → 401 023 2137; NHS |943 476 5919 → 401 023 2138; 943 476 5919 → 1",
        ID,
        (1, 2, 2),
    ),
    ("digits", "es", "12345678Z → 87654321X; 12345678Z → 87654321A; 12345678A → 1", ID, (1, 2, 2)),
    (
        "digits",
        "de",
        "DE89370400440532013000 → GB82WEST12345698765432; Steuer-ID |86095742719 → 12345678901",
        ID,
        (1, 2, 2),
    ),
    ("digits", "fr", "269054958815780 → 255081416802538; 269054958815780 → 255081416802539", ID, (1, 2, 2)),
    ("digits", "it", "RSSMRA85T10A562S → BNCLRA80A41H501D; RSSMRA85T10A562S → BNCLRA80A41H501A", ID, (1, 2, 2)),
    ("digits", "nl", "BSN |111222333 → 123456782; BSN |111222333 → 123456783; 111222333 → 1", ID, (1, 2, 2)),
    # Frequency: a name that people have, one that nobody has, and one that everybody knows.
    ("plausible", "en", "Ann Doe → Mary Osborne; Ann Doe → Tarno Brellish; Ann Doe → Taylor Swift", PER, (1, 3, 3)),
    ("plausible", "es", "Ana Gil → Carmen Echeverría; Ana Gil → Rafael Nadal; Lugo → Zzgrova", PER, (1, 3, 3)),
    ("plausible", "de", "Berg → Schröder; Berg → Frau Merkel; Berg → Öndhnel", PER, (1, 3, 3)),
    ("plausible", "fr", "Anne Petit → Luc Lefebvre; Anne Petit → Édith Piaf; Anne Petit → Ловушка", PER, (1, 2, 3)),
    ("plausible", "it", "Chiara Bruni → Paolo Esposito; Chiara Bruni → Sophia Loren", PER, (1, 2, 2)),
    # New: nobody's original. A given name alone may be anybody's.
    ("new", "en", "Ann Doe → Eva Roe; Bob Fry → Doe, Ann; Tom Hill → Bob Fry; Jim → Ann", PER, (2, 3, 4)),
    ("new", "es", "12345678Z → 87654321X; 87654321-X → 11111111H", ID, (1, 2, 2)),
    ("new", "de", "Berg → Tal; Tal → Feld", PER, (1, 2, 2)),
    ("new", "fr", "a@b.fr → c@d.fr; c@d.fr → e@f.fr", "EMAIL", (1, 2, 2)),
    ("new", "it", "Anna Bruni → Eva Verdi; Eva Verdi → Ada Neri", PER, (1, 2, 2)),
]


def test_the_table_has_every_rule_in_five_languages() -> None:
    languages = {rule: {language for own, language, *_ in TABLE if own == rule} for rule in RULES}
    assert {rule: own for rule, own in languages.items() if len(own) < 5} == {}


@pytest.mark.parametrize(("rule", "language", "text", "kind", "expected"), TABLE)
def test_a_rule(rule: str, language: str, text: str, kind: str, expected: tuple[int, int, int]) -> None:
    run = run_of(pairs(text, kind), language=language)
    assert counts(run, rule) == expected
    right, said, asked = expected
    scores = {score.part: score.value for score in run.scores}
    assert scores[rule] == (right / said if said else None)
    assert scores[f"unjudged:{rule}"] == (asked - said) / asked


def values(run: Run, name: str = "a") -> dict[str, float | None]:
    return {score.part: score.value for score in run.scores if score.anonymization == name}


def test_a_surrogate_with_two_faults_has_no_fault_once() -> None:
    found = values(
        run_of([
            ("Ann Doe", "Mary Osborne", PER),
            ("Mrs Hill", "Mr Zzgrova", PER),  # another gender, and a name of nobody
            ("5 May 2019", "7 June 2018", DATE),
            ("nurse", "Teacher", "PROFESSION"),  # no rule can judge it
            ("Oslo", "Norway", LOC),  # wider: no surrogate
            ("Rome", "[CITY]", LOC),
        ])
    )  # fmt: skip
    assert found[""] == 2 / 3  # of three that can be judged, all but Mr Zzgrova
    assert found["unjudged"] == 1 / 4
    assert found["surrogates"] == 4 / 6
    assert (found["gender"], found["plausible"], found["format"]) == (1 / 2, 1 / 2, 1.0)
    assert found["plausible-original"] == 1.0  # Doe and Hill
    assert found["digits"] is None


@pytest.mark.parametrize(
    ("hidden", "written", "kind"),
    [
        ("Ann", "", PER), ("Ann", "   ", PER), ("Ann", "***", PER), ("Ann", "[PERSON]", PER), ("Ann", "PERSON_1", PER),
        ("Ann", "MASKED", PER), ("Ann", "<REDACTED>", PER), ("Ann Doe", "Ann", PER), ("Oslo", "Norway", LOC),
        ("5 May 2019", "2019", DATE), ("5 May 2019", "mid-2010", DATE), ("1971", "early 1980s", DATE),
        ("Oslo District Court", "a court in Norway", ORG), ("EUR 12,450", "€10k-100k", "MONEY"), ("45", "40s", "AGE"),
        ("Ann was born in Oslo. " * 20, "Eva was born in Rome. " * 20, "MISC"),
    ],
)  # fmt: skip
def test_what_is_no_surrogate_has_no_value(hidden: str, written: str, kind: str) -> None:
    run = run_of([(hidden, written, kind)])
    score = run["a", "fidelity"]
    assert (score.value, score.low, score.high) == (None, None, None)
    assert (
        score.reason == "no mask writes a surrogate: labels, wider terms, descriptions and empty replacements are none"
    )
    assert {value for part, value in values(run).items() if part != "surrogates"} == {None}


def test_of_the_five_ways_of_replacing_one_writes_surrogates() -> None:
    own, masks = document("d", [("Ann Doe", "", PER), ("5 May 2019", "", DATE), ("Oslo", "", LOC), ("4711-B", "", ID)])
    corpus = Corpus([own])
    ways = {way: Anonymization({"d": make_replacer(way)(own, masks)}) for way in WAYS}
    run = evaluate(corpus, ways, ["fidelity"], resamples=0)
    assert {way for way in ways if run[way, "fidelity"].value is not None} == {"surrogate"}
    assert run["surrogate", "fidelity", "surrogates"].value == 1.0
    assert {run[name, "fidelity"].value for name in ("nothing masked", "everything masked")} == {None}


def test_passages_that_were_written_anew_are_no_surrogates() -> None:
    corpus = Corpus([Document("d", "Ann left.")])
    run = evaluate(corpus, {"a": Rewriting({"d": [Mask(0, 9, "Eva stayed.")]})}, ["fidelity"], resamples=0)
    assert values(run)[""] is None


@pytest.mark.parametrize(
    ("within", "groups", "one", "relations"),
    [
        ("document", "", (0, 0, 0), (0, 0, 0)),
        ("group", "xyx", (1, 1, 1), (0, 1, 1)),  # d0 and d2 are one patient's: Ann Doe again, and Bob Doe
        ("corpus", "", (1, 2, 2), (0, 1, 1)),  # in d1 Ann Doe is Zoe Fry
    ],
)
def test_names_across_documents(within: str, groups: str, one: Any, relations: Any) -> None:
    metric = f'fidelity(within="{within}")'
    ann, other, bob = ("Ann Doe", "Eva Roe", PER), ("Ann Doe", "Zoe Fry", PER), ("Bob Doe", "Tom Vale", PER)
    run = run_of([ann], [other], [ann, bob], metric=metric, groups=groups)
    assert counts(run, "one") == one
    assert counts(run, "relations") == (relations if within != "document" else (0, 1, 1))
    assert bool(parse_metric(metric).interval_fault("one")) == (within == "corpus")
    assert not parse_metric(metric).interval_fault("type")


def test_types_come_from_annotations_where_masks_say_none() -> None:
    marks = (Mention(0, 3, "PERSON", "DIRECT"), Mention(7, 13, "DATE", "QUASI"))
    corpus = Corpus([Document("d", "Ann on Monday", (Annotation("us", marks),))])
    masks = {"a": Anonymization({"d": [Mask(0, 3, "4 May 2019"), Mask(7, 13, "Friday")]})}
    run = evaluate(corpus, masks, ["fidelity"], resamples=0)
    assert counts_of(run, "type") == (0, 1, 2)  # a day for a person is wrong; nobody knows of Friday


def counts_of(run: Run, rule: str) -> tuple[float, ...]:
    rows = run.rows["fidelity"]["a"]
    return tuple(sum(rows[f"{column}:{rule}"]) for column in ("right", "said", "asked"))


def test_evidence_says_which_rule_is_broken_and_goes_without_text() -> None:
    own, masks = document("d", [("Mrs Doe", "Mr Osborne", PER)])
    run = evaluate(Corpus([own]), {"a": Anonymization({"d": masks})}, ["fidelity"])
    [fault] = run.evidence["fidelity"]["a"]["d"].surrogates
    assert (fault.rule, fault.start, fault.end, fault.original, fault.surrogate) == (
        "gender",
        2,
        9,
        "Mrs Doe",
        "Mr Osborne",
    )
    assert run.without_text().evidence["fidelity"]["a"] == {}
    assert any("a writes 1 surrogates in 1 masks; rules judge all" in note for note in run.notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('fidelity(judge="me")', "judge: found 'me'; expected llm:MODEL[@URL]"),
        ('fidelity(judge="llm:")', "judge: found 'llm:'; expected llm:MODEL[@URL]"),
        ('fidelity(within="town")', "within='town' is not known; expected one of 'document', 'group', 'corpus'"),
    ],
)
def test_what_is_no_judge_is_refused(text: str, message: str) -> None:
    with pytest.raises(PlanError, match=re.escape(message)):
        parse_metric(text)


def test_a_language_without_a_list_is_refused_although_no_name_is_looked_up() -> None:
    with pytest.raises(PlanError, match="found 'xx'; expected one of"):
        run_of([("4711", "1174", ID)], metric='fidelity(dictionary="wordfreq:xx")')


def test_a_language_without_rare_words_leaves_unheard_names_open() -> None:
    [rare, common] = (
        run_of([("Doe", name, PER)], metric='fidelity(dictionary="wordfreq:da")') for name in ("Zzgrova", "Jensen")
    )
    assert (counts(rare, "plausible"), counts(common, "plausible")) == ((0, 0, 1), (1, 1, 1))


def test_a_judge_is_asked_once_and_repeated_without_asking(tmp_path: Path) -> None:
    """Of 21 surrogates 20 are asked about at once. One that fits nowhere is no part of the headline."""
    pytest.importorskip("openai")
    heard: list[str] = []

    def speak(asked: dict[str, Any]) -> str:
        heard.append(asked["messages"][-1]["content"])
        lines = [line for line in heard[-1].splitlines() if "→" in line]
        return json.dumps({"verdicts": [
            {"number": int(line.partition(".")[0]), "fits": "Marsh" not in line} for line in lines
        ]})  # fmt: skip

    own, masks = document("d", [("Doe", "Osborne", PER)] * 20 + [("Hill", "Marsh", PER)])
    with talking(speak) as server:
        metric = f'fidelity(judge="llm:m@{server.url}")'
        for _ in range(2):
            run = evaluate(
                Corpus([own]), {"a": Anonymization({"d": masks})}, [metric], recordings=str(tmp_path / "kept.jsonl")
            )
            assert run["a", metric, "judge"].value == 20 / 21
            assert run["a", metric, "unjudged:judge"].value == 0
            assert run["a", metric].value == 1
            assert len(heard) == 2
    short, long = sorted(heard, key=len)
    assert sum("⟦Doe⟧" in line for line in long.splitlines()) == 20
    assert short.splitlines()[-1].endswith("Doe. – ⟦Hill⟧. … → Marsh")
