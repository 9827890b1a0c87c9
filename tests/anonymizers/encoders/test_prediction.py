"""Texts through a classifier in windows, against one text at a time in the plainest way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough.core.errors import ResourceError
from showthrough.models.settings import ModelSettings
from showthrough.systems.encoders._examples import windows_of
from showthrough.systems.encoders._loading import Encoder, encoder_files, load_encoder
from showthrough.systems.encoders.classifier import predict

pytestmark = pytest.mark.slow

LONG = " ".join(f"Part {n}: the applicant, Zbigniew Naïve-{n}, was born in Kraków ({1900 + n})." for n in range(12))
TEXTS = ["Mr John Doe of Oslo left.", LONG, "", "x", LONG[:300], " \r\n "]


@pytest.fixture(scope="module")
def encoder(random_model: Path) -> Encoder:
    return load_encoder(str(random_model), encoder_files(str(random_model)), ModelSettings(device="cpu"))


def plain(encoder: Encoder, ids: Any) -> Any:
    """All of them in one window, by itself."""
    import torch

    marked = torch.tensor([[*encoder.before, *ids, *encoder.after]])
    with torch.no_grad():
        logits = encoder.model(input_ids=marked).logits[0].double().softmax(-1)
    return logits.numpy()[len(encoder.before) : len(encoder.before) + len(ids)]


def test_a_window_that_is_long_enough_is_one_pass(encoder: Encoder) -> None:
    for one in predict(encoder, TEXTS, 512, 384):
        assert one.probabilities.shape == (len(one.pieces.ids), 5)
        if len(one.pieces.ids):
            assert one.probabilities == pytest.approx(plain(encoder, one.pieces.ids), abs=1e-5)


@pytest.mark.parametrize(("window", "stride"), [(32, 22), (20, 5), (3, 1)])
def test_each_token_is_as_its_own_window_says(encoder: Encoder, window: int, stride: int) -> None:
    (one,) = predict(encoder, [LONG], window, stride)
    ids = one.pieces.ids
    windows = windows_of(len(ids), window - 2, stride)
    for begin, end, first, last in zip(windows.begin, windows.end, windows.first, windows.last, strict=True):
        alone = plain(encoder, ids[begin:end])[first - begin : last - begin]
        assert one.probabilities[first:last] == pytest.approx(alone, abs=1e-5)
    (whole,) = predict(encoder, [LONG], 512, 384)
    assert np.abs(one.probabilities - whole.probabilities).max() > 0.01  # the model does look around


def test_no_text_hangs_on_another(encoder: Encoder) -> None:
    together = predict(encoder, TEXTS, 64, 40)
    apart = [predict(encoder, [text], 64, 40)[0] for text in TEXTS]
    backwards = predict(encoder, TEXTS[::-1], 64, 40)[::-1]
    for one, two, three in zip(together, apart, backwards, strict=True):
        assert np.array_equal(one.probabilities, two.probabilities)
        assert np.array_equal(one.probabilities, three.probabilities)


def test_a_longformer_does_not_mind_padding(torch: Any, tokenizer: Any, tmp_path: Path) -> None:
    from transformers import LongformerConfig, LongformerForTokenClassification

    torch.manual_seed(3)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
    config = LongformerConfig(
        **sizes, vocab_size=30_522, pad_token_id=0, max_position_embeddings=202, attention_window=[8, 8],
        type_vocab_size=1, initializer_range=0.5, id2label={0: "O", 1: "B-MASK", 2: "I-MASK"},
    )  # fmt: skip
    LongformerForTokenClassification(config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    encoder = load_encoder(str(tmp_path), encoder_files(str(tmp_path)), ModelSettings(device="cpu"))
    assert encoder.longest == 201  # two places of 202 are for padding and what is before it, of which one is used
    for one in predict(encoder, [LONG[:200], "Ona Rask"], 100, 75):  # of 57 and 5 tokens, in tables of 64 and 8
        assert one.probabilities == pytest.approx(plain(encoder, one.pieces.ids), abs=1e-5)


def test_a_model_that_answers_nothing_is_damaged(torch: Any, encoder: Encoder) -> None:
    bias = encoder.model.classifier.bias
    with torch.no_grad():
        kept = bias.clone()
        bias[0] = float("nan")
    try:
        with pytest.raises(ResourceError, match="answers with NaN"):
            predict(encoder, ["Oslo"], 512, 384)
    finally:
        with torch.no_grad():
            bias.copy_(kept)
