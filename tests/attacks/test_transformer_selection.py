"""What is held out, which epoch is kept, and what Results.csv says of it."""

from __future__ import annotations

import csv
import io
import math
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough.core.errors import PlanError
from showthrough.families.reidentification.attacks.tri._selection import (
    EpochResult,
    Recognition,
    choose_held_out,
    select_epoch,
    split_background,
)
from showthrough.families.reidentification.attacks.tri.scoring import accuracy, table
from showthrough.families.reidentification.attacks.tri.settings import TriSettings
from showthrough.families.reidentification.attacks.tri.store import digest


def epoch(number: int, held_out: tuple[float, float] | None, **accuracies: float) -> EpochResult:
    recognition = None if held_out is None else Recognition(*held_out)
    return EpochResult(number, f"2024-01-0{number}T00:00:00Z", 1 / number, recognition, accuracies)


EPOCHS = [epoch(1, (0.5, 1.0), manual=0.9), epoch(2, (0.7, 0.8), manual=0.1), epoch(3, (0.7, 0.9), manual=0.2)]


# What is held out.


def test_a_tenth_is_held_out() -> None:
    run = choose_held_out("ann", ["0123456789"] * 30, 0.1, seed=0)
    assert len(run) == 3  # 30 of 300 characters
    assert 0 <= run.start < run.stop <= 30


def test_where_it_lies_depends_on_seed_and_individual_alone() -> None:
    passages = ["0123456789"] * 50
    assert choose_held_out("ann", passages, 0.1, 0) == choose_held_out("ann", passages, 0.1, 0)
    assert len({choose_held_out("ann", passages, 0.1, seed).start for seed in range(20)}) > 5
    assert len({choose_held_out(f"person {number}", passages, 0.1, 0).start for number in range(20)}) > 5


@pytest.mark.parametrize(
    ("passages", "share"),
    [
        ([], 0.1),
        (["a"] * 3, 0.1),  # too few to spare one
        (["a"] * 30, 0.0),
        (["", "", "", ""], 0.1),
        (["x" * 100, "a", "a", "a"], 0.1),  # a tenth would be nearly all of it
    ],
)
def test_nothing_to_hold_out(passages: list[str], share: float) -> None:
    assert not choose_held_out("ann", passages, share, 0)


@given(
    st.dictionaries(st.text(max_size=3), st.lists(st.text("ab", max_size=9), max_size=30), min_size=1, max_size=5),
    st.floats(0, 0.5),
    st.integers(0, 9),
)
def test_every_passage_is_either_learned_or_held_out(texts: dict[str, list[str]], share: float, seed: int) -> None:
    """In both copies alike: a passage that is held out of one is not learned from the other."""
    background = {
        individual: tuple(
            tuple(f"{copy} {label} {place} {passage}" for place, passage in enumerate(passages)) for copy in "ox"
        )
        for label, (individual, passages) in enumerate(texts.items())
    }
    parts = split_background(background, share, seed)
    learned = [passage for text in parts.learned for passage in text]
    held_out = [passage for text in parts.held_out for passage in text]
    everything = [passage for copies in background.values() for copy in copies for passage in copy]
    assert sorted(learned + held_out) == sorted(everything)
    for label, (individual, passages) in enumerate(texts.items()):
        of_original, of_copy = (
            {passage.split()[2] for passage in held_out if passage.startswith(f"{copy} {label} ")} for copy in "ox"
        )
        assert of_original == of_copy
        kept = sum(len(passage) for passage in learned if passage.startswith(f"o {label} "))
        assert not passages or kept > 0, individual
    for owned in ((parts.learned, parts.learned_labels), (parts.held_out, parts.held_out_labels)):
        assert all(f" {label} " in passage for text, label in zip(*owned, strict=True) for passage in text)


def test_no_text_spans_what_is_held_out() -> None:
    passages = tuple("abcdefghij")
    parts = split_background({"ann": (passages,)}, 0.2, seed=1)
    (held_out,) = parts.held_out
    before, after = parts.learned
    assert (*before, *held_out, *after) == passages
    assert len(held_out) == 2


# Which epoch is kept.


def test_the_best_on_held_out_background_is_kept() -> None:
    assert select_epoch(EPOCHS, None).number == 2  # 0.7 twice, and there the lower loss


def test_documents_under_attack_have_no_say() -> None:
    without = [replace(one, accuracy={}) for one in EPOCHS]
    upside_down = [replace(one, accuracy={"manual": 1 - one.accuracy["manual"]}) for one in EPOCHS]
    assert (
        select_epoch(without, None).number
        == select_epoch(upside_down, None).number
        == select_epoch(EPOCHS, None).number
    )


def test_a_named_dev_set_has_its_way() -> None:
    assert select_epoch(EPOCHS, "manual").number == 1


def test_the_earliest_of_equals() -> None:
    assert select_epoch([epoch(1, (0.5, 1.0)), epoch(2, (0.5, 1.0))], None).number == 1


