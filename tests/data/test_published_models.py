"""What is known of published models: licences, training data, and which corpora may be it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

import showthrough as st
from showthrough.cli import app
from showthrough.data.provenance import Provenance
from showthrough.data.schemes import SCHEMES
from showthrough.evaluation.notices import leak_notes, unknown_labels
from showthrough.models.published import may_have_trained_on, models_in, published_models
from showthrough.systems import ANONYMIZERS, anonymizer

PIIRANHA = "hf:iiiorg/piiranha-v1-detect-personal-information"
AI4PRIVACY = "BOD BUILDING CITY COUNTRY DATE EMAIL GIVENNAME1 LASTNAME1"  # 8 of the types of 2024


def made_by(spec: str, *types: str) -> st.Anonymization:
    masks = [st.TypedMask(number, number + 1, None, kind) for number, kind in enumerate(types)]
    return st.Anonymization({"a": masks}, name="ours", provenance=Provenance(anonymizer=spec, version=1))


def corpus(name: str = "wards", types: str = "PERSON", source: str = "") -> st.Corpus:
    text = "Ona Rask was seen in Oslo"
    marks = tuple(st.Mention(number, number + 1, kind, "DIRECT") for number, kind in enumerate(types.split()))
    return st.Corpus([st.Document("a", text, (st.Annotation("us", marks),))], name, source)


def test_every_entry_can_be_asked_for_and_names_corpora_that_are_there() -> None:
    for model in published_models():
        assert model.system or not model.source
        if model.system:
            assert anonymizer(model.system).name == model.system
            assert [entry for _, entry in models_in(model.system)] == [model]
            assert model.source.startswith("https://")
        for known in model.corpora:
            assert may_have_trained_on(model, [known.replace("-", "_")], []), known


def test_every_system_says_what_it_needs() -> None:
    names = "rules sanitize average synonyms roundtrip spacy presidio gliner hf llm cmd http trained"
    assert all(ANONYMIZERS[name].needs for name in names.split())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (f"rules+{PIIRANHA}@5b1c9f2(threshold=0.1)", ["iiiorg/piiranha-v1-detect-personal-information"]),
        ('hf(model="obi/deid_roberta_i2b2", window=128)', ["obi/deid_roberta_i2b2"]),
        ("gliner:./mine-ai4privacy/", ["./mine-ai4privacy"]),
        ("everywhere(presidio(org=True))", ["en_core_web_lg"]),
        ("spacy", ["en_core_web_sm"]),
        ("rules+crf/+cmd:python mine.py", []),
    ],
)
def test_models_in_what_is_written(spec: str, names: list[str]) -> None:
    assert [name for name, _ in models_in(spec)] == names


@pytest.mark.parametrize(
    ("name", "source", "types", "leak"),
    [
        ("wards", "data/pii-masking-300k/english.jsonl", "PERSON", True),  # the folder
        ("1english_openpii_8k", "", "PERSON", True),
        ("wards", "", AI4PRIVACY, True),  # by its types alone
        ("wards", "", AI4PRIVACY.rpartition(" ")[0], False),  # 7 types are too few to tell
        ("wards", "", f"{AI4PRIVACY} WARD", False),
        ("tab", "data/tab/dev.json", "PERSON CODE LOC ORG", False),
    ],
)
def test_a_model_may_have_been_trained_on_a_corpus(name: str, source: str, types: str, leak: bool) -> None:
    lines = leak_notes(corpus(name, types, source), [made_by(PIIRANHA), made_by("rules")], [])
    assert len(lines) == leak
    if leak:
        assert lines[0].startswith("ours: iiiorg/piiranha-v1-detect-personal-information may have been trained on")
        assert "ai4privacy/pii-masking-400k (https://huggingface.co/iiiorg/" in lines[0]


def test_a_run_keeps_the_leak_note() -> None:
    run = st.evaluate(corpus("i2b2-2014"), {"ours": made_by("hf:obi/deid_roberta_i2b2")}, ["recall"])
    assert [note for note in run.notes if "may have been trained on this corpus" in note]


def test_unknown_labels_are_named_with_the_nearest_in_one_note() -> None:
    types = ("private_person", "PASPORT", "BLOB7", "PERSON")
    (line,) = unknown_labels(corpus(), [made_by(PIIRANHA, *types), made_by("rules", "BLOB7")], [])
    assert "does not know BLOB7 (no name is near), PASPORT (did you mean PASSPORT?)." in line
    assert unknown_labels(corpus(types="BLOB7 PASPORT"), [made_by(PIIRANHA, *types)], []) == []  # the corpus has them


@pytest.mark.parametrize("scheme", ["OpenAI Privacy Filter", "Piiranha", "Robust DeID", "Kaggle PII 2024"])
def test_label_sets_of_models_need_no_map(scheme: str) -> None:
    assert unknown_labels(corpus(), [made_by("hf:a/b", *SCHEMES[scheme].labels)], []) == []


def test_systems_are_listed_with_needs_licences_and_training_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    listed = CliRunner().invoke(app, ["list", "systems"]).output
    rows = {line.split()[0]: line for line in listed.splitlines() if line.strip()}
    assert "showthrough[gliner], a model" in rows["gliner"]
    piiranha = rows[PIIRANHA]
    assert "CC-BY-NC-ND-4.0" in piiranha
    assert "ai4privacy/pii-masking-400k" in piiranha
    entry = CliRunner().invoke(app, ["list", "systems", f"{PIIRANHA}@5b1c9f2"]).output
    assert "weights of iiiorg/piiranha-v1-detect-personal-information: CC-BY-NC-ND-4.0" in entry
    assert "trained on: ai4privacy/pii-masking-400k (as its page says)" in entry
    assert "threshold = 0.0" in entry  # what can be set, as `list anonymizers` shows it
