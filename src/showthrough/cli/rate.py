"""People rate passages: drawing them, and asking for them on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.arguments import build_request
from showthrough.cli.consoles import documents, show_notes
from showthrough.cli.options import Anonymizations, CliOptions, with_options
from showthrough.cli.outputs import check_distinct, check_folder, inputs
from showthrough.cli.plain_values import Command
from showthrough.cli.progress import show_activity
from showthrough.core.errors import printable
from showthrough.evaluation.notices import file_notes
from showthrough.evaluation.settings import FileSettings, options_of
from showthrough.storage.file_heads import Head

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@app.command("sample", cls=Command)
@with_options(settings=options_of(FileSettings, "format", "id_column", "text_column", "offsets"))
def sample(
    corpus: Annotated[Path, typer.Argument(metavar="CORPUS", help="The originals, or a plan (.toml).")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="FOLDER", help="A new folder, for rate serve and --ratings.")
    ],
    anonymizations: Anonymizations = None,
    problems: Annotated[
        int, typer.Option("--problems", metavar="N", min=1, help="How many documents to draw at random.")
    ] = 20,
    passages: Annotated[int, typer.Option(metavar="N", min=1, help="How many passages of each.")] = 3,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of the draw.")] = 0,
    *,
    settings: CliOptions,
) -> None:
    """Draw passages for people to rate.

    They are the same ones of every anonymization, in an order that reveals nothing. Of rewritten documents these are
    the passages as they were handed in, else sentences with masks applied.
    """
    from showthrough.studies.rating.sampling import check_empty, rating_sample

    head = Head.of(corpus)
    request = build_request(head, anonymizations, [], settings)
    read = inputs([corpus, *(Path(source.path) for source in request.anonymizations.values())])
    check_distinct([output], read)
    check_folder(output)
    check_empty(output)
    with show_activity("reading"):
        plan = request.plan()
        drawn = rating_sample(plan.corpus, plan.anonymizations, documents=problems, passages=passages, seed=seed)
    drawn.write(output, read=read)
    show_notes([*file_notes(plan.corpus, plan.anonymizations, ()), *drawn.notes])
    number = f"{len(drawn)} passage{'' if len(drawn) == 1 else 's'}"
    typer.echo(printable(f"{number} of {documents(drawn.sample.documents)} written to {output}"))


@app.command("serve", cls=Command)
def serve(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="What rate sample wrote.")],
    rater: Annotated[
        list[str], typer.Option("--rater", metavar="NAME", help="A person who rates; repeatable, each gets an address.")
    ],
    port: Annotated[
        int, typer.Option(metavar="N", min=0, max=65535, help="Where to listen on this machine; 0: any free port.")
    ] = 0,
    open_: Annotated[bool, typer.Option("--open", help="Open the first address in a browser.")] = False,
) -> None:
    """Ask raters on a page that only this machine can reach.

    Ctrl-C ends it. Every answer is saved at once, and the same command goes on where a rater was. evaluate --ratings
    FOLDER reads the ratings.
    """
    from showthrough.report.html.sources import rating_page
    from showthrough.studies.rating.server import RatingServer

    server = RatingServer(folder, rater, rating_page(), port)
    try:
        for name, address in server.addresses.items():
            typer.echo(printable(f"{name}: {address} ({server.answered[name]} of {len(server.items)} rated)"))
        if open_:
            import webbrowser

            webbrowser.open(next(iter(server.addresses.values())))
        server.serve_forever()
    except KeyboardInterrupt:
        progress_lines = (f"{name} rated {number} of {len(server.items)}" for name, number in server.answered.items())
        typer.echo(printable("; ".join(progress_lines)))
    finally:
        server.close()
