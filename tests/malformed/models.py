"""Models small enough to be made in a moment and copied for every attempt."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

_WORDS = "mr john doe of oslo left on 3 may 1996 he was 46 years old ann lee bergen knows nothing to see in a town"


def _files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@cache
def masked_lm() -> dict[str, bytes]:
    """One layer of BERT's make with seeded weights, and a tokenizer that knows the sound corpus's words."""
    torch = pytest.importorskip("torch")
    transformers = pytest.importorskip("transformers")

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "(", ")"]
    words = [*marks, *dict.fromkeys(_WORDS.split())]
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "vocab.txt").write_text("\n".join(words))
        tokenizer = transformers.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64)
        tokenizer.save_pretrained(folder)
        torch.manual_seed(7)
        config = transformers.BertConfig(
            vocab_size=len(words), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
            max_position_embeddings=64,
        )  # fmt: skip
        transformers.BertForMaskedLM(config).save_pretrained(folder)
        return _files(folder)


@cache
def embedding() -> dict[str, bytes]:
    """The same as an embedding model: its body, and the mean of what it says of each piece."""
    sentence_transformers = pytest.importorskip("sentence_transformers")
    modules = pytest.importorskip("sentence_transformers.models")
    with TemporaryDirectory() as name:
        body, whole = Path(name) / "body", Path(name) / "whole"
        for file, content in masked_lm().items():
            (body / file).parent.mkdir(parents=True, exist_ok=True)
            (body / file).write_bytes(content)
        parts = modules.Transformer(str(body), max_seq_length=32)
        pooling = modules.Pooling(16)
        sentence_transformers.SentenceTransformer(modules=[parts, pooling], device="cpu").save(str(whole))
        return _files(whole)


@cache
def spacy_pipeline() -> dict[str, bytes]:
    """English tokens and sentences, and nothing that was trained."""
    spacy = pytest.importorskip("spacy")
    with TemporaryDirectory() as name:
        pipeline = spacy.blank("en")
        pipeline.add_pipe("sentencizer")
        pipeline.to_disk(name)
        return _files(Path(name))
