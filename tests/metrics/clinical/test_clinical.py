"""Clinical metrics on a record small enough to count by hand, and against a slow scorer that goes one by one."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given, settings, strategies as st

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    PlanError,
    Run,
    TypedMask,
    evaluate,
    parse_metric,
)

# One of each. Token counts in brackets.
TEXT = (
    "Mary Jones (12/03/1997) saw Dr. Lee at Mercy West, then Ann and Bob; MRN 4711. "
    "Seen by Tom Fox, age 91, in Lund. Aspirin daily."
)


def at(words: str, kind: str, text: str = TEXT) -> tuple[int, int, str]:
    start = text.index(words)
    return start, start + len(words), kind


GOLD = [
    at("Mary Jones", "PATIENT"),  # correct [2]
    at("12/03/1997", "DATE"),  # wrong extent [1; 3 words]: the system leaves the year
    at("Lee", "DOCTOR"),  # wrong type [1]: the system says PATIENT
    at("Mercy West", "HOSPITAL"),  # split [2]: found as Mercy and West
    at("Ann", "PATIENT"),  # merged [1]: found with Bob as one
    at("Bob", "PATIENT"),  # merged [1]
    at("4711", "ID"),  # missed [1]
    at("Tom Fox", "DOCTOR"),  # correct [2]
    at("91", "AGE"),  # correct [1]
    at("Lund", "LOCATION"),  # missed [1]
]
SYSTEM = [
    at("Mary Jones", "PATIENT"),
    at("12/03", "DATE"),
    at("Lee", "PATIENT"),
    at("Mercy", "HOSPITAL"),
    at("West", "HOSPITAL"),
    at("Ann and Bob", "PATIENT"),
    at("Tom Fox", "DOCTOR"),
    at("91", "AGE"),
    at("Aspirin", "DOCTOR"),  # spurious [1]
]
CORPUS = Corpus([Document("1", TEXT, (Annotation("gold", tuple(Mention(*span) for span in GOLD)),))], name="hand")
FOUND = Anonymization({"1": [TypedMask(start, end, None, kind) for start, end, kind in SYSTEM]})


def scored(*metrics: str, corpus: Corpus = CORPUS, system: Anonymization = FOUND) -> Run:
    return evaluate(corpus, {"a": system}, metrics, resamples=0, references=False)


def totals(run: Run, metric: str) -> dict[str, float]:
    return {column: sum(values) for column, values in run.rows[metric]["a"].items()}


def test_instances_by_hand() -> None:
    run = scored("phi_instance")
    # C: Mary Jones, Tom Fox, 91                                        3
    # S: 12/03 (extent), Lee (type), Mercy (extent), Ann and Bob (Ann)  4
    #    Mercy shares 5 characters with the gold instance, West 4: Mercy is the partner.
    #    Ann and Bob shares 3 with each: the first in the text, Ann, is the partner.
    # I: West, Aspirin                                                  2
    # D: Bob, 4711, Lund                                                3
    counts = totals(run, "phi_instance")
    assert {name: counts[name] for name in "CSID"} == {"C": 3, "S": 4, "I": 2, "D": 3}
    assert run["a", "phi_instance", "P"].value == pytest.approx(3 / 9)  # C + S + I = 9 masks
    assert run["a", "phi_instance", "R"].value == pytest.approx(3 / 10)  # C + S + D = 10 instances
    assert run["a", "phi_instance"].value == pytest.approx(2 * (3 / 9) * (3 / 10) / (3 / 9 + 3 / 10))


def test_instances_of_a_category_by_hand() -> None:
    run = scored("phi_instance")
    # PATIENT: gold Mary Jones (C), Ann (S), Bob (D); system Mary Jones (C), Lee (S), Ann and Bob (S).
    assert run["a", "phi_instance", "R:PATIENT"].value == pytest.approx(1 / 3)
    assert run["a", "phi_instance", "P:PATIENT"].value == pytest.approx(1 / 3)
    # DOCTOR: gold Lee (S, taken for a patient), Tom Fox (C); system Tom Fox (C), Aspirin (I).
    assert run["a", "phi_instance", "R:DOCTOR"].value == pytest.approx(1 / 2)
    assert run["a", "phi_instance", "P:DOCTOR"].value == pytest.approx(1 / 2)
    assert run["a", "phi_instance", "P:ID"].value is None  # the system never says ID
    assert run["a", "phi_instance", "R:ID"].value == 0
    # Recall of PATIENT 1/3, DATE 0/1, DOCTOR 1/2, HOSPITAL 0/1, ID 0/1, AGE 1/1, LOCATION 0/1.
    assert run["a", "phi_instance", "macro R"].value == pytest.approx((1 / 3 + 1 / 2 + 1) / 7)
    # Precision is undefined for ID and LOCATION: PATIENT 1/3, DATE 0/1, DOCTOR 1/2, HOSPITAL 0/2, AGE 1/1.
    assert run["a", "phi_instance", "macro P"].value == pytest.approx((1 / 3 + 1 / 2 + 1) / 5)


def test_instances_without_types_by_hand() -> None:
    run = scored("phi_instance(types=False)")
    # As before, but Lee is correct: only its type was wrong.
    counts = totals(run, "phi_instance(types=False)")
    assert {name: counts[name] for name in "CSID"} == {"C": 4, "S": 3, "I": 2, "D": 3}


def test_tokens_by_hand() -> None:
    run = scored("phi_token")
    # Gold has 2 + 1 + 1 + 2 + 1 + 1 + 1 + 2 + 1 + 1 = 13 tokens. Masked are all but the date, 4711 and Lund: 10.
    # 12/03/1997 is one token, and its year can be read.
    # Masked beyond gold: the "and" between Ann and Bob, Aspirin: 2.
    counts = totals(run, "phi_token")
    assert {name: counts[name] for name in ("TP", "FP", "FN")} == {"TP": 10, "FP": 2, "FN": 3}
    assert run["a", "phi_token", "P"].value == pytest.approx(10 / 12)
    assert run["a", "phi_token", "R"].value == pytest.approx(10 / 13)
    assert run["a", "phi_token"].value == pytest.approx(20 / 25)  # 2·10 / (12 + 13)


def test_words_by_hand() -> None:
    words = 'phi_token(tokens="words")'
    run = scored(words)
    # The date is three words, 12, 03 and 1997, of which two are masked: 15 in all, 12 masked.
    counts = totals(run, words)
    assert {name: counts[name] for name in ("TP", "FP", "FN")} == {"TP": 12, "FP": 2, "FN": 3}
    assert run["a", words, "R"].value == pytest.approx(12 / 15)


def test_tokens_of_a_category_by_hand() -> None:
    run = scored("phi_token")
    # PATIENT: gold Mary, Jones, Ann, Bob, all said to be so; said beyond it: Lee, and.
    assert run["a", "phi_token", "R:PATIENT"].value == 1
    assert run["a", "phi_token", "P:PATIENT"].value == pytest.approx(4 / 6)
    # DOCTOR: gold Lee, Tom, Fox; said Tom, Fox, Aspirin.
    assert run["a", "phi_token", "R:DOCTOR"].value == pytest.approx(2 / 3)
    assert run["a", "phi_token", "P:DOCTOR"].value == pytest.approx(2 / 3)
    # Over all categories, Lee is wrong too: 9 right of 12 said, of 13 asked for.
    assert run["a", "phi_token", "micro P"].value == pytest.approx(9 / 12)
    assert run["a", "phi_token", "micro R"].value == pytest.approx(9 / 13)


# A record as the challenge has it, tokenised with spaces, and with as much PHI as the paper's figure: 358-51-76, MGH,
# 10/29; SLOAN, CHARLES, E; BROWN, ANN; 10/29, 11/03; MERCY: 11 tokens, of which 3 are dates. The commas are tokens too,
# but no PHI.
CHALLENGE = """358-51-76
MGH
10/29
SLOAN , CHARLES E
Attending : BROWN , ANN
Admitted on 10/29 , discharged on 11/03 to MERCY .
"""
CHALLENGE_GOLD = [
    ("358-51-76", "ID"), ("MGH", "HOSPITAL"), ("10/29", "DATE"), ("SLOAN , CHARLES E", "PATIENT"),
    ("BROWN , ANN", "DOCTOR"), ("10/29", "DATE"), ("11/03", "DATE"), ("MERCY", "HOSPITAL"),
]  # fmt: skip


def challenge_record(text: str) -> tuple[Corpus, Anonymization]:
    """The record, and a system that finds everything but the dates."""
    marks, start = [], 0
    for words, kind in CHALLENGE_GOLD:
        start = text.index(words, start)
        marks.append(Mention(start, start + len(words), kind))
        start += len(words)
    found = [TypedMask(mark.start, mark.end, None, mark.entity_type) for mark in marks if mark.entity_type != "DATE"]
    return Corpus([Document("1", text, (Annotation("gold", tuple(marks)),))]), Anonymization({"1": found})


# The same as people write it: signs at the words' edges, and brackets.
@pytest.mark.parametrize(
    "text", [CHALLENGE, CHALLENGE.replace(" :", ":").replace("10/29 ", "(10/29)").replace(" .", ".")]
)
def test_a_record_of_the_challenge_with_all_dates_missed(text: str) -> None:
    corpus, system = challenge_record(text)
    words = 'phi_token(tokens="words")'
    run = scored("phi_token", words, corpus=corpus, system=system)
    assert run["a", "phi_token", "R"].value == 8 / 11
    # By words 358-51-76 is three, and each date two: 16, of which 6 are of dates.
    assert run["a", words, "R"].value == pytest.approx(10 / 16)


def test_exact_spans_by_hand() -> None:
    run = scored("phi_strict", "phi_span", "phi_merged", "phi_leak", "phi_strict(tolerance=5)")
    assert run["a", "phi_strict", "R"].value == pytest.approx(3 / 10)  # Mary Jones, Tom Fox, 91
    assert run["a", "phi_strict", "P"].value == pytest.approx(3 / 9)
    assert run["a", "phi_span", "R"].value == pytest.approx(4 / 10)  # and Lee, whose type does not matter here
    # Merged, Mercy and West are Mercy West. Ann and Bob do not merge: a word lies between.
    assert run["a", "phi_merged", "R"].value == pytest.approx(5 / 10)
    assert run["a", "phi_merged", "P"].value == pytest.approx(6 / 9)  # Mercy and West are both right
    # Ends up to 5 characters off: 12/03 lacks /1997, which is 5; Mercy lacks " West", 5; Ann and Bob is 8 off.
    assert run["a", "phi_strict(tolerance=5)", "R"].value == pytest.approx(5 / 10)
    # Seven missed or wrong. Sentences end after "4711." and "Lund." and "daily.", and so does "Dr. " before a capital.
    assert run["a", "phi_leak"].value == pytest.approx(7 / 4)


@pytest.mark.parametrize(("masks", "found"), [([(0, 4), (5, 10)], (2, 2)), ([(0, 10)], (2, 1)), ([(0, 3)], (0, 0))])
def test_merged_spans_count_what_annotators_marked(masks: list[tuple[int, int]], found: tuple[int, int]) -> None:
    # John, Smith and Oslo are marked, and Oslo is missed. John and Smith are two of three, found as two or as one.
    # MEDDOCAN's script counts the merged span too: 3 of 4 when both are found, and when they are found as one, 1 of 2.
    gold = tuple(Mention(start, end, "NAME") for start, end in ((0, 4), (5, 10), (14, 18)))
    corpus = Corpus([Document("1", "John Smith of Oslo", (Annotation("gold", gold),))])
    system = Anonymization({"1": [Mask(start, end) for start, end in masks]})
    counts = totals(scored("phi_merged", corpus=corpus, system=system), "phi_merged")
    assert (counts["found"], counts["right"]) == found
    assert counts["gold"] == 3


def test_a_half_masked_token_is_not_hidden() -> None:
    text = "Smithson left"
    corpus = Corpus([Document("1", text, (Annotation("gold", (Mention(0, 8, "PATIENT"),)),))])
    half = Anonymization({"1": [TypedMask(0, 5, None, "PATIENT")]})
    assert totals(scored("phi_token", corpus=corpus, system=half), "phi_token")["FN"] == 1
    both = Anonymization({"1": [TypedMask(0, 5, None, "PATIENT"), TypedMask(5, 8, None, "DOCTOR")]})
    keep = 'phi_token(unknown_types="keep")'
    counts = totals(scored(keep, corpus=corpus, system=both), keep)
    assert counts["TP"] == 1
    assert counts["TP:PATIENT"] == 1  # five letters of eight were said to be a patient's


def test_gold_marks_a_part_of_a_token() -> None:
    # Gold marks Iza in IzaTel, which makes it one token of PHI. It is hidden when Iza is, Tel or not.
    corpus = Corpus([Document("1", "IzaTel-x 5", (Annotation("gold", (Mention(0, 3, "DOCTOR"),)),))])
    for masks, expected in (
        ([(0, 3)], (1, 0, 0)),  # exactly gold
        ([(0, 8)], (1, 0, 0)),
        ([(3, 8)], (0, 0, 1)),
        ([(2, 8)], (0, 0, 1)),  # Iz can be read
        ([(0, 2), (2, 3)], (1, 0, 0)),
        ([(0, 10)], (1, 1, 0)),  # and 5
        ([(9, 10)], (0, 1, 1)),
    ):
        system = Anonymization({"1": [TypedMask(start, end, None, "DOCTOR") for start, end in masks]})
        counts = totals(scored("phi_token", corpus=corpus, system=system), "phi_token")
        assert (counts["TP"], counts["FP"], counts["FN"]) == expected, masks


def test_a_word_that_loses_a_letter_is_no_longer_whole() -> None:
    corpus = Corpus([Document("1", "John Smith , 9", (Annotation("gold", (Mention(0, 4, "PATIENT"),)),))])
    for end, extra in ((4, 0), (5, 0), (6, 1), (10, 1), (12, 1), (14, 2)):  # a sign alone is no token that counts
        system = Anonymization({"1": [TypedMask(0, end, None, "PATIENT")]})
        assert totals(scored("phi_token", corpus=corpus, system=system), "phi_token")["FP"] == extra, end


def test_what_a_token_is_taken_for_is_told_by_what_gold_marks_of_it() -> None:
    # Of Iza-Telefon gold marks Iza. The system takes Iza for a doctor and the longer Telefon for a place.
    marks = (Mention(0, 3, "DOCTOR"), Mention(12, 16, "PLACE"))
    corpus = Corpus([Document("1", "Iza-Telefon Lund", (Annotation("gold", marks),))])
    masks = [TypedMask(0, 3, None, "DOCTOR"), TypedMask(3, 16, None, "PLACE")]
    counts = totals(scored("phi_token", corpus=corpus, system=Anonymization({"1": masks})), "phi_token")
    assert (counts["TP:DOCTOR"], counts["TP:PLACE"]) == (1, 1)


def test_masks_without_types_have_no_scores_by_category() -> None:
    untyped = Anonymization({"1": [Mask(start, end) for start, end, _ in SYSTEM]})
    run = scored("phi_token", "phi_instance", "phi_strict", "phi_leak", "phi_span", system=untyped)
    assert run["a", "phi_token", "R"].value == pytest.approx(10 / 13)  # whether it is PHI can still be told
    assert run["a", "phi_span", "R"].value == pytest.approx(4 / 10)
    for metric, part in (
        ("phi_token", "micro F"), ("phi_token", "R:DATE"), ("phi_instance", ""), ("phi_strict", ""), ("phi_leak", ""),
    ):  # fmt: skip
        assert run["a", metric, part].value is None
        assert "do not say their types" in run["a", metric, part].reason


def test_a_replacement_is_a_type_only_when_asked() -> None:
    labelled = Anonymization({"1": [Mask(start, end, f"[{kind}_1]") for start, end, kind in SYSTEM]})
    assert scored("phi_instance", system=labelled)["a", "phi_instance"].value is None
    run = scored('phi_instance(type_from="replacement")', system=labelled)
    assert run["a", 'phi_instance(type_from="replacement")', "R"].value == pytest.approx(3 / 10)


def test_a_map_makes_types_the_same() -> None:
    other = Anonymization({"1": [TypedMask(s, e, None, {"PATIENT": "PER"}.get(k, k)) for s, e, k in SYSTEM]})
    with pytest.raises(InputError, match=r"type PER: is not a type of the corpus, which has AGE, .*--map PER="):
        scored("phi_instance", system=other)
    run = scored('phi_instance(map="PER=PATIENT")', system=other)
    assert totals(run, 'phi_instance(map="PER=PATIENT")')["C"] == 3
    kept = scored('phi_instance(unknown_types="keep")', system=other)
    assert totals(kept, 'phi_instance(unknown_types="keep")')["C"] == 2  # Tom Fox, 91


def test_a_map_applies_to_both_sides_and_may_leave_out() -> None:
    coarse = 'phi_instance(map="DOCTOR=NAME,PATIENT=NAME")'
    assert totals(scored(coarse), coarse)["C"] == 4  # Lee is right: doctor or patient, a name
    without = 'phi_instance(map="AGE=,ID=")'
    counts = totals(scored(without), without)
    assert (counts["C"], counts["D"]) == (2, 2)  # no 91, no 4711


@pytest.mark.parametrize("text", ["LOCATION", "=LOC", "A=B,A=C"])
def test_a_map_that_says_nothing(text: str) -> None:
    with pytest.raises(PlanError, match="map"):
        parse_metric(f'phi_token(map="{text}")')


def test_annotators_are_counted_one_by_one() -> None:
    # Two people marked the record, in another way each, and nobody a second one: the sum of what each alone gives.
    layers = [tuple(Mention(*span) for span in GOLD), (Mention(*at("Mary", "PATIENT")), Mention(*at("12/03", "DATE")))]
    system = Anonymization({"0": [TypedMask(0, 3, None, "AGE")], "1": FOUND.of("1")})

    def counts(*chosen: tuple[Mention, ...]) -> Counter[str]:
        annotations = tuple(Annotation(str(number), marks) for number, marks in enumerate(chosen))
        corpus = Corpus([Document("0", "Ann left", ()), Document("1", TEXT, annotations)])
        name = 'phi_token(unknown_types="keep")'
        found = totals(scored(name, corpus=corpus, system=system), name)
        return Counter({column: int(value) for column, value in found.items() if column not in ("masks", "typed")})

    assert counts(*layers) == counts(layers[0]) + counts(layers[1])


def test_nothing_masked_and_nothing_marked() -> None:
    empty = Anonymization({"1": []})
    run = scored("phi_token", "phi_instance", "phi_strict", "phi_merged", system=empty)
    for metric in ("phi_token", "phi_instance", "phi_strict", "phi_merged"):
        assert run["a", metric].value == 0
        assert run["a", metric, "P"].value is None
        assert run["a", metric, "R"].value == 0
    blank = Corpus([Document("1", TEXT, (Annotation("gold"),))])
    run = scored("phi_token", "phi_instance", "phi_strict", "phi_merged", corpus=blank, system=empty)
    assert all(score.value is None for score in run.scores)


def test_nested_masks_find_their_own_partner() -> None:
    # Both masks share five characters with gold; the one that fits has fewer outside.
    corpus = Corpus([Document("1", "0123456789", (Annotation("gold", (Mention(2, 7, "ID"),)),))])
    system = Anonymization({"1": [TypedMask(0, 10, None, "ID"), TypedMask(2, 7, None, "ID")]})
    counts = totals(scored("phi_instance", corpus=corpus, system=system), "phi_instance")
    assert (counts["C"], counts["I"]) == (1, 1)


SPANS = ("phi_strict", "phi_span", "phi_merged", "phi_instance", "phi_instance(types=False)")


@pytest.mark.parametrize("metric", [*SPANS, "phi_token"])
def test_what_is_said_twice_counts_once(metric: str) -> None:
    # Gold: Ann, Lund. Masked: Ann three times, and Lund. One Ann is right; the others are the same and not wrong.
    text = "Ann from Lund"
    marks = (Mention(0, 3, "PATIENT"), Mention(9, 13, "PLACE"))
    corpus = Corpus([Document("1", text, (Annotation("gold", marks),))])
    once = [TypedMask(0, 3, None, "PATIENT"), TypedMask(9, 13, None, "PLACE")]
    run = scored(metric, corpus=corpus, system=Anonymization({"1": [once[0], *once, TypedMask(0, 3, "x", "PATIENT")]}))
    assert [run["a", metric, part].value for part in ("P", "R")] == [1, 1]
    # Nor is what gold says twice to be found twice.
    twice = Corpus([Document("1", text, (Annotation("gold", (marks[0], *marks)),))])
    run = scored(metric, corpus=twice, system=Anonymization({"1": once[1:]}))
    assert run["a", metric, "R"].value == 1 / 2  # Lund of Ann and Lund


def test_one_span_of_two_types() -> None:
    # Where types count, Ann as a patient and Ann as a doctor are two answers, and one is wrong. Elsewhere they are one.
    corpus = Corpus([Document("1", "Ann from Lund", (Annotation("gold", (Mention(0, 3, "PATIENT"),)),))])
    both = Anonymization({"1": [TypedMask(0, 3, None, "DOCTOR"), TypedMask(0, 3, None, "PATIENT")]})
    names = [
        f'{name[:-1]}, unknown_types="keep")' if name[-1] == ")" else f'{name}(unknown_types="keep")' for name in SPANS
    ]
    run = scored(*names, corpus=corpus, system=both)
    assert [run["a", name, "P"].value for name in names] == [1 / 2, 1, 1, 1 / 2, 1]


def test_leaks_that_are_marked_twice_count_once() -> None:
    marks = (Mention(0, 3, "PATIENT"), Mention(0, 3, "PATIENT"), Mention(0, 3, "PLACE"))
    corpus = Corpus([Document("1", "Ann left.", (Annotation("gold", marks),))])
    run = scored("phi_leak", "phi_leak(types=False)", corpus=corpus, system=Anonymization({"1": []}))
    assert run["a", "phi_leak"].value == 2  # Ann the patient, and Ann the place
    assert run["a", "phi_leak(types=False)"].value == 1


# A slow scorer, for comparison.

KINDS = ["A", "B"]


def slow_instances(gold: list[tuple[int, int, str]], system: list[tuple[int, int, str]]) -> Counter[str]:
    pairs = []
    for g, (gs, ge, gk) in enumerate(gold):
        for s, (ss, se, sk) in enumerate(system):
            shared = min(ge, se) - max(gs, ss)
            if shared > 0:
                outside = (ge - gs) + (se - ss) - 2 * shared
                pairs.append((-shared, outside, gk != sk, (gs, ge, gk), (ss, se, sk), g, s))
    counts: Counter[str] = Counter()
    used_gold: set[int] = set()
    used_system: set[int] = set()
    for _, outside, unlike, _, _, g, s in sorted(pairs):
        if g not in used_gold and s not in used_system:
            used_gold.add(g)
            used_system.add(s)
            counts["C" if not outside and not unlike else "S"] += 1
    counts["I"], counts["D"] = len(system) - len(used_system), len(gold) - len(used_gold)
    return counts


def slow_tokens(
    text: str, gold: list[tuple[int, int, str]], system: list[tuple[int, int, str]], way: str
) -> Counter[str]:
    run = {"challenge": "山|[^\\s山]+", "words": "山|[^\\W山]+"}[way]
    units = [{place for place in range(*found.span()) if text[place].isalnum()} for found in re.finditer(run, text)]

    def under(spans: list[tuple[int, int, str]], letters: set[int]) -> set[int]:
        return {place for place in letters if any(start <= place < end for start, end, _ in spans)}

    def kind(spans: list[tuple[int, int, str]], letters: set[int]) -> str | None:
        touching = [(-len(under([span], letters)), span[0] - span[1], span) for span in spans if under([span], letters)]
        return min(touching)[2][2] if touching else None

    counts: Counter[str] = Counter()
    for letters in units:
        true, asked = kind(gold, letters), under(gold, letters)
        taken = kind(system, asked or letters)
        if asked - under(system, asked):
            taken = None
        if true or taken:
            counts["TP" if true and taken else "FN" if true else "FP"] += 1
        if true and true == taken:
            counts[f"TP:{true}"] += 1
        elif true:
            counts[f"FN:{true}"] += 1
        if taken and true != taken:
            counts[f"FP:{taken}"] += 1
    return counts


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[list[tuple[int, int, str]]]]:
    text = draw(st.text(alphabet="ab. 1/_山", min_size=1, max_size=30))
    sides = []
    for _ in range(2):
        spans = draw(
            st.lists(st.tuples(st.integers(0, len(text) - 1), st.integers(1, 9), st.sampled_from(KINDS)), max_size=7)
        )
        sides.append([(start, min(len(text), start + size), kind) for start, size, kind in spans])
    return text, sides


@settings(max_examples=80)  # an evaluation costs more than its documents: few, of many
@given(st.lists(marked(), min_size=1, max_size=16))
def test_counts_are_those_of_the_slow_scorer(cases: list[tuple[str, list[list[tuple[int, int, str]]]]]) -> None:
    corpus = Corpus(
        [
            Document(str(number), text, (Annotation("gold", tuple(Mention(*span) for span in gold)),))
            for number, (text, (gold, _)) in enumerate(cases)
        ],
        offsets="characters",  # marks anywhere may look as if they counted something else; here they insist
    )
    system = Anonymization(
        {
            str(number): [TypedMask(start, end, None, kind) for start, end, kind in spans]
            for number, (_, (_, spans)) in enumerate(cases)
        },
        offsets="characters",
    )
    names = [
        'phi_instance(unknown_types="keep")',
        'phi_token(unknown_types="keep")',
        'phi_token(unknown_types="keep", tokens="words")',
    ]
    run = evaluate(corpus, {"a": system}, names, resamples=0)
    for place, (text, sides) in enumerate(cases):
        gold, spans = (sorted(set(side)) for side in sides)
        rows = {column: values[place] for column, values in run.rows[names[0]]["a"].items()}
        expected = slow_instances(gold, spans)
        assert {name: rows[name] for name in "CSID"} == {name: expected[name] for name in "CSID"}
        for name, way in zip(names[1:], ("challenge", "words"), strict=True):
            rows = {column: values[place] for column, values in run.rows[name]["a"].items()}
            counts = slow_tokens(text, gold, spans, way)
            for column, value in rows.items():
                if column not in ("masks", "typed"):
                    assert value == counts[column], (column, text, gold, spans)
