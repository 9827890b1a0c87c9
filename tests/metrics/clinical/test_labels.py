"""Types of different depth: finer ones are right, other names are the same, coarser ones are not. Counted by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mention,
    Run,
    TypedMask,
    evaluate,
    parse_metric,
    read_corpus,
)
from showthrough.data.schemes import SCHEMES

TEXT = "Ann Lee of Oslo, Norway, ann@lee.no, born 1 May 1970."
GOLD = {"Ann Lee": "PERSON", "Oslo": "LOC", "Norway": "LOC", "ann@lee.no": "EMAIL", "1 May 1970": "DATE"}
# The same five spans, as others name them: finer, another name, in another writing.
FINER = {"Ann Lee": "PATIENT", "Oslo": "CITY", "Norway": "country", "ann@lee.no": "Email-Address", "1 May 1970": "DOB"}
TYPED = ("phi_token", "phi_instance", "phi_strict")


def spans(kinds: dict[str, str]) -> list[tuple[int, int, str]]:
    return [(TEXT.index(words), TEXT.index(words) + len(words), kind) for words, kind in kinds.items()]


def corpus_of(kinds: dict[str, str]) -> Corpus:
    marks = tuple(Mention(*span) for span in spans(kinds))
    return Corpus([Document("1", TEXT, (Annotation("gold", marks),))])


def system_of(kinds: dict[str, str]) -> Anonymization:
    return Anonymization({"1": [TypedMask(start, end, None, kind) for start, end, kind in spans(kinds)]})


def scored(gold: dict[str, str], system: dict[str, str], *metrics: str, **said: str) -> Run:
    return evaluate(corpus_of(gold), {"a": system_of(system)}, metrics, resamples=0, references=False, **said)  # type: ignore[arg-type]


def test_finer_types_and_other_names_are_right() -> None:
    run = scored(GOLD, FINER, *TYPED, "phi_leak")
    for metric in TYPED:
        assert [run["a", metric, part].value for part in ("P", "R")] == [1.0, 1.0]  # 5 of 5 spans, 8 of 8 tokens
    assert run["a", "phi_leak"].value == 0.0
    # Tokens: Ann, Lee, Oslo, Norway, the address, and 1, May, 1970.
    assert sum(run.rows["phi_token"]["a"]["TP"]) == 8
    assert run["a", "phi_token", "micro R"].value == 1.0


def test_parts_have_the_names_of_the_corpus() -> None:
    parts = set(scored(GOLD, FINER, "phi_instance").parts("a", "phi_instance"))
    assert {part for part in parts if part.startswith("R:")} == {"R:PERSON", "R:LOC", "R:EMAIL", "R:DATE"}


def test_exact_names() -> None:
    exact = [f'{name}(labels="exact", unknown_types="keep")' for name in TYPED]
    run = scored(GOLD, FINER, *exact)
    assert run["a", exact[2], "R"].value == 0.0  # five spans, and not one name is gold's
    assert run["a", exact[0], "R"].value == 1.0  # hidden they are
    assert run["a", exact[0], "micro R"].value == 0.0
    half = scored(GOLD, {**GOLD, "Oslo": "CITY"}, exact[2], "phi_strict")
    assert (half["a", exact[2], "R"].value, half["a", "phi_strict", "R"].value) == (4 / 5, 1.0)
    with pytest.raises(InputError, match="type CITY: is not a type of the corpus"):
        scored(GOLD, FINER, 'phi_strict(labels="exact")')


@pytest.mark.parametrize(
    ("gold", "system"),
    [("CITY", "LOCATION"), ("CITY", "GPE"), ("FIRSTNAME", "PERSON"), ("DATE_OF_BIRTH", "DATE"), ("PATIENT", "PER"),
     ("LOC", "ORG"), ("MISC", "CITY"), ("OTHER", "MISC"), ("DOCTOR", "PATIENT"), ("LOC", "TATTOO")],
)  # fmt: skip
def test_coarser_and_other_types_are_not_right(gold: str, system: str) -> None:
    with pytest.raises(InputError, match=rf"type {system}: is not a type of the corpus, which has .*--map {system}="):
        scored({"Ann Lee": gold}, {"Ann Lee": system}, "phi_strict")
    keep = [f'{name}(unknown_types="keep")' for name in ("phi_strict", "phi_span", "phi_instance", "phi_token")]
    run = scored({"Ann Lee": gold}, {"Ann Lee": system}, *keep)
    assert run["a", keep[0], "R"].value == 0.0
    assert run["a", keep[1], "R"].value == 1.0  # the span is right
    assert run["a", keep[2], "R"].value == 0.0
    assert (run["a", keep[3], "R"].value, run["a", keep[3], "micro R"].value) == (1.0, 0.0)


def test_what_the_corpus_tells_apart_stays_apart() -> None:
    """It has CITY and LOC: Norway as a CITY is wrong, as a COUNTRY it is a LOC, and Oslo as a town is a CITY."""
    gold = {"Oslo": "CITY", "Norway": "LOC"}
    assert scored(gold, {"Oslo": "CITY", "Norway": "CITY"}, "phi_strict")["a", "phi_strict", "R"].value == 1 / 2
    assert scored(gold, {"Oslo": "city", "Norway": "COUNTRY"}, "phi_strict")["a", "phi_strict", "R"].value == 1.0


def test_the_nearest_type_counts() -> None:
    """CITY lies below GPE and that below LOC; a corpus with both has it as GPE."""
    gold = {"Oslo": "GPE", "Norway": "LOC"}
    run = scored(gold, {"Oslo": "CITY", "Norway": "CITY"}, "phi_instance")
    assert (run["a", "phi_instance", "R:GPE"].value, run["a", "phi_instance", "R:LOC"].value) == (1.0, 0.0)


def test_a_map_wins() -> None:
    run = scored(GOLD, {**FINER, "Oslo": "CITY"}, "phi_strict", map="CITY=DATE")
    assert run["a", "phi_strict", "R"].value == 4 / 5  # Oslo is said to be a date
    metric = 'phi_strict(map="CITY=DATE")'
    assert scored(GOLD, FINER, metric)["a", metric, "R"].value == 4 / 5
    onward = 'phi_strict(map="ORT=CITY")'  # what it is mapped to is a type like any other
    assert scored(GOLD, {**FINER, "Oslo": "ORT"}, onward)["a", onward, "R"].value == 1.0


@pytest.mark.parametrize("option", ["ignore", "map"])
def test_what_is_left_out_is_so_under_every_name(option: str) -> None:
    """Without the address 4 spans are asked for; the system's Email-Address is neither right nor wrong."""
    said = {"ignore": "EMAIL"} if option == "ignore" else {"map": "EMAIL="}
    run = scored(GOLD, FINER, "phi_strict", **said)
    text = 'phi_strict(map="Email-Address=")'
    assert [run["a", text, part].value for part in ("P", "R")] == [1.0, 1.0]
    assert sum(run.rows[text]["a"]["system"]) == 4
    own = 'phi_strict(map="EMAIL=")'
    assert sum(scored(GOLD, FINER, own).rows[own]["a"]["system"]) == 4
    # A coarser type that stays does not get what is left out: Oslo is gone, Norway is not.
    both = {"Oslo": "CITY", "Norway": "LOC"}
    run = scored(both, {"Oslo": "City", "Norway": "LOC"}, "phi_strict", ignore="CITY")
    assert [run["a", 'phi_strict(map="City=")', part].value for part in ("P", "R")] == [1.0, 1.0]


