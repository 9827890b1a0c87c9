"""Options of commands that put systems to work, and what such commands say of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from showthrough.cli.completion import anonymizer_names
from showthrough.cli.consoles import documents, notes, print_plain
from showthrough.cli.progress import scoring
from showthrough.cli.signals import INTERRUPTED
from showthrough.core.errors import OutputError, printable, shorten
from showthrough.data.masks import Anonymization
from showthrough.models.cache import Cache
from showthrough.models.chat.recordings import answers_path
from showthrough.models.settings import AskingSettings

if TYPE_CHECKING:
    from showthrough.systems import Anonymizer
    from showthrough.systems.anonymizing import Progress

# Systems are imported where they are put to work: commands that may do so mostly score masks that are there.

_WITH = typer.Option(
    "--with",
    metavar="SYSTEM",
    help="An anonymizer: rules, presidio, spacy:PIPELINE, hf:MODEL, llm:MODEL, FOLDER/, cmd:PROGRAM …; repeatable.",
    autocompletion=anonymizer_names,
)
With = Annotated[list[str], _WITH]
WithSome = Annotated[list[str] | None, _WITH]
Replacement = Annotated[
    Literal["label", "suppress", "number", "surrogate", "generalize"],  # `systems.replacing.Way`
    typer.Option("--replace", help="What replaces masked text."),
]
Threshold = Annotated[
    float | None,
    typer.Option("--threshold", metavar="SCORE", min=0, max=1, help="Leave out masks with a lower score."),
]
EverywhereToo = Annotated[
    bool, typer.Option("--everywhere", help="Mask every other occurrence of what is masked in a document too.")
]
Seen = Annotated[bool, typer.Option("--seen", help="Allow documents that a model was trained on; a note says so.")]


def parse_systems(texts: Iterable[str], everywhere: bool) -> dict[str, Anonymizer]:
    """The anonymizers that were asked for, by name."""
    from showthrough.systems import named_anonymizers
    from showthrough.systems.combined import Everywhere

    systems = named_anonymizers(texts)
    return {name: Everywhere(system) for name, system in systems.items()} if everywhere else systems


def with_answers(
    systems: Mapping[str, Anonymizer], settings: AskingSettings, paths: Mapping[str, Path]
) -> tuple[dict[str, Anonymizer], list[Path]]:
    """The systems with their language models asked as the settings say, and the files of their answers.

    Answers are kept beside what is written for a system, unless somebody named a file.
    """
    from showthrough.systems.spec import bind_asking, language_models

    bound, files = dict(systems), []
    for name, system in systems.items():
        if language_models(system):
            named = settings.recordings or (str(answers_path(paths[name])) if name in paths else None)
            bound[name] = bind_asking(system, replace(settings, recordings=named))
            files += [] if named is None else [Path(named)]
    return bound, list(dict.fromkeys(files))


def mask_files(systems: Iterable[str], folder: Path) -> dict[str, Path]:
    """A file for the masks of each system. Raises OutputError where two names make one."""
    paths = {name: folder / f"{_file_name(name)}.json" for name in systems}
    if len(set(paths.values())) < len(paths):
        raise OutputError(
            f"{folder}: two systems would be written to one file; name one of them, as in second=presidio"
        )
    return paths


def _file_name(name: str) -> str:
    """A name as a file can have it."""
    return re.sub(r"[^\w.+-]+", "_", name).strip("_") or "system"


@contextmanager
def at_work(name: str, system: Anonymizer, cache: Cache) -> Iterator[Progress]:
    """A bar for a system; if a user stops it, a message says what is kept of its work."""
    reached = 0, 0
    with scoring(shorten(name)) as (advance, _):

        def progress(done: int, total: int) -> None:
            nonlocal reached
            reached = done, total
            advance(done, total)

        try:
            yield progress
        except KeyboardInterrupt:
            from showthrough.systems.mask_cache import is_cacheable

            done, total = reached
            remark = "what was found is kept, and the same command goes on from there"
            summary = f"interrupted: {shorten(name)} was done with {done} of {documents(total)}"
            print_plain([f"{summary}; {remark if is_cacheable(system, cache) else 'nothing of it is kept'}"], notes())
            raise SystemExit(INTERRUPTED) from None  # no Exception: nobody takes it for a failure of the system


def describe_masks(anonymization: Anonymization, path: Path) -> str:
    """What was made, how fast, and where it is."""
    count = sum(map(len, anonymization.masks.values()))
    cost = anonymization.provenance.cost if anonymization.provenance else None
    rate = f", {cost.rate:,.1f} documents a second" if cost and cost.rate else ""
    earlier = " (measured earlier)" if rate and cost and cost.earlier else ""
    return printable(
        f"{anonymization.name}: {count:,} masks in {len(anonymization):,} documents{rate}{earlier}, written to {path}"
    )
