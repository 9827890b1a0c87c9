"""Whether passages follow from each other, against the model asked plainly, one pair at a time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, Mask, evaluate
from showthrough.core.errors import ResourceError
from showthrough.models import Resources
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

WORDS = ["a", "the", "dog", "hound", "slept", "at", "home", "in", "its", "house", "prices", "fell", "."]
PAIRS = [
    ("the dog slept at home .", "a hound slept in its house ."),
    ("the dog slept at home .", "the dog slept at home ."),
    ("the dog slept", "prices fell . " * 30),  # longer than the model reads
    ("the dog", "prices"),
]
CLASSES = {0: "CONTRADICTION", 1: "NEUTRAL", 2: "ENTAILMENT"}
Made = Callable[..., Path]


@pytest.fixture
def made(torch: Any, tmp_path: Path) -> Made:
    """Writes a tiny model with seeded weights, and a tokenizer of whole words."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    def make(kind: str = "BertForSequenceClassification", classes: dict[int, str] = CLASSES) -> Path:
        folder = tmp_path / f"{kind}-{len(classes)}"
        marks = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3}
        tokenizer = Tokenizer(models.WordLevel({**marks, **{word: n for n, word in enumerate(WORDS, 4)}}, "[UNK]"))
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
        transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]", sep_token="[SEP]",  # noqa: S106
            model_input_names=["input_ids", "token_type_ids", "attention_mask"],
        ).save_pretrained(folder)  # fmt: skip
        torch.manual_seed(3)
        sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
        config = transformers.BertConfig(
            vocab_size=len(WORDS) + 4, max_position_embeddings=32, initializer_range=0.5, id2label=classes,
            label2id={name: number for number, name in classes.items()}, **sizes,
        )  # fmt: skip
        getattr(transformers, kind)(config).save_pretrained(folder)
        return folder

    return make


def chance(torch: Any, folder: Path, premise: str, hypothesis: str, label: int = 2) -> float:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model, tokenizer = AutoModelForSequenceClassification.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    read = tokenizer(premise, hypothesis, truncation="longest_first", max_length=32, return_tensors="pt")
    with torch.inference_mode():
        return float(model.eval()(**read).logits.softmax(-1)[0, label])


def similarities(folder: Path, *pairs: tuple[str, str]) -> list[float]:
    (found,) = Resources(ModelSettings(device="cpu", cache=False)).sts(f"nli:{folder}").similarities([pairs])
    return found.tolist()


def test_both_ways_count_alike(torch: Any, made: Made) -> None:
    folder = made()
    ways = [(chance(torch, folder, *pair), chance(torch, folder, *pair[::-1])) for pair in PAIRS]
    assert ways[0][0] != pytest.approx(ways[0][1], abs=1e-3)  # or the order would show nothing
    assert similarities(folder, *PAIRS) == pytest.approx([5 * (one + other) / 2 for one, other in ways], abs=1e-4)


def test_a_pair_has_its_answer_in_any_company(made: Made) -> None:
    folder = made()
    assert similarities(folder, *PAIRS) == [similarities(folder, pair)[0] for pair in PAIRS]


def test_the_class_is_found_by_its_name(torch: Any, made: Made) -> None:
    folder = made(classes={0: "entailment", 1: "not_entailment"})
    expected = [5 * sum(chance(torch, folder, *way, label=0) for way in (pair, pair[::-1])) / 2 for pair in PAIRS]
    assert similarities(folder, *PAIRS) == pytest.approx(expected, abs=1e-4)


def test_soundness_is_its_mean_and_says_who_judged(torch: Any, made: Made) -> None:
    folder = made()
    corpus = Corpus([Document("d", "the dog slept .\nprices fell .\nat home")])
    metric = f'soundness(similarity="nli:{folder}")'
    masked = Anonymization({"d": [Mask(4, 7, "hound"), Mask(30, 37)]})
    run = evaluate(corpus, {"m": masked}, metrics=[metric], device="cpu")
    ways = [("the dog slept .", "the hound slept ."), ("the hound slept .", "the dog slept .")]
    changed = 5 * float(np.mean([chance(torch, folder, *way) for way in ways]))
    assert run["m", metric].value == pytest.approx((changed + 5 + 0) / 3, abs=1e-4)  # one as it was, one gone
    assert f"nli:{folder}" in run["m", metric].signature


def test_models_that_cannot_judge(made: Made, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"there is no folder"):
        similarities(tmp_path / "none", PAIRS[0])
    with pytest.raises(ResourceError, match=r"has the classes good, bad; expected one of them to be entailment"):
        similarities(made(classes={0: "good", 1: "bad"}), PAIRS[0])
    with pytest.raises(ResourceError, match=r"does not classify texts: bert\.pooler\.\S+ is not in it"):
        similarities(made("BertForMaskedLM"), PAIRS[0])
