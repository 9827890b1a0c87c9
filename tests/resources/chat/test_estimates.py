"""What questions cost, counted by hand."""

from __future__ import annotations

import pytest

from showthrough.core.errors import PlanError
from showthrough.models.chat.base import ChatQuestion
from showthrough.models.chat.consent import address_of, price_of
from showthrough.models.chat.estimate import QuestionTally, usual_lengths
from showthrough.models.chat.prompts import decode_answer


def question(text: str, about: tuple[str, str] = ("a", "1")) -> ChatQuestion:
    return ChatQuestion("12345678", text, "p.v1", "d", None, about, 400)


def test_tokens_are_counted_from_letters() -> None:
    tally = QuestionTally(scored=("cpr", "a"))
    tally.count("llm:m", {"k1": question("1234"), "k2": question("12345")}, 3, {})
    one = tally.counts["cpr", "a", "llm:m"]
    assert (one.calls, one.recorded) == (2, 3)
    assert one.tokens_in == (12 // 4 + 10) + (16 // 4 + 10)  # 12 letters; 13, which begin a fourth token
    assert (one.tokens_out, one.tokens_most) == (2 * 100, 2 * 400)


def test_what_was_counted_is_not_counted_again_and_recorded_lengths_count() -> None:
    tally = QuestionTally(scored=("cpr", "a"))
    tally.count("llm:m", {"k1": question("1")}, 0, {})
    tally.scored = "ipr", "a"
    tally.count("llm:m", {"k1": question("1"), "k2": question("2")}, 0, usual_lengths([("p.v1", 60, 2), ("q", 9, 1)]))
    assert [tally.counts[metric, "a", "llm:m"].calls for metric in ("cpr", "ipr")] == [1, 1]
    assert tally.counts["ipr", "a", "llm:m"].tokens_out == 30


def test_questions_that_follow_are_counted_apart() -> None:
    tally = QuestionTally(scored=("cpr", "a"))
    tally.expect("llm:j", 5, 40, 20)
    one = tally.counts["cpr", "a", "llm:j"]
    assert not one.further  # all answers are recorded: what has none stays without one
    tally.count("llm:m", {"k1": question("1")}, 0, {})
    tally.expect("llm:j", 5, 40, 20)
    assert (one.calls, one.further, one.further_in, one.further_out) == (0, 5, 5 * 20, 5 * 20)
    assert tally.would_ask("llm:j")
    assert not tally.would_ask("llm:n")


def test_prices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    mini = price_of(address_of("llm:gpt-4.1-mini"), None)
    assert mini is not None
    assert mini.of(1_000_000, 500_000) == pytest.approx(0.4 + 0.8)
    assert mini.said.startswith("as it was listed in 20")
    assert price_of(address_of("llm:gpt-4.1-mini-2025-04-14"), None) == mini
    assert price_of(address_of("llm:no-such-model"), None) is None
    assert price_of(address_of("llm:gpt-4.1-mini@https://other.org/v1"), None) is None  # another's price nobody knows
    here = price_of(address_of("llm:m@http://localhost/v1"), None)
    assert here is not None
    assert here.of(10**9, 10**9) == 0
    told = price_of(address_of("llm:no-such-model"), "3,4")
    assert told is not None
    assert told.of(10**6, 10**6) == 7


@pytest.mark.parametrize("price", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_what_is_no_price_is_told(price: str) -> None:
    with pytest.raises(PlanError, match="price: found"):
        price_of(address_of("llm:m"), price)


@pytest.mark.parametrize(
    "content", ["[1, 2]", "```json\n[1, 2]\n```", "<think>[3]\n\n hm</think>\n[1, 2]", "So:\n```\n[1, 2]\n```\nDone."]
)
def test_json_is_found_in_what_models_say(content: str) -> None:
    assert decode_answer(content, list[int]) == [1, 2]


@pytest.mark.parametrize("content", ['["two\n lines"]', '```json\n["two\t\nlines"\n]\n```'])
def test_a_string_may_have_line_ends_that_json_does_not_allow(content: str) -> None:
    assert decode_answer(content, list[str])[0].split() == ["two", "lines"]


@pytest.mark.parametrize("content", ["", "[1, 2", "1, 2", "[1, 'a']", '["a"]', "[1] [2]", "[" * 5000, '["\\\n"]'])
def test_what_is_no_answer_is_none(content: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 (whatever it says)
        decode_answer(content, list[int])
