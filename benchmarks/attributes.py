"""How often rules alone agree with recorded verdicts on guesses about authors, and what the published rule differs in.

    SHOWTHROUGH_DATA=… python benchmarks/attributes.py

Prints the tables of docs/metrics/attributes.md from the three files of SynthPAI's answers.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from showthrough.families.inference._parsing import guesses_in
from showthrough.families.inference.agreement import jaro_winkler, plain
from showthrough.families.inference.profiles import PLACES, TAGS, right

FILES = ("gpt4", "gpt4_anonymized", "llama3_70b")
PUBLISHED = 0.75  # Jaro–Winkler, above which two places are one to the published rule


def attributes(name: str) -> Iterator[tuple[dict[str, Any], str, dict[str, Any]]]:
    path = Path(os.environ["SHOWTHROUGH_DATA"]) / "inference" / f"synthpai_{name}.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in map(json.loads, file):
            for tag, attribute in line["attributes"].items():
                yield line, tag, attribute


def parsing() -> None:
    print("| answers | attributes | first three guesses recovered | all guesses |\n|---|---|---|---|")
    for name in FILES:
        count: Counter[str] = Counter()
        for line, tag, attribute in attributes(name):
            found = [one.value for one in guesses_in(line["answer"], tuple(line["attributes"])) or () if one.tag == tag]
            count["all"] += 1
            count["three"] += found[:3] == attribute["guesses"][:3]
            count["exactly"] += found == attribute["guesses"]
        print(
            f"| {name} | {count['all']} | {count['three'] / count['all']:.1%} | {count['exactly'] / count['all']:.1%} |"
        )


def agreement() -> None:
    met: dict[str, Counter[tuple[float, float]]] = defaultdict(Counter)
    for name in FILES:
        for _, tag, one in attributes(name):
            for guess, verdict in zip(one["guesses"][:3], one["verdicts"], strict=False):
                met[tag][right(tag, one["gold"], guess), verdict] += 1
    met["all"] = sum(met.values(), Counter())
    print("\n| attribute | guesses | right or not | 1, 0.5 or 0 | rules yes, verdict not | rules not, verdict yes |")
    print("|---|---|---|---|---|---|")
    for tag in (*TAGS, "all"):
        pairs = met[tag]
        guesses = sum(pairs.values())
        exact = sum(count for (ours, theirs), count in pairs.items() if ours == theirs)
        more, fewer = (
            sum(count for (ours, theirs), count in pairs.items() if ours != theirs and (ours, theirs)[side] == 1)
            for side in (0, 1)
        )
        print(
            f"| `{tag}` | {guesses} | {1 - (more + fewer) / guesses:.1%} | {exact / guesses:.1%} | {more} | {fewer} |"
        )


def counting() -> None:
    print(
        "\n| answers | 0.5 as 0 | as 0.5 | as 1 | rules alone | published rule for places |\n|---|---|---|---|---|---|"
    )
    for name in FILES:
        sums: Counter[str] = Counter()
        for _, tag, one in attributes(name):
            sums["all"] += 1
            by_rules = [right(tag, one["gold"], guess) == 1 for guess in one["guesses"][:3]]
            close = [jaro_winkler(plain(one["gold"]), plain(guess)) > PUBLISHED for guess in one["guesses"][:3]]
            ways = {"rules": by_rules, "published": close if tag in PLACES else by_rules}
            for way, half in (("no", 0.0), ("half", 0.5), ("yes", 1.0)):
                ways[way] = [half if verdict == 0.5 else verdict for verdict in one["verdicts"][:3]]
            for way, each in ways.items():
                sums[f"{way} 1"] += each[0] if each else 0
                sums[f"{way} 3"] += max(each, default=0)
        cells = [f"{sums[f'{way} 1'] / sums['all']:.3f} / {sums[f'{way} 3'] / sums['all']:.3f}" for way in WAYS]
        print(f"| {name} | {' | '.join(cells)} |")


WAYS = ("no", "half", "yes", "rules", "published")


if __name__ == "__main__":
    if "SHOWTHROUGH_DATA" not in os.environ:
        sys.exit("SHOWTHROUGH_DATA is not set; expected the folder with inference/synthpai_gpt4.jsonl.gz")
    parsing()
    agreement()
    counting()