def test_what_is_asked_for_under_another_name_is_not_left_out() -> None:
    """Gold has both names of addresses, and one is ignored: the other is asked for still, and is missed."""
    gold = {"Ann Lee": "EMAIL", "ann@lee.no": "EMAIL_ADDRESS", "Oslo": "LOC"}
    run = scored(gold, {"Ann Lee": "EMAIL", "Oslo": "CITY"}, "phi_strict", ignore="EMAIL")
    text = 'phi_strict(map="EMAIL=")'
    assert run["a", text, "R"].value == 1 / 2  # Oslo, but not the address
    found = scored(gold, {"ann@lee.no": "EMAIL_ADDRESS", "Oslo": "CITY"}, "phi_strict", ignore="EMAIL")
    assert [found["a", "phi_strict", part].value for part in ("P", "R")] == [1.0, 1.0]
    own = 'phi_strict(map="EMAIL=")'  # a system's name that gold does not have
    left = scored({"ann@lee.no": "EMAIL_ADDRESS"}, {"ann@lee.no": "EMAIL"}, own)
    assert (left["a", own, "R"].value, sum(left.rows[own]["a"]["gold"])) == (0.0, 1)


def test_two_names_of_one_system_for_one_span_are_one_answer() -> None:
    both = Anonymization({"1": [TypedMask(11, 15, None, "CITY"), TypedMask(11, 15, None, "GPE")]})
    run = evaluate(corpus_of({"Oslo": "LOC"}), {"a": both}, ["phi_strict", "phi_instance"], resamples=0)
    assert (run["a", "phi_strict", "P"].value, run["a", "phi_instance", "P"].value) == (1.0, 1.0)


def test_two_names_of_a_corpus_for_one_kind_are_one_type() -> None:
    gold = {"Oslo": "LOC", "Norway": "Location", "ann@lee.no": "tattoo", "1 May 1970": "TATTOO"}
    system = {"Oslo": "Location", "Norway": "LOC", "1 May 1970": "tattoo"}
    run = scored(gold, system, "phi_strict", "recall_per_type", 'recall_per_type(labels="exact")')
    assert run["a", "phi_strict", "R"].value == 3 / 4
    found = {part: score.value for part, score in run.parts("a", "recall_per_type").items()}
    # Places: Oslo, Norway. Tattoos: of ann, lee and no, the last need not be masked; 1, May, 1970 are: 1 + 3 of 6.
    assert found == {"LOC": 1.0, "TATTOO": 4 / 6}
    apart = run.parts("a", 'recall_per_type(labels="exact")')
    assert {part: score.value for part, score in apart.items()} == {
        "LOC": 1.0, "Location": 1.0, "TATTOO": 1.0, "tattoo": 1 / 3,
    }  # fmt: skip


