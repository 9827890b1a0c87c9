"""What the transformer attack can be told, under the names of TAE's TRIR and with the defaults of its README."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, get_args

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.families.reidentification.attacks.tri.windows import parse_window

Precision = Literal["auto", "bf16", "fp32"]

_MOST_TOGETHER = 1_000_000  # texts or windows; more than any memory holds
_MOST_EPOCHS = 10_000


@dataclass(frozen=True)
class TriSettings:
    """Every parameter of TAE's TRIR (Manzanares-Salor et al. 2025), and four of our own at the end.

    Defaults are those of TAE's README. Its code has `only_use_anonymized_background_knowledge` true, which a TAE
    configuration takes, and the three `load_saved_…` false, which change no number here.

    An empty `output_folder_path` keeps nothing: the model lives as long as the attack.

    >>> TriSettings(finetuning_sliding_window="100-98")
    Traceback (most recent call last):
    showthrough.core.errors.PlanError: finetuning_sliding_window='100-98' is out of range; expected an overlap of 0 to \
97, so that windows advance (two pieces of every window mark its ends)
    """

    output_folder_path: str = parameter("", "where everything is kept; empty: nowhere")
    load_saved_pretreatment: bool = parameter(True, "use pretreated texts that are kept")
    add_non_saved_anonymizations: bool = parameter(True, "pretreat documents that are not kept, or refuse them")
    anonymize_background_knowledge: bool = parameter(True, "add the copy without named entities")
    only_use_anonymized_background_knowledge: bool = parameter(False, "learn from that copy alone")
    use_document_curation: bool = parameter(True, "lemmas, no stop words, no special characters")
    save_pretreatment: bool = parameter(True, "keep pretreated texts")
    load_saved_finetuning: bool = parameter(True, "use a classifier that is kept")
    base_model_name: str = parameter("distilbert-base-uncased", "on the hub, or a folder: BERT, DistilBERT, RoBERTa, …")
    tokenization_block_size: int = parameter(250, "passages that are cut into pieces at once")
    use_additional_pretraining: bool = parameter(True, "pretrain the base model further on the background")
    save_additional_pretraining: bool = parameter(True, "keep the pretrained model")
    load_saved_pretraining: bool = parameter(True, "use a pretrained model that is kept")
    pretraining_epochs: int = parameter(3, "times that pretraining goes through the background")
    pretraining_batch_size: int = parameter(8, "windows that are learned at once")
    pretraining_learning_rate: float = parameter(5e-05, "how far each step goes")
    pretraining_mlm_probability: float = parameter(0.15, "share of pieces that are asked for")
    pretraining_sliding_window: str = parameter("512-128", "length-overlap in pieces; No: each sentence")
    finetuning_epochs: int = parameter(15, "times that fine-tuning goes through the background")
    finetuning_batch_size: int = parameter(16, "windows that are learned at once")
    finetuning_learning_rate: float = parameter(5e-05, "how far each step goes")
    finetuning_sliding_window: str = parameter("100-25", "length-overlap in pieces; No: each sentence")
    dev_set_column_name: str | bool = parameter(False, "the anonymization that selects the epoch, in TAE's way")
    save_finetuning: bool = parameter(True, "keep the classifier")
    verbose: bool = parameter(True, "tell progress: epoch, loss, time left")
    spacy_pipeline: str = parameter("en_core_web_lg", "what finds entities, lemmas and tokens; TAE takes this one")
    held_out_share: float = parameter(0.1, "of each individual's background, for selecting the epoch; 0 keeps the last")
    precision: Precision = parameter("auto", "of training; auto: bf16 on CUDA, fp32 elsewhere. Scores are always fp32")
    seed: int = parameter(0, "of all that is random")

    every: ClassVar[float] = 120.0  # seconds between checkpoints; one of DistilBERT takes about a gigabyte and a second

    def __post_init__(self) -> None:
        for field in fields(self):
            if field.type == "bool":
                self._check(field.name, isinstance(getattr(self, field.name), bool), "True or False")
        for name in ("tokenization_block_size", "pretraining_batch_size", "finetuning_batch_size"):
            self._check(name, 1 <= getattr(self, name) <= _MOST_TOGETHER, f"1 to {_MOST_TOGETHER:,}")
        for name in ("pretraining_epochs", "finetuning_epochs"):
            self._check(name, 1 <= getattr(self, name) <= _MOST_EPOCHS, f"1 to {_MOST_EPOCHS:,}")
        for name in ("pretraining_learning_rate", "finetuning_learning_rate"):
            self._check(name, 0 < getattr(self, name) <= 1, "more than 0, at most 1")
        self._check("pretraining_mlm_probability", 0 < self.pretraining_mlm_probability <= 1, "more than 0, at most 1")
        self._check("held_out_share", 0 <= self.held_out_share <= 0.5, "0 to 0.5")
        self._check("precision", self.precision in get_args(Precision), "auto, bf16 or fp32")
        self._check("seed", 0 <= self.seed < 2**63, "0 to 2**63 - 1")
        self._check("dev_set_column_name", self.dev_set_column_name is not True, "False or an anonymization's name")
        if self.only_use_anonymized_background_knowledge and not self.anonymize_background_knowledge:
            raise PlanError(
                "only_use_anonymized_background_knowledge=True has nothing to use; "
                "expected anonymize_background_knowledge=True beside it"
            )
        for name in ("pretraining_sliding_window", "finetuning_sliding_window"):
            parse_window(getattr(self, name), name)

    def _check(self, name: str, right: bool, expected: str) -> None:
        if not right:
            raise PlanError(f"{name}={quote_value(getattr(self, name))} is out of range; expected {expected}")

    @property
    def reads_with_spacy(self) -> bool:
        windows = self.pretraining_sliding_window, self.finetuning_sliding_window
        by_sentence = any(parse_window(window) is None for window in windows)
        return self.anonymize_background_knowledge or self.use_document_curation or by_sentence

    @property
    def dev_set(self) -> str | None:
        """The anonymization whose documents select the epoch, where TAE's way was asked for."""
        return self.dev_set_column_name or None if isinstance(self.dev_set_column_name, str) else None

    @property
    def selection(self) -> str:
        """On what the epoch is selected; part of a score's signature."""
        if self.dev_set:
            return f"documents-of-{self.dev_set}"
        return f"background-{self.held_out_share:g}" if self.held_out_share else "last-epoch"

    # What decides which text the models see, and what decides each model; the rest only says what is kept and shown.

    def of_pretreatment(self) -> dict[str, Any]:
        copies = ("anonymize_background_knowledge", "only_use_anonymized_background_knowledge")
        return self._select_settings(*copies, "use_document_curation")

    def of_pretraining(self) -> dict[str, Any]:
        return self._select_settings(*_starting_with("pretraining_"), "precision", "seed")

    def of_finetuning(self) -> dict[str, Any]:
        selection = ("dev_set_column_name", "held_out_share")
        stage = ("use_additional_pretraining", *_starting_with("finetuning_"))
        return self._select_settings(*stage, *selection, "precision", "seed")

    def _select_settings(self, *names: str) -> dict[str, Any]:
        return {name: getattr(self, name) for name in names}


def _starting_with(stage: str) -> list[str]:
    return [field.name for field in fields(TriSettings) if field.name.startswith(stage)]
