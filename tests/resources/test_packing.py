"""Texts end to end give what they give alone, padded: on a processor in fp32, with attention that is plain."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from showthrough.core.errors import ResourceError
from showthrough.models import Resources, _packing, device
from showthrough.models._packing import Pack, laid_out, plain_attention
from showthrough.models.information import ModelContext, SpanQuery
from showthrough.models.prediction import Predictor
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

LONG = " ".join(f"Part {n}: the applicant, Zbigniew Naïve-{n}, was born in Kraków ({1900 + n})." for n in range(30))
TEXTS = [LONG, "Mr John Doe of Oslo left on 3 May 1996.", LONG[:200], "x", LONG[70:777], "Oslo"]


def asked(text: str, turns: int) -> SpanQuery:
    starts = np.array([0, *(place + 1 for place, letter in enumerate(text) if letter == " ")])
    ends = np.array([*(starts[1:] - 1), len(text)])
    return SpanQuery(text, starts, ends, np.arange(len(starts)) % turns)


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
    ModelContext(),
    ModelContext(segment_length=30, overlap=4),
    ModelContext(segment_length=64, special_tokens="segment"),
    ModelContext(special_tokens="none"),
    ModelContext(attend_hidden=True),
    ModelContext(segment_length=510, special_tokens="segment", attend_hidden=True),
]


@pytest.fixture(autouse=True)
def small_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are several, and little in them is fill."""
    monkeypatch.setattr(device, "_PACK", 640)
    monkeypatch.setattr(_packing, "_ROUND", 64)
    monkeypatch.setattr(_packing, "_HEAD_ROWS", 32)


@pytest.mark.parametrize("context", CONTEXTS)
def test_as_the_padded_way(context: ModelContext, bert: Path) -> None:
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
    expected = padded.weigh(questions, ModelContext())
    for one, two in zip(expected, packed.weigh(questions, ModelContext()), strict=True):
        assert two == pytest.approx(one, abs=1e-5)


def test_sentences_as_the_library_embeds_them(mini_lm: Path) -> None:
    """Texts of every width, one that is cut off, one that is empty; those of one width are more than one pack."""
    from showthrough.models.embedder import PackedSentences

    source: Any = Resources(ModelSettings(device="cpu", cache=False)).embedder(str(mini_lm))
    texts = [*TEXTS[:4], "", " x ", *(LONG[place : place + 13 * place + 5] for place in range(1, 40, 8))]
    assert source.packed is None
    expected = source.embed(texts)
    source.packed = PackedSentences(source.model, plainly)
    told: list[float] = []
    assert source.embed(texts, told.append) == pytest.approx(expected, abs=1e-5)
    assert len(told) > 4
    assert told[-1] == 1.0
    assert source.embed(texts[3:4]).tolist() == source.embed(texts)[3:4].tolist()


def test_only_the_beginning_of_a_long_text_is_cut(mini_lm: Path) -> None:
    """Unless there are few pieces in it: then all of it is, and what stands behind counts."""
    from sentence_transformers import SentenceTransformer

    from showthrough.models.embedder import PackedSentences

    model = SentenceTransformer(str(mini_lm), device="cpu")
    packed = PackedSentences(model, plainly)
    texts = [
        LONG * 3,
        f"{'a' * 2000} {LONG * 2}",
        f"{' ' * 3000}Oslo",
        "a" * 3000,
        f"{'incomprehensibilities ' * 90}x",
        "x",
    ]
    expected = model.tokenizer(texts, truncation=True, max_length=256)["input_ids"]
    assert [one.ids.tolist() for one in packed.cut(texts)] == expected
    assert [len(ids) for ids in expected] == [256, 256, 3, 3, 256, 3]


def test_what_stands_beside_a_text_moves_no_digit(bert: Path) -> None:
    """Nor does where it stands: a pack is of one size, whatever is in it."""
    _, packed = predictors(bert)
    questions = [asked(text, turns) for text in TEXTS for turns in (1, 3)]
    together = packed.weigh(questions, ModelContext())
    back = packed.weigh(questions[::-1], ModelContext())[::-1]
    for question, one, two in zip(questions, together, back, strict=True):
        assert one.tolist() == two.tolist() == packed.weigh([question], ModelContext())[0].tolist()


