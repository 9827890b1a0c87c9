"""Masking metrics against `json.loads` on the same corpus file: TAB's 100 training cases written out ten times over.

Prints, from one run, the processor time of each step as a multiple of parsing the corpus with the standard library:

    bind the corpus and score all masking metrics for one anonymization   at most 0.75
    each further anonymization                                            at most 0.25
    decode the corpus                                                     at most 1.0
    survey it: ids, lengths, digest, types                                at most 0.5
    removed_di, removed_qi and clean, each anonymization                  at most 3.0
    find out which documents are independent of others                    at most 0.5

and the seconds that 10,000 bootstrap resamples of all scores take (at most 1). Needs SHOWTHROUGH_DATA.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from _ledger import Figure, print_table
from _tab import cases, data_folder
from _turns import quickest_calibrated
from showthrough import Anonymization, Corpus, parse_metric, read_anonymization, read_corpus
from showthrough.evaluation._scoring import drawn_again, intervals_of
from showthrough.formats.base import Input
from showthrough.formats.benchmarks.tab import read_list
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.models import Resources
from showthrough.run.settings import RecordedSettings
from showthrough.statistics.rows import Rows
from showthrough.storage.file_heads import Head

COPIES = 10
METRICS = [
    "er_di", "er_qi", "er", "recall", 'recall(unit="mention")', 'recall(unit="entity")', 'recall(include="direct")',
    'recall(include="quasi")', "recall_per_type", "precision", 'precision(unit="mention")', "f1", "f2",
]  # fmt: skip


def replicated(data: Path, folder: Path) -> tuple[Path, list[Path]]:
    corpus = folder / "corpus.json"
    corpus.write_text(json.dumps(cases(data, COPIES), ensure_ascii=False), encoding="utf-8")
    paths = []
    for source in sorted((data / "tab/train_anonymizations").glob("*.json")):
        masks = json.loads(source.read_bytes())
        copied = {f"{key}#{copy}": value for copy in range(COPIES) for key, value in masks.items()}
        (folder / source.name).write_text(json.dumps(copied, ensure_ascii=False), encoding="utf-8")
        paths.append(folder / source.name)
    return corpus, paths


REMOVED = ["removed_di", "removed_qi", "clean"]


def rows_of_all(corpus: Corpus, anonymizations: list[Anonymization], texts: list[str] = METRICS) -> list[object]:
    """What `evaluate` does chunk by chunk: bind every metric, then score every anonymization."""
    resources = Resources()
    metrics = [parse_metric(text) for text in texts]
    rows: list[object] = []
    for numbers in corpus.chunks():
        chunk = Chunk(corpus.part(numbers), resources, corpus.survey.types)
        for one in anonymizations:
            anonymized = Anonymized(chunk, one)
            rows += map(anonymized.rows, metrics)
    return rows


def units_of(corpus: Corpus) -> object:
    """Which documents belong together, of a corpus that was surveyed."""
    again = Corpus(corpus.documents)
    again.survey = corpus.survey
    return again.units


def intervals(rows: list[Rows]) -> None:
    """What `evaluate` does with rows: resample all columns at once, combine, and see how far the numbers spread."""
    drawn = drawn_again(rows, RecordedSettings(resamples=10_000))
    for text, table, again in zip(METRICS, rows, drawn, strict=True):
        intervals_of(parse_metric(text), table, again, 0.95)


def figures(data: Path, repeats: int) -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        corpus_path, paths = replicated(data, Path(name))
        content = corpus_path.read_bytes()
        corpus = read_corpus(corpus_path)
        anonymizations = [read_anonymization(path) for path in paths]
        anonymized = Anonymized(Chunk(corpus), anonymizations[0])
        rows = [anonymized.rows(parse_metric(text)) for text in METRICS]
        seconds = quickest_calibrated(
            repeats,
            {
                "parse": lambda: json.loads(content),
                "decode": lambda: read_list(Input(Head.of(corpus_path))),
                "survey": lambda: Corpus(corpus.documents).survey,
                "units": lambda: units_of(corpus),
                "one": lambda: rows_of_all(corpus, anonymizations[:1]),
                "all": lambda: rows_of_all(corpus, anonymizations),
                "removed": lambda: rows_of_all(corpus, anonymizations, REMOVED),
                "bootstrap": lambda: intervals(rows),
            },
        )
    parse = seconds["parse"]
    further = (seconds["all"] - seconds["one"]) / (len(anonymizations) - 1)
    each_removed = seconds["removed"] / len(anonymizations)
    return [
        Figure("bind and score one anonymization / json.loads", seconds["one"] / parse, 0.75),
        Figure("each further anonymization / json.loads", further / parse, 0.25),
        Figure("decode the corpus / json.loads", seconds["decode"] / parse, 1.0),
        Figure("survey the corpus / json.loads", seconds["survey"] / parse, 0.5),
        Figure("removed_* and clean, each anonymization / json.loads", each_removed / parse, 3.0),
        Figure("independent units of the corpus / json.loads", seconds["units"] / parse, 0.5),
        Figure("10,000 resamples of 13 metrics, s", seconds["bootstrap"], 1.0),
    ]


def main() -> int:
    data = data_folder()
    return 0 if data is None else int(not print_table(figures(data, 7)))


if __name__ == "__main__":
    sys.exit(main())
