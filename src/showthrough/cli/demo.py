from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli import demo_corpus as demo
from showthrough.cli.bench import BenchOutput, carry_out
from showthrough.cli.consoles import console
from showthrough.cli.options import CliOptions, Output, with_options
from showthrough.cli.outputs import Results, check_file, inputs
from showthrough.cli.view_options import Views, view_options
from showthrough.evaluation.plan import Plan
from showthrough.evaluation.settings import Settings
from showthrough.families.reidentification.family import BACKGROUND
from showthrough.formats import read_anonymization, read_corpus
from showthrough.formats.people.background import read_background
from showthrough.metrics import metrics_of
from showthrough.systems import named_anonymizers
from showthrough.systems.workbench.runner import Bench

# All four questions, without a model, each asked once.
METRICS = (
    "removed_di",
    "removed_qi",
    "clean",
    "er_di",
    "recall_per_type",
    "trir",
    "precision",
    'tps(ic="wordfreq", chunking="none", similarity="ngrams")',
)


@with_options(views=view_options("html", "verbose", "parts", "signatures", "force"))
def command(
    output: Output = None,
    files: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Copy the files of the demo into this folder, and score nothing."),
    ] = None,
    *,
    views: CliOptions,
) -> None:
    shown = Views.of(views)
    if files is not None:
        _copy_files(files, force=shown.force)
        return
    read = inputs([demo.corpus_path(), demo.background_path(), *demo.anonymization_paths().values()])
    page = "".join(
        f"\nThe documents and what shows through in them: open {path.resolve().as_uri()}" for path in shown.paths
    )
    outcome = BenchOutput(shown, Results(shown.force), read, output, page=page)
    outcome.check()
    bench = demo_bench()
    bench.check()
    carry_out(bench, outcome)


def _copy_files(folder: Path, *, force: bool) -> None:
    """Writes all files or none, and says which. A file that is the same already stays."""
    results = Results(force)
    contents = {folder / path.name: path.read_bytes() for path in sorted(demo.folder().glob("*.json"))}
    changed = {
        path: content for path, content in contents.items() if not (path.is_file() and path.read_bytes() == content)
    }
    for path in changed:
        check_file(path, force, makes_folder=True)
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in changed.items():
        results.write(path, content)
    results.lines += [f"{path} is there already" for path in contents if path not in changed]
    results.tell(console())


def demo_bench() -> Bench:
    """Systems that are put to work while one looks, and anonymizations of kinds that no program here makes."""
    corpus = read_corpus(demo.corpus_path(), name="demo")
    systems = named_anonymizers(demo.SYSTEMS)
    paths = {name: path for name, path in demo.anonymization_paths().items() if name not in systems}
    masks = tuple(read_anonymization(path, corpus, name=name) for name, path in paths.items())
    settings = Settings(cache=False)  # so that costs are those of now
    extra_inputs = {BACKGROUND: {"": read_background(demo.background_path())}}
    plan = Plan(corpus, masks, tuple(metrics_of(METRICS)), settings, inputs=extra_inputs)
    return Bench(plan, systems)
