"""Surprise of a language model that reads from left to right, against an implementation that is slow and plain."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, InputError, Mask, evaluate
from showthrough.core.errors import ResourceError
from showthrough.models import Resources
from showthrough.models._causal_lm import Surprise
from showthrough.models.information import ModelContext, SpanQuery
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

WORDS = [f"w{number}" for number in range(60)]
LONG = " ".join(WORDS[number * 7 % 60] for number in range(100))
TEXTS = ["w1 w2 w3", "w1", "", LONG, "w5 w4 w3 w2 w1", LONG[: len(LONG) // 3]]
POSITIONS = 24
Made = Callable[..., Path]


@pytest.fixture
def made(torch: Any, tmp_path: Path) -> Made:
    """Writes a tiny model with seeded weights, and a tokenizer of whole words."""
    import transformers
    from tokenizers import Tokenizer, models, pre_tokenizers

    def make(kind: str = "GPT2LMHeadModel", bos: str | None = "<s>", vocabulary: int = 62, **sizes: Any) -> Path:
        folder = tmp_path / f"{kind}-{bos}-{vocabulary}"
        tokenizer = Tokenizer(
            models.WordLevel({"<s>": 0, "<unk>": 1, **{w: n for n, w in enumerate(WORDS, 2)}}, "<unk>")
        )
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="<unk>", bos_token=bos)  # noqa: S106
        fast.save_pretrained(folder)
        torch.manual_seed(5)
        model = getattr(transformers, kind)
        model(model.config_class(vocab_size=vocabulary, **sizes)).save_pretrained(folder)
        return folder

    return make


@pytest.fixture
def gpt(made: Made) -> Path:
    return made(n_positions=POSITIONS, n_embd=32, n_layer=2, n_head=2, initializer_range=0.5)


def surprise(folder: Path, *texts: str, **settings: Any) -> list[Surprise]:
    return Resources(ModelSettings(device="cpu", **settings)).language_model(str(folder)).surprise(texts)


def slow(torch: Any, folder: Path, text: str) -> float:
    """One piece at a time, each after as many before it as its window has."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    ids, room, total = tokenizer(text)["input_ids"], POSITIONS - 1, 0.0
    for place, piece in enumerate(ids):
        first = 0 if place < room else -(-(place + 1 - room) // (room // 2)) * (room // 2)
        with torch.inference_mode():
            logits = model(torch.tensor([[tokenizer.bos_token_id, *ids[first:place]]])).logits[0, -1].double()
        total -= float(torch.log_softmax(logits, 0)[piece])
    return total


def test_every_piece_is_asked_for_once_after_those_before_it(torch: Any, gpt: Path) -> None:
    for text, (nats, pieces) in zip(TEXTS, surprise(gpt, *TEXTS), strict=True):
        assert pieces == len(text.split())
        assert nats == pytest.approx(slow(torch, gpt, text), rel=1e-4)


def test_what_is_asked_beside_a_text_does_not_matter(gpt: Path) -> None:
    together = surprise(gpt, *TEXTS, cache=False)
    assert together == [surprise(gpt, text, cache=False)[0] for text in TEXTS]


def test_answers_are_kept(gpt: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = surprise(gpt, *TEXTS)

    def fail(*_args: object, **_options: object) -> None:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr("transformers.AutoModelForCausalLM.from_pretrained", fail)
    assert surprise(gpt, *TEXTS) == first
    with pytest.raises(ResourceError, match="the model was loaded"):
        surprise(gpt, "w9")


SMALL = {
    "hidden_size": 32,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "initializer_range": 0.5,
}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"kind": "BertLMHeadModel", **SMALL}, "reads a text from both sides"),
        ({"kind": "GPT2Model", "n_embd": 32, "n_layer": 1, "n_head": 2}, None),
        ({"bos": None, "n_embd": 32, "n_layer": 1, "n_head": 2}, "no mark that begins or ends a text"),
        ({"vocabulary": 50, "n_embd": 32, "n_layer": 1, "n_head": 2}, "number 61, and the model knows 50 pieces"),
    ],
)
def test_models_that_cannot_tell_are_refused(made: Made, options: dict[str, Any], told: str | None) -> None:
    """A model that sees what comes would find everything likely; a bare GPT-2 has its head in its embeddings."""
    folder = made(**options)
    if told is None:
        assert surprise(folder, "w1 w2")[0].pieces == 2
    else:
        with pytest.raises(ResourceError, match=told):
            surprise(folder, "w1 w2")


