"""What the attacker `reader` finds in SPIA's 144 court cases, and how long that takes.

Prints `cpr` and `ipr` of nothing masked, Presidio's masks and those of TAB's annotators, on the 49 cases that TAB has
masks of (by their texts); they must rise in that order. And processor time:

    144 cases, two anonymizations of each, cpr and ipr with references and controls     at most 5 s
    ten copies of each case in one's time                                               at most 12

Needs SHOWTHROUGH_DATA. Exits 1 when a limit is missed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path

import msgspec

from _tab import data_folder
from showthrough import Anonymization, Corpus, evaluate, read_corpus
from showthrough.data.documents import Document
from showthrough.data.masks import Mask
from showthrough.families.inference._reader import AttributeReader
from showthrough.families.inference.base import AttackCase
from showthrough.run.run import Run

METRICS = ["cpr", "ipr"]
NOTHING, SYSTEMS = "nothing masked", ("presidio", "manual")
SECONDS, COPIES, GROWTH = 5, 10, 12
TAGS = ("NAME", "LOCATION", "AGE", "NATIONALITY", "SEX", "OCCUPATION", "POSITION", "AFFILIATION")


def tab_masks(data: Path, corpus: Corpus) -> tuple[Corpus, list[Anonymization]]:
    """The cases whose texts TAB's masks are of, and these masks."""
    texts = json.loads((data / "tab/test_texts.json").read_bytes())
    texts |= {one["doc_id"]: one["text"] for one in json.loads((data / "tab/train_100.json").read_bytes())}
    ids = {text: key for key, text in texts.items()}
    cases = [one for one in corpus if one.text in ids]
    found = []
    files = {"presidio": ("anonymizations/Presidio_Entity", "train_anonymizations/presidio"),
             "manual": ("anonymizations/Manual_Entity", "train_anonymizations/manual_entity")}  # fmt: skip
    for name in SYSTEMS:
        masks = {}
        for file in files[name]:
            masks |= json.loads((data / f"tab/{file}.json").read_bytes())
        of = {one.id: [Mask(*mask) for mask in masks[ids[one.text]]] for one in cases}
        found.append(Anonymization(of, name))
    return Corpus(cases), found


def read_off(documents: Iterable[Document], tags: tuple[str, ...], name: str) -> Anonymization:
    """All that the reader finds masked once: something to read that is neither the original nor empty."""
    masks = {}
    for one in documents:
        (answer,) = AttributeReader().infer([AttackCase(name, one.id, one.text, one.subjects, "subjects", tags)])
        spans = {guess.span for person in answer or () for guess in person.guesses if guess.span}
        masks[one.id] = [Mask(start, end, "[MASKED]") for start, end in sorted(spans)]
    return Anonymization(masks, name)


def seconds(corpus: Corpus) -> float:
    given = [read_off(corpus, TAGS[:1], "names"), read_off(corpus, TAGS, "all")]
    start = time.process_time()
    evaluate(corpus, given, METRICS)
    return time.process_time() - start


def copied(corpus: Corpus, copies: int) -> Corpus:
    """Every document so often, each with a text of its own."""
    return Corpus(
        [
            msgspec.structs.replace(one, id=f"{one.id}#{copy}", text=f"{one.text}\n{copy}")
            for copy in range(copies)
            for one in corpus
        ]
    )


def value(run: Run, name: str, metric: str) -> float:
    found = run[name, metric].value
    return float("nan") if found is None else found


def main() -> int:
    data = data_folder()
    if data is None:
        return 0
    corpus = Corpus(list(read_corpus(data / "inference/spia_tab_144.jsonl.gz")))
    cases, masks = tab_masks(data, corpus)
    run = evaluate(cases, masks, METRICS)
    table = {name: [value(run, name, metric) for metric in METRICS] for name in (NOTHING, *SYSTEMS)}
    print(f"{len(cases)} cases{'':12}{''.join(f'{metric:>8}' for metric in METRICS)}")
    for name, numbers in table.items():
        print(f"{name:<20}{''.join(f'{number:8.3f}' for number in numbers)}")
    columns = [*zip(*table.values(), strict=True)]
    failed = not all(list(column) == sorted(set(column)) for column in columns)
    print("in order" if not failed else "NOT IN ORDER")
    few, many = seconds(corpus), seconds(copied(corpus, COPIES))
    for what, number, limit in (
        ("144 cases × 2, seconds", few, SECONDS),
        (f"{COPIES} copies in one's time", many / few, GROWTH),
    ):
        failed |= number > limit
        print(f"{what:<45} {number:6.2f}   limit {limit}   {'ok' if number <= limit else 'TOO SLOW'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
