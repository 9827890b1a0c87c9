"""Transformers that are trained to mask, from end to end, on a model so small that it learns in a second."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from showthrough import Corpus, Document, InputError, Interrupted, Mask, OutputError, PlanError, train_transformer
from showthrough.core.errors import ResourceError
from showthrough.data.documents import Annotation, Mention
from showthrough.data.provenance import text_digest
from showthrough.models.model_folders import read_card
from showthrough.models.training import Course, whole
from showthrough.systems import anonymize, anonymizer
from showthrough.systems.encoders import sweep as sweeping
from showthrough.systems.encoders._examples import IGNORED, examples_of
from showthrough.systems.encoders.learning import TokenLearner, TrainingEpoch, dev_scores
from showthrough.systems.encoders.sweep import SweepGrid, sweep
from showthrough.systems.encoders.training import TrainingRequest, TransformerSettings, load_with_head, train_to_folder

pytestmark = pytest.mark.slow

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module", autouse=True)
def one_thread() -> Iterator[None]:
    """For models of this size threads only cost time; and another number of them would change last digits."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        if "torch" in sys.modules:
            sys.modules["torch"].set_num_threads(1)
        yield


@pytest.fixture
def request_of(untrained: Path, hearings: Corpus, tmp_path: Path) -> Callable[..., TrainingRequest]:
    """Settings by which the tiny model learns four hearings by heart, or others."""

    def made(folder: str = "made", resume: bool = False, **others: Any) -> TrainingRequest:
        usual = {"window": 24, "batch": 4, "epochs": 8, "learning_rate": 1e-2, "mask_weight": 5.0, "device": "cpu"}
        settings = TransformerSettings(**{"model": str(untrained), **usual, **others})
        return TrainingRequest(hearings, hearings, tmp_path / folder, settings, resume=resume, seen=True)

    return made


RequestOf = Callable[..., TrainingRequest]


def weights_of(request: TrainingRequest) -> bytes:
    return (request.folder / WEIGHTS).read_bytes()


