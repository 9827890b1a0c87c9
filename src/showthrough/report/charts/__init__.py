"""A run as charts: one module a kind; one table of them.

The page shows them, and papers get them as SVG, PNG and PDF.
"""

from collections.abc import Callable

from showthrough.report.charts.attack import attack_charts
from showthrough.report.charts.failures import failures_charts
from showthrough.report.charts.parts import parts_charts
from showthrough.report.charts.plane import plane_charts
from showthrough.report.charts.significance import significance_charts
from showthrough.report.charts.sweeps import sweeps_charts
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
