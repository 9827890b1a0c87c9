"""Whether a classifier of documents still works on what was released."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st

from showthrough import Anonymization, Corpus, Document, InputError, Mask, PlanError, Run, evaluate, parse_metric
from showthrough.cli import main
from showthrough.families.information._linear import count_units, deal_folds, labels_by_vectors, predicted_labels
from showthrough.families.information.tasks import Task
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources, _text_classifier

TREES = ["ash", "birch", "cedar", "elm", "fir", "hazel", "larch", "maple"]
SEEN = 'task(label="kind", folds=2, train="original", test="released")'


def animals(**more: object) -> Corpus:
    """Four documents about cats and four about dogs; nothing else is in two of them."""
    kinds = ["cat"] * 4 + ["dog"] * 4
    return Corpus([
        Document(f"d{number}", f"{kind} {tree}", fields={"kind": kind, **more})
        for number, (kind, tree) in enumerate(zip(kinds, TREES, strict=True))
    ])  # fmt: skip


def hiding(corpus: Corpus, *chosen: str) -> Anonymization:
    """The first three letters of some documents are masked."""
    return Anonymization({name: [Mask(0, 3)] if name in chosen else [] for name in corpus.ids})


def run_of(corpus: Corpus, masks: Anonymization, metric: str, resamples: int = 200) -> Run:
    return evaluate(corpus, {"a": masks}, [metric], resamples=resamples, texts=False)


def test_what_a_masked_word_costs() -> None:
    corpus = animals()
    run = run_of(corpus, hiding(corpus, "d6", "d7"), SEEN)
    # Two dogs show no known word: both labels are as frequent in the other fold, and the first one wins.
    parts = {part: run["a", SEEN, part].value for part in ("", "original", "loss", "chance")}
    assert parts == {"": 6 / 8, "original": 1.0, "loss": 2 / 8, "chance": 4 / 8}
    # cat: 4 true, 6 answered, 4 of them right; dog: 4 true, 2 answered, 2 right.
    assert run["a", SEEN, "f1"].value == pytest.approx((2 * 4 / (4 + 6) + 2 * 2 / (4 + 2)) / 2)
    loss = run["a", SEEN, "loss"]
    assert loss.low is not None
    assert loss.high is not None
    assert -1 <= loss.low < 0.25 < loss.high <= 1


def test_a_classifier_that_saw_no_label_word_knows_nothing() -> None:
    corpus = animals()
    for train, test in (("released", "original"), ("original", "released"), ("released", "released")):
        metric = f'task(label="kind", folds=2, train="{train}", test="{test}")'
        run = run_of(corpus, hiding(corpus, *corpus.ids), metric, resamples=0)
        parsed = [run["a", metric, part].value for part in ("", "loss", "chance")]
        assert parsed == [1 / 2, 1 / 2, 1 / 2]
        assert run["nothing masked", metric, "loss"].value == 0


def test_ridge_by_hand() -> None:
    # Both words are as rare, so K is the unit matrix: a = (y − ½) / 2. A text of "ash" scores ½ + ¼ and ½ − ¼.
    assert predicted_labels(["ash", "oak"], np.array([1, 0]), 2, [["ash", "oak", "oak oak", "yew"]])[0].tolist() == [
        *(1, 0, 0),
        0,  # a tie
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abcdefghij"), st.sampled_from(["", "x", "y", "z"])), max_size=40),
    st.integers(0, 9),
)
def test_units_stay_whole_and_labels_are_spread(documents: list[tuple[str, str]], seed: int) -> None:
    label_of = dict(documents)  # one label for each unit
    units = [unit for unit, _ in documents]
    labels = [label_of[unit] for unit in units]
    fold = deal_folds(units, labels, 3, seed).tolist()
    of_unit = dict(zip(units, fold, strict=True))
    assert all(of_unit[unit] == number for unit, number in zip(units, fold, strict=True))
    for label in set(labels):
        sizes = [sum(of_unit[unit] == number for unit in of_unit if label_of[unit] == label) for number in range(3)]
        assert sum(sizes) == 0 if not label else max(sizes) - min(sizes) <= 1
    assert count_units(units, labels) == {
        label: len({unit for unit in of_unit if label_of[unit] == label}) for label in set(labels) - {""}
    }


def test_copies_are_no_way_to_know_a_label() -> None:
    # Each text is there twice, with a label that nothing else shows: who saw the copy would be right.
    # A tree is once under each label, and so is a letter.
    texts = [f"{tree} {other}" for tree in TREES for other in ("alpha", "beta")]
    corpus = Corpus([
        Document(f"{number}{copy}", text, fields={"kind": "xy"[(number // 2 + number) % 2]})
        for number, text in enumerate(texts)
        for copy in "ab"
    ])  # fmt: skip
    assert corpus.units.count == len(texts)
    run = run_of(corpus, hiding(corpus), SEEN, resamples=0)
    assert run["a", SEEN, "original"].value is not None
    assert run["a", SEEN, "original"].value <= 1 / 2


def test_too_few_documents_of_a_label() -> None:
    corpus = animals()
    metric = 'task(label="kind")'
    score = run_of(corpus, hiding(corpus), metric)["a", metric]
    assert (score.value, score.reason) == (
        None,
        "fewer than two labels have 5 independent documents each, which folds=5 needs; take fewer folds or more "
        "documents",
    )


def test_what_does_not_count_is_said() -> None:
    made = animals()
    corpus = Corpus([
        *made,
        Document("rare", "owl nest", fields={"kind": "owl"}),
        Document("bare", "rain and wind"),
    ])  # fmt: skip
    run = run_of(corpus, hiding(corpus), SEEN)
    assert run["a", SEEN].value == 1
    notes = " ".join(run.notes)
    assert "is a loss on this task with this classifier; it says nothing of other tasks" in notes
    assert "leaves documents out: 1 with a label of fewer than 2 independent documents, 1 without a label" in notes


def test_several_labels_are_one_together() -> None:
    kinds = [["b", "a"], ["a", "b"], ["a"], ["a"]]
    corpus = Corpus([
        Document(str(number), f"{'both' if len(kind) > 1 else 'one'} {TREES[number]}", fields={"kind": kind})
        for number, kind in enumerate(kinds)
    ])  # fmt: skip
    run = run_of(corpus, hiding(corpus), SEEN, resamples=0)
    assert (run["a", SEEN].value, run["a", SEEN, "chance"].value) == (1, 1 / 2)


def test_a_classifier_that_knows_nothing_of_the_originals_has_nothing_to_lose() -> None:
    corpus = Corpus(
        [Document(str(number), tree, fields={"kind": "xy"[number % 2]}) for number, tree in enumerate(TREES)]
    )
    run = run_of(corpus, hiding(corpus), SEEN)
    assert "has hardly a loss to show" in " ".join(run.notes)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ("task", 'it needs labels; expected task(label="FIELD") or task(label="id:REGEX")'),
        ('task(label="journal")', "label journal: no document has this field; there are kind"),
        ('task(label="id:^x")', "label id:^x: matches no document id, such as 'd0'"),
    ],
)
def test_labels_that_are_not_there(metric: str, message: str) -> None:
    corpus = animals()
    with pytest.raises(InputError) as caught:
        run_of(corpus, hiding(corpus), metric)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        ('task(label="id:(")', "label id:(: is no regular expression"),
        ('task(label="type")', "label='type' is a field of entities; expected one of documents"),
        ('task(label="a", folds=1)', "folds=1 is out of range; expected 2 to 100"),
        ('task(label="a", most=9)', "most=9 is out of range; expected 10 to 20,000"),
        ('task(label="a", seed=-1)', "seed=-1 is out of range"),
        (
            'task(label="a", learner="forest")',
            "learner='forest' is not known; expected words, embedding:MODEL or encoder:",
        ),
        ('task(label="a", learner="encoder:")', "learner='encoder:' is not known"),
        ('task(label="a", learner="embedding:tfidf")', "embedding='tfidf' is not known; expected lsa"),
        ('task(label="a", epochs=3)', 'epochs=3 is for learner="encoder:MODEL"; words has none'),
        ('task(label="a", train="original")', 'train="original" and test="original" use no release'),
    ],
)
def test_parameters_that_are_refused(metric: str, message: str) -> None:
    with pytest.raises(PlanError) as caught:
        parse_metric(metric)
    assert message in str(caught.value)


def test_a_column_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = animals()
    lines = [f"{one.id},{one.text},{one.fields['kind']}" for one in corpus]
    (tmp_path / "notes.csv").write_text("\n".join(["doc_id,text,journal", *lines]), encoding="utf-8")
    masks = {one.id: [[0, 3]] if one.id in ("d6", "d7") else [] for one in corpus}
    (tmp_path / "p.json").write_text(json.dumps(masks), encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def evaluate_with(metric: str) -> int:
        command = ["showthrough", "evaluate", "notes.csv", "a=p.json", "--metric", metric, "-o", "run.json", "--force"]
        monkeypatch.setattr("sys.argv", [*command, "--resamples", "0"])
        try:
            main()
        except SystemExit as end:
            return int(end.code or 0)
        return 0

    assert evaluate_with('task(folds=2, label="journal", test="released", train="original")') == 0
    scores = Run.load(tmp_path / "run.json").scores
    assert [score.value for score in scores if (score.anonymization, score.part) == ("a", "")] == [6 / 8]
    capsys.readouterr()
    assert evaluate_with('task(label="town")') == 2
    assert "label town: no document has this field" in capsys.readouterr().err


def test_many_documents_to_learn_from_are_drawn() -> None:
    documents = [
        Document(f"{kind}{number}", f"{kind} {kind}{number}", fields={"kind": kind})
        for kind in ("cat", "dog")
        for number in range(20)
    ]
    corpus = Corpus(documents)
    metric = 'task(label="kind", folds=2, most=10)'
    assert run_of(corpus, hiding(corpus), metric, resamples=0)["a", metric].value == 1


def test_the_interval_of_a_loss_by_hand() -> None:
    corpus = animals()
    loss = run_of(corpus, hiding(corpus, "d6", "d7"), SEEN)["a", SEEN, "loss"]
    # Two of 8 lose 1, so they are ¾ above the mean and 6 are ¼ below it: squares of 2 · 9/16 + 6 · 1/16 = 1.5.
    error = math.sqrt(1.5 * 8 / 7) / 8
    freedom = 2 * 1.5**2 / (2 * (9 / 16) ** 2 + 6 * (1 / 16) ** 2)
    reach = scipy.stats.t.ppf(0.975, freedom) * error
    assert (loss.low, loss.high) == pytest.approx((0.25 - reach, 0.25 + reach))
    same = run_of(corpus, hiding(corpus), SEEN)["a", SEEN, "loss"]
    reach = 1 - 0.05 ** (1 / 8)  # so large a share may be missed in 8 documents in one case of 20
    assert (same.value, same.low, same.high) == (0, pytest.approx(-reach), pytest.approx(reach))


def test_copies_are_one_unit_of_a_loss() -> None:
    corpus = animals()
    twice = Corpus([*corpus, *(Document(f"{one.id}x", one.text, fields=one.fields) for one in corpus)])
    masks = Anonymization({name: [Mask(0, 3)] if name[:2] in ("d6", "d7") else [] for name in twice.ids})
    once = run_of(corpus, hiding(corpus, "d6", "d7"), SEEN)["a", SEEN, "loss"]
    both = run_of(twice, masks, SEEN)["a", SEEN, "loss"]
    assert (both.value, both.low, both.high) == (once.value, pytest.approx(once.low), pytest.approx(once.high))


def test_the_order_of_documents_changes_no_digit() -> None:
    corpus = animals()
    documents = list(corpus)
    runs = [
        run_of(Corpus(order), hiding(corpus, "d1", "d6", "d7"), 'task(label="kind", folds=2)')
        for order in (documents, documents[::-1], documents[3:] + documents[:3])
    ]
    assert runs[0].scores == runs[1].scores == runs[2].scores


def test_ridge_on_vectors_by_hand() -> None:
    # The mean is 0, and both have length 1: K = [[1, -1], [-1, 1]], y − ½ = ±½, so (K + 1) a = ±½ gives a = ±1/6.
    # A text at 5 scores ½ ± (1/6 + 1/6), one at the mean ½ and ½: the first label.
    tests = [np.array([[5.0], [0.0], [-5.0]])]
    assert labels_by_vectors(np.array([[2.0], [-2.0]]), np.array([1, 0]), 2, tests)[0].tolist() == [1, 0, 0]


def learning(learner: str, masks: Anonymization | None = None, corpus: Corpus | None = None, **more: object) -> Run:
    corpus = corpus or animals()
    metric = f'{SEEN[:-1]}, learner="{learner}"{", epochs=30" if "encoder" in learner else ""})'
    return evaluate(corpus, {"a": masks or hiding(corpus)}, [metric], resamples=0, texts=False, device="cpu", **more)  # type: ignore[arg-type]


def numbers(run: Run, *parts: str) -> list[float | None]:
    metric = run.scores[0].metric
    return [run["a", metric, part].value for part in parts]


def test_embeddings_of_the_corpus() -> None:
    corpus = animals()
    assert numbers(learning("embedding:lsa"), "", "original", "loss") == [1, 1, 0]
    hidden = numbers(learning("embedding:lsa", hiding(corpus, *corpus.ids)), "", "original", "loss")
    assert hidden == [1 / 2, 1, 1 / 2]  # nothing is known of any text: all get the label that comes first


def test_a_model_embeds_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def embedding(resources: Resources, name: str, originals: Sequence[str], long_texts: str) -> object:
        assert (name, list(originals), long_texts) == ("st:made-up", [], "mean")

        def embed(texts: Sequence[str]) -> np.ndarray[Any, Any]:
            asked.extend(texts)
            return np.array([["cat" in text, "dog" in text] for text in texts], dtype=np.float32)

        return embed

    monkeypatch.setattr(Resources, "embedding", embedding)
    corpus = animals()
    masks = hiding(corpus, "d6", "d7")
    chunk = Chunk(corpus, Resources())
    metric = Task("kind", "original", "released", folds=2, learner="embedding:st:made-up")
    totals = chunk.rows(metric, masks).totals()
    # Two dogs are at the middle, where both labels are as likely: the first one wins.
    assert {part: value.item() for part, value in metric.combine(totals).items()}["loss"] == 2 / 8
    assert sorted(asked) == sorted(
        {one.text for one in corpus} | {one.text[3:] for one in corpus if one.id in ("d6", "d7")}
    )


@pytest.fixture
def encoder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tiny encoder of seeded weights that reads eight pieces at a time, and learns faster than others may."""
    torch = pytest.importorskip("torch", reason="pip install 'showthrough[models]'")
    tokenizers = pytest.importorskip("tokenizers", reason="pip install 'showthrough[models]'")
    from transformers import BertConfig, BertForMaskedLM, PreTrainedTokenizerFast

    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_text_classifier, "_RATE", 0.01)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "cat", "dog", "and"]
    inner = tokenizers.Tokenizer(tokenizers.models.WordLevel({word: at for at, word in enumerate(words)}, words[1]))
    inner.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    inner.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    marks = dict(zip(("pad_token", "unk_token", "cls_token", "sep_token"), words, strict=False))
    folder = tmp_path / "encoder"
    PreTrainedTokenizerFast(tokenizer_object=inner, model_max_length=8, **marks).save_pretrained(folder)
    torch.manual_seed(1)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(**shape, vocab_size=len(words), max_position_embeddings=8)
    BertForMaskedLM(config).save_pretrained(folder)  # without a pooler, which is made with the head
    return folder


