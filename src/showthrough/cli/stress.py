from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from showthrough.cli.arguments import named_files
from showthrough.cli.completion import format_names, perturbation_names
from showthrough.cli.consoles import PAGE, console, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, check_folder, inputs
from showthrough.cli.progress import scoring
from showthrough.cli.sheets import SheetViews, sheet_options
from showthrough.cli.signals import refuse_unavailable
from showthrough.cli.systems import EverywhereToo, Replacement, Threshold, WithSome, parse_systems
from showthrough.core.errors import InputError, PlanError, Problem, printable, shorten
from showthrough.data.documents import Corpus
from showthrough.data.masks import Anonymization
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.registry import format_named, same_format, shared_format
from showthrough.formats.writing import describe_losses, write_parts
from showthrough.report.sheets.terminal import show_sheet
from showthrough.report.stress import stress_sheet
from showthrough.storage.file_heads import Head
from showthrough.studies.stress.comparison import Outputs, stress
from showthrough.studies.stress.perturbations import (
    ORIGINAL,
    Perturbation,
    parse_perturbations,
    perturb as perturbed,
)
from showthrough.studies.stress.values import StressStudy
from showthrough.systems.anonymizing import Progress

RECORD = "perturbations.json"
_READING = ("format", "group_by", "id_column", "text_column", "offsets")
_SCORING = (
    "language", "map", "direct", "quasi", "ignore", "function_words", "seen", "resamples", "confidence", "jobs",
    "cache",
)  # fmt: skip


class StressRecord(msgspec.Struct, frozen=True):
    """What lies beside perturbed corpora, and says how to make them again."""

    corpus: str  # its digest
    seed: int
    perturbations: list[str]


def _views() -> dict[str, Any]:
    options = sheet_options()
    return {**options, "json": options["json"]._replace(flags=("-o", "--output", "--json"))}


OutputFolders = Annotated[
    list[str] | None,
    typer.Option(
        "--outputs",
        metavar="NAME=FOLDER",
        help="What a system made elsewhere of the corpora that --write gave; may be repeated.",
    ),
]
Perturbations = Annotated[
    list[str] | None,
    typer.Option(
        "--perturb",
        metavar="NAME",
        help="A perturbation, e.g. typos or 'typos(rate=0.5)'; may be repeated. The default is all.",
        autocompletion=perturbation_names,
    ),
]
Seed = Annotated[
    int, typer.Option("--seed", metavar="N", min=0, help="Seed of the perturbations and of the resampling.")
]
MaxLoss = Annotated[
    float | None,
    typer.Option("--max-loss", metavar="LOSS", min=0, max=1, help="A gate: how much any number may lose."),
]
WriteFolder = Annotated[
    Path | None,
    typer.Option("--write", metavar="FOLDER", help="Write the original and the perturbed corpora, and nothing else."),
]
Target = Annotated[
    str | None,
    typer.Option("--to", metavar="NAME", help="Write them in another format.", autocompletion=format_names),
]


@with_options(
    settings=options_of(FileSettings, *_READING),
    measuring=options_of(FileSettings, *_SCORING),
    views=_views(),
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus, with annotations.")],
    systems: WithSome = None,
    outputs: OutputFolders = None,
    perturb: Perturbations = None,
    seed: Seed = 0,
    max_loss: MaxLoss = None,
    write: WriteFolder = None,
    to: Target = None,
    replacement: Replacement = "label",
    threshold: Threshold = None,
    everywhere: EverywhereToo = False,
    *,
    settings: CliOptions,
    measuring: CliOptions,
    views: CliOptions,
) -> None:
    """Each document is anonymized as it is and perturbed. Shown are the differences of removed_di, removed_qi and
    precision with their intervals, by perturbation and entity type, and the documents that broke worst.

    Exit status with --max-loss: 0 no number can have lost more, by its interval; 1 one lost more or cannot be known; 2
    bad request; 3 not sure.
    """
    ways = parse_perturbations(perturb or ())
    written = SheetViews.of(views)
    if write is not None:
        if systems or outputs or written.files or max_loss is not None:
            raise PlanError("writes corpora alone; expected no system, file or gate beside it", "write")
        _write(corpus, ways, seed, write, to, settings, written.force)
        return
    if to is not None:
        raise PlanError("is for --write; expected no such option", "to")
    by_name, folders = parse_systems(systems or (), everywhere), named_files(outputs, "outputs")
    if not (by_name or folders):
        raise PlanError("found no system; expected --with SYSTEM, --outputs NAME=FOLDER or --write FOLDER", "stress")
    if folders and not by_name and not perturb:
        ways = _present(folders, ways)
    files = {name: _files(folder, [ORIGINAL, *(way.name for way in ways)]) for name, folder in folders.items()}
    check_distinct(written.paths, inputs([corpus, *folders.values()], systems or ()))
    written.check()
    documents = read_corpus(corpus, **settings)
    show_notes(file_notes(documents, (), ()))
    for folder in folders.values():
        _check_record(folder, documents, seed, ways)
    with refuse_unavailable():
        study = stress(
            documents, by_name, ways, outputs=_readers(files, settings), seed=seed, replacement=replacement,
            threshold=threshold, watched=_watched, **measuring,
        )  # fmt: skip
    if max_loss is not None:
        study = msgspec.structs.replace(study, gate=study.check(max_loss))
    _show(study, written)
    if study.gate is not None and study.gate.status:
        raise typer.Exit(study.gate.status)


