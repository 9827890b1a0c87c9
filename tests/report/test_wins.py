"""How many others each is better and worse than: every pair of `compare`, counted."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from showthrough import Anonymization, Corpus, Run, evaluate
from showthrough.metrics import HEADLINE
from showthrough.report.wins import show_wins, wins


def test_wins_and_losses_are_those_of_compare(demo_run: Run) -> None:
    counted = wins(demo_run)
    assert {"er_di", "precision"} <= counted.keys()
    for metric in ("er_di", "precision"):
        compared = demo_run.compare(metric, parts=[HEADLINE])
        for name in demo_run.names:
            beaten = [
                one for one in compared if name == one.first and (one.difference or 0) > 0 and one.significant(0.05)
            ]
            beaten += [
                one for one in compared if name == one.second and (one.difference or 0) < 0 and one.significant(0.05)
            ]
            lost = [one for one in compared if name in (one.first, one.second) and one.significant(0.05)]
            assert counted[metric][name] == (len(beaten), len(lost) - len(beaten))
    assert sum(pair[0] for pair in counted["er_di"].values() if pair) > 0


def shown(run: Run) -> list[str]:
    console = Console(width=100, file=StringIO())
    show_wins(run, console)
    assert isinstance(console.file, StringIO)
    return console.file.getvalue().splitlines()


def test_what_cannot_be_tested_has_a_dash(tiny: Corpus) -> None:
    """One-to-one assignment couples documents, so trir has no test; two that are the same do not differ."""
    systems = [Anonymization({one: [] for one in tiny.ids}, name) for name in ("one", "[two]")]
    run = evaluate(tiny, systems, ["er_di", "trir"], background={"d1": "John Doe.", "d2": "Ann Lee."}, resamples=20)
    lines = shown(run)
    assert lines[1] == "Significantly better than | worse than the other"
    rows = {line.split()[0]: line.split()[1:] for line in lines if line.startswith(("one", "[two]"))}
    assert rows == {"one": ["0", "|", "0", "–"], "[two]": ["0", "|", "0", "–"]}
    assert "RUN shows every pair of a run that -o wrote" in lines[-1]


def test_a_table_is_as_wide_as_the_screen(demo_run: Run) -> None:
    lines = shown(demo_run)
    assert sum(line.startswith("overmask") for line in lines) == 2  # eight metrics are two tables
    assert max(map(len, lines[:-2])) <= 100


def test_one_alone_is_not_compared(tiny: Corpus) -> None:
    run = evaluate(tiny, Anonymization({one: [] for one in tiny.ids}, "one"), "er_di", resamples=20)
    assert shown(run) == []
