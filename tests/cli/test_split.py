"""A corpus in parts: shares, what stays together, who comes where, and that chance is a seed's."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Corpus, Document, PlanError, read_corpus, split_corpus
from showthrough.formats.writing import write_corpus
from showthrough.studies.splits import parse_shares

Cli = Callable[..., Any]
WORDS = ("red", "blue", "green", "black", "white", "grey", "pink", "brown", "gold", "teal")
ONE, TWO = (Annotation("ann"),), (Annotation("ann"), Annotation("bob"))


def text(number: int) -> str:
    """Unlike every other, so that no two are near copies."""
    first, second, third = number % 10, number // 10 % 10, (number * 7 + 3) % 10
    return " ".join(f"{WORDS[first]}{number} {WORDS[second]} {WORDS[third]} thing{number}{place}" for place in range(9))


def corpus(count: int, **of: Callable[[int], Any]) -> Corpus:
    """Documents whose group, annotations and so on are functions of their number."""
    return Corpus([
        Document(f"d{number:03}", text(number), **{name: make(number) for name, make in of.items()})
        for number in range(count)
    ])  # fmt: skip


def sizes(parts: dict[str, Corpus] | Any) -> dict[str, int]:
    return {name: len(part) for name, part in parts.items()}


def test_shares_of_the_paper() -> None:
    split = split_corpus(corpus(100))
    assert sizes(split.parts) == {"train": 80, "dev": 10, "test": 10}
    assert sorted(key for part in split.parts.values() for key in part.ids) == [
        f"d{number:03}" for number in range(100)
    ]
    assert {one.split for one in split.parts["dev"]} == {"dev"}
    assert split.record.notes == []


@pytest.mark.parametrize(
    ("shares", "count", "expected"),
    [
        ("80/20", 10, {"train": 8, "test": 2}),
        ("a=1,b=1,c=1,d=1", 8, {"a": 2, "b": 2, "c": 2, "d": 2}),
        ({"train": 0.98, "dev": 0.01, "test": 0.01}, 3, {"train": 1, "dev": 1, "test": 1}),  # none is empty
    ],
)
def test_any_shares(shares: Any, count: int, expected: dict[str, int]) -> None:
    assert sizes(split_corpus(corpus(count), shares).parts) == expected


def test_documents_of_several_annotators_and_reviewed_ones_are_held_out() -> None:
    """Of 20 documents with dev and test for 2 each, 3 and 7 are read by two people and 12 was reviewed."""
    docs = corpus(
        20, annotations=lambda n: TWO if n in (3, 7) else ONE, reviewed=lambda n: ("ann",) if n == 12 else None
    )
    for seed in range(5):
        split = split_corpus(docs, seed=seed)
        assert sizes(split.parts) == {"train": 16, "dev": 2, "test": 2}
        assert {"d003", "d007", "d012"} <= {*split.parts["dev"].ids, *split.parts["test"].ids}
        assert (split.record.parts["train"].several_annotators, split.record.parts["train"].reviewed) == (0, 0)
    # Of 6 such documents 2 find no room.
    split = split_corpus(corpus(20, annotations=lambda n: TWO if n < 6 else ONE))
    assert [part.several_annotators for part in split.record.parts.values()] == [2, 2, 2]
    assert "also in train" in split.record.notes[-1]


def test_a_program_is_no_annotator() -> None:
    both = (Annotation("ann"), Annotation("silver(rules)"))
    split = split_corpus(corpus(10, annotations=lambda n: both), "90/10")
    assert [part.several_annotators for part in split.record.parts.values()] == [0, 0]


def test_what_belongs_together_stays_together() -> None:
    """Groups of four; and a copy of a document of another group, which joins two groups."""
    docs = [*corpus(40, group=lambda n: f"g{n // 4}"), Document("copy", f"  {text(1)}\n", group="g9")]
    for seed in range(5):
        split = split_corpus(Corpus(docs), "60/20/20", seed=seed)
        part_of = {key: name for name, part in split.parts.items() for key in part.ids}
        for group in range(10):
            assert len({part_of[f"d{number:03}"] for number in range(4 * group, 4 * group + 4)}) == 1
        assert part_of["copy"] == part_of["d001"] == part_of["d036"]  # the copy is of group 9, which has document 36
        assert sum(part.units for part in split.record.parts.values()) == 9


def test_every_part_has_its_share_of_every_value() -> None:
    """60 of A and 40 of B in 80/10/10: 48 and 32, 6 and 4, 6 and 4."""
    docs = corpus(100, fields=lambda n: {"meta": {"branch": "A" if n % 5 < 3 else "B"}})
    for by in ("branch", "meta.branch"):
        split = split_corpus(docs, by=by, seed=4)
        values = [part.values for part in split.record.parts.values()]
        assert values == [{"A": 48, "B": 32}, {"A": 6, "B": 4}, {"A": 6, "B": 4}]


def test_chance_is_the_seeds_and_not_that_of_the_order() -> None:
    docs = list(corpus(30))

    def ids(documents: Sequence[Document], seed: int) -> dict[str, list[str]]:
        return {name: sorted(part.ids) for name, part in split_corpus(Corpus(documents), seed=seed).parts.items()}

    assert ids(docs, 1) == ids(docs[::-1], 1)
    assert ids(docs, 1) != ids(docs, 2)
    drawn = Counter(key for seed in range(60) for key in ids(docs, seed)["test"])  # 3 of 30, 60 times: 6 on average
    assert len(drawn) == 30
    assert max(drawn.values()) < 18


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ("80", "expected two or more|expected shares"),
        ("80/10/10/5", "expected shares such as 80/10/10"),
        ("80/x", "expected shares"),
        ("a=1,a=2", "expected shares"),
        ("a=1,b=0", "b is 0.0; expected a number above 0"),
        ("a=1,../b=1", "expected letters, digits"),
        ("train=1,TRAIN=1", "found train, TRAIN; expected different names"),
        ("split=1,b=1", "which the record has; expected another"),
        ("a=1,b=inf", "expected a number above 0"),
        ("a=1,b=nan", "expected a number above 0"),
    ],
)
def test_shares_that_cannot_be(shares: str, says: str) -> None:
    with pytest.raises(PlanError, match=says):
        parse_shares(shares)


def test_what_cannot_be_divided() -> None:
    with pytest.raises(PlanError, match="2 documents make 2 independent units; expected at least 3"):
        split_corpus(corpus(2))
    with pytest.raises(PlanError, match="4 documents make 1 independent unit;"):
        split_corpus(corpus(4, group=lambda n: "g"), "50/50")
    with pytest.raises(PlanError, match=r"no document has the field 'yaer'; found the fields meta, meta\.year"):
        split_corpus(corpus(9, fields=lambda n: {"meta": {"year": n}}), by="yaer")


def test_the_command_writes_the_parts_and_the_record(cli: Cli, tmp_path: Path) -> None:
    docs = corpus(20, fields=lambda n: {"meta": {"year": 2000 + n % 2}})
    write_corpus(docs, tmp_path / "corpus.json")
    asked = ["split", tmp_path / "corpus.json", "-o", tmp_path / "parts", "--by", "year", "--seed", "5"]
    found = cli(*asked)
    assert (found.status, found.err) == (0, "")
    assert "2000" in found.out
    assert found.out.endswith(f"20 documents written to 4 files in {tmp_path / 'parts'}\n")
    record = json.loads((tmp_path / "parts/split.json").read_bytes())
    assert (record["seed"], record["field"], record["digest"]) == (5, "year", docs.digest)
    for name in ("train", "dev", "test"):
        part = read_corpus(tmp_path / f"parts/{name}.json")
        assert list(part.ids) == record["parts"][name]["documents"]
        assert {one.split for one in part} == {name}
        assert {**record["parts"][name]["values"]} == Counter(*[[str(2000 + int(key[1:]) % 2) for key in part.ids]])
    assert (tmp_path / "parts/train.json").stat().st_mode & 0o077 == 0  # for their owner alone
    again = cli(*asked)
    assert (again.status, again.err.split(":")[0]) == (2, str(tmp_path / "parts"))
    before = (tmp_path / "parts/test.json").read_bytes()
    assert cli(*asked, "--force").status == 0
    assert (tmp_path / "parts/test.json").read_bytes() == before
    other = cli(*asked, "--force", "--shares", "50/50")  # dev would stay, with documents that are now in train or test
    assert (other.status, "holds dev of an earlier split" in other.err) == (2, True)
    assert (tmp_path / "parts/test.json").read_bytes() == before


def test_another_format_has_folders_or_says_what_it_lacks(cli: Cli, tmp_path: Path) -> None:
    write_corpus(corpus(10), tmp_path / "corpus.json")
    out = tmp_path / "parts"
    found = cli("split", tmp_path / "corpus.json", "-o", out, "--to", "brat", "--shares", "80/20")
    assert found.status == 0
    assert len(read_corpus(out / "train", format="brat")) == 8 if (out / "train").is_dir() else False
    assert "not kept in brat: the split of 8 documents" in " ".join(found.err.split())


def test_a_format_of_one_annotator_says_what_split_can_do(cli: Cli, tmp_path: Path) -> None:
    """`split` has no --annotator. What it advises works."""
    write_corpus(corpus(10, annotations=lambda n: TWO if n < 3 else ONE), tmp_path / "corpus.json")
    out = tmp_path / "parts"
    found = cli("split", tmp_path / "corpus.json", "-o", out, "--to", "conll", "--shares", "50/50")
    assert (found.status, out.exists()) == (2, False)
    why = "has 2 annotators (ann, bob) but this format holds one"
    assert found.err.endswith(f"{why}; leave out --to, then write each part with convert --annotator NAME\n")
    assert cli("split", tmp_path / "corpus.json", "-o", out, "--shares", "50/50").status == 0
    asked = ["--annotator", "ann", "--to", "conll", "-o", tmp_path / "test.conll"]
    assert cli("convert", out / "test.json", *asked).status == 0


def test_bad_shares_are_told_before_anything_is_read(cli: Cli, tmp_path: Path) -> None:
    found = cli("split", tmp_path / "none.json", "-o", tmp_path / "parts", "--shares", "1/2/3/4")
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("shares: found '1/2/3/4'; expected shares such as 80/10/10")
    assert not (tmp_path / "parts").exists()
