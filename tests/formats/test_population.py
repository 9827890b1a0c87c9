"""Population tables: counts by attributes, in whichever file, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough import InputError, Population, read_population

TABLE = "Age,sex,Birth city-country,count\n30-34,f,Oslo / Norway,10\n90+,,Norway,0\n30-34,f,Oslo / Norway,2\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table(tmp_path: Path) -> None:
    people = read_population(written(tmp_path, "census.csv", TABLE))
    assert list(people.columns) == ["AGE", "SEX", "BIRTH_CITY_COUNTRY"]
    assert (people.name, people.people, people.counts.tolist(), people.uncertain) == ("census", 12, [12, 0], 0)
    assert people.notes == ("census: 1 row repeats the attributes of another; their counts were added",)


def test_other_files_hold_the_same(tmp_path: Path) -> None:
    wanted = read_population(written(tmp_path, "census.csv", TABLE))
    tabs = read_population(written(tmp_path, "census.tsv", TABLE.replace(",", "\t")))
    keys, *rows = (line.split(",") for line in TABLE.splitlines())
    lines = [{key: cell for key, cell in zip(keys, row, strict=True) if cell} for row in rows]
    lines = [{**one, "count": int(one["count"])} for one in lines]
    objects = read_population(written(tmp_path, "census.jsonl", "".join(f"{json.dumps(one)}\n" for one in lines)))
    assert tabs.digest == objects.digest == wanted.digest


def test_parquet(tmp_path: Path) -> None:
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.table({"AGE": [34, None], "count": [3, 4]}), tmp_path / "p.parquet")
    people = read_population(tmp_path / "p.parquet")
    assert (people.columns["AGE"].values, people.people, people.uncertain) == (("34", ""), 7, 4)


REFUSED = {
    "no count": ("p.csv", "AGE,people\n3,4\n", "p.csv: column count: found AGE, people; expected a column count"),
    "count alone": ("p.csv", "count\n3\n", "has a column count alone; expected attributes beside it"),
    "twice": ("p.csv", "AGE,age,count\n3,4,5\n", "p.csv: column AGE: found AGE, age, count; expected different names"),
    "nameless": ("p.csv", "AGE,,count\n3,4,5\n", "p.csv: column (no name): found AGE, (no name), count; expected"),
    "negative": ("p.csv", "AGE,count\n3,-4\n", "p.csv: line 2: column count: found '-4'; expected a whole number"),
    "half": ("p.csv", "AGE,count\n3,4.5\n", "found '4.5'; expected a whole number of people, 0 or more"),
    "grouped": ("p.csv", 'AGE,count\n3,"4,000"\n', "found '4,000'; expected a whole number"),
    "empty": ("p.csv", "AGE,count\n3,\n", "p.csv: line 2: column count: is empty; expected a whole number"),
    "nobody": ("p.csv", "AGE,count\n3,0\n", "p.csv: has no people in it; expected a row with a count above 0"),
    "no rows": ("p.csv", "AGE,count\n", "p.csv: has no people in it"),
    "nothing": ("p.csv", "", "p.csv: column count: found none; expected a column count"),
    "too many": ("p.csv", "AGE,count\n" + f"3,{'9' * 15}\n" * 10, "has more than 9,007,199,254,740,992 people"),
    "short": ("p.csv", "AGE,SEX,count\n3,4\n", "p.csv: line 2: has 3 columns in its header but 2 in this row"),
    "ending": ("p.txt", "AGE,count\n3,4\n", "found the ending '.txt'; expected a .csv, .tsv, .parquet or .jsonl file"),
    "list": ("p.jsonl", '{"AGE": [3], "count": 4}\n', "p.jsonl: line 1: [...]: found a list […]; expected"),
    "true": ("p.jsonl", '{"AGE": 3, "count": "many"}\n', "p.jsonl: line 1: column count: found 'many'; expected"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_refused(kind: str, tmp_path: Path) -> None:
    name, text, message = REFUSED[kind]
    with pytest.raises(InputError) as caught:
        read_population(written(tmp_path, name, text))
    assert message in str(caught.value)
    assert str(tmp_path / name) in str(caught.value)


def test_all_that_is_wrong_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_population(written(tmp_path, "p.csv", "AGE,count\n1,a\n2,3\n3,b\n"))
    assert [problem.place for problem in caught.value.problems] == ["line 2: column count", "line 4: column count"]


ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["", "x", "y"]), st.integers(0, 9)), min_size=1)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(rows: list[tuple[str, str, int]], random: object) -> None:
    def made(some: list[tuple[str, str, int]]) -> Population:
        one, two, counts = zip(*some, strict=True)
        return Population.of({"ONE": one, "TWO": two}, counts)

    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    people, others = made(rows), made(mixed)
    assert people.digest == others.digest
    assert people.people == others.people == sum(count for *_, count in rows)
    assert len(people) == len({row[:2] for row in rows})
    alone = people.over(["ONE"])
    named = dict(zip(np.array(alone.columns["ONE"].values)[alone.columns["ONE"].codes], alone.counts, strict=True))
    assert named == {key: sum(count for one, _, count in rows if one == key) for key in {row[0] for row in rows}}
