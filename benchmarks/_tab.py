"""TAB's 100 training cases, as often as a benchmark needs them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def data_folder() -> Path | None:
    """Where the corpora are; says so where nobody told."""
    data = os.environ.get("SHOWTHROUGH_DATA")
    if not data:
        print("SHOWTHROUGH_DATA is not set: nothing measured")
    return Path(data) if data else None


def cases(data: Path, copies: int = 1) -> list[dict[str, Any]]:
    """All cases so many times over, each with an id of its own."""
    once = json.loads((data / "tab/train_100.json").read_bytes())
    return [{**case, "doc_id": f"{case['doc_id']}#{copy}"} for copy in range(copies) for case in once]
