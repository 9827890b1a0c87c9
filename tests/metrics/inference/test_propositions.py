"""Statements that must be gone from a release, and statements that must stay true."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from inference.fakes import Parrot
from showthrough import (
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mask,
    PlanError,
    Run,
    Statement,
    Statements,
    evaluate,
    parse_metric,
    read_statements,
)
from showthrough.data.references import EVERYTHING, NOTHING
from showthrough.families.inference.propositions import Propositions
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.models.settings import ModelSettings

TEXT = "Ann Berg was born on 3 May 1980. She was treated for HIV in Oslo. Aspirin helped."
PARTS = ("", "kept", "unjudged:gone", "unjudged:kept", "unfound:gone", "unfound:kept")


def statements(*pairs: tuple[str, str], document: str = "a", quote: str = "") -> Statements:
    return Statements([Statement(document=document, text=text, must=must, quote=quote) for text, must in pairs])  # type: ignore[arg-type]


def hiding(*words: str, text: str = TEXT, name: str = "tool") -> Anonymization:
    return Anonymization({"a": [Mask(text.index(word), text.index(word) + len(word)) for word in words]}, name)


def scored(said: Statements, *systems: Anonymization, metric: str = "propositions", text: str = TEXT) -> Run:
    return evaluate(Corpus([Document("a", text)]), systems, [metric], statements=said, resamples=0, texts=False)


def values(run: Run, system: str = "tool", metric: str = "propositions") -> dict[str, float | None]:
    return {part: run[system, metric, part].value for part in PARTS}


@pytest.mark.parametrize(
    ("text", "masked", "gone"),
    [
        ("Ann Berg has HIV.", ("Ann Berg", "HIV"), 1),  # ann, berg, hiv: none is left
        ("Ann Berg has HIV.", (), 0),
        ("Ann Berg has HIV.", ("Ann Berg",), None),  # hiv is left: a reader may know whose it is
        ("HIV.", ("HIV",), 1),
        ("It was 1980-05-03.", ("3 May 1980",), 1),  # written another way, and one piece
        ("It was 1980-05-03.", ("Ann Berg",), 0),
        ("She has been ill.", ("HIV",), "unfound"),  # ill is not in the original
        ("She was.", ("HIV",), "unfound"),  # no word that says anything
        ("住在奥斯陆", ("HIV",), "unfound"),  # written without spaces: rules cannot read it
    ],
)
def test_rules_by_hand(text: str, masked: tuple[str, ...], gone: float | str | None) -> None:
    run = scored(statements((text, "gone")), hiding(*masked))
    assert values(run) == {
        "": gone if isinstance(gone, int) else None,
        "kept": None,
        "unjudged:gone": None if gone == "unfound" else float(gone is None),
        "unjudged:kept": None,
        "unfound:gone": float(gone == "unfound"),
        "unfound:kept": None,
    }


def test_shares_by_hand() -> None:
    said = statements(
        ("Ann Berg", "gone"),  # masked: gone
        ("HIV in Oslo", "gone"),  # still there
        ("Ann Berg in Oslo", "gone"),  # oslo is left: nobody can tell
        ("Ann is a lawyer", "gone"),  # not in the original
        ("Aspirin helped", "kept"),  # still there
        ("Berg helped", "kept"),  # half is left
        ("Born 3 May 1980", "kept"),  # still there
    )
    # Of 4 that must be gone 3 are found in the original: 1 is gone, 1 is not, 1 nobody can tell. Of 3 to keep 2 are.
    expected = {
        "": 1 / 3,
        "kept": 2 / 3,
        "unjudged:gone": 1 / 3,
        "unjudged:kept": 1 / 3,
        "unfound:gone": 1 / 4,
        "unfound:kept": 0,
    }
    run = scored(said, hiding("Ann Berg"))
    assert values(run) == pytest.approx(expected)
    notes = " ".join(run.notes)
    assert "1 of 7 statements do not count in propositions: the judge rules does not find them in originals" in notes
    assert (
        "tool, propositions: the judge rules cannot decide 2 of 6 statements, which are neither gone nor kept" in notes
    )
    assert "the judge rules looks for words alone" in notes
    (leak,) = run.evidence["propositions"]["tool"]["a"].inferred
    assert (leak.tag, leak.true) == ("must be gone", "HIV in Oslo")


def test_nothing_is_surely_gone_where_nothing_was_judged() -> None:
    run = scored(statements(("Ann Berg has HIV", "gone"), ("Aspirin", "kept")), hiding("Ann Berg"))
    score = run["tool", "propositions"]
    assert (score.value, score.reason) == (None, "the judge rules can decide no statement that must be gone")
    assert run["tool", "propositions", "kept"].value == 1
    alone = scored(statements(("Aspirin", "kept")), hiding("Ann Berg"))["tool", "propositions"]
    assert (alone.value, alone.reason) == (None, "no statement must be gone")


def test_a_quote_has_the_words_of_the_document() -> None:
    # In other words than the document's; its own words are looked for.
    said = statements(("The patient is HIV positive.", "gone"), quote="treated for HIV")
    assert values(scored(said, hiding("treated", "HIV")))[""] == 1
    assert values(scored(said, hiding()))["unfound:gone"] == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(sorted({*TEXT.replace(".", "").split()})), min_size=1, max_size=5), st.booleans())
def test_the_ends_of_the_scale(words: list[str], keep: bool) -> None:
    run = scored(statements((" ".join(words), "kept" if keep else "gone")), hiding("HIV"))
    part = "kept" if keep else ""
    ends = [run[name, "propositions", part].value for name in (NOTHING, EVERYTHING)]
    unfound = run[NOTHING, "propositions", f"unfound:{'kept' if keep else 'gone'}"].value
    assert ends == ([None, None] if unfound else [1, 0] if keep else [0, 1])


def test_words_that_say_nothing_are_a_list(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("hiv\nin\n")
    metric = f'propositions(dictionary="{tmp_path}/words.txt")'
    assert values(scored(statements(("HIV in Oslo", "gone")), hiding("Oslo"), metric=metric), metric=metric)[""] == 1
    with pytest.raises(InputError, match=r"none\.txt"):
        scored(statements(("HIV", "gone")), hiding(), metric=metric.replace("words.txt", "none.txt"))


def test_documents_without_statements_do_not_count() -> None:
    corpus = Corpus([Document("a", TEXT), Document("b", "HIV"), Document("c", "Oslo")])
    said = Statements([
        Statement(document="a", text="HIV", must="gone"),
        Statement(document="c", text="Oslo", must="gone"),
    ])  # fmt: skip
    masks = Anonymization({"a": [Mask(TEXT.index("HIV"), TEXT.index("HIV") + 3)], "b": [], "c": []}, "tool")
    run = evaluate(corpus, masks, ["propositions"], statements=said)
    score = run["tool", "propositions"]
    assert score.value == 1 / 2
    assert score.low is not None
    assert score.high is not None
    assert 0 <= score.low < 1 / 2 < score.high <= 1
    (record,) = run.inputs["statements"]
    assert (record.documents, record.digest) == (2, said.digest)
    assert f"statements@{said.digest[:8]}" in score.signature


# A language model is asked once about each text, with all statements; a text of which nothing is left costs nothing.


def verdicts(*said: str) -> str:
    return json.dumps({"verdicts": [{"number": number, "verdict": one} for number, one in enumerate(said, 1)]})


@pytest.mark.parametrize(
    ("statement", "name", "illness", "gone"),
    [
        ("Ann Berg has HIV.", "[NAME]", "H*V", None),
        ("Ann Berg has HIV.", "A** B*rg", "***", None),
        ("Ann Berg has HIV.", "A** B***", "H**", 1),  # a first letter may be anybody's
        ("It is HIV.", "[NAME]", "#IV", None),
        ("It is HIV.", "K*l*a", "[ILLNESS]", 1),
    ],
)
def test_letters_beside_mask_characters_are_not_gone(
    statement: str, name: str, illness: str, gone: float | None
) -> None:
    corpus = Corpus([Document("a", "Ann Berg has HIV.")])
    masks = Anonymization({"a": [Mask(0, 8, name), Mask(13, 16, illness)]})
    said = Statements([Statement(document="a", text=statement, must="gone")])
    assert evaluate(corpus, {"x": masks}, ["propositions"], statements=said)["x", "propositions"].value == gone


@pytest.mark.parametrize(
    ("released", "gone", "kept", "unjudged"),
    [
        (verdicts("no", "yes"), 1, 1, 0),
        (verdicts("yes", "no"), 0, 0, 0),
        (verdicts("no", "unclear"), 1, None, 1),
        (verdicts("no"), 1, None, 1),  # a number that is missing
        ("I cannot say.", None, None, 1),
        (json.dumps({"verdicts": [{"number": 2, "verdict": one} for one in ("yes", "no")]}), None, None, 1),
    ],
)
def test_a_language_model(
    monkeypatch: pytest.MonkeyPatch, released: str, gone: float | None, kept: float | None, unjudged: float
) -> None:
    chat = Parrot(lambda text: verdicts("yes", "yes") if "Ann Berg was" in text else released)
    monkeypatch.setattr(Resources, "chat", lambda self, name: chat)
    metric = Propositions("llm:parrot")
    chunk = Chunk(
        Corpus([Document("a", TEXT)]),
        Resources(inputs={"statements": statements(("Ann Berg is ill", "gone"), ("Somebody took a drug", "kept"))}),
    )
    totals = {one.name: chunk.rows(metric, one).totals() for one in (hiding("Ann Berg"), nothing_left())}
    parts = {part: None if np.isnan(value) else value.item() for part, value in metric.combine(totals["tool"]).items()}
    assert (parts[""], parts["kept"], parts["unjudged:kept"]) == (gone, kept, unjudged)
    assert metric.combine(totals["all"])[""] == 1
    assert len(chat.heard) == 2  # about the original and what the tool leaves
    assert chat.heard[0].text.endswith("1. Ann Berg is ill\n2. Somebody took a drug\n</statements>")


def nothing_left() -> Anonymization:
    return Anonymization({"a": [Mask(0, len(TEXT), "***")]}, "all")


def test_recorded_verdicts(tmp_path: Path) -> None:
    said = statements(("Ann is ill", "gone"), ("Ann is rich", "gone"), ("A drug", "kept"), ("A cure", "kept"))
    originals = {one.text: one.text != "Ann is rich" for one in said.statements}
    lines = [
        {"id": "a", "anonymization": "original", "statements": originals},
        {"id": "a", "anonymization": "tool", "statements": {"Ann is ill": False, "A drug": None, "A cure": False}},
    ]  # fmt: skip
    path = tmp_path / "said.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    metric = f'propositions(judge="answers:{path}")'
    run = scored(said, hiding("HIV"), metric=metric)
    # Of two to be gone one is found in the original, and gone. Of two to be kept one is not judged, and one is lost.
    expected = {"": 1, "kept": 0, "unjudged:gone": 0, "unjudged:kept": 1 / 2, "unfound:gone": 1 / 2, "unfound:kept": 0}
    assert values(run, metric=metric) == expected
    assert run[NOTHING, metric].value == 0
    assert run[EVERYTHING, metric].value == 1
    path.write_text(json.dumps({**lines[1], "anonymization": "tool"}))
    with pytest.raises(
        InputError, match="has no verdicts on statements in the originals; expected statements in lines of"
    ):
        scored(said, hiding("HIV"), metric=metric)


WORDS = ["ann", "was", "ill", "in", "oslo", "."]


@pytest.mark.slow
def test_an_entailment_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch: Any = pytest.importorskip("torch", reason="pip install 'showthrough[models]'")
    tokenizers: Any = pytest.importorskip("tokenizers", reason="pip install 'showthrough[models]'")
    from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "cache"))
    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: at for at, word in enumerate([*marks, *WORDS])}, marks[1])
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    inner.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=inner, **dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), marks, strict=True))
    )
    tokenizer.save_pretrained(tmp_path / "nli")
    torch.manual_seed(3)
    shape = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    classes = {0: "neutral", 1: "entailment"}
    config = BertConfig(
        **shape, vocab_size=10, max_position_embeddings=16, initializer_range=0.5, id2label=classes,
        label2id={name: number for number, name in classes.items()},
    )  # fmt: skip
    model = BertForSequenceClassification(config).eval()
    model.save_pretrained(tmp_path / "nli")

    def chance(premise: list[str], statement: str) -> float:
        ids = tokenizer(" ".join(premise), statement, return_tensors="pt")
        with torch.inference_mode():
            return float(model(**ids).logits.softmax(-1)[0, 1])

    text = "ann was ill . oslo . ill in ann . was oslo in oslo was ann ill .".split()  # noqa: SIM905 (read as a text)
    statement = "ann in oslo"
    resources = Resources(ModelSettings(device="cpu", cache=False))
    judge = resources.entailment(f"nli:{tmp_path}/nli")
    ((value,),) = judge.follow([(" ".join(text), [statement])])
    taken = len(tokenizer("", statement)["input_ids"])  # 3 marks and 3 words
    room, overlap = 16 - taken, (16 - taken) // 4
    starts = range(0, len(text) - overlap, room - overlap)
    assert value == pytest.approx(max(chance(text[start : start + room], statement) for start in starts), abs=1e-5)
    assert np.isnan(judge.follow([("ann", ["ann " * 9])])[0][0])  # no room for a text beside it
    metric = f'propositions(judge="nli:{tmp_path}/nli", threshold={value - 0.01:.3f})'
    run = evaluate(
        Corpus([Document("a", " ".join(text))]), Anonymization({"a": []}, "tool"), [metric],
        statements=statements((statement, "gone"), ("ann " * 9, "gone")), resamples=0, device="cpu",
    )  # fmt: skip
    assert values(run, metric=metric) | {} == {
        "": 0, "kept": None, "unjudged:gone": 0, "unjudged:kept": None, "unfound:gone": 1 / 2, "unfound:kept": None,
    }  # fmt: skip


# Files, and what is wrong with them.

ROWS = [("a", "Ann Berg is ill", "gone", ""), ("a", "Aspirin helped", "kept", "Aspirin helped")]


@pytest.mark.parametrize("kind", ["statements.jsonl", "statements.json", "statements.csv", "statements.tsv"])
def test_files(tmp_path: Path, kind: str) -> None:
    names = ("doc_id", "statement", "must", "quote")
    objects = [dict(zip(names, row, strict=True)) for row in ROWS]
    separator = "\t" if kind.endswith("tsv") else ","
    written = {
        "jsonl": "\n".join(map(json.dumps, objects)),
        "json": json.dumps(objects),
    }.get(kind.rpartition(".")[2], "\n".join(separator.join(row) for row in (names, *ROWS)))
    (tmp_path / kind).write_text(written, encoding="utf-8")
    read = read_statements(tmp_path / kind)
    assert [(one.document, one.text, one.must, one.quote) for one in read.statements] == ROWS
    assert (read.name, read.digest) == ("statements", Statements(reversed(read.statements)).digest)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"id": "a", "statement": "x", "must": "go"}', "line 1: must: found 'go'; expected gone or kept"),
        ('{"id": "a", "must": "gone"}', "line 1: statement: is missing; expected text"),
        ('{"id": "a", "statement": " ", "must": "gone"}', "line 1: statement: is empty; expected text"),
        ('{"statement": "x", "must": "gone"}', "line 1: document: is missing; expected text"),
        ('{"id": "a", "statement": [1], "must": "gone"}', "line 1: statement: found [1]; expected text"),
        ("", "is empty; expected JSON Lines"),
        ("Ann is ill", "is no table and no JSON; expected JSON Lines"),
    ],
)
def test_files_that_are_refused(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "statements.jsonl").write_text(content)
    with pytest.raises(InputError) as caught:
        read_statements(tmp_path / "statements.jsonl")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            statements(("x", "gone"), document="b"),
            "document b: there is no such document in corpus; expected ids such as a",
        ),
        (statements(("HIV", "gone"), ("HIV", "kept")), "document a: states 'HIV' 2 times; expected it once"),
        (
            statements(("HIV", "gone"), quote="has HIV"),
            "document a: does not say 'has HIV'; expected a quote of its text",
        ),
        (Statements([]), "has no statements; expected at least one"),
    ],
)
def test_statements_that_do_not_fit(said: Statements, message: str) -> None:
    with pytest.raises(InputError) as caught:
        scored(said, hiding("HIV"))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ('propositions(judge="me")', "found 'me'; expected rules, nli:MODEL, answers:FILE or llm:MODEL[@URL]"),
        ('propositions(judge="nli:")', "found 'nli:'; expected rules"),
        ("propositions(threshold=0)", "threshold=0 is out of range; expected more than 0, and 1 at most"),
    ],
)
def test_parameters_that_are_refused(metric: str, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_metric(metric)
    assert message in str(caught.value)
