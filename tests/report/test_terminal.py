"""Tables on a terminal."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from showthrough import Run
from showthrough.metrics import HEADLINE
from showthrough.report.terminal import show_run
from showthrough.run.records import Input, MetricRecord, Score
from showthrough.run.settings import RecordedSettings


@pytest.mark.parametrize("width", [60, 80, 120])
def test_names_and_numbers_are_whole_however_long_a_head_is(width: int) -> None:
    """A model may be named by a path of any length; rows must be told apart all the same."""
    path = "/home/researcher/.cache/huggingface/hub/models--google-bert--bert-base-uncased/snapshots/" + "a" * 40
    text = f'tpi(ic="{path}", chunking="none")'
    names = ["Manual_Entity", "Manual_INTACT"]
    metric = MetricRecord(text, "tpi", 1, "Text preserved information", "utility", "higher", {"ic": path}, "", ())
    run = Run(
        corpus=Input("c", "0" * 32, 2),
        anonymizations=[Input(name, "0" * 32, 2) for name in names],
        metrics=[metric],
        settings=RecordedSettings(),
        documents=["a", "b"],
        scores=[Score(name, text, HEADLINE, 0.5, 0.4, 0.6, "", "signature") for name in names],
        rows={text: {name: {} for name in names}},
        failures=[],
        provenance={},
    )
    out = io.StringIO()
    show_run(run, Console(file=out, width=width, force_terminal=False))
    for name in names:
        (row,) = (line for line in out.getvalue().splitlines() if line.startswith(f"{name} "))
        assert "0.500" in row
    assert out.getvalue().count("0.400–0.600") == 2
