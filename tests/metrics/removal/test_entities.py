"""Entities of a chunk in what is released: positions, counts and evidence of small documents, worked by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, PlanError
from showthrough.core.errors import ResourceError
from showthrough.families.masking.recall import EntityRecall
from showthrough.families.masking.removed import Clean, Removed, _select_evidence, risks
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.metrics.matching.entities import (
    EntitySearch,
    HowRead,
    Readable,
    _capitals,
    _join_adjacent,
    readable_elsewhere,
)
from showthrough.metrics.matching.forms import LONGEST
from showthrough.models.lexicon import DEFAULT_LEXICON

Layers = Sequence[Sequence[Mention]]


def mark(text: str, words: str, level: str = "DIRECT", kind: str = "PERSON", number: int = 0) -> Mention:
    """A mention of words where they stand in a text, the first time or a later one."""
    start = -1
    for _ in range(number + 1):
        start = text.index(words, start + 1)
    return Mention(start, start + len(words), kind, level)


def over(mention: Mention, replacement: str | None = None) -> Mask:
    return Mask(mention.start, mention.end, replacement)


def searched(
    texts: Mapping[str, tuple[str, Layers]], *, how: HowRead | None = None, briefly: bool = False
) -> EntitySearch:
    documents = [
        Document(key, text, tuple(Annotation(f"a{number}", tuple(each)) for number, each in enumerate(layers)))
        for key, (text, layers) in texts.items()
    ]
    return EntitySearch(Chunk(Corpus(documents)), how or HowRead(), briefly=briefly)


def released(search: EntitySearch, masks: Mapping[str, Sequence[Mask]]) -> Anonymized:
    return Anonymized(search.chunk, Anonymization({key: list(each) for key, each in masks.items()}, "system"))


def read(text: str, layers: Layers, masks: Sequence[Mask]) -> Readable:
    """What can be read of one document, behind another one without marks: places in it are not those of a chunk."""
    search = searched({"before": ("It rained.", [()]), "d": (text, layers)})
    return search.find_readable(released(search, {"before": [], "d": masks}))


# Words and stretches.


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("No Tae No", [("No", 0, 2), ("Tae", 3, 6), ("No", 7, 9)]),  # the second No is not the first
        ("Abe-Be (Ce).", [("Abe", 0, 3), ("Be", 4, 6), ("Ce", 8, 10)]),  # a hyphen parts words, signs are none of them
        ("A ... b C", [("A", 0, 1), ("C", 8, 9)]),  # dots are no word, and b has no capital
        ("be Be", [("Be", 3, 5)]),
    ],
)
def test_words_with_a_capital(text: str, words: list[tuple[str, int, int]]) -> None:
    assert list(_capitals(text)) == words
    assert [text[start:end] for _, start, end in words] == [word for word, _, _ in words]


@pytest.mark.parametrize(
    ("spans", "joined"),
    [
        ([(5, 13), (0, 4)], [(0, 13)]),  # in order, with a space between them
        ([(0, 13), (5, 9)], [(0, 13)]),  # one inside another does not shorten it
        ([(0, 4), (18, 22)], [(0, 4), (18, 22)]),
        ([(0, 4), (5, 13), (18, 22), (23, 31)], [(0, 13), (18, 31)]),
        ([], []),
    ],
)
def test_stretches_side_by_side_are_joined(spans: list[tuple[int, int]], joined: list[tuple[int, int]]) -> None:
    assert _join_adjacent(spans, "Anna Kowalska and Anna Kowalska") == joined


# What a chunk knows of its entities.


def two_documents() -> EntitySearch:
    """The second begins at 11 of the chunk or behind it; positions count from its own beginning."""
    first, second = "Anna came.", "Anna left Gdynia, and Gdynia slept."
    town = mark(second, "Gdynia", "QUASI", "LOC")
    return searched({
        "a": (first, [[mark(first, "Anna")]]),
        "b": (second, [[mark(second, "Anna"), town, mark(second, "Gdynia", "NO_MASK", "LOC", 1)], [town]]),
    })  # fmt: skip


def test_entities_stand_in_their_documents() -> None:
    search = two_documents()
    assert [len(entities) for entities in search.by_document] == [1, 4]
    assert sorted(entity for entities in search.by_document for entity in entities) == list(range(5))
    assert [search.own[entity] for entity in search.by_document[0]] == [[(0, 4)]]
    assert sorted(search.own[entity] for entity in search.by_document[1]) == [
        [(0, 4)],
        [(10, 16)],
        [(10, 16)],
        [(22, 28)],
    ]
    # The first annotator of b leaves the second Gdynia, the other one nothing.
    assert list(search.spared_spans.values()) == [[(22, 28)]]
    (sparing,) = search.spared_spans
    assert [int(search.layer[entity]) == sparing for entity in search.by_document[1]].count(True) == 3
    assert int(search.layer[search.by_document[0][0]]) != sparing


def test_a_brief_search_is_for_direct_identifiers_of_chosen_documents() -> None:
    text = "Anna left Gdynia."
    texts = {f"d{number}": (text, [[mark(text, "Anna"), mark(text, "Gdynia", "QUASI", "LOC")]]) for number in range(20)}
    assert len(searched(texts).asked) == 40
    assert len(searched(texts, briefly=True).asked) == 20
    how = HowRead(share=0.5)
    looked = [place for place, key in enumerate(texts) if how.looks_at(key)]
    assert 0 < len(looked) < 20
    brief = searched(texts, how=how, briefly=True)
    assert [place for place, book in enumerate(brief.books) if book.sought] == looked


def test_how_many_can_be_read_elsewhere() -> None:
    """In a Anna stands there again, in b she is left where she was marked, in c she is gone: 1, 0 and 0."""
    texts = {
        "a": "Anna came, and Anna left again.", "b": "Anna came, and nobody left again.",
        "c": "Anna came, and nobody left again.",
    }  # fmt: skip
    search = searched({key: (text, [[mark(text, "Anna")]]) for key, text in texts.items()})
    masks = {"a": [Mask(0, 4)], "b": [], "c": [Mask(0, 4)]}
    anonymized = released(search, masks)
    assert readable_elsewhere(anonymized, HowRead()).tolist() == [1, 0, 0]
    # A quasi-identifier is none of these: Gdynia can be read in the same way.
    text = "In Gdynia it rained, and Gdynia slept."
    town = searched({"a": (text, [[mark(text, "Gdynia", "QUASI", "LOC")]])})
    hidden = released(town, {"a": [over(mark(text, "Gdynia"))]})
    assert town.find_readable(hidden).ways.tolist() == [2]
    assert readable_elsewhere(hidden, HowRead()).tolist() == [0]


def test_chance_counts_the_documents_that_are_looked_into() -> None:
    """Of a's Anna and Gdynia, b has Anna and c neither: 1 and 0 of 2. Of b's Olga, a alone is asked, and has none."""
    texts = {"a": "Anna of Gdynia came.", "b": "Olga met Anna.", "c": "Nobody came."}
    search = searched({
        "a": (texts["a"], [[mark(texts["a"], "Anna"), mark(texts["a"], "Gdynia", kind="LOC")]]),
        "b": (texts["b"], [[mark(texts["b"], "Olga")]]),
        "c": (texts["c"], [()]),
    })  # fmt: skip
    readable, looked = search.by_chance(released(search, {"a": [], "b": [], "c": []}), [[1, 2], [0], []])
    anna, gdynia = search.by_document[0]
    (olga,) = search.by_document[1]
    assert [search.own[entity] for entity in (anna, gdynia, olga)] == [[(0, 4)], [(8, 14)], [(0, 4)]]
    assert [readable[entity] for entity in (anna, gdynia, olga)] == [1, 0, 0]
    assert [looked[entity] for entity in (anna, gdynia, olga)] == [2, 2, 1]


# What is left where it was marked.


def test_a_function_word_of_a_name_is_looked_for_in_its_place() -> None:
    """Entity recall leaves No free. Masks over Tae alone leave it, over both leave nothing."""
    text = "It was said that Tae No was there."
    for hidden, way in (("Tae", 1), ("Tae No", 0), ("No", 1)):
        assert read(text, [[mark(text, "Tae No")]], [over(mark(text, hidden))]).ways.tolist() == [way]


def test_half_of_a_function_word_is_left() -> None:
    text = "It was said that Tae With was there."
    start = text.index("With")
    masks = [over(mark(text, "Tae")), Mask(start, start + 2)]
    assert read(text, [[mark(text, "Tae With")]], masks).ways.tolist() == [1]


def test_a_date_of_which_one_mention_keeps_its_day_is_left() -> None:
    """The same entity twice: with both days hidden it is generalized, with one of them it is left where marked."""
    text = "Born on 29 October 1997; so 29 October 1997 is the day."
    spans = [mark(text, "29 October 1997", number=number) for number in (0, 1)]
    marks = [Mention(each.start, each.end, "DATETIME", "QUASI", "e") for each in spans]
    both = read(text, [marks], [Mask(each.start, each.start + 3) for each in spans])
    assert (both.ways.tolist(), both.strict.tolist(), both.generalized.tolist()) == ([0], [1], [True])
    first = read(text, [marks], [Mask(marks[0].start, marks[0].start + 3)])
    assert (first.ways.tolist(), first.strict.tolist(), first.generalized.tolist()) == ([1], [1], [False])
    gone = read(text, [marks], [Mask(each.start, each.end) for each in spans])
    assert (gone.ways.tolist(), gone.strict.tolist(), gone.generalized.tolist()) == ([0], [0], [False])


def test_a_generalized_date_that_stands_elsewhere_is_readable_there() -> None:
    text = "Born on 29 October 1997; see 1997-10-29 there."
    date = mark(text, "29 October 1997", "QUASI", "DATETIME")
    found = read(text, [[date]], [Mask(date.start, date.start + 3)])
    # Strictly it is left where it was marked (1); else only in the other way of writing it (3).
    assert (found.ways.tolist(), found.strict.tolist(), found.generalized.tolist()) == ([3], [1], [False])


# Evidence.


def places(found: Readable) -> list[dict[str, object]]:
    return [place for _, place in found.evidence["d"]]


def test_evidence_of_two_lines() -> None:
    """The mask is 3 characters shorter than the name, so what stands at 25 in the original is released at 22."""
    text = "Ms Kowalska came.\nLater (Kowalska) went home."
    found = read(text, [[mark(text, "Kowalska")]], [over(mark(text, "Kowalska"), "[ONE]")])
    assert found.evidence.keys() == {"d"}
    ((direct, place),) = found.evidence["d"]
    start = text.index("Kowalska", 10)
    assert direct is True
    assert place == {
        "entity_type": "PERSON", "start": start - 3, "end": start + 5, "line": 2, "original": (start, start + 8),
        "text": "Kowalska", "how": "elsewhere", "marked": [(3, 11)],
    }  # fmt: skip


def test_evidence_of_what_was_encoded_and_of_what_is_near() -> None:
    text = "Ms Kowalska came. It is here."
    last = Mask(text.index("here"), len(text), "S293YWxza2E= there")  # base64
    (place,) = places(read(text, [[mark(text, "Kowalska")]], [over(mark(text, "Kowalska")), last]))
    assert (place["how"], place["text"], place["start"], place["end"], place["original"]) == (
        "encoded", "Kowalska", 0, 0, (0, 0),
    )  # fmt: skip
    near = Mask(text.index("here"), len(text), "Kowalsky there")
    (place,) = places(read(text, [[mark(text, "Kowalska")]], [over(mark(text, "Kowalska")), near]))
    assert (place["how"], place["text"], place["start"], place["end"]) == ("nearly", "kowalsky", 0, 0)


def test_evidence_looks_at_twenty_words() -> None:
    """Of 25 in a row the first 20 are looked at and joined: 20 · 8 letters and 19 spaces."""
    text = "Ms Kowalska came. " + "Kowalska " * 25
    (place,) = places(read(text, [[mark(text, "Kowalska")]], [over(mark(text, "Kowalska"))]))
    assert int(str(place["end"])) - int(str(place["start"])) == 20 * 8 + 19


def test_evidence_of_some_identifiers() -> None:
    """Twenty places of a document are kept, of the kind that is asked for; a document with none is left out."""
    evidence = {"a": [(True, {"start": number}) for number in range(21)], "b": [(False, {"start": 0})]}
    shown = _select_evidence(evidence, "direct")
    assert list(shown) == ["a"]
    assert shown["a"]["places"] == [{"start": number} for number in range(20)]
    assert list(_select_evidence(evidence, "quasi")) == ["b"]
    assert list(_select_evidence(evidence, "all")) == ["a", "b"]


# Places that do not count.


def test_a_place_that_one_annotator_excuses_counts_for_the_other() -> None:
    """Both mark Gdynia; the first leaves the second one, and nobody the third: it is readable for both, there."""
    text = "In Gdynia it rained. Later Gdynia slept, and Gdynia woke."
    town, left = mark(text, "Gdynia", "QUASI", "LOC"), mark(text, "Gdynia", "NO_MASK", "LOC", 1)
    mask = over(mark(text, "Gdynia"), "X")
    assert sorted(read(text, [[town, left], [town]], [mask]).ways.tolist()) == [0, 2, 2]  # NO_MASK is never asked
    short = text[: text.index(", and")]
    assert sorted(read(short, [[town, left], [town]], [mask]).ways.tolist()) == [0, 0, 2]


# What is counted.


def counted(metric: Removed | Clean) -> dict[str, list[float]]:
    """Two documents with marks and one without.

    a: Anna is masked and stands there again, the date lost its day. b: Olga is gone, Gdynia is left. c: nothing.
    """
    a, b = "Anna came on 29 October 1997, and Anna left.", "Olga left Gdynia."
    search = searched({
        "a": (a, [[mark(a, "Anna"), mark(a, "29 October 1997", "QUASI", "DATETIME")]]),
        "b": (b, [[mark(b, "Olga"), mark(b, "Gdynia", "QUASI", "LOC")]]),
        "c": ("It rained.", [()]),
    })  # fmt: skip
    rows = released(search, {"a": [Mask(0, 4), over(mark(a, "29 "))], "b": [Mask(0, 4)], "c": []}).rows(metric)
    return {column: rows.column(column).tolist() for column in rows.columns}


def test_what_is_counted_of_all() -> None:
    found = counted(Removed("all"))
    assert (found["removed"], found["total"]) == ([1, 1, 0], [2, 2, 0])
    assert (found["removed:PERSON"], found["total:PERSON"], found["leaked:PERSON"]) == ([0, 1, 0], [1, 1, 0], [1, 0, 0])
    assert (found["removed:DATETIME"], found["total:DATETIME"]) == ([1, 0, 0], [1, 0, 0])
    assert (found["removed:LOC"], found["total:LOC"], found["leaked:LOC"]) == ([0, 0, 0], [0, 1, 0], [0, 1, 0])
    assert "leaked:DATETIME" not in found
    assert (found["left:marked"], found["left:elsewhere"]) == ([0, 1, 0], [1, 0, 0])
    assert (found["left:otherwise"], found["left:encoded"], found["nearly"]) == ([0, 0, 0], [0, 0, 0], [0, 0, 0])
    assert found["generalized"] == [1, 0, 0]


def test_what_is_counted_where_a_date_without_its_day_is_left() -> None:
    found = counted(Removed("quasi", "left"))
    assert (found["removed"], found["total"]) == ([0, 0, 0], [1, 1, 0])
    assert (found["left:marked"], found["leaked:DATETIME"]) == ([1, 1, 0], [1, 0, 0])
    assert counted(Removed("quasi"))["removed"] == [1, 0, 0]


def test_documents_without_a_readable_direct_identifier() -> None:
    """Of a and b, which have direct identifiers, b alone is clean; c has none to be clean of."""
    assert counted(Clean()) == {"clean": [0, 1, 0], "documents": [1, 1, 0]}


def test_chance_is_a_share_of_what_was_looked_for() -> None:
    """Anna of a stands in b and not in c, Olga of b not in a: 1 of 3; Gdynia is not asked for."""
    texts = {"a": "Anna came.", "b": "Olga met Anna in Gdynia.", "c": "Nobody came to Gdynia."}
    search = searched({
        "a": (texts["a"], [[mark(texts["a"], "Anna")]]),
        "b": (texts["b"], [[mark(texts["b"], "Olga"), mark(texts["b"], "Gdynia", "QUASI", "LOC")]]),
        "c": (texts["c"], [()]),
    })  # fmt: skip
    each = {key: list[Mask]() for key in texts}
    assert Removed("direct").by_chance(released(search, each), [[1, 2], [0], []]) == {"chance": pytest.approx(1 / 3)}
    assert Removed("all").by_chance(released(search, each), [[], [2], []]) == {"chance": 1 / 2}  # Gdynia, not Olga
    assert Removed("direct").by_chance(released(search, each), [[], [], []]) == {"chance": None}


def test_what_tells_which_documents_are_at_risk() -> None:
    """What reads the release, where it is at hand; `removed` of all identifiers is of neither kind."""
    recall = EntityRecall("direct", DEFAULT_LEXICON), EntityRecall("quasi", DEFAULT_LEXICON)
    assert risks(DEFAULT_LEXICON) == recall
    assert risks(DEFAULT_LEXICON, [Removed("all"), Clean()]) == recall
    assert risks(DEFAULT_LEXICON, [Removed("quasi"), EntityRecall("direct")]) == (recall[0], Removed("quasi"))
    assert risks(DEFAULT_LEXICON, [Removed("direct"), Removed("quasi")]) == (Removed("direct"), Removed("quasi"))


def test_what_cannot_be_asked_is_refused_at_once() -> None:
    for kind in (Removed, Clean):
        with pytest.raises((PlanError, ResourceError)):
            kind(function_words="no-such-list")
    with pytest.raises(PlanError):
        Removed("everything")  # type: ignore[arg-type]
    assert [Removed(kind).title for kind in ("direct", "quasi", "all")] == [
        "Direct identifiers removed",
        "Indirect identifiers removed",
        "Identifiers removed",
    ]


def test_shares_and_their_order() -> None:
    """Of 8 entities 2 are removed; of the 4 persons one, of the 2 places one."""
    totals = {
        "removed": 2, "total": 8, "total:PERSON": 4, "removed:PERSON": 1, "total:LOC": 2, "removed:LOC": 1,
        "left:marked": 1, "left:elsewhere": 2, "left:otherwise": 3, "left:encoded": 0, "nearly": 4, "generalized": 1,
    }  # fmt: skip
    shares = Removed().combine({column: np.array([float(value)]) for column, value in totals.items()})
    assert [(part, value.tolist()) for part, value in shares.items()] == [
        ("", [2 / 8]), ("LOC", [1 / 2]), ("PERSON", [1 / 4]), ("left:marked", [1 / 8]), ("left:elsewhere", [2 / 8]),
        ("left:otherwise", [3 / 8]), ("left:encoded", [0.0]), ("nearly", [4 / 8]), ("generalized", [1 / 8]),
    ]  # fmt: skip


# What is looked for, and what is shown of it.


def test_a_word_by_chance_is_no_name() -> None:
    """A stone in another document may be Mr Stone at a first look, and is not."""
    first, second = "Mr Stone came in.", "They took a stone out."
    search = searched({"a": (first, [[mark(first, "Stone")]]), "b": (second, [()])})
    readable, looked = search.by_chance(released(search, {"a": [], "b": []}), [[1], []])
    assert (readable.tolist(), looked.tolist()) == ([0], [1])


def test_what_is_too_long_for_an_identifier_is_not_looked_for() -> None:
    for longer, forms in ((0, 1), (1, 0)):
        text = "K" + "o" * (LONGEST - 1 + longer) + " came."
        search = searched({"d": (text, [[Mention(0, LONGEST + longer, "PERSON", "DIRECT")]])})
        assert len(search.books[0].sought) == forms


def test_evidence_is_of_what_is_hidden_where_it_was_marked() -> None:
    """Anna is left where she was marked, which is told already; Olga is gone."""
    text = "Anna met Olga, and Anna left."
    found = read(text, [[mark(text, "Anna"), mark(text, "Olga")]], [over(mark(text, "Olga"))])
    assert (found.ways.tolist(), found.evidence) == ([1, 0], {})


def test_the_plainest_place_tells_how_it_is_read() -> None:
    """Who did not leave the second Swinoujscie reads it there, and not only in base64 behind it."""
    text = "In Swinoujscie it rained. Later Swinoujscie slept here."
    town, left = mark(text, "Swinoujscie", "QUASI", "LOC"), mark(text, "Swinoujscie", "NO_MASK", "LOC", 1)
    masks = [over(town, "X"), Mask(text.index("here"), len(text), "U3dpbm91anNjaWU= there")]
    search = searched({"d": (text, [[town, left], [town]])})
    ways = search.find_readable(released(search, {"d": masks})).ways
    other = next(entity for entity, layer in enumerate(search.layer.tolist()) if layer not in search.spared_spans)
    assert ways[other] == 2
    assert np.count_nonzero(ways) == 2  # the one who left it reads the encoded one all the same


def test_a_surrogate_over_one_of_three() -> None:
    """Olga is replaced by another Maria: that is her surrogate, though Jan is masked elsewhere."""
    text = "The nurse Maria Kowalska met Olga Brzezina and Jan Nowak there."
    marks = [mark(text, words) for words in ("Maria Kowalska", "Olga Brzezina", "Jan Nowak")]
    masks = [over(each, name) for each, name in zip(marks, ("Ewa Lind", "Maria Lind", "Piotr Berg"), strict=True)]
    assert read(text, [marks], masks).ways.tolist() == [0, 0, 0]


def test_her_own_name_over_another_mention_of_hers_is_no_surrogate() -> None:
    """Kowalska is replaced by Maria Lind: a word of the same person's name, which her other mention has."""
    text = "The nurse Maria Kowalska came. Then Kowalska left."
    marks = [mark(text, "Maria Kowalska"), mark(text, "Kowalska", number=1)]
    marks = [Mention(each.start, each.end, "PERSON", "DIRECT", "e") for each in marks]
    masks = [over(marks[0], "Ewa Lind"), over(marks[1], "Maria Lind")]
    assert read(text, [marks], masks).ways.tolist() == [2]
