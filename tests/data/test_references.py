"""Nothing masked and everything masked: rows to read the others by, and never under test themselves."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from showthrough import (
    Annotation,
    Anonymization,
    Background,
    Corpus,
    Document,
    InputError,
    Mask,
    Mention,
    Rows,
    Run,
    TypedMask,
    evaluate,
)  # fmt: skip
from showthrough.core.errors import ResourceError
from showthrough.data.references import EVERYTHING, NOTHING, REFERENCES, references_of
from showthrough.families.reidentification.api import reidentify
from showthrough.metrics import METRICS, Metric
from showthrough.metrics.chunk import Anonymized, Chunk
from showthrough.report import csv_text, json_text, latex_text, markdown_text, tables
from showthrough.report._sentences import sentence
from showthrough.report.charts.parts import part_cells
from showthrough.report.html import html_text
from showthrough.report.html._methods import paragraph
from showthrough.report.privacy_utility import plane_metrics
from showthrough.report.verdict import verdict

METRICS_HERE = ["er_di", "recall", "precision", "recall_per_type"]


@pytest.fixture
def some() -> Anonymization:
    return Anonymization({"d1": [Mask(3, 11)], "d2": [], "d3": []}, "some")


@pytest.fixture
def other() -> Anonymization:
    return Anonymization({"d1": [Mask(0, 11), Mask(15, 19)], "d2": [Mask(2, 9)], "d3": []}, "other")


@pytest.fixture
def run(tiny: Corpus, some: Anonymization, other: Anonymization) -> Run:
    return evaluate(tiny, [some, other], METRICS_HERE, resamples=20)


def test_their_values(run: Run) -> None:
    # Tokens to be masked, by annotator: Mr John Doe Oslo | Mr John Doe, 3 May | Ann Lee, 山 田: 4 + 5 + 4 = 13, and of
    # them "Mr" is free, twice.
    assert run[NOTHING, "recall"].value == 2 / 13
    assert run[EVERYTHING, "recall"].value == 1.0
    assert (run[NOTHING, "er_di"].value, run[EVERYTHING, "er_di"].value) == (0.0, 1.0)
    assert run[NOTHING, "precision"].value is None
    assert run[NOTHING, "precision"].reason
    # PERSON: Mr John Doe, twice; Ann Lee; 山 田: 2 of 10 tokens are free.
    assert run[NOTHING, "recall_per_type", "PERSON"].value == 2 / 10
    assert run[EVERYTHING, "recall_per_type", "PERSON"].value == 1.0


def test_they_have_no_interval_and_a_signature(run: Run) -> None:
    for score in run.scores:
        if score.anonymization in REFERENCES:
            assert (score.low, score.high) == (None, None)
            assert f"|anonymization:{score.anonymization}@" in score.signature


def test_they_are_not_under_test(run: Run) -> None:
    assert run.names == ["some", "other"]
    assert [one.name for one in run.references] == list(REFERENCES)
    assert {one.first for one in run.compare()} | {one.second for one in run.compare()} == {"some", "other"}
    assert {name for one in plane_metrics(run) for name in one.values} == {"some", "other"}
    cells = part_cells(run, next(record for record in run.metrics if record.text == "recall_per_type"))
    assert {cell["name"] for cell in cells} == {"some", "other"}
    assert [one.name for one in verdict(run).systems] == ["some", "other"]
    assert sentence(run, "some")
    assert run.texts is not None
    assert list(run.texts.masks) == ["some", "other"]


def test_the_others_numbers_do_not_depend_on_them(
    run: Run, tiny: Corpus, some: Anonymization, other: Anonymization
) -> None:
    alone = evaluate(tiny, [some, other], METRICS_HERE, resamples=20, references=False)
    assert alone.references == []
    assert alone.scores == [score for score in run.scores if score.anonymization in alone.names]
    assert all(set(by_name) == {"some", "other"} for by_name in alone.rows.values())


def test_they_stand_below_the_others_and_are_never_best(run: Run) -> None:
    main = next(table for table in tables(run) if table.title == "scores")
    assert main.names == ("some", "other", *REFERENCES)
    assert (main.tested, main.references) == (2, 2)
    for column in main.columns:
        assert not any(cell.best or cell.interval for cell in column.cells[2:])
    assert any(cell.best for column in main.columns for cell in column.cells[:2])
    assert not any(name in line for line in main.explain_dashes() for name in REFERENCES)


def test_every_view_shows_them(run: Run) -> None:
    lines = csv_text(run).splitlines()
    assert [line.split(",")[0] for line in lines if ",recall,," in line] == ["some", "other", *REFERENCES]
    assert f"| *{NOTHING}* | 0.000 | 0.154 |" in markdown_text(run)
    assert "\\midrule\n\\textit{nothing masked} & 0.000 & 0.154 & -- \\\\" in latex_text(run)
    content = json.loads(json_text(run))
    assert content["references"] == list(REFERENCES)
    assert content["scores"][-1]["anonymization"] == EVERYTHING
    assert list(run.to_frame()["anonymization"].unique()) == ["some", "other", *REFERENCES]
    page = html_text(run)
    body = page.partition('<tbody class="references">')[2].partition("</tbody>")[0]
    assert body.index(NOTHING) < body.index(EVERYTHING)
    assert "For reference, the same documents were scored with nothing and everything masked." in paragraph(run)


def test_a_run_with_them_is_saved_and_loaded(run: Run, tmp_path: Path) -> None:
    run.save(tmp_path / "run.json")
    again = Run.load(tmp_path / "run.json")
    assert (again.scores, again.references, again.rows) == (run.scores, run.references, run.rows)


def test_rows_of_strangers_are_still_a_fault(run: Run, tmp_path: Path) -> None:
    run.rows["recall"]["stranger"] = run.rows["recall"]["some"]
    run.save(tmp_path / "run.json")
    with pytest.raises(InputError, match=r"rows\.recall"):
        Run.load(tmp_path / "run.json")


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("references", [True, False])
def test_their_names_are_reserved(tiny: Corpus, some: Anonymization, name: str, references: bool) -> None:
    with pytest.raises(InputError, match=f"anonymization {name}: this name is reserved"):
        evaluate(tiny, {name: some}, "recall", references=references)
    with pytest.raises(InputError, match="reserved"):
        reidentify({"a": "one", "b": "two"}, {name: {"a": "x"}})


def test_masks_are_made_when_they_are_asked_for(tiny: Corpus) -> None:
    nothing, everything = references_of(tiny)
    assert nothing.masks is not None
    assert [len(one) for one in (nothing, everything)] == [3, 3]
    assert everything.part(["d3"]).masks == {"d3": (Mask(0, 15),)}
    assert "stranger" not in everything.masks
    # The same as masks of somebody who did the same.
    assert nothing.digest == Anonymization(dict.fromkeys(tiny.ids, ())).digest


def test_several_processes_give_the_same(run: Run, tiny: Corpus, some: Anonymization, other: Anonymization) -> None:
    original = Corpus.chunks
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Corpus, "chunks", lambda self, characters=20, start=0: original(self, characters, start))
        shared = evaluate(tiny, [some, other], METRICS_HERE, resamples=20, jobs=2)
    assert shared.scores == run.scores


class Choosy(METRICS["recall"].__class__):  # type: ignore[misc, name-defined]
    """Recall that cannot score some of them, in the second chunk only."""

    cannot: ClassVar[tuple[str, ...]] = REFERENCES

    def bind(self, chunk: Chunk) -> Callable[[Anonymized], Rows]:
        rows = super().bind(chunk)

        def some(anonymized: Anonymized) -> Rows:
            if anonymized.name in self.cannot and "d2" in chunk.corpus.ids:
                raise ResourceError("no model")
            counted: Rows = rows(anonymized)
            return counted

        return some


def chosen_in_chunks(monkeypatch: pytest.MonkeyPatch) -> Metric:
    metric: Metric = Choosy()
    monkeypatch.setitem(METRICS, "choosy", metric)
    original = Corpus.chunks
    monkeypatch.setattr(Corpus, "chunks", lambda self, characters=20, start=0: original(self, characters, start))
    return metric


def test_one_that_cannot_be_scored_is_a_dash(
    tiny: Corpus, some: Anonymization, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    run = evaluate(tiny, [some], [chosen_in_chunks(monkeypatch), "recall"], resamples=0)
    assert run.failures == []
    assert run["some", "choosy"].value == run["some", "recall"].value
    assert set(run.rows["choosy"]) == {"some"}
    assert set(run.rows["recall"]) == {"some", *REFERENCES}
    main = tables(run)[0]
    assert [cell.value for cell in main.columns[0].cells] == ["0.462", "–", "–"]  # Mr, John, Doe twice: 6 of 13
    run.save(tmp_path / "run.json")
    assert Run.load(tmp_path / "run.json").scores == run.scores


def test_one_under_test_that_cannot_be_scored_fails_the_metric(
    tiny: Corpus, some: Anonymization, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = chosen_in_chunks(monkeypatch)
    monkeypatch.setattr(Choosy, "cannot", ("some",))
    run = evaluate(tiny, [some], [metric], resamples=0)
    assert [failure.metric for failure in run.failures] == ["choosy"]


def test_a_metric_that_refuses_one_scores_the_others() -> None:
    """Types of a system that gold does not have are refused; references have none, and are asked as well."""
    gold = (Annotation("a", (Mention(0, 3, "NAME", "DIRECT", "e1"),)),)
    corpus = Corpus([Document("d", "Doe left", gold)])
    typed = Anonymization({"d": [TypedMask(0, 3, None, "NAME")]}, "typed")
    run = evaluate(corpus, [typed], "phi_token", resamples=0)
    assert run["typed", "phi_token"].value == 1.0
    with pytest.MonkeyPatch.context() as patch:
        refuse = type(METRICS["phi_token"])
        patch.setattr(refuse, "problems", lambda self, corpus, one: ["no"] if one.name in REFERENCES else [])
        refused = evaluate(corpus, [typed], "phi_token", resamples=0)
    assert set(refused.rows["phi_token"]) == {"typed"}
    assert refused["typed", "phi_token"].value == 1.0


def test_every_metric_without_a_model_takes_them(tiny: Corpus, some: Anonymization) -> None:
    light = [
        *("er_di", "er_qi", "er", "recall", "recall_per_type", "precision", "f1", "f2", "trir", "phi_token"),
        *("phi_instance", "phi_strict", "phi_span", "phi_merged", "phi_leak"),
        *('wp(ic="uniform")', 'tpi(ic="uniform")', 'tps(ic="uniform", similarity="ngrams")'),
        'nmi(embedding="lsa", n_tries=2)',
    ]
    background = Background({"d1": "Doe of Oslo", "d2": "Lee knows", "d3": "nothing to see"})
    run = evaluate(tiny, [some], light, resamples=0, background=background)
    assert run.failures == []
    assert all(set(by_name) == {"some", *REFERENCES} for by_name in run.rows.values())
    assert run[NOTHING, 'tpi(ic="uniform")'].value == 1.0
    assert run[EVERYTHING, 'tpi(ic="uniform")'].value == 0.0
    assert run[EVERYTHING, "trir"].value == pytest.approx(1 / 3)  # nothing to read: chance
    assert NOTHING not in run.evidence["trir"]


def test_attacks_have_them_too(tiny: Corpus) -> None:
    known = {"d1": "Doe of Oslo", "d2": "Lee knows", "d3": "nothing to see"}
    texts = {"d1": "in Oslo", "d2": "", "d3": "nothing"}
    with_originals = reidentify(known, {"some": texts}, corpus=tiny, resamples=0)
    assert [one.name for one in with_originals.references] == [NOTHING, EVERYTHING]
    assert with_originals[NOTHING, "trir"].value == 1.0
    assert with_originals[EVERYTHING, "trir"].value == pytest.approx(1 / 3)
    without = reidentify(known, {"some": texts}, resamples=0)
    assert [one.name for one in without.references] == [EVERYTHING]
    assert reidentify(known, {"some": texts}, resamples=0, references=False).references == []


def test_an_older_run_without_them_is_read(run: Run, tmp_path: Path) -> None:
    older = msgspec.to_builtins(run)
    del older["references"], older["inputs"]
    older["scores"] = [score for score in older["scores"] if score["anonymization"] in run.names]
    older["rows"] = {text: {name: by[name] for name in run.names} for text, by in older["rows"].items()}
    (tmp_path / "run.json").write_bytes(msgspec.json.encode(older))
    assert tables(Run.load(tmp_path / "run.json"))[0].names == ("some", "other")
