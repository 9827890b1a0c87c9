"""The metrics with real and tiny models, from text to number, against the plainest way; and as TAE configures them."""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from showthrough import (
    METRICS,
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Interrupted,
    Mask,
    Mention,
    PlanError,
    ResourceError,
    Run,
    TextPreservedInformation,
    evaluate,
    parse_metric,
)
from showthrough.cli import app
from showthrough.data.masks import flatten_masks
from showthrough.engines.base import InProcess
from showthrough.evaluation._chunks import Work, process_remote_chunk
from showthrough.evaluation.plan_files import read_request
from showthrough.metrics import metric_text
from showthrough.models import resources_of_process
from showthrough.models.settings import ModelSettings
from showthrough.run.records import Failure

FIRST = (
    "The case originated in an application (no. 12345/67) against the Kingdom of Sweden by a British national, "
    "Mr John Doe, on 1 October 2021. Mr Doe is a British researcher. He was born in 1971 in Leeds, and lives with "
    "his sister in a small house near Uppsala. On 3 May 1996 the District Court dismissed his claim. He appealed."
)
SECOND = "Ann Lee met Dr Berg at the hospital in Oslo.  She had broken her arm on 5 June."


def mention(text: str, words: str, identifier: Any = "QUASI") -> Mention:
    return Mention(text.index(words), text.index(words) + len(words), "X", identifier, words)


def mask(text: str, words: str, replacement: str | None = None) -> Mask:
    return Mask(text.index(words), text.index(words) + len(words), replacement)


CORPUS = Corpus(
    [
        Document(
            "one",
            FIRST,
            (
                Annotation("a", (mention(FIRST, "Mr John Doe", "DIRECT"), mention(FIRST, "Leeds"))),
                Annotation("b", (mention(FIRST, "John Doe", "DIRECT"), mention(FIRST, "1 October 2021"))),
            ),
        ),
        Document("two", SECOND, (Annotation("a", (mention(SECOND, "Ann Lee", "DIRECT"),)),)),
    ]
)
MASKS = {
    "one": [
        mask(FIRST, "He appealed.", "It went on."),  # to the end of the text, and not in order
        mask(FIRST, "John Doe", "a man"),
        mask(FIRST, "the Kingdom of Sweden", "a kingdom"),
        mask(FIRST, "1 October 2021"),
        mask(FIRST, "Leeds, and lives with his sister in a small house near Uppsala", "Leeds"),  # terms inside
        mask(FIRST, "October 2021. Mr", None),  # overlapping
    ],
    "two": [],
}


def slow_tpi(
    text: str, masks: list[Mask], terms: list[tuple[int, int]], ics: list[float], similar: Callable[[str, str], float]
) -> tuple[float, float]:
    """TPI and TPS of one document, character by character."""
    total = kept = near = 0.0
    for (start, end), ic in zip(terms, ics, strict=True):
        total += ic
        over = [one for one in flatten_masks(masks) if set(range(one.start, one.end)) & set(range(start, end))]
        if not over:
            kept, near = kept + ic, near + ic
        replaced = [one for one in over if one.replacement and one.replacement.strip()]
        if replaced:
            last = replaced[-1]
            cosine = similar(text[last.start : last.end], last.replacement or "")
            near += ic * max(0.0, min(1.0, cosine))
    return kept / total, near / total


