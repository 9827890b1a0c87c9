"""Run files of before there was one mapping of inputs: each input had a key of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from showthrough import Anonymization, Background, Corpus, Document, InputError, Mask, Rating, Ratings, Run, evaluate

CORPUS = Corpus([Document("ann", "Ann sings in Oslo."), Document("bob", "Bob bakes in Rome.")])
MASKS = Anonymization({"ann": [Mask(0, 3, "She")], "bob": [Mask(0, 3, "He")]}, "m")
KNOWN = {"ann": "Ann sings", "bob": "Bob bakes"}


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


def test_former_names_still_lead_there() -> None:
    run = evaluate(CORPUS, {"m": MASKS, "n": MASKS.renamed("n")}, ["bleu"], resamples=20, references=False)
    [compared] = run.compare("bleu")
    assert run.names == ["m", "n"]
    assert run.drawn == run.unit_count == 2
    assert compared.turned == compared.swapped


def _plain(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in ("name", "digest", "documents", "source")}
