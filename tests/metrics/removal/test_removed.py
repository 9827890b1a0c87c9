"""What counts as removed from the release: every rule with a small document, and the arithmetic beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, Run, evaluate
from showthrough.data.masks import apply_masks
from showthrough.metrics.matching.entities import HowRead


def span(text: str, words: str, number: int = 0) -> tuple[int, int]:
    """Where words stand in a text, the first time or a later one."""
    start = -1
    for _ in range(number + 1):
        start = text.index(words, start + 1)
    return start, start + len(words)


def scored(
    texts: dict[str, tuple[str, Sequence[Annotation]]],
    masks: dict[str, list[Mask]],
    *metrics: str,
    given: str = "masks",
) -> Run:
    corpus = Corpus([Document(key, text, tuple(layers)) for key, (text, layers) in texts.items()])
    if given == "masks":
        release = Anonymization(masks, "system")
    else:
        release = Anonymization.from_texts(
            {key: apply_masks(text, masks[key]) for key, (text, _) in texts.items()}, corpus, name="system"
        )
    return evaluate(corpus, release, metrics=metrics, references=False, resamples=0)


def parts(run: Run, metric: str) -> dict[str, float]:
    """All parts that are not 0."""
    return {part: score.value for part, score in run.parts("system", metric).items() if score.value}


def of_one(
    text: str, marks: Sequence[Mention], masks: list[Mask], metric: str, given: str = "masks"
) -> dict[str, float]:
    run = scored({"d": (text, [Annotation("ann", tuple(marks))])}, {"d": masks}, metric, given=given)
    return parts(run, metric)


def direct(text: str, words: str, kind: str = "PERSON", number: int = 0) -> Mention:
    return Mention(*span(text, words, number), kind, "DIRECT")


def quasi(text: str, words: str, kind: str, number: int = 0) -> Mention:
    return Mention(*span(text, words, number), kind, "QUASI")


both = pytest.mark.parametrize("given", ["masks", "texts"])


# Quasi-identifiers.


@both
def test_quasi_identifiers_that_anybody_may_write_are_judged_where_they_were_marked(given: str) -> None:
    """A word, a year, a country and a number under five digits stand there again: 4 of 4 are removed all the same."""
    text = "A teacher from Poland came in 1994 with 120 others. Each teacher left Poland in 1994, all 120 of them."
    marks = [
        quasi(text, "teacher", "DEM"), quasi(text, "Poland", "LOC"), quasi(text, "1994", "DATETIME"),
        quasi(text, "120", "QUANTITY"),
    ]  # fmt: skip
    masks = [Mask(mark.start, mark.end, "X") for mark in marks]
    assert of_one(text, marks, masks, "removed_qi", given)[""] == 1.0
    # As direct identifiers Poland can be read, and 1994 is a bare year, which is looked for in no case.
    asked = [Mention(mark.start, mark.end, mark.entity_type, "DIRECT") for mark in marks]
    found = of_one(text, asked, masks, "removed_di", given)
    assert (found.get("LOC", 0.0), found["DATETIME"]) == (0.0, 1.0)


@both
@pytest.mark.parametrize(("left", "value"), [("NO_MASK", 1.0), ("", 0.0)])
def test_what_the_same_annotator_leaves_on_purpose_does_not_count(left: str, value: float, given: str) -> None:
    """Gdynia is masked once and stands there once more: marked NO_MASK it is excused, not marked at all it counts."""
    text = "The office of Gdynia wrote to us. Later Gdynia answered again, as it is said."
    marks = [quasi(text, "Gdynia", "LOC")]
    if left:
        marks.append(Mention(*span(text, "Gdynia", 1), "LOC", "NO_MASK"))
    found = of_one(text, marks, [Mask(*span(text, "Gdynia"), "X")], "removed_qi", given)
    assert found.get("", 0.0) == value
    assert found.get("left:elsewhere", 0.0) == 1 - value
    assert "nearly" not in found


def test_no_excuse_for_direct_identifiers_nor_for_another_annotator() -> None:
    text = "The office of Gdynia wrote to us. Later Gdynia answered again, as it is said."
    spared = Mention(*span(text, "Gdynia", 1), "LOC", "NO_MASK")
    masks = [Mask(*span(text, "Gdynia"))]
    assert of_one(text, [direct(text, "Gdynia", "LOC"), spared], masks, "removed_di")["left:elsewhere"] == 1.0
    # Ann leaves the second one, and Bob did not mark it: Ann's is removed and Bob's is not, 1 of 2.
    layers = [
        Annotation("ann", (quasi(text, "Gdynia", "LOC"), spared)),
        Annotation("bob", (quasi(text, "Gdynia", "LOC"),)),
    ]
    run = scored({"d": (text, layers)}, {"d": masks}, "removed_qi")
    assert parts(run, "removed_qi")[""] == 0.5


@pytest.mark.parametrize(
    ("masks", "removed", "strict", "generalized"),
    [
        ((("29 ", None),), 1.0, 0.0, 1.0),  # October 1997 is left: the day is lost
        ((("29 October ", None),), 1.0, 0.0, 1.0),  # 1997 is left
        ((("29 October 1997", "autumn 1997"),), 1.0, 0.0, 1.0),  # the replacement repeats the year
        ((("29 ", None), (" in a village", " on the 29th")), 1.0, 0.0, 1.0),  # what stands behind it is no part of it
        ((("He ", "On the 29th he "), ("29 ", None)), 1.0, 0.0, 1.0),  # nor what stands before it
        ((("October 1997", None),), 0.0, 0.0, 0.0),  # the day is left: no generalization
        ((("29 October 1997", "spring 1998"),), 1.0, 1.0, 0.0),  # nothing is left
        ((("29 October 1997", "1997-10-29"),), 0.0, 0.0, 0.0),  # the same day, written otherwise
    ],
)
def test_dates_that_lost_their_day(
    masks: Sequence[tuple[str, str | None]], removed: float, strict: float, generalized: float
) -> None:
    text = "He was born on 29 October 1997 in a village."
    placed = [Mask(*span(text, words), replacement) for words, replacement in masks]
    mark = quasi(text, "29 October 1997", "DATETIME")
    left = 'removed_qi(generalized="left")'
    assert of_one(text, [mark], placed, "removed_qi").get("", 0.0) == removed
    assert of_one(text, [mark], placed, left).get("", 0.0) == strict
    assert of_one(text, [mark], placed, "removed_qi").get("generalized", 0.0) == generalized


def test_a_direct_date_is_not_generalized() -> None:
    text = "He was born on 29 October 1997 in a village."
    masks = [Mask(*span(text, "29 "))]
    assert of_one(text, [direct(text, "29 October 1997", "DATETIME")], masks, "removed_di")["left:marked"] == 1.0


# Names.


@pytest.mark.parametrize(
    ("replacement", "removed"),
    [
        ("Maria Lind", 1.0),  # one word of Maria Kowalska's name, inside another's surrogate
        ("Maria Kowalska", 0.5),  # her full name: Olga's is removed and hers is not
    ],
)
def test_another_entitys_surrogate_may_share_a_word(replacement: str, removed: float) -> None:
    text = "The nurse Maria Kowalska met the doctor Olga Brzezina there."
    marks = [direct(text, "Maria Kowalska"), direct(text, "Olga Brzezina")]
    masks = [Mask(*span(text, "Maria Kowalska"), "Ewa Lind"), Mask(*span(text, "Olga Brzezina"), replacement)]
    assert of_one(text, marks, masks, "removed_di")[""] == removed


@pytest.mark.parametrize(
    ("hidden", "replacement", "removed"),
    [
        ("or Olga Brzezina, t", " Maria Lind ", 1.0),  # three characters wider than the mark,
        ("tor Olga Brzezina", " Maria Lind ", 0.5),  # four before it,
        ("Olga Brzezina, to", " Maria Lind ", 0.5),  # and four behind it
        ("Olga Brzezina", f"Maria {'x' * 54}", 1.0),  # 60 characters may be somebody else's name,
        ("Olga Brzezina", f"Maria {'x' * 55}", 0.5),  # and 61 are a text
    ],
)
def test_how_wide_a_surrogate_is(hidden: str, replacement: str, removed: float) -> None:
    text = "The nurse Maria Kowalska met the doctor Olga Brzezina, today."
    marks = [direct(text, "Maria Kowalska"), direct(text, "Olga Brzezina")]
    masks = [Mask(*span(text, "Maria Kowalska"), "Ewa Lind"), Mask(*span(text, hidden), replacement)]
    assert of_one(text, marks, masks, "removed_di")[""] == removed


def test_a_surrogate_may_stand_right_beside_her_mark() -> None:
    for text in ("The nurse Maria Kowalska/Olga Brzezina left.", "The nurse Olga Brzezina/Maria Kowalska left."):
        other = "/Olga Brzezina" if "/Olga" in text else "Olga Brzezina/"
        marks = [direct(text, "Maria Kowalska"), direct(text, other)]
        masks = [Mask(*span(text, "Maria Kowalska"), "Ewa Lind"), Mask(*span(text, other), " Maria Lind ")]
        assert of_one(text, marks, masks, "removed_di")[""] == 1.0


def test_a_word_that_was_masked_and_is_put_back_is_no_surrogate() -> None:
    """Both are Marias: who reads Maria Lind reads a word of either name, so 0 of 2 are removed."""
    text = "The nurse Maria Kowalska met the doctor Maria Brzezina there."
    marks = [direct(text, "Maria Kowalska"), direct(text, "Maria Brzezina")]
    masks = [Mask(*span(text, "Maria Kowalska"), "Ewa Lind"), Mask(*span(text, "Maria Brzezina"), "Maria Lind")]
    assert "" not in of_one(text, marks, masks, "removed_di")


def test_a_full_name_counts_for_all_who_marked_it() -> None:
    text = "Ms Anna Kowalska came in. Anna Kowalska slept."
    layers = [Annotation(name, (direct(text, "Anna Kowalska"),)) for name in ("ann", "bob")]
    run = scored({"d": (text, layers)}, {"d": [Mask(*span(text, "Anna Kowalska"))]}, "removed_di")
    assert parts(run, "removed_di") == {"left:elsewhere": 1.0}


@pytest.mark.parametrize(
    ("words", "kind", "hidden", "removed"),
    [
        ("The Hague", "LOC", "Hague", 1.0),  # an article is free in a place,
        ("An Tran", "PERSON", "Tran", 0.0),  # and none in a name
        ("No. 36110/97", "CODE", "36110/97", 1.0),  # nor is No a name before a number
    ],
)
def test_capitals_that_are_no_part_of_it(words: str, kind: str, hidden: str, removed: float) -> None:
    text = f"It was said that {words} is meant."
    found = of_one(text, [direct(text, words, kind)], [Mask(*span(text, hidden), "X")], "removed_di")
    assert (found.get("", 0.0), found.get("left:marked", 0.0)) == (removed, 1 - removed)


def test_its_own_surrogate_may_not() -> None:
    text = "The nurse Maria Kowalska met the doctor there."
    masks = [Mask(*span(text, "Maria Kowalska"), "Maria Lind")]
    assert of_one(text, [direct(text, "Maria Kowalska")], masks, "removed_di")["left:marked"] == 1.0


def test_function_words_inside_names_are_not_free() -> None:
    """Entity recall leaves No free; a reader who sees it knows half of the name."""
    text = "Mr Tae No and Per were heard; later Per left."
    layers = [Annotation("ann", (direct(text, "Tae No"),))]
    run = scored({"d": (text, layers)}, {"d": [Mask(*span(text, "Tae"))]}, "er_di", "removed_di")
    assert run["system", "er_di"].value == 1.0
    assert parts(run, "removed_di") == {"left:marked": 1.0}
    assert of_one(text, [direct(text, "Tae No")], [Mask(*span(text, "Tae No"))], "removed_di")[""] == 1.0
    # So for whatever is direct, and for names that are not.
    for mark, metric in [
        (direct(text, "Tae No", "LOC"), "removed_di"),
        (quasi(text, "Tae No", "PERSON"), "removed_qi"),
    ]:
        assert of_one(text, [mark], [Mask(*span(text, "Tae"))], metric) == {"left:marked": 1.0}
    # Per is masked once and stands there again, inside a sentence and with a capital.
    assert of_one(text, [direct(text, "Per")], [Mask(*span(text, "Per"))], "removed_di") == {"left:elsewhere": 1.0}


@both
def test_marks_without_a_type_go_by_their_shape(given: str) -> None:
    """A name, a number and a date without types: each can be read by a word, other separators, another way: 0 of 3."""
    text = (
        "Report by Anna Kowalska on 36110/97 of 29 October 1997. "
        "It was said that Kowalska had left before 1997-10-29 and case 3611097."
    )
    words = ("Anna Kowalska", "36110/97", "29 October 1997")
    marks = [direct(text, each, "") for each in words]
    found = of_one(text, marks, [Mask(*span(text, each), "X") for each in words], "removed_di", given)
    assert "" not in found
    assert found["left:elsewhere"] == pytest.approx(1 / 3)  # Kowalska
    assert found["left:otherwise"] == pytest.approx(2 / 3)


def test_ideographs_have_no_borders() -> None:
    text = "患者王小明先生昨日来院。王小明先生情况良好。"
    mark, mask = direct(text, "王小明"), [Mask(*span(text, "王小明"))]
    assert of_one(text, [mark], mask, "removed_di") == {"left:elsewhere": 1.0}
    once = "患者王小明先生昨日来院。情况良好。"
    assert of_one(once, [direct(once, "王小明")], [Mask(*span(once, "王小明"))], "removed_di")[""] == 1.0


@pytest.mark.parametrize(("cook", "removed"), [("der Koch", 1.0), ("Herr Koch", 0.0), ("Hans Koch", 0.0)])
def test_in_german_a_capital_says_nothing(cook: str, removed: float) -> None:
    """Koch is a cook as well: it counts beside a title or the given name, and alone it is nearly readable."""
    metric = 'removed_di(dictionary="wordfreq:de")'
    text = (
        "Der Patient Hans Koch und die Frau wurden von dem Arzt und der Schwester mit dem Wagen auf die Station "
        f"gebracht. Das Essen macht {cook}."
    )
    found = of_one(text, [direct(text, "Hans Koch")], [Mask(*span(text, "Hans Koch"))], metric)
    assert (found.get("", 0.0), found.get("nearly", 0.0)) == (removed, removed)


@pytest.mark.parametrize(("stone", "removed"), [("THE STONE", 1.0), ("MR STONE", 0.0)])
def test_in_capitals_a_capital_says_nothing(stone: str, removed: float) -> None:
    text = (
        "PATIENT MARK STONE WAS SEEN TODAY AND WILL RETURN. "
        f"{stone} IN THE KIDNEY WAS NOT FOUND, AND ALL ELSE WAS WELL IN THE END TODAY."
    )
    found = of_one(text, [direct(text, "MARK STONE")], [Mask(*span(text, "MARK STONE"))], "removed_di")
    assert found.get("", 0.0) == removed


def test_ordinary_words_are_names_beside_a_title() -> None:
    text = "Mr Stone came in. A stone was found, and Mr Stone went home."
    mask = [Mask(*span(text, "Stone"))]
    assert of_one(text, [direct(text, "Stone")], mask, "removed_di") == {"left:elsewhere": 1.0}
    alone = "Mr Stone came in. A stone was found and taken out."
    assert of_one(alone, [direct(alone, "Stone")], [Mask(*span(alone, "Stone"))], "removed_di")[""] == 1.0


# Codes.


@pytest.mark.parametrize(
    ("again", "removed"),
    [
        ("file 36110 97", 0.0),  # another separator
        ("file 9936110979", 1.0),  # inside a longer number
        ("file 36110 and 97", 1.0),  # more than one separator between two
        ("the year 97", 1.0),
    ],
)
def test_codes(again: str, removed: float) -> None:
    text = f"Case no. 36110/97 was heard in private. See {again} there."
    mark = direct(text, "no. 36110/97", "CODE")
    assert of_one(text, [mark], [Mask(*span(text, "36110/97"))], "removed_di").get("", 0.0) == removed


# Sums, parts, chance, evidence.


def three_documents() -> tuple[dict[str, tuple[str, Sequence[Annotation]]], dict[str, list[Mask]]]:
    """Five direct identifiers of three documents, two annotators of the first.

    a: Ann and Bob mark Kowalska, who can be read in a path; Ann marks the number, which is gone. b: Brzezina is gone
    and nearly there (Brzezyna). c: 4471902 is left where it was marked. d: nothing is marked.
    """
    a = "Ms Kowalska has the number 36110/97 here. See /notes/kowalska/x.txt there."
    b = "Ms Brzezina was here. Later Brzezyna went home again."
    c = "The number is 4471902 and no other."
    name = direct(a, "Kowalska")
    texts: dict[str, tuple[str, Sequence[Annotation]]] = {
        "a": (a, [Annotation("ann", (name, direct(a, "36110/97", "CODE"))), Annotation("bob", (name,))]),
        "b": (b, [Annotation("ann", (direct(b, "Brzezina"),))]),
        "c": (c, [Annotation("ann", (direct(c, "4471902", "CODE"),))]),
        "d": ("It rained all day.", []),
    }
    masks = {
        "a": [Mask(*span(a, "Kowalska"), "[NAME]"), Mask(*span(a, "36110/97"), "[ID]")],
        "b": [Mask(*span(b, "Brzezina"), "[NAME]")], "c": [], "d": [],
    }  # fmt: skip
    return texts, masks


@both
def test_sums_and_parts(given: str) -> None:
    run = scored(*three_documents(), "removed_di", "clean", "er_di", given=given)
    found = run.parts("system", "removed_di")
    # Kowalska counts for Ann and for Bob: 5 entities. The number and Brzezina are removed: 2 of 5.
    assert found[""].value == pytest.approx(2 / 5)
    assert found["PERSON"].value == pytest.approx(1 / 3)  # Brzezina, of three
    assert found["CODE"].value == pytest.approx(1 / 2)
    ways = {way: found[f"left:{way}"].value for way in ("marked", "elsewhere", "otherwise", "encoded")}
    assert ways == pytest.approx({"marked": 1 / 5, "elsewhere": 2 / 5, "otherwise": 0, "encoded": 0})
    assert found["nearly"].value == pytest.approx(1 / 5)
    # Where they were marked, all but 4471902 are hidden.
    assert run["system", "er_di"].value == pytest.approx(4 / 5)
    # Of a, b and c, which have direct identifiers, only b is clean.
    assert run["system", "clean"].value == pytest.approx(1 / 3)


def test_the_parts_add_up() -> None:
    run = scored(*three_documents(), "removed_di")
    found = run.parts("system", "removed_di")
    values = [found[part].value or 0.0 for part in found if part == "" or part.startswith("left:")]
    assert sum(values) == pytest.approx(1.0)


def test_nothing_and_everything_masked() -> None:
    texts, masks = three_documents()
    corpus = Corpus([Document(key, text, tuple(layers)) for key, (text, layers) in texts.items()])
    run = evaluate(corpus, Anonymization(masks, "system"), metrics=["removed_di", "removed", "clean"], resamples=0)
    for metric in ("removed_di", "removed", "clean"):
        nothing, everything = (run.parts(one.name, metric)[""].value for one in run.references)
        assert (nothing, everything) == (0.0, 1.0)


def test_undefined_without_a_direct_identifier() -> None:
    text = "It rained all day in Gdynia."
    run = scored({"d": (text, [Annotation("ann", (quasi(text, "Gdynia", "LOC"),))])}, {"d": []}, "removed_di", "clean")
    assert run["system", "removed_di"].value is None
    assert run["system", "clean"].value is None
    assert run["system", "clean"].reason == "no document has a direct identifier"


def test_chance_asks_another_document() -> None:
    """Two documents of two Annas: each first name stands in the other's release, so all is readable by chance."""
    first = "Ms Anna Kowalska was seen here. Nothing was found in the end."
    second = "Ms Anna Brzezina was well. She went home again after lunch."
    texts: dict[str, tuple[str, Sequence[Annotation]]] = {
        "a": (first, [Annotation("ann", (direct(first, "Anna Kowalska"),))]),
        "b": (second, [Annotation("ann", (direct(second, "Anna Brzezina"),))]),
    }
    kept = scored(texts, {"a": [], "b": []}, "removed_di")
    assert parts(kept, "removed_di")["chance"] == 1.0
    assert [note for note in kept.notes if "by chance" in note] == [
        "system: 100.0 % of what removed_di counts can be read in another document's release by chance; about as "
        "many of the readable ones may be chance"
    ]
    masks = {"a": [Mask(*span(first, "Anna Kowalska"))], "b": [Mask(*span(second, "Anna Brzezina"))]}
    masked = scored(texts, masks, "removed_di")
    assert "chance" not in parts(masked, "removed_di")
    assert not [note for note in masked.notes if "by chance" in note]


