"""The compose file of the examples: a head, workers that join it, and a driver that finds both."""

from __future__ import annotations

from pathlib import Path

import pytest

from showthrough.evaluation.settings import Settings, options_of

yaml = pytest.importorskip("yaml")
FOLDER = Path(__file__).resolve().parents[2] / "examples/ray"


def test_the_compose_file() -> None:
    text = (FOLDER / "compose.yaml").read_text(encoding="utf-8")
    found = yaml.safe_load(text)
    services = found["services"]
    assert set(services) == {"head", "worker", "driver"}
    for one in services.values():
        assert one["environment"]["RAY_USAGE_STATS_ENABLED"] == "0"
        assert (one["build"], one["networks"], one["secrets"]) == (".", ["cluster"], ["token"])
        assert "ports" not in one  # nobody outside reaches it
    assert found["networks"]["cluster"] == {"internal": True}
    assert "--port=6379" in services["head"]["command"]
    assert "--address=head:6379" in services["worker"]["command"]
    assert any("--address=head:6379" in part for part in services["driver"]["entrypoint"])
    assert "--engine ray --address auto" in text
    assert {"engine", "address"} <= options_of(Settings).keys()
    assert "showthrough[ray" in (FOLDER / "Dockerfile").read_text(encoding="utf-8")