def stopped(request: TrainingRequest, monkeypatch: pytest.MonkeyPatch, calls: int, method: str = "loss") -> str:
    """Trains until a method of the learner is called so often; then somebody presses Ctrl-C."""
    usual, taken = getattr(TokenLearner, method), 0

    def stopping(*arguments: Any) -> Any:
        nonlocal taken
        taken += 1
        if taken == calls:
            raise KeyboardInterrupt
        return usual(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(TokenLearner, method, stopping)
        with pytest.raises(Interrupted) as told:
            train_to_folder(request)
    return str(told.value)


# Learning.


def test_four_documents_are_learned_by_heart(request_of: RequestOf, hearings: Corpus) -> None:
    request = request_of()
    told: list[TrainingEpoch] = []
    outcome = train_to_folder(request, tell=told.append)
    assert told == outcome.epochs
    assert outcome.kept == len(outcome.epochs) == 8
    assert outcome.epochs[-1].loss < outcome.epochs[0].loss / 10
    assert outcome.scores == dict.fromkeys(("er_di", "er_qi", "recall", "precision", "wp", "f1"), 1.0)
    masks = anonymize(hearings, anonymizer(f"{request.folder}/"), seen=True)
    first = hearings.documents[0]
    found = {first.text[one.start : one.end] for one in masks.of(first.id)}
    assert found == {"Ann Lee", "Oslo"}


def test_the_folder_says_what_it_is(request_of: RequestOf, hearings: Corpus) -> None:
    request = request_of(epochs=1)
    train_to_folder(request)
    card = read_card(request.folder)
    assert card.kind == "transformer"
    assert card.types == ("MASK",)
    assert card.training.digest == hearings.digest
    assert set(card.training.documents) == {text_digest(one.text) for one in hearings}
    assert {"window": 24, "stride": 16, "threshold": 0.0, "mask_weight": 5.0}.items() <= card.settings.items()
    assert set(card.figures["epochs"][0]["scores"]) == {"er_di", "er_qi", "recall", "precision", "wp", "f1"}
    files = [path for path in request.folder.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".safetensors"}
    assert {path.stat().st_mode & 0o777 for path in files} == {0o600}
    with pytest.raises(PlanError, match="was trained on 4 of these 4 documents"):
        anonymize(hearings, anonymizer(f"{request.folder}/"))


def test_types_are_learned_where_they_are_asked_for(request_of: RequestOf, hearings: Corpus) -> None:
    request = request_of(types=True, epochs=12)
    train_to_folder(request)
    masks = anonymize(hearings, anonymizer(f"{request.folder}/"), seen=True)
    first = hearings.documents[0]
    assert {(first.text[one.start : one.end], one.entity_type) for one in masks.of(first.id)} == {
        ("Ann Lee", "PERSON"), ("Oslo", "LOC"),
    }  # fmt: skip


def test_the_loss_is_weighted(request_of: RequestOf, hearings: Corpus) -> None:
    """−ln p of each label that is learned, five times where it is to be masked, over the sum of the weights."""
    import torch

    request = request_of()
    encoder = load_with_head(request)
    examples = examples_of(hearings, encoder, 24, 16)
    learner = TokenLearner(encoder, examples, 5.0, False, dict, lambda epoch: None)
    encoder.model.eval()
    batch = [0, len(examples) - 1]
    ids, read, labels = examples.table(batch, encoder.before, encoder.after, 0)
    with torch.no_grad():
        logits = encoder.model(torch.from_numpy(ids), attention_mask=torch.from_numpy(read)).logits
        logs = logits.log_softmax(-1).numpy()
        places = np.argwhere(labels != IGNORED)
        weights = np.array([1.0 if labels[row, column] == 0 else 5.0 for row, column in places])
        each = np.array([-logs[row, column, labels[row, column]] for row, column in places])
        assert float(learner.loss(batch, seed=0)) == pytest.approx((weights * each).sum() / weights.sum(), abs=1e-5)
    assert learner.weight(batch) == pytest.approx(weights.sum())


def test_batches_that_are_added_up_are_one_batch(
    untrained: Path, request_of: RequestOf, tmp_path: Path, hearings: Corpus
) -> None:
    """Gradients of two halves give what the whole gives, but for the last digits."""
    from safetensors.numpy import load
    from transformers import AutoTokenizer, BertConfig, BertModel

    calm = tmp_path / "calm"  # without dropout, which is drawn batch by batch
    config = BertConfig.from_pretrained(untrained, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
    BertModel.from_pretrained(untrained, config=config).save_pretrained(calm)
    AutoTokenizer.from_pretrained(untrained).save_pretrained(calm)
    made = []
    for batch, accumulate in ((4, 1), (2, 2), (1, 1)):
        request = request_of(f"of {batch}", model=str(calm), epochs=1, batch=batch, accumulate=accumulate)
        train_to_folder(replace(request, dev=None))
        made.append(load(weights_of(request)))
    at_once, added, smaller = (one["classifier.weight"] for one in made)
    assert added == pytest.approx(at_once, abs=1e-4)
    assert smaller != pytest.approx(at_once, abs=1e-3)


def test_the_learning_rate_falls_where_it_is_asked_to() -> None:
    course = Course("training", 0, 2, 4, 0.1, seed=0, falling=True)
    assert [course.rate(taken, 10) for taken in (0, 3, 5)] == pytest.approx([0.1, 0.05, 0.1 / 6])  # of six steps
    assert Course("training", 0, 2, 4, 0.1, seed=0).rate(5, 10) == 0.1


def test_the_same_seed_gives_the_same_model(request_of: RequestOf) -> None:
    one, same, other = request_of("one", epochs=1), request_of("same", epochs=1), request_of("other", epochs=1, seed=1)
    for request in (one, same, other):
        train_to_folder(request)
    assert weights_of(one) == weights_of(same)
    assert weights_of(one) != weights_of(other)


def test_less_memory_and_coarser_numbers(request_of: RequestOf) -> None:
    plain, twice = request_of("plain", epochs=1), request_of("twice", epochs=1, gradient_checkpointing=True)
    coarse = request_of("coarse", precision="bf16")
    train_to_folder(plain)
    train_to_folder(twice)
    assert weights_of(plain) == weights_of(twice)
    assert train_to_folder(coarse).scores["recall"] == 1.0


def test_an_encoder_that_looks_around_in_windows_of_its_own(
    request_of: RequestOf, untrained: Path, tmp_path: Path
) -> None:
    """Longformer fills its input up to a multiple of its attention's window."""
    import torch
    from transformers import AutoTokenizer, LongformerConfig, LongformerModel

    tokenizer = AutoTokenizer.from_pretrained(untrained)
    tokenizer.save_pretrained(tmp_path / "long")
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = LongformerConfig(
        vocab_size=len(tokenizer), pad_token_id=0, attention_window=16, max_position_embeddings=65, **shape
    )
    LongformerModel(config).save_pretrained(tmp_path / "long")
    outcome = train_to_folder(request_of(model=str(tmp_path / "long"), window=64))
    assert outcome.scores["recall"] == 1.0


def test_weighted_precision_takes_the_named_source(request_of: RequestOf) -> None:
    """Masked are Doe, whom the annotator marked, and the word of: 1 of 2 words, and nearly all of what they tell."""
    layer = Annotation("ann", (Mention(0, 3, "PERSON", "DIRECT"),))
    corpus = Corpus([Document("d", "Doe of Oslo", (layer,))])

    class Finder:
        def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
            return [[Mask(0, 3), Mask(4, 6)] for _ in documents]

    even, telling = (dev_scores(corpus, Finder(), source) for source in ("uniform", "wordfreq"))
    assert (even["precision"], even["wp"]) == (0.5, 0.5)
    assert telling["precision"] == 0.5
    assert telling["wp"] is not None
    assert 0.7 < telling["wp"] < 1
    with pytest.raises(ResourceError, match=r"the model .no/such. is not on this machine"):
        request_of(weighting="hf:no/such").check()
    # Of one document nothing is left to count: each word was seen once less, so all tell as much.
    assert dev_scores(corpus, Finder(), "corpus")["wp"] == 0.5
    request_of(weighting="corpus").check()
    with pytest.raises(PlanError, match=r"ic='bogus' is not known; expected wordfreq"):
        request_of(weighting="bogus").check()


def test_the_best_epoch_is_kept_where_it_is_asked_for(request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if training had ended there."""
    values = iter([0.1, 0.9, 0.9, 0.2])
    monkeypatch.setattr("showthrough.systems.encoders.training.dev_scores", lambda *_: {"f1": next(values, 0.0)})
    best = request_of("best", epochs=4, keep="best")
    assert train_to_folder(best).kept == 2
    ended = request_of("ended", epochs=2)
    train_to_folder(ended)
    assert weights_of(best) == weights_of(ended)


def test_training_from_a_program(untrained: Path, hearings: Corpus, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"model": str(untrained), "window": 24, "epochs": 1, "device": "cpu"}
    trained = train_transformer(hearings, tmp_path / "made", **settings)
    assert trained.name == "made"
    assert read_card(tmp_path / "made").figures["epochs"][0]["scores"] == {}
    with pytest.raises(PlanError, match="dev: found a value of type str; expected a Corpus"):
        train_transformer(hearings, tmp_path / "other", dev="dev.json", **settings)  # type: ignore[arg-type]


def test_going_on_from_a_trained_model_remembers_its_documents(
    request_of: RequestOf, hearings: Corpus, tmp_path: Path
) -> None:
    first = replace(request_of("first", epochs=1), corpus=without(hearings, 2, 3), dev=None)
    train_to_folder(first)
    second = request_of("second", epochs=1, model=str(first.folder))
    second = replace(second, corpus=without(hearings, 0, 1), dev=without(hearings, 1, 2, 3), seen=False)
    with pytest.raises(PlanError, match="1 of 1 documents are also trained on"):
        train_to_folder(second)
    train_to_folder(replace(second, dev=None))
    assert set(read_card(second.folder).training.documents) == {text_digest(one.text) for one in hearings}


# Stopping and going on.


@pytest.mark.parametrize(("calls", "method"), [(1, "loss"), (7, "loss"), (2, "examine_epoch"), (2, "tell")])
def test_a_training_that_was_stopped_ends_as_one_that_was_not(
    request_of: RequestOf, monkeypatch: pytest.MonkeyPatch, calls: int, method: str
) -> None:
    """In the middle of an epoch, and while the model is scored after one: to the last digit."""
    chosen: dict[str, Any] = {"epochs": 3, "schedule": "linear", "keep": "best"}
    undisturbed, request = request_of("undisturbed", **chosen), request_of(**chosen)
    expected = train_to_folder(undisturbed)
    if method == "tell":
        taken: list[TrainingEpoch] = []

        def tell(epoch: TrainingEpoch) -> None:
            taken.append(epoch)
            if len(taken) == calls:
                raise KeyboardInterrupt

        with pytest.raises(Interrupted):
            train_to_folder(request, tell=tell)
    else:
        told = stopped(request, monkeypatch, calls, method)
        assert told.endswith(f"where it stood is in {request.checkpoint}: the same with --resume goes on")
    assert not request.folder.exists()
    assert request.checkpoint.stat().st_mode & 0o777 == 0o600
    outcome = train_to_folder(replace(request, resume=True))
    assert weights_of(request) == weights_of(undisturbed)
    assert outcome.epochs == expected.epochs
    assert not request.checkpoint.exists()


def test_a_checkpoint_is_not_begun_anew_by_accident(request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    request = request_of(epochs=2)
    stopped(request, monkeypatch, 5)
    with pytest.raises(
        PlanError, match=r"checkpoint\.safetensors: .* --resume goes on with it, and --force begins anew"
    ):
        train_to_folder(request)
    train_to_folder(replace(request, force=True))
    assert not request.checkpoint.exists()


def test_a_checkpoint_of_something_else_is_not_gone_on_with(
    request_of: RequestOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped(request_of(epochs=2), monkeypatch, 5)
    with pytest.raises(PlanError, match=r"was made from something else \(mask_weight\)"):
        train_to_folder(request_of(epochs=2, mask_weight=1.0, resume=True))


def test_a_checkpoint_that_lacks_something(torch: Any, request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    request = request_of(epochs=2)
    stopped(request, monkeypatch, 5)
    with safe_open(request.checkpoint, framework="pt") as file:
        head = file.metadata()
    tensors = load_file(request.checkpoint)
    save_file({name: one for name, one in tensors.items() if "embeddings" not in name}, request.checkpoint, head)
    with pytest.raises(ResourceError, match=r"this checkpoint is damaged \(.*embeddings.*\); remove it"):
        train_to_folder(replace(request, resume=True))
    save_file({"one": torch.ones(1)}, request.checkpoint, {"showthrough": '{"format": 1, "origin": []}'})
    with pytest.raises(ResourceError, match="it does not say what it was made from"):
        train_to_folder(replace(request, resume=True))


def test_checkpoints_on_the_way(request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a kill leaves: no chance to write a last one."""

    class Killed(BaseException):
        pass

    request, taken, usual = request_of(epochs=2, checkpoint_minutes=0.0), 0, TokenLearner.loss

    def killing(*arguments: Any) -> Any:
        nonlocal taken
        taken += 1
        if taken == 6:
            raise Killed
        return usual(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(TokenLearner, "loss", killing)
        with pytest.raises(Killed):
            train_to_folder(request)
    undisturbed = request_of("undisturbed", epochs=2)
    train_to_folder(undisturbed)
    train_to_folder(replace(request, resume=True))
    assert weights_of(request) == weights_of(undisturbed)


def test_a_request_to_stop_waits_until_a_step_is_whole() -> None:
    done = []

    def step() -> None:
        with whole():
            signal.raise_signal(signal.SIGINT)
            done.append("the rest of it")

    with pytest.raises(KeyboardInterrupt):
        step()
    assert done == ["the rest of it"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# The grid.

GRID = SweepGrid(windows="16,24", weights="1,5")


def test_a_sweep_goes_through_windows_and_weights(request_of: RequestOf, tmp_path: Path) -> None:
    found = sweep(request_of("grid", epochs=1), GRID)
    assert [(one.window, one.mask_weight) for one in found.outcomes] == [(16, 1.0), (16, 5.0), (24, 1.0), (24, 5.0)]
    assert sorted(path.name for path in (tmp_path / "grid").iterdir()) == [
        "window-16-weight-1", "window-16-weight-5", "window-24-weight-1", "window-24-weight-5",
    ]  # fmt: skip
    assert all(one.scores["recall"] is not None for one in found.outcomes)


def test_a_sweep_that_was_stopped_goes_on(request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    whole_one = sweep(request_of("whole", epochs=1), GRID)
    request, trained = request_of("grid", epochs=1), []
    usual = train_to_folder

    def noted(cell: TrainingRequest, *rest: Any) -> Any:
        trained.append((cell.settings.window, cell.settings.mask_weight))
        if len(trained) == 3:
            raise Interrupted(None)
        return usual(cell, *rest)

    monkeypatch.setattr(sweeping, "train_to_folder", noted)
    with pytest.raises(Interrupted):
        sweep(request, GRID)
    found = sweep(replace(request, resume=True), GRID)
    assert trained == [(16, 1.0), (16, 5.0), (24, 1.0), (24, 1.0), (24, 5.0)]
    assert [one.epochs for one in found.outcomes] == [one.epochs for one in whole_one.outcomes]
    with pytest.raises(OutputError, match=r"made from something else \(epochs\)"):
        sweep(replace(request, resume=True, settings=replace(request.settings, epochs=2)), GRID)


def test_a_sweep_that_cannot_be(request_of: RequestOf, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="dev: a sweep compares trainings by their scores"):
        sweep(replace(request_of(), dev=None), GRID)
    with pytest.raises(PlanError, match="window: found 512; expected 3 to 64 tokens"):
        sweep(request_of(), SweepGrid(windows="16,512"))
    assert list(tmp_path.iterdir()) == []  # nothing was trained before
    for text in ("", "16,16", "0", "16;24", "1.5"):
        with pytest.raises(PlanError, match="sweep-windows"):
            sweep(request_of(), SweepGrid(windows=text))


# What cannot be.


def without(corpus: Corpus, *numbers: int) -> Corpus:
    return Corpus([one for number, one in enumerate(corpus) if number not in numbers], name=corpus.name)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (lambda one: replace(one, corpus=without(one.corpus, 1, 2, 3)), "found 1 document with annotations"),
        (lambda one: replace(one, seen=False), "4 of 4 documents are also trained on"),
        (
            lambda one: replace(one, dev=Corpus([Document("a", "Oslo")], name="dev")),
            "dev: has no annotations; expected some",
        ),
        (lambda one: replace(one, dev=None, settings=replace(one.settings, keep="best")), "keep: found best and no"),
        (lambda one: replace(one, settings=replace(one.settings, window=65)), "window: found 65; expected 3 to 64"),
        (lambda one: replace(one, settings=replace(one.settings, stride=23)), "stride: found 23; expected 1 to 22"),
        (lambda one: replace(one, settings=replace(one.settings, epochs=0)), "epochs: found 0; expected 1 or more"),
        (lambda one: replace(one, settings=replace(one.settings, mask_weight=0.0)), "mask_weight: found 0.0"),
        (lambda one: replace(one, settings=replace(one.settings, schedule="cosine")), "schedule: found 'cosine'"),
        (lambda one: replace(one, settings=replace(one.settings, model="")), "no model was named"),
    ],
)
def test_requests_that_cannot_be_met(
    request_of: RequestOf, change: Callable[[TrainingRequest], TrainingRequest], fault: str
) -> None:
    request = change(request_of())
    with pytest.raises(InputError, match=fault) as told:
        train_to_folder(request)
    assert "\n" not in str(told.value)
    assert not request.folder.exists()


def test_a_model_that_is_not_there(request_of: RequestOf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ResourceError, match="there is no folder"):
        train_to_folder(request_of(model=str(tmp_path / "none")))
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ResourceError, match=r"pip install 'showthrough\[models\]'"):
        train_to_folder(request_of())


def test_places_where_no_model_can_go(request_of: RequestOf, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "full").mkdir()
    (tmp_path / "full/letter.txt").write_text("dear")
    for folder, fault in (("file", "is a file"), ("full", "with other files in it")):
        with pytest.raises(OutputError, match=fault):
            train_to_folder(request_of(folder))
    request = request_of(epochs=1)
    train_to_folder(request)
    with pytest.raises(OutputError, match="holds a model already"):
        train_to_folder(request)


def test_words_that_the_model_cannot_read(request_of: RequestOf) -> None:
    mark = (Annotation("ann", (Mention(0, 1),)),)
    blank = Corpus([Document("a", " ", mark), Document("b", "\n", mark)], name="blank")
    with pytest.raises(PlanError, match=r"blank: found nothing that .* can read"):
        train_to_folder(replace(request_of(), corpus=blank))


def test_a_loss_that_is_no_number(request_of: RequestOf, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = TokenLearner.loss
    monkeypatch.setattr(TokenLearner, "loss", lambda *arguments: usual(*arguments) * float("nan"))
    with pytest.raises(ResourceError, match="the loss is no number in epoch 1; choose a lower --learning-rate"):
        train_to_folder(request_of())
