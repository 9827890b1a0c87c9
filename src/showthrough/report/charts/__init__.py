"""A run as charts: one module a kind; one table of them.

The page shows them, and papers get them as SVG, PNG and PDF.
"""

from collections.abc import Callable

from showthrough.report.charts._plane import plane_charts, sweeps_charts
from showthrough.report.charts.attack import attack_charts
from showthrough.report.charts.parts import failures_charts, parts_charts
from showthrough.report.charts.significance import significance_charts
from showthrough.report.charts.theme import Charts
from showthrough.run.run import Run

CHARTS: dict[str, Callable[[Run], Charts]] = {
    "plane": plane_charts,
    "sweeps": sweeps_charts,
    "parts": parts_charts,
    "attack": attack_charts,
    "significance": significance_charts,
    "failures": failures_charts,
}
