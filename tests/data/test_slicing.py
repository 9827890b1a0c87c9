"""Documents in groups: values, lists, numbers, dates, pieces of ids, and what says nothing."""

from __future__ import annotations

import pytest

from showthrough import Corpus, Document, InputError, PlanError
from showthrough.data.slicing import NamesTable, Slicing, keys_of, parse_slices, slicings_of


def groups(slicing: Slicing) -> dict[str, list[int]]:
    by_name: dict[str, list[int]] = {name: [] for name in slicing.groups}
    for document, member in zip(slicing.documents.tolist(), slicing.members.tolist(), strict=True):
        by_name[slicing.groups[member]].append(document)
    return by_name


def cut(field: str, *values: object) -> Slicing:
    documents = [
        Document(f"d{number:02}", "Mr Doe", fields={} if value is None else {field: value})
        for number, value in enumerate(values)
    ]
    return slicings_of(Corpus(documents), [field])[0]


def test_values_are_groups_and_none_is_one_of_its_own() -> None:
    slicing = cut("ward", "b", "a", None, "b", "")
    assert (slicing.kind, groups(slicing)) == ("values", {"a": [1], "b": [0, 3], "(missing)": [2, 4]})


def test_a_document_with_a_list_is_in_several_groups() -> None:
    slicing = cut("countries", ["NOR", "SWE"], "NOR", '["DNK", "NOR"]')
    assert (slicing.kind, groups(slicing)) == ("lists", {"DNK": [2], "NOR": [0, 1, 2], "SWE": [0]})


def test_many_numbers_are_cut_at_quartiles_and_few_are_not() -> None:
    # Quartiles of 1 to 12 are 3.75, 6.5 and 9.25.
    slicing = cut("age", *range(12, 0, -1))
    assert (slicing.kind, slicing.groups) == ("numbers", ("1 to 3", "4 to 6", "7 to 9", "10 to 12"))
    assert groups(slicing)["10 to 12"] == [0, 1, 2]
    assert cut("level", 3, 1, 10, 2).groups == ("1", "2", "3", "10")


def test_equal_numbers_stay_together() -> None:
    slicing = cut("age", *[5] * 20, *range(6, 16))
    assert "5" in slicing.groups
    assert len(groups(slicing)["5"]) == 20


def test_codes_with_a_leading_zero_are_no_numbers() -> None:
    assert cut("post", *(f"0{number}" for number in range(10, 30))).kind == "values"


def test_dates_go_by_their_year() -> None:
    slicing = cut("seen", "2010-05-03", "2011-05-03T10:00:00", "3.5.2010", None)
    assert (slicing.kind, groups(slicing)) == ("years", {"2010": [0, 2], "2011": [1], "(missing)": [3]})


def test_an_entry_of_meta_is_found_with_and_without_it() -> None:
    document = Document("d", "Mr Doe", fields={"meta": '{"year": 2008}'})
    for field in ("year", "meta.year", "field:year"):
        assert slicings_of(Corpus([document]), [field])[0].groups == ("2008",)


def test_a_piece_of_an_id() -> None:
    corpus = Corpus([Document("a-1", "x"), Document("b-1", "y"), Document("none", "z")])
    assert groups(slicings_of(corpus, ["id:^([ab])-"])[0]) == {"a": [0], "b": [1], "(missing)": [2]}


def test_group_and_split_of_documents() -> None:
    corpus = Corpus([Document("a", "x", group="p1", split="test"), Document("b", "y", group="p2", split="train")])
    assert [slicing.groups for slicing in slicings_of(corpus, ["group", "split"])] == [("p1", "p2"), ("test", "train")]


def test_a_table_goes_before_what_the_file_says() -> None:
    corpus = Corpus([Document("a", "x", fields={"origin": "old"}), Document("b", "y")])
    table = NamesTable({"a": {"origin": "Turkish"}, "b": {"origin": ""}})
    slicing = slicings_of(corpus, ["origin"], table)[0]
    assert groups(slicing) == {"Turkish": [0], "(missing)": [1]}


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ("nothing", "no document has this field; there are meta, meta.year, ward"),
        ("id:^zzz", "matches no document id, such as 'd0'"),
    ],
)
def test_fields_that_nobody_has_are_refused(field: str, says: str) -> None:
    documents = [Document(f"d{n}", "x", fields={"ward": "a", "meta": {"year": 1}}) for n in range(3)]
    with pytest.raises(InputError) as caught:
        slicings_of(Corpus(documents), [field])
    assert says in str(caught.value)


def test_a_field_that_names_documents_is_refused() -> None:
    with pytest.raises(InputError, match="found 201 different values; expected at most 200 groups"):
        cut("name", *(f"person {number}" for number in range(201)))


def test_what_is_no_field_is_refused() -> None:
    with pytest.raises(PlanError, match="expected a field"):
        parse_slices(["id:"])
    with pytest.raises(PlanError, match="is no regular expression"):
        parse_slices(["id:("])
    with pytest.raises(PlanError, match="expected a field"):
        parse_slices([" "])


def test_keys_that_readers_keep() -> None:
    assert keys_of(["meta.year", "ward", "id:^x", "type", "field:type", "split"]) == (
        "meta.year",
        "meta",
        "ward",
        "type",
    )
