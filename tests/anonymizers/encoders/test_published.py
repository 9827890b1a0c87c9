"""`hf:` on documents: planted models whose every label is known, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from showthrough.core.errors import PlanError, ResourceError
from showthrough.data.documents import Corpus, Document
from showthrough.data.types import kind_of
from showthrough.models.model_folders import Card, training_on, write_model
from showthrough.systems import anonymize, anonymizer
from showthrough.systems.encoders.published import TokenClassifier

from .conftest import Plant

pytestmark = pytest.mark.slow

LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
PIECES = {"john": "B-PER", "smith": "I-PER", "paris": "B-LOC", "jose": "B-PER", "東": "B-LOC", "京": "I-LOC"}
TEXT = "👍 John Smith, José\r\nof PARIS and 東京. Cafe\u0301 Jose\u0301!"
FOUND = [("John Smith", "PER"), ("José", "PER"), ("PARIS", "LOC"), ("東京", "LOC"), ("Jose\u0301", "PER")]


def found(system: TokenClassifier, text: str = TEXT) -> list[tuple[str, str]]:
    (masks,) = system.masks([Document("a", text)])
    return [(text[one.start : one.end], one.entity_type) for one in masks]


@pytest.mark.parametrize("window", [0, 512, 12, 3])
def test_a_planted_model_is_decoded_exactly(plant: Plant, window: int) -> None:
    """This model reads each piece by itself, so windows change nothing."""
    system = TokenClassifier(str(plant(LABELS, PIECES)), window=window, on="cpu")
    assert found(system) == FOUND
    assert found(system, "") == []
    long = " and ".join([TEXT] * 40)
    assert found(system, long) == FOUND * 40


def test_pieces_of_a_word(plant: Plant) -> None:
    """Rask is two pieces, of which the second is labelled here."""
    folder = str(plant(LABELS, {"##k": "B-PER"}))
    assert found(TokenClassifier(folder), "Ona Rask.") == [("Rask", "PER")]
    assert found(TokenClassifier(folder, words="piece"), "Ona Rask.") == [("k", "PER")]
    assert found(TokenClassifier(folder, words="first"), "Ona Rask.") == []


def homemade(bytewise: bool) -> Any:
    """A tokenizer that counts the space before a word to it: BPE of bytes as of RoBERTa, or pieces as of XLM-R."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors, trainers
    from transformers import PreTrainedTokenizerFast

    marks = ["<s>", "</s>", "<pad>", "<unk>"]
    if bytewise:
        made = Tokenizer(models.BPE())
        made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        made.decoder = decoders.ByteLevel()
        letters = pre_tokenizers.ByteLevel.alphabet()
        trainer: Any = trainers.BpeTrainer(vocab_size=300, special_tokens=marks, initial_alphabet=letters)
    else:
        made = Tokenizer(models.Unigram())
        made.pre_tokenizer = pre_tokenizers.Metaspace()
        trainer = trainers.UnigramTrainer(vocab_size=60, special_tokens=marks, unk_token=marks[3])
    made.train_from_iterator(["Rask met Rask in Oslo"] * 20, trainer)
    ends = [("<s>", made.token_to_id("<s>")), ("</s>", made.token_to_id("</s>"))]
    made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=ends)
    return PreTrainedTokenizerFast(tokenizer_object=made, pad_token=marks[2], unk_token=marks[3], model_max_length=64)


@pytest.mark.parametrize("bytewise", [True, False])
@pytest.mark.parametrize("text", ["in Rask,", "👍Rask 東京", "é👍\r\n  Rask", "Rask"])
def test_tokenizers_that_count_space(torch: Any, plant: Plant, bytewise: bool, text: str) -> None:
    tokenizer = homemade(bytewise)
    pieces = {piece: "B-PER" for piece in tokenizer.get_vocab() if "k" in piece and piece != "<unk>"}
    assert pieces
    assert found(TokenClassifier(str(plant(LABELS, pieces, tokenizer=tokenizer))), text) == [("Rask", "PER")]


def test_bytes_of_one_character(torch: Any, plant: Plant) -> None:
    """An emoji is four bytes, each a piece here; what stands for it is masked once."""
    tokenizer = homemade(bytewise=True)
    (_, *pieces) = tokenizer.tokenize("a👍")
    folder = str(plant(LABELS, {pieces[-1]: "B-PER"}, tokenizer=tokenizer))
    for words in ("any", "piece"):
        assert found(TokenClassifier(folder, words=words), "a👍b") == [("👍", "PER")]


