"""How much of what is marked is in a dictionary: `corpus --vocabulary`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from showthrough.cli.arguments import named_files
from showthrough.cli.consoles import console, show_notes
from showthrough.cli.options import CliOptions
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.core.errors import PlanError
from showthrough.evaluation.engine import evaluate_plan
from showthrough.evaluation.requests import EvaluationRequest, Source
from showthrough.evaluation.settings import FileSettings
from showthrough.families.clinical.report_vocabulary import json_of, show_analysis, show_hard
from showthrough.families.clinical.vocabulary import analyse
from showthrough.formats import read_corpus
from showthrough.metrics import Metric, PhiHardToken, PhiToken, with_parameters
from showthrough.metrics.language import unlike_its_language
from showthrough.models.dictionary import dictionary_from, pin_dictionary

_OF_FILES = ("format", "id_column", "text_column", "offsets")


@dataclass(frozen=True, kw_only=True)
class VocabularyOptions:
    """What PHI is compared with."""

    dictionary: Annotated[
        str | None, Meta(title="FILE", description="A word list, one word a line; or wordfreq:LANGUAGE, the default.")
    ] = None
    against: Annotated[
        str | None, Meta(title="FILE", description="A second corpus, to show beside: challenge, or test.")
    ] = None
    medical: Annotated[
        str | None, Meta(title="FILE", description="Medical terms, one word a line: how much is ambiguous with them.")
    ] = None
    tokens: Annotated[
        str, Meta(title="NAME", description="What a token is: challenge (10/29 is one), or words (it is two).")
    ] = "challenge"


def show_vocabulary(
    corpus: Path,
    anonymizations: Sequence[str] | None,
    options: VocabularyOptions,
    settings: CliOptions,
    json: Path | None,
    force: bool,
) -> None:
    """How much of what is marked is out of vocabulary or ambiguous, and how systems do on it."""
    dictionary, medical, tokens = options.dictionary, options.medical, options.tokens
    mapping, language = settings.pop("map", ""), settings.pop("language", FileSettings.language)  # of these metrics
    chosen = FileSettings(references=False, **settings)
    files = named_files(anonymizations)
    check_distinct((json,), inputs([corpus, *files.values()], [dictionary, medical, options.against]))
    check_file(json, force)
    dictionary_name, terms = (
        pin_dictionary(dictionary or f"wordfreq:{language}"),
        pin_dictionary(medical) if medical else "",
    )
    metrics = tuple(with_parameters(metric, map=mapping, tokens=tokens) for metric in _metrics(dictionary_name))
    sources = {name: Source(file, chosen.columns) for name, file in files.items()}
    plan = EvaluationRequest(Source(corpus, chosen.columns), sources, metrics, chosen).plan()
    corpora = {str(corpus): plan.corpus}
    if options.against:
        reading = {name: settings[name] for name in _OF_FILES if name in settings}
        corpora[options.against] = read_corpus(Path(options.against), **reading)
    for path, source in corpora.items():
        if not source.survey.annotated:
            raise PlanError("has no annotations, and vocabulary looks at what is marked", path)
    if len(corpora) < 1 + bool(options.against):
        raise PlanError("is the corpus itself; expected another one", "against")
    listed, word_list = dictionary_from(terms) if terms else None, dictionary_from(dictionary_name)
    names = [source.name for source in corpora.values()]
    analyses = {
        source.name if names.count(source.name) == 1 else path: analyse(
            *(source, word_list, dictionary_name, mapping), medical=listed, medical_name=terms, tokens=tokens
        )
        for path, source in corpora.items()
    }
    analysis, *others = analyses.values()
    run = evaluate_plan(plan) if files else None
    measures = [PhiHardToken(dictionary=dictionary_name)]
    show_notes(dict.fromkeys(note for source in corpora.values() for note in unlike_its_language(source, [], measures)))
    results = Results(force)
    if json:
        results.write(json, json_of(analysis, others[0] if others else None, run))
    screen = console()
    show_analysis(analyses, screen)
    if run is not None:
        show_hard(run, screen)
    results.tell(screen)


def _metrics(dictionary: str) -> list[Metric]:
    return [
        PhiToken(),
        PhiHardToken(hard="oov", dictionary=dictionary),
        PhiHardToken(hard="ambiguous", dictionary=""),
        PhiHardToken(hard="ambiguous_non_phi", dictionary=""),
    ]
