"""What is marked in a corpus, replaced by realistic surrogates: `apply --replace surrogate` without masks."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Meta

from showthrough.cli.consoles import documents, notes, print_plain, show_notes
from showthrough.cli.options import CliOptions
from showthrough.cli.outputs import check_distinct, inputs
from showthrough.core.errors import PlanError, join_names, printable, shorten
from showthrough.data.retyping import split_names
from showthrough.evaluation.notices import file_notes
from showthrough.formats import read_corpus
from showthrough.formats.registry import format_named, same_format
from showthrough.formats.writing import write_corpus
from showthrough.models.dictionary import dictionary_from
from showthrough.storage.writing import check_writable
from showthrough.systems.surrogates.chronology import NEAREST
from showthrough.systems.surrogates.replacement import Surrogates, surrogates

DICTIONARY = "wordfreq:en"
_LISTED = 20  # leaks that are named one by one


@dataclass(frozen=True, kw_only=True)
class SurrogateOptions:
    """How marked text is replaced."""

    seed: Annotated[int, Meta(description="Seed of surrogates for what is marked.", ge=0)] = 0
    ambiguous: Annotated[
        float, Meta(title="SHARE", description="Share of surrogate names that are also medical terms.")
    ] = 0.0
    out_of_vocabulary: Annotated[
        float | None, Meta(title="SHARE", description="Share of surrogate names that are in no dictionary.")
    ] = None
    dictionary: Annotated[
        str | None, Meta(title="FILE", description="That dictionary, one word a line; or wordfreq:LANGUAGE.")
    ] = None
    keep: Annotated[
        str | Collection[str], Meta(title="TYPE", description="A marked type that stays as it is; may be repeated.")
    ] = ()


def write_surrogates(
    corpus: Path, output: Path, to: str | None, options: SurrogateOptions, settings: CliOptions, force: bool
) -> None:
    """Replaces what is marked in a corpus by realistic surrogates, and checks that no marked string is left.

    Where the audit finds marked text in the result, nothing is written, and the command ends with status 1.
    """
    if options.seed < 0:
        raise PlanError(f"found {options.seed}; expected 0 or more", "seed")
    keep = split_names(options.keep)
    target = to or same_format(corpus, settings.get("format"))
    format_named(target, "write")  # raises before anything is read
    if options.dictionary and options.out_of_vocabulary is None:
        raise PlanError("is for names out of vocabulary; expected --out-of-vocabulary SHARE beside it", "dictionary")
    read = inputs([corpus], [options.dictionary])
    check_distinct((output,), read)
    check_writable(output)
    marked = read_corpus(corpus, **settings)
    if not marked.survey.annotated:
        raise PlanError("has no annotations, and surrogates replace what is marked", str(corpus))
    for name in keep:
        if name not in marked.survey.types:
            type_names = join_names(marked.survey.types)
            raise PlanError(f"is not a type of the corpus, which has {type_names}", f"keep {shorten(name)}")
    words = frozenset() if options.out_of_vocabulary is None else dictionary_from(options.dictionary or DICTIONARY)
    result = surrogates(
        marked, seed=options.seed, ambiguous=options.ambiguous, out_of_vocabulary=options.out_of_vocabulary,
        dictionary=words, keep=keep,
    )  # fmt: skip
    _refuse_what_is_left(result)
    files = write_corpus(result.corpus, output, target, force=force, read=read)
    show_notes([*file_notes(marked, (), ()), *_cautions(result)])
    where = printable(str(output) if len(files) == 1 else f"{len(files)} files in {output}")
    along = f"; {result.along} unmarked dates or years moved along with marked ones" if result.along else ""
    typer.echo(
        f"{len(result.corpus)} documents written to {where}; {result.repeats} unmarked repeats of marked text were "
        f"replaced too{along}. Audit clean: no marked string of four or more letters is left"
    )


def _refuse_what_is_left(result: Surrogates) -> None:
    """Ends the command when something that was marked would be written as it was."""
    left = (*result.leaks, *result.unmoved)
    if not left:
        return
    print_plain(map(str, left[:_LISTED]), notes())
    if result.unmoved:
        print_plain(
            [
                f"{len(result.unmoved)} marked dates cannot move: they have no years of their own, and no other "
                f"dates of a year are as far apart. Mark the years too, or keep the dates with --keep"
            ],
            notes(),
        )
    print_plain([f"the audit found {len(left)} marked strings in the result; nothing was written"], notes())
    raise typer.Exit(1)


def _cautions(result: Surrogates) -> Iterator[str]:
    """What is written and still may be guessed."""
    if result.near:
        yield (
            f"dates of {documents(len(result.near))} moved by fewer than {NEAREST} days (not counting whole years), "
            f"because unmarked or missing years leave no more room ({join_names(result.near)}). Mark the years to "
            f"move dates farther"
        )
    if result.same_years:
        yield (
            f"{len(result.same_years)} marked years stay as they are, because other years of their records are not "
            f"marked ({join_names([f'{leak.document}: {shorten(leak.text)}' for leak in result.same_years])})"
        )
