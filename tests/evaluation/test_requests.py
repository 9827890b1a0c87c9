"""Plans and TAE configurations, read into requests."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, EntityRecall, FScore, InputError, Precision, Recall, RecallPerType
from showthrough.evaluation.plan_files import is_request, read_request
from showthrough.evaluation.requests import EvaluationRequest, Source
from showthrough.metrics import metric_text, preset

PLAN = 'corpus = "data/corpus.json"\n[anonymizations]\na = "a.json"\n'
CONFIGURATION: dict[str, Any] = {
    "corpus": "data/corpus.json",
    "anonymizations": {"One": "one.json", "Two": "two.json"},
    "results_file_path": "outputs/results.csv",
    "metrics": {"Recall": {}},
}


def written(folder: Path, content: str | dict[str, Any]) -> Path:
    path = folder / ("plan.toml" if isinstance(content, str) else "config.json")
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def table(path: Path, id_column: str | None = None, text_column: str | None = None) -> Source:
    return Source(path, {"id_column": id_column, "text_column": text_column})


def test_a_small_plan(tmp_path: Path) -> None:
    request = read_request(written(tmp_path, PLAN))
    assert request.corpus == table(tmp_path / "data/corpus.json")
    assert request.anonymizations == {"a": table(tmp_path / "a.json")}
    assert request.metrics is None  # what the corpus has decides
    assert (request.settings.seed, request.settings.resamples, request.settings.confidence) == (0, 1000, 0.95)
    assert (request.settings.missing, request.settings.jobs, request.output) == ("error", None, None)


def test_a_full_plan(tmp_path: Path) -> None:
    plan = """
        corpus = { path = "/data/corpus.csv", id_column = "key", text_column = "body" }
        preset = "tab"
        metrics = ['recall(unit="mention")', "er_di"]
        missing = "unmasked"
        seed = 3
        resamples = 0
        confidence = 0.5
        jobs = 2
        output = "out/run.json"
        [anonymizations]
        a = { path = "a.csv", text_column = "hidden" }
    """
    request = read_request(written(tmp_path, plan))
    assert request.corpus == table(Path("/data/corpus.csv"), "key", "body")
    assert request.anonymizations == {"a": table(tmp_path / "a.csv", None, "hidden")}
    assert [metric_text(metric) for metric in request.metrics] == [*preset("tab"), 'recall(unit="mention")']
    assert (request.settings.seed, request.settings.resamples, request.settings.confidence) == (3, 0, 0.5)
    assert (request.settings.missing, request.settings.jobs, request.output) == (
        "unmasked",
        2,
        tmp_path / "out/run.json",
    )


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_marks_and_line_ends_do_not_matter(mark: str, end: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_bytes((mark + PLAN.replace("\n", end)).encode())
    assert read_request(tmp_path / "plan.toml").corpus == table(tmp_path / "data/corpus.json")


@pytest.mark.parametrize(
    ("label", "parameters", "metric"),
    [
        ("Precision", {}, Precision()),
        ("Precision", {"token_level": False, "weighting_model_name": None}, Precision("mention")),
        ("Precision_a label_with more", {"weighting_max_segment_length": 50}, Precision()),
        ("Recall", {}, Recall()),
        ("Recall", {"token_level": False}, Recall("mention")),
        ("Recall_direct", {"include_quasi": False}, Recall(include="direct")),
        ("Recall_quasi", {"include_direct": False, "token_level": True}, Recall(include="quasi")),
        ("RecallPerEntityType", {}, RecallPerType()),
        ("recallperENTITYTYPE_x", {"verbose": False}, RecallPerType()),
        ("RecallPerEntityType_x", {"token_level": False, "include_direct": False}, RecallPerType("mention", "quasi")),
    ],
)
def test_TAE_metrics(label: str, parameters: dict[str, Any], metric: Any, tmp_path: Path) -> None:  # noqa: N802
    request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": {label: parameters}}))
    assert request.metrics == (metric,)
    assert request.metric_labels == {label: metric_text(metric)}
    assert request.unavailable == {}


def test_TAE_paths_are_taken_from_the_working_directory(tmp_path: Path) -> None:  # noqa: N802
    request = read_request(written(tmp_path, CONFIGURATION))
    assert request.corpus == Source(Path("data/corpus.json"))
    assert request.anonymizations == {"One": Source(Path("one.json")), "Two": Source(Path("two.json"))}
    assert request.results_file == Path("outputs/results.csv")
    assert request.output is None


def test_TAE_labels_share_a_metric(tmp_path: Path) -> None:  # noqa: N802
    metrics = {"Recall_one": {}, "Recall_two": {"token_level": True}, "TRIR_x": {}}
    request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": metrics}))
    assert request.metrics == (Recall(),)
    assert request.metric_labels == {"Recall_one": "recall", "Recall_two": "recall"}
    assert list(request.unavailable) == ["TRIR_x"]


def test_the_configuration_that_TAE_ships(data: Path) -> None:  # noqa: N802
    request = read_request(data / "tae_example_config.json")
    assert len(request.anonymizations) == 8
    labels = ["Precision", "PrecisionWeighted", "TPI", "TPS", "NMI", "Recall", "RecallPerEntityType", "TRIR"]
    assert {*request.labels, *request.unavailable} == set(labels)
    assert request.metric_labels["Precision"] == "precision"
    assert request.metric_labels["Recall"] == "recall"


def test_TAE_compares_word_vectors_where_no_model_is_named(tmp_path: Path) -> None:  # noqa: N802
    metrics = {"TPS": {"similarity_model_name": None, "weighting_model_name": None}}
    request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": metrics}))
    (metric,) = request.metrics
    assert (metric.parameters["similarity"], metric.parameters["ic"]) == ("spacy:en_core_web_md", "uniform")
    metrics = {"NMI": {"embedding_model_name": None}}
    with pytest.raises(InputError, match="embedding_model_name is None; expected the name of a model"):
        read_request(written(tmp_path, {**CONFIGURATION, "metrics": metrics}))


def trir(**parameters: Any) -> dict[str, Any]:
    return {"background_knowledge_file_path": "bks/public.json", "use_document_curation": False, **parameters}


def test_TAE_attacks_with_one_background(tmp_path: Path) -> None:  # noqa: N802
    both = {"TRIR": trir(), "TRIR_again": trir(finetuning_epochs=3)}
    request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": both}))
    assert request.settings.background == "bks/public.json"
    assert [metric.parameters["background"] for metric in request.metrics] == ["", ""]


def test_TAE_attacks_with_several_backgrounds(tmp_path: Path) -> None:  # noqa: N802
    several = {
        "TRIR": trir(),
        "TRIR_web": trir(background_knowledge_file_path="bks/web.json"),
        "TRIR_again": trir(),
        "TRIR_old": trir(background_knowledge_file_path="old/web.json"),
    }
    request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": several}))
    names = {"public": "bks/public.json", "bks/web.json": "bks/web.json", "old/web.json": "old/web.json"}
    assert request.settings.background == names
    assert [metric.parameters["background"] for metric in request.metrics] == list(names)
    assert request.labels["TRIR"] == request.labels["TRIR_again"] != request.labels["TRIR_web"]


def test_TAE_defaults_are_those_of_its_code(tmp_path: Path) -> None:  # noqa: N802
    """Its README says false; numbers are made by the code, which says true."""
    for given, expected in (
        ({}, "only_use_anonymized_background_knowledge=True, "),
        ({"only_use_anonymized_background_knowledge": False}, ""),
        ({"anonymize_background_knowledge": False}, "anonymize_background_knowledge=False, "),
    ):
        request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": {"TRIR": trir(**given)}}))
        (metric,) = request.metrics
        assert metric.parameters["attacks"] == f"transformer({expected}use_document_curation=False)"


def test_several_backgrounds_of_a_plan(tmp_path: Path) -> None:
    request = read_request(written(tmp_path, PLAN + '[background]\npublic = "p.json"\nweb = "w.json"\n'))
    assert request.settings.background == {"public": str(tmp_path / "p.json"), "web": str(tmp_path / "w.json")}
    assert request.settings.references
    assert not read_request(written(tmp_path, "references = false\n" + PLAN)).settings.references


def with_settings(request: EvaluationRequest, **said: Any) -> EvaluationRequest:
    return replace(request, settings=request.settings.overridden(said))


def test_other_function_words_go_to_every_metric_that_has_them(tmp_path: Path) -> None:
    metrics = {"Precision": {}, "Recall": {}, "Recall_direct": {"include_quasi": False}}
    request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": metrics}))
    changed = with_settings(request, function_words="spacy:x")
    assert changed.chosen == (
        Precision(),
        Recall(function_words="spacy:x"),
        Recall(include="direct", function_words="spacy:x"),
    )
    assert changed.metric_labels["Recall_direct"] == 'recall(include="direct", function_words="spacy:x")'


def test_function_words_of_a_plan(tmp_path: Path) -> None:
    request = read_request(written(tmp_path, 'function_words = "none"\nmetrics = ["er", "precision"]\n' + PLAN))
    assert request.chosen == (EntityRecall(function_words="none"), Precision())


def test_the_language_of_a_plan(tmp_path: Path) -> None:
    """A plan's language waits for the command line, which may name another."""
    request = read_request(written(tmp_path, 'language = "es"\nmetrics = ["er", "precision"]\n' + PLAN))
    assert (request.settings.language, request.metrics) == ("es", (EntityRecall(), Precision()))
    german = EntityRecall(function_words="lexicon-de.1")
    assert with_settings(request, language="de").chosen == (german, Precision())
    (tmp_path / "data").mkdir()
    (tmp_path / "data/corpus.json").write_text('{"d": "Oslo"}')
    (tmp_path / "a.json").write_text('{"d": []}')
    plan = request.plan()
    assert (plan.settings.language, plan.metrics) == ("es", (EntityRecall(function_words="lexicon-es.1"), Precision()))


