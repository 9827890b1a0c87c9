"""The run file: everything in it, all of it or nothing, for its owner alone, the same bytes for the same inputs."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import msgspec
import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    OutputError,
    PlanError,
    Run,
    evaluate,
)
from showthrough.run.records import Comparison, Evidence, Failure, Input, MetricRecord, Score, describe_fields
from showthrough.run.settings import RecordedSettings
from showthrough.storage.writing import write_file


@pytest.fixture
def run(tiny: Corpus) -> Run:
    some = Anonymization({"d1": [Mask(0, 11)], "d2": [], "d3": []}, "some")
    every = Anonymization({"d1": [Mask(0, 34)], "d2": [Mask(0, 26)], "d3": [Mask(0, 15)]}, "every")
    return evaluate(tiny, [some, every], ["er_di", "er_qi", "precision", "recall_per_type"], resamples=100)


def test_saved_and_loaded_is_the_same(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json") == run


def test_numbers_are_kept_in_full(tiny: Corpus, tmp_path: Path) -> None:
    third = evaluate(
        tiny, [Anonymization({"d1": [], "d2": [Mask(2, 9)], "d3": []}, "x")], ["er_di"], confidence=0.1 + 0.2
    )
    third.save(tmp_path / "run.json")
    loaded = Run.load(tmp_path / "run.json")
    assert loaded["x", "er_di"].value == 1 / 3
    assert loaded.settings.confidence == 0.1 + 0.2


def test_only_the_owner_may_read_it(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    run.save(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o644)
    run.save(path, force=True)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_public_files_follow_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "t.csv", b"x", private=False)
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "t.csv").stat().st_mode) == 0o640


def test_an_existing_file_is_kept(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text("precious")
    with pytest.raises(OutputError, match="exists already"):
        run.save(path)
    assert path.read_text() == "precious"
    run.save(path, force=True)
    assert Run.load(path) == run


@pytest.mark.parametrize("failing", ["fsync", "replace"])
@pytest.mark.parametrize("old", [None, "precious"])
def test_all_or_nothing(
    failing: str, old: str | None, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "run.json"
    if old:
        path.write_text(old)

    def fail(*arguments: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os if failing == "fsync" else Path, failing, fail)
    with pytest.raises(OutputError, match=r"run.json: cannot be written: No space left on device"):
        run.save(path, force=True)
    assert {one.name: one.read_text() for one in tmp_path.iterdir()} == ({"run.json": old} if old else {})


def test_stopped_while_writing_leaves_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(handle: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", stop)
    with pytest.raises(KeyboardInterrupt):
        run.save(tmp_path / "run.json")
    assert list(tmp_path.iterdir()) == []


def test_the_target_of_a_link_is_replaced(run: Run, tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    with pytest.raises(OutputError, match="exists already"):
        run.save(tmp_path / "link.json")
    run.save(tmp_path / "link.json", force=True)
    assert (tmp_path / "link.json").is_symlink()
    assert Run.load(tmp_path / "real.json") == run


@pytest.mark.parametrize("name", ["x" * 255, "ü" * 120])
def test_a_name_as_long_as_the_system_allows(name: str, run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / name)
    assert Run.load(tmp_path / name) == run


def test_places_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "none" / "run.json", "No such file or directory"),
        (tmp_path, "Is a directory"),
        (tmp_path / ("x" * 256), "File name too long"),
    ):
        with pytest.raises(OutputError, match=reason):
            run.save(path, force=True)
    assert list(tmp_path.iterdir()) == []


def content(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_bytes())
    del found["provenance"]["time"], found["provenance"]["seconds"]
    return found


def test_the_same_inputs_and_seed_give_the_same_bytes(tiny: Corpus, tmp_path: Path) -> None:
    masks = {"d1": [Mask(0, 11), Mask(15, 19)], "d2": [Mask(2, 9)], "d3": []}
    for number, seed in enumerate((5, 5, 6)):
        made = evaluate(tiny, [Anonymization(masks, "x")], seed=seed, resamples=5)
        made.save(tmp_path / f"{number}.json")
    one, two, three = (content(tmp_path / f"{number}.json") for number in range(3))
    assert json.dumps(one) == json.dumps(two)  # in the same order, too
    assert one["scores"] != three["scores"]
    assert one["rows"] == three["rows"]


def test_what_a_run_holds(run: Run, tmp_path: Path, tiny: Corpus) -> None:
    run.save(tmp_path / "run.json")
    found = json.loads((tmp_path / "run.json").read_bytes())
    assert found["format"] == 1
    assert found["complete"] is True
    assert found["corpus"] == {
        "name": "tiny",
        "digest": tiny.digest,
        "documents": 3,
        "source": "",
        "silver": "",
        "made": None,
        "seen": 0,
        "unlike": 0,
        "of_others": 0,
        "doubtful": 0,
        "annotated": 3,
        "left_out": [],
        "lowered": [],
    }
    assert [one["name"] for one in found["anonymizations"]] == ["some", "every"]
    assert found["documents"] == ["d1", "d2", "d3"]
    assert found["metrics"][0]["parameters"] == {
        "identifier": "direct",
        "function_words": "lexicon-en.1",
        "function_word_mentions": "asked",
        "replacements": "read",
    }
    assert found["rows"]["er_di"] == {
        "some": {"hidden": [2, 0, 0], "total": [2, 1, 0], "leaked:PERSON": [0, 1, 0]},
        "every": {"hidden": [2, 1, 0], "total": [2, 1, 0]},
        "nothing masked": {"hidden": [0, 0, 0], "total": [2, 1, 0], "leaked:PERSON": [2, 1, 0]},
        "everything masked": {"hidden": [2, 1, 0], "total": [2, 1, 0]},
    }
    assert [one["name"] for one in found["references"]] == ["nothing masked", "everything masked"]
    assert {"showthrough", "python", "platform", "packages", "time", "seconds"} <= set(found["provenance"])


def test_a_run_without_text_holds_none(run: Run, tmp_path: Path, tiny: Corpus) -> None:
    run.without_text().save(tmp_path / "run.json")
    found = (tmp_path / "run.json").read_text("utf-8")
    assert not any(word in found for document in tiny for word in ("Doe", "Ann Lee", "山田", document.text))
    assert Run.load(tmp_path / "run.json").scores == run.scores


def test_scores_by_name_metric_and_part(run: Run) -> None:
    assert run["some", "er_di"].value == 2 / 3
    assert run["some", "recall_per_type", "PERSON"].value == 6 / 10


def test_undefined_is_none_with_a_reason(tiny: Corpus, tmp_path: Path) -> None:
    nothing = Anonymization({"d1": [], "d2": [], "d3": []}, "nothing")
    run = evaluate(tiny, [nothing], ["precision", 'f1(unit="mention")'], references=False)
    run.save(tmp_path / "run.json")
    for score in Run.load(tmp_path / "run.json").scores:
        assert (score.value, score.low, score.high) == (None, None, None)
        assert score.reason


@pytest.mark.parametrize("record", [Run, Input, MetricRecord, RecordedSettings, Score, Failure, Comparison, Evidence])
def test_every_field_says_what_it_is(record: type) -> None:
    said = describe_fields(record)
    assert list(said) == [one.name for one in msgspec.inspect.type_info(record).fields]
    assert all(what and "\n" not in what and len(what) < 100 for what in said.values())


def test_the_plain_test_measures_differences_as_they_are(tiny: Corpus) -> None:
    masks = {"some": {"d1": [Mask(0, 11)], "d2": [], "d3": []}, "every": {"d1": [Mask(0, 19)], "d2": [], "d3": []}}
    run = evaluate(tiny, {name: Anonymization(one) for name, one in masks.items()}, ["recall", "recall_per_type"])
    [plain] = run.compare("recall", test="plain")
    [usual] = run.compare("recall")
    assert plain.difference == usual.difference
    assert (plain.low, plain.high, plain.note) == (None, None, "")
    # One document differs: every exchange gives the same difference, one way or the other.
    assert plain.p == plain.p_holm == 1.0
    assert [one.part for one in run.compare("recall_per_type", parts=["LOC"], test="plain")] == ["LOC"]


def test_rows_must_have_what_the_metric_says_of_them(run: Run, tmp_path: Path) -> None:
    """Also those of a metric that is not installed: what it counts would be told as nothing."""
    run = msgspec.convert(msgspec.to_builtins(run), Run)
    run.metrics = [msgspec.structs.replace(one, counts={"seen": "right"}, text="theirs") for one in run.metrics[:1]]
    run.rows = {"theirs": run.rows["er_di"]}
    run.save(tmp_path / "run.json")
    with pytest.raises(InputError, match=r"rows\.theirs\.some: seen is missing"):
        Run.load(tmp_path / "run.json")


def test_a_name_finds_the_metric_that_a_setting_gave_parameters() -> None:
    marks = (Annotation("a", (Mention(0, 3, "PERSON", "DIRECT", "e"),)),)
    corpus = Corpus([Document(f"d{number:02}", f"Ana vino {number}", marks) for number in range(20)])
    masks = {
        name: Anonymization({one.id: [Mask(0, 3)] if place >= first else [] for place, one in enumerate(corpus)})
        for name, first in (("every", 0), ("half", 10))
    }
    run = evaluate(corpus, masks, metrics=["er_di"], language="es", texts=False)
    (text,) = run.rows
    assert text.startswith("er_di(function_words=")
    assert (run.text_of("er_di"), run["half"]["er_di"].value) == (text, 0.5)
    assert {one.metric for one in run.compare("er_di", shuffles=99)} == {text}
    with pytest.raises(PlanError, match="not in this run"):
        run.compare("er_di(function_words='lexicon-en.1')")
