from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from showthrough.cli.consoles import PAGE, console
from showthrough.cli.outputs import Results, check_distinct, check_folder, inputs
from showthrough.cli.progress import show_activity
from showthrough.core.errors import PlanError
from showthrough.run.run import Run
from showthrough.storage.reading import reading
from showthrough.storage.writing import write_folder


def command(
    runs: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder of run files, in folders too.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the site goes.")],
) -> None:
    """A page for each corpus and each system, with tables to sort and filter, pictures, and numbers to download. It is
    made from run files alone, holds no text of any document, and opens without a server.
    """
    from showthrough.report.site import site_files

    if not runs.is_dir():
        raise PlanError(f"{runs}: is no folder; expected a folder of run files")
    files = {path.relative_to(runs).with_suffix("").as_posix().replace("/", "-"): path for path in run_files(runs)}
    read = inputs(files.values())
    check_distinct((output,), read)
    check_folder(output)
    with show_activity("reading and testing"):
        site = dict(site_files({name: Run.load(path) for name, path in files.items()}))
    write_folder(output, site, private=False, read=read)
    results = Results(force=True)
    size = sum(map(len, site.values())) / 1e6
    results.lines.append(f"{len(site)} files ({size:.1f} MB) written to {output}; open {output / 'index.html'}")
    results.tell(console(PAGE))


def run_files(folder: Path) -> list[Path]:
    """The run files of a folder, in the order of their names; other JSON files are left aside."""
    return [path for path in sorted(folder.rglob("*.json")) if _is_run(path)]


def _is_run(path: Path) -> bool:
    if not path.is_file():  # a folder, or a pipe that nobody writes to
        return False
    with reading(path), path.open("rb") as file:
        return b'"corpus"' in file.read(4096)