@pytest.mark.slow
def test_TPI_TPS_and_WP_as_the_slow_ones(  # noqa: N802
    bert: Path, mini_lm: Path, spacy_small: str, slow_ics: Callable[..., list[float]], slow_terms: Any
) -> None:
    from sentence_transformers import SentenceTransformer

    tpi = f'tpi(ic="{bert}", chunking="spacy:{spacy_small}")'
    tps = f'tps(ic="{bert}", chunking="spacy:{spacy_small}", similarity="{mini_lm}")'
    wp = f'wp(ic="{bert}")'
    run = evaluate(CORPUS, {"m": Anonymization(MASKS)}, metrics=[tpi, tps, wp], device="cpu")
    assert not run.failures
    model = SentenceTransformer(str(mini_lm), device="cpu")

    def similar(one: str, two: str) -> float:
        return float(model.encode(one) @ model.encode(two))

    for place, document in enumerate(CORPUS):
        terms = slow_terms(spacy_small, document.text)
        ics = [0.0] * len(terms)
        for turn in range(6):
            ics[turn::6] = slow_ics(bert, document.text, terms[turn::6])
        kept, near = slow_tpi(document.text, MASKS[document.id], terms, ics, similar)
        assert run.rows[metric_text_of(run, "tpi")]["m"]["preserved"][place] == pytest.approx(kept, abs=1e-5)
        assert run.rows[metric_text_of(run, "tps")]["m"]["preserved"][place] == pytest.approx(near, abs=1e-5)
    assert run["m", tpi].value == pytest.approx(sum(run.rows[metric_text_of(run, "tpi")]["m"]["preserved"]) / 2)

    hidden = {letter for one in MASKS["one"] for letter in range(one.start, one.end)}
    tokens, word = [], []
    for letter in range(len(FIRST) + 1):  # runs of masked word characters
        if letter in hidden and FIRST[letter].isalnum():
            word.append(letter)
        elif word:
            tokens.append((word[0], word[-1] + 1))
            word = []
    weights = slow_ics(bert, FIRST, tokens)
    agreed = sum(
        weight
        * sum(
            any(m.start <= start and end <= m.end for m in layer.mentions) for layer in CORPUS.documents[0].annotations
        )
        for (start, end), weight in zip(tokens, weights, strict=True)
    )
    assert run["m", wp].value == pytest.approx(agreed / (2 * sum(weights)), rel=1e-4)


def metric_text_of(run: Run, name: str) -> str:
    return next(record.text for record in run.metrics if record.name == name)


def test_sentence_mode_as_the_slow_one(bert: Path, spacy_small: str, slow_ics: Any, slow_terms: Any) -> None:
    import spacy

    metric = f'tpi(ic="{bert}", chunking="spacy:{spacy_small}", term_alterning="sentence")'
    run = evaluate(CORPUS, {"m": Anonymization(MASKS)}, metrics=[metric], device="cpu")
    read = spacy.load(spacy_small)(FIRST)
    terms, ics = slow_terms(spacy_small, FIRST), []
    for start, end in terms:
        (sentence,) = [one for one in read.sents if one.start_char <= start and end <= one.end_char]
        base = sentence.start_char
        ics += slow_ics(bert, sentence.text, [(start - base, end - base)])
    assert FIRST[slice(*terms[-1])] == "."  # the last term of a sentence is one like the others
    kept, _ = slow_tpi(FIRST, MASKS["one"], terms, ics, lambda *_: 0.0)
    assert run.rows[metric]["m"]["preserved"][0] == pytest.approx(kept, abs=1e-5)


def test_bf16_is_in_the_signature(bert: Path) -> None:
    masks = {"m": Anonymization(MASKS)}
    metrics = [f'wp(ic="{bert}")', 'wp(ic="wordfreq")']
    plain = evaluate(CORPUS, masks, metrics=metrics, device="cpu", references=False)
    coarse = evaluate(CORPUS, masks, metrics=metrics, device="cpu", dtype="bf16", references=False)
    assert [("dtype" in score.signature) for score in plain.scores] == [False, False]
    assert [("|dtype:bf16|" in score.signature) for score in coarse.scores] == [True, False]
    assert coarse.settings.dtype == "bf16"
    assert coarse.scores[0].value == pytest.approx(plain.scores[0].value, abs=0.02)


