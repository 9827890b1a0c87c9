"""Clinical scoring against nervaluate on the 750 records of MEDDOCAN, and the significance matrix against its limit.

A system is made by spoiling gold: a tenth dropped, a twentieth moved, retyped and added each. From one run, in turns:

    instance level, gold and system from documents in memory, against nervaluate         at least 25 ×
    both levels, gold already bound, against nervaluate at the instance level alone      at least 25 ×
    both levels, all from documents in memory, against nervaluate at both levels         at least 25 ×
    nervaluate's calls in `showthrough.compat`, against nervaluate at the instance level at least 20 ×

and, for whom it helps, the harshest reading: both levels and binding against nervaluate at the instance level alone.
nervaluate sees the same spans; at the token level each token is one. Counts must agree where the two count alike.

    9,999 shuffles of 16 systems on 220 records, all pairs, three measures               under 10 s

Needs SHOWTHROUGH_DATA and `pip install nervaluate`.
"""

from __future__ import annotations

import random
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from _ledger import Figure, print_table
from _tab import data_folder
from _turns import quickest, quickest_calibrated
from showthrough import Anonymization, Corpus, Metric, TypedMask, evaluate, read_corpus
from showthrough.families.clinical._instances import TypedSpans
from showthrough.families.clinical.by_token import PhiToken
from showthrough.metrics import metrics_of
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.report.differences import significance

TIMES = 25
COMPAT = 20
SECONDS = 10.0


def spoiled(corpus: Corpus, seed: int, rate: float = 0.1) -> Anonymization:
    choice = random.Random(seed)
    types = list(corpus.survey.types)
    masks: dict[str, list[TypedMask]] = {}
    for document in corpus:
        found = masks[document.id] = []
        for mention in document.annotations[0].mentions:
            start, end, kind, fate = mention.start, mention.end, mention.entity_type, choice.random()
            if fate < rate:
                continue
            if fate < 1.5 * rate and end < len(document.text):
                start, end = start + (end - start > 1), end + 1
            elif fate < 2 * rate:
                kind = choice.choice(types)
            elif fate < 2.5 * rate:
                place = choice.randrange(len(document.text) - 8)
                found.append(TypedMask(place, place + 8, None, choice.choice(types)))
            found.append(TypedMask(start, end, None, kind))
        found.sort(key=lambda mask: (mask.start, mask.end))
    return Anonymization(masks, name=f"spoiled {seed}")


def score(corpus: Corpus, system: Anonymization, metrics: list[Metric]) -> dict[str, dict[str, float]]:
    """Every step from documents in memory to numbers."""
    anonymized = Anonymized(Chunk(Corpus(corpus.documents)), system)
    found = {}
    for metric in metrics:
        totals = anonymized.rows(metric).totals()
        metric.combine(totals)
        found[type(metric).__name__] = {key: float(value) for key, value in totals.items()}
    return found


def as_instances(corpus: Corpus, system: Anonymization) -> tuple[list[Any], list[Any]]:
    def spans(found: Any) -> list[dict[str, Any]]:  # nervaluate's ends lie inside
        return [{"label": one.entity_type, "start": one.start, "end": one.end - 1} for one in found]

    return (
        [spans(document.annotations[0].mentions) for document in corpus],
        [spans(system.of(document.id)) for document in corpus],
    )


def as_tokens(corpus: Corpus, system: Anonymization) -> tuple[list[Any], list[Any]]:
    """The tokens that phi_token counts, as spans of their own."""
    chunk = Chunk(corpus)
    metric = PhiToken()
    gold = metric.gold(chunk)
    tokens = metric.token_gold(chunk)
    found = metric.system(gold, Anonymized(chunk, system))
    said, beyond = tokens.taken(found.instances)
    true: list[Any] = [[] for _ in corpus.documents]
    taken: list[Any] = [[] for _ in corpus.documents]

    def add(tokens: TypedSpans, kinds: Any, side: list[Any]) -> None:
        for start, end, layer, kind in zip(tokens.start, tokens.end, tokens.layer, kinds, strict=True):
            if kind >= 0:
                span = {"label": found.names[kind], "start": int(start), "end": int(end) - 1}
                side[gold.axis.layers.document[layer]].append(span)

    add(tokens.gold_tokens, tokens.gold_tokens.kind, true)
    add(tokens.gold_tokens, said, taken)
    add(beyond, beyond.kind, taken)
    for side in (true, taken):
        for spans in side:
            spans.sort(key=lambda span: span["start"])
    return true, taken