def test_function_words_named_for_all_win_over_the_language(tmp_path: Path) -> None:
    request = read_request(written(tmp_path, {**CONFIGURATION, "metrics": {"Recall_x": {}}}))
    for name in ("lexicon-en.1", "none"):
        changed = with_settings(request, function_words=name, language="fi")
        assert changed.chosen == (Recall(function_words=name),)
    spanish = with_settings(request, language="es")
    assert spanish.metric_labels == {"Recall_x": 'recall(function_words="lexicon-es.1")'}


def test_columns_of_all_tables_of_a_plan(tmp_path: Path) -> None:
    """A table of its own wins over what holds for all."""
    plan = 'id_column = "key"\n' + PLAN + 'b = { path = "b.csv", id_column = "other" }\n'
    request = read_request(written(tmp_path, plan))
    assert request.corpus == table(tmp_path / "data/corpus.json", "key")
    assert request.anonymizations == {
        "a": table(tmp_path / "a.json", "key"),
        "b": table(tmp_path / "b.csv", "other"),
    }


def test_what_contradicts_itself_in_a_plan(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"plan\.toml: type LOC: is named for direct and for quasi"):
        read_request(written(tmp_path, 'direct = ["LOC"]\nquasi = "LOC"\n' + PLAN))


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("x.toml", "", True),
        ("x.json", json.dumps(CONFIGURATION), True),
        ("x.json", '{"metrics": {}, "corpus": ""}', True),
        ("x.json", '{"d1": "text", "d2": "text"}', False),
        ("x.json", '{"metrics": "a document of this name", "d2": "text"}', False),
        ("x.json", '{"d1": {"metrics": 1, "corpus": 2}, "d2": "\\"corpus\\": \\"metrics\\": "}', False),
        ("x.json", '{"d1": ["corpus", "metrics"], "d2": "{\\"corpus\\": 1"}', False),
        ("x.json", '[{"metrics": {}, "corpus": ""}]', False),
        ("x.json", "[]", False),
        ("x.json", "", False),
        ("x.jsonl", json.dumps(CONFIGURATION), False),
        ("x.csv", "doc_id,text\n", False),
    ],
)
def test_what_is_a_request(name: str, content: str, expected: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    assert is_request(tmp_path / name) is expected
    assert is_request(tmp_path) is False


def test_only_the_start_of_a_corpus_is_read_to_tell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A long one would be read twice."""
    sizes = []

    class Counting(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            sizes.append(size)
            return super().read(size)

    text = json.dumps({"d1": "x" * 100_000, "corpus": "", "metrics": ""}).encode()
    monkeypatch.setattr("showthrough.storage.file_heads.open_file", lambda path: Counting(text))
    assert not is_request(tmp_path / "x.json")  # its first 64 kB end inside a text
    assert sizes == [65536]


def test_reading_tells_the_problems_of_all_anonymizations(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data/corpus.json").write_text('[{"doc_id": "d1", "text": "x"}]')
    (tmp_path / "a.json").write_text("{")
    request = read_request(written(tmp_path, PLAN + 'b = "b.json"\n'))
    with pytest.raises(InputError) as caught:
        request.plan()
    assert [Path(problem.file).name for problem in caught.value.problems] == ["a.json", "b.json"]


def test_a_request_becomes_a_plan(tmp_path: Path, tiny: Corpus) -> None:
    (tmp_path / "data").mkdir()
    document = {
        "doc_id": "d1",
        "text": "Doe",
        "annotations": {"a": {"entity_mentions": [{"start_offset": 0, "end_offset": 3}]}},
    }
    (tmp_path / "data/corpus.json").write_text(json.dumps([document]))
    (tmp_path / "a.json").write_text('{"d1": []}')
    plan = read_request(written(tmp_path, 'metrics = ["er", "f2"]\n' + PLAN)).plan()
    assert plan.corpus.ids == ("d1",)
    assert [one.name for one in plan.anonymizations] == ["a"]
    assert plan.metrics == (EntityRecall(), FScore(2.0))
