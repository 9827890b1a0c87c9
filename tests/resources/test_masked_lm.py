"""Information content from a masked language model, against an implementation that is slow and plain."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough.core.errors import ResourceError
from showthrough.models import Resources
from showthrough.models.information import ModelContext, SpanQuery
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

SHORT = "Mr John Doe of Oslo left on 3 May 1996."
LONG = " ".join(f"Part {n}: the applicant, Zbigniew Naïve-{n}, was born in Kraków ({1900 + n})." for n in range(30))
Span = tuple[int, int]
Slow = Callable[..., list[float]]


def words(text: str) -> list[Span]:
    starts = [0, *(place + 1 for place, letter in enumerate(text) if letter == " ")]
    return [(start, start + len(text[start:].split(" ")[0])) for start in starts]


def question(text: str, spans: Sequence[Span], turns: int = 1) -> SpanQuery:
    table = np.array(spans, dtype=np.int64).reshape(-1, 2)
    return SpanQuery(text, table[:, 0], table[:, 1], np.arange(len(table)) % turns)


def weigh(folder: Path, *questions: SpanQuery, context: ModelContext | None = None, **settings: Any) -> list[Any]:
    resources = Resources(ModelSettings(**{"device": "cpu", **settings}))
    return resources.information(str(folder)).weigh(questions, context or ModelContext())


@pytest.mark.parametrize("turns", [1, 2, 6])
def test_as_the_slow_one(bert: Path, turns: int, slow_ics: Slow) -> None:
    texts = [LONG, SHORT, LONG[:200], "x"]
    found = weigh(bert, *(question(text, words(text), turns) for text in texts))
    for text, ics in zip(texts, found, strict=True):
        spans = words(text)
        for turn in range(turns):
            assert ics[turn::turns] == pytest.approx(slow_ics(bert, text, spans[turn::turns]), rel=1e-4)
        assert len(set(ics.round(6))) > len(spans) // 2  # the model does tell words apart


@pytest.mark.parametrize(
    "context",
    [
        ModelContext(segment_length=7),
        ModelContext(segment_length=64, special_tokens="segment"),
        ModelContext(special_tokens="none"),
        ModelContext(attend_hidden=True),
        ModelContext(segment_length=510, special_tokens="segment", attend_hidden=True),
    ],
)
def test_other_contexts(bert: Path, context: ModelContext, slow_ics: Slow) -> None:
    spans = words(LONG[:900])[::4]
    (ics,) = weigh(bert, question(LONG[:900], spans), context=context)
    assert ics == pytest.approx(slow_ics(bert, LONG[:900], spans, context), rel=1e-4)
    assert ics != pytest.approx(weigh(bert, question(LONG[:900], spans))[0], rel=1e-4)


def test_overlapping_segments_answer_from_the_middle(bert: Path, slow_ics: Slow) -> None:
    """With an overlap of 10 in 20 pieces, piece 12 is answered by the segment that starts at 0: 5 ≤ 12 < 15."""
    text = " ".join("abcdefghijklmnopqrstuvwxyz"[:26])  # one piece a letter
    context = ModelContext(segment_length=20, overlap=10, special_tokens="none")
    (ics,) = weigh(bert, question(text, [(2 * n, 2 * n + 1) for n in (12, 17)]), context=context)
    # Both letters are hidden at once; the first window holds letters 0 to 19, the second 10 to 25.
    first = slow_ics(bert, text[: 2 * 20], [(24, 25), (34, 35)], ModelContext(special_tokens="none"))
    second = slow_ics(bert, text[2 * 10 :], [(4, 5), (14, 15)], ModelContext(special_tokens="none"))
    assert ics == pytest.approx([first[0], second[1]], rel=1e-4)


def test_a_span_of_several_pieces_takes_the_least_probable(bert: Path) -> None:
    (whole,) = weigh(bert, question(SHORT, [(3, 11)]))
    (parts,) = weigh(bert, question(SHORT, [(3, 7), (8, 11)]))
    assert whole[0] == pytest.approx(max(parts), rel=1e-5)


def test_nothing_to_see(bert: Path, slow_ics: Slow) -> None:
    """A span without a piece says nothing; so do no spans; a text of which all is hidden sees only that."""
    empty, zero, every = weigh(
        bert, question("a \u200b b", [(2, 3), (0, 1)]), question(SHORT, []), question("Oslo", [(0, 4)]),
        context=ModelContext(special_tokens="none"),
    )  # fmt: skip
    assert empty[0] == 0 < empty[1]
    assert len(zero) == 0
    attended = slow_ics(bert, "Oslo", [(0, 4)], ModelContext(special_tokens="none", attend_hidden=True))
    assert every == pytest.approx(attended, rel=1e-4)


def test_the_batch_does_not_matter(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [LONG[start : start + 300] for start in range(0, 1500, 100)]
    asked = [question(text, words(text), 3) for text in texts]
    together = weigh(bert, *asked, cache=False)
    monkeypatch.setitem(__import__("showthrough.models.device", fromlist=["x"])._PIECES, "cpu", 1)
    alone = weigh(bert, *asked, cache=False)
    for one, two in zip(together, alone, strict=True):
        assert one == pytest.approx(two, rel=1e-4)


@pytest.mark.parametrize(
    "context",
    [
        ModelContext(),
        ModelContext(segment_length=30, overlap=4),
        ModelContext(special_tokens="segment"),
        ModelContext(attend_hidden=True),
    ],
)
def test_what_is_in_the_cache_moves_no_digit(context: ModelContext, bert: Path) -> None:
    """Each answer is the same to the last bit whether it is asked for alone, among others, or beside what is known."""
    texts = [LONG[start : start + size] for start, size in ((0, 900), (100, 40), (300, 333), (500, 1200), (700, 7))]
    asked = [question(text, words(text), turns) for text in texts for turns in (1, 3)]
    together = weigh(bert, *asked, context=context, cache=False)
    alone = [weigh(bert, one, context=context, cache=False)[0] for one in asked]
    weigh(bert, *asked[3:7:3], context=context)  # now some are known, and others are not
    partly = weigh(bert, *asked[::-1], context=context)[::-1]
    for one, two, three in zip(together, alone, partly, strict=True):
        assert one.tolist() == two.tolist() == three.tolist()


@pytest.mark.parametrize(
    "kind",
    [
        "Roberta", "DistilBert", "Albert", "Electra", "MPNet", "ModernBert", "RoFormer", "XLMRoberta", "Camembert",
        "DebertaV2", "ConvBert", "MobileBert", "Longformer", "BigBird",
    ],
)  # fmt: skip
def test_other_architectures(
    kind: str, torch: Any, bert: Path, sizes: dict[str, float], tmp_path: Path, slow_ics: Slow
) -> None:
    """Whatever stands between the model and its head, the head sees the right places, whatever else is in the batch."""
    import transformers

    own: dict[str, dict[str, Any]] = {
        "DistilBert": {"dim": 32, "n_layers": 2, "n_heads": 2, "hidden_dim": 64},
        "DebertaV2": {**sizes, "relative_attention": True, "pos_att_type": ["p2c", "c2p"]},
        "MobileBert": {**sizes, "embedding_size": 32, "intra_bottleneck_size": 32, "num_feedforward_networks": 1},
        "BigBird": {**sizes, "block_size": 4, "num_random_blocks": 1, "attention_type": "original_full"},
        "ModernBert": {**sizes, "reference_compile": False, "attn_implementation": "sdpa"},
        "Longformer": {**sizes, "attention_window": [64, 64], "max_position_embeddings": 514},
    }
    config = getattr(transformers, f"{kind}Config")(**own.get(kind, sizes), vocab_size=30522, pad_token_id=0)
    torch.manual_seed(3)
    getattr(transformers, f"{kind}ForMaskedLM")(config).save_pretrained(tmp_path / kind)
    transformers.AutoTokenizer.from_pretrained(bert).save_pretrained(tmp_path / kind)
    texts = [LONG[:600], SHORT, LONG[:90]]
    asked = shutil.copytree(tmp_path / kind, tmp_path / "asked")
    config = (asked / "config.json").read_text()  # BigBird's own way would depend on the batch
    (asked / "config.json").write_text(config.replace('"original_full"', '"block_sparse"'))
    for text, ics in zip(texts, weigh(asked, *(question(text, words(text)) for text in texts)), strict=True):
        assert ics == pytest.approx(slow_ics(tmp_path / kind, text, words(text)), rel=1e-4)


def test_fp16_is_nearer_than_bf16_and_both_are_other_answers(bert: Path) -> None:
    asked = question(LONG[:400], words(LONG[:400]), 6)
    (exact,) = weigh(bert, asked)
    fine, coarse = (weigh(bert, asked, dtype=dtype)[0] for dtype in ("fp16", "bf16"))
    assert coarse == pytest.approx(exact, rel=0.05, abs=0.2)
    assert fine == pytest.approx(exact, abs=0.01)
    assert 0 < 4 * np.abs(fine - exact).mean() < np.abs(coarse - exact).mean()


# --- answers are kept -------------------------------------------------------------------------------------------------


def test_a_question_is_asked_once(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [question(SHORT, words(SHORT), 6), question(LONG, words(LONG), 6)]
    first = weigh(bert, *asked)

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("the model was loaded")

    monkeypatch.setattr("transformers.AutoModelForMaskedLM.from_pretrained", fail)
    again = weigh(bert, *reversed(asked))
    assert all(np.array_equal(one, two) for one, two in zip(first, reversed(again), strict=True))
    for other in (
        {"context": ModelContext(segment_length=50)}, {"context": ModelContext(attend_hidden=True)}, {"dtype": "bf16"},
        {"cache": False},
    ):  # fmt: skip
        with pytest.raises(ResourceError, match="the model was loaded"):
            weigh(bert, asked[0], **other)
    with pytest.raises(ResourceError, match="the model was loaded"):
        weigh(bert, question(SHORT, words(SHORT), 5))


def test_other_weights_are_another_model(torch: Any, bert: Path, tmp_path: Path, slow_ics: Slow) -> None:
    from transformers import BertForMaskedLM

    (first,) = weigh(bert, question(SHORT, words(SHORT)))
    other = shutil.copytree(bert, tmp_path / "other")
    model = BertForMaskedLM.from_pretrained(other)
    with torch.no_grad():
        model.cls.predictions.bias += torch.arange(30522) / 30522
    model.save_pretrained(other)
    (second,) = weigh(other, question(SHORT, words(SHORT)))
    assert not np.allclose(first, second)
    assert second == pytest.approx(slow_ics(other, SHORT, words(SHORT)), rel=1e-4)


def test_what_was_answered_before_a_stop_is_kept(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of 300,000 characters and more are a block each."""
    text = SHORT.ljust(300_000)
    resources = Resources(ModelSettings(device="cpu"))
    model: Any = resources.information(str(bert))
    answer = model.predictor.weigh
    calls: list[int] = []

    def stop(*given: Any) -> Any:
        calls.append(len(given[0]))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return answer(*given)

    monkeypatch.setattr(model.predictor, "weigh", stop)
    asked = [question(f"{text} {n}", words(SHORT)) for n in range(4)]
    with pytest.raises(KeyboardInterrupt):
        model.weigh(asked, ModelContext())
    model.weigh(asked, ModelContext())
    assert calls == [1, 1, 1, 1, 1]  # two were answered, the third was stopped, then the third and the fourth


