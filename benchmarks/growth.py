"""Nothing quadratic: what a larger input costs, against what it would cost if time and memory followed its size.

    masks, mentions and both, nested and staggered, in one text of three characters for each   25,000 → 100,000
    documents, a few words each                                                                 2,000 →   8,000
    systems: the evaluation, the HTML page, `compare` of one metric                                10 →     300
    documents for NMI (LSA, no model)                                                           5,000 →  50,000
    characters that begin what the detector `patterns` looks for, over and over                50,000 → 200,000

Every size is measured in a process of its own, from files to the result: processor time above that of a very small
input of the same kind, and the peak of resident memory above what imports take. Printed is growth as a multiple of
linear: 1.00 says that twice as much costs twice as much. Limits: 1.3 for time and for memory, and 1 GB for 100,000
nested spans.

A page tests the differences of all pairs up to 20 systems and of none above, so it is measured from 30 systems on as
well: from 10 alone it would seem to cost nothing. The answer of `compare` is a line for every pair of systems, of which
300 have 1,000 times as many as 10 do. No program could give it in time that follows the systems; its limits hold for
pairs, and what that is for each system is printed beside them.

Parts of the names of cases choose among them: `python benchmarks/growth.py nested systems`. Exits 1 when a limit is
missed.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

LIMIT = 1.3
LIMIT_MB = 1000
GOES = 3  # for each size, of which the best counts
ENOUGH = 10  # seconds, after which there are no more of them
SPACE = 3.05  # characters for each of many spans: 305,000 for 100,000
WORDS = ["Mr", "Ole", "Berg", "of", "the", "(nurse)", "1996", "a.", "Oslo", "x-ray", "--", "Per"]
MASKING = ["er_di", "recall", "recall_per_type", "precision", 'precision(overlaps="each")', 'wp(ic="uniform")', "f1"]
CLINICAL = ["phi_token", "phi_instance", "phi_strict", "phi_merged"]
SYSTEMS = ["preset:default", "wp", "phi_token"]  # what they are scored by
COMPARED = "recall"
# What looks like the beginning of an e-mail address, a name, a case number, a telephone number, …
BEGINNINGS = ["1 ", "1", "a@", "Mr ", "Mr <a> ", "A.", "12-", "no. 1/", "tel +1 (", "3 May ", "[", "1:2::"]
NMI = 'nmi(embedding="lsa")'
CORPUS, MASKS, RUN, TEXT = "corpus.json", "masks.json", "run.json", "text.txt"
Span = tuple[int, int]
Shape = Callable[[int], list[Span]]


@dataclass(frozen=True)
class Case:
    """Something that can grow: `written` puts files of a size into a folder, `work` does with them what is measured."""

    name: str
    sizes: tuple[int, int]
    written: Callable[[int, Path], object]
    work: Callable[[Path], object]
    least: int = 100  # the very small input
    counted: Callable[[int], int] = int  # what the answer has of a size: that is what growth is held against
    of: str = ""  # the name of that, where it is not the size
    limit_mb: float | None = None


def words(count: int, chance: random.Random | None = None) -> str:
    return " ".join(chance.choice(WORDS) if chance else WORDS[place % len(WORDS)] for place in range(count))


def nested(count: int) -> list[Span]:
    length = int(count * SPACE)
    return [(place, length - place) for place in range(count)]


def staggered(count: int) -> list[Span]:
    return [(place, place + int(count * SPACE) // 2) for place in range(count)]


def apart(count: int) -> list[Span]:
    """A few that do not overlap, for the other side."""
    return [(place * 20, place * 20 + 9) for place in range(count)]


def write(folder: Path, documents: list[tuple[str, list[Span]]], masks: list[list[Span]]) -> None:
    """A corpus whose documents have one annotator, and typed masks."""
    corpus, anonymization = [], {}
    for number, ((text, mentions), masked) in enumerate(zip(documents, masks, strict=True)):
        marks = [
            {
                "start_offset": start, "end_offset": end, "entity_type": "PERSON", "identifier_type": "DIRECT",
                "entity_id": str(place // 3),
            }
            for place, (start, end) in enumerate(mentions)
        ]  # fmt: skip
        corpus.append({"doc_id": str(number), "text": text, "annotations": {"a": {"entity_mentions": marks}}})
        anonymization[str(number)] = [[start, end, None, "PERSON"] for start, end in masked]
    (folder / CORPUS).write_text(json.dumps(corpus), encoding="utf-8")
    (folder / MASKS).write_text(json.dumps(anonymization), encoding="utf-8")


def many_spans(mentions: Shape, masks: Shape, size: int, folder: Path) -> None:
    # The ends of masks lie elsewhere than those of mentions, so that neither counts as the other.
    length = int(size * SPACE)
    text = words(length)[:length]
    write(folder, [(text, mentions(size))], [[(start, end - 1) for start, end in masks(size)]])


def many_documents(size: int, folder: Path) -> None:
    chance = random.Random(0)
    texts = [words(40, chance) for _ in range(size)]
    write(folder, [(text, [(0, 9), (20, 30)]) for text in texts], [[(0, 9), (40, 52)] for _ in texts])


def many_subjects(size: int, folder: Path) -> None:
    """Documents of 20 subjects that share some words, as k-means likes to have them."""
    chance = random.Random(0)
    documents, masks = [], []
    for _ in range(size):
        subject = chance.randrange(20)
        text = " ".join(
            f"s{subject}w{int(chance.paretovariate(0.8)) % 300}"
            if chance.random() < 0.5
            else f"w{int(chance.paretovariate(0.6)) % 5000}"
            for _ in range(60)
        )
        documents.append((text, [(0, 5)]))
        masks.append([(place, place + 6) for place in range(0, len(text) - 6, 40)])
    write(folder, documents, masks)


def many_systems(size: int, folder: Path) -> None:
    """A run of the demonstration corpus: each system is one of those that ship with some of its masks dropped."""
    systems_scored(size).save(folder / RUN)


def systems_scored(size: int, metrics: list[str] = SYSTEMS) -> Any:
    from showthrough import Anonymization, evaluate, read_anonymization, read_corpus
    from showthrough.cli import demo_corpus as demo

    corpus = read_corpus(demo.corpus_path())
    shipped = [read_anonymization(path, corpus) for path in demo.anonymization_paths().values()]
    found = {}
    for system in range(size):
        chance, like = random.Random(system), shipped[system % len(shipped)]
        found[f"system {system}"] = Anonymization(
            {key: [mask for mask in like.of(key) if chance.random() < 0.9] for key in corpus.ids}
        )
    return evaluate(corpus, found, metrics)


def number_of_systems(size: int, folder: Path) -> None:
    (folder / "size").write_text(str(size), encoding="utf-8")


def one_text(repeated: str, size: int, folder: Path) -> None:
    (folder / TEXT).write_text((repeated * size)[:size], encoding="utf-8")


def looked_through(folder: Path) -> object:
    from showthrough.models.detectors.patterns import Patterns

    return Patterns().find([(folder / TEXT).read_text(encoding="utf-8")])


def evaluated(metrics: list[str], folder: Path) -> object:
    from showthrough import evaluate, read_anonymization, read_corpus

    corpus = read_corpus(folder / CORPUS)
    run = evaluate(corpus, [read_anonymization(folder / MASKS, corpus)], metrics)
    if run.failures:
        raise SystemExit(f"not scored: {run.failures}")
    return run


def paged(folder: Path) -> object:
    from showthrough import Run
    from showthrough.report.html import html_text

    return html_text(Run.load(folder / RUN))


def compared(folder: Path) -> object:
    from showthrough import Run

    return Run.load(folder / RUN).compare(COMPARED, parts=False)


def spans(what: str, shape: Shape, mentions: Shape, masks: Shape) -> Iterator[Case]:
    for name, metrics in (("masking metrics", MASKING), ("clinical metrics", CLINICAL)):
        yield Case(
            f"{shape.__name__} {what}, {name}",
            (25_000, 100_000),
            lambda size, folder: many_spans(mentions, masks, size, folder),
            lambda folder, metrics=metrics: evaluated(metrics, folder),  # type: ignore[misc]
            limit_mb=LIMIT_MB if shape is nested else None,
        )


def cases() -> Iterator[Case]:
    def few(_: int) -> list[Span]:
        return apart(10)

    for shape in (nested, staggered):
        yield from spans("masks", shape, few, shape)
        yield from spans("mentions", shape, shape, few)
        yield from spans("masks and mentions", shape, shape, shape)
    yield Case(
        "documents, masking and clinical metrics",
        (2_000, 8_000),
        many_documents,
        lambda folder: evaluated([*MASKING, *CLINICAL], folder),
    )
    yield Case(
        "systems, evaluation",
        (10, 300),
        number_of_systems,
        lambda folder: systems_scored(int((folder / "size").read_text())),
        least=2,
    )
    for fewest in (10, 30):
        yield Case(f"systems from {fewest}, page", (fewest, 300), many_systems, paged, least=2 if fewest == 10 else 21)
    yield Case(
        f"systems, compare of {COMPARED}",
        (10, 300),
        many_systems,
        compared,
        least=2,
        counted=lambda size: comb(size, 2),
        of="pairs",
    )
    yield Case("documents, NMI", (5_000, 50_000), many_subjects, lambda folder: evaluated([NMI], folder))
    for beginning in BEGINNINGS:
        yield Case(
            f"characters of {beginning!r}, patterns",
            (50_000, 200_000),
            partial(one_text, beginning),
            looked_through,
            least=1_000,
        )


def measured(work: Callable[[Path], object], least: Path, folder: Path) -> list[float]:
    """Seconds for a folder and for the very small one, megabytes above what is held before, and all megabytes."""
    work(least)  # what is imported and made once
    fixed = min(seconds(work, least) for _ in range(GOES))
    forget_peak()
    before = peak()
    return [seconds(work, folder), fixed, peak() - before, peak()]


def seconds(work: Callable[[Path], object], folder: Path) -> float:
    gc.collect()
    start = time.process_time()
    work(folder)
    return time.process_time() - start


def peak() -> float:
    """Megabytes that were resident at once."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def forget_peak() -> None:
    """From here on the peak is of what follows: imports and the small input have theirs, which would hide others."""
    gc.collect()
    if sys.platform == "linux":
        ctypes.CDLL(None).malloc_trim(0)
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")


