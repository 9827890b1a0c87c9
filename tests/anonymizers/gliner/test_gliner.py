"""`gliner:` on documents: the package's own spans, long texts, and what is refused."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from showthrough import Corpus, Document
from showthrough.core.errors import PlanError, ResourceError
from showthrough.data.types import kind_of
from showthrough.models.detectors import parse_detector
from showthrough.models.detectors.gliner import DEFAULT_LABELS, GlinerDetector
from showthrough.models.gliner import gliner, windows_of
from showthrough.systems import anonymize, anonymizer

from .conftest import Build

LABELS = ["person", "date", "city"]
VOCABULARY = ["Ona", "Rask", "in", "Oslo", "on", "3", "May", "and", "the", "judge", ",", ".", "x-ray", "(née"]


def texts(count: int, longest: int) -> list[str]:
    chance = random.Random(3)
    return [" ".join(chance.choices(VOCABULARY, k=chance.randint(1, longest))) for _ in range(count)]


def package_spans(model: Any, text: str, threshold: float = 0.5) -> list[tuple[int, int, str]]:
    return sorted(
        (one["start"], one["end"], one["label"]) for one in model.predict_entities(text, LABELS, threshold=threshold)
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("generation", "threshold"),
    [
        ({}, 0.5),
        ({"tokens": True}, 0.2),
        ({"labels_encoder": True}, 0.5),
        ({"tokens": True, "labels_encoder": True}, 0.2),
    ],
)
def test_fifty_texts_have_the_spans_of_the_package(
    package: Any, build: Build, generation: dict[str, bool], threshold: float
) -> None:
    folder = build(**generation)
    theirs = package.GLiNER.from_pretrained(str(folder))
    expected = [package_spans(theirs, text, threshold) for text in texts(50, 9)]
    assert sum(map(len, expected)) > 20
    found = gliner(str(folder), "cpu").find(texts(50, 9), LABELS, threshold)
    assert [sorted((one.start, one.end, one.label) for one in spans) for spans in found] == expected


@pytest.mark.slow
def test_no_text_is_lost_behind_a_window(package: Any, build: Build) -> None:
    """The package reads 20 words of this model; here every window is read, and what it finds stands in the text."""
    folder = build()
    model = gliner(str(folder), "cpu")
    text = " ".join(texts(12, 9))
    (spans,) = model.find([text], LABELS, 0.5)
    read_by_package = package_spans(package.GLiNER.from_pretrained(str(folder)), text)
    assert max(end for _, end, _ in read_by_package) < len(text) // 2
    assert max(one.end for one in spans) > len(text) * 0.9
    assert all(text[one.start : one.end].strip() == text[one.start : one.end] for one in spans)
    alone, *_ = model.find([text, "Ona Rask", text[:40]], LABELS, 0.5)
    assert alone == spans  # whatever is read beside it


@pytest.mark.slow
def test_an_older_model_has_its_tokenizer_and_its_make_from_the_one_that_it_is_built_on(
    package: Any, build: Build
) -> None:
    folder = build()
    config = json.loads((folder / "gliner_config.json").read_text())
    (folder / "gliner_config.json").write_text(json.dumps({**config, "encoder_config": None}))
    for path in folder.glob("*token*"):
        path.unlink()
    theirs = package.GLiNER.from_pretrained(str(folder))
    expected = [package_spans(theirs, text) for text in texts(20, 9)]
    found = gliner(str(folder), "cpu").find(texts(20, 9), LABELS, 0.5)
    assert [sorted((one.start, one.end, one.label) for one in spans) for spans in found] == expected
    assert sum(map(len, expected)) > 10
    assert "+" in dict(GlinerDetector(str(folder)).pinned)["model"]  # two revisions
    (folder.parent / "base" / "config.json").write_text('{"auto_map": {"AutoModel": "somebody/model--code.Model"}}')
    with pytest.raises(ResourceError, match=r"names code to run \(auto_map in config\.json\)"):
        gliner(f"{folder}/", "cpu")


@pytest.mark.slow
def test_batches_change_no_span(build: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a GPU: windows of one shape go through together, in tables that are filled up."""
    model = gliner(str(build()), "cpu")
    read = texts(20, 3)
    alone = model.find(read, LABELS, 0.5)
    monkeypatch.setattr("showthrough.models.gliner._ROOM", {"cpu": 200})
    together = model.find(read, LABELS, 0.5)
    assert [[span[:3] for span in spans] for spans in together] == [[span[:3] for span in spans] for spans in alone]
    assert [model.find([text], LABELS, 0.5)[0] for text in read[:5]] == together[:5]  # to the last digit


