"""Tiny GLiNER models with random weights, made here with a tokenizer of letters. No network."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.,;:!?@-_'()/éü"
WORDS = ["person", "date", "Rask", "Oslo", "the", "and", "in"]
SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 16,
    "max_position_embeddings": 96,
    "initializer_range": 0.6,
}
Build = Callable[..., Path]


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that nobody can reach."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if find_spec("huggingface_hub"):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture(scope="session")
def package() -> Any:
    return pytest.importorskip("gliner", reason="gliner is not installed: pip install 'showthrough[gliner]'")


def _tokenizer() -> Any:
    """Words that it knows, else letters; what it does not know at all leaves nothing."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "<<ENT>>", "<<SEP>>"]
    pieces = [*marks, *LETTERS, *(f"##{letter}" for letter in LETTERS), *WORDS]
    made = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token=marks[1]))
    made.normalizer = normalizers.Sequence([normalizers.Replace("\u200b", "")])
    made.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    named = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    more = ["<<ENT>>", "<<SEP>>"]
    return PreTrainedTokenizerFast(tokenizer_object=made, additional_special_tokens=more, model_max_length=96, **named)


@pytest.fixture
def build(package: Any, tmp_path: Path) -> Build:
    """A saved model of a generation: by spans or by tokens, with one encoder or with another for the labels."""
    import torch
    from transformers import BertConfig

    def made(tokens: bool = False, labels_encoder: bool = False, safe: bool = True, **settings: Any) -> Path:
        tokenizer = _tokenizer()
        base = tmp_path / "base"
        tokenizer.save_pretrained(base)
        encoder = BertConfig(vocab_size=len(tokenizer), pad_token_id=0, **SIZES)
        encoder.save_pretrained(base)
        config = {
            "model_name": str(base), "encoder_config": encoder.to_dict(), "hidden_size": 16, "max_width": 4,
            "max_len": 20, "dropout": 0.0, "vocab_size": len(tokenizer),
            "class_token_index": tokenizer.convert_tokens_to_ids("<<ENT>>"),
            "span_mode": "token_level" if tokens else "markerV0",
            **({"labels_encoder": str(base)} if labels_encoder else {}),
            **settings,
        }  # fmt: skip
        torch.manual_seed(11)
        model = package.GLiNER.from_config(config, backbone_from_pretrained=False)
        folder = tmp_path / "model"
        model.save_pretrained(folder, safe_serialization=safe)
        return folder

    return made
