"""Reconstruction: what somebody guesses of what stood under a mask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from showthrough.core.families import Family

if TYPE_CHECKING:
    from showthrough.report.section import Section
    from showthrough.run.run import Run

# Columns, here for reports that do not import the metrics. Of a type, an identifier or a way of replacing with its name
# behind a colon. Tables of parts show them.
ASKED, FIRST, FIVE = "masked", "recovered", "within five"
BEHIND, EXACT, ORDINARY = "control ", "exactly ", "ordinary "  # before them
UNANSWERED = "unanswered"
WORDS = "words"  # a part: how many ordinary words a guesser recovers


class _Reconstruction(Family):
    @property
    def section(self) -> Section:
        from showthrough.families.reconstruction.report import SECTION

        return SECTION

    def doubts(self, run: Run) -> Iterable[str]:
        from showthrough.families.reconstruction.report import SECTION

        return SECTION.cautions(run)


FAMILY = _Reconstruction(
    "reconstruction",
    metrics={"recover": ("recover:Recovery", {})},
    counting={"reconstruction": "masked"},
)
