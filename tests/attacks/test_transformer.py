"""The transformer attack from end to end, on models so small that they train in seconds."""

from __future__ import annotations

import csv
import json
import random
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough.core.errors import InputError, PlanError, ResourceError
from showthrough.families.reidentification.attacks.base import WatchedDocuments
from showthrough.families.reidentification.attacks.transformer import FittedTransformer, Transformer
from showthrough.families.reidentification.attacks.tri import fitting
from showthrough.families.reidentification.attacks.tri.base_model import BaseModel
from showthrough.families.reidentification.attacks.tri.store import FitStore
from showthrough.families.reidentification.attacks.tri.windows import Cutter, Window
from showthrough.models import Resources, training
from showthrough.models.settings import ModelSettings

pytestmark = pytest.mark.slow

WORDS = [f"{first}{last}" for first in "bcdfg" for last in ("a", "e", "i", "o", "u", "an", "en", "in", "on", "un")]
PEOPLE = ("ann", "bob", "cem", "dee")
EPOCHS = 6
KINDS = ("distilbert", "bert", "roberta")


def spoken(topic: int, lines: int, seed: str) -> str:
    """Sentences of which every second word is one that only one person uses."""
    draw = random.Random(seed)
    own = WORDS[topic * 10 : topic * 10 + 10]
    return "\n".join(
        " ".join(draw.choice(own if place % 2 else WORDS[40:]) for place in range(10)) + "." for _ in range(lines)
    )


BACKGROUND = {name: spoken(topic, 40, f"background {name}") for topic, name in enumerate(PEOPLE)}
DOCUMENTS = {name: spoken(topic, 3, f"document {name}") for topic, name in enumerate(PEOPLE)}
WATCHED = {"plain": WatchedDocuments(tuple(DOCUMENTS), tuple(DOCUMENTS.values()))}


@pytest.fixture(scope="module")
def torch() -> Any:
    reason = "{} is not installed: pip install 'showthrough[models]'"
    found: Any = pytest.importorskip("torch", reason=reason.format("torch"))
    pytest.importorskip("transformers", reason=reason.format("transformers"))
    return found


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """For models of this size threads only cost time; and another number of them would change last digits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        if find_spec("torch"):
            import torch

            torch.set_num_threads(1)
        yield


@pytest.fixture(scope="module")
def models(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Folders of tiny random models, by kind."""
    folder = tmp_path_factory.mktemp("models")

    def made(kind: str) -> str:
        if not (folder / kind).exists():
            save_tiny_model(torch, kind, folder / kind)
        return str(folder / kind)

    return made


def save_tiny_model(torch: Any, kind: str, folder: Path) -> None:
    import tokenizers
    import transformers

    marks = ["<pad>", "<unk>", "<cls>", "<sep>", "<mask>"]
    vocabulary = {piece: number for number, piece in enumerate([*marks, ".", *WORDS])}
    words = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token=marks[1]))
    words.normalizer = tokenizers.normalizers.BertNormalizer(lowercase=False)
    words.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    roles = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], marks, strict=True))
    transformers.PreTrainedTokenizerFast(tokenizer_object=words, **roles).save_pretrained(folder)
    size = {"vocab_size": len(vocabulary), "pad_token_id": 0, "initializer_range": 0.2}
    torch.manual_seed(0)
    if kind == "distilbert":
        shape = {"dim": 32, "hidden_dim": 32, "n_layers": 1, "n_heads": 2, "max_position_embeddings": 48}
        config = transformers.DistilBertConfig(**size, **shape, seq_classif_dropout=0.0)
        transformers.DistilBertForMaskedLM(config).save_pretrained(folder)
        return
    shape = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    if kind == "bert":
        config = transformers.BertConfig(**size, **shape, max_position_embeddings=48)
        transformers.BertForMaskedLM(config).save_pretrained(folder)
    else:  # it counts positions from behind the padding's
        config = transformers.RobertaConfig(**size, **shape, max_position_embeddings=49)
        transformers.RobertaForMaskedLM(config).save_pretrained(folder)