@pytest.mark.slow
def test_a_word_that_the_tokenizer_drops_moves_no_other(build: Build) -> None:
    """Behind a zero-width space the package takes each word for the one before it."""
    model = gliner(str(build()), "cpu")
    plain, dropped = "Ona Rask \u0020 in Oslo", "Ona Rask \u200b in Oslo"
    assert len(plain) == len(dropped)
    expected, found = model.find([plain, dropped], LABELS, 0.5)
    assert expected
    assert found == expected


@pytest.mark.slow
def test_as_an_anonymizer_and_as_a_detector(build: Build) -> None:
    folder = build()
    system = anonymizer(f"gliner:{folder}(labels='person,date of birth,town=CITY',threshold=0.4,on='cpu')")
    assert anonymizer(system.name) == system
    made = anonymize(Corpus([Document("a", "Ona Rask in Oslo on 3 May"), Document("b", " ")]), system)
    assert {mask.entity_type for mask in made.of("a")} <= {"PERSON", "DATE_OF_BIRTH", "CITY"}
    assert all(0.4 < (mask.score or 0) <= 1 for mask in made.of("a"))
    assert made.of("a")
    assert not made.of("b")
    assert set(system.pinned) == {"model", "libraries", "device"}  # type: ignore[attr-defined]
    detector = parse_detector(f"gliner:{folder}(labels='person,date of birth,town=CITY',threshold=0.4,on='cpu')")
    (finds,) = detector.find(["Ona Rask in Oslo on 3 May"])
    assert [(find.start, find.end) for find in finds] == [(mask.start, mask.end) for mask in made.of("a")]


@pytest.mark.slow
def test_what_is_refused(package: Any, build: Build, tmp_path: Path) -> None:
    folder = build(safe=False)
    with pytest.raises(ResourceError, match=r"there is no file of weights \(\*\.safetensors\)"):
        gliner(str(folder), "cpu")
    folder = build()
    config = json.loads((folder / "gliner_config.json").read_text())

    def refused(fault: str, **changes: Any) -> None:
        (folder / "gliner_config.json").write_text(json.dumps({**config, **changes}))
        with pytest.raises(ResourceError, match=fault):
            gliner(str(folder), "cpu")

    coded = {**config["encoder_config"], "auto_map": {"AutoModel": "somebody/model--code.Model"}}
    refused("names code to run \\(auto_map in gliner_config.json\\)", encoder_config=coded)
    refused("names code to run \\(_attn_implementation", _attn_implementation="kernels-community/flash")
    refused("makes up labels of its own", labels_decoder="gpt2")
    refused("cuts words by 'stanza'", words_splitter_type="stanza")
    refused("is not whole: .* is not in it", num_rnn_layers=2, fuse_layers=True)
    (folder / "gliner_config.json").write_text(json.dumps(config))
    with pytest.raises(PlanError, match=r"the 60 labels fill what .* reads at once"):
        gliner(str(folder), "cpu").find(["Ona"], [f"label{number}" for number in range(60)], 0.5)


def test_what_is_not_there() -> None:
    pytest.importorskip("huggingface_hub")
    for spec, fault in (
        ("gliner", "no model was named"),
        ("gliner:nobody/nothing", "is not on this machine and the hub cannot be reached"),
        ("gliner:./nowhere", "there is no folder './nowhere'"),
    ):
        with pytest.raises((PlanError, ResourceError), match=fault):
            anonymizer(spec).prepare()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("gliner(threshold=1)", "threshold: found 1; expected 0 to less than 1"),
        ("gliner(on='tpu')", "on: found 'tpu'; expected auto, cpu, cuda"),
        ("gliner(labels='person,,date')", "labels: found ''; expected a label, or label=TYPE"),
        ("gliner(labels='person=')", "labels: found 'person='; expected a label, or label=TYPE"),
        ("gliner(labels='a=X,a=Y')", "labels: found 'a' with two types"),
    ],
)
def test_parameters_that_cannot_be(written: str, fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        anonymizer(written)


def test_types_of_labels() -> None:
    assert all(map(kind_of, DEFAULT_LABELS))
    written = GlinerDetector(labels="person, shoe size, town=CITY")
    assert written.types_by_label == {"person": "PERSON", "shoe size": "SHOE_SIZE", "town": "CITY"}


@given(
    st.lists(st.integers(1, 12), max_size=60),
    st.integers(1, 12),
    st.integers(1, 30),
)
def test_windows_decide_each_word_once(pieces: list[int], words: int, room: int) -> None:
    windows = windows_of(np.array(pieces, dtype=np.int64), words, room)
    decided = [word for window in windows for word in range(window.first, window.last)]
    assert decided == list(range(len(pieces)))
    for window in windows:
        assert window.begin <= window.first <= window.last <= window.end
        assert 0 < window.end - window.begin <= words
        assert sum(pieces[window.begin : window.end]) <= room or window.end - window.begin == 1
