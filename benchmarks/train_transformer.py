"""Training a transformer to mask: what a step costs in time and memory, whether it learns, and whether it resumes.

    python benchmarks/train_transformer.py                 # Longformer's size on a GPU, a small one on a CPU
    python benchmarks/train_transformer.py --write folder  # the model and the documents, for the command itself

Needs torch, transformers and tokenizers; no network. The model is randomly initialised and its tokenizer trained on the
demonstration corpus, whose documents are put together to long ones; so the scores say that training runs, not how good
such a model is.

Fails where the loss does not fall, where memory runs out, or where a training that was stopped and resumed ends
elsewhere: on a CPU the parameters must be the same to the last digit, on a GPU the losses to the second.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import fmean, median
from typing import Any

from showthrough import read_corpus, write_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.core.errors import Interrupted
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.systems.encoders.learning import TokenLearner
from showthrough.systems.encoders.training import TrainingOutcome, TrainingRequest, TransformerSettings, train_to_folder

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
SIZES: dict[str, dict[str, Any]] = {
    "longformer": {"attention_window": 512, "max_position_embeddings": 4098, "vocab_size": 50_265},
    "small": {
        "attention_window": 64, "max_position_embeddings": 1030, "vocab_size": 4_000, "hidden_size": 64,
        "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 128,
    },
}  # fmt: skip
COURSES = {
    "longformer": [(4096, 1, False), (4096, 1, True), (4096, 4, False), (512, 8, False), (32, 128, False)],
    "small": [(1024, 1, False), (1024, 1, True), (128, 4, False), (32, 16, False)],
}
HELD_OUT = 5  # documents of the demonstration corpus that are scored, and in no long document
WARM = 3  # steps that are not timed


def save_model(folder: Path, texts: Sequence[str], size: str) -> None:
    """A random Longformer, and a WordPiece tokenizer trained on texts."""
    import tokenizers
    import torch
    import transformers

    words = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token=MARKS[1]))
    words.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=False)
    words.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=4_000, special_tokens=MARKS, show_progress=False)
    words.train_from_iterator(texts, trainer)
    words.post_processor = tokenizers.processors.BertProcessing((MARKS[3], 3), (MARKS[2], 2))
    roles = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], MARKS, strict=True))
    longest = SIZES[size]["max_position_embeddings"] - 2
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=words, model_max_length=longest, **roles)
    fast.save_pretrained(folder)
    torch.manual_seed(0)
    marks = {"pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3, "sep_token_id": 3}
    config = transformers.LongformerConfig(**marks, **SIZES[size])
    transformers.LongformerModel(config).save_pretrained(folder)


def long_documents(parts: Sequence[Document], number: int, characters: int) -> Corpus:
    """So many documents of at least so many characters, each put together from others in turn."""
    made = []
    for one in range(number):
        texts: list[str] = []
        mentions: list[Mention] = []
        place = one * 7
        while sum(map(len, texts)) < characters:
            part = parts[place % len(parts)]
            shift = sum(len(text) + 1 for text in texts)
            for mention in part.annotations[0].mentions:
                moved = (mention.start + shift, mention.end + shift, mention.entity_type, mention.identifier)
                mentions.append(Mention(*moved, f"{place} {mention.entity_id}"))
            texts.append(part.text)
            place += 1
        made.append(Document(f"long {one}", "\n".join(texts), (Annotation("one", tuple(mentions)),)))
    return Corpus(made, name="long")


@contextmanager
def noted_steps(device: str) -> Iterator[list[tuple[float, float]]]:
    """The time and the loss of every batch that goes through the model meanwhile."""
    import torch

    seen: list[tuple[float, float]] = []
    usual = TokenLearner.loss

    def noting(learner: TokenLearner, batch: list[int], seed: int) -> Any:
        found = usual(learner, batch, seed)
        seen.append((time.perf_counter(), float(found.detach())))  # which waits for an accelerator
        return found

    TokenLearner.loss = noting  # type: ignore[method-assign]
    if device == "cuda":
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
    try:
        yield seen
    finally:
        TokenLearner.loss = usual  # type: ignore[method-assign]


def trained(request: TrainingRequest, device: str) -> tuple[TrainingOutcome, list[tuple[float, float]]]:
    with noted_steps(device) as steps:
        return train_to_folder(request), steps


def shown_course(request: TrainingRequest, device: str) -> bool:
    """Trains, prints what it cost, and tells whether the loss fell."""
    import torch

    settings = request.settings
    outcome, steps = trained(request, device)
    times, losses = [when for when, _ in steps], [loss for _, loss in steps]
    each = [after - before for before, after in zip(times[WARM:], times[WARM + 1 :], strict=False)]
    first, last = fmean(losses[:5]), fmean(losses[-5:])
    memory = f"{torch.cuda.max_memory_allocated() / 2**30:5.1f} GiB" if device == "cuda" else "        –"
    how = "checkpointing" if settings.gradient_checkpointing else ""
    print(f"window {settings.window:5}, batch {settings.batch:3} {how:14} {len(losses):4} steps, "
          f"{1000 * median(each):7.1f} ms a step, {memory}, loss {first:.3f} → {last:.3f}, "
          f"dev recall {outcome.scores['recall']:.3f}", flush=True)  # fmt: skip
    return last < first


def resumed(request: TrainingRequest, device: str) -> bool:
    """Whether a training that is stopped in the middle and resumed ends as one that is not."""
    import torch
    from safetensors.torch import load_file

    whole, steps = trained(request, device)
    apart = replace(request, folder=request.folder.with_name("resumed"))
    usual, middle, taken = TokenLearner.loss, len(steps) // 2, 0

    def stopping(learner: TokenLearner, batch: list[int], seed: int) -> Any:
        nonlocal taken
        taken += 1
        if taken == middle:
            raise KeyboardInterrupt
        return usual(learner, batch, seed)

    TokenLearner.loss = stopping  # type: ignore[method-assign]
    try:
        train_to_folder(apart)
    except Interrupted as stop:
        print(f"stopped in step {taken}: {apart.checkpoint.stat().st_size / 2**20:.0f} MiB of checkpoint; {stop}"[:100])
    finally:
        TokenLearner.loss = usual  # type: ignore[method-assign]
    again, rest = trained(replace(apart, resume=True), device)
    one, other = (load_file(Path(part.folder, "model.safetensors")) for part in (whole, again))
    far = max(float((one[name] - other[name]).abs().max()) for name in one)
    losses = [epoch.loss for part in (whole, again) for epoch in part.epochs[-1:]]
    print(f"resumed after {middle - 1} of {len(steps)} steps ({len(rest)} taken): parameters differ by at most "
          f"{far:.1e}, last epoch's loss {losses[0]:.5f} and {losses[1]:.5f}", flush=True)  # fmt: skip
    same = all(torch.equal(one[name], other[name]) for name in one)
    return (same or device != "cpu") and abs(losses[0] - losses[1]) < 0.01


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", choices=SIZES)
    parser.add_argument("--documents", type=int, default=10)
    parser.add_argument("--learning-rate", type=float)
    parser.add_argument("--write", type=Path, help="only write the model and the documents here")
    asked = parser.parse_args()
    try:
        import torch
        import transformers
    except ImportError:
        print("skipped: torch and transformers are not installed")
        return 0
    device = "cuda" if torch.cuda.is_available() else "cpu"
    size = asked.size or ("longformer" if device == "cuda" else "small")
    source = read_corpus(demo.corpus_path(), name="demo")
    longest = SIZES[size]["max_position_embeddings"]
    dev = Corpus(list(source)[:HELD_OUT], name="dev")
    corpus = long_documents(list(source)[HELD_OUT:], asked.documents, 5 * longest)
    with tempfile.TemporaryDirectory() as temporary:
        home = asked.write or Path(temporary)
        save_model(home / "model", [one.text for one in source], size)
        if asked.write:
            write_corpus(corpus, home / "train.json", "tab")
            write_corpus(dev, home / "dev.json", "tab")
            return 0
        name = torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads"
        print(f"{device} ({name}), torch {torch.__version__}, transformers {transformers.__version__}, {size}, "
              f"{len(corpus)} documents of {5 * longest:,} characters", flush=True)  # fmt: skip
        rate = asked.learning_rate or {"longformer": 2e-5, "small": 1e-3}[size]
        usual = TransformerSettings(model=str(home / "model"), learning_rate=rate)
        sound = True
        for window, batch, checkpointing in COURSES[size]:
            settings = replace(usual, window=window, batch=batch, gradient_checkpointing=checkpointing)
            sound &= shown_course(TrainingRequest(corpus, dev, home / "made", settings, force=True), device)
        window, batch, _ = COURSES[size][0]
        settings = replace(usual, window=window, batch=batch)
        sound &= resumed(TrainingRequest(corpus, dev, home / "made", settings, force=True), device)
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
