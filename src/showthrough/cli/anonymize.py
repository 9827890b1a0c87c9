from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import console, notes, print_plain, show_notes
from showthrough.cli.llm_options import ESTIMATE
from showthrough.cli.options import CliOptions, with_options
from showthrough.cli.outputs import Results, check_distinct, check_file, inputs
from showthrough.cli.systems import (
    EverywhereToo,
    Replacement,
    Seen,
    Threshold,
    With,
    at_work,
    describe_masks,
    mask_files,
    parse_systems,
    with_answers,
)
from showthrough.cli.view_options import Views, view_options
from showthrough.core.errors import LINE, InputError, OutputError, join_names, shorten
from showthrough.evaluation.notices import answer_notes, file_notes, training_notes
from showthrough.evaluation.settings import FileSettings, Settings, options_of, settings_problems
from showthrough.formats import read_corpus
from showthrough.formats.made_masks import encode_anonymization
from showthrough.models.cache import usual_cache
from showthrough.report.estimate import show_estimate
from showthrough.systems import anonymize
from showthrough.systems.anonymizing import check_ready, has_to_load
from showthrough.systems.language_model import estimate_systems

MasksOutput = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="PATH", help="The file for the masks; of several systems, a folder. Else SYSTEM.json."
    ),
]


@with_options(
    settings=options_of(FileSettings, "format", "id_column", "text_column", "offsets"),
    work=options_of(FileSettings, "jobs", "cache", "send_text_to", "recordings", "concurrency", "rate", "price"),
    views=view_options("force"),
)
def command(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The corpus.")],
    with_: With,
    output: MasksOutput = None,
    replacement: Replacement = "label",
    threshold: Threshold = None,
    everywhere: EverywhereToo = False,
    seen: Seen = False,
    *,
    settings: CliOptions,
    work: CliOptions,
    estimate: Annotated[bool, typer.Option("--estimate", help=ESTIMATE)] = False,
    views: CliOptions,
) -> None:
    """Systems are joined with +, as in presidio+crf/, and named with =, as in mine=cmd:"python mine.py". The file
    records how it was made and what it cost. Finds are stored (showthrough cache), so that an interrupted command
    goes on. Look at the text before you release it: a program alone does not make it safe.
    """
    force, how = Views.of(views).force, Settings(**work)
    if problems := settings_problems(how):
        raise InputError(problems)
    systems = parse_systems(with_, everywhere)
    paths = _paths(systems, output)
    systems, answers = with_answers(systems, how, paths)
    check_distinct((*paths.values(), *answers), inputs([corpus], with_))
    for path in paths.values():
        check_file(path, force, makes_folder=len(paths) > 1)
    originals = read_corpus(corpus, **settings)
    if estimate:
        show_estimate(estimate_systems(originals, systems, how), console())
        return
    cache = usual_cache(how.cache)
    check_ready(originals, systems, seen, cache, loading=False)
    _announce_loading([name for name, system in systems.items() if has_to_load(originals, system, cache)])
    check_ready(originals, systems, seen, cache, loading=len(systems) > 1)  # one alone loads as soon when it begins
    results, remarks = Results(force), file_notes(originals, (), ())
    for name, system in systems.items():
        with at_work(name, system, cache) as progress:
            anonymization = anonymize(
                originals, system, name=name, replacement=replacement, threshold=threshold, jobs=how.jobs or 1,
                seen=seen, progress=progress, cache=cache,
            )  # fmt: skip
        paths[name].parent.mkdir(parents=True, exist_ok=True)
        results.write(
            paths[name],
            encode_anonymization(anonymization),
            private=True,
            line=describe_masks(anonymization, paths[name]),
        )
        remarks += [*training_notes(originals, (anonymization,), ()), *answer_notes(originals, (anonymization,), ())]
    show_notes(remarks)
    results.tell(console())


def _announce_loading(names: Sequence[str]) -> None:
    if names:
        print_plain([shorten(f"loading {join_names(names)}", LINE)], notes())


def _paths(systems: Iterable[str], output: Path | None) -> dict[str, Path]:
    names = list(systems)
    if output is not None and len(names) == 1 and not output.is_dir() and not str(output).endswith("/"):
        return {names[0]: output}
    if output is not None and output.is_file():
        raise OutputError(f"{output}: is a file; expected a folder for the masks of {len(names)} systems")
    return mask_files(names, output or Path())