def test_progress_is_told_in_documents(bert: Path) -> None:
    seen: list[tuple[str, int, int]] = []
    resources = Resources(ModelSettings(device="cpu"), watch=lambda *told: seen.append(told))
    resources.information(str(bert)).weigh([question(f"{LONG} {n}", words(LONG)) for n in range(5)], ModelContext())
    assert {(what, total) for what, _, total in seen} == {("information content", 5)}
    done = [count for _, count, _ in seen]
    assert done == sorted(done)
    assert done[-1] == 5


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", ["cuda", "cpu", "python"])
def test_a_batch_that_does_not_fit_is_halved(
    error: str, torch: Any, bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = {
        "cuda": torch.OutOfMemoryError("CUDA out of memory"),
        "cpu": RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes"),
        "python": MemoryError(),
    }
    asked = [question(f"{SHORT} {n}", words(SHORT), 6) for n in range(8)]
    plain = weigh(bert, *asked, cache=False)
    resources = Resources(ModelSettings(device="cpu", cache=False))
    model: Any = resources.information(str(bert))
    run = model.predictor._run
    sizes: list[int] = []

    def little_memory(passes: Any, context: Any, rows: int, shape: Any) -> Any:
        if rows > 7:
            raise errors[error]
        sizes.append(len(passes))
        return run(passes, context, rows, shape)

    monkeypatch.setattr(model.predictor, "_run", little_memory)
    found = model.weigh(asked, ModelContext())
    assert sum(sizes) == 48  # eight texts in six turns, each once
    assert max(sizes) <= 7
    assert len(sizes) < 20  # halved, not taken one by one
    for one, two in zip(found, plain, strict=True):
        assert one == pytest.approx(two, rel=1e-5)


def test_a_single_text_that_does_not_fit(torch: Any, bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    resources = Resources(ModelSettings(device="cpu"))
    model: Any = resources.information(str(bert))

    def no_memory(*_: Any) -> None:
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(model.predictor, "_run", no_memory)
    with pytest.raises(ResourceError, match="not even one text at a time fits in memory; choose another"):
        model.weigh([question(SHORT, words(SHORT))], ModelContext())


@pytest.mark.parametrize("error", [RuntimeError, IndexError, TypeError, ValueError])
def test_other_failures_are_the_metrics_own(
    error: type[Exception], bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever a model stumbles over, the metrics that do not ask it go on."""
    resources = Resources(ModelSettings(device="cpu"))
    model: Any = resources.information(str(bert))

    def broken(*_: Any) -> None:
        raise error("something else\nand where")

    monkeypatch.setattr(model.predictor, "_run", broken)
    with pytest.raises(ResourceError, match=r"^information content: the model failed: something else$") as caught:
        model.weigh([question(SHORT, words(SHORT))], ModelContext())
    assert isinstance(caught.value.__cause__, error)


def test_numbers_that_are_none(torch: Any, bert: Path, tmp_path: Path) -> None:
    """NaN is no information content, nor is it kept: it would pass for a document without a value."""
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(bert, tmp_path / "spoiled")
    weights = load_file(folder / "model.safetensors")
    weights["bert.embeddings.position_embeddings.weight"][3] = float("nan")
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    refused(folder, "information content: the model answers with NaN; its weights may be damaged")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_numbers_too_large_for_fp16(torch: Any, bert: Path, tmp_path: Path) -> None:
    from safetensors.torch import load_file, save_file

    folder = shutil.copytree(bert, tmp_path / "large")
    weights = load_file(folder / "model.safetensors")
    name = next(one for one in weights if one.endswith("intermediate.dense.bias"))
    weights[name] += 1e5
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    asked = question(SHORT, words(SHORT))
    with pytest.raises(ResourceError, match=r"answers with NaN; .* too large for fp16: choose --dtype bf16 or fp32$"):
        weigh(folder, asked, dtype="fp16")
    assert np.isfinite(weigh(folder, asked, dtype="bf16")[0]).all()


# --- models that cannot do it -----------------------------------------------------------------------------------------


WAYS_OUT = (r'name a folder that holds it, ic="/path/to/it"', r'choose ic="wordfreq", which needs no model')


def refused(name: object, *says: str, context: ModelContext | None = None) -> None:
    with pytest.raises(ResourceError) as caught:
        Resources(ModelSettings(device="cpu")).information(str(name)).weigh(
            [question(SHORT, [(0, 2)])], context or ModelContext()
        )
    assert len(str(caught.value).splitlines()) == 1
    for fragment in says:
        assert fragment in str(caught.value)


def test_an_unknown_name(torch: Any) -> None:
    refused("hf:nobody/nothing", "'nobody/nothing' is not on this machine and the hub cannot be reached", *WAYS_OUT)
    refused("hf:a..b/c--d", "is no name of a model", *WAYS_OUT)
    refused("/none/such", "there is no folder '/none/such'", *WAYS_OUT)


def test_without_a_prediction_head(mini_lm: Path) -> None:
    refused(mini_lm, "has no prediction head: cls.predictions.bias", *WAYS_OUT)


@pytest.mark.parametrize(
    ("token", "says", "context"),
    [
        ("mask_token", ("has no mask token", *WAYS_OUT), ModelContext()),
        ("sep_token", ('special_tokens="segment" needs marks',), ModelContext(special_tokens="segment")),
    ],
)
def test_without_a_token_that_is_needed(
    token: str, says: tuple[str, ...], context: ModelContext, torch: Any, bert: Path, tmp_path: Path
) -> None:
    from transformers import AutoTokenizer

    folder = shutil.copytree(bert, tmp_path / "lacking")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    setattr(tokenizer, token, None)
    tokenizer.save_pretrained(folder)
    refused(folder, *says, context=context)


def test_another_kind_of_model(torch: Any, bert: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bert, tmp_path / "other")
    (folder / "config.json").write_text('{"model_type": "gpt2"}')
    refused(folder, "cannot be loaded as a masked language model", *WAYS_OUT)
    (folder / "config.json").write_text("no JSON")
    refused(folder, "cannot be loaded as a masked language model", *WAYS_OUT)
    shutil.rmtree(folder)
    folder.mkdir()
    refused(folder, "holds no model: there is no config.json in it", *WAYS_OUT)


@pytest.mark.parametrize("damage", ["short", "misfit"])
def test_damaged_files(damage: str, torch: Any, bert: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bert, tmp_path / "damaged")
    if damage == "short":
        weights = (folder / "model.safetensors").read_bytes()
        (folder / "model.safetensors").write_bytes(weights[: len(weights) // 2])
    else:
        config = (folder / "config.json").read_text()
        (folder / "config.json").write_text(config.replace('"hidden_size": 32', '"hidden_size": 64'))
    refused(folder, "cannot be loaded as a masked language model", *WAYS_OUT)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hidden_size", "x"),
        ("hidden_size", [32]),
        ("num_attention_heads", 0),
        ("num_hidden_layers", 10**9),
        ("intermediate_size", 16_000_000),
        ("hidden_size", 10**30),
        ("vocab_size", -1),
        ("hidden_act", {}),
        ("model_type", 7),
        ("max_position_embeddings", None),
    ],
)
def test_a_configuration_of_odd_types(key: str, value: object, torch: Any, bert: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bert, tmp_path / "odd")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, key: value}))
    refused(folder, *WAYS_OUT)


def test_what_a_library_prints_of_a_file_is_not_seen(
    torch: Any, bert: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its tokenizer's keys come from whoever made the model, and would reach the terminal as they are."""
    folder = shutil.copytree(bert, tmp_path / "loud")
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    tokenizer["added_tokens"][0]["\x1b[31mred"] = 3
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    capfd.readouterr()
    Resources(ModelSettings(device="cpu")).information(str(folder)).weigh([question(SHORT, [(0, 2)])], ModelContext())
    assert capfd.readouterr() == ("", "")


def test_a_size_that_no_weights_have_is_not_built(torch: Any, bert: Path, tmp_path: Path) -> None:
    """16 million rows of 32 numbers would take 2 GB, twice."""
    folder = shutil.copytree(bert, tmp_path / "vast")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "intermediate_size": 16_000_000}))
    refused(folder, "config.json says intermediate_size=16000000, for which its weights are too small", *WAYS_OUT)


