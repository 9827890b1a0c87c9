"""Who would be asked how much: before anything is sent, and before anybody consents to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from showthrough.data.masks import Anonymization
from showthrough.data.references import NOTHING, ORIGINALS, REFERENCES, references_of
from showthrough.errors import InputError, Problem
from showthrough.evaluation.chunks import Work, answered
from showthrough.evaluation.plan import Plan
from showthrough.files.reading import exists
from showthrough.files.writing import check_writable
from showthrough.inference.asking import MODEL
from showthrough.metrics import metric_text
from showthrough.metrics.chunk import Chunk
from showthrough.resources import Resources
from showthrough.resources.chat.consent import Address, address_of, hosts_of
from showthrough.resources.chat.estimate import Count, Tally
from showthrough.resources.chat.model import NOWHERE
from showthrough.resources.chat.prices import Price, price_of
from showthrough.resources.chat.recordings import Recordings
from showthrough.resources.chat.settings import AskingSettings


@dataclass(frozen=True)
class Estimated:
    """What one metric would ask one model about one anonymization."""

    metric: str
    anonymization: str
    address: Address
    count: Count
    price: Price | None  # None: nobody knows

    @property
    def cost(self) -> tuple[float, float] | None:
        """About, and at most, in dollars."""
        if self.price is None:
            return None
        one = self.count
        most = self.price.of(one.tokens_in + one.further_in, one.tokens_most + one.further_out)
        return self.price.of(one.tokens_in, one.tokens_out), most


class Estimate(NamedTuple):
    """Line by line; and metrics of which nobody can say how much more they ask, since that hangs on answers."""

    lines: list[Estimated]
    following: list[str]


def estimate_plan(plan: Plan) -> Estimate:
    """What a plan would ask language models. Nothing is sent and nothing written."""
    plan = plan.retyped()
    plan.check()
    return estimated(plan, references_of(plan.corpus) if plan.settings.references else ())


def estimated(plan: Plan, references: Sequence[Anonymization]) -> Estimate:
    """The same of a plan that was checked, with its references."""
    told = plan.settings.price
    prices = {name: price_of(address_of(name), told) for name in models_of(plan)}
    tally = _tally(plan, references)
    found = [
        Estimated(metric, anonymization, address_of(name), count, prices[name])
        for (metric, anonymization, name), count in tally.counts.items()
    ]
    return Estimate(found, list(_following(plan, tally)))


def models_of(plan: Plan) -> list[str]:
    """The language models that metrics ask."""
    names = (name for metric in plan.metrics for name in metric.asks if name.startswith(MODEL))
    return list(dict.fromkeys(names))


def check_asking(plan: Plan, references: Sequence[Anonymization]) -> None:
    """Raises InputError where a language model cannot be asked, or nobody allowed that text is sent to it.

    Where everything is recorded nothing is sent, and nobody has to allow it.
    """
    names = models_of(plan)
    if not names:
        return
    addresses = [address_of(name) for name in names]
    hosts = hosts_of(plan.settings.send_text_to)
    place = plan.settings.recordings
    if place is None:
        raise InputError([Problem("", f"language model {name}", NOWHERE) for name in names])
    if exists(Path(place)):
        Recordings(Path(place))  # raises InputError for what is none
    else:
        check_writable(Path(place))
    faults = {one.name: _fault(one) for one in addresses if _fault(one) or not one.is_allowed(hosts)}
    if not faults:
        return
    tally = _tally(plan, references)
    later = {name for names in _following(plan, tally).values() for name in names}
    asked = [one for one in addresses if one.name in faults and (tally.would_ask(one.name) or one.name in later)]
    if problems := [_problem(one, tally, plan, faults[one.name], one.is_allowed(hosts)) for one in asked]:
        raise InputError(problems)


def _following(plan: Plan, tally: Tally) -> dict[str, list[str]]:
    """Metrics that ask about what is answered to them, with their models: nobody knows yet what that will be."""
    found = {}
    for metric in plan.metrics:
        text, asked = (
            metric_text(metric),
            [str(one) for one in metric.parameters.values() if str(one).startswith(MODEL)],
        )
        told = any(count.further for place, count in tally.counts.items() if place[0] == text)
        if len(asked) > 1 and not told and any(map(tally.would_ask, asked)):
            found[text] = asked
    return found


def _fault(address: Address) -> str:
    """Why nobody could be asked there."""
    if find_spec("openai") is None:
        return "needs the package openai; expected it: pip install 'showthrough[llm]'"
    return address.key_fault


def _problem(address: Address, tally: Tally, plan: Plan, fault: str, allowed: bool) -> Problem:
    if allowed:
        return Problem("", f"language model {address.name}", fault)
    names = tally.names.get(address.name) or {one.name for one in plan.anonymizations}
    documents = len(tally.documents.get(address.name) or plan.corpus)
    systems = len([name for name in names if name not in REFERENCES])
    what = f"{systems} anonymization{'' if systems == 1 else 's'}"
    asking = [metric for metric in plan.metrics if address.name in metric.asks]
    shown = dict.fromkeys(thing for metric in asking for thing in metric.shows(address.name))
    also = f" and {ORIGINALS}" if NOTHING in names or ORIGINALS in shown else ""
    where = address.host if address.url.lower().startswith("https:") else f"{address.host}, unencrypted"
    told = f"{documents:,} document{'' if documents == 1 else 's'} ({what}{also})"
    told += "".join(f" and {thing}" for thing in shown if thing != ORIGINALS)
    return Problem("", "", f"would send the text of {told} to {where}: --send-text-to {address.host} allows it")


def _tally(plan: Plan, references: Sequence[Anonymization]) -> Tally:
    """What all metrics that ask language models would ask, found out by letting them ask."""
    settings, known = plan.settings, (plan.background, plan.anonymizations, plan.backgrounds)
    resources = Resources(settings.models, None, *known, asking=settings.part(AskingSettings))
    tally = resources.tally = Tally()
    chunk = Chunk(plan.corpus, resources, plan.corpus.survey.types, plan.anonymizations)
    for metric in plan.metrics:
        text, names = metric_text(metric), [name for name in metric.asks if name.startswith(MODEL)]
        for one in (*plan.anonymizations, *references) if names else ():
            if one.name in REFERENCES and metric.problems(plan.corpus, one):
                continue
            tally.begin(text, one.name, names)
            answer = answered(chunk, Work({text: metric}, [one]))
            if answer.failures:
                raise InputError(Problem("", f"metric {text}", answer.failures[text]))
    return tally