def test_maps_and_thresholds(plant: Plant) -> None:
    folder = str(plant(LABELS, PIECES, sure=0.5))
    assert found(TokenClassifier(folder, labels="PER=PERSON,LOC="), TEXT[:20]) == [
        ("John Smith", "PERSON"),
        ("José", "PERSON"),
    ]
    (masks,) = TokenClassifier(folder).masks([Document("a", TEXT)])
    score = masks[0].score or 0.0
    assert 0.5 < score < 0.95
    assert found(TokenClassifier(folder, threshold=score - 0.01)) == FOUND
    assert found(TokenClassifier(folder, threshold=score + 0.01)) == []


def test_as_it_is_written(plant: Plant) -> None:
    folder = plant(LABELS, PIECES)
    plainly = anonymizer(f"hf:{folder}")
    assert isinstance(plainly, TokenClassifier)
    assert plainly.name == f"hf:{folder}"
    told = anonymizer(f"hf:{folder}(window=128, labels='PER=PERSON')")
    assert told == TokenClassifier(str(folder), window=128, labels="PER=PERSON")
    assert anonymizer(told.name) == told
    assert set(plainly.pinned) == {"device", "libraries", "model"}
    assert plainly.model_bytes == sum(path.stat().st_size for path in folder.iterdir())
    assert TokenClassifier(str(folder), on="cpu").device == "cpu"


def test_a_folder_that_changes_is_another_model(plant: Plant) -> None:
    system = TokenClassifier(str(plant(LABELS, PIECES)))
    before = system.pinned["model"]
    assert found(system) == FOUND
    plant(LABELS, {"paris": "B-LOC"})
    assert found(system) == [("PARIS", "LOC")]
    assert system.pinned["model"] != before


def test_labels_that_say_nothing(plant: Plant) -> None:
    folder = str(plant(LABELS, PIECES, names=[f"LABEL_{number}" for number in range(5)]))
    with pytest.raises(PlanError, match="does not name its labels"):
        TokenClassifier(folder).prepare()
    named = ",".join(f"LABEL_{number}={label}" for number, label in enumerate(LABELS))
    assert found(TokenClassifier(folder, labels=named)) == FOUND


@pytest.mark.parametrize(
    ("written", "fault"),
    [
        ("hf(window=-1)", "hf: window: found -1; expected 0 or more"),
        ("hf(threshold=1.5)", "hf: threshold: found 1.5; expected 0 to 1"),
        ("hf(on='tpu')", "hf: on: found 'tpu'; expected auto, cpu, cuda"),
        ("hf(words='all')", "words='all' is not known; expected one of 'any', 'first', 'piece'"),
        ("hf(labels='PER')", "hf: labels: found 'PER'; expected FROM=TO"),
    ],
)
def test_parameters_that_cannot_be(written: str, fault: str) -> None:
    with pytest.raises(PlanError, match=fault):
        anonymizer(written)


def test_what_can_only_be_told_with_the_model(plant: Plant) -> None:
    folder = str(plant(LABELS, PIECES))
    for settings, fault in (
        ({"window": 513}, "window: found 513; expected 3 to 512 tokens"),
        ({"window": 12, "stride": 11}, "stride: found 11; expected 1 to 10 tokens"),
        ({"labels": "PRE=PERSON"}, "labels: the model has no 'PRE'"),
    ):
        with pytest.raises(PlanError, match=fault):
            TokenClassifier(folder, **settings).prepare()  # type: ignore[arg-type]
    with pytest.raises(PlanError, match=r"anonymizer hf\(model=.*, window=513\): window: found 513"):
        TokenClassifier(folder, window=513).prepare()
    with pytest.raises(PlanError, match="no model was named"):
        anonymizer("hf").masks([Document("a", "b")])
    with pytest.raises(ResourceError, match="is not on this machine and the hub cannot be reached"):
        TokenClassifier("some/token-classifier").prepare()


