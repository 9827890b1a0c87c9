"""How the systems were made and what they cost, as tables; nothing of systems that do not say."""

from __future__ import annotations

from collections.abc import Callable

from rich.console import Console

from showthrough.data.provenance import Cost, Provenance
from showthrough.report.sheets import Grid, GridEntry, GridRow, ReportDocument, count, missing, words
from showthrough.report.sheets.terminal import show_sheet
from showthrough.report.sweeps import as_typed
from showthrough.report.wording import join_names
from showthrough.run.records import Input
from showthrough.run.run import Run

_REVISION = 12  # characters of what pins a model down
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))
_NOT_SAID = "its file does not say how it was made"
_NO_COST = "its file does not say what it cost"
_NOT_TRAINED = "it does not say that it was trained on a corpus"


def provenance_grid(run: Run) -> Grid | None:
    """By what each was made, of which models, and whether it had seen these documents; `None` where none says."""
    heads: dict[str, Callable[[Provenance], GridEntry]] = {
        "written as": lambda provenance: words(provenance.anonymizer),
        "version": lambda provenance: count(provenance.version),
        "models and programs": _pinned_entry,
        "in place of masks": lambda provenance: words(provenance.replacement),
        "threshold": lambda provenance: words(
            "all masks" if provenance.threshold is None else as_typed(provenance.threshold)
        ),
        "trained on": _training,
        "seen in training": _training_overlap,
    }
    return _grid(run, "How the systems were made", heads)


def cost_grid(run: Run) -> Grid | None:
    """What each took; `None` where none says."""
    heads: dict[str, Callable[[Cost], GridEntry]] = {
        "documents a second": lambda cost: (
            missing("the clock did not move") if not cost.rate else words(_few(cost.rate))
        ),
        "latency": _latency,
        "to load": lambda cost: words(seconds(cost.loading)),
        "memory": lambda cost: _bytes(cost.peak_bytes, "it had no process of its own to measure"),
        "model": lambda cost: words("none") if cost.model_bytes == 0 else _bytes(cost.model_bytes, "it does not say"),
        "device": lambda cost: words(cost.device),
        "tokens": _tokens,
        "price": lambda cost: (
            missing("nobody knows its price") if cost.dollars is None else words(f"${cost.dollars:,.4f}")
        ),
        "energy": lambda cost: (
            missing(cost.no_joules or "it was not measured") if cost.joules is None else words(f"{cost.joules:,.0f} J")
        ),
    }
    costs = [system.made.cost for system in run.anonymizations if system.made and system.made.cost]
    sparse = {
        "latency": any(cost.p50 is not None for cost in costs),
        "tokens": any(cost.tokens_in is not None for cost in costs),
        "price": any(cost.tokens_in is not None for cost in costs),
        "energy": any(cost.joules is not None for cost in costs),
    }
    heads = {head: make for head, make in heads.items() if sparse.get(head, True)}

    def of_cost(make: Callable[[Cost], GridEntry]) -> Callable[[Provenance], GridEntry]:
        return lambda provenance: missing(_NO_COST) if provenance.cost is None else make(provenance.cost)

    if not any(system.made and system.made.cost for system in run.anonymizations):
        return None
    note = (
        "Documents a second: of one process, without loading. Memory: the most that one process held. Both were "
        "measured while the system anonymized."
    )
    if sparse["latency"]:
        note += (
            " Latency: what half and 95 % of the documents take at most. A system that takes several at once shares "
            "its time among them alike."
        )
    if sparse["energy"]:
        note += " Energy: of all that the processors did meanwhile."
    elif reasons := list(dict.fromkeys(cost.no_joules for cost in costs if cost.no_joules)):
        note += f" No energy: {'; '.join(reasons)}."
    return _grid(run, "What the systems cost", {head: of_cost(make) for head, make in heads.items()}, (note,))


