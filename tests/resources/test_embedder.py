"""Texts as vectors, and the likeness of two texts."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough import Anonymization, Corpus, Document, Mask, evaluate
from showthrough.core.errors import ResourceError
from showthrough.models import Resources
from showthrough.models.embedder import _WORD, KnownWords, LatentSemantics, words_of
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

TEXTS = ["The court dismissed the appeal.", "A cat sat on the mat.", "x", "The judge rejected the appeal.", "x"]
LONG = " ".join(f"In {year} the applicant lodged complaint number {year % 97}." for year in range(1900, 1999))


def embedder(folder: Path, **settings: Any) -> Any:
    return Resources(ModelSettings(**{"device": "cpu", **settings})).embedder(str(folder))


def test_as_the_library_itself(mini_lm: Path) -> None:
    """Every text alone through the library's own call gives the same vector, in any order and batch."""
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(mini_lm), device="cpu")
    expected = np.array([model.encode(text) for text in [*TEXTS, LONG]])
    found = embedder(mini_lm).fitted([], "truncate")([*TEXTS, LONG])
    assert found == pytest.approx(expected, abs=1e-5)
    assert found.dtype == np.float32


def test_a_long_text_in_windows(mini_lm: Path) -> None:
    """`mean` averages windows that fit; a text that fits is its own window; what is cut off counts after all."""
    source = embedder(mini_lm)
    windows = source._windows(LONG)
    assert "".join(windows) == LONG
    assert len(windows) > 3
    pieces = [len(source.model.tokenizer(window)["input_ids"]) for window in windows]
    assert max(pieces) <= 256
    embed = source.fitted([], "mean")
    assert embed([LONG])[0] == pytest.approx(source.embed(windows).mean(axis=0), abs=1e-5)
    assert embed(TEXTS[:1]) == pytest.approx(source.fitted([], "truncate")(TEXTS[:1]), abs=1e-6)
    for text in ("abcdefghijkl " * 90 + "x", "a" * 3000, "  \n "):
        windows = source._windows(text)
        sizes = [len(source.model.tokenizer(window, truncation=False)["input_ids"]) for window in windows]
        assert max(sizes) <= 256 or " " not in text.strip()
        assert "".join(windows).split() == text.split()
    changed = LONG[:-60] + "Something else altogether happened at the very end of it."
    cut = source.fitted([], "truncate")
    assert np.array_equal(cut([LONG]), cut([changed]))
    assert not np.allclose(embed([LONG]), embed([changed]), atol=1e-4)