def small(base_model_name: str, output_folder_path: str = "") -> Transformer:
    """Settings by which a tiny model learns who is who in a second or two."""
    return Transformer(
        output_folder_path=output_folder_path,
        base_model_name=base_model_name,
        anonymize_background_knowledge=False,
        use_document_curation=False,
        pretraining_epochs=2,
        pretraining_sliding_window="48-12",
        pretraining_learning_rate=1e-3,
        finetuning_epochs=EPOCHS,
        finetuning_batch_size=4,
        finetuning_sliding_window="24-6",
        finetuning_learning_rate=5e-3,
    )


@pytest.fixture
def settings(models: Callable[[str], str], tmp_path: Path) -> Transformer:
    return small(models("distilbert"), str(tmp_path / "out"))


def fit(
    settings: Transformer, background: Mapping[str, str] = BACKGROUND, *, every: float = 1e9, **others: Any
) -> FittedTransformer:
    watch = others.pop("watch", None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Transformer, "every", every)
        return settings.fit(background, Resources(ModelSettings(device="cpu"), watch), **others)


def scores(fitted: FittedTransformer, documents: Mapping[str, str] = DOCUMENTS) -> np.ndarray:
    return fitted.scores(list(documents.values()))


@pytest.fixture(scope="module")
def plain(models: Callable[[str], str]) -> FittedTransformer:
    """A trained attack that tests only ask for scores."""
    return fit(small(models("distilbert")))


