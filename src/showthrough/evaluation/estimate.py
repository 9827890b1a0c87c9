"""Who would be asked how much: before anything is sent, and before anybody consents to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

from showthrough.core.errors import InputError, Problem
from showthrough.data.masks import Anonymization
from showthrough.data.references import NOTHING, ORIGINALS, REFERENCES, references_of
from showthrough.evaluation._chunks import Work, process_chunk
from showthrough.evaluation.plan import Plan
from showthrough.metrics import metric_text
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.models.chat.base import MODEL
from showthrough.models.chat.consent import Address, Price, address_of, hosts_of, price_of
from showthrough.models.chat.estimate import QuestionCount, QuestionTally
from showthrough.models.chat.recordings import Recordings
from showthrough.models.settings import NOWHERE, AskingSettings
from showthrough.storage.reading import exists
from showthrough.storage.writing import check_writable


@dataclass(frozen=True)
class CallEstimate:
    """What one metric would ask one model about one anonymization."""

    metric: str
    anonymization: str
    address: Address
    count: QuestionCount
    price: Price | None  # None: nobody knows

    @property
    def cost(self) -> tuple[float, float] | None:
        """About, and at most, in dollars."""
        if self.price is None:
            return None
        count = self.count
        return self.price.of(count.total_in, count.about), self.price.of(count.total_in, count.most)


def estimate_plan(plan: Plan) -> list[CallEstimate]:
    """What a plan would ask language models. Nothing is sent and nothing written."""
    plan = plan.retype()
    plan.check()
    return estimate_calls(plan, references_of(plan.corpus) if plan.settings.references else ())


def estimate_calls(plan: Plan, references: Sequence[Anonymization]) -> list[CallEstimate]:
    """The same of a plan that was checked, with its references."""
    price = plan.settings.price
    prices = {name: price_of(address_of(name), price) for name in models_of(plan)}
    tally = _tally(plan, references)
    return [
        CallEstimate(metric, anonymization, address_of(name), count, prices[name])
        for (metric, anonymization, name), count in tally.counts.items()
    ]


def models_of(plan: Plan) -> list[str]:
    """The language models that metrics ask."""
    names = (name for metric in plan.metrics for name in metric.asks if name.startswith(MODEL))
    return list(dict.fromkeys(names))


def check_asking(plan: Plan, references: Sequence[Anonymization], *, early: bool = False) -> None:
    """Raises InputError where a language model cannot be asked, or nobody allowed that text is sent to it.

    Where everything is recorded nothing is sent, and nobody has to allow it. Where it takes long to find out, or it is
    too `early` to know the texts, a model of which nothing is recorded is taken to be asked about everything.
    """
    names = models_of(plan)
    if not names:
        return
    addresses = [address_of(name) for name in names]
    hosts = hosts_of(plan.settings.send_text_to)
    recordings_path = plan.settings.recordings
    if recordings_path is None:
        raise InputError([Problem("", f"language model {name}", NOWHERE) for name in names])
    recorded: set[str] = set()
    if exists(Path(recordings_path)):
        recorded = {
            recording.name for recording in Recordings(Path(recordings_path)).all()
        }  # raises InputError for what is none
    else:
        check_writable(Path(recordings_path))
    faults = {
        address.name: _fault(address) for address in addresses if _fault(address) or not address.is_allowed(hosts)
    }
    if not faults:
        return
    late = [metric for metric in plan.metrics if metric.asks_late or early]
    tally = _tally(
        replace(plan, metrics=tuple(candidate for candidate in plan.metrics if candidate not in late)), references
    )
    for metric in late:
        for name in {name for name in metric.asks if name.startswith(MODEL)} - recorded:
            tally.assume(
                name, [anonymization.name for anonymization in (*plan.anonymizations, *references)], plan.corpus.ids
            )
    blocked_addresses = [address for address in addresses if address.name in faults and tally.would_ask(address.name)]
    if problems := [
        _problem(address, tally, plan, faults[address.name], address.is_allowed(hosts)) for address in blocked_addresses
    ]:
        raise InputError(problems)


def _fault(address: Address) -> str:
    """Why nobody could be asked there."""
    if find_spec("openai") is None:
        return "needs the package openai; expected it: pip install 'showthrough[llm]'"
    return address.key_fault


def _problem(address: Address, tally: QuestionTally, plan: Plan, fault: str, allowed: bool) -> Problem:
    if allowed:
        return Problem("", f"language model {address.name}", fault)
    names = tally.names.get(address.name) or {anonymization.name for anonymization in plan.anonymizations}
    documents = len(tally.documents.get(address.name) or plan.corpus)
    systems = len([name for name in names if name not in REFERENCES])
    scope = f"{systems} anonymization{'' if systems == 1 else 's'}"
    asking = [metric for metric in plan.metrics if address.name in metric.asks]
    shown = dict.fromkeys(thing for metric in asking for thing in metric.shows(address.name))
    also = f" and {ORIGINALS}" if NOTHING in names or ORIGINALS in shown else ""
    where = address.host if address.url.lower().startswith("https:") else f"{address.host}, unencrypted"
    content = f"{documents:,} document{'' if documents == 1 else 's'} ({scope}{also})"
    content += "".join(f" and {thing}" for thing in shown if thing != ORIGINALS)
    return Problem("", "", f"would send the text of {content} to {where}: --send-text-to {address.host} allows it")


def _tally(plan: Plan, references: Sequence[Anonymization]) -> QuestionTally:
    """What all metrics that ask language models would ask, found out by letting them ask."""
    asking = plan.settings.part(AskingSettings)
    resources = Resources(plan.settings.models, None, plan.anonymizations, plan.inputs, asking=asking)
    tally = resources.tally = QuestionTally()
    chunk = Chunk(plan.corpus, resources, plan.corpus.survey.types, plan.anonymizations)
    for metric in plan.metrics:
        text, names = metric_text(metric), [name for name in metric.asks if name.startswith(MODEL)]
        for anonymization in (*plan.anonymizations, *references) if names else ():
            if anonymization.name in REFERENCES and metric.problems(plan.corpus, anonymization):
                continue
            tally.begin(text, anonymization.name, names)
            answer = process_chunk(chunk, Work({text: metric}, [anonymization]))
            if answer.failures:
                raise InputError(Problem("", f"metric {text}", answer.failures[text]))
    return tally
