"""How thresholds are written, and what cannot be asked."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from showthrough import (
    Annotation,
    Anonymization,
    Corpus,
    Document,
    InputError,
    Mention,
    PlanError,
    evaluate,
    parse_metric,
)
from showthrough.run.gate.parsing import fault_of, parse_options, parse_thresholds, resolve_thresholds
from showthrough.run.provenance import metric_record
from showthrough.run.thresholds import Threshold

TEXTS = (
    "er_di",
    'recall(unit="mention")',
    "recall_per_type",
    "trir",
    "inconsistent",
    "residual",
    "soundness",
    "sensibleness",
)
RECORDS = [metric_record(parse_metric(text)) for text in TEXTS]


def written(end: str, text: str) -> list[str]:
    asked = parse_options([text], None) if end == "min" else parse_options(None, [text])
    return list(map(str, resolve_thresholds(asked, RECORDS)))


@pytest.mark.parametrize(
    ("end", "text", "threshold"),
    [
        ("min", "er_di=0.95", "er_di ≥ 0.95"),
        ("max", "trir=5e-2", "trir ≤ 0.05"),
        ("min", 'recall(unit="mention")=0.9', 'recall(unit="mention") ≥ 0.9'),
        ("min", "recall( unit='mention' )=1", 'recall(unit="mention") ≥ 1'),
        ("min", "recall_per_type[CODE]=0.9", "recall_per_type[CODE] ≥ 0.9"),
        ("min", "recall_per_type[A[1]=x]=0.9", "recall_per_type[A[1]=x] ≥ 0.9"),
        ("min", "inconsistent=0.1", "inconsistent ≥ 0.1"),  # neither is better: both may be asked for
        ("max", "inconsistent=0.1", "inconsistent ≤ 0.1"),
        ("max", "residual=2.5", "residual ≤ 2.5"),  # no share, so any limit
        ("min", "er_di=0", "er_di ≥ 0"),
    ],
)
def test_how_it_is_written(end: str, text: str, threshold: str) -> None:
    assert written(end, text) == [threshold]


@pytest.mark.parametrize(
    ("end", "text", "says"),
    [
        ("min", "er_di", "found 'er_di'; expected METRIC=LIMIT, such as --min er_di=0.95"),
        ("min", "=0.9", "found '=0.9'"),
        ("min", "er_di=inf", "expected METRIC=LIMIT"),
        ("min", "er_di=", "expected METRIC=LIMIT"),
        ("min", "trir=0.1", "trir is better if lower; expected --max"),
        ("max", "er_di=0.9", "er_di is better if higher; expected --min"),
        (
            "max",
            "trir=5",
            "found the limit 5; expected one from 0 to 1: a share, where 0.05 is 5 %",
        ),  # meant as 5 %, it would let all pass
        ("min", "er_di=95", "found the limit 95; expected one from 0 to 1"),
        ("min", "er_di=-0.1", "found the limit -0.1; expected one from 0 to 1"),
        ("max", "inconsistent=5", "found the limit 5; expected one from 0 to 1"),
        ("min", "sensibleness=-1", "found the limit -1; expected one from 0 to 2"),
        ("min", "soundness=60", "found the limit 60; expected one from 0 to 5"),
        ("min", "recall_per_type[CODE]=90", "found the limit 90; expected one from 0 to 1"),
        ("min", "er_qi=0.9", "metric er_qi is not among the metrics; there are er_di"),
        ("min", "nonsense=1", "unknown metric"),
        ("min", "nonsense[x]=1", "metric nonsense: unknown metric"),
        ("min", "x]=1", "found something else"),
        ("min", "[]=1", "expected a name"),
    ],
)
def test_what_cannot_be_asked(end: str, text: str, says: str) -> None:
    with pytest.raises(InputError, match=r"^--m") as caught:
        written(end, text)
    assert says in str(caught.value)
    assert ("0.05 is 5 %" in str(caught.value)) == ("from 0 to 1" in says)
    assert "\n" not in str(caught.value)


def test_one_number_has_one_limit() -> None:
    assert written("min", "er_di=0.9") == list(
        map(str, resolve_thresholds(parse_options(["er_di=0.9", "er_di=0.90"], []), RECORDS))
    )
    with pytest.raises(InputError, match="two limits"):
        resolve_thresholds(parse_options(["er_di=0.9", "er_di=0.8"], []), RECORDS)


NO_MAPPING = "expected numbers by metric, such as min = {er_di = 0.95}"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"least": {}}, ": found 'least'; expected min or max, and in it a limit for each metric"),
        ({"min": 0.9}, f".min: found 0.9; {NO_MAPPING}"),
        ({"min": {"er_di": "0.9"}}, ".min.er_di: found '0.9'; expected a number"),
        ({"min": {"er_di": True}}, ".min.er_di: found True; expected a number"),
        ({"min": {"er_di": float("inf")}}, ".min.er_di: found inf; expected a number"),
        ({"min": {"er_di": float("nan")}}, ".min.er_di: found nan; expected a number"),  # which no number misses
        ([("min", 1)], f": found [('min', 1)]; {NO_MAPPING}"),
        ({"min": {1: 1}}, ".min.1: found 1; expected a number"),
    ],
)
def test_programs_are_checked_like_files(given: Any, says: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_thresholds(given)
    assert str(caught.value) == f"thresholds{says}"


def test_a_message_shows_80_characters_of_what_was_written() -> None:
    """Of 81 the first 79 and a sign that there is more; 80 are shown as they stand."""
    for written_as, shown_as in (("x" * 80, "x" * 80), ("x" * 81, "x" * 79 + "…")):
        with pytest.raises(PlanError, match=rf"^--min: found '{shown_as}'; expected METRIC=LIMIT"):
            parse_options([written_as], None)


def test_all_that_cannot_be_asked_is_told_at_once() -> None:
    """What is no metric at all hides no fault of what stands before it or behind it."""
    with pytest.raises(InputError) as caught:
        resolve_thresholds(parse_options(["nonsense=1", "er_qi=0.9", "rubbish=1", "er_di=2"], None), RECORDS)
    places = [line.partition(": ")[0] for line in str(caught.value).splitlines()]
    assert places == ["--min nonsense=1", "--min er_qi=0.9", "--min rubbish=1", "--min er_di=2"]


def test_a_limit_on_another_scale_is_no_share() -> None:
    """Sensibleness goes from 0 to 2, and there nothing is a percentage; its ends themselves may be asked for."""
    sense = [Threshold("sensibleness", "min", limit) for limit in (-0.5, 0.0, 2.0, 2.5)]
    low, least, most, high = (fault_of(one, RECORDS) for one in sense)
    assert (least, most) == ("", "")
    assert low == "found the limit -0.5; expected one from 0 to 2"
    assert high == "found the limit 2.5; expected one from 0 to 2"
    assert fault_of(Threshold("theirs", "min", 7), [replace(RECORDS[0], text="theirs")]) == ""  # nobody knows its ends


CORPUS = Corpus([Document("d", "Er wohnt in Oslo")])
TPI = 'tpi(ic="wordfreq")'
MASKS = Anonymization({"d": []})


def test_evaluate_keeps_what_was_asked() -> None:
    run = evaluate(CORPUS, MASKS, ["residual", TPI], thresholds={"max": {"residual": 3}, "min": {TPI: 0.5}})
    assert list(map(str, run.thresholds)) == ["residual ≤ 3", f"{TPI} ≥ 0.5"]
    assert run.without_text().thresholds == run.thresholds
    with pytest.raises(InputError, match="residual is not among the metrics; there are tpi"):
        evaluate(CORPUS, MASKS, [TPI], thresholds={"max": {"residual": 3}})
    with pytest.raises(PlanError):
        evaluate(CORPUS, MASKS, [TPI], threshold={})  # type: ignore[call-arg]


def test_a_threshold_follows_its_metric() -> None:
    """In another language a metric has other word lists, and another text form."""
    marks = (Annotation("a", (Mention(12, 16, "LOC", "DIRECT", "e"),)),)
    corpus = Corpus([Document("d", "Er wohnt in Oslo", marks)])
    run = evaluate(corpus, MASKS, ["recall"], language="de", thresholds={"min": {"recall": 0.5}})
    assert [one.metric for one in run.thresholds] == [run.metrics[0].text]
    assert run.metrics[0].text != "recall"


def test_what_is_not_there_is_named_as_it_was_written() -> None:
    """Not by the word lists that a language would have given it."""
    spanish = parse_metric('er_qi(function_words="lexicon-es.1")')
    with pytest.raises(InputError, match="metric er_qi is not among the metrics"):
        resolve_thresholds(parse_options(["er_qi=0.9"], None), RECORDS, lambda metric: spanish)


def test_a_name_finds_the_metric_that_carries_it() -> None:
    """Settings of a run, such as its language, give metrics parameters that nobody writes."""
    spanish = 'er_di(function_words="lexicon-es.1")'
    records = [metric_record(parse_metric(text)) for text in (spanish, 'recall(unit="mention")', "recall_per_type")]
    asked = parse_options(["er_di=0.9", "recall=0.8", "recall_per_type[A]=1"], None)
    found = [f"{spanish} ≥ 0.9", 'recall(unit="mention") ≥ 0.8', "recall_per_type[A] ≥ 1"]
    assert list(map(str, resolve_thresholds(asked, records))) == found
    with pytest.raises(InputError, match="is not among the metrics"):  # what is written is meant
        resolve_thresholds(parse_options(['er_di(function_words="lexicon-en.1")=0.9'], None), records)
    english = [*records, metric_record(parse_metric("er_di"))]
    assert list(map(str, resolve_thresholds(parse_options(["er_di=0.9"], None), english))) == ["er_di ≥ 0.9"]


def test_a_metric_that_is_not_installed_is_found_by_its_name() -> None:
    """Any limit may be asked of it: nobody here knows what it counts."""
    theirs = replace(RECORDS[0], text="theirs(depth=2)", name="theirs", parameters={"depth": 2})
    asked = parse_options(["theirs=7", "theirs[A]=8"], None)
    assert list(map(str, resolve_thresholds(asked, [theirs]))) == ["theirs(depth=2) ≥ 7", "theirs(depth=2)[A] ≥ 8"]


def test_of_several_that_carry_a_name_the_one_that_is_written_is_meant() -> None:
    """As it is written, or as a setting of the run, here its language, has made it."""
    words = 'function_words="lexicon-es.1"'
    spanish = f"recall({words})", f'recall(unit="mention", {words})'
    texts = *spanish, 'recall(unit="mention")'
    records = [metric_record(parse_metric(text)) for text in texts]
    exact = resolve_thresholds(parse_options(["recall( unit='mention' )=0.9"], None), records)
    assert list(map(str, exact)) == ['recall(unit="mention") ≥ 0.9']
    in_spanish = resolve_thresholds(
        parse_options(["recall=0.9"], None), records, lambda metric: parse_metric(spanish[0])
    )
    assert [one.metric for one in in_spanish] == [records[0].text]


def test_a_name_that_several_carry_is_asked_about() -> None:
    texts = ['recall(unit="mention")', 'recall(function_words="lexicon-es.1")']
    with pytest.raises(InputError) as caught:
        resolve_thresholds(parse_options(["recall=0.9"], None), [metric_record(parse_metric(text)) for text in texts])
    assert str(caught.value) == f"--min recall=0.9: metric recall: there are several; name one of {', '.join(texts)}"