def process(*arguments: object) -> str:
    """What a fresh process with these arguments prints."""
    # Processor time of threads that wait for each other would be measured too.
    environment = os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, __file__, *map(str, arguments)]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout


def grown(case: Case, folder: Path) -> bool:
    """Prints how much more the larger size takes; True if that is within the limits."""
    least, *places = [folder / str(size) for size in (case.least, *case.sizes)]
    for size, place in zip((case.least, *case.sizes), (least, *places), strict=True):
        place.mkdir()
        process("--write", case.name, size, place)
    small, large = (best(case, least, place) for place in places)
    time_ratio, memory_ratio = multiples(case, int, small, large)
    if case.of:
        print(f"{case.name:<48} held against systems: time {time_ratio:.2f}, memory {memory_ratio:.2f} × linear")
        time_ratio, memory_ratio = multiples(case, case.counted, small, large)
    kept = time_ratio <= LIMIT and memory_ratio <= LIMIT and (case.limit_mb is None or large.whole <= case.limit_mb)
    print(
        f"{case.name:<48} {case.sizes[0]:>6,} → {case.sizes[1]:>7,}{case.of and ', held against ' + case.of}: "
        f"{small.seconds:5.2f} → {large.seconds:6.2f} s, {time_ratio:.2f} × linear; "
        f"{small.memory:3.0f} → {large.memory:3.0f} MB, {memory_ratio:.2f} × linear; {large.whole:.0f} MB in all  "
        f"{'ok' if kept else 'MISSED'}",
        flush=True,
    )
    return kept


