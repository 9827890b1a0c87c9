from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Meta

from showthrough.cli.arguments import named_files
from showthrough.cli.consoles import console, show_notes
from showthrough.cli.llm_options import ESTIMATE, answers_beside, recordings_of, remove_answers, with_recordings
from showthrough.cli.options import CliOptions, Output, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.progress import show_activity
from showthrough.cli.signals import interruptible, unbroken
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import InputError, PlanError, Problem
from showthrough.data.background import Background
from showthrough.data.documents import Corpus
from showthrough.data.retyping import split_names
from showthrough.evaluation.estimate import CallEstimate
from showthrough.evaluation.requests import Source, with_released
from showthrough.evaluation.settings import FileSettings, options_of, settings_problems
from showthrough.families.reidentification.api import estimate_attacks, reidentify
from showthrough.families.reidentification.attacks import DEFAULT
from showthrough.families.reidentification.report_attacks import attacks_json_text, show_attacks, show_risks
from showthrough.formats import read_anonymized, read_corpus
from showthrough.formats.people.background import read_background, read_recorded
from showthrough.formats.registry import shared_format
from showthrough.metrics import ReIdentification
from showthrough.models.settings import AskingSettings, ModelSettings
from showthrough.report.estimate import show_estimate
from showthrough.run.run import Run

_SAMPLING = "seed", "resamples", "confidence"
_SETTINGS = (
    *_SAMPLING, *options_of(ModelSettings), *options_of(AskingSettings), "pairing", "format", "id_column",
    "text_column", "released", "offsets",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AttackOptions:
    """What is tried, and what is shown of it."""

    attacks: Annotated[
        str,
        Meta(
            title="LIST",
            description="Attacks (showthrough list attacks); a+b fuses; +prior, +llm:MODEL, +assignment.",
        ),
    ] = DEFAULT
    k: Annotated[int, Meta(description="Also count people among the first N guesses.", extra={"flags": ("-k",)})] = 5
    explain: Annotated[
        int,
        Meta(title="N", description="List the N documents at highest risk, and the words that gave them away.", ge=0),
    ] = 0
    abstain: Annotated[
        bool,
        Meta(description="Also show how many are named rightly if the attacker names only those who are sure enough."),
    ] = False
    references: Annotated[bool, Meta(description="Attack nothing masked and everything masked as well.")] = True
    estimate: Annotated[bool, Meta(description=ESTIMATE)] = False


@with_options(
    attack_options=options_of(AttackOptions),
    settings=options_of(FileSettings, *_SETTINGS),
    views=view_options("without_text", "force"),
)
def command(
    background: Annotated[
        Path,
        typer.Option("--background", metavar="FILE", help="What the attacker knows: JSON of person's id to text."),
    ],
    anonymizations: Annotated[
        list[str] | None, typer.Argument(metavar="NAME=FILE", help="Anonymized texts, or masks (then with --corpus).")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option("--corpus", metavar="FILE", help="The originals that masks belong to.")
    ] = None,
    *,
    attack_options: CliOptions,
    output: Output = None,
    json: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write what the table shows as JSON.")
    ] = None,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """--explain also lists the words that gave people away."""
    attacking, chosen, shown = AttackOptions(**attack_options), FileSettings(**settings), Views.of(views)
    if problems := [*settings_problems(attacking), *settings_problems(chosen)]:
        raise InputError(problems)
    files = _sources(anonymizations, corpus, chosen)
    answers = answers_beside(chosen, output, [ReIdentification(attacking.attacks)])
    asking = with_recordings(chosen.part(AskingSettings), answers)
    read = inputs([background, corpus, *(Path(source.path) for source in files.values())], [attacking.attacks])
    check_distinct((output, json, recordings_of(asking)), read)
    for path in () if attacking.estimate else (output, json):
        check_file(path, shown.force)
    originals = _originals(corpus, chosen) if corpus else None
    knowledge, texts = _read_inputs(background, files, originals, chosen)
    work = _Work(knowledge, texts, attacking, chosen, originals, asking)
    if attacking.estimate:
        show_estimate(work.estimate(), console())
        return
    results = Results(shown.force)
    with unbroken():  # a signal that comes when all is done must not lose it
        run = work.attack()
        written_run = shown.redact(run)
        if output:
            results.save(written_run, output)
            if shown.without_text:
                remove_answers(answers, run, results)
    if json:
        results.write(json, attacks_json_text(written_run))
    show_notes(note for note in run.notes if note.startswith(tuple(f"{name}: " for name in texts)))  # of releases
    screen = console()
    show_attacks(written_run, screen)
    if attacking.explain:
        show_risks(written_run, attacking.explain, screen)
    results.tell(screen)


@dataclass(frozen=True)
class _Work:
    """What is attacked, and how."""

    background: Background
    texts: dict[str, dict[str, str]]
    attacking: AttackOptions
    settings: FileSettings
    originals: Corpus | None
    asking: AskingSettings

    def estimate(self) -> list[CallEstimate]:
        return estimate_attacks(
            *(self.background, self.texts, self.attacking.attacks),
            corpus=self.originals,
            references=self.attacking.references,
            asking=self.asking,
        )

    def attack(self) -> Run:
        with show_activity("attacking") as watch:
            return interruptible(
                lambda: reidentify(
                    *(self.background, self.texts, self.attacking.attacks),
                    k=self.attacking.k,
                    **{name: getattr(self.settings, name) for name in _SAMPLING},
                    models=self.settings.models,
                    watch=watch,
                    corpus=self.originals,
                    references=self.attacking.references,
                    asking=self.asking,
                    abstain=self.attacking.abstain,
                    pairing=self.settings.pairing,
                )
            )


def _sources(anonymizations: list[str] | None, corpus: Path | None, settings: FileSettings) -> dict[str, Source]:
    """Where the released texts are: in files of their own, or in columns beside the originals."""
    files = {name: Source(path, settings.columns) for name, path in named_files(anonymizations).items()}
    if corpus is not None:
        return with_released(Source(corpus, settings.columns), files, settings.released)
    if settings.released:
        raise PlanError("--released names columns beside the originals; expected --corpus FILE, the table with both")
    return files


def _originals(corpus: Path, settings: FileSettings) -> Corpus:
    named = {"engine": None, "watch": None, "released": split_names(settings.released), **settings.columns}
    return read_corpus(corpus, format=settings.format, offsets=settings.offsets, **named)  # type: ignore[arg-type]


def _read_inputs(
    background: Path, files: dict[str, Source], corpus: Corpus | None, settings: FileSettings
) -> tuple[Background, dict[str, dict[str, str]]]:
    if not files:
        recorded = read_recorded(background)
        return recorded.background, recorded.documents
    problems: list[Problem] = []
    texts: dict[str, dict[str, str]] = {}
    for name, source in files.items():
        try:
            options = {"format": shared_format(settings.format, source.path), "offsets": settings.offsets}
            texts[name] = read_anonymized(source.path, corpus, **options, **source.columns)  # type: ignore[arg-type]
        except InputError as error:
            problems += error.problems
    try:
        # Columns beside the originals are those of the corpus alone.
        knowledge = read_background(background, **({} if settings.released else settings.columns))
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(problems)
    return knowledge, texts
