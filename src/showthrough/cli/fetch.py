from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import wrap
from typing import Annotated

import typer

from showthrough.cli.cache import amount
from showthrough.cli.consoles import PAGE, console, print_plain, show_notes
from showthrough.cli.outputs import check_folder
from showthrough.cli.progress import show_download
from showthrough.formats.datasets.entries import Dataset, PublishedFile, find_dataset, load_datasets, weakness
from showthrough.formats.datasets.fetching import FetchedCorpus, Wish, keep
from showthrough.formats.datasets.store import MANIFEST, KeptFile, corpora_folder


def _names(incomplete: str) -> list[str]:
    return [name for name in load_datasets() if name.startswith(incomplete)]


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[CORPUS]", help="The corpus; without it, all are listed.", autocompletion=_names),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FOLDER", help="Keep it here, not in the data folder.")
    ] = None,
    about: Annotated[
        bool, typer.Option("--about", help="Show what it is and on which terms; download nothing.")
    ] = False,
    sha256: Annotated[
        list[str] | None,
        typer.Option("--sha256", metavar="[FILE=]HEX", help="A digest that you know yourself; repeatable."),
    ] = None,
    unverified: Annotated[
        bool, typer.Option("--unverified", help="Also take files whose digest is not known, unchecked.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Download again what is there, and replace it.")] = False,
) -> None:
    """A corpus that is there is checked, and not downloaded again. Stopped downloads go on where they were. Corpora are
    kept in the user's data folder, or in the folder that SHOWTHROUGH_CORPORA names. Without CORPUS, all are listed.
    """
    if name is None:
        _list(load_datasets().values())
        return
    corpus, screen = find_dataset(name), console()

    def describe(files: Iterable[PublishedFile]) -> None:
        print_plain((*_describe(corpus), *map(_source, files)), screen)

    if about:
        describe(corpus.files)
        return
    check_folder(output)
    wish = Wish(force, dict(map(_parse_digest, sha256 or ())), unverified)
    with _interruptible(), show_download() as watch:
        copy = keep(corpus, output, wish, watch, describe)
    show_notes(_doubts(copy))
    print_plain(_result_lines(copy), screen)


def _list(corpora: Iterable[Dataset]) -> None:
    """A few lines each: names on the left, so that the eye finds them."""
    screen, every = console(PAGE), list(corpora)
    first = max(len(corpus.name) for corpus in every) + 2
    for corpus in every:
        got = "ask for it" if corpus.agreement else f"digests {'known' if corpus.has_digests else 'not known'}"
        remark = ["here already"] if (corpora_folder() / corpus.name / MANIFEST).exists() else []
        terms = "; ".join([corpus.language, f"licence: {corpus.licence.name}", got, *remark])
        for line, left in ((terms, corpus.name), (corpus.about, "")):
            indented = wrap(
                left.ljust(first) + line, screen.width, subsequent_indent=" " * first, break_on_hyphens=False
            )
            print_plain(indented, screen)
    print_plain([f"showthrough fetch NAME stores one in {corpora_folder()}; --about says more about it"], screen)


def _describe(corpus: Dataset) -> Iterator[str]:
    """What it is and on which terms; what a licence forbids in a line of its own."""
    yield f"{corpus.name}: {corpus.title} ({corpus.language})"
    yield f"{corpus.about}; see {corpus.home}"
    yield f"licence: {corpus.licence}"
    if corpus.licence.forbids:
        yield f"the licence does not allow without further permission: {', '.join(corpus.licence.forbids)}"
    if corpus.agreement:
        yield f"it takes {corpus.agreement}: {corpus.home}"
    yield f"cite: {corpus.citation}"


def _source(file: PublishedFile) -> str:
    size = amount(file.size) if file.size else "size not known"
    digests = f"{', '.join(file.digests)} known from {file.vouched}" if file.digests else "digest not known"
    return f"file: {file.name}, {size}, {digests}, from {file.url}"


def _parse_digest(text: str) -> tuple[str, str]:
    """A digest with the file that it is of, or alone: `FILE=HEX`, `HEX`."""
    name, _, digest = text.rpartition("=")
    return name, digest


def _doubts(copy: FetchedCorpus) -> Iterator[str]:
    """What nobody, or not much, speaks for."""
    for file in copy.files:
        if not file.vouched:
            consequence = "every later fetch into this folder is checked against it"
            yield f"{file.name}: nobody vouches for it; its sha256 is {file.sha256}, and {consequence}"
        elif weak := weakness(file.digests):
            yield f"{file.name}: {weak}; its sha256 is {file.sha256}"


def _result_lines(copy: FetchedCorpus) -> Iterator[str]:
    for path, file in zip(copy.paths, copy.files, strict=True):
        yield f"{path}: {amount(file.size)}, {_describe_check(file)}"
    if not copy.came:
        yield "it was there already, as it was fetched; nothing was downloaded"
    if copy.corpus.next:
        yield f"next: {copy.corpus.command(copy.folder)}"


def _describe_check(file: KeptFile) -> str:
    packed = f", {len(file.members):,} files unpacked" if file.members else ""
    return f"{' and '.join(file.digests) if file.vouched else 'not'} checked, fetched {file.fetched}{packed}"


@contextmanager
def _interruptible() -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        show_notes(["interrupted; what came so far is kept, and the same command goes on from there"])
        raise
