"""Comparing many systems: how long the tests of every pair on every part take, in processor time.

    9 systems, 1,000 documents, every metric that needs no model, 9,999 shuffles       under 10 s
    16 systems, 220 records, both clinical levels with all categories, 9,999 shuffles  under 10 s

The documents are the demonstration corpus over and over, each copy with ids of its own; a system is one of the five
that ship with some of its masks dropped.
"""

from __future__ import annotations

import random
import sys
import time

from showthrough import Anonymization, Corpus, Document, Run, TypedMask, evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo

LIMIT = 10.0  # seconds


def copied(documents: int) -> Corpus:
    """So many documents."""
    found = list(read_corpus(demo.corpus_path()))
    return Corpus(
        [
            Document(f"{number:04}", found[number % len(found)].text, found[number % len(found)].annotations)
            for number in range(documents)
        ]
    )


def masking(documents: int, systems: int) -> Run:
    corpus, original = copied(documents), read_corpus(demo.corpus_path())
    shipped = [read_anonymization(path, original) for path in demo.anonymization_paths().values()]
    ids, found = original.ids, {}
    for system in range(systems):
        choice, like = random.Random(system), shipped[system % len(shipped)]
        found[f"system {system}"] = Anonymization(
            {
                key: [mask for mask in like.of(ids[number % len(ids)]) if choice.random() < 0.9]
                for number, key in enumerate(corpus.ids)
            }
        )
    return evaluate(corpus, found, metrics=["preset:default", "preset:light"], texts=False)


def clinical(documents: int, systems: int) -> Run:
    corpus = copied(documents)
    types = sorted(corpus.survey.types)
    found = {}
    for system in range(systems):
        choice = random.Random(system)
        found[f"system {system}"] = Anonymization(
            {
                document.id: [
                    TypedMask(
                        one.start, one.end, None, one.entity_type if choice.random() < 0.9 else choice.choice(types)
                    )
                    for one in document.annotations[0].mentions
                    if choice.random() < 0.9
                ]
                for document in corpus
            }
        )
    return evaluate(corpus, found, metrics=["preset:i2b2"], texts=False)


def main() -> int:
    slow = False
    for what, run in (("9 systems, 1,000 documents", masking(1000, 9)), ("16 systems, 220 records", clinical(220, 16))):
        started = time.process_time()
        found = run.compare()
        seconds = time.process_time() - started
        slow |= seconds > LIMIT
        print(f"{what}: {len(found)} comparisons in {seconds:.1f} s (limit {LIMIT:g})")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
