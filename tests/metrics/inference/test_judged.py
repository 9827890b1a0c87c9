"""Readability, meaning and invention by a judge: what is missing leaves the denominators."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from inference.fakes import Parrot
from showthrough import Anonymization, Corpus, Document, InputError, Mask, PlanError, Run, evaluate
from showthrough.data.references import EVERYTHING, NOTHING
from showthrough.families.inference.judge_utility import Hallucination, Meaning, Readability
from showthrough.metrics import parse_metric
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.models.chat import _client
from talking import BUSY, MALFORMED, talking

ALL = ("readability", "meaning", "hallucination")
NUMBER = 6


@pytest.fixture
def corpus() -> Corpus:
    return Corpus([Document(f"d{number}", f"He lives in town {number}.") for number in range(NUMBER)])


def masked(corpus: Corpus, name: str = "anon") -> Anonymization:
    return Anonymization({one.id: [Mask(12, 18, "[CITY]")] for one in corpus}, name)


def scores(readability: float, meaning: float, hallucinations: int) -> str:
    said = {"readability": readability, "meaning": meaning, "hallucinations": hallucinations}
    return json.dumps({quality: {"why": "", "score": score} for quality, score in said.items()})


def test_one_call_a_document_gives_all_three(monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    chat = Parrot(lambda text: "?" if "town 5" in text else scores(8, 6, 0) if "town 1" in text else scores(9, 10, 1))
    monkeypatch.setattr(Resources, "chat", lambda self, name: chat)
    resources = Resources()
    values = []
    for metric in (Readability("llm:parrot"), Meaning("llm:parrot"), Hallucination("llm:parrot")):
        rows = Chunk(corpus, resources).rows(metric, masked(corpus))
        values.append(metric.combine(rows.totals())[""].item())
        assert metric.remarks({"anon": rows}, resources) == [
            f"1 of 6 documents of anon count nowhere in {type(metric).__name__.lower()}: there is no answer about "
            "them that can be read"
        ]
    assert values == pytest.approx([(4 * 9 + 8) / 5, (4 * 10 + 6) / 5, 4 / 5])
    assert len(chat.heard) == NUMBER


def test_if_no_answer_can_be_read_there_is_no_number(monkeypatch: pytest.MonkeyPatch, corpus: Corpus) -> None:
    monkeypatch.setattr(Resources, "chat", lambda self, name: Parrot(lambda _: "1"))
    for metric in (Readability("llm:parrot"), Hallucination("llm:parrot")):
        rows = Chunk(corpus, Resources()).rows(metric, masked(corpus))
        assert not rows.values.any()
        assert str(metric.combine(rows.totals())[""]) == "nan"


def test_a_model_is_not_paid_for_judging_empty_texts(corpus: Corpus) -> None:
    metric = Readability("llm:parrot")
    assert metric.problems(corpus, Anonymization({}, EVERYTHING))
    assert not metric.problems(corpus, Anonymization({}, NOTHING))


Written = Callable[..., str]


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(*lines: dict[str, object]) -> str:
        path = tmp_path / "said.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return f"answers:{path}"

    return write


def evaluated(corpus: Corpus, judge: str, *names: str) -> Run:
    systems = [masked(corpus, name) for name in names or ("anon",)]
    return evaluate(corpus, systems, [f'{metric}(judge="{judge}")' for metric in ALL])


def test_recorded_opinions(corpus: Corpus, written: Written) -> None:
    lines = [
        {"id": f"d{number}", "anonymization": name, "readability": 10 - number * worse, "meaning": 10,
         "hallucinations": number % 2}
        for number in range(NUMBER - 1) for name, worse in (("a", 0), ("b", 1))
    ]  # fmt: skip
    judge = written(*lines)
    run = evaluated(corpus, judge, "a", "b")
    readability = run["b", f'readability(judge="{judge}")']
    assert readability.value == pytest.approx(8)
    assert readability.low is not None
    assert readability.high is not None
    assert 1 <= readability.low < 8 < readability.high <= 10
    assert run["a", f'hallucination(judge="{judge}")'].value == pytest.approx(2 / 5)
    best = run["a", f'meaning(judge="{judge}")']
    assert (best.value, best.high) == (10, 10)
    assert best.low is not None
    assert 1 <= best.low < 10  # five perfect documents do not make it sure
    assert any("1 of 6 documents of a count nowhere in readability" in note for note in run.notes)
    assert [one.name for one in run.asked] == [judge]
    assert run.asked[0].digest[:8] in readability.signature
    assert {score.anonymization for score in run.scores} == {"a", "b"}  # nobody judged the references


def test_a_language_model_and_its_answers_again(
    monkeypatch: pytest.MonkeyPatch, corpus: Corpus, tmp_path: Path
) -> None:
    """Over the protocol with faults on the way: one question a text for three metrics; and from its answers alone."""
    pytest.importorskip("openai")
    monkeypatch.setattr(_client, "FIRST", 0.001)

    def answer(asked: dict[str, Any]) -> str:
        return scores(4, 9, 0) if "town 2" in asked["messages"][-1]["content"] else scores(8, 9, 1)

    kept = tmp_path / "run.answers"
    with talking(answer, MALFORMED, None, BUSY) as server:
        judge = f"llm:m@{server.url}"
        run = evaluate(corpus, [masked(corpus)], [f'{one}(judge="{judge}")' for one in ALL], recordings=str(kept))
        sent = len(server.sent)
    assert sent == 2 * NUMBER + 2  # released texts and originals, and two that failed on the way
    values = [run["anon", f'{one}(judge="{judge}")'].value for one in ALL]
    assert values == pytest.approx([(5 * 8 + 4) / 6, 9, 5 / 6])
    assert run[NOTHING, f'readability(judge="{judge}")'].value == pytest.approx(values[0])
    assert "utility.v1" in run["anon", f'meaning(judge="{judge}")'].signature
    replayed = evaluated(corpus, f"answers:{kept}")
    again = [replayed["anon", f'{one}(judge="answers:{kept}")'].value for one in ALL]
    assert again == values


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([{"id": "d0", "readability": 12}], "document d0: readability: found 12; expected a number from 1 to 10"),
        ([{"id": "elsewhere", "readability": 8}], "answers about elsewhere, and no document; expected ids such as d0"),
        ([{"id": "d0", "meaning": 8}], "anonymization anon: is not judged; expected readability of its documents"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(
    corpus: Corpus, written: Written, lines: list[dict[str, object]], expected: str
) -> None:
    with pytest.raises(InputError, match=expected):
        evaluated(corpus, written(*lines))


@pytest.mark.parametrize("name", ALL)
def test_without_a_judge(corpus: Corpus, name: str) -> None:
    with pytest.raises(InputError, match=rf'metric {name}: names no judge; expected judge="llm:MODEL\[@URL\]" or'):
        evaluate(corpus, [masked(corpus)], [name])


@pytest.mark.parametrize("judge", ["rules", "answers:", "llm:", "gpt-4"])
def test_a_judge_that_is_none(judge: str) -> None:
    with pytest.raises(PlanError, match='expected judge="llm:'):
        parse_metric(f'readability(judge="{judge}")')
