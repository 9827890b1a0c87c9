from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.arguments import named_files
from showthrough.cli.consoles import console, print_plain, show_notes
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import check_distinct, check_file, inputs
from showthrough.cli.progress import show_activity
from showthrough.cli.signals import refuse_unavailable, unbroken
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import PlanError, printable, shorten
from showthrough.data.documents import Corpus
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.families.authorship.verifiers.answering import answers_to
from showthrough.families.authorship.verifiers.base import UNANSWERED, Verifier
from showthrough.families.authorship.verifiers.recorded import ORIGINAL
from showthrough.families.authorship.verifiers.traces import UNLESS, trained_on
from showthrough.families.authorship.verifiers.trained import parse_verifier
from showthrough.formats import read_anonymized, read_corpus
from showthrough.formats.authorship.verifier_answers import encode_answers
from showthrough.models.cache import usual_cache
from showthrough.storage.writing import write_file, write_folder

_LINES, _OBJECTS = ".txt", ".jsonl"
Submissions = Annotated[
    list[str] | None, typer.Argument(metavar="NAME=FILE", help="Anonymizations, whose texts it is asked about too.")
]
Which = Annotated[str, typer.Option(metavar="[NAME=]FOLDER", help="A verifier that was trained, or an installed one.")]
Output = Annotated[
    Path,
    typer.Option(
        "-o",
        "--output",
        metavar="PATH",
        help="PAN's lines, or .jsonl; a folder of them where there are anonymizations.",
    ),
]
Seen = Annotated[bool, typer.Option("--seen", help="Allow problems that it was trained on; a note says so.")]


@with_options(settings=options_of(FileSettings, "format", "cache"), views=view_options("force"))
def command(
    problems: Annotated[Path, typer.Argument(metavar="PROBLEMS", help="Problems: PAN's folders or pairs.")],
    anonymizations: Submissions = None,
    *,
    verifier: Which,
    output: Output,
    seen: Seen = False,
    settings: CliOptions,
    views: CliOptions,
) -> None:
    """Ask a verifier who wrote texts, and write its answers.

    If anonymizations are given, the output is a folder with original.txt and a file for each, for --answers.
    """
    force, use_cache = Views.of(views).force, settings.pop("cache", True)
    named = named_files(anonymizations)
    if ORIGINAL in named:
        raise PlanError("this name is that of the originals; expected another", f"anonymization {ORIGINAL}")
    check_distinct((output,), inputs([problems, *named.values()], [verifier]))
    ending = _OBJECTS if output.suffix == _OBJECTS else _LINES
    for name in (ORIGINAL, *named) if named else ():
        check_file(output / f"{name}{ending}", force, makes_folder=True)
    if not named:
        check_file(output, force)
    model = parse_verifier(verifier)
    corpus = read_corpus(problems, **settings)
    notes = _check_seen(model, corpus, seen)
    texts = {name: read_anonymized(path, corpus) for name, path in named.items()}
    texts = {ORIGINAL: {document.id: document.text for document in corpus}, **texts}
    with refuse_unavailable(), show_activity("asking") as watch:
        answers = {
            name: answers_to(model, corpus, own_texts, usual_cache(use_cache), watch)
            for name, own_texts in texts.items()
        }
    content = {
        f"{name}{ending}": encode_answers(by_problem, ending == _OBJECTS) for name, by_problem in answers.items()
    }
    show_notes([*file_notes(corpus, (), ()), *notes])
    with unbroken():
        _write(output, content, bool(named), force)
    screen = console()
    lines = [f"{name}: {_count_line(by_problem)}" for name, by_problem in answers.items()]
    print_plain(map(printable, [*lines, f"written to {output}"]), screen)


def _check_seen(verifier: Verifier, corpus: Corpus, seen: bool) -> list[str]:
    """What is to be noted; raises PlanError where the verifier knows the problems and nobody said that it may."""
    overlap = trained_on(verifier, corpus)
    if overlap and not seen:
        raise PlanError(f"{overlap}; {UNLESS}", f"verifier {shorten(verifier.name)}")
    return [f"the verifier {shorten(verifier.name)} {overlap}"] if overlap else []


def _count_line(answers: Mapping[str, float]) -> str:
    values = answers.values()
    same, other = sum(value > UNANSWERED for value in values), sum(value < UNANSWERED for value in values)
    return f"{len(values)} problems, {same} by one author, {other} by two, {len(values) - same - other} unanswered"


def _write(output: Path, content: Mapping[str, bytes], several: bool, force: bool) -> None:
    if several:
        write_folder(output, content)
    else:
        write_file(output, *content.values(), force=force)