class Cost(NamedTuple):
    """What a size takes: seconds above a very small input, megabytes above imports, and megabytes of all."""

    seconds: float
    memory: float
    whole: float


def best(case: Case, least: Path, place: Path) -> Cost:
    """The least of several goes: others had something else running beside them."""
    goes: list[list[float]] = []
    while len(goes) < GOES and sum(taken for taken, *_ in goes) < ENOUGH:
        goes.append(json.loads(process("--measure", case.name, least, place)))
    taken, fixed, memory, whole = (min(values) for values in zip(*goes, strict=True))
    return Cost(taken - fixed, memory, whole)


def multiples(case: Case, counted: Callable[[int], int], one: Cost, two: Cost) -> tuple[float, float]:
    """Growth of time and memory as a multiple of linear in what is counted."""
    least, small, large = map(counted, (case.least, *case.sizes))
    memory = max(two.memory, 10) / max(one.memory, 10)  # below, it is chance
    return two.seconds / one.seconds * (small - least) / (large - least), memory * small / large


def main() -> int:
    known = {case.name: case for case in cases()}
    if sys.argv[1:2] == ["--write"]:
        _, _, name, size, folder = sys.argv
        known[name].written(int(size), Path(folder))
        return 0
    if sys.argv[1:2] == ["--measure"]:
        _, _, name, least, folder = sys.argv
        print(json.dumps(measured(known[name].work, Path(least), Path(folder))))
        return 0
    kept = True
    for case in known.values():
        if not sys.argv[1:] or any(part in case.name for part in sys.argv[1:]):
            with tempfile.TemporaryDirectory() as folder:
                kept &= grown(case, Path(folder))
    print(f"limits: {LIMIT} × linear, {LIMIT_MB} MB in all for nested spans")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
