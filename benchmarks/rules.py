"""What one more rule would win, on TAB's 100 training cases and on ten copies of them with other words in each.

Prints processor time, and how many times as long the search takes as scoring the same anonymization with the four
metrics that it tells of:

    100 documents, seconds for the slowest of the anonymizations      at most 2
    1,000 documents, seconds for the slowest                          at most 20
    1,000 documents in 100 documents' time                            at most 15

Needs SHOWTHROUGH_DATA.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from string import ascii_lowercase

from _tab import data_folder
from showthrough import Anonymization, Corpus, evaluate, read_anonymization, read_corpus
from showthrough.data.documents import Document
from showthrough.run.run import Run
from showthrough.studies.rules import rules_worth

COPIES = 10
METRICS = ["er_di", "er_qi", "recall", "precision"]


def copied(corpus: Corpus, found: list[Anonymization], copies: int) -> Run:
    """A run of so many copies of every document, in each of which other words stand: small letters are turned."""
    documents, masks = [], {one.name: {} for one in found}
    for copy in range(copies):
        turned = str.maketrans(ascii_lowercase, ascii_lowercase[copy:] + ascii_lowercase[:copy])
        for document in corpus:
            key = f"{document.id}#{copy}"
            documents.append(Document(key, document.text.translate(turned), document.annotations))
            for one in found:
                masks[one.name][key] = one.of(document.id)
    return evaluate(Corpus(documents), {name: Anonymization(one) for name, one in masks.items()}, METRICS, resamples=0)


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def slowest(run: Run) -> float:
    """Seconds of the anonymization that takes longest."""
    times = []
    for name in run.names:
        corpus, masks = run.texts.corpus(), run.texts.anonymization(name)
        scoring = seconds(partial(evaluate, corpus, [masks], METRICS, resamples=0))
        times.append(seconds(partial(rules_worth, run, name)))
        told = f"{times[-1]:6.2f} s, {times[-1] / scoring:5.1f} × scoring"
        print(f"{len(run.documents):5} documents, {name:15} {told}")
    return max(times)


def main() -> int:
    data = data_folder()
    if data is None:
        return 0
    corpus = read_corpus(data / "tab/train_100.json")
    paths = sorted((data / "tab/train_anonymizations").glob("*.json"))
    found = [read_anonymization(path, corpus, name=path.stem) for path in paths]
    found.append(Anonymization({}, "nothing masked here"))
    few, many = (slowest(copied(corpus, found, copies)) for copies in (1, COPIES))
    failed = False
    for what, number, limit in (
        ("100 documents, seconds", few, 2),
        ("1,000 documents, seconds", many, 20),
        ("1,000 documents in 100 documents' time", many / few, 15),
    ):
        failed |= number > limit
        print(f"{what:<45} {number:6.2f}   limit {limit}   {'ok' if number <= limit else 'TOO SLOW'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
