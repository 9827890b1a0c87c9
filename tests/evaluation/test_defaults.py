"""What is scored where nobody says which metrics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from showthrough import Annotation, Anonymization, Background, Corpus, Document, Mask, Mention, evaluate
from showthrough.core.errors import InputError
from showthrough.data.subjects import Attribute, Subject
from showthrough.evaluation.plan_files import read_request
from showthrough.metrics import preset
from showthrough.report._sentences import sentence
from showthrough.report.privacy_utility import first_choice, plane_metrics

BARE = Document("a", "Ann Berg of Oslo. Berg was ill.")
MARKED = Document("b", "Ole was ill.", (Annotation("x", (Mention(0, 3, "PERSON", "DIRECT"),)),))
MASKS = Anonymization({"a": [Mask(0, 8)]}, "one")
UNANNOTATED = list(preset("unannotated"))


def chosen(*found: Document, systems: int = 2, **given: Any) -> list[str]:
    masks = {f"s{number}": Anonymization({one.id: [Mask(0, 3)] for one in found}) for number in range(systems)}
    return [record.text for record in evaluate(Corpus(found), masks, resamples=0, **given).metrics]


def test_without_annotations_what_can_be_computed() -> None:
    assert chosen(BARE) == UNANNOTATED
    assert chosen(BARE, systems=1) == [text for text in UNANNOTATED if text != "disagreement"]
    background = {"a": "Ann Berg of Oslo", "z": "Zoe"}
    assert chosen(BARE, background=background) == [*UNANNOTATED, "trir"]
    several = [Background(background, name) for name in ("web", "press")]
    assert chosen(BARE, background=several)[-2:] == ['trir(background="web")', 'trir(background="press")']


def test_some_annotations_keep_the_default() -> None:
    assert chosen(MARKED) == chosen(BARE, MARKED) == list(preset("default"))
    assert chosen(MARKED, background={"b": "Ole", "z": "Zoe"}) == [*preset("default"), "trir"]


def test_what_was_named_stays() -> None:
    with pytest.raises(InputError, match="no document has annotations, which the metric recall needs"):
        evaluate(Corpus([BARE]), MASKS, ["recall"])
    with pytest.raises(InputError, match="none was given; expected at least one"):
        evaluate(Corpus([BARE]), MASKS, [])


def test_a_plan_decides_alike(tmp_path: Path) -> None:
    (tmp_path / "texts.json").write_text('{"a": "Ann Berg of Oslo. Berg was ill."}')
    (tmp_path / "m.json").write_text('{"a": [[0, 8, null]]}')
    plan = 'corpus = "texts.json"\nlanguage = "de"\n[anonymizations]\none = "m.json"\ntwo = "m.json"\n'
    (tmp_path / "plan.toml").write_text(plan)
    made = read_request(tmp_path / "plan.toml").plan()
    assert len(made.metrics) == len(UNANNOTATED)
    assert made.metrics[0].parameters == {"dictionary": "wordfreq:de"}


def test_a_run_says_what_it_cannot_know() -> None:
    run = evaluate(Corpus([BARE]), [MASKS], resamples=0)
    assert run.notes[0].startswith(
        "no annotations were read, so these numbers cannot show whether an identifier was missed. They show "
    )
    assert "disagree" not in run.notes[0]  # one alone cannot
    assert "whether an identifier was missed" not in " ".join(
        evaluate(Corpus([MARKED]), Anonymization({"b": []})).notes
    )


def test_whom_a_text_is_about_says_what_identifies_them() -> None:
    about = Document("a", BARE.text, subjects=(Subject("s", (Attribute("NAME", "Ann Berg", 5, 1),)),))
    corpus = Corpus([about])
    said = {one: " ".join(evaluate(corpus, [MASKS], one, resamples=0).notes) for one in ("cpr", "residual")}
    assert "no annotations were read" not in said["cpr"]
    assert "no annotations were read" in said["residual"]


def test_no_sentence_says_hidden_or_better() -> None:
    clean = Anonymization({"a": [Mask(0, 8), Mask(18, 22)]}, "clean")
    run = evaluate(Corpus([BARE]), [MASKS, clean], resamples=0)
    said = {name: " ".join(map(str, sentence(run, name))) for name in run.names}
    assert said["one"].startswith("leaves 1 of 1 strings readable that it masks elsewhere in the text")
    assert said["clean"].startswith("keeps ")  # nothing seen is nothing said
    assert not any(word in sentence for sentence in said.values() for word in ("hidden", "hides", "better", "safe"))


def test_no_number_stands_against_itself() -> None:
    for metrics in (["inconsistent"], ['tpi(ic="uniform")'], ["disagreement", 'tpi(ic="uniform")']):
        assert first_choice(plane_metrics(evaluate(Corpus([BARE]), [MASKS], metrics, resamples=0))) is None
    two = ['tpi(ic="uniform")', 'tps(ic="uniform", similarity="ngrams")']
    across, up = first_choice(plane_metrics(evaluate(Corpus([BARE]), [MASKS], two, resamples=0))) or ("", "")
    assert across != up
