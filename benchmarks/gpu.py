"""Models on a GPU in fp16 and bf16: word pieces a second, and how far the numbers are from fp32's.

bert-base with random weights (the cost does not depend on what a model knows), and 200 texts of 800 words, of which
every word is asked for, in six turns. Word pieces are counted each time that the model reads them: six times each.
What is timed is all from texts and questions to information content, the tokenizer included; the model is loaded and
has answered once before. Embeddings: the same texts whole, of which a model of that size reads the first 256 pieces,
from texts to vectors, beside the library's own way with batches of 64.

Limits: 1,500,000 pieces a second; embeddings three times as fast as the library's; answers to the last bit whatever is
asked beside them; sums of information content over parts of a text, as shares of the whole text's (that is what TPI
is), within 0.001 of fp32, and in fp16 single answers within a thousandth of what they are in the mean. How far those in
bf16 are is shown, and has no limit: it has three digits.
Random weights answer alike everywhere, so those that are compared have a head that is five times as sure of itself.
Needs PyTorch, transformers, sentence-transformers and a CUDA device, and nothing else.

    python benchmarks/gpu.py                    everything, in two minutes
    python benchmarks/gpu.py --texts FILE       a JSON list of texts, or texts by name, instead of made-up ones
    python benchmarks/gpu.py --model FOLDER     a model with a prediction head instead of random weights

Exits 1 when a limit is missed.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
import types
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "src" / "showthrough"
PIECES, EMBEDDING_GAIN, APART = 1_500_000, 3.0, 1e-3
TURNS, SURER, COMPARED, LONGEST = 6, 5.0, 40, 256
Found = Iterator[tuple[str, float, float | None, bool]]


def without_the_package() -> None:
    """Makes the modules that do the work importable where the package's own dependencies are not installed."""
    try:
        import showthrough  # noqa: F401
    except ImportError:
        for name, folder in (("showthrough", SOURCE), ("showthrough.models", SOURCE / "resources")):
            sys.modules.pop(name, None)
            bare = types.ModuleType(name)
            bare.__path__ = [str(folder)]
            sys.modules[name] = bare


def made_up(count: int) -> list[str]:
    shuffled = random.Random(0)
    words = ["".join(shuffled.choices("etaoinshrdlucmfw", k=shuffled.randint(2, 9))) for _ in range(8000)]
    return [" ".join(shuffled.choices(words, k=800)) for _ in range(count)]


def tokenizer_of(texts: Sequence[str]) -> Any:
    """One made of the texts' own words."""
    from transformers import BertTokenizerFast

    words = sorted({word for text in texts for word in text.lower().split()})
    letters = sorted({letter for word in words for letter in word})
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    pieces = [*special, *letters, *(f"##{letter}" for letter in letters), *words[:20_000:2]]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vocab.txt")
        path.write_text("\n".join(dict.fromkeys(pieces)), encoding="utf-8")
        return BertTokenizerFast(str(path), model_max_length=512)


def random_bert(surer: float = 1.0) -> Any:
    import torch
    from transformers import BertConfig, BertForMaskedLM

    torch.manual_seed(0)
    model = BertForMaskedLM(BertConfig()).eval()
    with torch.no_grad():
        model.cls.predictions.transform.LayerNorm.weight *= surer
    return model


def loaded(model: str, surer: float, texts: Sequence[str], dtype: Any) -> tuple[Any, Any]:
    """A model on the GPU and its tokenizer."""
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    if not model:
        return random_bert(surer).to("cuda", dtype), tokenizer_of(texts)
    return AutoModelForMaskedLM.from_pretrained(model).eval().to("cuda", dtype), AutoTokenizer.from_pretrained(model)


def asked(text: str) -> Any:
    """Every word, in turns."""
    import numpy as np

    from showthrough.models.information import SpanQuery

    starts = np.array([0, *(place + 1 for place, letter in enumerate(text) if letter == " ")])
    ends = np.array([*(starts[1:] - 1), len(text)])
    return SpanQuery(text, starts, ends, np.arange(len(starts)) % TURNS)


def seconds_of(work: Callable[[], object]) -> float:
    import torch

    torch.cuda.synchronize()
    start = time.perf_counter()
    work()
    torch.cuda.synchronize()
    return time.perf_counter() - start


