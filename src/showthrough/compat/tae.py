"""The Text Anonymization Evaluator's classes: a script that was written for TAE runs with another import line.

Names, arguments and results are those of TAE 1.2.0. Numbers are those of `evaluate`; the page on differences lists
where they are not TAE's.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from showthrough.core.errors import (
    InputError,
    PlanError,
    Problem,
    ResourceError,
    at_document,
    quote_value,
    shorten,
)
from showthrough.core.families import input_types
from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask, apply_masks
from showthrough.evaluation.engine import evaluate_plan
from showthrough.evaluation.plan import Plan, lacking_problems
from showthrough.evaluation.settings import FileSettings
from showthrough.families.tae.configuration import read_metrics
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.benchmarks.tab import documents_of
from showthrough.formats.benchmarks.tae import check_masks
from showthrough.metrics import Metric, metric_text
from showthrough.models import Resources
from showthrough.report.files import tae_csv_text, tae_value
from showthrough.run.run import Run
from showthrough.storage.reading import object_entries, read_bytes
from showthrough.storage.writing import refuse_elsewhere, report_os_errors

__all__ = ["TAE", "MaskedCorpus", "MaskedDocument"]

_LOG = logging.getLogger(__name__)


@dataclass
class MaskedDocument:
    """The masked spans of a document, each with the text that replaces it; `None` replaces by nothing."""

    doc_id: str
    masked_spans: list[tuple[int, int]]
    replacements: list[str | None] = field(default_factory=list)

    @property
    def masks(self) -> list[Mask]:
        """The same as masks; a span without a replacement has none."""
        replacements = [*self.replacements, *[None] * (len(self.masked_spans) - len(self.replacements))]
        return [Mask(*span, text) for span, text in zip(self.masked_spans, replacements, strict=False)]

    def get_masked_offsets(self) -> set[int]:
        """The offsets of all masked characters."""
        return {offset for start, end in self.masked_spans for offset in range(start, end)}

    def get_masked_text(self, original_text: str) -> str:
        """The anonymized text, whatever the order of the spans."""
        return apply_masks(original_text, self.masks)


class MaskedCorpus(list[MaskedDocument]):
    """The masked documents of a JSON file: an object from document id to `[start, end, replacement]` lists."""

    def __init__(self, masked_docs_file_path: str | os.PathLike[str]) -> None:
        path = Path(masked_docs_file_path)
        masks_by_id = check_masks(object_entries(path, read_bytes(path)), path)
        super().__init__(
            MaskedDocument(
                document_id,
                [(mask.start, mask.end) for mask in masks],
                [mask.replacement if (mask.replacement or "").strip() else None for mask in masks],
            )
            for document_id, masks in masks_by_id.items()
        )


Masked = str | os.PathLike[str] | Sequence[MaskedDocument]


class TAE:
    """An evaluator of one corpus.

    `corpus` is the path of a corpus, or the list of dictionaries in TAB's JSON. `spacy_model_name` names the pipeline
    whose function words need not be masked; without one they come from the built-in list, as in `evaluate`.

    >>> name = {"entity_type": "PERSON", "start_offset": 3, "end_offset": 6, "identifier_type": "DIRECT"}
    >>> town = {"entity_type": "LOC", "start_offset": 10, "end_offset": 14, "identifier_type": "QUASI"}
    >>> annotations = {"ann": {"entity_mentions": [name, town]}}
    >>> tae = TAE([{"doc_id": "a", "text": "Mr Doe of Oslo", "annotations": annotations}])
    >>> names = [MaskedDocument("a", [(3, 6)], [None])]
    >>> tae.evaluate({"names": names}, {"Recall": {}, "Recall_di": {"include_quasi": False}})
    {'Recall': {'names': 0.5}, 'Recall_di': {'names': 1.0}}
    """

    run: Run | None = None  # of the last evaluation: intervals, signatures, reports

    def __init__(
        self,
        corpus: str | os.PathLike[str] | Sequence[Mapping[str, Any]],
        spacy_model_name: str | None = None,
    ) -> None:
        if isinstance(corpus, str | os.PathLike):
            self._corpus = read_corpus(corpus)
        else:
            self._corpus = Corpus(documents_of(corpus, Path("corpus")), "corpus")
            _ = self._corpus.survey  # raises InputError with what is wrong
        self._function_words = None if spacy_model_name is None else f"spacy:{spacy_model_name}"

    @property
    def documents(self) -> dict[str, Document]:
        """The documents by id."""
        return {document.id: document for document in self._corpus}

    @property
    def gold_annotations_ratio(self) -> float:
        """The share of documents in which somebody marked something."""
        marked = [any(layer.mentions for layer in document.annotations) for document in self._corpus]
        return sum(marked) / len(marked) if marked else 0.0

    def evaluate(
        self,
        anonymizations: Mapping[str, Masked],
        metrics: Mapping[str, Mapping[str, Any]],
        results_file_path: str | os.PathLike[str] | None = None,
    ) -> dict[str, dict[str, Any]]:
        """The values of each metric, by anonymization; those of a metric by type are again a dictionary.

        As in TAE, the results are appended to a CSV file. A metric that cannot be computed is logged as an error and
        left out of the results. So is a document that the corpus does not have. A document that an anonymization lacks
        is an error.
        """
        results_file = None if results_file_path is None else Path(results_file_path)
        if results_file is not None:
            _prepare(results_file)
        masked = tuple(self._anonymization(name, source) for name, source in anonymizations.items())
        labels, settings = self._asked(metrics)
        results: dict[str, dict[str, Any]] = {}
        if labels:
            inputs = {kind.name: kind.read(settings, list(anonymizations)) for kind in input_types()}
            named_inputs = {name: value for name, value in inputs.items() if value is not None}
            plan = Plan(
                self._corpus, masked, tuple(dict.fromkeys(labels.values())), settings, inputs=named_inputs, texts=False
            )
            run = self.run = evaluate_plan(plan)
            for note in run.notes:
                if note.startswith(tuple(f"{name}: " for name in run.names)):
                    _LOG.warning("anonymization %s", note)
            reasons = {failure.metric: failure.reason for failure in run.failures}
            texts = {label: metric_text(metric) for label, metric in labels.items()}
            for label in [label for label, text in texts.items() if text in reasons]:
                _LOG.error("metric %s: %s", label, reasons[texts.pop(label)])
            results = {label: {name: tae_value(run, name, text) for name in run.names} for label, text in texts.items()}
            if results_file is not None:
                with report_os_errors(results_file), results_file.open("a", encoding="utf-8", newline="") as file:
                    file.write(tae_csv_text(run, texts))
        return results

    def _asked(self, metrics: Mapping[str, Mapping[str, Any]]) -> tuple[dict[str, Metric], FileSettings]:
        """The metrics that can be computed, by label; why others cannot is logged."""
        reading = read_metrics(metrics, Path("metrics"))
        settings = FileSettings(function_words=self._function_words, references=False, sweeps=False, **reading.options)
        reasons = {label: list(faults) for label, faults in reading.faults.items()}
        reasons |= {label: [reason] for label, reason in reading.unavailable.items()}
        labels = {label: settings.applied_to(metric) for label, metric in reading.labels.items()}
        resources = Resources(settings.models)
        for label, metric in labels.items():
            try:
                resources.revisions(metric.models)
            except ResourceError as error:
                reasons[label] = [str(error)]
                continue
            if lacking := lacking_problems([metric]):
                reasons[label] = [problem.message for problem in lacking]
            elif "gold" in metric.needs and not self._corpus.survey.annotated:
                reasons[label] = ["no document has annotations"]
        for label in metrics:
            for reason in reasons.get(label, ()):
                _LOG.error("metric %s: %s", label, reason)
        return {label: metric for label, metric in labels.items() if label not in reasons}, settings

    def _anonymization(self, name: str, source: Masked) -> Anonymization:
        if isinstance(source, str | os.PathLike):
            anonymization = read_anonymization(source, self._corpus, name=name, extra="ignore")
            for note in anonymization.notes:
                _LOG.warning("anonymization %s: %s", name, note)
            return anonymization
        return Anonymization.from_spans(self._known(name, source), self._corpus, name)

    def _known(self, name: str, documents: Iterable[MaskedDocument]) -> dict[str, list[Mask]]:
        """The masks of documents that the corpus has."""
        ids, masks, where = set(self._corpus.ids), {}, f"anonymization {shorten(name)}"
        for document in documents:
            if not isinstance(document, MaskedDocument):
                raise PlanError(f"found {quote_value(document)}; expected a MaskedDocument", where)
            if document.doc_id in masks:
                raise InputError(Problem(where, at_document(document.doc_id), "occurs twice; expected unique ids"))
            if document.doc_id in ids:
                masks[document.doc_id] = document.masks
            else:
                _LOG.warning("%s: %s is not in the corpus; it is left out", where, at_document(document.doc_id))
        return masks


def _prepare(path: Path) -> None:
    """Makes the folder of a results file, and finds out before any work whether the file can be written."""
    refuse_elsewhere(path)
    with report_os_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a").close()
