"""What a scan found, on the terminal and as JSON."""

from __future__ import annotations

import msgspec
from rich.console import Console
from rich.text import Text

from showthrough.core.errors import printable, shorten
from showthrough.models.detectors.scanning import Scan, Sighting
from showthrough.report.terminal import bare_table

# Said first, whatever was found: nobody may take a scan for a proof.
CANNOT_KNOW = (
    "A scan knows what identifiers look like, but not whom the texts are about. It does not find names without a "
    "title, places, employers and rare facts. Finding nothing proves nothing."
)
_MOST = 10  # documents that are listed


def show_scan(scan: Scan, limit: int, console: Console) -> None:
    """What cannot be known, finds by type with an example, documents with most finds, and some places."""
    console.print(Text(CANNOT_KNOW))
    console.print()
    total = len(scan.sightings)
    head = f"{total} find{'' if total == 1 else 's'} in {len(scan.by_document())} of {_documents(scan.documents)}"
    console.print(Text(f"{head}; searched by {', '.join(map(printable, scan.detectors))}", "bold"))
    if not total:
        return
    names = {name: name.partition("(")[0] for name in scan.detectors}
    if len(set(names.values())) < len(names):  # the same one with other parameters
        names = {name: name for name in names}
    table = bare_table("finds", f"documents of {scan.documents}", "for example", "at")
    for column in table.columns[3:]:
        column.justify = "left"
    for (detector, kind), sightings in scan.by_type().items():
        name = f"{printable(names[detector])}: {shorten(kind)}" if len(names) > 1 else shorten(kind)
        documents = len({sighting.document for sighting in sightings})
        table.add_row(
            Text(name),
            str(len(sightings)),
            str(documents),
            Text(shorten(sightings[0].text)),
            Text(_format_location(sightings[0])),
        )
    console.print(table)
    console.print()
    most = scan.by_document()
    listed = ", ".join(f"{shorten(document)} {count}" for document, count in most[:_MOST])
    more = f" and {len(most) - _MOST} more" if len(most) > _MOST else ""
    console.print(Text(f"most finds: {listed}{more}"), soft_wrap=True)
    if limit:
        console.print()
        for sighting in scan.sightings[:limit]:
            console.print(
                Text(f"{_format_location(sighting)}: {shorten(sighting.entity_type)}: {shorten(sighting.text)}"),
                soft_wrap=True,
            )
        if total > limit:
            console.print(Text(f"… and {total - limit} more; --json FILE writes all of them"))


def _format_location(sighting: Sighting) -> str:
    return f"{shorten(sighting.document)}, line {sighting.line}, offset {sighting.start}"


def _documents(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"


def scan_json(scan: Scan) -> bytes:
    """All finds with their places."""
    content = {
        "about": CANNOT_KNOW,
        "documents": scan.documents,
        "characters": scan.characters,
        "detectors": scan.detectors,
        "finds": scan.sightings,
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1)