def test_a_pack_that_does_not_fit_is_halved(torch: Any, bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """6 segments of 100 pieces, then 3; later packs are made so at once. Where none fits, it is said."""
    _, packed = predictors(bert)
    run, rooms = packed._run_pack, []
    most = 300

    def little_memory(model: Any, passes: Any, context: ModelContext, room: int) -> Any:
        rooms.append(room)
        if room > most:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return run(model, passes, context, room)

    questions = [asked(text, 2) for text in TEXTS]
    expected = packed.weigh(questions, ModelContext())
    monkeypatch.setattr(packed, "_run_pack", little_memory)
    shares: list[float] = []
    for one, two in zip(expected, packed.weigh(questions, ModelContext(), shares.append), strict=True):
        assert two == pytest.approx(one, abs=1e-5)
    assert set(rooms) == {600, 300}
    assert rooms.count(600) <= 2  # what was under way
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1.0)
    most = 99
    with pytest.raises(ResourceError, match="not even one text at a time fits in memory"):
        packed.weigh(questions, ModelContext())


def test_where_texts_come_to_stand() -> None:
    """Two texts, of 3 pieces and of 2; one piece of the first is hidden, and both of the second."""
    ids, hidden = np.array([11, 12, 13, 21, 22]), np.array([False, True, False, True, True])
    pack, target = laid_out(ids, np.array([3, 2]), hidden, 64, 40, None)
    assert pack.ids[:6].tolist() == [11, 13, 12, 21, 22, 0]  # the hidden one stands last
    assert pack.places[:5].tolist() == [0, 2, 1, 0, 1]
    assert target.tolist() == [0, 2, 1, 3, 4]
    assert pack.starts[:5].tolist() == [0, 3, 5, 45, 64]  # the rest is texts of nothing, of 40 pieces at most
    assert set(pack.starts[5:].tolist()) == {64}
    assert pack.seen[:5].tolist() == [2, 2, 40, 19, 0]  # where all is hidden, they look at each other
    assert len(pack.starts) == 257


def test_only_what_is_known_is_packed(torch: Any, bert: Path) -> None:
    """On a processor nothing is; elsewhere it would be fp16 and bf16 alone, and BERT's make."""
    from transformers import AutoModelForMaskedLM

    model = AutoModelForMaskedLM.from_pretrained(bert)
    assert _packing.packing_attention(model) is None
    assert _packing.packing_attention(model.to(torch.bfloat16)) is None
    assert predictors(bert)[0].packed is None


def test_a_model_that_looks_like_a_gpus(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thing that is asked of a model is asked."""
    monkeypatch.setattr(_packing, "_works", lambda device, dtype: True)
    config = {"model_type": "bert", "hidden_size": 64, "num_attention_heads": 8}

    def model(dtype: Any = torch.bfloat16, device: str = "cuda", **other: Any) -> Any:
        return SimpleNamespace(config=SimpleNamespace(**config | other), dtype=dtype, device=torch.device(device))

    assert _packing.packing_attention(model()) is _packing.fused_attention
    assert _packing.packing_attention(model(torch.float16)) is _packing.fused_attention
    assert _packing.packing_attention(model(model_type="xlm-roberta")) is _packing.fused_attention
    for other in (
        model(torch.float32), model(torch.float64), model(device="cpu"), model(model_type="mpnet"),
        model(model_type="electra"), model(position_embedding_type="relative_key"), model(is_decoder=True),
        model(num_attention_heads=16),
    ):  # fmt: skip
        assert _packing.packing_attention(other) is None


@pytest.mark.parametrize("half", ["fp16", "bf16"])
def test_earlier_answers_in_halves_are_others(bert: Path, half: Any) -> None:
    """They were computed in another way; those in fp32 were not."""
    for role in ("information", "embedder"):
        exact, coarse = (getattr(Resources(ModelSettings(dtype=dtype)), role)(str(bert)) for dtype in ("fp32", half))
        assert exact.identity[-1] == "fp32"
        assert coarse.identity[-2:] == ("packing", _packing.VERSION)


@pytest.mark.parametrize("half", ["float16", "bfloat16"])
def test_on_a_gpu(torch: Any, bert: Path, half: str) -> None:
    from transformers import AutoModelForMaskedLM, AutoTokenizer

    if not torch.cuda.is_available():
        pytest.skip("there is no CUDA device here")
    model = AutoModelForMaskedLM.from_pretrained(bert).eval()
    tokenizer = AutoTokenizer.from_pretrained(bert)
    coarse = Predictor(model.to("cuda", getattr(torch, half)), tokenizer)
    if not coarse.packed:
        pytest.skip("this device has no packed way")
    questions = [asked(text, 3) for text in TEXTS]
    together = coarse.weigh(questions, ModelContext())
    for question, one, two in zip(
        questions, together, predictors(bert)[0].weigh(questions, ModelContext()), strict=True
    ):
        assert one == pytest.approx(two, rel=0.05, abs=0.2)
        assert one.tolist() == coarse.weigh([question], ModelContext())[0].tolist()