def test_systems_share_their_parts() -> None:
    """Neither name is the corpus's; one has EMAIL, the other EMAIL_ADDRESS, and a third writes PER for PERSON."""
    keep = 'phi_instance(unknown_types="keep")'
    systems = {
        "one": system_of({"Oslo": "EMAIL", "Norway": "blood group"}),
        "two": system_of({"Oslo": "EMAIL_ADDRESS", "Norway": "BLOOD_GROUP"}),
        "three": system_of({"Oslo": "PER", "Norway": "Person"}),
    }
    run = evaluate(corpus_of({"Oslo": "CITY", "Norway": "CITY"}), systems, [keep], resamples=0, references=False)
    parts = {name: {part for part in run.parts(name, keep) if part.startswith("P:")} for name in systems}
    assert parts["one"] == parts["two"]
    assert parts["one"] >= {"P:EMAIL", "P:BLOOD_GROUP"}
    assert parts["three"] >= {"P:PERSON"}
    assert "P:PER" not in parts["three"]


def test_it_is_told() -> None:
    run = scored(GOLD, FINER, "phi_token", "phi_strict")
    taken = "CITY as LOC, DOB as DATE, Email-Address as EMAIL, PATIENT as PERSON, country as LOC"
    assert run.notes == [f"a: these count as types of the corpus: {taken}"]
    assert scored(GOLD, GOLD, "phi_token").notes == []
    assert scored(GOLD, {words: kind.lower() for words, kind in GOLD.items()}, "phi_token").notes == []
    assert not any("count as" in note for note in scored(GOLD, FINER, "er_di").notes)
    mapped = scored(GOLD, FINER, 'phi_token(map="CITY=DATE")').notes
    assert mapped == ["a: these count as types of the corpus: " + taken.removeprefix("CITY as LOC, ")]
    assert "|labels:tree|" in run["a", "phi_token"].signature
    assert "|kinds:1|" in run["a", "phi_token"].signature
    exact = scored(GOLD, GOLD, 'phi_token(labels="exact")')["a", 'phi_token(labels="exact")'].signature
    assert "|kinds:" not in exact


@pytest.mark.parametrize("jobs", [1, 2])
def test_chunks_agree_on_what_the_corpus_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    """A document a chunk: the second has no GPE, and its CITY is still taken for one, not for the LOC there."""
    original = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=5, start=0: original(self, characters, start))
    lines = [
        {"doc_id": kind, "text": "Oslo calls", "annotations": {"a": {"entity_mentions": [
            {"start_offset": 0, "end_offset": 4, "entity_type": kind, "identifier_type": "QUASI"}]}}}
        for kind in ("GPE", "LOC", "Loc")
    ]  # fmt: skip
    path = tmp_path / "c.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    system = Anonymization({kind: [TypedMask(0, 4, None, "CITY")] for kind in ("GPE", "LOC", "Loc")}, "a")
    run = evaluate(read_corpus(path), [system], ["phi_instance", "recall_per_type"], jobs=jobs, resamples=0)
    assert run["a", "phi_instance", "R"].value == 1 / 3
    assert run["a", "phi_instance", "P:GPE"].value == 1 / 3
    assert set(run.parts("a", "recall_per_type")) == {"GPE", "LOC"}


@pytest.mark.parametrize("corpus", ["i2b2 2006", "i2b2 2014", "MEDDOCAN", "TAB", "OntoNotes 5"])
def test_among_the_types_of_one_corpus_the_tree_changes_nothing(corpus: str) -> None:
    """Every type taken for every other: right on the diagonal alone, as with exact names."""
    types = [name for name in SCHEMES[corpus].labels if name != "IPADDR"]
    pairs = [(gold, said) for gold in types for said in types]
    text = "Oslo " * len(pairs)
    marks = tuple(Mention(5 * place, 5 * place + 4, gold) for place, (gold, _) in enumerate(pairs))
    masks = [TypedMask(5 * place, 5 * place + 4, None, said) for place, (_, said) in enumerate(pairs)]
    names = ["phi_strict", 'phi_strict(labels="exact")', "phi_instance", 'phi_instance(labels="exact")']
    gold = Corpus([Document("1", text, (Annotation("gold", marks),))])
    run = evaluate(gold, {"a": Anonymization({"1": masks})}, names, resamples=0, references=False)
    assert run["a", "phi_strict", "R"].value == pytest.approx(1 / len(types))
    assert run.rows["phi_strict"] == run.rows['phi_strict(labels="exact")']
    assert run.rows["phi_instance"] == run.rows['phi_instance(labels="exact")']


def test_only_two_ways() -> None:
    with pytest.raises(InputError, match="labels='fuzzy' is not known; expected one of 'tree', 'exact'"):
        parse_metric('phi_token(labels="fuzzy")')
