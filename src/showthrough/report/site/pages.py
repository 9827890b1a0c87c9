"""The files of a site. Every page is whole in itself and opens without a server; nothing on it comes from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from showthrough.core.errors import PlanError, join_names
from showthrough.report.cautions import cautions, notes_on
from showthrough.report.files import csv_text, json_text
from showthrough.report.html.sources import join_sources, policy, template
from showthrough.report.sheets import Grid
from showthrough.report.sheets.page import legible
from showthrough.report.significance import ALPHA, shuffles
from showthrough.report.site.boards import Board, SiteCell, SiteColumn, SiteRow
from showthrough.report.slices import group_grid, slice_metrics
from showthrough.report.table import signatures
from showthrough.run.run import Run
from showthrough.version import __version__

STYLES = ("page", "tables", "site")  # later ones go over earlier ones
SCRIPTS = ("site",)
# Of a picture that stands alone: as on the pages, for light and dark.
_PICTURE = """
svg { font: 12px system-ui, sans-serif; color: #1f2124; }
.grid { stroke: #9994; }
.tick, .axis { fill: #777c83; }
.front { fill: none; stroke: #777c83; stroke-dasharray: 5 4; stroke-width: 1.5; }
g line { stroke: #777c83; opacity: 0.5; }
g circle { fill: none; stroke: #777c83; stroke-width: 2.2; }
g text { fill: currentColor; }
g.best circle { stroke: #2f66b0; fill: #2f66b0; }
g.best line { stroke: #2f66b0; }
g.best text { font-weight: 600; }
@media (prefers-color-scheme: dark) { svg { color: #e7e5e1; } }
"""


class Entry(NamedTuple):
    """A system on one corpus."""

    board: Board
    row: SiteRow

    @property
    def headlines(self) -> list[tuple[SiteColumn, SiteCell]]:
        """Protection and use by the metrics of the picture, then attacks."""
        axes = [axis.record.text for axis in self.board.axes or ()]
        pairs = list(zip(self.board.columns, self.row.cells, strict=True))
        return sorted(
            (pair for pair in pairs if pair[0].record.text in axes), key=lambda pair: axes.index(pair[0].record.text)
        )

    @property
    def columns(self) -> list[tuple[SiteColumn, SiteCell]]:
        return list(zip(self.board.columns, self.row.cells, strict=True))


def site_files(runs: Mapping[str, Run]) -> Iterator[tuple[str, bytes]]:
    """Each file of the site with its path in it, for runs by the name of their page."""
    if not runs:
        raise PlanError("there is no run file; expected run files (.json) in the folder")
    boards = [Board(slug, run.without_text()) for slug, run in runs.items()]
    systems: dict[str, list[Entry]] = {}
    for board in boards:
        for row in board.systems:
            systems.setdefault(row.slug, []).append(Entry(board, row))
    _check_names(systems)
    entries = [entry for by_system in systems.values() for entry in by_system]
    entries.sort(key=lambda entry: (boards.index(entry.board), entry.board.systems.index(entry.row)))
    yield (
        "index.html",
        _page("site_index.html", "Showthrough: results", "", boards=boards, entries=entries, systems=systems),
    )
    for board in boards:
        yield (
            f"corpus/{board.slug}.html",
            _page(
                "site_corpus.html",
                board.title,
                "../",
                board=board,
                cautions=cautions(board.run),
                notes=board.run.notes,
                parts=board.part_grids(),
                signatures=signatures(board.run),
                shuffles=shuffles(board.run),
            ),
        )
        yield f"data/{board.slug}.csv", csv_text(board.run).encode()
        yield f"data/{board.slug}.json", _numbers(board.run)
    for slug, by_system in systems.items():
        name = by_system[0].row.name
        yield f"system/{slug}.html", _page("site_system.html", name, "../", entries=by_system, details=_details)


def _numbers(run: Run) -> bytes:
    """All scores as JSON, in one line and with one signature for each metric."""
    content = msgspec.json.decode(json_text(run))
    scores = [{key: value for key, value in score.items() if key != "signature"} for score in content["scores"]]
    return msgspec.json.encode({**content, "scores": scores, "signatures": signatures(run)})


def picture_svg(run: Run) -> str | None:
    """The picture of a run alone, as a file; `None` where protection or use was not measured."""
    picture = Board("", run.without_text()).picture
    if picture is None:
        return None
    return str(template("site_picture.svg").render(picture=picture, style=_PICTURE, legible=legible))


class Details(NamedTuple):
    """What a page of a system says of one corpus."""

    made: list[Grid]
    parts: list[Grid]
    slices: list[Grid]
    notes: list[str]


def _details(entry: Entry) -> Details:
    run, name = entry.board.run, entry.row.name
    return Details(
        entry.board.made_grids(name),
        entry.board.parts_of(name),
        list(_slices(run, name)),
        [note for note in notes_on(run, [name]) if note not in notes_on(run, [])],
    )


def _slices(run: Run, name: str) -> Iterator[Grid]:
    """The groups of documents on the first metric, for one system."""
    for cut in run.slices.values():
        for record in slice_metrics(run, cut)[:1]:
            whole = group_grid(run, cut, record)
            first = 1 + 3 * run.names.index(name)
            rows = tuple(row._replace(entries=(row.entries[0], *row.entries[first : first + 3])) for row in whole.rows)
            heads = (whole.heads[0], record.name, "difference from the rest", "p")
            yield Grid(whole.caption, heads, rows, whole.corner, whole.notes)


def _check_names(systems: Mapping[str, Sequence[Entry]]) -> None:
    """Raises PlanError where two names would share a page."""
    for slug, entries in systems.items():
        names = list(dict.fromkeys(entry.row.name for entry in entries))
        if len(names) > 1:
            raise PlanError(f"{join_names(names)} would share the page {slug}.html; rename one of them")
        twice = [slug for slug, count in Counter(entry.board.slug for entry in entries).items() if count > 1]
        if twice:
            raise PlanError(f"{names[0]} is twice in {twice[0]}; rename one of them")


def _page(name: str, title: str, home: str, **values: Any) -> bytes:
    style, theme, script = join_sources(STYLES, "css"), join_sources(["theme"], "js"), join_sources(SCRIPTS, "js")
    page = template(name).render(
        title=legible(title),
        home=home,
        legible=legible,
        alpha=ALPHA,
        version=__version__,
        policy=policy(style, theme, script),
        style=style,
        theme=theme,
        script=script,
        **values,
    )
    return str(page).encode()
