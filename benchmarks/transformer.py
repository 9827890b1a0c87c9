"""The transformer attack on records like WikiActors': how many windows a second it learns from, and whom it finds.

    python benchmarks/transformer.py WikiActors_50_eval.json --no-curation --no-ner

Needs torch, transformers and tokenizers, and spaCy unless it is told `--no-curation --no-ner`; no network. The model is
randomly initialised and its tokenizer trained on the background, so the accuracies say that the attack runs, not how
strong it is. Without options: DistilBERT's size and TAE's settings on a GPU; on a CPU a small model, few individuals,
few epochs and no pretreatment.

Prints, from one run, what a step costs as a multiple of a bare step of the same model and batch: at most 1.5, so that
the loop around the model is known to be thin.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

SOURCE = Path(__file__).resolve().parents[1] / "src" / "showthrough"
NAME, BACKGROUND = "name", "public_knowledge"
MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
VOCABULARY = 30_522
SIZES = {
    "distilbert": {"dim": 768, "hidden_dim": 3072, "n_layers": 6, "n_heads": 12},
    "small": {"dim": 64, "hidden_dim": 128, "n_layers": 2, "n_heads": 2},
}
BARE_STEPS = 30


def enter() -> None:
    """Makes the rooms of this attack importable where the package or what it rests on is not installed.

    They need torch and transformers alone; only the doors of their packages ask for more, so those are walked around.
    """
    try:
        import showthrough  # noqa: F401
    except ImportError:
        for name in ("showthrough", "showthrough.families.reidentification.attacks", "showthrough.models"):
            package = ModuleType(name)
            package.__path__ = [str(SOURCE.parent / name.replace(".", "/"))]
            sys.modules[name] = package


def arguments() -> argparse.Namespace:
    data = Path(os.environ.get("SHOWTHROUGH_DATA", "")) / "wiki_actors/WikiActors_50_eval.json"
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="?", type=Path, default=data, help="list of records (JSON)")
    parser.add_argument("--individuals", type=int, help="take only the first so many records")
    parser.add_argument("--size", choices=SIZES, help="of the model")
    parser.add_argument("--epochs", type=int, help="of fine-tuning")
    parser.add_argument("--pretraining-epochs", type=int, help="of additional pretraining; 0: none")
    parser.add_argument("--batch-size", type=int, default=16, help="of fine-tuning")
    parser.add_argument("--learning-rate", type=float, help="of both stages")
    parser.add_argument("--window", default="100-25", help="of fine-tuning")
    parser.add_argument("--precision", default="auto", help="auto, bf16 or fp32")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--spacy", default="en_core_web_lg", help="the pipeline that finds entities and lemmas")
    parser.add_argument("--no-ner", action="store_true", help="no copies without named entities")
    parser.add_argument("--no-curation", action="store_true")
    parser.add_argument("--output", help="keep the attack's folder here")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def save_model(folder: Path, texts: list[str], size: str, seed: int) -> None:
    """A random model of a size, and a WordPiece tokenizer trained on texts."""
    import tokenizers
    import torch
    import transformers

    words = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token=MARKS[1]))
    words.normalizer = tokenizers.normalizers.BertNormalizer()
    words.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=VOCABULARY, special_tokens=MARKS, show_progress=False, continuing_subword_prefix="##"
    )
    words.train_from_iterator(texts, trainer)
    roles = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], MARKS, strict=True))
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, model_max_length=512, **roles).save_pretrained(folder)
    torch.manual_seed(seed)
    config = transformers.DistilBertConfig(vocab_size=VOCABULARY, pad_token_id=0, **SIZES[size])
    transformers.DistilBertForMaskedLM(config).save_pretrained(folder)


@dataclass
class Stage:
    """A stage of training: its windows, its epochs, the seconds of its steps and of the examinations after epochs."""

    name: str
    windows: int
    epochs: int
    steps: float = 0.0
    examinations: float = 0.0


@contextmanager
def timed_stages() -> Iterator[list[Stage]]:
    """The stages that are gone through meanwhile."""
    from showthrough.families.reidentification.attacks.tri import fitting

    train = fitting.train
    stages: list[Stage] = []

    def noting(learner: Any, course: Any, *rest: Any) -> None:
        stage = Stage(course.name, len(learner.windows), course.epochs)
        stages.append(stage)
        examine = learner.epoch_over

        def examined(*result: Any) -> None:
            begun = time.perf_counter()
            examine(*result)
            stage.examinations += time.perf_counter() - begun

        learner.epoch_over = examined
        begun = time.perf_counter()
        train(learner, course, *rest)
        stage.steps = time.perf_counter() - begun - stage.examinations

    fitting.train = noting
    try:
        yield stages
    finally:
        fitting.train = train


def bare_step(model: Any, batch: int, length: int, bf16: bool, device: Any) -> float:
    """Seconds of a training step on pieces that lie ready: nothing but the model, its gradients and the optimizer."""
    import torch

    generator = torch.Generator().manual_seed(0)
    pieces = torch.randint(5, 1000, (batch, length), generator=generator).to(device)
    truth = torch.zeros(batch, dtype=torch.long, device=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-9, fused=device.type in ("cpu", "cuda"))
    model.train()
    for step in range(2 * BARE_STEPS):
        if step == BARE_STEPS:  # the first half warms up
            if device.type == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=bf16):
            loss = torch.nn.functional.cross_entropy(model(input_ids=pieces).logits.float(), truth)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
    if device.type == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / BARE_STEPS


def shown(what: str, done: int, total: int) -> None:
    print(f"\r{what} ({done}/{total})".ljust(100), end="\n" if done >= total else "", file=sys.stderr, flush=True)


def main() -> int:
    asked = arguments()
    if not asked.records.is_file():
        print("skipped: name a file of records, or set SHOWTHROUGH_DATA")
        return 0
    enter()
    try:
        import torch
        import transformers
    except ImportError:
        print("skipped: torch and transformers are not installed")
        return 0
    from showthrough.families.reidentification.attacks.base import WatchedDocuments
    from showthrough.families.reidentification.attacks.transformer import Transformer
    from showthrough.families.reidentification.attacks.tri.windows import parse_window
    from showthrough.models import Resources
    from showthrough.models.device import torch_device
    from showthrough.models.settings import ModelSettings
    from showthrough.models.training import uses_bf16

    device = torch_device(asked.device)
    modest = device.type == "cpu"
    size = asked.size or ("small" if modest else "distilbert")
    epochs = asked.epochs or (2 if modest else 15)
    pretraining = (1 if modest else 3) if asked.pretraining_epochs is None else asked.pretraining_epochs
    learning_rate = asked.learning_rate or (1e-3 if modest else 5e-5)
    bare_options = modest and len(sys.argv) <= 2
    records = json.loads(asked.records.read_bytes())[: asked.individuals or (8 if modest else None)]
    background = {record[NAME]: record[BACKGROUND] or "" for record in records}
    columns = [column for column in records[0] if column not in (NAME, BACKGROUND)]
    watched = {
        column: WatchedDocuments(
            tuple(record[NAME] for record in records if record[column]),
            tuple(record[column] for record in records if record[column]),
        )
        for column in columns
    }
    with tempfile.TemporaryDirectory() as folder:
        save_model(Path(folder, "model"), list(background.values()), size, asked.seed)
        attack = Transformer(
            output_folder_path=asked.output or str(Path(folder, "out")),
            base_model_name=str(Path(folder, "model")),
            anonymize_background_knowledge=not (asked.no_ner or bare_options),
            use_document_curation=not (asked.no_curation or bare_options),
            spacy_pipeline=asked.spacy,
            use_additional_pretraining=pretraining > 0,
            pretraining_epochs=max(1, pretraining),
            pretraining_learning_rate=learning_rate,
            finetuning_epochs=epochs,
            finetuning_batch_size=asked.batch_size,
            finetuning_learning_rate=learning_rate,
            finetuning_sliding_window=asked.window,
            precision=asked.precision,
            seed=asked.seed,
        )
        models = ModelSettings(device=asked.device)
        bf16 = uses_bf16(device, asked.precision)
        name = torch.cuda.get_device_name(device) if device.type == "cuda" else f"{torch.get_num_threads()} threads"
        print(f"{device.type} ({name}), {'bf16' if bf16 else 'fp32'}, torch {torch.__version__}, "
              f"transformers {transformers.__version__}")  # fmt: skip
        start = time.perf_counter()
        with timed_stages() as stages:
            fitted = attack.fit(background, Resources(models, shown), watched)
        whole = time.perf_counter() - start
        parameters = sum(one.numel() for one in fitted.classifier.model.parameters())
        print(f"{len(background)} individuals, {sum(map(len, background.values())):,} characters, "
              f"{size} model with {parameters / 1e6:.1f} million parameters")  # fmt: skip
        for stage in stages:
            read = stage.windows * stage.epochs
            print(f"{stage.name}: {stage.windows:,} windows × {stage.epochs} epochs in {stage.steps:.1f} s, "
                  f"{read / stage.steps:,.0f} windows/s; examinations {stage.examinations:.1f} s")  # fmt: skip
        print(f"all of it: {whole:.1f} s; epoch {fitted.selected} of {epochs} was kept")
        start = time.perf_counter()
        fitted = attack.fit(background, Resources(models), watched)
        print(f"again, from what was kept: {time.perf_counter() - start:.1f} s")
        if device.type == "cuda":
            print(f"GPU memory at most: {torch.cuda.max_memory_allocated(device) / 2**30:.1f} GiB")
        print(f"\n{'documents':34}{'number':>8}{'accuracy %':>12}   chance {100 / len(background):.1f} %")
        for column, documents in watched.items():
            if documents.texts:
                print(f"{column:34}{len(documents.texts):8}{100 * fitted.accuracy(documents):12.1f}")
        window = parse_window(asked.window)
        if window:
            step = bare_step(fitted.classifier.model, asked.batch_size, window.length, bf16, device)
            ours = stages[-1].steps / (epochs * -(-stages[-1].windows // asked.batch_size))
            print(f"\na step of fine-tuning: {1000 * ours:.1f} ms; a bare one: {1000 * step:.1f} ms; "
                  f"ratio {ours / step:.2f}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
