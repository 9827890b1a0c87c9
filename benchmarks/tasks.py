"""What masking costs a classifier of documents, where the truth is known: labels are planted in words.

    labels that depend on words that stay     the interval of the loss covers 0 in at least 92 % of 300 corpora
    labels that depend on masked words        it lies above 0 in at least 92 % of them, and accuracy falls to chance

Corpora have 80 documents of two labels, of two words of its own label each in three documents of four. The masks cover
names: of anybody in the first case, of people that have to do with the label in the second. `--draws N` draws fewer.

    python benchmarks/tasks.py meddocan     the losses of four ways of replacing what annotators marked, by journal
    python benchmarks/tasks.py tab          the same of court cases: by a violation of article 6, and by country

These write the tables of docs/metrics/task.md, from the corpora in SHOWTHROUGH_DATA. `--learner` and `--epochs` name
another classifier.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np
from msgspec.structs import replace

from _tab import data_folder
from clinical import records
from showthrough import Anonymization, Corpus, Document, Mask, Mention, Run, TypedMask, evaluate, read_corpus
from showthrough.data.references import EVERYTHING
from showthrough.systems.replacing import Way, rewritten

_DOCUMENTS, _WORDS, _NOISE, _SIGNAL = 80, 30, 300, 0.75
_METRICS = ('task(label="kind")', 'task(label="kind", train="original", test="released")')
_LEAST = 0.92


def draw(random: np.random.Generator, masked: bool) -> tuple[Corpus, Anonymization]:
    documents, masks = [], {}
    for number in range(_DOCUMENTS):
        kind = number % 2
        words = [f"word{one}" for one in random.integers(_NOISE, size=_WORDS)]
        names = [f"Name{one}" for one in random.integers(40, size=4)]
        own = [f"{'Sign' if masked else 'sign'}{kind}{one}" for one in random.integers(3, size=2)]
        words += names + (own if random.random() < _SIGNAL else [])
        random.shuffle(words)
        text, spans = "", []
        for word in words:
            if word[0].isupper():
                spans.append(Mask(len(text), len(text) + len(word)))
            text += f"{word} "
        key = f"d{number:03}"
        documents.append(Document(key, text, fields={"kind": f"k{kind}"}))
        masks[key] = spans
    return Corpus(documents), Anonymization(masks)


def simulate(masked: bool, draws: int) -> bool:
    random = np.random.default_rng(int(masked))
    losses: dict[str, list[tuple[float, float, float, float]]] = {text: [] for text in _METRICS}
    for _ in range(draws):
        corpus, anonymization = draw(random, masked)
        run = evaluate(corpus, {"a": anonymization}, list(_METRICS), references=False, texts=False)
        for text, rows in losses.items():
            loss, right = run["a", text, "loss"], run["a", text]
            numbers = loss.value, loss.low, loss.high, right.value
            rows.append(tuple(math.nan if number is None else number for number in numbers))  # type: ignore[arg-type]
    sound = True
    for text, rows in losses.items():
        share = np.mean([low > 0 if masked else low <= 0 <= high for _, low, high, _ in rows])
        sound = sound and bool(share >= _LEAST)
        loss, right = (np.mean([row[column] for row in rows]) for column in (0, 3))
        print(
            f"{text}, labels in {'masked' if masked else 'other'} words: mean loss {loss:.3f}, accuracy {right:.3f}; "
            f"{'above 0' if masked else 'covers 0'} in {share:.3f} of {draws}"
        )
    return sound


# The tables of the page: what annotators marked is masked, and replaced in four ways.

_WAYS: tuple[Way, ...] = ("label", "suppress", "surrogate", "generalize")
_SIDES = (("released", "original"), ("original", "released"), ("released", "released"))


def marked(corpus: Corpus) -> Anonymization:
    """Everything to be masked that some annotator marked; of marks that overlap the first, or the longer one."""
    masks: dict[str, list[Mask]] = {}
    for document in corpus:
        marks = [
            mention
            for annotation in document.annotations
            for mention in annotation.mentions
            if mention.identifier != "NO_MASK"
        ]
        ends, chosen = 0, []
        for mark in sorted(marks, key=_place):
            if mark.start >= ends:
                chosen.append(TypedMask(mark.start, mark.end, None, mark.entity_type))
                ends = mark.end
        masks[document.id] = chosen
    return Anonymization(masks)


def _place(mention: Mention) -> tuple[int, int]:
    return mention.start, -mention.end


def court_cases(data: Path) -> Corpus:
    """TAB's, each with whether article 6 was violated among its fields."""
    corpus = read_corpus(data / "tab/train_100.json")
    return Corpus([
        replace(case, fields={**case.fields, "article 6": "yes" if "6" in case.field_values("articles") else "no"})
        for case in corpus
    ])  # fmt: skip


def table(corpus: Corpus, label: str, options: str) -> None:
    """The losses of each way of replacing, with their intervals, as the page has them."""
    masks = marked(corpus)
    ways = {way: rewritten(corpus, masks, way) for way in _WAYS}
    metrics = [f'task(label="{label}", train="{train}", test="{test}"{options})' for train, test in _SIDES]
    run = evaluate(corpus, ways, metrics, texts=False)
    parts = [run["label", metrics[0], part].value for part in ("original", "chance")]
    nothing_left = run[EVERYTHING, metrics[0], "loss"].value
    print(f"label {label}: original {_number(parts[0])}, chance {_number(parts[1])}")
    print(f"all masked loses {_number(nothing_left)}")
    for way in _WAYS:
        print(f"| `{way}` |", " | ".join(_loss(run, way, metric) for metric in metrics), "|")
    print(*(note for note in run.notes if "leaves documents out" in note), sep="\n")


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}".replace("-", "−")


def _loss(run: Run, way: str, metric: str) -> str:
    loss = run[way, metric, "loss"]
    return f"{_number(loss.value)} ({_number(loss.low)} to {_number(loss.high)})"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", nargs="?", choices=("meddocan", "tab"))
    parser.add_argument("--draws", type=int, default=300)
    parser.add_argument("--learner", default="words")
    parser.add_argument("--epochs", type=int, default=5)
    chosen = parser.parse_args()
    if not chosen.corpus:
        return int(not all(list(map(simulate, (False, True), (chosen.draws, chosen.draws)))))
    data = data_folder()
    if data is None:
        return 0
    options = f', learner="{chosen.learner}", epochs={chosen.epochs}'
    if chosen.corpus == "meddocan":
        table(records(data), "id:^S[0-9]{4}-[0-9]{3}[0-9X]", options)
        return 0
    corpus = court_cases(data)
    for label in ("article 6", "meta.countries"):
        table(corpus, label, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
