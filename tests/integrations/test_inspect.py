"""Tasks and scorers for Inspect, with the real package and its mock of a model."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")

from inspect_ai import Task, eval as run_task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate

from showthrough import PlanError
from showthrough.integrations.inspect_ai import anonymizer, attacker, leak_count

DOCUMENTS = {
    "a": ("Mr Holt of Oslo left.", [(3, 7, "PERSON", "DIRECT"), (11, 15, "LOC", "QUASI")]),
    "b": ("Ms Rask stayed in Bergen.", [(3, 7, "PERSON", "DIRECT"), (18, 24, "LOC", "QUASI")]),
}


def corpus(folder: Path) -> str:
    keys = ("start_offset", "end_offset", "entity_type", "identifier_type")
    content = [
        {
            "doc_id": key,
            "text": text,
            "annotations": {"m": {"entity_mentions": [dict(zip(keys, m, strict=True)) for m in marks]}},
        }
        for key, (text, marks) in DOCUMENTS.items()
    ]
    (folder / "corpus.json").write_text(json.dumps(content))
    return str(folder / "corpus.json")


def evaluated(task: Task, folder: Path, *answers: str) -> tuple[dict[str, float], dict[str, Any]]:
    """The metrics of a task, and the score of each sample, where a model answers so in turn."""
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # else the tokens are counted
    model = get_model("mockllm/model", custom_outputs=outputs)
    [log] = run_task(task, model=model, display="none", log_dir=str(folder / "logs"), max_samples=1)
    assert log.status == "success", log.error
    metrics = {key: value.value for score in log.results.scores for key, value in score.metrics.items()}
    return metrics, {str(sample.id): next(iter(sample.scores.values())) for sample in log.samples}


def test_an_anonymizer_is_scored_by_what_can_be_read(tmp_path: Path) -> None:
    """Of 2 direct identifiers Rask is left, of 2 quasi Oslo; precision: Holt and Bergen were masked, 2 of 2 words."""
    metrics, samples = evaluated(anonymizer(corpus(tmp_path)), tmp_path, "Mr X of Oslo left.", "Ms Rask stayed in Y.")
    assert [samples[key].value for key in "ab"] == [1, 1]
    assert metrics["removed_di"] == metrics["removed_qi"] == 0.5
    assert (metrics["precision"], metrics["answered"], metrics["mean"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize("answer", ["", "I'm sorry, but I can't help with that."])
def test_no_usable_answer_hides_nothing(tmp_path: Path, answer: str) -> None:
    metrics, samples = evaluated(anonymizer(corpus(tmp_path)), tmp_path, answer, "Ms X stayed in Y.")
    assert samples["a"].value == 2
    assert "no usable answer" in samples["a"].explanation
    assert (metrics["removed_di"], metrics["answered"]) == (0.5, 0.5)


def people(*inferred: tuple[str, str]) -> str:
    attributes = [{"tag": tag, "value": value, "certainty": 5, "evidence": ""} for tag, value in inferred]
    return json.dumps({"people": [{"who": "the one", "attributes": attributes}]})


def profiles(folder: Path) -> str:
    """Two people with two attributes each, in the format spia."""
    rows = [
        {
            "metadata": {"data_id": key, "number_of_subjects": 1},
            "text": text,
            "subjects": [
                {
                    "id": 0, "description": "the one",
                    "PIIs": [
                        {"tag": tag, "keyword": value, "certainty": 5, "hardness": 1} for tag, value in true.items()
                    ],
                }
            ],
        }
        for key, text, true in (
            ("a", "He left Oslo.", {"SEX": "Male", "LOCATION": "Oslo"}),
            ("b", "She is a nurse.", {"SEX": "Female", "OCCUPATION": "nurse"}),
        )
    ]  # fmt: skip
    (folder / "people.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder / "people.jsonl")


def test_an_attacker_is_scored_by_what_it_infers(tmp_path: Path) -> None:
    """1 of 2 of the first, 2 of 2 of the second: 3 of 4."""
    answers = people(("SEX", "Male"), ("LOCATION", "Rome")), people(("SEX", "female"), ("OCCUPATION", "nurse"))
    metrics, samples = evaluated(attacker(profiles(tmp_path)), tmp_path, *answers)
    assert [samples[key].value for key in "ab"] == [0.5, 1.0]
    assert (metrics["inferred"], metrics["mean"]) == (0.75, 0.75)


def test_an_attacker_who_does_not_answer_shows_nothing(tmp_path: Path) -> None:
    metrics, samples = evaluated(attacker(profiles(tmp_path)), tmp_path, "I will not.", people(("SEX", "Female")))
    assert math.isnan(samples["a"].value)
    assert (metrics["inferred"], metrics["mean"]) == (0.5, 0.5)  # 1 of 2, of the second alone


def test_the_attacker_reads_what_was_released(tmp_path: Path) -> None:
    source = profiles(tmp_path)
    (tmp_path / "released.json").write_text(json.dumps({"a": "X left Y.", "b": "X is a Z."}))
    [first, _] = attacker(source, str(tmp_path / "released.json")).dataset
    assert "X left Y." in first.input[1].content
    assert "Oslo" not in first.input[1].content


def test_leaks_of_any_answer_are_counted(tmp_path: Path) -> None:
    task = Task(dataset=MemoryDataset([Sample("q", id="1")]), solver=[generate()], scorer=leak_count())
    metrics, samples = evaluated(task, tmp_path, "Ask Dr Rask at rask@example.org.")
    assert metrics["mean"] == 2
    assert samples["1"].explanation == "EMAIL, PERSON"  # types, and no text


@pytest.mark.parametrize(("task", "message"), [(anonymizer, "holds no annotations"), (attacker, "says of nobody what")])
def test_a_corpus_that_shows_nothing_is_refused(tmp_path: Path, task: Any, message: str) -> None:
    (tmp_path / "plain.json").write_text(json.dumps([{"doc_id": "a", "text": "Rain.", "annotations": {}}]))
    with pytest.raises(PlanError, match=message):
        task(str(tmp_path / "plain.json"))