def test_nothing_held_out_keeps_the_last() -> None:
    assert select_epoch([epoch(1, None), epoch(2, None), epoch(3, None)], None).number == 3


def test_the_signature_names_the_selection() -> None:
    assert TriSettings().selection == "background-0.1"
    assert TriSettings(dev_set_column_name="presidio").selection == "documents-of-presidio"
    assert TriSettings(held_out_share=0).selection == "last-epoch"


def test_recognition_by_hand() -> None:
    logits = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    found = Recognition.of(logits, np.array([0, 0, 1]))
    # Individual 0: one of two windows; individual 1: half of a tie. Each individual counts the same.
    assert found.accuracy == (0.5 + 0.5) / 2
    right, wrong, even = math.log(1 + math.exp(-2)), math.log(1 + math.exp(2)), math.log(2)
    assert found.loss == pytest.approx(((right + wrong) / 2 + even) / 2)


# Results.csv.


def test_results_by_hand() -> None:
    epochs = [epoch(1, (0.5, 1.0), manual=0.25, spacy=0.75), epoch(2, None, manual=0.5)]
    rows = list(csv.DictReader(io.StringIO(table(epochs, "manual"))))
    assert list(rows[0]) == [
        "Time", "Epoch", "manual", "spacy", "Average", "Held_Out", "Held_Out_Loss", "Loss", "Selected",
    ]  # fmt: skip
    assert list(rows[0].values()) == ["2024-01-01T00:00:00Z", "1", "0.25", "0.75", "0.5", "0.5", "1.0", "1.0", "0"]
    assert list(rows[1].values()) == ["2024-01-02T00:00:00Z", "2", "0.5", "", "0.5", "", "", "0.5", "1"]


def test_epochs_survive_a_checkpoint() -> None:
    epochs = [*EPOCHS, epoch(4, None)]
    assert msgspec.convert(msgspec.to_builtins(epochs), list[EpochResult]) == epochs


def test_accuracy_counts_ties_and_strangers() -> None:
    scores = np.array([[3.0, 1.0, 1.0], [0.0, 0.0, 0.0], [1.0, 2.0, 2.0], [5.0, 1.0, 1.0]])
    assert accuracy(scores, [0, 1, 2, -1]) == (1 + 1 / 3 + 1 / 2 + 0) / 4


# Settings.


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("tokenization_block_size", 0),
        ("pretraining_epochs", 0),
        ("finetuning_epochs", -1),
        ("pretraining_batch_size", 0),
        ("finetuning_learning_rate", 0.0),
        ("pretraining_learning_rate", float("inf")),
        ("finetuning_learning_rate", 10**400),
        ("finetuning_epochs", 10**9),
        ("tokenization_block_size", 10**20),
        ("pretraining_mlm_probability", 0.0),
        ("pretraining_mlm_probability", 1.5),
        ("held_out_share", 0.6),
        ("precision", "fp16"),
        ("seed", -1),
        ("seed", 2**63),
        ("dev_set_column_name", True),
        ("only_use_anonymized_background_knowledge", "no"),
        ("verbose", 1),
        ("pretraining_sliding_window", "128"),
        ("finetuning_sliding_window", "10-10"),
    ],
)
def test_settings_out_of_range(name: str, value: object) -> None:
    with pytest.raises(PlanError, match=name):
        TriSettings(**{name: value})  # type: ignore[arg-type]


def test_only_anonymized_needs_anonymized() -> None:
    with pytest.raises(PlanError, match="only_use_anonymized_background_knowledge"):
        TriSettings(anonymize_background_knowledge=False, only_use_anonymized_background_knowledge=True)


def test_defaults_are_those_of_tae() -> None:
    found = TriSettings()
    assert (found.base_model_name, found.spacy_pipeline) == ("distilbert-base-uncased", "en_core_web_lg")
    assert (found.pretraining_epochs, found.pretraining_batch_size, found.pretraining_learning_rate) == (3, 8, 5e-05)
    assert (found.finetuning_epochs, found.finetuning_batch_size, found.finetuning_learning_rate) == (15, 16, 5e-05)
    assert (found.pretraining_sliding_window, found.finetuning_sliding_window) == ("512-128", "100-25")
    assert (found.pretraining_mlm_probability, found.tokenization_block_size) == (0.15, 250)
    assert not found.only_use_anonymized_background_knowledge
    assert found.dev_set_column_name is False
    switches = [
        "load_saved_pretreatment", "add_non_saved_anonymizations", "anonymize_background_knowledge",
        "use_document_curation", "save_pretreatment", "load_saved_finetuning", "use_additional_pretraining",
        "save_additional_pretraining", "load_saved_pretraining", "save_finetuning", "verbose",
    ]  # fmt: skip
    assert all(getattr(found, switch) is True for switch in switches)


def test_digests_tell_texts_apart() -> None:
    assert digest({"a": "b"}) != digest({"a": "c"})
    assert digest("a", "b") != digest("ab")