def test_a_worker_keeps_its_models(bert: Path) -> None:
    """A worker is told the settings, not the resources, and loads a model once for all chunks that it gets."""
    metrics = [parse_metric(f'tpi(ic="{bert}", chunking="none")')]
    settings = ModelSettings(device="cpu", cache=False)
    work = InProcess().share(Work({metric_text(metric): metric for metric in metrics}, []))
    masks = [Anonymization(MASKS, "m")]
    answer = process_remote_chunk(CORPUS, masks, work, settings)
    assert not answer.failures
    process_remote_chunk(Corpus([CORPUS.documents[1]]), masks, work, settings)
    worker: Any = resources_of_process(settings)
    assert list(worker._sources) == [("information", str(bert)), ("terms", "none")]
    run = evaluate(CORPUS, {"m": Anonymization(MASKS)}, metrics=metrics, device="cpu")
    (found,) = answer.rows.values()
    assert run.rows_of(metric_text(metrics[0]), "m").values == pytest.approx(found.values)
    revision = worker.information(str(bert)).revision
    assert run.provenance["models"] == {str(bert): revision}
    assert f"|ic_revision:{revision[:8]}|" in run.scores[0].signature


# --- TAE's configurations ---------------------------------------------------------------------------------------------


def test_the_configuration_that_TAE_ships_asks_for_these(data: Path) -> None:  # noqa: N802
    request = read_request(data / "tae_example_config.json")
    bert_base = "hf:google-bert/bert-base-uncased"
    labels = request.metric_labels
    assert labels.pop("TRIR").startswith('trir(attacks="transformer(')
    assert labels == {
        "Precision": "precision",
        "PrecisionWeighted": "wp",
        "TPI": 'tpi(chunking="spacy:en_core_web_md")',
        "TPS": 'tps(chunking="spacy:en_core_web_md")',
        "NMI": "nmi",
        "Recall": "recall",
        "RecallPerEntityType": "recall_per_type",
    }
    assert not request.unavailable
    assert request.metrics[1].parameters["ic"] == bert_base


CONFIGURATION = {
    "corpus": "corpus.json",
    "anonymizations": {"A": "masks.json"},
    "results_file_path": "out/results.csv",
}


@pytest.mark.parametrize(
    ("label", "parameters", "text"),
    [
        ("Precision", {"weighting_model_name": "a/b"}, 'wp(ic="hf:a/b")'),
        ("PrecisionWeighted", {"weighting_model_name": None}, 'wp(ic="uniform")'),
        (
            "PrecisionWeighted_x",
            {"token_level": False, "weighting_max_segment_length": 50},
            'wp(segment_length=50, unit="mention")',
        ),
        (
            "TPI",
            {"term_alterning": "Sentence", "use_chunking": False},
            'tpi(chunking="spacy-tokens:en_core_web_md", term_alterning="sentence")',
        ),
        ("TPI_uniform", {"weighting_model_name": None}, 'tpi(ic="uniform", chunking="spacy:en_core_web_md")'),
        (
            "TPS",
            {"similarity_model_name": "bert-base-cased", "term_alterning": 4},
            'tps(chunking="spacy:en_core_web_md", term_alterning=4, similarity="st:bert-base-cased")',
        ),
        (
            "NMI",
            {"remove_mask_marks": False, "min_k": 3, "max_k": 9, "k_multiplier": 3},
            'nmi(mask_marks="none", min_k=3, max_k=9, k_multiplier=3)',
        ),
        (
            "NMI_x",
            {"mask_marks": ["X", "***"], "n_clusterings": 2, "n_tries_per_clustering": 7},
            'nmi(mask_marks="X,***", n_clusterings=2, n_tries=7)',
        ),
        ("NMI_y", {"embedding_model_name": "a/b", "mask_marks": []}, 'nmi(embedding="st:a/b", mask_marks="none")'),
        ("NMI_z", {"mask_marks": ["none"]}, 'nmi(mask_marks="none,")'),
    ],
)
def test_TAE_parameters(label: str, parameters: dict[str, Any], text: str, tmp_path: Path) -> None:  # noqa: N802
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIGURATION, "metrics": {label: parameters}}))
    request = read_request(path)
    assert [metric_text(metric) for metric in request.metrics] == [text]
    assert request.unavailable == {}


