"""The attack `transformer`: a language model is trained to tell whose background a text comes from (TRI, complete).

Manzanares-Salor, Sánchez and Lison (2024), *Evaluating the disclosure risk of anonymized documents via a machine
learning-based re-identification attack*, Data Mining and Knowledge Discovery 38; with every parameter of TAE's TRIR.
The background is pretreated, a base model pretrained further on it and fine-tuned as a classifier of windows; a
document's score for an individual is the sum of that individual's logits over the document's windows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from showthrough.core.errors import InputError, PlanError, Problem, quote_value
from showthrough.families.reidentification.attacks.base import Attack, WatchedDocuments
from showthrough.families.reidentification.attacks.tri.base_model import BaseModel
from showthrough.families.reidentification.attacks.tri.fitting import VERSION, TriTraining
from showthrough.families.reidentification.attacks.tri.pretreatment import Pretreatment
from showthrough.families.reidentification.attacks.tri.scoring import FittedTransformer, PretreatedTexts
from showthrough.families.reidentification.attacks.tri.settings import TriSettings
from showthrough.families.reidentification.attacks.tri.store import FitStore
from showthrough.families.reidentification.attacks.tri.windows import parse_window
from showthrough.models import Resources
from showthrough.models.device import torch_device


@dataclass(frozen=True)
class Transformer(TriSettings, Attack):
    """A language model learns to tell whose background a text comes from: TRI, with every parameter of TAE's TRIR.

    `fit` trains it, or takes the trained model that its folder holds.
    """

    version = VERSION
    watches = True

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        """Above all on what the model was selected.

        >>> Transformer(dev_set_column_name="presidio").pinned
        (('selection', 'documents-of-presidio'),)
        """
        return (("selection", self.selection),)

    def fit(
        self, background: Mapping[str, str], resources: Resources, watched: Mapping[str, WatchedDocuments] | None = None
    ) -> FittedTransformer:
        """Learns who is who from the background, individual id to text.

        `watched` are the documents under attack, by anonymization: `Results.csv` then shows how they fare after every
        epoch. Nothing is learned from them, and nothing selected by them unless `dev_set_column_name` names one.
        """
        watched = {name: documents for name, documents in (watched or {}).items() if documents.texts}
        if self.dev_set and self.dev_set not in watched:
            reason = f"is no anonymization with documents; there are: {', '.join(watched) or 'none'}"
            raise PlanError(f"dev_set_column_name={quote_value(self.dev_set)} {reason}")
        if not any(text.strip() for text in background.values()):
            fault = f"found {len(background)} individuals and no text" if background else "found nobody"
            raise InputError(Problem("", "background", f"{fault}; expected text about at least one individual"))
        watch = resources.watch if self.verbose else None
        base = BaseModel(self.base_model_name)
        # Now rather than after hours of pretreatment and pretraining.
        parse_window(self.finetuning_sliding_window, "finetuning_sliding_window", base.longest)
        if self.use_additional_pretraining:
            parse_window(self.pretraining_sliding_window, "pretraining_sliding_window", base.longest)
        # Sorted, so that nothing depends on the order in which individuals are given.
        texts = {individual: background[individual] for individual in sorted(background)}
        reading = PretreatedTexts(texts, self, FitStore(self.output_folder_path), Pretreatment(self, watch))
        return TriTraining(self, base, reading, watched, torch_device(resources.models.device), watch).run()
