from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table

from showthrough.cli.consoles import console, print_plain, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, inputs
from showthrough.cli.progress import show_activity
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.cli.signals import refuse_unavailable, unbroken
from showthrough.core.errors import PlanError, printable
from showthrough.data.documents import Corpus
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.models.model_folders import check_model_folder
from showthrough.report.sheets.terminal import show_sheet
from showthrough.report.training import curve_sheet
from showthrough.studies.learning_curves import LearningCurve, learning_curve
from showthrough.systems.taggers.tagger import Tagger
from showthrough.systems.taggers.training import BETA, build_recipe, train_tagger

Learner = Annotated[str, typer.Option(metavar="NAME", help="crf, svm, boosted or hmm; usually the preset's, or crf.")]
Preset = Annotated[str, typer.Option(metavar="NAME", help="One of the challenge's systems, e.g. wellner3.")]
Groups = Annotated[str, typer.Option(metavar="GROUPS", help="Switch features, e.g. +cues,-trusted,window=2.")]
Parser = Annotated[
    str,
    typer.Option("--pipeline", metavar="spacy:NAME", help="For parts of speech, verbs, named entities and a parser."),
]
Annotator = Annotated[
    str, typer.Option(metavar="NAME", help="Whose layers: each (a training copy of its own), union, or a name.")
]
Binary = Annotated[bool, typer.Option("--binary", help="Learn what to mask, and no types.")]
Beta = Annotated[
    float,
    typer.Option(metavar="N", help="How much more recall counts than precision when choosing what to mask."),
]
Threshold = Annotated[
    float | None,
    typer.Option(
        metavar="SCORE", min=0, max=1, help="Mask from this probability on; else chosen on training documents."
    ),
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Seed for splitting records, and for learners that draw.")]

USUAL = "crf"  # the learner
_RULES_ALONE = "rules alone: training found which headings, cues and forms mean which type, and learned no weights"


@with_options(
    settings=options_of(FileSettings, "format", "group_by", "id_column", "text_column", "offsets", "jobs"),
    views={name: option for name, option in sheet_options().items() if name != "without_text"},
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="Annotated documents to learn from.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="The folder for the model.")],
    learner: Learner = "",
    preset: Preset = "",
    features: Groups = "",
    pipeline: Parser = "",
    dev: Annotated[Path | None, typer.Option(metavar="FILE", help="Other documents, to score it on.")] = None,
    annotator: Annotator = "each",
    binary: Binary = False,
    beta: Beta = BETA,
    threshold: Threshold = None,
    seed: Seed = 0,
    *,
    curving: Annotated[
        bool,
        typer.Option("--curve", help="Train on growing parts of the corpus too, and score each on --dev."),
    ] = False,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Train a tagger on what is marked: features and a learner.

    It works as systems of the i2b2 challenge do. Mentions marked as not to be masked are not learned. The folder holds
    digests of its training documents, so that these are refused later. Keep the folder as you keep the texts.
    """
    written, jobs = SheetViews.of(views), settings.pop("jobs", 1)
    _check_curve(curving, dev, written)
    build_recipe(learner, preset, features, pipeline)  # raises before anything is read
    check_distinct((output, *written.paths), inputs([corpus, dev]))
    check_model_folder(output, written.force)
    written.check()
    documents = read_corpus(corpus, **settings)
    dev_corpus = None if dev is None else read_corpus(dev, **settings)
    curve: LearningCurve | None = None
    with refuse_unavailable(), show_activity("training") as watch:

        def train(learned: Corpus) -> Tagger:
            return train_tagger(
                learned, learner, preset=preset, features=features, pipeline=pipeline, annotators=annotator,
                binary=binary, beta=beta, threshold=threshold, dev=dev_corpus, seed=seed, jobs=jobs, watch=watch,
            )  # fmt: skip

        if curving and dev_corpus is not None:
            name = preset or learner or USUAL
            curve, tagger = learning_curve(documents, dev_corpus, train, system=name, seed=seed, jobs=jobs)
            tagger.figures["curve"] = msgspec.to_builtins(curve)
        else:
            tagger = train(documents)
    with unbroken():
        tagger.save(output, written.force)
    show_notes([*file_notes(documents, (), ()), *_silver(tagger)])
    if curve is not None:
        _show_curve(curve, written)
    _tell(tagger, output, dev)


def _show_curve(curve: LearningCurve, written: SheetViews) -> None:
    sheet, results = curve_sheet(curve), Results(written.force)
    written.write(sheet, curve, results)
    show_sheet(sheet, console())
    results.tell(console())


def _check_curve(curving: bool, dev: Path | None, written: SheetViews) -> None:
    """Raises PlanError for what a curve lacks, and for what would be passed over without one."""
    if curving and dev is None:
        raise PlanError("needs documents to score on; expected --dev FILE beside it", "curve")
    if not curving and written.files:
        raise PlanError("is of a curve; expected --curve beside it", next(iter(written.files)))


def _tell(tagger: Tagger, output: Path, dev: Path | None) -> None:
    figures, screen, preset = tagger.figures, console(), tagger.settings["preset"]
    if dev is not None:
        table = Table(title=printable(f"{tagger.name} on {dev.name}"), title_justify="left")
        for metric in figures["dev"]:
            table.add_column(metric, justify="right")
        table.add_row(*("–" if value is None else f"{value:.3f}" for value in figures["dev"].values()))
        screen.print(table)
    name = f"{preset} ({tagger.name})" if preset else tagger.name
    lines = [
        f"{name}: {figures['mentions']:,} mentions of {len(tagger.types)} types in {figures['layers']:,} layers of "
        f"{figures['documents']:,} documents ({figures['tokens']:,} tokens), trained in {figures['seconds']:,.1f} s",
        *([_RULES_ALONE] * (tagger.name == "rules")),
        _threshold_line(tagger),
        f"written to {output}",
    ]
    print_plain(map(printable, lines), screen)


def _threshold_line(tagger: Tagger) -> str:
    at = [row for row in tagger.figures["thresholds"] if row["threshold"] == tagger.threshold]
    if not at:
        return f"masks from a probability of {tagger.threshold:g} on, as was asked"
    accuracy = f"precision {at[0]['precision']:.3f} and recall {at[0]['recall']:.3f}"
    rule = f"the highest F with beta {tagger.settings['beta']:g}"
    return f"masks from a probability of {tagger.threshold:g} on: {rule} on training documents held out ({accuracy})"


def _silver(tagger: Tagger) -> list[str]:
    by_programs, layers = tagger.figures["silver"], tagger.figures["layers"]
    remark = f"{by_programs} of the {layers} layers that it learned from were marked by programs; perhaps nobody looked"
    return [f"{remark} them through"] if by_programs else []
