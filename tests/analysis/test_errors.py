"""Errors by kind and type with their cases, against examples worked by hand, plain loops and the metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    Mask,
    Mention,
    PlanError,
    TypedMask,
    error_cases,
    evaluate,
    read_anonymization,
    read_corpus,
)
from showthrough.data.labels import NO_TYPE
from showthrough.report.errors import beside_sheet, errors_sheet
from showthrough.report.sheets import Bars, Cases, Grid, Heat
from showthrough.report.types_met import type_warnings
from showthrough.run import documents as kept_documents
from showthrough.run.run import Run
from showthrough.studies.errors import CASE_KINDS, DocumentSample, Errors, all_errors
from showthrough.studies.failures import HIDDEN, LEAKED, NOT_MARKED, PARTLY, Inspection
from showthrough.studies.leaks import LEAK_KINDS

#       0         1         2         3         4         5
#       01234567890123456789012345678901234567890123456789012
TEXT = "Mr John Doe of Oslo met Ann Lee on 3 May 2021. Doe ok"
DOE = Mention(0, 11, "PERSON", "DIRECT", "e1")
OSLO = Mention(15, 19, "LOC", "QUASI", "e2")
ANN = Mention(24, 31, "PERSON", "NO_MASK", "e3")
DATE = Mention(35, 45, "DATETIME", "QUASI", "e4")
AGAIN = Mention(47, 50, "PERSON", "DIRECT", "e1")
METRIC = 'recall(unit="mention")'


def evaluated(*masks: Mask, layers: tuple[Annotation, ...], metric: str = METRIC, text: str = TEXT) -> Run:
    corpus = Corpus([Document("d", text, layers)])
    return evaluate(corpus, [Anonymization({"d": list(masks)}, "one")], [metric], resamples=0)


def found(*masks: Mask, marks: tuple[Mention, ...] = (DOE, OSLO, ANN, DATE, AGAIN), **options: Any) -> Errors:
    layers = options.pop("layers", (Annotation("a", marks),))
    return error_cases(evaluated(*masks, layers=layers, **options))


def kinds(errors: Errors) -> dict[str, str]:
    """What stands there and its kind."""
    return {one.text: one.kind for one in errors.cases}


def test_each_kind_of_leak() -> None:
    assert kinds(found()) == {"Mr John Doe": "missed", "Oslo": "missed", "3 May 2021": "missed", "Doe": "missed"}
    # Doe is hidden at 47, and not at 0; of the date 2021 is left; of Oslo "Os", by a mask that has "lo met".
    masks = Mask(47, 50), Mask(35, 40), Mask(17, 23)
    assert kinds(found(*masks)) == {
        "Mr John Doe": "another", "Oslo": "border", "3 May 2021": "partly", "Oslo"[2:] + " met": "over-masked",
    }  # fmt: skip
    by_kind = found(*masks).spans
    assert (by_kind.total, by_kind.leaking) == (4, 3)
    assert by_kind.kinds == {"missed": 0, "another": 1, "partly": 1, "border": 1}


def test_a_border_is_crossed_by_words_alone() -> None:
    assert kinds(found(Mask(40, 46)))["3 May 2021"] == "partly"  # " 2021."
    assert kinds(found(Mask(40, 48)))["3 May 2021"] == "border"  # " 2021. D"
    assert kinds(found(Mask(11, 17)))["Oslo"] == "border"  # " of Os"
    assert kinds(found(Mask(14, 17)))["Oslo"] == "partly"  # " Os"
    assert kinds(found(Mask(20, 23)))["Oslo"] == "missed"  # met, beside it
    assert kinds(found(Mask(0, 2), marks=(DOE,))) == {"Mr John Doe": "missed"}  # Mr may stay, and all else did


def test_another_mention_is_that_of_the_same_annotator() -> None:
    apart = Annotation("a", (DOE,)), Annotation("b", (AGAIN,))
    assert kinds(found(Mask(47, 50), layers=apart)) == {"Mr John Doe": "missed"}
    spared = replace(AGAIN, identifier="NO_MASK")
    assert kinds(found(Mask(47, 50), marks=(DOE, spared)))["Mr John Doe"] == "another"  # hidden is hidden
    alone = replace(DOE, entity_id=""), replace(AGAIN, entity_id="")
    assert kinds(found(Mask(47, 50), marks=alone)) == {"Mr John Doe": "missed"}


def test_without_entities_no_other_mention_can_be_masked() -> None:
    alone = replace(DOE, entity_id=""), replace(AGAIN, entity_id="")
    grid = errors_sheet(found(Mask(47, 50), marks=alone)).blocks[0]
    assert isinstance(grid, Grid)
    entry = grid.rows[-1].entries[grid.heads.index("another mention masked")]
    assert (entry.value, entry.reason[:34]) == (None, "every entity has only one mention:")
    both = errors_sheet(found(marks=(DOE, AGAIN))).blocks[0]
    assert isinstance(both, Grid)
    assert not both.reasons()


def test_a_span_counts_once_and_marks_for_each_annotator() -> None:
    quasi = replace(DOE, identifier="QUASI", entity_id="x")
    errors = found(Mask(47, 50), layers=(Annotation("a", (DOE, AGAIN)), Annotation("b", (quasi,))))
    (case,) = errors.cases
    # For a another mention is hidden, for b none: the worse counts. Direct for one is direct.
    assert (case.kind, case.identifier) == ("missed", "DIRECT")
    direct, alike = errors.leaks
    assert (direct.identifier, direct.spans.total, direct.spans.leaking, direct.marks.total) == ("DIRECT", 2, 1, 2)
    assert direct.marks.kinds["another"] == 1
    assert (alike.identifier, alike.spans.total, alike.marks.leaking) == ("QUASI", 0, 1)
    grid = errors_sheet(errors).blocks[0]
    assert isinstance(grid, Grid)
    assert grid.rows[1].entries[2].value is None  # no span, no share
    assert grid.rows[1].entries[2].reason
    named = replace(DOE, entity_type="NAME_OF_SHIP")
    both = found(layers=(Annotation("a", (DOE,)), Annotation("b", (named,))))
    assert [(one.entity_type, one.times) for one in both.cases] == [("NAME_OF_SHIP", 1), ("PERSON", 1)]  # one place


def test_what_replacements_say_again_is_told() -> None:
    errors = found(Mask(0, 11, "Ms Ann Doe"), Mask(15, 19, "in OSLO"), Mask(35, 45, "2021"), marks=(DOE, OSLO, DATE))
    cases = {one.text: one for one in errors.cases if one.kind in LEAK_KINDS}
    assert {text: (one.kind, one.readable, one.repeated) for text, one in cases.items()} == {
        "Mr John Doe": ("partly", "Doe", True), "Oslo": ("missed", "", True), "3 May 2021": ("partly", "2021", True),
    }  # fmt: skip
    block = errors_sheet(errors).blocks[-1]
    assert isinstance(block, Cases)
    assert (
        "PERSON, direct, partly masked; can be read: Doe; the replacement repeats words of it" in block.cases[1].remark
    )
    trusting = found(Mask(0, 11, "Doe"), Mask(15, 18, "Osl"), marks=(DOE, OSLO), metric='er(replacements="trusted")')
    assert [(one.text, one.readable, one.repeated) for one in trusting.cases] == [("Oslo", "o", False)]


def test_what_can_be_read_in_part() -> None:
    (case,) = found(Mask(3, 7), marks=(DOE,)).cases
    assert case.readable == "Mr … Doe"
    (case,) = found(Mask(3, 10), marks=(DOE,)).cases
    assert case.readable == "Mr … e"
    signs = Corpus([Document("d", "§§§ 1", (Annotation("a", (Mention(0, 5, "X"),)),))])
    (case,) = error_cases(evaluate(signs, [Anonymization({"d": [Mask(1, 5)]})], [METRIC], resamples=0)).cases
    assert case.readable == "§"


def test_needless_masks_by_what_they_hide() -> None:
    masks = Mask(12, 14), TypedMask(20, 23, None, "CITY"), Mask(24, 27), Mask(32, 40)  # of; met; Ann; "on 3 May"
    errors = found(*masks)
    assert {one.text: (one.kind, one.entity_type) for one in errors.cases if one.kind not in LEAK_KINDS} == {
        "of": ("spurious", NOT_MARKED), "met": ("spurious", "LOC"), "Ann": ("no-mask", "PERSON"),
        "on 3 May": ("over-masked", "DATETIME"),
    }  # fmt: skip
    assert errors.masks == 4
    assert {one.entity_type for one in errors.needless if one.total == 1} == {NOT_MARKED, "LOC", "PERSON", "DATETIME"}
    assert not [one for one in found(Mask(45, 46), Mask(19, 20)).cases if one.kind not in LEAK_KINDS]  # "." and " "
    untyped = found(Mask(24, 27), marks=(replace(ANN, entity_type=""),))
    assert [(one.kind, one.entity_type) for one in untyped.cases] == [("no-mask", NO_TYPE)]  # marked, with no type
    lines = Corpus([Document("d", "a Oslo\nb", (Annotation("a", (Mention(2, 6, "LOC"),)),))])
    run = evaluate(lines, [Anonymization({"d": [Mask(2, 7)]})], [METRIC], resamples=0)
    assert error_cases(run).cases == []  # nobody misses a line feed


def met(errors: Errors) -> dict[tuple[str, str], int]:
    return {(pair.marked, pair.masked): pair.spans for pair in errors.types_met}


def test_types_of_marks_and_of_masks() -> None:
    """The mask that hides most of a span counts; finer names of a kind count as the corpus's."""
    masks = (
        TypedMask(0, 5, None, "ORG"), TypedMask(5, 11, None, "PER"),  # Mr Jo|hn Doe
        TypedMask(15, 19, None, "CITY"), TypedMask(35, 40, None, "AGE"), TypedMask(40, 45, None, "AGE"),
        TypedMask(24, 31, None, "PERSON"),  # may stay: nothing to be masked is there
    )  # fmt: skip
    errors = found(*masks)
    assert met(errors) == {
        ("PERSON", "PERSON"): 1, ("PERSON", "(not masked)"): 1, ("LOC", "LOC"): 1, ("DATETIME", "AGE"): 1,
        (NOT_MARKED, "PERSON"): 1,
    }  # fmt: skip
    (heat,) = (block for block in errors_sheet(errors).blocks if isinstance(block, Heat))
    assert heat.rows == ("PERSON", "DATETIME", "LOC", NOT_MARKED)
    assert heat.columns == ("PERSON", "LOC", "AGE", "(not masked)")
    assert heat.values == ((1, 0, 0, 1), (0, 0, 1, 0), (0, 1, 0, 0), (1, 0, 0, 0))