def against_nervaluate(corpus: Corpus, repeats: int) -> list[Figure]:
    from nervaluate import Evaluator

    from showthrough.compat.nervaluate import Evaluator as Here

    tags = list(corpus.survey.types)
    system = spoiled(corpus, 1)
    instance, both = metrics_of(["phi_instance"]), metrics_of(["phi_token", "phi_instance"])
    spans, tokens = as_instances(corpus, system), as_tokens(corpus, system)
    chunk = Chunk(corpus)

    def theirs(*levels: tuple[list[Any], list[Any]]) -> list[Any]:
        return [Evaluator(true, taken, tags=tags, loader="dict").evaluate() for true, taken in levels]

    def ours_bound() -> None:
        anonymized = Anonymized(chunk, system)
        for metric in both:
            metric.combine(anonymized.rows(metric).totals())

    times = quickest(
        repeats,
        {
            "nervaluate, instances": lambda: theirs(spans),
            "nervaluate, both levels": lambda: theirs(spans, tokens),
            "instances": lambda: score(corpus, system, instance),
            "both, bound": ours_bound,
            "both": lambda: score(corpus, system, both),
            "compat": lambda: Here(*spans, tags=tags, loader="dict").evaluate(),
        },
    )
    counts = score(corpus, system, both)
    strict = [found["overall"]["strict"] for found in theirs(spans, tokens)]
    same = (
        strict[0].possible == counts["PhiInstance"]["C"] + counts["PhiInstance"]["S"] + counts["PhiInstance"]["D"]
        and strict[0].actual == counts["PhiInstance"]["C"] + counts["PhiInstance"]["S"] + counts["PhiInstance"]["I"]
        and strict[1].correct == sum(v for key, v in counts["PhiToken"].items() if key.startswith("TP:"))
    )
    if not same:
        raise SystemExit(f"nervaluate counts otherwise: {counts} here, {strict} there")
    alone, together = times["nervaluate, instances"], times["nervaluate, both levels"]
    return [
        Figure("instance level, × nervaluate", alone / times["instances"], TIMES, True),
        Figure("both levels, gold bound, × nervaluate's one level", alone / times["both, bound"], TIMES, True),
        Figure("both levels, × nervaluate's both levels", together / times["both"], TIMES, True),
        Figure("both levels and binding, × nervaluate's one level", alone / times["both"], None, True),
        Figure("compat.nervaluate, × nervaluate", alone / times["compat"], COMPAT, True),
    ]


def matrix(corpus: Corpus) -> Figure:
    some = Corpus(corpus.documents[:220], name="220 records")
    systems = {f"s{number}": spoiled(some, number, 0.02 + 0.01 * number) for number in range(16)}
    run = evaluate(some, systems, ["phi_token"], resamples=0)
    work = {"matrix": lambda: significance(run, "phi_token", shuffles=9999, seed=0)}
    return Figure("9,999 shuffles of 16 systems on 220 records, s", quickest_calibrated(1, work)["matrix"], SECONDS)


def records(data: Path) -> Corpus:
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(data / "meddocan/train_dev.tar.gz") as archive:
            archive.extractall(folder, filter="data")
        return read_corpus(folder, format="i2b2")


def main() -> int:
    data = data_folder()
    if data is None:
        return 0
    corpus = records(data)
    return int(not print_table([*against_nervaluate(corpus, 5), matrix(corpus)]))


if __name__ == "__main__":
    sys.exit(main())
