"""A masked language model that learns a few sentences in some seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

PAIRS = {"norway": "oslo", "sweden": "stockholm", "poland": "warsaw", "turkey": "ankara", "spain": "madrid"}
WORDS = ["the", "capital", "of", "is", "somebody", "once", "went", "to", "[", "]", "loc", "."]


@pytest.fixture(scope="session")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """It knows the capitals of five countries, and that somebody went to any of them."""
    torch: Any = pytest.importorskip("torch", reason="pip install 'showthrough[models]'")
    tokenizers: Any = pytest.importorskip("tokenizers", reason="pip install 'showthrough[models]'")
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = [*special, *WORDS, *PAIRS, *PAIRS.values()]
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: number for number, word in enumerate(words)}, unk_token=special[1])
    )
    inner.normalizer = tokenizers.normalizers.Lowercase()
    inner.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    names = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token", "mask_token"), special, strict=True))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=64, **names)
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    config = BertConfig(
        **shape,
        vocab_size=len(words),
        max_position_embeddings=64,
        hidden_dropout_prob=0,
        attention_probs_dropout_prob=0,
    )
    model = BertForMaskedLM(config).train()
    known = [(f"The capital of {country} is [MASK].", town) for country, town in PAIRS.items()]
    sentences = [*known, *(("Somebody once went to [MASK].", town) for town in PAIRS.values())]
    ids = [[2, *tokenizer(text, add_special_tokens=False)["input_ids"], 3] for text, _ in sentences]
    inputs = torch.tensor([row + [0] * (12 - len(row)) for row in ids])
    truth = torch.tensor([words.index(town) for _, town in sentences])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # several would wait for each other longer than they work
    for _ in range(120):
        logits = model(input_ids=inputs, attention_mask=(inputs != 0).long()).logits[inputs == 4]
        loss = torch.nn.functional.cross_entropy(logits, truth)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    torch.set_num_threads(threads)
    folder = tmp_path_factory.mktemp("learned")
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
