"""Texts end to end give what they give alone, padded: on a processor in fp32, with attention that is plain."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough.resources import device, packing
from showthrough.resources.information import Context, Question
from showthrough.resources.packing import Pack, plain_attention
from showthrough.resources.prediction import Predictor

LONG = " ".join(f"Part {n}: the applicant, Zbigniew Naïve-{n}, was born in Kraków ({1900 + n})." for n in range(30))
TEXTS = [LONG, "Mr John Doe of Oslo left on 3 May 1996.", LONG[:200], "x", LONG[70:777], "Oslo"]


def asked(text: str, turns: int) -> Question:
    starts = np.array([0, *(place + 1 for place, letter in enumerate(text) if letter == " ")])
    ends = np.array([*(starts[1:] - 1), len(text)])
    return Question(text, starts, ends, np.arange(len(starts)) % turns)


def plainly(query: Any, key: Any, value: Any, pack: Pack) -> Any:
    return plain_attention(query, key, value, np.diff(pack.starts.numpy()), pack.seen.numpy())


def predictors(folder: Path) -> tuple[Predictor, Predictor]:
    """The padded way, and the packed one."""
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    padded, packed = (
        Predictor(AutoModelForMaskedLM.from_pretrained(folder).eval(), tokenizer, attention)
        for attention in (None, plainly)
    )
    return padded, packed


CONTEXTS = [
    Context(),
    Context(segment_length=30, overlap=4),
    Context(segment_length=64, special_tokens="segment"),
    Context(special_tokens="none"),
    Context(attend_hidden=True),
    Context(segment_length=510, special_tokens="segment", attend_hidden=True),
]


@pytest.fixture(autouse=True)
def small_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are several, and little in them is fill."""
    monkeypatch.setattr(device, "_PACK", 640)
    monkeypatch.setattr(packing, "_ROUND", 64)
    monkeypatch.setattr(packing, "_HEAD_ROWS", 32)


@pytest.mark.parametrize("context", CONTEXTS)
def test_as_the_padded_way(context: Context, bert: Path) -> None:
    """In one turn some segments have nothing but hidden pieces."""
    padded, packed = predictors(bert)
    questions = [asked(text, turns) for text in TEXTS for turns in (1, 6)]
    expected = padded.weigh(questions, context)
    for one, two in zip(expected, packed.weigh(questions, context), strict=True):
        assert two == pytest.approx(one, abs=1e-5)


@pytest.mark.parametrize("kind", ["Roberta", "XLMRoberta", "Camembert"])
def test_places_from_behind_the_padding(
    kind: str, torch: Any, bert: Path, sizes: dict[str, float], tmp_path: Path
) -> None:
    """A piece that is the padding's own has its place, and none is counted for it."""
    import transformers

    config = getattr(transformers, f"{kind}Config")(**sizes, vocab_size=30522, pad_token_id=0)
    torch.manual_seed(3)
    getattr(transformers, f"{kind}ForMaskedLM")(config).save_pretrained(tmp_path)
    transformers.AutoTokenizer.from_pretrained(bert).save_pretrained(tmp_path)
    padded, packed = predictors(tmp_path)
    questions = [asked(text, 3) for text in [*TEXTS, "Mr [PAD] Doe [PAD] [PAD] of Oslo left"]]
    expected = padded.weigh(questions, Context())
    for one, two in zip(expected, packed.weigh(questions, Context()), strict=True):
        assert two == pytest.approx(one, abs=1e-5)


def test_sentences_as_the_library_embeds_them(mini_lm: Path) -> None:
    """Texts of every width, one that is cut off, one that is empty; a table is more than one pack."""
    from sentence_transformers import SentenceTransformer

    from showthrough.resources.packed_sentences import PackedSentences

    model = SentenceTransformer(str(mini_lm), device="cpu")
    packed = PackedSentences(model, plainly)
    texts = [*TEXTS, "", " x ", *(LONG[place : place + 13 * place + 5] for place in range(1, 40))]
    found: dict[str, Any] = {}
    for batch, vectors in device.in_packs(
        packed.cut(texts), lambda one: one.shape, packed.longest, model.device, packed.run, "embeddings"
    ):
        found |= zip((one.text for one in batch), vectors, strict=True)
    assert np.array([found[text] for text in texts]) == pytest.approx(model.encode(texts), abs=1e-5)