@pytest.mark.parametrize(
    ("label", "parameters", "says"),
    [
        ("TPI", {"similarity_model_name": "x"}, "unknown parameter similarity_model_name"),
        ("TPI", {"term_alterning": True}, 'term_alterning is True; expected a whole number above 1 or "sentence"'),
        ("TPI", {"term_alterning": "word"}, "term_alterning='word' is not known"),
        ("TPS", {"use_chunking": 1}, "use_chunking is 1; expected true or false"),
        ("TPS", {"similarity_model_name": 3}, "similarity_model_name is 3; expected the name of a model, or null"),
        ("PrecisionWeighted", {"weighting_model_name": 3}, "expected the name of a model, or null"),
        ("NMI", {"min_k": "2"}, "min_k is '2'; expected a whole number"),
        ("NMI", {"mask_marks": "X"}, "mask_marks is 'X'; expected a list of marks"),
        ("NMI", {"mask_marks": ["A,B"]}, "mask_marks has 'A,B'; expected words without a comma"),
        ("NMI", {"max_k": 1}, "max_k=1 is out of range"),
    ],
)
def test_TAE_parameters_that_cannot_be(  # noqa: N802
    label: str, parameters: dict[str, Any], says: str, tmp_path: Path
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**CONFIGURATION, "metrics": {label: parameters}}))
    with pytest.raises(InputError) as caught:
        read_request(path)
    assert str(caught.value).startswith(f"{path}: metrics.{label}: ")
    assert says in str(caught.value)


