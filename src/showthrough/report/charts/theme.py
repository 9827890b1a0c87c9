"""What charts have in common: the theme of papers, the colours that a chart names, and matrices of cells.

A chart holds data and meaning. Colours, shapes and fonts come from a theme, `PAPER`. Names from files go into data and
domains, never into an expression: a list to sort by would become one. They are never cut: figures grow with them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from showthrough.core.errors import UnavailableError

Chart = Any  # of altair
Charts = Mapping[str, Chart]  # by the text form of a metric; "" is a chart of the whole run

SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")
PAPER: dict[str, Any] = {
    "background": "white",
    "font": "Liberation Sans, Arial, sans-serif",
    "range": {
        "category": ["#2f66b0", "#c1502e", "#2c7d5b", "#7d53a8", "#8f6a00", "#4d5963", "#b2407c", "#157f8f"],
        "symbol": list(SHAPES),
        "heatmap": ["#faf6f1", "#f7e2d3", "#f0c3a5", "#e39c72", "#ad4320"],
    },
    "axis": {"grid": False, "domainColor": "#888", "tickColor": "#888", "labelColor": "#333", "titleColor": "#111",
             "titleFontWeight": "normal", "labelFontSize": 11, "titleFontSize": 12, "labelLimit": 0},
    "legend": {"labelFontSize": 12, "labelLimit": 0, "symbolSize": 120},
    "header": {"labelLimit": 0, "labelFontSize": 12},
    "style": {"front": {"color": "#777"}, "people": {"color": "#666"}, "level": {"color": "#333"},
              "success": {"color": "#b84c26"}},
    "view": {"stroke": None},
}  # fmt: skip
# What a chart calls the colours of text on a pale and on a strong ground, and of the grounds of a matrix.
INKS = {"on_pale": "#222222", "on_strong": "#ffffff", "pale": "#e6e9ee", "strong": "#2f66b0", "faint": "#f6f5f3"}
LETTER = 6.6  # how wide a letter of a label is, about
_WIDE, _HIGH = 72, 32  # of a cell
_GAP = {"paddingInner": 0.06}  # between cells
BARE = {"domain": False, "ticks": False}  # an axis


def check_installed() -> None:
    """Raises UnavailableError where what draws figures is missing, before any work is done."""
    if any(find_spec(package) is None for package in ("altair", "vl_convert")):
        raise UnavailableError("figures for papers need Altair and vl-convert: pip install 'showthrough[plots]'")


def altair() -> Any:
    check_installed()
    import altair  # here: it takes a moment, and its types are narrower than what it takes

    return altair


def longest(names: Iterable[str]) -> float:
    """How wide the longest of some labels is, about."""
    return LETTER * max(map(len, names), default=0)


def matrix(
    data: str, cells: Sequence[Mapping[str, Any]], across: str, columns: Sequence[str], down: str, rows: Sequence[str],
    ground: Any, ink: Any, description: str,
) -> Chart:  # fmt: skip
    """Cells with a label each: `across` and `down` are the fields that say where a cell stands."""
    alt = altair()
    level = longest(columns) < _WIDE  # else names stand upright, or they would run into each other
    base = alt.Chart(alt.NamedData(name=data)).encode(
        x=alt.X(f"{across}:N", title=None)
        .scale(domain=columns, **_GAP)
        .axis(orient="top", labelAngle=0 if level else -90, **BARE),
        y=alt.Y(f"{down}:N", title=None).scale(domain=rows, **_GAP).axis(**BARE),
        tooltip="tip:N",
        description="tip:N",
    )
    chart = alt.layer(
        base.mark_rect(cornerRadius=3).encode(color=ground),
        base.mark_text(aria=False).encode(text="label:N", color=ink),
    ).properties(width={"step": _WIDE}, height={"step": _HIGH}, description=description)
    chart.datasets = {data: cells}
    return chart.add_params(*(alt.param(name=name, value=value) for name, value in INKS.items()))