def test_a_span_of_two_annotators_meets_a_type_once() -> None:
    layers = (Annotation("a", (DOE, DATE)), Annotation("b", (DOE,)))
    assert met(found(TypedMask(0, 11, None, "PERSON"), layers=layers)) == {
        ("PERSON", "PERSON"): 1,
        ("DATETIME", "(not masked)"): 1,
    }
    assert met(found(Mask(0, 11), layers=layers)) == {}  # no mask has a type
    assert met(found(TypedMask(0, 11, None, "PERSON"), layers=(Annotation("a"),))) == {(NOT_MARKED, "PERSON"): 1}


NEVER = "No mask of one has the type of the span that it hides"


@pytest.mark.parametrize(
    ("types", "told"),
    [
        (("PII", "PII", "PII"), "All typed masks of one over marked spans are PII, where annotators have 3 types."),
        (("LOC", "LOC", "LOC"), "All typed masks of one over marked spans are LOC, where annotators have 3 types."),
        (("ORG", "AGE", "ORG"), f"{NEVER}. Masks have AGE, ORGANIZATION; annotators have DATETIME, LOC, PERSON."),
        (("PERSON", "AGE", "ORG"), ""),
        (("LOC", "LOC", None), ""),  # one of two is right
        (("ORG", None, None), f"{NEVER}. Masks have ORGANIZATION; annotators have PERSON."),
    ],
)  # fmt: skip
def test_types_that_never_match_are_told(types: tuple[str | None, ...], told: str) -> None:
    spans = ((0, 11), (15, 19), (35, 45))
    masks = [TypedMask(*span, None, name) if name else Mask(*span) for span, name in zip(spans, types, strict=True)]
    errors = found(*masks, marks=(DOE, OSLO, DATE))
    warnings = type_warnings("one", errors.types_met)
    hint = " Metrics that compare types cannot judge it; evaluate --map FROM=TO takes a type as another."
    assert warnings == ([told + hint] if told else [])
    assert all(line in errors_sheet(errors).lead for line in warnings)


