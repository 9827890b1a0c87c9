"""`bench`: from a corpus to a report in one go; and what is kept for the next time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run
from showthrough.cli.systems import mask_files
from showthrough.core.errors import OutputError, ResourceError

QUICK = ("--resamples", "20", "-m", "er_di", "-m", "er_qi")


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("SHOWTHROUGH_CACHE", str(folder))
    return folder


def test_everything_in_one_go(desk: Any) -> None:
    desk.write({"public.json": {"d1": "John Doe of Oslo.", "d2": "Somebody else."}})
    outcome = desk.cli(
        "evaluate", "corpus.json", "file=masks.json", "--with", "rules", "--with", "mine=rules",
        "--background", "public.json", "--html", "report.html", "-o", "run.json",
        "--masks", "made", "--json", "run2.json", "--resamples", "20", "--verbose",
        "--min", "er_di=0.5",
    )  # fmt: skip
    assert outcome.status == 1, outcome.err  # of one document a limit is missed, which is told when all is written
    run = Run.load("run.json")
    assert run.names == ["rules", "mine", "file"]
    assert [one.text for one in run.metrics][-1] == "trir"
    assert [str(one) for one in run.thresholds] == ["er_di ≥ 0.5"]
    assert "Significantly better than | worse than how many of the 2 others" in outcome.out
    assert "showthrough compare run.json shows every pair" in outcome.out
    assert Path("report.html").stat().st_size > 50_000
    costs = [one.made.cost for one in run.anonymizations[:2] if one.made]
    assert [(one.documents, one.earlier, one.peak_bytes is None) for one in costs if one] == [
        (1, 0, False),
        (1, 1, False),
    ]
    made = json.loads(Path("made/rules.json").read_bytes())
    assert made["provenance"]["anonymizer"] == "rules"
    assert Path("made/mine.json").exists()
    assert desk.cli("evaluate", "corpus.json", "made/rules.json", *QUICK).status == 0


def test_the_second_time_asks_no_system(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    command = ("evaluate", "corpus.json", "--with", "rules", "--verbose", *QUICK)
    first = desk.cli(*command)
    monkeypatch.setattr("showthrough.systems.anonymizing.Local", _refused)
    again = desk.cli(*command)
    assert (first.status, again.status) == (0, 0)
    assert "measured earlier, when their masks were found: rules" in again.out
    assert "measured earlier" not in first.out
    assert first.out.split("\n\n")[0] == again.out.split("\n\n")[0]


class _refused:  # noqa: N801 (it stands for a function)
    def __init__(self, *_: object) -> None:
        pass

    def in_order(self, *_: object) -> Any:
        assert not list(_[1])  # type: ignore[call-overload]
        return ()

    def close(self) -> None:
        pass


def test_without_a_cache_nothing_is_kept(desk: Any, own_cache: Path) -> None:
    assert desk.cli("evaluate", "corpus.json", "--with", "rules", "--no-cache", *QUICK).status == 0
    assert list(own_cache.rglob("*")) == []


def test_one_that_fails_is_told_and_the_others_are_scored(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.systems.workbench.runner.anonymize", _broken_for("bad"))
    outcome = desk.cli("evaluate", "corpus.json", "--with", "bad=rules", "--with", "rules", "-o", "run.json", *QUICK)
    assert outcome.status == 1
    assert outcome.err.splitlines()[0] == "bad failed: the model is gone"
    assert "note: bad is missing here, because it failed: the model is gone" in outcome.err
    assert Run.load("run.json").names == ["rules"]
    alone = desk.cli("evaluate", "corpus.json", "--with", "bad=rules", *QUICK)
    assert (alone.status, alone.out) == (1, "")


def _broken_for(broken: str) -> Any:
    from showthrough.systems.anonymizing import anonymize

    def called(*args: Any, name: str, **options: Any) -> Any:
        if name == broken:
            raise ResourceError("the model is gone")
        return anonymize(*args, name=name, **options)

    return called


def test_who_stops_a_system_is_told_what_is_kept(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: Any, progress: Any, **__: Any) -> Any:
        progress(3, 10)
        raise KeyboardInterrupt

    monkeypatch.setattr("showthrough.systems.workbench.runner.anonymize", stopped)
    monkeypatch.setattr("showthrough.cli.anonymize.anonymize", stopped)
    kept = "interrupted: rules was done with 3 of 10 documents; what was found is kept, and the same command goes on"
    for command in (("evaluate", "corpus.json", *QUICK), ("anonymize", "corpus.json")):
        outcome = desk.cli(*command, "--with", "rules")
        assert (outcome.status, outcome.out) == (130, "")
        assert outcome.err.startswith(kept)
        lost = desk.cli(*command, "--with", "rules", "--no-cache")
        assert lost.err == "interrupted: rules was done with 3 of 10 documents; nothing of it is kept\n"


def test_who_stops_scoring_is_told_what_is_kept(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("showthrough.evaluation._notes.compute_scores", stopped)
    outcome = desk.cli("evaluate", "corpus.json", "--with", "rules", "-o", "run.json", *QUICK)
    assert (outcome.status, outcome.out) == (130, "")
    assert "what systems found is kept: the same command scores it again" in outcome.err
    assert not Path("run.json").exists()


@pytest.mark.parametrize(
    ("arguments", "starts"),
    [
        (("--with", "nobody"), "unknown anonymizer 'nobody'"),
        (("--with", "rules", "--with", "rules"), "anonymizer rules: is there twice"),
        (("rules=masks.json", "--with", "rules"), "anonymization rules: this name is used twice"),
        (("--with", "nothing masked=rules"), "anonymization nothing masked: this name is reserved"),
        (("--with", "spacy:no_such_pipeline"), "anonymizer spacy:no_such_pipeline: "),
        (("--with", "rules", "-m", "trir"), "background: none was given"),
        (("--with", "rules", "--background", "none.json"), "none.json: "),
        (("--with", "rules", "-o", "corpus.json"), "corpus.json: is read by this command"),
        (("--with", "rules", "-o", "a.json", "--html", "a.json"), "a.json: is named for two results"),
        (("--with", "rules", "--masks", "masks.json"), "masks.json/rules.json: "),
        (("--with", "rules", "-j", "0"), "jobs: found 0; expected 1 or more"),
    ],
)
def test_what_is_wrong_is_told_before_any_work(
    arguments: tuple[str, ...], starts: str, desk: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("showthrough.systems.workbench.runner.anonymize", None)
    desk.refuses("evaluate", "corpus.json", *arguments, starts=starts)


def test_a_plan_is_no_corpus(desk: Any) -> None:
    desk.write({"plan.toml": 'corpus = "corpus.json"\n'})
    desk.refuses(
        "evaluate", "plan.toml", "--with", "rules", starts="plan.toml: is a plan, which names what to evaluate"
    )


def test_files_made_of_other_texts_are_refused(desk: Any) -> None:
    assert desk.cli("anonymize", "corpus.json", "--with", "rules", "-o", "made.json").status == 0
    [document] = json.loads(Path("corpus.json").read_bytes())
    desk.write({"corpus.json": [{**document, "text": document["text"].replace("Mr John", "Ms Joan")}]})
    for systems in ((), ("--with", "rules")):
        refused = ("evaluate", "corpus.json", "made.json", *systems, *QUICK)
        desk.refuses(*refused, starts="made.json: was made of other texts")


def test_documents_of_the_training_are_noted(desk: Any) -> None:
    assert desk.cli("anonymize", "corpus.json", "--with", "rules", "-o", "made.json").status == 0
    made = json.loads(Path("made.json").read_bytes())
    made["provenance"] |= {"trained_on": "train@0a", "seen": 1}
    desk.write({"made.json": made})
    outcome = desk.cli("evaluate", "corpus.json", "made.json", *QUICK)
    assert "note: made was trained on 1 of these 1 documents: its numbers are too good" in outcome.err
    desk.cli("evaluate", "corpus.json", "made.json", "--with", "rules", *QUICK, "-o", "run.json")
    assert "note: made was trained on 1 of these 1 documents" in desk.cli("compare", "run.json").err


@pytest.mark.slow
def test_the_demo_puts_systems_to_work(desk: Any) -> None:
    outcome = desk.cli("demo", "-o", "run.json")
    assert outcome.status == 0
    run = Run.load("run.json")
    assert run.names == ["rules", "everywhere", "ner", "overmask", "replace", "annotator"]
    live = {one.name for one in run.anonymizations if one.made and one.made.cost and not one.made.cost.earlier}
    assert live == {"rules", "everywhere"}


def test_two_systems_never_share_a_file() -> None:
    assert mask_files(["spacy:en_core_web_md", "a+b"], Path("m")) == {
        "spacy:en_core_web_md": Path("m/spacy_en_core_web_md.json"),
        "a+b": Path("m/a+b.json"),
    }
    with pytest.raises(OutputError, match="two systems would be written to one file"):
        mask_files(["presidio(org=True)", "presidio_org_True"], Path("m"))


GOLD = {"start_offset": 3, "end_offset": 11, "entity_type": "NOMBRE_SUJETO_ASISTENCIA"}
RECORD = {"doc_id": "d1", "text": "Dr Ona Rask wrote to a@b.org.", "annotations": {"a": {"entity_mentions": [GOLD]}}}
CLINICAL = ("evaluate", "gold.json", "--preset", "meddocan", "--with", "rules", "--resamples", "0", "-o", "run.json")


def test_types_of_a_system_that_the_corpus_lacks_count_as_wrong_when_its_work_is_done(desk: Any) -> None:
    desk.write({"gold.json": [RECORD]})
    outcome = desk.cli(*CLINICAL, "--max", "phi_leak=1")
    run = Run.load("run.json")
    assert [one.text for one in run.metrics] == [
        f'{name}(unknown_types="keep")' for name in ("phi_strict", "phi_span", "phi_merged", "phi_leak")
    ]
    assert [one.metric for one in run.thresholds] == ['phi_leak(unknown_types="keep")']
    assert "rules: EMAIL, PERSON are types that the corpus does not have: they count as wrong ones" in run.notes[0]
    assert "--map EMAIL=TYPE" in run.notes[0]
    assert run["rules", run.metrics[0].text].value == 0
    assert outcome.status == 3, outcome.err  # one document makes nothing sure


def test_what_is_said_of_types_holds_before_and_after_the_work(desk: Any) -> None:
    masks = {"d1": [[3, 11, None, "PERSON"]]}
    desk.write({"gold.json": [RECORD], "file.json": masks})
    named = ("--map", "PERSON=NOMBRE_SUJETO_ASISTENCIA,EMAIL=")
    assert desk.cli(*CLINICAL, *named).status == 0
    assert not any("does not have" in note for note in Run.load("run.json").notes)
    refused = desk.cli(*CLINICAL, "file.json", "--force")
    assert (refused.status, refused.out) == (2, "")
    assert refused.err.startswith("file.json: type PERSON: is not a type of the corpus")
    assert desk.cli(*CLINICAL, "file.json", "--force", *named).status == 0
    assert Run.load("run.json")["file", 'phi_strict(map="EMAIL=")'].value == 1
