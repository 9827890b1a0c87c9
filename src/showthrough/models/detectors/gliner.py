"""What a GLiNER model finds, by labels in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, quote_value
from showthrough.data.labels import Labels
from showthrough.models.detectors.base import Detector, Find
from showthrough.models.files import library_versions
from showthrough.models.gliner import gliner, gliner_files, not_installed

# As a person would say them, which is what these models were trained on; each is a name of the label tree.
DEFAULT_LABELS = (
    "person", "organization", "location", "address", "date", "date of birth", "age", "nationality", "occupation",
    "phone number", "email address", "url", "ip address", "username", "password", "passport number",
    "social security number", "national id number", "driver license", "medical record number", "bank account number",
    "credit card number", "license plate", "money",
)  # fmt: skip
_ON = ("auto", "cpu", "cuda", "mps")
_NO_LABELS = Labels(())


@dataclass(frozen=True)
class GlinerDetector(Detector):
    """What a GLiNER model finds. Labels are plain words, and any will do.

    Weights are read from safetensors alone, and no code of a model is run. Long texts are read in overlapping windows.
    """

    model: str = parameter("", "its name on the hub, with a revision after an @ if need be, or the path of a folder")
    labels: str = parameter(
        "", "what to look for, with commas between; label=TYPE names the type; empty: 24 usual ones"
    )
    threshold: float = parameter(0.5, "finds with this score or a lower one are left out")
    on: str = parameter("auto", "where it runs: auto, cpu, cuda, cuda:1 or mps")

    def __post_init__(self) -> None:
        if not 0 <= self.threshold < 1:
            raise PlanError(f"found {quote_value(self.threshold)}; expected 0 to less than 1", "threshold")
        kind, colon, number = self.on.partition(":")
        if kind not in _ON or (colon and not number.isdecimal()):
            raise PlanError(f"found {quote_value(self.on)}; expected auto, cpu, cuda, cuda:<number> or mps", "on")
        _ = self.types_by_label

    @property
    def types_by_label(self) -> dict[str, str]:
        """The labels that the model is asked for, and the type that each counts as."""
        types: dict[str, str] = {}
        for entry in self.labels.split(",") if self.labels.strip() else DEFAULT_LABELS:
            label, sign, kind = (part.strip() for part in entry.partition("="))
            if not label or (sign and not kind):
                raise PlanError(f"found {quote_value(entry)}; expected a label, or label=TYPE", "labels")
            if types.setdefault(label, kind or _NO_LABELS.title(label)) != (kind or _NO_LABELS.title(label)):
                raise PlanError(f"found {quote_value(label)} with two types; expected one", "labels")
        return types

    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        types = self.types_by_label
        spans_by_text = gliner(self.model, self.on).find(texts, list(types), self.threshold)
        return [
            [Find(span.start, span.end, types[span.label], round(span.score, 6)) for span in spans]
            for spans in spans_by_text
        ]

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.types_by_label.values()))

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        libraries = library_versions("gliner", "transformers", "tokenizers")
        if "gliner" not in libraries:
            raise not_installed(self.model)
        return (("model", gliner_files(self.model).revision), ("libraries", libraries))
