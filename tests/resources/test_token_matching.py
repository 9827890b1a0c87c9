"""Passages compared by models: a transformer's hidden states, token by token, and embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough.core.errors import ResourceError
from showthrough.models import Resources
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

PAIRS = [
    ("The dog slept at home.", "The dog slept at home."),
    ("The dog slept at home.", "A hound rested in its house."),
    ("The dog slept at home.", "Prices fell again on Friday, and so did wages."),
    ("", "The dog slept at home."),
]


def resources() -> Resources:
    return Resources(ModelSettings(cache=False, device="cpu"))


def test_tokens_are_matched_as_by_hand(bert: Path, torch: Any) -> None:
    from transformers import AutoModel, AutoTokenizer

    model, tokenizer = AutoModel.from_pretrained(bert).eval(), AutoTokenizer.from_pretrained(bert)

    def states(text: str) -> np.ndarray:
        with torch.no_grad():
            rows = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()[1:-1]
        return rows / np.linalg.norm(rows, axis=1, keepdims=True)

    near = states(PAIRS[1][0]) @ states(PAIRS[1][1]).T
    precision, recall = near.max(axis=1).mean(), near.max(axis=0).mean()
    expected = [5.0, 5 * 2 * precision * recall / (precision + recall)]
    (found,) = resources().sts(f"tokens:{bert}").similarities([PAIRS])
    assert found[:2] == pytest.approx(expected, abs=1e-4)
    assert found[3] == 0.0
    (alone,) = resources().sts(f"tokens:{bert}").similarities([PAIRS[1:2]])
    assert alone.tolist() == found[1:2].tolist()


def test_meaning_is_seen_by_real_models(mini_lm: Path) -> None:
    for name in (f"tokens:{mini_lm}", f"st:{mini_lm}", str(mini_lm)):
        (found,) = resources().sts(name).similarities([PAIRS])
        assert found[0] == pytest.approx(5.0, abs=1e-4)
        assert found[0] > found[1] > found[2] >= 0.0


def test_a_model_that_is_not_there(tmp_path: Path, torch: Any) -> None:
    with pytest.raises(ResourceError, match=r'soundness: there is no folder .*choose similarity="overlap"'):
        resources().sts(f"tokens:{tmp_path}/none")