def test_a_text_is_embedded_once(mini_lm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = embedder(mini_lm)
    seen: list[str] = []
    encode = source.model.encode

    def count(texts: list[str], **options: Any) -> Any:
        seen.extend(dict.fromkeys(texts))  # a table is filled up with copies
        return encode(texts, **options)

    monkeypatch.setattr(source.model, "encode", count)
    first = source.fitted([], "truncate")(TEXTS)
    assert sorted(seen) == sorted(set(TEXTS))
    assert np.array_equal(source.fitted([], "truncate")(TEXTS[::-1])[::-1], first)
    assert len(seen) == len(set(TEXTS))
    again = embedder(mini_lm)  # another run, the same cache: the model is not even loaded
    assert np.array_equal(again.fitted([], "truncate")(TEXTS), first)
    assert "model" not in vars(again)


def test_TPS_embeds_each_distinct_text_once(mini_lm: Path, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: N802
    seen: list[str] = []
    encode = "sentence_transformers.SentenceTransformer.encode"
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer.encode

    def count(self: Any, texts: list[str], **options: Any) -> Any:
        seen.extend(dict.fromkeys(texts))  # a table is filled up with copies
        return plain(self, texts, **options)

    monkeypatch.setattr(encode, count)
    corpus = Corpus([Document("a", "Doe of Oslo"), Document("b", "Oslo and Doe")])
    one = {"a": [Mask(0, 3, "a man"), Mask(7, 11, "a city")], "b": [Mask(0, 4, "a city"), Mask(9, 12, None)]}
    two = {"a": [Mask(0, 3, "a man")], "b": [Mask(9, 12, "someone")]}
    metric = f'tps(ic="uniform", similarity="{mini_lm}")'
    run = evaluate(corpus, {"one": Anonymization(one), "two": Anonymization(two)}, metrics=[metric], device="cpu")
    assert sorted(seen) == ["Doe", "Oslo", "a city", "a man", "someone"]
    model = SentenceTransformer(str(mini_lm), device="cpu")
    doe, oslo, city, man = (model.encode(text) for text in ("Doe", "Oslo", "a city", "a man"))
    # Three terms each: of a two are replaced and one is left; of b one is replaced, one left, one suppressed.
    expected = [(float(doe @ man) + 1 + float(oslo @ city)) / 3, (float(oslo @ city) + 1) / 3]
    assert run.rows[metric]["one"]["preserved"] == pytest.approx(expected, abs=1e-6)
    assert run.provenance["models"] == {str(mini_lm): Resources().embedder(str(mini_lm)).revision}  # type: ignore[attr-defined]
    count_before = len(seen)
    again = evaluate(corpus, {"one": Anonymization(one)}, metrics=[metric], device="cpu")
    assert again["one", metric].value == run["one", metric].value
    assert len(seen) == count_before


def test_a_batch_that_does_not_fit_is_halved(torch: Any, mini_lm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = embedder(mini_lm)
    encode = source.model.encode
    sizes: list[int] = []

    def little_memory(texts: list[str], **options: Any) -> Any:
        if len(texts) > 2:
            raise torch.OutOfMemoryError("CUDA out of memory")
        sizes.append(len(texts))
        return encode(texts, **options)

    monkeypatch.setattr(source.model, "encode", little_memory)
    texts = [f"text number {n}" for n in range(8)]
    assert source.embed(texts).shape == (8, 384)
    assert sizes == [2, 2, 2, 2]


def test_what_is_in_the_cache_moves_no_digit(mini_lm: Path) -> None:
    """A text's vector is the same to the last bit whatever is embedded beside it, and whatever is known already."""
    texts = [*TEXTS, "Oslo", "a", LONG, LONG[:200], LONG[50:330], "a nurse from Bergen", "", "x" * 400]
    together = embedder(mini_lm).embed(texts)
    source = embedder(mini_lm)
    for text, vector in zip(texts, together, strict=True):
        assert source.embed([text])[0].tolist() == vector.tolist()
    some = embedder(mini_lm).fitted([], "mean")(texts[1:4])
    mean = embedder(mini_lm).fitted([], "mean")(texts[::-1])[::-1]
    assert mean[1:4].tolist() == some.tolist()
    assert mean.tolist() == embedder(mini_lm, cache=False).fitted([], "mean")(texts).tolist()


def test_numbers_that_are_none(mini_lm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = embedder(mini_lm)
    monkeypatch.setattr(source.model, "encode", lambda texts, **_: np.full((len(texts), 2), np.nan))
    with pytest.raises(ResourceError, match=r"^embedding: the model answers with NaN"):
        source.embed(TEXTS)


def test_vectors_too_long_for_fp16(mini_lm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Divided by a length that is no number of fp16, a vector is 0, which is none of the model's."""
    for dtype, refused in (("fp16", True), ("bf16", False)):
        source = embedder(mini_lm, dtype=dtype, cache=False)
        monkeypatch.setattr(source.model, "encode", lambda texts, **_: np.zeros((len(texts), 2)))
        with pytest.raises(ResourceError, match="too long for fp16") if refused else nullcontext():
            source.embed(TEXTS)


def test_fp16_is_near(mini_lm: Path) -> None:
    exact, fine = (embedder(mini_lm, dtype=dtype).embed(TEXTS) for dtype in ("fp32", "fp16"))
    assert np.abs(exact - fine).max() < 1e-3
    assert not np.array_equal(exact, fine)


def test_models_that_may_hide_what_is_too_large_for_fp16(mini_lm: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(mini_lm, tmp_path / "other")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "model_type": "mbart"}))
    with pytest.raises(ResourceError, match=r"is of the kind mbart, which may hide .*, or --dtype bf16 or fp32$"):
        embedder(folder, dtype="fp16")
    embedder(folder, dtype="bf16")  # which is not loaded yet


def test_parts_that_are_not_the_librarys_own(torch: Any, mini_lm: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(mini_lm, tmp_path / "own")
    modules = (folder / "modules.json").read_text()
    (folder / "modules.json").write_text(modules.replace("sentence_transformers.models.Normalize", "own.Normalize"))
    with pytest.raises(ResourceError, match=r"asks for code of its own \(own.Normalize\)"):
        embedder(folder).embed(TEXTS)


def never_unpickled(torch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: Any, **__: Any) -> None:
        raise AssertionError("torch.load was called")

    monkeypatch.setattr(torch, "load", load)


def test_a_list_of_weights_that_could_carry_code(
    torch: Any, mini_lm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(mini_lm, tmp_path / "sharded")
    torch.save({}, folder / "shard.bin")
    (folder / "model.safetensors").rename(folder / "other.safetensors")
    content = {"metadata": {"total_size": float("nan")}, "weight_map": {"x": "other.safetensors", "y": "shard.bin"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(content))
    never_unpickled(torch, monkeypatch)
    with pytest.raises(ResourceError, match=r"can carry code \(shard.bin, named by model.safetensors.index.json\)"):
        embedder(folder).embed(TEXTS)
    with pytest.raises(ResourceError, match=r"shard.bin, named by"):
        Resources(ModelSettings(device="cpu")).information(str(folder))


def test_a_configuration_that_names_weights(
    torch: Any, mini_lm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(mini_lm, tmp_path / "named")
    torch.save({}, folder / "adapter_model.bin")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "transformers_weights": "adapter_model.bin"}))
    never_unpickled(torch, monkeypatch)
    with pytest.raises(ResourceError, match=r"can carry code \(adapter_model.bin, named by config.json\)"):
        embedder(folder).embed(TEXTS)


@pytest.mark.parametrize("inside", ["", "query"])
def test_a_part_whose_weights_could_carry_code(
    inside: str, torch: Any, mini_lm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = shutil.copytree(mini_lm, tmp_path / "dense")
    modules = json.loads((folder / "modules.json").read_text())
    modules.append({"idx": 9, "name": "9", "path": "9_Dense", "type": "sentence_transformers.models.Dense"})
    (folder / "modules.json").write_text(json.dumps(modules))
    home = folder / "9_Dense" / inside
    home.mkdir(parents=True)
    torch.save({"linear.weight": torch.eye(384), "linear.bias": torch.zeros(384)}, home / "pytorch_model.bin")
    settings = {"in_features": 384, "out_features": 384, "activation_function": "torch.nn.modules.linear.Identity"}
    (home / "config.json").write_text(json.dumps(settings))
    never_unpickled(torch, monkeypatch)
    with pytest.raises(ResourceError, match=r"can carry code \(9_Dense: pytorch_model.bin\)"):
        embedder(folder).embed(TEXTS)
    from safetensors.torch import save_file

    save_file({"linear.weight": torch.eye(384), "linear.bias": torch.zeros(384)}, home / "model.safetensors")
    source = embedder(folder)  # beside a safe file the other is not read
    assert inside or source.embed(["x"]).shape == (1, 384)


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/", "outside of its folder"),
        ("../other", "outside of its folder"),
        ("a\0b", "outside of its folder"),
        ("x" * 300, "which is no folder"),  # longer than names of files may be
    ],
)
def test_a_part_outside_of_its_folder(path: str, why: str, torch: Any, mini_lm: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(mini_lm, tmp_path / "outside")
    modules = json.loads((folder / "modules.json").read_text())
    modules[-1]["path"] = path
    (folder / "modules.json").write_text(json.dumps(modules))
    with pytest.raises(ResourceError, match=why):
        embedder(folder)


def test_a_list_of_parts_that_only_the_library_reads(torch: Any, mini_lm: Path, tmp_path: Path) -> None:
    """NaN is no JSON, but Python takes it."""
    folder = shutil.copytree(mini_lm, tmp_path / "nan")
    modules = (folder / "modules.json").read_text().replace("sentence_transformers.models.Normalize", "own.Normalize")
    (folder / "modules.json").write_text(modules.replace('"idx": 0', '"idx": NaN'))
    with pytest.raises(ResourceError, match=r"asks for code of its own \(own.Normalize\)"):
        embedder(folder).embed(TEXTS)


def test_a_stop_keeps_the_similarities_that_are_done(mini_lm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.models._similarity._BLOCK", 2)
    groups = [[(f"text {number}", "something")] for number in range(6)]
    resources = Resources(ModelSettings(device="cpu"))
    source: Any = resources.similarity(str(mini_lm))
    embed = source.embedder.embed

    def stopping(texts: list[str], *given: Any) -> Any:
        if "text 4" in texts:
            raise KeyboardInterrupt
        return embed(texts, *given)

    monkeypatch.setattr(source.embedder, "embed", stopping)
    with pytest.raises(KeyboardInterrupt):
        source.cosines(groups)
    assert sum(1 for _ in resources.cache.entries()) == 4


def test_NMI_with_the_real_model(mini_lm: Path) -> None:  # noqa: N802
    topics = ("The court dismissed the appeal of {}.", "{} fed the cat and the dog.", "{} climbed the snowy mountain.")
    names = ["Ann Lee", "Ole Berg", "Jan Kowalski", "Eva Novak", "Ada Rossi"]
    corpus = Corpus([Document(f"{n}{t}", topics[t].format(name)) for t in range(3) for n, name in enumerate(names)])
    starts = {d.id: next((d.text.find(name), name) for name in names if name in d.text) for d in corpus}
    masks = {key: [Mask(start, start + len(name), "PERSON")] for key, (start, name) in starts.items()}
    metric = f'nmi(embedding="{mini_lm}", n_tries=5)'
    runs = [
        evaluate(corpus, {"m": Anonymization(masks)}, metrics=[metric], device="cpu", cache=c) for c in (True, False)
    ]
    assert runs[0]["m", metric] == runs[1]["m", metric]  # two runs, identical numbers
    assert runs[0]["m", metric].value == pytest.approx(1, abs=0.3)  # the topics do not depend on names


def test_refusals(torch: Any, mini_lm: Path, tmp_path: Path) -> None:
    ways_out = 'choose embedding="lsa", which needs no model'
    with pytest.raises(ResourceError, match="'sentence-transformers/none' is not on this machine") as caught:
        Resources().embedder("st:none")
    assert ways_out in str(caught.value)
    with pytest.raises(ResourceError, match="'sentence-transformers/none' is not on this machine") as caught:
        Resources().similarity("st:none")
    assert 'choose similarity="ngrams", which needs no model' in str(caught.value)
    broken = shutil.copytree(mini_lm, tmp_path / "broken")
    (broken / "config.json").write_text("no JSON")
    with pytest.raises(ResourceError, match="cannot be loaded as an embedding model") as caught:
        embedder(broken).embed(["x"])
    assert ways_out in str(caught.value)


# --- latent semantic analysis -----------------------------------------------------------------------------------------


def test_LSA_puts_like_with_like() -> None:  # noqa: N802
    embed = LatentSemantics().fitted(TEXTS)
    court, cat, x, judge, again = embed(TEXTS)
    assert np.linalg.norm(embed(TEXTS), axis=1) == pytest.approx(np.ones(5))
    assert court @ judge > court @ cat
    assert x == pytest.approx(again)
    assert embed(["unknown words alone"])[0] == pytest.approx(np.zeros(len(court)))


def test_words_weigh_as_in_scikit_learn() -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = [*TEXTS, LONG, "", "… —", "ÉTÉ été Straße STRASSE İstanbul x_1 naïve", "the THE the"]
    vectorizer = TfidfVectorizer(sublinear_tf=True, token_pattern=_WORD.pattern).fit(texts)
    known = KnownWords(list(map(words_of, texts)))
    assert known.column == vectorizer.vocabulary_
    for asked in (texts, ["unknown words", "the cat and the unknown mat"]):
        expected = vectorizer.transform(asked).toarray()
        assert known.weights(asked).dense() == pytest.approx(expected, rel=1e-14, abs=0)


@pytest.mark.parametrize("copies", [2, 6])
def test_LSA_of_texts_that_repeat(copies: int) -> None:  # noqa: N802
    """30 texts span 30 directions, however often they stand there; masked ones are seen in these alone."""
    random = np.random.default_rng(1)
    once = [" ".join(f"w{n}" for n in random.integers(400, size=60)) for _ in range(30)]
    masked = [" ".join(text.split()[::2]) for text in once]
    found = [LatentSemantics().fitted(once * copies)(masked) for _ in range(4)]
    assert found[0].shape == (30, 30)
    assert all(np.array_equal(one, found[0]) for one in found)


@pytest.mark.parametrize("documents", [5, 150])
def test_LSA_gives_the_same_every_time(documents: int) -> None:  # noqa: N802
    random = np.random.default_rng(0)
    texts = [" ".join(f"w{n}" for n in random.zipf(1.3, size=80) % 2000) for _ in range(documents)]
    one, two = (LatentSemantics().fitted(texts)(texts) for _ in range(2))
    assert np.array_equal(one, two)
    assert one.shape == (documents, min(documents, 100))
    # What stays of the cosines between texts is most of it: LSA drops the smallest directions only.
    from sklearn.feature_extraction.text import TfidfVectorizer

    full = TfidfVectorizer(sublinear_tf=True).fit_transform(texts)
    assert np.abs(one @ one.T - (full @ full.T).toarray()).mean() < 0.1