def test_evidence_tells_where() -> None:
    texts, masks = three_documents()
    run = scored(texts, masks, "removed_di")
    evidence = run.evidence["removed_di"]["system"]
    assert set(evidence) == {"a", "b"}  # what is left where it was marked needs none
    (place,) = evidence["a"].places
    text = texts["a"][0]
    assert (place.text, place.how, place.entity_type) == ("kowalska", "elsewhere", "PERSON")
    assert apply_masks(text, masks["a"])[place.start : place.end] == "kowalska"
    assert text[slice(*place.original)] == "kowalska"
    assert place.marked == [span(text, "Kowalska")]
    (near,) = evidence["b"].places
    assert (near.how, near.start, near.end) == ("nearly", 0, 0)


@pytest.mark.parametrize(("mark", "metric", "places"), [(quasi, "removed_qi", 1), (direct, "removed_di", 2)])
def test_evidence_leaves_out_what_does_not_count(
    mark: Callable[[str, str, str], Mention], metric: str, places: int
) -> None:
    """Gdynia stands there twice more: once on purpose, which excuses a quasi-identifier alone."""
    text = "The office of Gdynia wrote. Later Gdynia answered, and then Gdynia wrote again."
    spared = Mention(*span(text, "Gdynia", 1), "LOC", "NO_MASK")
    layers = [Annotation("ann", (mark(text, "Gdynia", "LOC"), spared))]
    run = scored({"d": (text, layers)}, {"d": [Mask(*span(text, "Gdynia"), "X")]}, metric)
    assert len(run.evidence[metric]["system"]["d"].places) == places