def _grid(
    run: Run, caption: str, heads: dict[str, Callable[[Provenance], GridEntry]], notes: tuple[str, ...] = ()
) -> Grid | None:
    def row(system: Input) -> GridRow:
        provenance = system.made
        return GridRow(
            system.name,
            tuple(missing(_NOT_SAID) if provenance is None else make(provenance) for make in heads.values()),
        )

    if not any(anonymization.made for anonymization in run.anonymizations):
        return None
    return Grid(caption, tuple(heads), tuple(map(row, run.anonymizations)), "system", notes)


def grids(run: Run) -> list[Grid]:
    """Both tables, as far as there is something in them."""
    return [grid for grid in (provenance_grid(run), cost_grid(run)) if grid]


def show_systems(run: Run, console: Console) -> None:
    """What they cost, and which of them have masks with scores; how they were made is for other views."""
    cost = cost_grid(run)
    lines: tuple[str, ...] = ()
    if run.sweeps:
        lines = (f"masks of {join_names(list(run.sweeps))} have scores; --html shows the results of other thresholds",)
    if cost or lines:
        show_sheet(ReportDocument("", (), (cost,) if cost else (), lines), console)
        console.print()


def _pinned_entry(provenance: Provenance) -> GridEntry:
    if not provenance.pinned:
        return missing("it names no model or program")
    return words(", ".join(f"{name} {revision[:_REVISION]}".rstrip() for name, revision in provenance.pinned.items()))


def _training(provenance: Provenance) -> GridEntry:
    corpus, _, digest = provenance.trained_on.rpartition("@")
    return (
        words(f"{corpus} ({digest[:_REVISION]})" if corpus else digest)
        if provenance.trained_on
        else missing(_NOT_TRAINED)
    )


def _training_overlap(provenance: Provenance) -> GridEntry:
    if not provenance.trained_on:
        return missing(_NOT_TRAINED)
    documents = f" of {provenance.cost.documents:,}" if provenance.cost else ""
    return words(
        f"{provenance.seen:,}{documents}, so its numbers are too good" if provenance.seen else f"none{documents}"
    )


def _latency(cost: Cost) -> GridEntry:
    if cost.p50 is None or cost.p95 is None:
        return missing("its documents were not timed")
    return words(f"{_milliseconds(cost.p50)}, {_milliseconds(cost.p95)}{' (shared)' if cost.timed == 'batch' else ''}")


def _milliseconds(duration: float) -> str:
    """
    >>> _milliseconds(0.0123), _milliseconds(0.00042), _milliseconds(2.34)
    ('12.3 ms', '0.42 ms', '2.3 s')
    """
    return f"{_few(1000 * duration)} ms" if duration < 1 else seconds(duration)


def _tokens(cost: Cost) -> GridEntry:
    if cost.tokens_in is None or cost.tokens_out is None:
        return missing("it asked no language model")
    return words(f"{cost.tokens_in:,} + {cost.tokens_out:,}")


def _bytes(size: int | None, reason: str) -> GridEntry:
    return missing(reason) if size is None else words(human_size(size))


def human_size(size: int) -> str:
    """
    >>> human_size(12_345_678), human_size(1_500_000_000), human_size(820)
    ('12 MB', '1.5 GB', '820 bytes')
    """
    for unit, name in _UNITS:
        if size >= unit:
            return f"{size / unit:.{1 if size < 10 * unit else 0}f} {name}"
    return f"{size} bytes"


def seconds(duration: float) -> str:
    """
    >>> seconds(0.004), seconds(2.34), seconds(75), seconds(7300)
    ('0.0 s', '2.3 s', '75 s', '122 min')
    """
    if duration >= 600:
        return f"{duration / 60:.0f} min"
    return f"{duration:.{1 if duration < 10 else 0}f} s"


def _few(number: float) -> str:
    """Two or three digits.

    >>> _few(1234.5), _few(45.21), _few(0.0312)
    ('1,234', '45.2', '0.031')
    """
    return f"{number:,.0f}" if number >= 100 else f"{number:.1f}" if number >= 1 else f"{number:.2g}"