@pytest.mark.slow
def test_an_encoder_learns_in_each_fold(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = animals()
    name, masks = f"encoder:{encoder}", hiding(corpus, *corpus.ids)
    run = learning(name, masks)
    # No word of a release is known, so all texts of a fold get one label: that of two of its four.
    assert numbers(run, "", "original", "loss") == [1 / 2, 1, 1 / 2]
    assert str(encoder) in run["a", run.scores[0].metric].signature
    monkeypatch.setattr(_text_classifier, "train", None)  # what was learned is not learned again
    assert learning(name, masks).scores == run.scores
    assert "the model failed" in learning(name, masks, cache=False).failures[0].reason


@pytest.mark.slow
def test_an_encoder_reads_all_windows_of_a_text(encoder: Path) -> None:
    # Its windows have room for six words: what tells the labels apart is in the second.
    corpus = Corpus([
        Document(one.id, " ".join([*(f"{tree}{number}" for number in range(6)), kind]), fields=one.fields)
        for one, tree, kind in zip(animals(), TREES, ["cat"] * 4 + ["dog"] * 4, strict=True)
    ])  # fmt: skip
    assert numbers(learning(f"encoder:{encoder}", corpus=corpus), "", "original") == [1, 1]


def test_an_encoder_that_is_none(tmp_path: Path) -> None:
    pytest.importorskip("huggingface_hub", reason="pip install 'showthrough[models]'")
    with pytest.raises(InputError, match="there is no folder") as caught:
        learning(f"encoder:{tmp_path}/none")
    assert 'choose learner="words", which needs no model' in str(caught.value)


def test_articles_of_tab_are_labels() -> None:
    # TAB has them as the codes of the characters of ["6", "41"] and of ["14", "6"]: the same codes, in another order.
    spelled = [[ord(letter) for letter in text] for text in ('["6","41"]', '["14","6"]')]
    corpus = Corpus([
        Document(f"{number}{kind}", f"{'dog' if kind else 'cat'} {TREES[2 * number + kind]}", fields={"meta": meta})
        for number in range(4)
        for kind, meta in enumerate({"articles": codes} for codes in spelled)
    ])  # fmt: skip
    metric = SEEN.replace("kind", "meta.articles")
    assert run_of(corpus, hiding(corpus), metric, resamples=0)["a", metric].value == 1