def test_a_configuration_with_models_in_folders_runs(
    bert: Path, mini_lm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As TAE takes them: a path where a model's name is expected. spaCy's medium pipeline stands for itself."""
    monkeypatch.chdir(tmp_path)
    documents = [
        {"doc_id": document.id, "text": document.text, "annotations": {"a": {"entity_mentions": []}}}
        for document in CORPUS
    ]
    (tmp_path / "corpus.json").write_text(json.dumps(documents))
    (tmp_path / "masks.json").write_text(json.dumps(MASKS, default=lambda one: [one.start, one.end, one.replacement]))
    metrics = {
        "PrecisionWeighted": {"weighting_model_name": str(bert)},
        "Precision_weighted": {"weighting_model_name": str(bert), "weighting_max_segment_length": 50},
        "NMI": {"embedding_model_name": str(mini_lm), "n_tries_per_clustering": 3},
    }
    (tmp_path / "config.json").write_text(json.dumps({**CONFIGURATION, "metrics": metrics}))
    outcome = CliRunner().invoke(app, ["evaluate", "config.json", "--device", "cpu"])
    assert outcome.exit_code == 0, outcome.output
    with (tmp_path / "out/results.csv").open(newline="") as file:
        rows = {row[1]: row[2] for row in csv.reader(file)}
    assert list(rows) == ["Metric/Anonymization", "PrecisionWeighted", "Precision_weighted", "NMI"]
    assert float(rows["PrecisionWeighted"]) == 0  # nobody marked anything
    assert float(rows["NMI"]) == 1  # two documents, two clusters, before and after


# --- a run that is cut short, or cannot go on -------------------------------------------------------------------------


def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every document is a chunk of its own."""
    monkeypatch.setattr(Corpus, "chunks", lambda self, start=0: (range(n, n + 1) for n in range(start, len(self))))


def test_a_metric_that_failed_is_not_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one(monkeypatch)
    bind, tried = TextPreservedInformation.bind, []

    def fail(self: TextPreservedInformation, *given: Any) -> Any:
        if self.ic == "uniform":
            return bind(self, *given)
        tried.append(self.ic)
        raise ResourceError("not today")

    monkeypatch.setattr(TextPreservedInformation, "bind", fail)
    run = evaluate(CORPUS, {"m": Anonymization(MASKS)}, ['tpi(ic="wordfreq")', 'tpi(ic="uniform")'])
    assert [(failure.metric, failure.reason) for failure in run.failures] == [('tpi(ic="wordfreq")', "not today")]
    assert tried == ["wordfreq"]
    assert 0 < (run["m", 'tpi(ic="uniform")'].value or 0) < 1


def test_a_failure_and_a_resumed_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What looks at all documents at once is tried again; the rest says from when its failure is."""
    one_by_one(monkeypatch)
    metrics = ['tps(ic="uniform", chunking="none", similarity="ngrams")', 'tpi(ic="uniform")', 'nmi(embedding="lsa")']
    masks = {"m": Anonymization(MASKS)}

    def fail(metric: object, chunk: object) -> None:
        raise ResourceError("the list cannot be read")

    monkeypatch.setattr(type(METRICS["tps"]), "bind", fail)

    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        evaluate(CORPUS, masks, metrics, progress=stop)
    resumed = evaluate(CORPUS, masks, metrics, resume=stopped.value.partial)
    (failure,) = resumed.failures
    assert failure.metric == metrics[0]
    assert failure.reason.count("in the part that was done before; start afresh to try again") == 1
    resumed.complete, resumed.failures = False, [*resumed.failures, Failure(metrics[2], "there was no memory")]
    del resumed.rows[metrics[2]]
    again = evaluate(CORPUS, masks, metrics, resume=resumed)
    assert again.failures == [failure]
    assert metrics[2] in again.rows


def test_all_documents_done_and_the_model_gone(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was counted is scored all the same; only the signature cannot name what nobody can look at any more."""
    folder = shutil.copytree(bert, tmp_path / "model")
    metrics = [f'tpi(ic="{folder}", chunking="none")', 'nmi(embedding="lsa")']
    masks = {"m": Anonymization(MASKS)}
    run = evaluate(CORPUS, masks, metrics, device="cpu")
    run.complete = False
    del run.rows[metrics[1]]
    shutil.rmtree(folder)
    again = evaluate(CORPUS, masks, metrics, device="cpu", resume=run)
    assert (again.failures, again["m", metrics[0]].value) == ([], run["m", metrics[0]].value)
    assert "ic_revision" not in again["m", metrics[0]].signature


def test_what_cannot_be_had_is_asked_for_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    looked: list[Path] = []

    def lacking(folder: Path, parts: object) -> str:
        looked.append(folder)
        return "tokenizer"

    monkeypatch.setattr("showthrough.models.files._find_missing", lacking)
    metrics = [f'{name}(ic="{tmp_path}/model")' for name in ("wp", "tpi", "tps")]
    with pytest.raises(InputError) as refused:
        evaluate(CORPUS, {"m": Anonymization(MASKS)}, metrics)
    assert [problem.place for problem in refused.value.problems] == [f"metric {metric}" for metric in metrics]
    assert looked == [tmp_path / "model"]


def test_a_model_that_changed_is_not_resumed_with(bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one_by_one(monkeypatch)
    folder = shutil.copytree(bert, tmp_path / "model")
    metric = f'tpi(ic="{folder}", chunking="none")'

    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as stopped:
        evaluate(CORPUS, {"m": Anonymization(MASKS)}, [metric], device="cpu", progress=stop)
    partial = stopped.value.partial
    assert list(partial.provenance["models"]) == [str(folder)]
    whole = evaluate(CORPUS, {"m": Anonymization(MASKS)}, [metric], device="cpu", resume=partial)
    assert len(whole.documents) == 2
    (folder / "note.txt").write_text("changed")
    with pytest.raises(PlanError, match="not the same as in the run to resume"):
        evaluate(CORPUS, {"m": Anonymization(MASKS)}, [metric], device="cpu", resume=partial)
