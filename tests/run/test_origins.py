"""How systems were made, without folders."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from showthrough import Anonymization, Corpus, evaluate
from showthrough.data.masks import ScoredMask
from showthrough.data.provenance import Provenance
from showthrough.run.origins import strip_folders

WRITTEN: list[tuple[str, dict[str, Any], str]] = [
    ("rules", {}, "rules"),
    ("spacy:en_core_web_md", {"model": "en_core_web_md"}, "spacy:en_core_web_md"),
    ("presidio+/home/ann/crf/", {}, "presidio+crf/"),
    ("/home/ann lee/crf/", {"folder": "/home/ann lee/crf/"}, "./crf"),
    ("secret/crf/", {"folder": "secret/crf"}, "crf/"),
    ("~/secret/crf/", {}, "crf/"),
    ("C:\\Users\\ann\\crf", {"folder": "C:\\Users\\ann\\crf"}, "./crf"),
    ("hf:org/model", {"model": "org/model"}, "hf:org/model"),
    ("hf:/home/ann/m(window=512)", {"model": "/home/ann/m", "window": 512}, "hf:./m(window=512)"),
    ('presidio(model="/home/ann/pipe")', {"model": "/home/ann/pipe"}, 'presidio(model="./pipe")'),
    ("everywhere(secret/crf/)", {"of": "Trained(folder='secret/crf/')"}, "everywhere(crf/)"),
    ("http://localhost:5002/analyze", {}, "http://localhost:5002/analyze"),
    ("http://ann:secret@localhost:5002", {}, "http://localhost:5002"),
    ("cmd:python /home/ann/mine.py --key=secret", {"command": "python /home/ann/mine.py --key=secret"}, "cmd:python …"),
    ("cmd:'/home/ann lee/mine'", {}, "cmd:mine"),
    ("cmd:/home/ann/it's", {}, "cmd:it's"),
]


@pytest.mark.parametrize(("written", "parameters", "told"), WRITTEN, ids=[written for written, *_ in WRITTEN])
def test_folders_are_left_out(written: str, parameters: dict[str, Any], told: str) -> None:
    made = Provenance(
        anonymizer=written, version=3, parameters=parameters, pinned={"/home/ann/p": "0123"}, trained_on="secret/a@1"
    )
    bare = strip_folders(made)
    assert bare.anonymizer == told
    assert (bare.pinned, bare.trained_on, bare.version) == ({"p": "0123"}, "a@1", 3)
    content = msgspec.json.encode(bare).decode()
    assert "ann" not in content
    assert "secret" not in content
    assert strip_folders(bare) == bare


def test_runs_without_text_tell_no_folder(tiny: Corpus) -> None:
    masks = {"d1": [ScoredMask(0, 11, "X", "PERSON", 0.4), ScoredMask(15, 19, "X", "LOC", 0.9)], "d2": [], "d3": []}
    made = Provenance(anonymizer="/home/ann/crf/", version=1, parameters={"folder": "/home/ann/crf"})
    run = evaluate(tiny, {"x": Anonymization(masks, provenance=made)}, ["recall", "precision"], resamples=0)
    assert run.anonymizations[0].made == made  # which Python's evaluate keeps
    bare = run.without_text()
    assert "/home/ann" not in msgspec.json.encode(bare).decode()
    assert bare.anonymizations[0].made == strip_folders(made)
    assert bare.sweeps == run.sweeps