@pytest.fixture
def stages(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The stages that were trained."""
    seen: list[str] = []

    def noted(learner: Any, course: Any, *rest: Any) -> None:
        seen.append(course.name)
        training.train(learner, course, *rest)

    monkeypatch.setattr(fitting, "train", noted)
    return seen


# The attack.


@pytest.mark.parametrize("kind", KINDS)
def test_people_are_found(kind: str, settings: Transformer, models: Callable[[str], str]) -> None:
    fitted = fit(replace(settings, base_model_name=models(kind)), watched=WATCHED)
    assert fitted.individuals == PEOPLE
    found = scores(fitted)
    assert found.shape == (4, 4)
    assert found.argmax(axis=1).tolist() == [0, 1, 2, 3]
    assert fitted.accuracy(WATCHED["plain"]) == 1.0


def test_with_all_of_the_pretreatment(settings: Transformer, tmp_path: Path) -> None:
    spacy = pytest.importorskip("spacy", reason="spaCy is not installed: pip install 'showthrough[spacy]'")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PERSON", "pattern": "ba"}])
    pipeline.to_disk(tmp_path / "pipeline")
    whole = replace(
        settings,
        anonymize_background_knowledge=True,
        use_document_curation=True,
        spacy_pipeline=str(tmp_path / "pipeline"),
        finetuning_sliding_window="No",
    )
    fitted = fit(whole)
    assert fitted.accuracy(WATCHED["plain"]) == 1.0
    kept = json.loads((tmp_path / "out/Pretreated_Data.json").read_text())
    original, anonymized = kept["background"]["ann"]
    assert "ba" in " ".join(original).split()
    assert "PERSON" in " ".join(anonymized)


def test_logits_are_summed_over_windows(plain: FittedTransformer, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = DOCUMENTS["ann"].splitlines()[:2]
    monkeypatch.setattr(plain.cutter, "window", Window(13))  # room for 11 pieces: just one of the sentences
    apart = plain.scores([first, second])
    assert plain.scores([f"{first}\n{second}"])[0] == pytest.approx(apart.sum(axis=0), abs=1e-4)


def test_the_order_of_anything_does_not_matter(plain: FittedTransformer, settings: Transformer) -> None:
    names = ["cem", "ann", "dee", "bob"]
    other = fit(settings, {name: BACKGROUND[name] for name in names})
    shuffled = other.scores([DOCUMENTS[name] for name in names])
    columns = [other.individuals.index(name) for name in plain.individuals]
    rows = [names.index(name) for name in DOCUMENTS]
    assert np.array_equal(shuffled[np.ix_(rows, columns)], scores(plain))


def test_a_document_scores_the_same_in_any_company(plain: FittedTransformer) -> None:
    alone = np.vstack([plain.scores([text]) for text in DOCUMENTS.values()])
    assert alone == pytest.approx(scores(plain), abs=1e-4)


def test_the_same_seed_gives_the_same_scores(plain: FittedTransformer, settings: Transformer) -> None:
    assert np.array_equal(scores(plain), scores(fit(settings)))
    assert not np.array_equal(scores(plain), scores(fit(replace(settings, seed=1))))


def test_random_numbers_elsewhere_go_on_undisturbed(torch: Any, settings: Transformer) -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    fit(replace(settings, finetuning_epochs=1))
    assert torch.equal(torch.rand(3), expected)


def test_without_a_folder_nothing_is_written(
    settings: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    fit(replace(settings, output_folder_path="", finetuning_epochs=1), every=0, watched=WATCHED)
    assert list((tmp_path / "here").iterdir()) == []
    assert not (tmp_path / "out").exists()


# Empty texts, strangers, few people.


def test_an_empty_document_fits_all_alike(plain: FittedTransformer) -> None:
    found = plain.scores(["", DOCUMENTS["bob"], " \n "])
    assert len(set(found[0])) == len(set(found[2])) == 1
    assert found[1].argmax() == 1


def test_somebody_without_background_is_nobodys_best_fit(settings: Transformer) -> None:
    fitted = fit(settings, {**BACKGROUND, "aaa": "", "eve": " \n"})
    found = fitted.scores([*DOCUMENTS.values(), ""])
    strangers = [fitted.individuals.index(name) for name in ("aaa", "eve")]
    others = [place for place in range(6) if place not in strangers]
    assert (found[:4, strangers].max(axis=1) < found[:4, others].min(axis=1)).all()
    assert np.isfinite(found).all()
    assert len(set(found[4])) == 1  # nothing was said: everybody ties, they too


def test_no_documents(plain: FittedTransformer) -> None:
    assert plain.scores([]).shape == (0, 4)


def test_one_individual(settings: Transformer) -> None:
    found = fit(settings, {"ann": BACKGROUND["ann"]}).scores([DOCUMENTS["ann"], ""])
    assert found.shape == (2, 1)
    assert np.isfinite(found).all()


def test_too_little_to_hold_any_out(settings: Transformer, caplog: pytest.LogCaptureFixture) -> None:
    short = {name: text.splitlines()[0] for name, text in BACKGROUND.items()}
    fitted = fit(settings, short)
    assert fitted.selected == settings.finetuning_epochs
    assert "the last epoch's model is kept" in caplog.text


@pytest.mark.parametrize("background", [{}, {"ann": "", "bob": " "}])
def test_no_background(settings: Transformer, background: dict[str, str]) -> None:
    with pytest.raises(InputError, match="at least one individual"):
        fit(settings, background)


def test_background_that_the_model_cannot_read(settings: Transformer) -> None:
    with pytest.raises(InputError, match="found nothing that"):
        fit(settings, {"ann": "\x00"})


@pytest.mark.slow
def test_a_tokenizer_with_numbers_that_the_model_does_not_know(settings: Transformer, tmp_path: Path) -> None:
    """As many pieces as the model knows, but one of them has a number far beyond."""
    folder = shutil.copytree(settings.base_model_name, tmp_path / "gap")
    words = json.loads((folder / "tokenizer.json").read_text())
    last = max(words["model"]["vocab"], key=words["model"]["vocab"].get)
    words["model"]["vocab"][last] = 999_999
    (folder / "tokenizer.json").write_text(json.dumps(words))
    with pytest.raises(ResourceError, match="a piece with the number 999999"):
        fit(replace(settings, base_model_name=str(folder)))


# Selection.


def test_watched_documents_change_nothing(plain: FittedTransformer, settings: Transformer) -> None:
    """Not the epoch that is kept, and not a digit of a score."""
    wrong = {"swapped": WatchedDocuments(PEOPLE[::-1], tuple(DOCUMENTS.values()))}
    other = fit(settings, watched={**WATCHED, **wrong})
    assert other.selected == plain.selected
    assert np.array_equal(scores(other), scores(plain))


def test_the_epoch_is_selected_on_held_out_background(settings: Transformer) -> None:
    fitted = fit(settings, watched=WATCHED)
    held_out = [epoch.held_out for epoch in fitted.epochs]
    assert len(held_out) == settings.finetuning_epochs
    qualities = [(found.accuracy, -found.loss) for found in held_out if found is not None]
    assert fitted.selected == 1 + qualities.index(max(qualities))


def test_the_parameters_of_the_selected_epoch_are_kept(settings: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if training had ended there: the epochs after it leave no trace."""
    nowhere = replace(settings, output_folder_path="")
    second = lambda epochs, _dev_set: epochs[:2][-1]  # noqa: E731
    monkeypatch.setattr(fitting, "select_epoch", second)
    chosen = fit(replace(nowhere, finetuning_epochs=4))
    assert (chosen.selected, len(chosen.epochs)) == (2, 4)
    ended_there = fit(replace(nowhere, finetuning_epochs=2))
    assert np.array_equal(scores(chosen), scores(ended_there))
    assert not np.array_equal(scores(chosen), scores(fit(replace(nowhere, finetuning_epochs=1))))


def test_a_dev_set_selects_when_it_is_named(settings: Transformer) -> None:
    wrong = WatchedDocuments(PEOPLE[::-1], tuple(DOCUMENTS.values()))
    attack = replace(settings, dev_set_column_name="swapped")
    fitted = fit(attack, watched={"swapped": wrong})
    found = [epoch.accuracy["swapped"] for epoch in fitted.epochs]
    assert fitted.selected == 1 + found.index(max(found))
    assert all(epoch.held_out is None for epoch in fitted.epochs)  # all of the background is learned from
    assert ("selection", "documents-of-swapped") in attack.pinned


def test_a_dev_set_that_is_not_there(settings: Transformer) -> None:
    with pytest.raises(PlanError, match=r"dev_set_column_name='dev'.*there are: plain"):
        fit(replace(settings, dev_set_column_name="dev"), watched=WATCHED)


def test_results_of_every_epoch(settings: Transformer, tmp_path: Path) -> None:
    fitted = fit(settings, watched=WATCHED)
    rows = list(csv.DictReader((tmp_path / "out/Results.csv").open()))
    assert [row["Epoch"] for row in rows] == ["1", "2", "3", "4", "5", "6"]
    assert list(rows[0])[:4] == ["Time", "Epoch", "plain", "Average"]
    assert [float(row["plain"]) for row in rows] == [epoch.accuracy["plain"] for epoch in fitted.epochs]
    assert [row["Epoch"] for row in rows if row["Selected"] == "1"] == [str(fitted.selected)]


# Reuse.


def test_a_trained_model_is_used_again(settings: Transformer, stages: list[str]) -> None:
    first = fit(settings, watched=WATCHED)
    assert stages == ["additional pretraining", "fine-tuning"]
    again = fit(settings, {name: BACKGROUND[name] for name in reversed(PEOPLE)}, watched=WATCHED)
    assert len(stages) == 2
    assert np.array_equal(scores(again), scores(first))
    assert (again.epochs, again.selected) == (first.epochs, first.selected)


def test_switches_of_saving_and_loading(settings: Transformer, stages: list[str], tmp_path: Path) -> None:
    quick = replace(settings, pretraining_epochs=1, finetuning_epochs=1)
    fit(replace(quick, save_finetuning=False, save_additional_pretraining=False, save_pretreatment=False))
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["Results.csv"]
    fit(quick)
    assert len(stages) == 4
    fit(replace(quick, load_saved_finetuning=False))
    assert stages[4:] == ["fine-tuning"]
    fit(replace(quick, load_saved_finetuning=False, load_saved_pretraining=False))
    assert stages[5:] == ["additional pretraining", "fine-tuning"]
    fit(replace(quick, use_additional_pretraining=False))
    assert stages[7:] == ["fine-tuning"]


@pytest.mark.parametrize(
    ("change", "trained", "difference"),
    [
        ({"finetuning_epochs": 2}, ["fine-tuning"], "finetuning_epochs"),
        ({"finetuning_sliding_window": "20-4"}, ["fine-tuning"], "finetuning_sliding_window"),
        ({"held_out_share": 0.2}, ["fine-tuning"], "held_out_share"),
        (
            {"pretraining_mlm_probability": 0.3},
            ["additional pretraining", "fine-tuning"],
            "pretraining_mlm_probability",
        ),
        ({"seed": 3}, ["additional pretraining", "fine-tuning"], "seed"),
    ],
)
def test_a_model_of_other_settings_is_not_used(
    settings: Transformer,
    stages: list[str],
    caplog: pytest.LogCaptureFixture,
    change: dict[str, Any],
    trained: list[str],
    difference: str,
) -> None:
    quick = replace(settings, pretraining_epochs=1, finetuning_epochs=1)
    fit(quick)
    del stages[:]
    fitted = fit(replace(quick, **change))
    assert stages == trained
    assert f"TRI_Pipeline/showthrough.json: was made from something else ({difference})" in caplog.text
    fresh = fit(replace(quick, output_folder_path="", **change))
    assert np.array_equal(scores(fitted), scores(fresh))


def test_a_model_of_another_background_is_not_used(
    settings: Transformer, stages: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    quick = replace(settings, pretraining_epochs=1, finetuning_epochs=1)
    fit(quick)
    fit(quick, {**BACKGROUND, "ann": BACKGROUND["ann"] + "\nba."})
    assert len(stages) == 4
    assert "(background)" in caplog.text


def test_a_model_on_another_base_is_not_used(
    settings: Transformer, stages: list[str], models: Callable[[str], str], caplog: pytest.LogCaptureFixture
) -> None:
    quick = replace(settings, pretraining_epochs=1, finetuning_epochs=1)
    fit(quick)
    fit(replace(quick, base_model_name=models("bert")))
    assert len(stages) == 4
    assert "(base_model)" in caplog.text


def test_new_documents_are_added_to_the_results_of_a_kept_model(settings: Transformer, tmp_path: Path) -> None:
    first = fit(settings, watched=WATCHED)
    wrong = WatchedDocuments(PEOPLE[::-1], tuple(DOCUMENTS.values()))
    fit(settings, watched={**WATCHED, "swapped": wrong})
    rows = list(csv.DictReader((tmp_path / "out/Results.csv").open()))
    assert [row["swapped"] for row in rows] == [
        "0.0" if place == first.selected else "" for place in range(1, EPOCHS + 1)
    ]
    assert all(row["plain"] for row in rows)
    fit(settings, watched={"plain": wrong})  # other documents under a name that is known
    rows = list(csv.DictReader((tmp_path / "out/Results.csv").open()))
    assert [row["plain"] for row in rows] == [
        "0.0" if place == first.selected else "" for place in range(1, EPOCHS + 1)
    ]


def test_all_that_is_kept_is_the_owners_alone_and_carries_no_code(settings: Transformer, tmp_path: Path) -> None:
    fit(settings, every=0, watched=WATCHED)
    kept = sorted((tmp_path / "out").rglob("*"))
    assert {path.suffix for path in kept if path.is_file()} == {".json", ".csv", ".safetensors"}
    assert {path.stat().st_mode & 0o777 for path in kept if path.is_file()} == {0o600}
    assert {path.stat().st_mode & 0o777 for path in [tmp_path / "out", *kept] if path.is_dir()} == {0o700}
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "Pretreated_Data.json", "Pretrained_Model", "TRI_Pipeline", "Results.csv",
    }  # fmt: skip


def test_the_kept_classifier_names_the_individuals(settings: Transformer, tmp_path: Path) -> None:
    """So that any program that reads such models can use it."""
    fitted = fit(settings)
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(tmp_path / "out/TRI_Pipeline").eval()
    tokenizer = AutoTokenizer.from_pretrained(tmp_path / "out/TRI_Pipeline")
    text = DOCUMENTS["cem"].splitlines()[0]
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    whole = tokenizer.pad({"input_ids": [[tokenizer.cls_token_id, *ids, tokenizer.sep_token_id]]}, return_tensors="pt")
    logits = model(input_ids=whole["input_ids"]).logits[0].detach().numpy()
    assert model.config.id2label[int(logits.argmax())] == "cem"
    assert fitted.scores([text])[0] == pytest.approx(logits, abs=1e-4)


# Interruption.


class Stop(KeyboardInterrupt):
    """Somebody pressed Ctrl-C."""


@pytest.mark.parametrize(
    ("stage", "epoch"), [("additional pretraining", 1), ("additional pretraining", 2), ("fine-tuning", 3)]
)
def test_training_goes_on_where_it_was_stopped(
    settings: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stage: str, epoch: int
) -> None:
    """In the middle of an epoch; and the outcome is, digit for digit, that of a training that was not stopped."""
    monkeypatch.setattr(training, "_GLANCE", 0.0)
    expected = fit(replace(settings, output_folder_path=str(tmp_path / "undisturbed")), watched=WATCHED)
    seen: list[int] = []

    def stopping(what: str, done: int, _total: int) -> None:
        if what.startswith(f"{stage}, epoch {epoch} of "):
            seen.append(done)
            if len(seen) == 3:
                raise Stop

    with pytest.raises(Stop):
        fit(settings, every=0, watched=WATCHED, watch=stopping)
    folder = {"additional pretraining": "Pretraining", "fine-tuning": "Finetuning"}[stage]
    assert (tmp_path / "out" / folder / "checkpoint.safetensors").stat().st_mode & 0o777 == 0o600
    told: list[tuple[str, int]] = []
    resumed = fit(settings, every=0, watched=WATCHED, watch=lambda what, done, _: told.append((what, done)))
    assert told[0][0].startswith(f"{stage}, epoch {epoch} of ")
    assert told[0][1] - seen[2] == seen[2] - seen[1]  # the third step was saved when it was stopped: the next is new
    assert np.array_equal(scores(resumed), scores(expected))
    assert resumed.selected == expected.selected
    assert [replace(one, time="") for one in resumed.epochs] == [replace(one, time="") for one in expected.epochs]
    assert not (tmp_path / "out" / folder).exists()


def test_a_checkpoint_of_something_else_is_not_used(
    settings: Transformer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(training, "_GLANCE", 0.0)

    def stopping(what: str, _done: int, _total: int) -> None:
        if what.startswith("fine-tuning, epoch 2"):
            raise Stop

    with pytest.raises(Stop):
        fit(settings, every=0, watch=stopping)
    fitted = fit(replace(settings, finetuning_learning_rate=4e-3))
    assert "checkpoint.safetensors: was made from something else (finetuning_learning_rate)" in caplog.text
    fresh = fit(replace(settings, finetuning_learning_rate=4e-3, output_folder_path=str(tmp_path / "fresh")))
    assert np.array_equal(scores(fitted), scores(fresh))


def test_a_damaged_checkpoint(torch: Any, tmp_path: Path) -> None:
    checkpoint = FitStore(str(tmp_path)).checkpoint("Finetuning", {"seed": 0}, load=True, save=True)
    checkpoint.write({"weight": torch.ones(2)}, {"epoch": 1})
    found = checkpoint.read()
    assert found is not None
    assert found[0]["weight"].tolist() == [1, 1]
    assert found[1] == {"epoch": 1}
    checkpoint.path.write_bytes(checkpoint.path.read_bytes()[:20])
    with pytest.raises(ResourceError, match="damaged"):
        checkpoint.read()


def test_checkpoints_are_not_asked_for_where_nothing_is_kept(torch: Any) -> None:
    checkpoint = FitStore("").checkpoint("Finetuning", {}, load=True, save=True)
    checkpoint.write({"weight": torch.ones(2)}, {})
    assert checkpoint.read() is None
    checkpoint.remove()


# Training by itself.


def test_progress_has_loss_and_time_left(settings: Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "_GLANCE", 0.0)
    told: list[tuple[str, int, int]] = []
    fit(settings, watch=lambda *message: told.append(message))
    first, last = told[0], told[-1]
    assert first[0].startswith("additional pretraining, epoch 1 of 2, loss ")
    assert first[0].endswith(" left")
    assert last[0].startswith("fine-tuning, epoch 6 of 6, loss ")
    assert last[1] == last[2]
    del told[:]
    fit(replace(settings, verbose=False, seed=4, finetuning_epochs=1), watch=lambda *message: told.append(message))
    assert told == []


def test_batches_hold_every_window_once_and_differ_by_epoch() -> None:
    course = training.Course("fine-tuning", 1, 2, 4, 1e-3, seed=7)
    first, second = course.order(0, 10), course.order(1, 10)
    assert [len(batch) for batch in first] == [4, 4, 2]
    assert sorted(chain(*first)) == sorted(chain(*second)) == list(range(10))
    assert first != second
    assert course.order(0, 10) == first
    assert len({course.step_seed(epoch, step) for epoch in range(9) for step in range(9)}) == 81


def test_pieces_that_are_asked_for() -> None:
    present = np.array([[True] * 400, [True] * 100 + [False] * 300])
    asked = fitting.choose_targets(present, 0.15, seed=3)
    assert not asked[0, 0]
    assert not asked[0, 399]
    assert not asked[1, 0]
    assert not asked[1, 99:].any()  # the end, then padding
    assert 0.1 < asked[0].mean() < 0.2
    pieces = np.full(present.shape, 7)
    shown = fitting.disguise(pieces, asked, mask=1, vocabulary=1000, seed=3)
    assert (shown[~asked] == 7).all()
    fates = shown[asked]
    assert 0.65 < (fates == 1).mean() < 0.95  # eight in ten hidden
    assert (fates == 7).any()  # some stay
    assert ((fates != 7) & (fates != 1)).any()  # some are replaced


@pytest.mark.parametrize("kind", KINDS)
def test_the_head_sees_only_what_is_asked_for(torch: Any, kind: str, models: Callable[[str], str]) -> None:
    """And the loss is that of the whole model: −ln p, averaged over the pieces that are asked for."""
    base = BaseModel(models(kind))
    cutter = Cutter(base.tokenizer, Window(24, 6), base.longest, 250, lambda passages: [[one] for one in passages])
    windows = cutter.cut([BACKGROUND["ann"].splitlines()], [0])
    guesser = fitting.Guesser(base, windows, 0.15, torch.device("cpu"))
    guesser.model.eval()
    batch = [0, 3, len(windows) - 1]  # the last one is shorter
    pieces, present = base.table(windows, batch)
    asked = fitting.choose_targets(present, 0.15, seed=9)
    hidden = fitting.disguise(pieces, asked, base.tokenizer.mask_token_id, len(base.tokenizer), seed=9)
    with torch.no_grad():
        logits = guesser.model(
            torch.from_numpy(hidden), attention_mask=torch.from_numpy(present.astype("int64"))
        ).logits
        logs = logits.log_softmax(-1).numpy()
        expected = [-logs[row, column, pieces[row, column]] for row, column in np.argwhere(asked)]
        assert float(guesser.loss(batch, seed=9)) == pytest.approx(np.mean(expected), abs=1e-5)


def test_at_least_one_piece_is_asked_for() -> None:
    present = np.array([[True, True, True, False]])
    assert fitting.choose_targets(present, 1e-9, seed=0).tolist() == [[False, True, False, False]]


def test_precision(torch: Any, plain: FittedTransformer, settings: Transformer) -> None:
    assert not training.uses_bf16(torch.device("cpu"), "auto")
    assert training.uses_bf16(torch.device("cpu"), "bf16")
    fitted = fit(replace(settings, precision="bf16"))
    assert fitted.accuracy(WATCHED["plain"]) == 1.0
    assert not np.array_equal(scores(fitted), scores(plain))
    assert fitted.classifier.model.dtype == torch.float32


# What is missing.


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_the_packages(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ResourceError, match=r"showthrough\[models\].*'lexical'"):
        Transformer().fit(BACKGROUND, Resources())


def test_without_the_model(torch: Any, tmp_path: Path) -> None:
    with pytest.raises(ResourceError, match=r"there is no folder .*base_model_name=.*'lexical'"):
        Transformer(base_model_name=str(tmp_path / "none")).fit(BACKGROUND, Resources())


def test_a_folder_without_a_model(torch: Any, tmp_path: Path, settings: Transformer) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResourceError, match=r"holds no model: there is no config\.json in it"):
        fit(replace(settings, base_model_name=str(tmp_path / "empty")))


def test_a_model_without_a_prediction_head(torch: Any, tmp_path: Path, settings: Transformer) -> None:
    from transformers import AutoModel, AutoTokenizer

    AutoModel.from_pretrained(settings.base_model_name).save_pretrained(tmp_path / "body")
    AutoTokenizer.from_pretrained(settings.base_model_name).save_pretrained(tmp_path / "body")
    body = replace(settings, base_model_name=str(tmp_path / "body"))
    with pytest.raises(ResourceError, match=r"no prediction head.*use_additional_pretraining=False"):
        fit(body)
    assert fit(replace(body, use_additional_pretraining=False)).accuracy(WATCHED["plain"]) == 1.0


def test_a_window_that_the_model_does_not_take(settings: Transformer) -> None:
    with pytest.raises(PlanError, match=r"pretraining_sliding_window='512-128'.*at most 48"):
        fit(replace(settings, pretraining_sliding_window="512-128"))