def test_damaged_weights_are_no_number(gpt: Path) -> None:
    from safetensors.numpy import load_file, save_file

    file = gpt / "model.safetensors"
    weights = load_file(file)
    weights["transformer.ln_f.weight"][:] = np.nan
    save_file(weights, file, {"format": "pt"})
    with pytest.raises(ResourceError, match="answers with NaN"):
        surprise(gpt, "w1 w2")


def test_the_metric_by_hand(gpt: Path) -> None:
    """Two sentences of 3 and 2 pieces, one of them rewritten; a document of which nothing is left has no pieces."""
    corpus = Corpus([Document("a", "w1 w2 w3\nw4 w5"), Document("b", "w7 w8")])
    masks = {"x": Anonymization({"a": [Mask(3, 5, "w30 w31")], "b": [Mask(0, 5)]})}
    text = f'perplexity(lm="{gpt}")'
    run = evaluate(corpus, masks, [text], device="cpu")
    before = surprise(gpt, "w1 w2 w3", "w4 w5", "w7 w8")
    after = surprise(gpt, "w1 w30 w31 w3", "w4 w5")
    now, then = np.exp(sum(one.nats for one in after) / 6), np.exp(sum(one.nats for one in before) / 7)
    assert run["x", text].value == pytest.approx(now)
    assert run["x", text, "original"].value == pytest.approx(then)
    assert run["x", text, "ratio"].value == pytest.approx(now / then)
    assert "lm:" in run["x", text].signature


def test_without_a_model_the_way_out_is_told() -> None:
    with pytest.raises(InputError, match="or choose the metric readable, which needs no model"):
        evaluate(Corpus([Document("a", "w1")]), {"x": Anonymization({"a": []})}, ['perplexity(lm="./nowhere")'])


def weigh(folder: Path, text: str, *spans: tuple[int, int]) -> list[float]:
    start, end = np.array(spans).T
    source = Resources(ModelSettings(device="cpu", cache=False)).information(f"causal:{folder}")
    return source.weigh([SpanQuery(text, start, end, np.zeros(len(spans), dtype=int))], ModelContext())[0].tolist()


def test_each_span_weighs_as_its_least_probable_piece(torch: Any, gpt: Path) -> None:
    """The surprise of a piece is what the text up to it says more than the text before it; also in later windows."""
    for text in (TEXTS[0], LONG):
        words = text.split()
        bounds = [(len(" ".join(words[:at])) + bool(at), len(" ".join(words[: at + 1]))) for at in range(len(words))]
        found = weigh(gpt, text, *bounds)
        assert sum(found) == pytest.approx(surprise(gpt, text)[0].nats, rel=1e-5)
        assert weigh(gpt, text, (bounds[0][0], bounds[2][1]))[0] == pytest.approx(max(found[:3]))
    alone = slow(torch, gpt, "w1 w2 w3") - slow(torch, gpt, "w1 w2")
    assert weigh(gpt, TEXTS[0], (6, 8), (2, 3)) == pytest.approx([alone, 0.0], rel=1e-4)  # a blank says nothing


def test_a_trained_model_finds_what_it_has_learned_easy(torch: Any, gpt: Path) -> None:
    """After w1 there was always w2, and after w3 always w4."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(gpt), AutoTokenizer.from_pretrained(gpt)
    ids = torch.tensor([[0, *tokenizer(text)["input_ids"]] for text in ("w1 w2 w3 w4", "w3 w4 w1 w2")])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for _ in range(40):
        optimizer.zero_grad()
        model(input_ids=ids, labels=ids).loss.backward()
        optimizer.step()
    model.save_pretrained(gpt)
    expected, surprising = weigh(gpt, "w1 w2", (3, 5)), weigh(gpt, "w1 w4", (3, 5))
    assert expected[0] < 0.2 < 2 < surprising[0]
    corpus = Corpus([Document("a", "w1 w2 w3 w9")])
    metric = f'tpi(ic="causal:{gpt}", chunking="none")'
    run = evaluate(corpus, {"x": Anonymization({"a": [Mask(9, 11)]})}, [metric], device="cpu")
    weights = weigh(gpt, "w1 w2 w3 w9", (0, 2), (3, 5), (6, 8), (9, 11))
    assert run["x", metric].value == pytest.approx(sum(weights[:3]) / sum(weights))
    assert run["x", metric].value < 0.5  # what is hidden said most
