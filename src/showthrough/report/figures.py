"""The charts of a run as files for papers."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from showthrough.core.errors import OutputError
from showthrough.report.charts import CHARTS
from showthrough.report.charts.theme import PAPER, Chart, check_installed
from showthrough.run.run import Run
from showthrough.storage.safe_xml import NOT_XML
from showthrough.storage.writing import ProtectedFiles, write_folder

FORMATS = ("svg", "png", "pdf")
_NAME = 60  # letters of a file's name
_DOTS = 3.0  # of a PNG, for each point


def figures(run: Run) -> Iterator[tuple[str, Chart]]:
    """All charts that a run has data for, by name; that of a metric's parts is called like the metric."""
    for kind, charts in CHARTS.items():
        for metric, chart in charts(run).items():
            yield metric if kind == "parts" else f"{kind} {metric}".rstrip(), chart


def write_figures(run: Run, folder: Path, *, force: bool = False, read: ProtectedFiles | None = None) -> list[Path]:
    """Writes every figure as SVG, PNG and PDF into a folder: all of them or none, and none over what was `read`."""
    check_installed()
    import vl_convert

    charts = {file_name(name): chart for name, chart in figures(run)}
    paths = [folder / f"{name}.{form}" for name in charts for form in FORMATS]
    if not force and (existing := next((path for path in paths if path.exists()), None)):
        raise OutputError(f"{existing}: exists already; choose another folder, or replace it with --force")
    files: dict[str, bytes] = {}
    for name, chart in charts.items():
        drawing = vl_convert.vegalite_to_svg(drawable(chart.to_dict()), config=PAPER)
        pages = (drawing.encode(), vl_convert.svg_to_png(drawing, scale=_DOTS), vl_convert.svg_to_pdf(drawing))
        files |= {f"{name}.{form}": content for form, content in zip(FORMATS, pages, strict=True)}
    return write_folder(folder, files, private=False, read=read)


def drawable(content: Any) -> Any:
    """A chart in which every text can stand in an SVG; what cannot is shown as its number. The library would panic.

    >>> drawable({"part": "A\\x00", "names": ["B\\uffff", 1]})
    {'part': 'A\\\\x00', 'names': ['B\\\\uffff', 1]}
    """
    if isinstance(content, str):
        return NOT_XML.sub(lambda match: ascii(match[0])[1:-1], content)
    if isinstance(content, dict):
        return {key: drawable(value) for key, value in content.items()}
    return list(map(drawable, content)) if isinstance(content, list | tuple) else content


def file_name(figure: str) -> str:
    """
    >>> file_name('recall(unit="mention")')
    'recall-unit-mention'
    """
    name = re.sub(r"\W+", "-", figure).strip("-")
    if len(name) > _NAME:  # a metric may name a model by a long path; no system takes more than 255 bytes
        name = f"{name[:_NAME]}-{hashlib.blake2b(figure.encode(), digest_size=4).hexdigest()}"
    return name
