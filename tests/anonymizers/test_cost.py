"""What anonymizing takes: latencies, tokens and their price, energy; unknown is never 0."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.data.provenance import Cost, Provenance, joined_provenance
from showthrough.models.cache import Cache
from showthrough.models.settings import AskingSettings
from showthrough.report.systems import cost_grid
from showthrough.systems import _batches, anonymize, anonymizer, anonymizing
from showthrough.systems.anonymizing import EnergyCounter, joules_between, read_counters
from showthrough.systems.spec import bind_asking
from talking import talking

CORPUS = Corpus([Document(name, "Seen by Dr Ona Rask.") for name in "abcd"])


@dataclass(frozen=True)
class Sleepy:
    """Takes so many seconds of a clock that a test moves."""

    clock: SimpleNamespace
    apart: bool
    name: str = "sleepy"
    version: int = 1

    def masks(self, documents: Sequence[Document]) -> list[list[Mask]]:
        for document in documents:
            self.clock.now += {"a": 1, "b": 2, "c": 3, "d": 10}[document.id]
        return [[] for _ in documents]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    state = SimpleNamespace(now=0.0)
    monkeypatch.setattr(_batches, "time", SimpleNamespace(perf_counter=lambda: state.now))
    return state


def cost_of(made: Anonymization) -> Cost:
    assert made.provenance is not None
    assert made.provenance.cost is not None
    return made.provenance.cost


def test_documents_that_are_done_one_by_one_are_timed_so(clock: SimpleNamespace) -> None:
    cost = cost_of(anonymize(CORPUS, Sleepy(clock, apart=True)))
    # Of 1, 2, 3 and 10: half way between 2 and 3; 0.85 of the way from 3 to 10.
    assert (cost.p50, cost.p95, cost.timed) == (2.5, pytest.approx(3 + 0.85 * 7), "document")


def test_others_share_the_time_of_their_batch(clock: SimpleNamespace) -> None:
    cost = cost_of(anonymize(CORPUS, Sleepy(clock, apart=False)))
    assert (cost.p50, cost.p95, cost.timed) == (4.0, 4.0, "batch")  # 16 seconds, 4 documents


def test_what_is_made_of_others_is_timed_as_all_of_them_are() -> None:
    for written, apart in {"everywhere(rules)": True, "repair(rules)": True, "rules+presidio": False}.items():
        assert anonymizer(written).apart is apart  # type: ignore[attr-defined]
    assert not anonymizer("repair(rules, attacker='llm:m')").apart  # type: ignore[attr-defined]


def test_times_of_documents_are_kept_with_the_masks(tmp_path: Path) -> None:
    first, second = (cost_of(anonymize(CORPUS, "rules", cache=Cache(tmp_path))) for _ in range(2))
    assert (second.earlier, second.timed) == (4, "document")
    assert (second.p50, second.p95) == (first.p50, first.p95)
    assert (second.joules, second.no_joules) == (None, "masks were kept from an earlier run")


# Tokens.


@pytest.mark.parametrize("price", ["2,8", None])
def test_tokens_and_their_price(tmp_path: Path, price: str | None) -> None:
    pytest.importorskip("openai")
    with talking(lambda _: json.dumps({"entities": []})) as server:
        settings = AskingSettings(recordings=str(tmp_path / "a"), price=price)
        made = anonymize(Corpus([Document("a", "Ann left.")]), bind_asking(anonymizer(f"llm:m@{server.url}"), settings))
    cost = cost_of(made)
    assert made.provenance is not None
    assert not any("token" in key or "dollar" in key for key in made.provenance.counts)
    assert cost.tokens_in is not None
    assert cost.tokens_out is not None
    expected = (
        (2 * cost.tokens_in + 8 * cost.tokens_out) / 1e6 if price else 0.0
    )  # a machine of one's own costs nothing
    assert cost.dollars == pytest.approx(expected, abs=1e-6)
    assert cost.tokens_in + cost.tokens_out > 0


def test_who_asks_no_language_model_has_no_tokens() -> None:
    cost = cost_of(anonymize(CORPUS, "rules"))
    assert (cost.tokens_in, cost.tokens_out, cost.dollars) == (None, None, None)


# Energy.


def _counter(folder: Path, name: str, shown: int, most: int = 10_000_000) -> None:
    (folder / name).mkdir(exist_ok=True)
    (folder / name / "energy_uj").write_text(str(shown))
    (folder / name / "max_energy_range_uj").write_text(str(most))


def test_counters_of_whole_processors_count(tmp_path: Path) -> None:
    _counter(tmp_path, "intel-rapl:0", 5_000_000)
    _counter(tmp_path, "intel-rapl:0:0", 1)  # the cores, which are in it
    _counter(tmp_path, "intel-rapl:1", 9_000_000)
    before = read_counters(tmp_path)
    assert list(before) == ["intel-rapl:0", "intel-rapl:1"]
    _counter(tmp_path, "intel-rapl:0", 7_000_000)
    _counter(tmp_path, "intel-rapl:1", 2_000_000)  # it started anew at 10 J
    assert joules_between(before, read_counters(tmp_path)) == 2 + 3
    (tmp_path / "intel-rapl:1" / "energy_uj").unlink()
    assert joules_between(before, read_counters(tmp_path)) is None
    assert read_counters(tmp_path / "nowhere") == {}
    assert joules_between({}, {}) is None


def test_energy_is_unknown_where_nothing_counts_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(anonymizing, "read_counters", dict)
    cost = cost_of(anonymize(CORPUS, "rules"))
    assert (cost.joules, cost.no_joules) == (None, anonymizing.NO_COUNTER)
    shown = iter((1_000_000, 4_500_000))
    monkeypatch.setattr(anonymizing, "read_counters", lambda: {"cpu": EnergyCounter(next(shown), 10**9)})
    cost = cost_of(anonymize(CORPUS, "rules"))
    assert (cost.joules, cost.no_joules) == (3.5, "")


# Files and tables.


def test_an_older_file_still_loads() -> None:
    old = b'{"seconds": 1.0, "documents": 2, "characters": 3}'
    cost = msgspec.json.decode(old, type=Cost)
    assert (cost.p50, cost.tokens_in, cost.joules, cost.timed) == (None, None, None, "")


def test_costs_of_several_files_are_added_and_latencies_are_not() -> None:
    cost = Cost(1.0, 2, 3, p50=0.1, p95=0.2, timed="document", tokens_in=5, tokens_out=6, dollars=0.5, joules=2.0)
    part = Provenance(anonymizer="llm:m", version=1, cost=cost)
    joined = joined_provenance([part, part])
    assert joined is not None
    assert joined.cost is not None
    assert (joined.cost.p50, joined.cost.timed) == (None, "")
    assert (joined.cost.tokens_in, joined.cost.tokens_out, joined.cost.dollars, joined.cost.joules) == (
        10,
        12,
        1.0,
        4.0,
    )
    unknown = msgspec.structs.replace(part, cost=msgspec.structs.replace(cost, dollars=None))
    joined = joined_provenance([part, unknown])
    assert joined is not None
    assert joined.cost is not None
    assert joined.cost.dollars is None


def test_the_table_has_a_column_for_what_somebody_knows() -> None:
    cost = Cost(
        1.0, 2, 3, p50=0.0123, p95=2.34, timed="batch", tokens_in=1_200, tokens_out=40, dollars=0.0312, joules=7.2
    )
    plain = Cost(1.0, 2, 3)
    systems = [
        SimpleNamespace(name=name, made=Provenance(anonymizer=name, version=1, cost=one))
        for name, one in {"full": cost, "plain": plain}.items()
    ]
    grid = cost_grid(SimpleNamespace(anonymizations=systems))  # type: ignore[arg-type]
    assert grid is not None
    full, bare = ({head: entry.text for head, entry in zip(grid.heads, row.entries, strict=True)} for row in grid.rows)
    assert (full["latency"], full["tokens"]) == ("12.3 ms, 2.3 s (shared)", "1,200 + 40")
    assert (full["price"], full["energy"]) == ("$0.0312", "7 J")
    assert {bare[head] for head in ("latency", "tokens", "price", "energy")} == {"–"}
    alone = cost_grid(SimpleNamespace(anonymizations=systems[1:]))  # type: ignore[arg-type]
    assert alone is not None
    assert not {"latency", "tokens", "price", "energy"} & {*alone.heads}
