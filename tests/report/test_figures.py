"""Figures for papers: drawn, in three formats, and without markup from anybody's names."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from typer.testing import CliRunner

from showthrough import Annotation, Anonymization, Corpus, Document, Mask, Mention, evaluate
from showthrough.cli import app
from showthrough.cli.signals import exit_status
from showthrough.core.errors import OutputError, ResourceError
from showthrough.report.charts.attack import attack_chart
from showthrough.report.charts.parts import part_cells, parts_charts
from showthrough.report.figures import figures, file_name, write_figures
from showthrough.run.records import MetricRecord, Score
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run

pytestmark = pytest.mark.slow  # figures are drawn in every format

MAGIC = {".svg": b"<svg", ".png": b"\x89PNG\r\n", ".pdf": b"%PDF-"}


def test_every_figure_in_every_format(demo_run: Run, tmp_path: Path) -> None:
    run = msgspec.structs.replace(demo_run, metrics=[one for one in demo_run.metrics if one.text != "f1"])
    written = write_figures(run, tmp_path / "new" / "figures")
    names = {path.stem for path in written}
    assert names == {
        "plane", "recall_per_type", "removed_di", "removed_qi", "significance-removed_di", "significance-removed_qi",
        "significance-clean", "significance-er_di", "significance-er_qi", "significance-recall",
        "significance-precision", "failures",
    }  # fmt: skip
    assert len(written) == 3 * len(names)
    for path in written:
        assert path.read_bytes().startswith(MAGIC[path.suffix])
    drawing = (tmp_path / "new/figures/plane.svg").read_text(encoding="utf-8")
    assert all(name in drawing for name in run.names)


def test_an_existing_figure_is_not_replaced(demo_run: Run, tmp_path: Path) -> None:
    (tmp_path / "recall_per_type.png").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"recall_per_type\.png: exists already"):
        write_figures(demo_run, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["recall_per_type.png"]  # nothing else was written either


def test_long_names_of_metrics_become_names_of_files() -> None:
    path = "/home/researcher/.cache/huggingface/hub/models--google-bert--bert-base-uncased/snapshots/" + "a" * 40
    one, two = (file_name(f'significance-tps(ic="{path}", similarity="{path}", segment_length={n})') for n in (1, 2))
    assert max(len(one), len(two)) < 100
    assert one != two


def test_names_are_text_in_a_drawing(tmp_path: Path) -> None:
    evil = "</text><script>alert(1)</script>"
    corpus = Corpus([Document("d", "Mr Doe", (Annotation("a", (Mention(0, 6, evil, "DIRECT"),)),))])
    run = evaluate(corpus, [Anonymization({"d": [Mask(3, 6)]}, evil), Anonymization({"d": []}, "b")], resamples=10)
    for path in write_figures(run, tmp_path):
        if path.suffix == ".svg":
            assert "<script" not in path.read_text(encoding="utf-8")


def test_a_cell_is_the_stronger_the_worse(demo_run: Run) -> None:
    record = next(one for one in demo_run.metrics if one.text == "recall_per_type")
    for cell in part_cells(demo_run, record):
        value = demo_run[cell["name"], "recall_per_type", cell["part"]].value
        assert value is not None
        assert cell["shade"] == pytest.approx(1 - value)
    turned = msgspec.structs.replace(record, better="lower")
    for cell in part_cells(demo_run, turned):
        assert cell["shade"] == demo_run[cell["name"], "recall_per_type", cell["part"]].value


def attacked(run: Run) -> Run:
    """The same run with an attack that found 40 % of the people, where chance finds 1 % and 80 % can be found."""
    roles, neutral = ("attack",), ("chance", "ceiling")
    record = MetricRecord("attack", "attack", 1, "Attack", "privacy", "lower", {}, neutral=neutral, roles=roles)
    values = {"": 0.4, "chance": 0.01, "ceiling": 0.8}
    scores = [
        Score(name, "attack", part, value, value, value, "", "") for name in run.names for part, value in values.items()
    ]
    rows = run.rows | {"attack": {name: {} for name in run.names}}
    return msgspec.structs.replace(run, metrics=[*run.metrics, record], scores=[*run.scores, *scores], rows=rows)


def test_an_attack_is_known_by_its_role(demo_run: Run) -> None:
    run = attacked(demo_run)
    assert [record.text for record in find_metrics(run, "attack")] == ["attack"]
    assert find_metrics(demo_run, "attack") == []
    # Chance and ceiling are no parts to look at.
    assert list(parts_charts(run)) == ["removed_di", "removed_qi", "recall_per_type"]
    bars = attack_chart(run, run.metrics[-1]).to_dict()["datasets"]["attacks"]
    assert [(bar["name"], bar["value"], bar["chance"], bar["ceiling"]) for bar in bars] == [
        (name, 0.4, 0.01, 0.8) for name in run.names
    ]


def named(run: Run, names: dict[str, str]) -> Run:
    """The same run with other names of anonymizations."""
    assert run.texts is not None
    return msgspec.structs.replace(
        run,
        anonymizations=[msgspec.structs.replace(one, name=names[one.name]) for one in run.anonymizations],
        scores=[
            msgspec.structs.replace(one, anonymization=names.get(one.anonymization, one.anonymization))
            for one in run.scores
        ],
        rows={metric: {names.get(name, name): rows for name, rows in by.items()} for metric, by in run.rows.items()},
        texts=msgspec.structs.replace(run.texts, masks={names[name]: masks for name, masks in run.texts.masks.items()}),
    )


def test_no_figure_cuts_a_name(demo_run: Run, tmp_path: Path) -> None:
    long = {name: f"department-of-clinical-informatics-anonymizer-{name}" for name in demo_run.names}
    for path in write_figures(named(demo_run, long), tmp_path):
        if path.suffix == ".svg":
            drawing = path.read_text(encoding="utf-8")
            assert all(drawing.count(f">{name}<") >= 1 for name in long.values()), path.name
            assert "…" not in drawing


def test_failures_have_one_scale(demo_run: Run) -> None:
    chart = dict(figures(demo_run))["failures"].to_dict()
    assert "resolve" not in chart  # Vega-Lite shares scales unless it is told otherwise


def test_what_draws_figures_may_be_missing(tmp_path: Path, demo_run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.report.charts.theme.find_spec", lambda name: None)
    demo_run.save(tmp_path / "run.json")
    command = [
        "report",
        str(tmp_path / "run.json"),
        "--plots",
        str(tmp_path / "figures"),
        "--csv",
        str(tmp_path / "a.csv"),
    ]
    result = CliRunner().invoke(app, command)
    assert isinstance(result.exception, OutputError)
    assert exit_status(result.exception) == 2
    assert str(result.exception).endswith("pip install 'showthrough[plots]'")
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]  # told before anything was written
    with pytest.raises(ResourceError, match="figures for papers need Altair"):
        dict(figures(demo_run))


def test_parts_that_nobody_has_a_number_of_are_not_shown(demo_run: Run) -> None:
    record = next(one for one in demo_run.metrics if one.text == "recall_per_type")
    gone = [
        msgspec.structs.replace(one, value=None, low=None, high=None, reason="none")
        if (one.metric, one.part) == ("recall_per_type", "LOC") or (one.anonymization, one.part) == ("ner", "ORG")
        else one
        for one in demo_run.scores
    ]
    parts = [
        (cell["part"], cell["label"]) for cell in part_cells(msgspec.structs.replace(demo_run, scores=gone), record)
    ]
    assert "LOC" not in dict(parts)
    assert ("ORG", "–") in parts


def test_a_run_without_texts_has_no_failures_to_draw(demo_run: Run) -> None:
    assert "failures" not in dict(figures(demo_run.without_text()))