def test_evidence_has_every_place_and_goes_without_text() -> None:
    text = "Ms Anna Kowalska came in. Anna Kowalska slept, and Kowalska went home."
    masks = {"d": [Mask(*span(text, "Anna Kowalska"))]}
    run = scored({"d": (text, [Annotation("ann", (direct(text, "Anna Kowalska"),))])}, masks, "removed_di")
    places = run.evidence["removed_di"]["system"]["d"].places
    assert [place.text for place in places] == ["Anna Kowalska", "Kowalska"]
    assert "d" not in run.without_text().evidence["removed_di"]["system"]


def test_evidence_has_four_places_of_one_and_five_of_its_marks() -> None:
    text = "Kowalska came. " * 7 + "\n" + "It was Kowalska. " * 6
    marks = tuple(Mention(*span(text, "Kowalska", number), "PERSON", "DIRECT", "e") for number in range(7))
    masks = {"d": [Mask(mark.start, mark.end, "X") for mark in marks]}
    run = scored({"d": (text, [Annotation("ann", marks)])}, masks, "removed_di")
    places = run.evidence["removed_di"]["system"]["d"].places
    assert [(place.text, place.line, len(place.marked)) for place in places] == [("Kowalska", 2, 5)] * 4


def test_a_share_of_documents_is_chosen_by_their_ids() -> None:
    """Of 1,000 documents a quarter is 250; three standard deviations are 3 · √(1000 · 0.25 · 0.75) = 41."""
    chosen = [sum(HowRead(share=share).looks_at(f"d{number}") for number in range(1000)) for share in (0.0, 0.25, 1.0)]
    assert (chosen[0], chosen[2]) == (0, 1000)
    assert abs(chosen[1] - 250) <= 41