def test_a_mark_without_a_type_is_marked() -> None:
    (case,) = found(Mask(24, 31), marks=(Mention(24, 31, "", "NO_MASK"),)).cases
    assert (case.kind, case.entity_type) == ("no-mask", "(no type)")


def test_contexts_are_whole_words_in_one_line() -> None:
    text = f"{'nine ' * 12}\n\n  Oslo,\ttwelve {'eleven ' * 12}"
    start = text.index("Oslo")
    (case,) = found(marks=(Mention(start, start + 4, "LOC"),), text=text).cases
    assert (case.before, case.text) == ("nine nine nine nine nine nine nine ", "Oslo")
    assert case.after == ", twelve eleven eleven eleven eleven"
    assert (case.start, case.end) == (start, start + 4)
    (edge,) = found(marks=(Mention(0, 4, "LOC"),), text="Oslo").cases
    assert (edge.before, edge.after) == ("", "")
    tokyo = f"{'彼は' * 30}東京{'に住む' * 30}"
    (wide,) = found(marks=(Mention(60, 62, "場所"),), text=tokyo).cases
    assert (wide.entity_type, wide.before, wide.text) == ("場所", "彼は" * 20, "東京")
    assert len(wide.after) == 40
    (split,) = found(marks=(Mention(0, 9, "LOC"),), text="Los\nÁngel es").cases
    assert split.text == "Los Ángel"