def speed(model: str, texts: Sequence[str], kind: str) -> Found:
    """Information content."""
    import torch

    from showthrough.models.device import torch_dtype
    from showthrough.models.information import ModelContext
    from showthrough.models.prediction import Predictor

    predictor = Predictor(*loaded(model, 1.0, texts, torch_dtype(kind)))
    questions = list(map(asked, texts))
    predictor.weigh(questions[: len(questions) // 4], ModelContext())  # warms up
    seconds = seconds_of(lambda: predictor.weigh(questions, ModelContext()))
    pieces = sum(one.length for asked in predictor.cut(questions, ModelContext()) for one in asked.passes())
    memory = torch.cuda.max_memory_allocated() / 1e9
    print(f"{torch.cuda.get_device_name()}: {pieces} pieces in {seconds:.2f} s, {memory:.1f} GB at the peak")
    print("texts stand end to end" if predictor.packed else "texts are padded")
    yield f"word pieces per second, {kind}", pieces / seconds, PIECES, pieces / seconds >= PIECES


def numbers(model: str, texts: Sequence[str], kind: str) -> Found:
    """How far they are from fp32's, and from themselves in other company."""
    import numpy as np
    import torch

    from showthrough.models.device import torch_dtype
    from showthrough.models.information import ModelContext
    from showthrough.models.prediction import Predictor

    questions = list(map(asked, texts[:COMPARED]))
    exact = Predictor(*loaded(model, SURER, texts, torch.float32)).weigh(questions, ModelContext())
    coarse = Predictor(*loaded(model, SURER, texts, torch_dtype(kind)))
    found = coarse.weigh(questions, ModelContext())
    alone = [coarse.weigh([one], ModelContext())[0] for one in questions[::-1]][::-1]
    moved = sum(int((one != two).sum()) for one, two in zip(found, alone, strict=True))
    yield "answers that change with what is asked beside them", moved, 0, moved == 0
    all_exact = np.concatenate(exact)
    difference = np.abs(np.concatenate(found) - all_exact)
    print(f"information content in fp32: {all_exact.mean():.2f} ± {all_exact.std():.2f}, {all_exact.max():.1f} at most")
    limit, largest = (APART * all_exact.mean() if kind == "fp16" else None), float(difference.max())
    yield f"largest difference of an information content, {kind}", largest, limit, limit is None or largest <= limit
    yield f"mean difference of an information content, {kind}", float(difference.mean()), None, True
    chance = np.random.default_rng(0)
    apart = 0.0
    for one, two in zip(found, exact, strict=True):
        kept = chance.random(len(one)) < 0.8
        apart = max(apart, abs(one[kept].sum() / one.sum() - two[kept].sum() / two.sum()))
    yield f"largest difference of a text's share, {kind}", apart, APART, apart <= APART


def embeddings(texts: Sequence[str]) -> Found:
    """Of whole texts, cut off where the model's room ends."""
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer

    from showthrough.models.device import in_packs
    from showthrough.models.embedder import packed_sentences

    many = [f"{text} {number}" for number in range(10) for text in texts]
    with tempfile.TemporaryDirectory() as folder:
        random_bert().bert.save_pretrained(folder)
        tokenizer_of(texts).save_pretrained(folder)
        model = SentenceTransformer(folder, device="cuda", model_kwargs={"dtype": torch.bfloat16})
        whole = SentenceTransformer(folder, device="cuda")
    model.max_seq_length = whole.max_seq_length = LONGEST
    packed = packed_sentences(model)
    if packed is None:
        raise SystemExit("embeddings: this device has no packed way")
    pieces = sum(len(one.ids) for one in packed.cut(many))

    def ours(some: Sequence[str]) -> Any:
        vectors: dict[str, Any] = {}
        for batch, answers in in_packs(
            packed.cut(some), lambda one: one.shape, packed.longest, model.device, packed.run, "embeddings"
        ):
            vectors |= zip((one.text for one in batch), answers, strict=True)
        return np.array([vectors[text] for text in some])

    ours(many[:200])
    model.encode(many[:200], batch_size=64)
    fast = seconds_of(lambda: ours(many))
    slow = seconds_of(lambda: model.encode(many, batch_size=64))
    few = many[:100]
    one, two, three = ours(few), whole.encode(few, batch_size=50), model.encode(few, batch_size=50)
    cosines = [
        (a * b).sum(1) / np.linalg.norm(a, axis=1) / np.linalg.norm(b, axis=1) for a, b in ((one, two), (three, two))
    ]
    print(f"embeddings: {len(many)} texts in {fast:.2f} s, {pieces / fast:,.0f} pieces per second")
    yield (
        "embeddings, times as fast as the library's own way",
        slow / fast,
        EMBEDDING_GAIN,
        slow / fast >= EMBEDDING_GAIN,
    )
    yield "embeddings, 1 − cosine with fp32, at most", float(1 - cosines[0].min()), APART, 1 - cosines[0].min() <= APART
    yield "the same of the library's own way", float(1 - cosines[1].min()), None, True
    moved = sum(int((ours([text])[0] != vector).sum()) for text, vector in zip(few[:10], one, strict=False))
    yield "numbers of embeddings that change with what is asked beside them", moved, 0, moved == 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--model", default="")
    given = parser.parse_args()
    without_the_package()
    import torch

    if not torch.cuda.is_available():
        print("skipped: there is no CUDA device here")
        return 0
    read = json.loads(given.texts.read_text(encoding="utf-8")) if given.texts else made_up(200)
    texts = list(read.values()) if isinstance(read, dict) else list(read)
    missed = 0
    halves = [made(given.model, texts, kind) for kind in ("fp16", "bf16") for made in (speed, numbers)]
    for part in (*halves, embeddings(texts)):
        for what, value, limit, holds in part:
            told = "" if limit is None else f" (limit {limit:.4g})"
            print(f"{what}: {value:.4g}{told}{'' if holds else '  MISSED'}", flush=True)
            missed += not holds
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
