"""`run.log_to`: the numbers of a run in a file of JSON lines, and in MLflow."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from showthrough import Corpus, OutputError, PlanError, ResourceError, Run, evaluate
from showthrough.report.trackers import log_run

TEXT = "Mr Holt of Oslo saw Dr Rask."


@pytest.fixture(scope="module")
def run() -> Run:
    spans = [{"id": "a", "start": 3, "end": 7, "entity_type": "PERSON"}]
    corpus = Corpus.from_frame([{"id": "a", "text": TEXT}, {"id": "b", "text": "Rain."}], spans=spans, name="ward")
    metrics = ["er_di", "er_qi", 'recall(unit="mention")', "recall_per_type"]
    return evaluate(corpus, {"rules": {"a": [(3, 7)], "b": []}}, metrics, resamples=50, references=False)


def test_a_line_for_each_run(run: Run, tmp_path: Path) -> None:
    for _ in range(2):
        run.log_to("json", tmp_path / "runs.jsonl")
    first, second = map(json.loads, (tmp_path / "runs.jsonl").read_text().splitlines())
    assert first == second
    assert first["metrics"]["rules/er_di"] == 1.0
    assert first["metrics"]["rules/recall_per_type[PERSON]"] == 1.0
    assert first["metrics"]['rules/recall(unit="mention").low'] == run["rules", 'recall(unit="mention")'].low
    assert first["metrics"]["rules/er_qi"] is None  # nobody marked any
    assert first["undefined"] == {"rules/er_qi": run["rules", "er_qi"].reason}
    assert (first["corpus"], first["documents"], first["settings"]["resamples"]) == ("ward", 2, 50)
    assert first["signatures"]["rules/er_di"].startswith("er_di.v")
    assert stat.S_IMODE((tmp_path / "runs.jsonl").stat().st_mode) == 0o600


def test_no_word_of_a_document(run: Run, tmp_path: Path) -> None:
    run.log_to("json", tmp_path / "runs.jsonl")
    assert not [word for word in ("Holt", "Oslo", "Rask") if word in (tmp_path / "runs.jsonl").read_text()]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("wandb",), PlanError, "tracker: found 'wandb'; expected json or mlflow"),
        (("json",), PlanError, "target: found no file"),
        (("json", "nowhere/runs.jsonl"), OutputError, "nowhere/runs.jsonl: cannot be written"),
    ],
)
def test_what_cannot_be_logged(
    run: Run, arguments: tuple[str, ...], error: type[Exception], message: str, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=message):
        run.log_to(*arguments)  # type: ignore[arg-type]


def test_an_interrupted_run_is_not_logged(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="interrupted"):
        log_run(SimpleNamespace(complete=False), "json", tmp_path / "runs.jsonl")  # type: ignore[arg-type]


def test_without_mlflow_the_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mlflow", None)
    with pytest.raises(ResourceError, match=r"pip install 'showthrough\[mlflow\]'"):
        run.log_to("mlflow")


def test_mlflow_has_the_same_numbers(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real package, with its store in files."""
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed")
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file:{tmp_path}/store")
    run.log_to("mlflow", "wards")
    assert mlflow.active_run() is None
    with mlflow.start_run() as active, pytest.raises(PlanError, match="active"):
        run.log_to("mlflow", "wards")
    with mlflow.start_run() as active:
        run.log_to("mlflow")
        assert mlflow.active_run().info.run_id == active.info.run_id
    client = mlflow.MlflowClient()
    home = client.get_experiment_by_name("wards").experiment_id
    own, other = client.search_runs([home], "metrics.`rules/er_di` > 0.5", order_by=["start_time"])
    assert other.info.run_id == active.info.run_id
    for logged in (own, other):
        assert logged.data.metrics["rules/er_di"] == 1.0
        assert logged.data.metrics["rules/recall_unit_mention_.low"] == run["rules", 'recall(unit="mention")'].low
        assert "rules/er_qi" not in logged.data.metrics  # undefined is not 0
        assert logged.data.params["showthrough.digest"] == run.corpus.digest
    record = mlflow.artifacts.load_dict(f"{own.info.artifact_uri}/showthrough.json")
    assert record["undefined"].keys() == {"rules/er_qi"}
