"""What attacks found: a table for the terminal, who was given away by which words, and the same as JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from rich.console import Console
from rich.text import Text

from showthrough.core.errors import printable
from showthrough.families.reidentification.attacks import approaches
from showthrough.families.reidentification.family import BACKGROUND
from showthrough.families.reidentification.metric import CONTROL, RECALLS, RISK
from showthrough.metrics import HEADLINE
from showthrough.report.cautions import cautions
from showthrough.report.table import DASH, Cell, documents_line, signatures
from showthrough.report.terminal import bare_table
from showthrough.report.wording import percent
from showthrough.run.records import Evidence, MetricRecord, Score
from showthrough.run.roles import find_metrics
from showthrough.run.run import Run
from showthrough.run.stored_rows import iter_evidence

WORST = "worst"
_BOUNDS = ("chance", "ceiling")
_LONG, _LINE = 24, 18  # letters of a name that is broken, and of its lines: those of language models are long


class AtRisk(NamedTuple):
    """A document as the strongest attack left it."""

    document: str
    share: float  # the share of the first place that its individual has
    evidence: Evidence


def show_attacks(run: Run, console: Console) -> None:
    """Per anonymization the strongest attack, chance and ceiling; then every attack, its control and the risk above."""
    record, attacks, k = _attack(run)
    population = "".join(
        f" against {background.documents:,} individuals" for background in run.inputs.get(BACKGROUND, [])
    )
    console.print()
    percent = f"; intervals at {run.settings.confidence * 100:g} %" if run.settings.resamples else ""
    console.print(Text(f"{documents_line(run)}{population}{percent}", style="bold"))
    for line in cautions(run):
        console.print(Text(printable(line)), soft_wrap=True)
    for line in _verdicts(run, record, attacks):
        console.print(Text(printable(line)), soft_wrap=True)
    console.print()
    beside = [reference.name for reference in run.references]
    worst = bare_table(f"{WORST} ↓", *_BOUNDS)
    sure = [heading.replace("@", "\n@") for heading in _recalls(record)]
    table = bare_table("found ↓", CONTROL, f"{RISK} ↓", f"@{k}", "mrr", *sure, "time")
    for anonymization in (*run.names, *beside):
        parts = run.parts(anonymization, record.text)
        style = "dim" if anonymization in beside else None
        if anonymization in beside[:1]:
            worst.add_section()
            table.add_section()
        bounds = [_cell(parts[part]) for part in _BOUNDS]
        worst.add_row(Text(printable(anonymization)), _cell(parts[HEADLINE], interval=True), *bounds, style=style)
        table.add_row(Text(printable(anonymization), style="bold"), style=style)
        for name in attacks:
            named = Text("\n".join(f"  {line}" for line in _break_name(printable(name))))
            table.add_row(named, *_cells(run, anonymization, record, name, k), style=style)
    console.print(worst)
    console.print()
    console.print(table)
    console.print(Text(_explain_columns(k), style="dim"))
    for line in (*_remarks(run, record, attacks), "", *signatures(run)):
        console.print(Text(line, style="dim"), soft_wrap=True)


def _verdicts(run: Run, record: MetricRecord, attacks: Sequence[str]) -> Iterator[str]:
    """How many people the strongest attack finds, and how many a blind guess would."""
    for anonymization in run.names:
        parts = run.parts(anonymization, record.text)
        worst, chance = parts[HEADLINE].value, parts["chance"].value
        if worst is None or chance is None:
            continue
        strongest = next(name for name in attacks if parts[name].value == worst)
        success = f"finds the person in {percent(worst)} of the documents"
        yield f"{anonymization}: the strongest attack ({strongest}) {success}; a blind guess finds {percent(chance)}"


def _explain_columns(k: int) -> str:
    return (
        "found: share of documents whose person the attack names; control: the same, given another document\n"
        f"risk: what is found beyond the control; @{k}: among the first {k} guesses; mrr: mean of 1 / rank"
    )


def _break_name(name: str) -> list[str]:
    """A name in lines, each of whole pieces.

    >>> _break_name("lexical+llm:qwen3@http://localhost:8000/v1"), _break_name("lexical+prior")
    (['lexical+llm:qwen3@', 'http://localhost:', '8000/v1'], ['lexical+prior'])
    """
    if len(name) <= _LONG:
        return [name]
    lines = [""]
    for piece in re.findall(r"[^+@:/,]*[+@:/,]*", name):
        if lines[-1] and len(lines[-1]) + len(piece) > _LINE:
            lines.append("")
        lines[-1] += piece
    return lines


def _cells(run: Run, anonymization: str, record: MetricRecord, name: str, k: int) -> Iterator[Text]:
    """What is told of one attack on one anonymization."""
    parts, times = run.parts(anonymization, record.text), _seconds(run, anonymization)
    yield _cell(parts[name], interval=True)
    yield _cell(parts[f"{name} {CONTROL}"])
    yield _cell(parts[f"{name} {RISK}"], interval=True)
    yield from (_cell(parts[f"{name} {statistic}"]) for statistic in (f"@{k}", "mrr", *_recalls(record)))
    yield Text(f"{times[name]:.1f} s" if name in times else DASH)


def _recalls(record: MetricRecord) -> tuple[str, ...]:
    """The parts of an attacker who names only those they are sure of, where they were asked for."""
    return RECALLS if record.parameters.get("abstain") else ()


def show_risks(run: Run, most: int, console: Console) -> None:
    """Of every anonymization the documents at highest risk: who was found, by what margin, by which words."""
    for name in run.names:
        listed = at_risk(run, name)[:most]
        attack = listed[0].evidence.attack if listed else ""
        console.print()
        console.print(Text(f"{name}: at highest risk ({attack})", style="bold"))
        for risk in listed:
            console.print(Text("  ").append_text(_risk(risk)), soft_wrap=True)


def at_risk(run: Run, anonymization: str) -> list[AtRisk]:
    """All documents, those found with the largest margin first."""
    text = _attack(run)[0].text
    columns, evidence = run.rows[text][anonymization], run.evidence.get(text, {}).get(anonymization, {})
    right: dict[str, Sequence[float]] = {}  # by attack: of very many documents a column is read from a file
    listed = []
    for number, item in iter_evidence(run.documents, evidence):
        if item.attack not in right:
            right[item.attack] = columns[f"right:{item.attack}"]
        listed.append(AtRisk(run.documents[number], float(right[item.attack][number]), item))
    return sorted(listed, key=lambda item: (-item.share, -(item.evidence.margin or 0), item.document))


def attacks_json_text(run: Run) -> str:
    """What the table shows: values by anonymization and attack, `worst` among them; references last."""
    record, attacks, k = _attack(run)
    beside = [reference.name for reference in run.references]

    def values(anonymization: str) -> Iterator[tuple[str, dict[str, Any]]]:
        parts, seconds = run.parts(anonymization, record.text), _seconds(run, anonymization)
        for name, part in ((WORST, HEADLINE), *zip(_BOUNDS, _BOUNDS, strict=True)):
            yield name, _accuracy(parts[part])
        for name in attacks:
            further = {f"accuracy@{k}": parts[f"{name} @{k}"].value, "mrr": parts[f"{name} mrr"].value}
            further |= {part: parts[f"{name} {part}"].value for part in (CONTROL, *_recalls(record))}
            risk = {
                ("risk" if key == "accuracy" else key): number
                for key, number in _accuracy(parts[f"{name} {RISK}"]).items()
            }
            yield name, {**_accuracy(parts[name]), **further, "above control": risk, "seconds": seconds.get(name)}

    content = {
        "corpus": run.corpus,
        BACKGROUND: next(iter(run.inputs.get(BACKGROUND, [])), None),
        "settings": run.settings,
        "k": k,
        "cautions": cautions(run),
        "references": beside,
        "values": {name: dict(values(name)) for name in (*run.names, *beside)},
        "signatures": signatures(run),
    }
    return msgspec.json.format(msgspec.json.encode(content), indent=1).decode() + "\n"


def _attack(run: Run) -> tuple[MetricRecord, list[str], int]:
    """The metric, its attacks, and among how many first ones it counts."""
    record = find_metrics(run, "attack")[0]
    return record, [str(approach) for approach in approaches(record.parameters["attacks"])], record.parameters["k"]


def _accuracy(score: Score) -> dict[str, Any]:
    reason = {"reason": score.reason} if score.value is None else {}
    return {"accuracy": score.value, "low": score.low, "high": score.high, **reason}


def _cell(score: Score, *, interval: bool = False) -> Text:
    cell = Text(DASH if score.value is None else f"{score.value:.3f}", style="bold" if interval else "")
    if interval and score.ends:
        cell.append(f"\n{Cell(score).interval}", style="dim not bold")
    return cell


def _seconds(run: Run, anonymization: str) -> Mapping[str, float]:
    """How long each attack took."""
    seconds: Mapping[str, float] = run.provenance.get("attacks", {}).get("attacking", {}).get(anonymization, {})
    return seconds


def _remarks(run: Run, record: MetricRecord, attacks: Sequence[str]) -> Iterator[str]:
    """What was not run, why some numbers have no interval, and how long it took to learn the background."""
    for name in attacks:
        scores = [run.parts(anonymization, record.text)[name] for anonymization in run.names]
        if reasons := dict.fromkeys(score.reason for score in scores if score.value is None):
            yield f"{DASH} {name}: {', '.join(reasons)}"
    yield from _as_good(run, record, attacks)
    parts = run.parts(run.names[0], record.text)
    notes: dict[str, list[str]] = {}
    further = [f"{name} {part}" for name in attacks for part in (RISK, *_recalls(record))]
    for part in (HEADLINE, *attacks, *further):
        if parts[part].note:
            notes.setdefault(parts[part].note, []).append(part or WORST)
    yield from (f"no interval for {', '.join(heads)}: {note}" for note, heads in notes.items())
    if times := run.provenance.get("attacks", {}).get("learning"):
        listed = ", ".join(f"{name} in {seconds:.1f} s" for name, seconds in times.items())
        yield f"the background was learned once: {listed}; all together took {run.provenance['seconds']:.1f} s"


def _as_good(run: Run, record: MetricRecord, attacks: Sequence[str]) -> Iterator[str]:
    """Where an attack does as well, or nearly, when it is given somebody else's document."""
    for anonymization in run.names:
        parts = run.parts(anonymization, record.text)
        risks = {name: parts[f"{name} {RISK}"] for name in attacks}
        as_good = [name for name, risk in risks.items() if risk.value == 0]
        near = [name for name, risk in risks.items() if risk.low == 0 and name not in as_good]
        if as_good:
            verb = "finds" if len(as_good) == 1 else "find"
            yield f"{anonymization}: {', '.join(as_good)} {verb} no more than the control"
        if near:
            few = f"too few to tell whether {' or '.join(near)} finds more than the control ({run.sample})"
            yield f"{anonymization}: {few}: the risk's interval begins at 0"


def _risk(risk: AtRisk) -> Text:
    evidence = risk.evidence
    if evidence.rank is None:
        result = f"not found; the attacker does not know the person, and guesses {evidence.guess}"
    elif risk.share == 1:
        result = f"found, margin {evidence.margin:.2f}"
    elif risk.share > 0:
        result = f"found by {risk.share:.2f}, tied with others"
    else:
        result = f"not found, rank {evidence.rank:g}, margin {evidence.margin:.2f}; guess {evidence.guess}"
    line = Text(f"{risk.document} {result}")
    if evidence.words:
        line.append(": ").append(", ".join(f"{word} {part:.2f}" for word, part in evidence.words), style="bold")
    for reason, part in evidence.reasons:
        line.append(f"; {reason} {part:+.2f}")
    return line