def test_a_mention_as_long_as_its_document_is_shortened() -> None:
    text = "word " * 1_000
    (case,) = found(marks=(Mention(0, 5_000, "LOC"),), text=text).cases
    assert len(case.text) < 250
    assert " … " in case.text
    assert (case.start, case.end) == (0, 5_000)


def test_frequent_strings_come_first() -> None:
    one, two = "Bergen, Oslo, OSLO", "Aalborg oslo Ny  By Ny\nby"
    first = (Mention(0, 6, "LOC"), Mention(8, 12, "LOC"), Mention(14, 18, "LOC"))
    second = (Mention(0, 7, "LOC"), Mention(8, 12, "LOC"), Mention(13, 19, "LOC"), Mention(20, 25, "LOC"))
    corpus = Corpus([Document("b", one, (Annotation("a", first),)), Document("a", two, (Annotation("a", second),))])
    run = evaluate(corpus, [Anonymization({"a": [], "b": []})], [METRIC], resamples=0)
    cases = error_cases(run).cases
    assert [(case.text, case.document, case.times, case.documents) for case in cases] == [
        ("Oslo", "b", 3, 2), ("OSLO", "b", 3, 2), ("oslo", "a", 3, 2), ("Ny By", "a", 2, 1), ("Ny by", "a", 2, 1),
        ("Aalborg", "a", 1, 1), ("Bergen", "b", 1, 1),
    ]  # fmt: skip
    here = error_cases(run, document="a").cases
    assert [case.text for case in here] == ["oslo", "Ny By", "Ny by", "Aalborg"]
    assert here[0].times == 3  # in all documents


