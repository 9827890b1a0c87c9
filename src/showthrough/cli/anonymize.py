from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from showthrough.anonymizers import Anonymizer, anonymize, named_anonymizers
from showthrough.anonymizers.combined import Everywhere
from showthrough.anonymizers.replacing import Way
from showthrough.cli.completion import anonymizer_names
from showthrough.cli.consoles import console, show_notes
from showthrough.cli.options import Said, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.progress import scoring
from showthrough.cli.views import Views, view_options
from showthrough.data.masks import Anonymization
from showthrough.errors import OutputError, printable
from showthrough.evaluation.notices import told_of_files
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.formats import read_corpus
from showthrough.formats.made import written

With = Annotated[
    list[str],
    typer.Option(
        "--with",
        metavar="SYSTEM",
        help="An anonymizer: rules, presidio, spacy:PIPELINE, hf:MODEL, FOLDER/, cmd:PROGRAM …; may be repeated.",
        autocompletion=anonymizer_names,
    ),
]
Replacement = Annotated[Way, typer.Option("--replace", help="What stands in place of what is masked.")]
Threshold = Annotated[
    float | None,
    typer.Option("--threshold", metavar="SCORE", min=0, max=1, help="Leave out masks with a lower score."),
]
EverywhereToo = Annotated[
    bool, typer.Option("--everywhere", help="Mask every other occurrence of what is masked in a document too.")
]
Seen = Annotated[bool, typer.Option("--seen", help="Also documents that a model was trained on, which is noted.")]


@with_options(
    settings=options_of(FileSettings, "format", "id_column", "text_column", "jobs"), views=view_options("force")
)
def command(
    corpus: Annotated[Path, typer.Argument(help="The corpus.")],
    with_: With,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="PATH",
            help="The file for the masks; of several systems, a folder. Else SYSTEM.json.",
        ),
    ] = None,
    replacement: Replacement = "label",
    threshold: Threshold = None,
    everywhere: EverywhereToo = False,
    seen: Seen = False,
    *,
    settings: Said,
    views: Said,
) -> None:
    """Anonymize a corpus with anonymizers that are built in, installed, trained, or run outside.

    Systems are joined with +, as in presidio+crf/, and named with =, as in mine=cmd:"python mine.py". The file says how
    it was made and what it cost. Text that only a program has treated is not safe to release without being looked at.
    """
    force, jobs = Views.of(views).force, settings.pop("jobs", 1)
    systems = asked_systems(with_, everywhere)
    paths = _paths(systems, output)
    check_distinct(paths.values(), inputs([corpus]))
    for path in paths.values():
        check_file(path, force, makes_folder=len(paths) > 1)
    originals = read_corpus(corpus, **settings)
    results = Results(force)
    for name, system in systems.items():
        with scoring() as (advance, _):
            made = anonymize(
                originals, system, name=name, replacement=replacement, threshold=threshold, jobs=jobs, seen=seen,
                progress=advance,
            )  # fmt: skip
        paths[name].parent.mkdir(parents=True, exist_ok=True)
        results.write(paths[name], written(made), private=True, line=_told(made, paths[name]))
    show_notes(told_of_files(originals, (), ()))
    results.tell(console())


def asked_systems(texts: Iterable[str], everywhere: bool) -> dict[str, Anonymizer]:
    """The anonymizers that were asked for, by name."""
    systems = named_anonymizers(texts)
    return {name: Everywhere(one) for name, one in systems.items()} if everywhere else systems


def file_name(name: str) -> str:
    """A name as a file can have it."""
    return re.sub(r"[^\w.+-]+", "_", name).strip("_") or "system"


def _paths(systems: Iterable[str], output: Path | None) -> dict[str, Path]:
    names = list(systems)
    if output is not None and len(names) == 1 and not output.is_dir() and not str(output).endswith("/"):
        return {names[0]: output}
    if output is not None and output.is_file():
        raise OutputError(f"{output}: is a file; expected a folder for the masks of {len(names)} systems")
    return {name: (output or Path()) / f"{file_name(name)}.json" for name in names}


def _told(made: Anonymization, path: Path) -> str:
    count = sum(map(len, made.masks.values()))
    cost = made.provenance.cost if made.provenance else None
    rate = f", {cost.rate:,.1f} documents a second" if cost and cost.rate else ""
    return printable(f"{made.name}: {count:,} masks in {len(made):,} documents{rate}, written to {path}")
