"""What Microsoft Presidio's analyzer finds, as it comes: all recognizers, their types and their scores."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from showthrough.core.call_syntax import parameter
from showthrough.core.errors import PlanError, ResourceError, UnavailableError
from showthrough.models.detectors._titles import trim_title
from showthrough.models.detectors.base import Detector, Find
from showthrough.models.detectors.spacy import INSTEAD, pipeline
from showthrough.models.files import guard_errors
from showthrough.models.names import at_home, is_path

MODEL = "en_core_web_lg"  # that Presidio itself takes
_PACKAGE = "presidio-analyzer"
_WRITTEN = "presidio:{}"  # how its pipeline is named
_ORGANIZATIONS = ("ORG", "ORGANIZATION")  # as pipelines call them
_TOGETHER = 8  # texts that go through the pipeline together


@dataclass(frozen=True)
class Presidio(Detector):
    """All that Presidio's analyzer finds with a spaCy pipeline, with its own types. Nothing is downloaded or asked for.

    Of finds of one type that overlap Presidio itself keeps one; of different types all stand.
    """

    model: str = parameter(MODEL, "the spaCy pipeline: an installed package, or the path of a folder")
    language: str = parameter("en", "the language of the texts, as Presidio names it")
    threshold: float = parameter(0.0, "finds with a lower score are left out")
    org: bool = parameter(False, "also organizations, which Presidio leaves out because it is often wrong on them")

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise PlanError(f"threshold={self.threshold} is out of range; expected 0 to 1", type(self).__name__)

    def find(self, texts: Sequence[str]) -> list[list[Find]]:
        batches = self._engine
        options = {"language": self.language, "batch_size": _TOGETHER, "score_threshold": self.threshold}
        with guard_errors(lambda reason: ResourceError(f"Presidio failed: {reason}; or choose {INSTEAD}")):
            answers = batches.analyze_iterator(texts, **options)
        return [
            [
                Find(
                    result.start,
                    result.end,
                    result.entity_type,
                    float(result.score),
                    trim_title(text, result.start, result.end),
                )
                for result in sorted(answer, key=_sort_key)
                if result.start < result.end
            ]
            for text, answer in zip(texts, answers, strict=True)
        ]

    @property
    def types(self) -> tuple[str, ...]:
        return tuple(sorted(self._engine.analyzer_engine.get_supported_entities(self.language)))

    @property
    def _engine(self) -> Any:
        return _engine(self.model, self.language, self.org)

    @property
    def pinned(self) -> tuple[tuple[str, str], ...]:
        try:
            return ((_PACKAGE, version(_PACKAGE)), ("pipeline", pipeline(self.model, _WRITTEN).revision))
        except PackageNotFoundError as error:
            raise _not_installed() from error


def _sort_key(result: Any) -> tuple[int, int, str]:
    """What results are ordered by: Presidio's own order follows the scores."""
    return result.start, result.end, result.entity_type


def _not_installed() -> UnavailableError:
    return UnavailableError(
        f"presidio needs a package that is not installed: pip install 'showthrough[presidio]'; or choose {INSTEAD}"
    )


@lru_cache(maxsize=1)
def _engine(model: str, language: str, org: bool) -> Any:
    """Presidio's engine for batches. Neither a pipeline nor a list of domains is fetched, as Presidio would."""
    try:
        from presidio_analyzer import AnalyzerEngine, BatchAnalyzerEngine
        from presidio_analyzer.nlp_engine import NlpEngineProvider
        from presidio_analyzer.predefined_recognizers import EmailRecognizer
        from tldextract import TLDExtract
    except ImportError as error:
        raise _not_installed() from error
    pipeline(model, _WRITTEN)  # raises where it is not there, before Presidio would download it
    domains = TLDExtract(cache_dir=None, suffix_list_urls=())

    class OfflineEmail(EmailRecognizer):  # type: ignore[misc]
        def validate_result(self, pattern_text: str) -> bool:
            return bool(domains(pattern_text).fqdn)

    with guard_errors(lambda reason: ResourceError(f"Presidio cannot be made: {reason}; or choose {INSTEAD}")):
        provider = NlpEngineProvider()
        model_name = str(at_home(model)) if is_path(model) else model
        provider.nlp_configuration["models"] = [{"lang_code": language, "model_name": model_name}]
        ignored = provider.nlp_configuration["ner_model_configuration"]["labels_to_ignore"]
        labels_to_ignore = [label for label in ignored if not (org and label in _ORGANIZATIONS)]
        provider.nlp_configuration["ner_model_configuration"]["labels_to_ignore"] = labels_to_ignore
        nlp_engine = provider.create_engine()
        nlp_engine.nlp[language].max_length = sys.maxsize  # spaCy refuses documents of a million characters
        engine = AnalyzerEngine(nlp_engine=nlp_engine, supported_languages=[language])
        engine.registry.remove_recognizer("EmailRecognizer")
        engine.registry.add_recognizer(OfflineEmail(supported_language=language))
        return BatchAnalyzerEngine(engine)