def _show(study: StressStudy, written: SheetViews) -> None:
    results = Results(written.force)
    written.write(stress_sheet(study), study, results)
    screen = console(PAGE)
    show_sheet(written.redact(stress_sheet(study, whole=False)), screen)
    results.tell(screen)


@contextmanager
def _watched(what: str) -> Iterator[Progress]:
    with scoring(shorten(what)) as (advance, _):
        yield advance


def _write(
    path: Path, ways: Sequence[Perturbation], seed: int, folder: Path, to: str | None, settings: CliOptions, force: bool
) -> None:
    """The original and the perturbed corpora in one folder, with a record of how they were made."""
    head = Head.of(path)
    target = to or same_format(head, settings.get("format"))
    format_named(target, "write")  # raises before anything is read
    read = inputs([path])
    check_distinct((folder,), read)
    check_folder(folder)
    corpus = read_corpus(head, **settings)
    parts = {ORIGINAL: corpus, **{way.name: perturbed(corpus, way, seed) for way in ways}}
    record = StressRecord(corpus.digest, seed, [way.text for way in ways])
    content = msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n"
    written = write_parts(parts, folder, target, {RECORD: content}, force=force, read=read)
    show_notes([*file_notes(corpus, (), ()), *describe_losses(target, written.lost)])
    typer.echo(printable(f"the original and {len(ways)} perturbed corpora written to {written.where}"))


def _files(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    """The file or folder of each corpus. Raises InputError for all that are not there, or there twice."""
    if not folder.is_dir():
        raise PlanError("is no folder; expected one with a file for each corpus that --write gave", str(folder))
    studies = {name: _named_so(folder, name) for name in names}
    problems = [
        Problem(str(folder), name, f"found {len(paths)} files of this name; expected one, such as {name}.json")
        for name, paths in studies.items()
        if len(paths) != 1
    ]
    if problems:
        raise InputError(problems)
    return {name: paths[0] for name, paths in studies.items()}


def _named_so(folder: Path, name: str) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.name.partition(".")[0] == name)


def _present(folders: Mapping[str, Path], ways: Sequence[Perturbation]) -> list[Perturbation]:
    """The perturbations that every folder has, where nobody named any."""
    folders = {name: folder for name, folder in folders.items() if folder.is_dir()}
    present = [way for way in ways if all(_named_so(folder, way.name) for folder in folders.values())]
    if absent := [way.name for way in ways if way not in present]:
        if not present:
            return list(ways)
        show_notes([f"no outputs of these perturbations, which are left out: {', '.join(absent)}"])
    return present


def _check_record(folder: Path, corpus: Corpus, seed: int, ways: Sequence[Perturbation]) -> None:
    """Raises PlanError where the record beside outputs says that they are of other corpora than these."""
    file = folder / RECORD
    if not file.is_file():
        return
    try:
        record = msgspec.json.decode(file.read_bytes(), type=StressRecord)
    except (OSError, msgspec.MsgspecError) as error:
        raise PlanError(f"cannot be read: {error}", str(file)) from error
    if record.corpus != corpus.digest:
        raise PlanError("was written with another corpus, or with other annotations; expected this one", str(file))
    if record.seed != seed:
        raise PlanError(f"was written with --seed {record.seed}; found --seed {seed}; expected the same", str(file))
    if other := [way.text for way in ways if way.text not in record.perturbations]:
        recorded = ", ".join(record.perturbations)
        raise PlanError(f"has no {other[0]}; expected one of {recorded}: say --perturb", str(file))


def _readers(files: Mapping[str, Mapping[str, Path]], settings: CliOptions) -> Outputs:
    columns = {name: settings[name] for name in ("id_column", "text_column", "offsets") if name in settings}

    def reader(system: str) -> Callable[[str, Corpus], Anonymization]:
        def read(name: str, corpus: Corpus) -> Anonymization:
            path = files[system][name]
            return read_anonymization(
                path, corpus, format=shared_format(settings.get("format"), path), name=system, **columns
            )

        return read

    return {system: reader(system) for system in files}