def test_cases_of_what_is_asked_for() -> None:
    run = evaluated(Mask(20, 23), Mask(35, 40), layers=(Annotation("a", (DOE, OSLO, ANN, DATE, AGAIN)),))
    every = error_cases(run)
    assert kinds(error_cases(run, entity_type="person")) == {"Mr John Doe": "missed", "Doe": "missed"}
    assert kinds(error_cases(run, entity_type="City")) == {"Oslo": "missed"}  # a city is a LOC here
    assert kinds(error_cases(run, identifier="quasi", kind="partly")) == {"3 May 2021": "partly"}
    assert kinds(error_cases(run, kind="spurious")) == {"met": "spurious"}
    nothing = error_cases(run, "one", identifier="direct", kind="border", document="d")
    assert nothing.cases == []
    assert replace(nothing, only={}, cases=[]) == replace(every, cases=[])  # counts are of everything
    assert (
        "No case fits what was asked for: direct, wrong border, d. Everything else here covers all cases."
        in errors_sheet(nothing).lead
    )
    assert every.without_text().cases == []
    assert repr(every) == "Errors(one: 4 of 4 spans leak, 5 cases)"  # and no text
    for asked, told in (
        (
            {"entity_type": "ORG"},
            "type ORG: nothing of this type is to be masked or masked needlessly; there are PERSON",
        ),
        ({"identifier": "none"}, "identifier none: unknown; there are direct, quasi"),
        ({"kind": "Missed"}, "kind missed: unknown; there are missed, another, partly, border, over-masked"),
        ({"document": "e"}, "document e: not among the 1 documents that the run keeps"),
        ({"name": "two"}, "anonymization two: not in this run; there are one"),
    ):
        with pytest.raises(PlanError) as raised:
            error_cases(run, **asked)
        assert str(raised.value).startswith(told)


def test_several_are_beside_each_other() -> None:
    corpus = Corpus([Document("d", TEXT, (Annotation("a", (DOE, OSLO)),))])
    systems = {"none": Anonymization({"d": []}), "all": Anonymization({"d": [Mask(0, 53)]})}
    run = evaluate(corpus, systems, [METRIC], resamples=0)
    with pytest.raises(PlanError, match="anonymization: there are none, all; expected one of them"):
        error_cases(run)
    analysis = all_errors(run)
    assert [one.spans.leaking for one in analysis.anonymizations] == [2, 0]
    sheet = beside_sheet(analysis)
    assert not sheet.private
    assert [block.caption for block in sheet.blocks if isinstance(block, Bars)] == ["False negatives by type: none"]
    assert "all leaves none of 2 mentions to be masked readable, except words that need not be hidden." in sheet.lead
    assert analysis.without_text() == analysis


def test_a_run_without_text_says_what_to_do() -> None:
    run = evaluated(layers=(Annotation("a", (DOE,)),))
    with pytest.raises(PlanError, match="keeps no text, so no error can be shown; evaluate again without --without"):
        error_cases(run.without_text())
    with pytest.raises(PlanError, match="interrupted and keeps no text yet; complete it with evaluate --resume"):
        all_errors(replace(run, texts=None, complete=False))
    with pytest.raises(PlanError, match=r"evaluate again$"):
        error_cases(replace(run, texts=None))


def test_a_run_that_keeps_some_documents_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_documents, "MOST_DOCUMENTS", 2)
    documents = [Document(str(number), TEXT, (Annotation("a", (DOE, OSLO)),)) for number in range(4)]
    masks = {str(number): [Mask(0, 53)] if number < 2 else [] for number in range(4)}
    run = evaluate(Corpus(documents), [Anonymization(masks, "one")], [METRIC], resamples=0)
    errors = error_cases(run)
    assert errors.kept == DocumentSample(2, 2, 4, "riskiest")
    assert errors.spans.leaking == errors.spans.total == 4
    told = "The run keeps the 2 of 4 documents in which most can be read: all counts here are of these only"
    for sheet in (errors_sheet(errors), errors_sheet(errors, 1), beside_sheet(all_errors(run))):
        assert any(line.startswith(told) for line in sheet.lead)
    first = replace(errors, kept=replace(errors.kept, chosen="first"))
    assert any("the first 2 of 4 documents" in line for line in errors_sheet(first).lead)


@pytest.mark.parametrize(
    ("layers", "told"),
    [
        ((), "The document has no annotations, so nothing can be called a leak or a needless mask."),
        ((Annotation("a"), Annotation("b")), "one: nothing is marked to be masked, so nothing can leak."),
        ((Annotation("a", (ANN,)),), "one: nothing is marked to be masked, so nothing can leak."),
        (
            (Annotation("a", (DOE,)),),
            "one leaves none of 1 mention to be masked readable, except words that need not be hidden.",
        ),
    ],
)
def test_where_nothing_leaks(layers: tuple[Annotation, ...], told: str) -> None:
    run = evaluated(Mask(0, 11), layers=layers, metric="inconsistent")
    for sheet in (errors_sheet(error_cases(run)), beside_sheet(all_errors(run))):
        assert told in sheet.lead
        assert not any(isinstance(block, Bars) for block in sheet.blocks)


