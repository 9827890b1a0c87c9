"""Whether an answer to a malformed input is right: what was read is what the file says, and what was written can be read."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

from malformed.attempt import Attempt
from showthrough import Run, parse_metric, read_corpus


def wrong_with(one: Attempt, desk: Path) -> str:
    """What is wrong with an answer; empty where nothing is."""
    run = desk / "out.json"
    if run.exists() and one.command[0] in ("evaluate", "attack") and (fault := _wrong_run(Run.load(run))):
        return fault
    if one.command[0] in ("evaluate", "convert", "validate") and (desk / one.command[1]).suffix in (".json", ".csv"):
        return _misread(desk / one.command[1])
    return ""


def _wrong_run(run: Run) -> str:
    for score in run.scores:
        numbers = [number for number in (score.value, score.low, score.high) if number is not None]
        where = f"{score.metric} {score.part} of {score.anonymization}: {numbers}"
        if not all(map(math.isfinite, numbers)):
            return f"has a score that is no number: {where}"
        free = not parse_metric(score.metric).is_bounded(score.part) or score.metric.startswith(("phi_leak", "nmi"))
        if not free and not all(0 <= one <= 1 for one in numbers):
            return f"has a score out of range: {where}"
        if len(numbers) == 3 and not numbers[1] <= numbers[0] <= numbers[2]:
            return f"has a value outside its interval: {where}"
    return ""


def _misread(path: Path) -> str:
    """Whether a corpus is other than what an independent reader finds in the file."""
    content = path.read_bytes().decode("utf-8-sig", "replace")  # bytes of fields that nobody reads are not looked at
    if path.suffix == ".csv":
        expected = {row["doc_id"]: row["text"] for row in csv.DictReader(io.StringIO(content, newline=""))}
    else:
        tree = _parsed(content)
        if isinstance(tree, dict) and "corpus" in tree and "metrics" in tree:
            return ""
        if isinstance(tree, list) and tree and isinstance(tree[0], list):
            tree = [_of_pair(number, pair) for number, pair in enumerate(tree, 1)]
        expected = tree if isinstance(tree, dict) else {str(one["doc_id"]): one["text"] for one in tree}
    found = read_corpus(path)
    if {document.id: document.text for document in found} != expected:
        return "reads other texts than there are"
    if isinstance(expected, dict) and path.suffix == ".json" and isinstance(tree, list):
        if any("results" in one for one in tree):  # of a service, whose marks are elsewhere
            return ""
        marks: list[Any] = [_marks(one) for one in tree]
        if [[[m.start, m.end] for a in d.annotations for m in a.mentions] for d in found] != marks:
            return "reads other marks than there are"
    return ""


def _of_pair(number: int, pair: list[Any]) -> dict[str, Any]:
    """A pair of spaCy's training data, as TAB has it."""
    entities = pair[1].get("entities") if len(pair) > 1 else None
    marks = [{"start_offset": span[0], "end_offset": span[1]} for span in entities or ()]
    layers = {} if entities is None else {"gold": {"entity_mentions": marks}}
    return {"doc_id": str(number), "text": pair[0], "annotations": layers}


def _parsed(content: str) -> Any:
    """What is in a file; numbers of thousands of digits, which Python does not read, as text."""
    return json.loads(content, parse_int=lambda digits: int(digits) if len(digits) < 4000 else digits)


def _marks(document: Any) -> list[list[int]]:
    return [
        [mention["start_offset"], mention["end_offset"]]
        for layer in (document.get("annotations") or {}).values()
        for mention in layer.get("entity_mentions") or ()
    ]