def test_a_file_says_how_it_was_made(plant: Plant) -> None:
    folder = plant(LABELS, PIECES)
    made = anonymize(Corpus([Document("a", TEXT)]), TokenClassifier(str(folder), window=16, on="cpu"))
    assert [one.replacement for one in made.of("a")] == ["PER", "PER", "LOC", "LOC", "PER"]
    assert made.provenance
    assert made.provenance.anonymizer == f'hf(model="{folder}", window=16, on="cpu")'
    assert made.provenance.parameters["words"] == "any"
    assert made.provenance.cost
    assert (made.provenance.cost.device, made.provenance.cost.documents) == ("cpu", 1)


def test_a_trained_folder(plant: Plant, tmp_path: Path) -> None:
    """What training writes: the model's files, with a card that says how it is to be read."""
    corpus = Corpus([Document("a", TEXT)], name="small")
    labels = ["O", "B-MASK", "I-MASK"]
    source = plant(
        labels, {piece: label.replace("PER", "MASK").replace("LOC", "MASK") for piece, label in PIECES.items()}
    )
    files = {path.name: path.read_bytes() for path in source.iterdir()}
    settings = {"window": 64, "stride": 48, "threshold": 0.5}
    write_model(tmp_path / "ours", Card(kind="transformer", training=training_on(corpus), settings=settings), files)
    system = anonymizer(f"{tmp_path / 'ours'}/")
    (masks,) = system.masks([Document("b", TEXT)])
    assert [(TEXT[one.start : one.end], one.entity_type) for one in masks] == [(text, "") for text, _ in FOUND]
    (hidden,) = anonymize(Corpus([Document("b", "I am John Smith.")]), system).masks.values()
    assert [(one.start, one.end, one.replacement) for one in hidden] == [(5, 15, "MASK")]
    with pytest.raises(PlanError, match="was trained on 1 of these 1 documents"):
        anonymize(corpus, system)


def test_a_card_that_cannot_be_right(plant: Plant, tmp_path: Path) -> None:
    corpus = Corpus([Document("a", TEXT)], name="small")
    files = {path.name: path.read_bytes() for path in plant(LABELS, PIECES).iterdir()}
    card = Card(kind="transformer", training=training_on(corpus), settings={"window": "wide"})
    write_model(tmp_path / "ours", card, files)
    with pytest.raises(ResourceError, match=r"model\.json: settings: window: found 'wide'; expected a number"):
        anonymizer(f"{tmp_path / 'ours'}/").masks([Document("b", TEXT)])
    write_model(
        tmp_path / "long", Card(kind="transformer", training=training_on(corpus), settings={"window": 600}), files
    )
    with pytest.raises(ResourceError, match=r"model\.json: settings: window: found 600; expected 3 to 512 tokens"):
        anonymizer(f"{tmp_path / 'long'}/").masks([Document("b", TEXT)])


def test_the_architecture_of_openai_s_privacy_filter(torch: Any, tokenizer: Any, tmp_path: Path) -> None:
    """Its own make and its own 33 labels, with random weights: every type is known, and no text is lost."""
    filters = pytest.importorskip("transformers.models.openai_privacy_filter")
    labels = list(filters.configuration_openai_privacy_filter.OPENAI_PRIVACY_FILTER_NER_LABELS)
    sizes = {
        "hidden_size": 16,
        "intermediate_size": 16,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "head_dim": 8,
    }
    experts = {"num_key_value_heads": 1, "num_local_experts": 4, "num_experts_per_tok": 2}
    config = filters.OpenAIPrivacyFilterConfig(
        vocab_size=len(tokenizer), id2label=dict(enumerate(labels)), pad_token_id=0, eos_token_id=None,
        initializer_range=0.5, **sizes, **experts,
    )  # fmt: skip
    torch.manual_seed(1)
    folder = tmp_path / "filter"
    filters.OpenAIPrivacyFilterForTokenClassification(config).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    text = "Ona Rask met Bo Lind in Oslo on 3 May. " * 20
    for window in (0, 40):
        system = TokenClassifier(str(folder), window=window, on="cpu")
        masks, _ = system.masks([Document("a", text), Document("b", "Oslo")])
        assert {mask.entity_type for mask in masks} <= {label[2:] for label in labels[1:]}
        assert all(kind_of(mask.entity_type) for mask in masks)
        assert masks[-1].end > len(text) - 40
        assert system.masks([Document("a", text)]) == [masks]