def test_without_annotations_the_next_step_is_told() -> None:
    run = evaluated(Mask(0, 11), layers=(), metric="inconsistent")
    for sheet in (errors_sheet(error_cases(run)), beside_sheet(all_errors(run))):
        assert any("`showthrough scan`" in line for line in sheet.lead)
        assert any("`showthrough annotate`" in line for line in sheet.lead)


def test_documents_without_annotations_count_nowhere() -> None:
    documents = [Document("d", TEXT, ()), Document("e", TEXT, (Annotation("a", (DOE,)),))]
    masks = {"d": [Mask(20, 23)], "e": [Mask(24, 27)]}
    errors = error_cases(evaluate(Corpus(documents), [Anonymization(masks)], [METRIC], resamples=0))
    assert errors.masks == 1
    assert {(one.document, one.text) for one in errors.cases} == {("e", "Ann"), ("e", "Mr John Doe")}
    assert "Documents without annotations, which count nowhere: 1 document." in errors_sheet(errors).lead


def test_what_the_counts_are_worth_is_told() -> None:
    trusting = found(metric='er(replacements="trusted")')
    assert any("replacements are not read" in line for line in errors_sheet(trusting).notes)
    silver = found(layers=(Annotation("silver(rules.v1)", (DOE,)),))
    assert any("Programs annotated (silver(rules.v1))" in line for line in errors_sheet(silver).notes)
    spared = found(marks=(DOE, replace(AGAIN, identifier="NO_MASK")))
    note = (
        'For each annotator 1 of 1 mark leak. recall(unit="mention") counts 2 of 2. '
        "It also counts 1 marked as not to be masked"
    )
    assert errors_sheet(spared).notes[0].startswith(note)


@pytest.mark.parametrize("name", ["", "a|b", "R&D_{x}", "\u202eRTL\n", "x" * 200, "<b>"])
def test_types_may_be_called_anything(name: str) -> None:
    run = evaluated(layers=(Annotation("a", (Mention(15, 19, name),)),))
    errors = error_cases(run, entity_type=name)
    (case,) = errors.cases
    assert case.entity_type in errors.types
    assert case.entity_type
    assert errors_sheet(errors).private


def test_few_of_each_string_where_not_all_are_shown() -> None:
    text = "Oslo " * 9 + "Bergen Bergen"
    towns = [Mention(5 * number, 5 * number + 4, "LOC") for number in range(9)]
    errors = found(marks=(*towns, Mention(45, 51, "LOC"), Mention(52, 58, "LOC")), text=text)

    def shown(most: int | None) -> list[str]:
        last = errors_sheet(errors, most).blocks[-1]
        return [case.here for case in last.cases] if isinstance(last, Cases) else []

    assert shown(None) == ["Oslo"] * 9 + ["Bergen"] * 2
    assert shown(4) == ["Oslo"] * 3 + ["Bergen"]
    assert shown(10) == ["Oslo"] * 8 + ["Bergen"] * 2
    assert shown(0) == []


spans = st.tuples(st.integers(0, 52), st.integers(1, 12)).map(lambda pair: (pair[0], min(53, sum(pair))))
marks = st.builds(
    lambda span, kind, level, entity: Mention(*span, kind, level, entity),
    spans, st.sampled_from(["A", "B", ""]), st.sampled_from(["DIRECT", "QUASI", "NO_MASK"]), st.sampled_from("xy"),
)  # fmt: skip
annotations = st.lists(st.lists(marks, max_size=5), min_size=1, max_size=3).map(
    lambda each: tuple(Annotation(str(place), tuple(mentions)) for place, mentions in enumerate(each))
)
written = st.sampled_from([None, "X", "Mr Doe", "JOHN of Oslo", "3 May", "met ann on 2021"])
masked = st.lists(st.tuples(spans, written), max_size=5)