def test_without_a_tokenizer(torch: Any, bert: Path, tmp_path: Path) -> None:
    """The library would make one up that knows no word, and every number would be wrong."""
    folder = shutil.copytree(bert, tmp_path / "mute")
    for path in (*folder.glob("tokenizer*"), *folder.glob("vocab*")):
        path.unlink()
    refused(folder, "there is no tokenizer in it", *WAYS_OUT)


def test_weights_that_could_carry_code_are_not_read(torch: Any, bert: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(bert, tmp_path / "pickled")
    (folder / "model.safetensors").unlink()
    torch.save({}, folder / "pytorch_model.bin")
    refused(folder, "there is no file of weights (*.safetensors) in it", *WAYS_OUT)


def test_a_tokenizer_of_another_model(torch: Any, bert: Path, sizes: dict[str, float], tmp_path: Path) -> None:
    from transformers import BertConfig, BertForMaskedLM

    folder = shutil.copytree(bert, tmp_path / "other")
    BertForMaskedLM(BertConfig(**sizes, vocab_size=1000)).save_pretrained(folder)
    refused(folder, "has a piece with the number 30521, and the model knows 1000 pieces", *WAYS_OUT)


def test_code_that_a_model_brings_along_is_not_run(
    torch: Any, bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor is anybody asked: whoever answers may not be a person."""
    folder = shutil.copytree(bert, tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModelForMaskedLM": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\nOwn = object\n")
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    refused(folder, "cannot be loaded as a masked language model", *WAYS_OUT)
    assert not (tmp_path / "ran").exists()


def test_a_file_that_may_not_be_read(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def closed(*_: Any) -> bytes:
        raise PermissionError(13, "Permission denied", "vocab.txt")

    monkeypatch.setattr("showthrough.models.files._block_digest", closed)
    refused(bert, "cannot be read: Permission denied (vocab.txt)", *WAYS_OUT)


def test_places_that_begin_behind_the_padding(torch: Any, bert: Path, sizes: dict[str, float], tmp_path: Path) -> None:
    from transformers import AutoTokenizer, RobertaConfig, RobertaForMaskedLM

    config = RobertaConfig(**sizes, vocab_size=30522, pad_token_id=1, max_position_embeddings=66)
    RobertaForMaskedLM(config).save_pretrained(tmp_path / "roberta")
    AutoTokenizer.from_pretrained(bert).save_pretrained(tmp_path / "roberta")
    assert len(weigh(tmp_path / "roberta", question(LONG, words(LONG)), context=ModelContext(segment_length=64))[0])
    refused(tmp_path / "roberta", "is more than the model takes: 64", context=ModelContext(segment_length=65))


def test_segments_longer_than_the_model_takes(bert: Path) -> None:
    refused(bert, "segment_length=513 is more than the model takes: 512", context=ModelContext(segment_length=513))
    says = 'segment_length=511 with special_tokens="segment" is more than the model takes: 510'
    refused(bert, says, context=ModelContext(segment_length=511, special_tokens="segment"))


def test_an_absent_device(torch: Any, bert: Path) -> None:
    if torch.cuda.is_available():
        pytest.skip("this machine has what the test wants absent")
    with pytest.raises(ResourceError, match="the device 'cuda' is not there"):
        weigh(bert, question(SHORT, words(SHORT)), device="cuda")


def test_without_the_packages(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "transformers", None)
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    refused(bert, "packages that are not installed", "pip install 'showthrough[models]'", *WAYS_OUT)
    refused("hf:google-bert/bert-base-uncased", "pip install 'showthrough[models]'", *WAYS_OUT)
