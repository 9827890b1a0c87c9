"""Reconstruction: what somebody guesses of what stood under a mask."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from showthrough.core.families import Family

if TYPE_CHECKING:
    from showthrough.report.section import Section
    from showthrough.run.run import Run


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