def slow_kinds(run: Run) -> list[str]:
    """The kind of every mention to be masked, found with sets of characters; empty: it does not leak."""
    assert run.texts is not None
    inspection = Inspection(run.texts)
    state = inspection.states(inspection.coverage("one")).tolist()
    masks: list[set[int]] = []
    for mask in run.texts.masks["one"][0]:
        here = set(range(mask.start, mask.end))
        masks = [*(one for one in masks if not one & here), set().union(here, *(one for one in masks if one & here))]
    every = [(layer, mention) for layer in run.texts.documents[0].annotations for mention in layer.mentions]
    answer = []
    for place, (layer, mention) in enumerate(every):
        if mention.identifier == "NO_MASK":
            continue
        inside = set(range(mention.start, mention.end))
        same = [
            state[other]
            for other, (its_layer, its) in enumerate(every)
            if other != place and its_layer is layer and its.entity_id == mention.entity_id
        ]
        crossing = [one for one in masks if one & inside and any(TEXT[at].isalnum() for at in one - inside)]
        if state[place] == LEAKED:
            answer.append("another" if HIDDEN in same else "missed")
        elif state[place] == PARTLY:
            answer.append("border" if crossing else "partly")
        else:
            answer.append("")
    return answer


METRICS = [METRIC, f'{METRIC[:-1]}, replacements="trusted")', f'{METRIC[:-1]}, function_word_mentions="free")']


@settings(max_examples=40)  # each evaluates
@given(annotations, masked, st.sampled_from(METRICS))
def test_kinds_part_what_the_metric_calls_uncovered(
    layers: tuple[Annotation, ...], given_masks: list[tuple[tuple[int, int], str | None]], metric: str
) -> None:
    run = evaluated(*(Mask(*span, text) for span, text in given_masks), layers=layers, metric=metric)
    errors = error_cases(run)
    columns = run.rows[metric]["one"]
    total, hidden = sum(columns["total"]), sum(columns["hidden"])
    assert errors.marks.total + errors.spared == total
    assert errors.marks.leaking + errors.spared_leaking == total - hidden
    expected = slow_kinds(run)
    assert errors.marks.kinds == {kind: expected.count(kind) for kind in LEAK_KINDS}
    assert sum(one.kind in LEAK_KINDS for one in errors.cases) == errors.spans.leaking
    assert errors.spans.leaking <= errors.marks.leaking
    assert bool(errors.spans.leaking) == bool(errors.marks.leaking)
    assert {one.kind for one in errors.cases} <= set(CASE_KINDS)
    for case in errors.cases:
        assert case.text == TEXT[case.start : case.end]
        assert f"{case.before}{case.text}{case.after}" in TEXT


@settings(max_examples=40)  # each evaluates
@given(annotations, masked)
def test_masking_more_never_leaks_more(
    layers: tuple[Annotation, ...], given_masks: list[tuple[tuple[int, int], str | None]]
) -> None:
    masks = [Mask(*span) for span, _ in given_masks]
    some = error_cases(evaluated(*masks[:2], layers=layers)).spans.leaking
    assert error_cases(evaluated(*masks, layers=layers)).spans.leaking <= some
    assert error_cases(evaluated(*masks, Mask(0, 53), layers=layers)).spans.leaking == 0


@pytest.mark.slow
def test_tab_has_the_counts_of_its_metrics(data: Path) -> None:
    corpus = read_corpus(data / "tab/train_100.json")
    files = sorted((data / "tab/train_anonymizations").glob("*.json"))
    systems = {file.stem: read_anonymization(file, corpus) for file in files}
    typed = 'recall_per_type(unit="mention")'
    run = evaluate(corpus, systems, [METRIC, typed], resamples=0)
    for errors in all_errors(run).anonymizations:
        columns = run.rows[METRIC][errors.anonymization]
        total, hidden = sum(columns["total"]), sum(columns["hidden"])
        assert (errors.marks.total + errors.spared, total) == (4_830, 4_830)
        assert errors.marks.leaking + errors.spared_leaking == total - hidden
        by_type = run.rows[typed][errors.anonymization]
        for name in {one.entity_type for one in errors.leaks}:
            leaking = sum(one.marks.leaking for one in errors.leaks if one.entity_type == name)
            assert (
                0 <= sum(by_type[f"total:{name}"]) - sum(by_type[f"hidden:{name}"]) - leaking <= errors.spared_leaking
            )
    assert (errors.spans.total, errors.marks.total, errors.spared) == (3_669, 4_773, 57)
