"""Run files of earlier versions: those that were written then, and all that had a key for each input."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from showthrough import (
    Anonymization,
    Background,
    Corpus,
    Document,
    InputError,
    Mask,
    PlanError,
    Rating,
    Ratings,
    Run,
    evaluate,
)
from showthrough.systems.replacing import replacing

CORPUS = Corpus([Document("ann", "Ann sings in Oslo."), Document("bob", "Bob bakes in Rome.")])
MASKS = Anonymization({"ann": [Mask(0, 3, "She")], "bob": [Mask(0, 3, "He")]}, "m")
KNOWN = {"ann": "Ann sings", "bob": "Bob bakes"}


# Two documents without text, as versions wrote them: the first version that had a background, the last with a key for
# each input, the first format as it is now, and the second, with tables.
SAMPLES = Path(__file__).parents[1] / "reference/runs"


@pytest.mark.parametrize("name", ["first.json", "keys.json", "inputs.json", "tables.zip"])
def test_what_was_written_then_is_read(name: str, tmp_path: Path) -> None:
    run = Run.load(SAMPLES / name)
    assert list(run.documents) == ["court-01", "court-02"]
    assert (run["rules", "er_di"].value, run["ner", "er_di"].value) == (1.0, 0.5)
    assert [one.name for one in run.inputs["background"]] == ["background"]
    assert "court-01" in run.to_html()
    assert run.texts is None
    run.save(tmp_path / "again.zip")
    assert Run.load(tmp_path / "again.zip").scores == run.scores


def test_a_metric_of_an_earlier_version_is_shown_and_not_compared() -> None:
    run = Run.load(SAMPLES / "first.json")
    assert run["ner", "trir"].value is not None
    with pytest.raises(PlanError, match=r"metric trir: the run has version 1, this program .*; evaluate again"):
        run.compare("trir")


@pytest.mark.parametrize("name", ["first.json", "keys.json", "inputs.json", "tables.zip"])
def test_the_schema_describes_every_file(name: str) -> None:
    schema = json.loads((Path(__file__).parents[2] / "docs/schemas/run-1.json").read_text(encoding="utf-8"))
    validator = pytest.importorskip("jsonschema").Draft202012Validator(schema)
    path = SAMPLES / name
    content = json.loads(ZipFile(path).read("run.json") if path.suffix == ".zip" else path.read_bytes())
    assert [error.json_path for error in validator.iter_errors(content)] == []
    content["scores"][0]["value"] = "much"
    assert [error.json_path for error in validator.iter_errors(content)] == ["$.scores[0].value"]


def former(run: Run, path: Path, **keys: object) -> Path:
    """The run as it was written before, with these keys."""
    run.save(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    del content["inputs"]
    path.write_text(json.dumps({**content, **keys}), encoding="utf-8")
    return path


def test_each_input_is_found(tmp_path: Path) -> None:
    rated = Ratings([Rating(document="ann", anonymization="m", item="1", rater="r", value=2)])
    run = evaluate(CORPUS, MASKS, ["trir"], background=KNOWN, ratings=rated, resamples=0, references=False)
    background, ratings = (_plain(run.inputs[name][0]) for name in ("background", "ratings"))
    path = former(run, tmp_path / "run.json", background=background, backgrounds={}, verifiers=[], ratings=ratings)
    loaded = Run.load(path)
    assert loaded.inputs == run.inputs
    assert loaded.scores == run.scores


def test_several_backgrounds_keep_their_names(tmp_path: Path) -> None:
    given = [Background(KNOWN, name) for name in ("web", "press")]
    run = evaluate(CORPUS, MASKS, background=given, metrics=None, resamples=0, references=False)
    records = {one.name: _plain(one) for one in run.inputs["background"]}
    path = former(run, tmp_path / "run.json", background=None, backgrounds=records, verifiers=[], ratings=None)
    assert Run.load(path).inputs == run.inputs
    assert [*records] == ["web", "press"]


@pytest.mark.parametrize(
    "keys", [{"background": {"name": 3}}, {"backgrounds": [1]}, {"verifiers": 3}, {"ratings": "x"}]
)
def test_an_input_that_is_none_is_refused_in_a_line(keys: dict[str, object], tmp_path: Path) -> None:
    run = evaluate(CORPUS, MASKS, ["trir"], background=KNOWN, resamples=0, references=False)
    path = former(run, tmp_path / "run.json", **keys)
    with pytest.raises(InputError, match="inputs"):
        Run.load(path)


def test_former_names_still_lead_there_and_say_so() -> None:
    run = evaluate(CORPUS, {"m": MASKS, "n": MASKS.with_name("n")}, ["bleu"], resamples=20, references=False)
    [compared] = run.compare("bleu")
    with pytest.warns(DeprecationWarning, match=r"Run\.drawn is now unit_count; the former name goes"):
        assert run.drawn == run.unit_count == 2
    with pytest.warns(DeprecationWarning, match=r"Comparison\.turned is now swapped"):
        assert compared.turned == compared.swapped
    with pytest.warns(DeprecationWarning, match=r"Anonymization\.renamed is now with_name"):
        assert MASKS.renamed("n").name == "n"
    with pytest.warns(DeprecationWarning, match="replacing is now make_replacer"):
        assert callable(replacing("label"))


def _plain(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in ("name", "digest", "documents", "source")}
