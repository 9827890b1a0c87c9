"""Authorship in the risk annex; apart, since only the annex needs it, and imported then."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from showthrough.metrics import HEADLINE
from showthrough.report.annex.cells import SignatureIndex, entry_at, section_grid
from showthrough.report.sheets import Grid, GridEntry, missing
from showthrough.studies.risk.sections import BEFORE, C_AT_1, LOST
from showthrough.studies.risk.values import Figure, RiskSection


def authorship_grid(section: RiskSection, lines: SignatureIndex) -> Grid:
    heads = ("c@1", "c@1 before", "authors lost")
    notes = (
        "c@1 before: on the originals; authors lost: the share of authors found before that the verifier no longer "
        "finds",
    )
    grid = Grid(
        "Authorship: authors recognised by their style", heads, (), "anonymization · verifier", notes, "authorship"
    )

    def cells(parts: Mapping[str, Figure]) -> Iterator[tuple[str, list[GridEntry]]]:
        none = missing("the rows below show it for each verifier")
        yield "the best verifier", [entry_at(parts, HEADLINE), none, none]
        for name in (part.removeprefix(f"{C_AT_1}:") for part in parts if part.startswith(f"{C_AT_1}:")):
            yield name, [entry_at(parts, f"{what}:{name}") for what in (C_AT_1, BEFORE, LOST)]

    return section_grid(section, grid, cells, lines)
