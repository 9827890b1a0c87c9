"""Whether what an earlier run of the same corpus reached was kept.

That a loss is not shown is said as just that, with the loss that cannot be excluded: never as "no worse".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from showthrough.core.errors import PlanError, join_names, quote_value, shorten
from showthrough.metrics import HEADLINE
from showthrough.run.gate.checks import BaselineCheck, format_value, upwards
from showthrough.run.pairing import RunPair
from showthrough.run.records import MetricRecord
from showthrough.run.roles import DocumentCounts, wrongs
from showthrough.run.run import Run
from showthrough.statistics import SHOWN, Loss, holm

_SHOWN = 80  # characters of a metric that a message shows
_NONE = 1e-12  # what rounding makes of a difference
Number = tuple[str, str]  # a metric and one of its parts


@dataclass(frozen=True)
class Baseline:
    """An earlier run, and how much may be lost against it; `name` is the anonymization that all are held against."""

    beside: RunPair
    margin: float = 0.0
    name: str = ""
    metrics: Sequence[str] = ()  # to be kept beside those that have thresholds
    shuffles: int = 9_999

    def __post_init__(self) -> None:
        """Raises PlanError for what cannot be."""
        if not 0 <= self.margin < float("inf"):
            raise PlanError(f"found {self.margin:g}; expected 0 or more", "margin")
        if self.name and self.name not in self.beside.other.names:
            names = join_names(self.beside.other.names)
            raise PlanError(
                f"found {quote_value(self.name)}; {shorten(self.beside.label)} has {names}", "baseline-name"
            )

    def earlier(self, name: str) -> str:
        """Which anonymization of the earlier run one is held against."""
        names = self.beside.other.names
        if self.name or name in names:
            return self.name or name
        if len(names) > 1:
            which = f"{shorten(self.beside.label)} has {join_names(names)} and no {shorten(name)}"
            raise PlanError(f"{which}; say which one with --baseline-name", "baseline")
        return names[0]

    def numbers(self, thresholds: Sequence[Number]) -> list[Number]:
        """What is to be kept: what is asked for, else the main numbers of the metrics of privacy.

        Raises PlanError for what is asked for and cannot be held against the earlier run.
        """
        run = self.beside.run
        targets = list(dict.fromkeys([*thresholds, *((run.text_of(metric), HEADLINE) for metric in self.metrics)]))
        for text, part in targets:
            location = f"metric {shorten(text, _SHOWN)}"
            if text in run.rows and run.record(text).describes(part):
                raise PlanError("neither a higher nor a lower value is better, so it cannot get worse", location)
            if fault := self._fault(text):
                raise PlanError(fault, location)
        usual = [record for record in run.metrics if record.group == "privacy" and not record.describes(HEADLINE)]
        if numbers := targets or [
            (record.text, HEADLINE) for record in usual if self._has_headline(record) and not self._fault(record.text)
        ]:
            return numbers
        why = next((f" ({reason})" for reason in self.left_out()), "")
        raise PlanError(f"has no privacy number in common with this run{why}; name one with --metric", "baseline")

    def left_out(self) -> list[str]:
        """Main numbers of the metrics of privacy that cannot be compared with the earlier run, and why."""
        runs = self.beside.run, self.beside.other
        private = [(run, record.text) for run in runs for record in run.metrics if record.group == "privacy"]
        texts = dict.fromkeys(text for run, text in private if text in run.rows)
        return [f"not compared: {text} {fault}" for text in texts if (fault := self._fault(text))]

    def _fault(self, text: str) -> str:
        """Why a metric cannot be held against the earlier run; of one that failed here, its thresholds tell."""
        run = self.beside.run
        failed = {failure.metric for failure in run.failures} - run.rows.keys()
        return "" if text in failed else self.beside.fault(text) or run.incomparable(text)

    def _has_headline(self, record: MetricRecord) -> bool:
        """Whether the earlier run has a number to keep."""
        other, number = self.beside.other, (record.text, HEADLINE)
        return any(self._value(other, name, number) is not None for name in other.names)

    @staticmethod
    def _value(run: Run, name: str, number: Number) -> float | None:
        score = run.parts(name, number[0]).get(number[1])
        return None if score is None else score.value

    def check_numbers(
        self, names: Sequence[str], numbers: Sequence[Number], bound: bool
    ) -> dict[str, list[BaselineCheck]]:
        """What each anonymization kept, with Holm's correction over all that is tested here."""
        joined, seed = self.beside.combined_run, self.beside.run.settings.seed
        losses: dict[tuple[str, Number], Loss] = {}
        for number in (number for number in numbers if number[0] in joined.rows):
            contest, higher = joined.contest(number[0]), joined.record(number[0]).better == "higher"
            for name in names:
                if self._differs(name, number):
                    pair = name, self.beside.called[self.earlier(name)]
                    losses[name, number] = contest.measure_loss(
                        number[1], *pair, higher, self.margin, self.shuffles, seed
                    )
        tested = {key: loss.p for key, loss in losses.items() if loss.p is not None}
        corrected = dict(zip(tested, holm(list(tested.values())), strict=True))
        return {
            name: [
                self._check_number(name, number, losses.get((name, number)), corrected.get((name, number)), bound)
                for number in numbers
            ]
            for name in names
        }

    def _values(self, name: str, number: Number) -> tuple[float | None, float | None]:
        """What a number is, and what it was."""
        pairs = (self.beside.run, name), (self.beside.other, self.earlier(name))
        current, previous = (self._value(run, which, number) for run, which in pairs)
        return current, previous

    def _differs(self, name: str, number: Number) -> bool:
        """Whether there are two numbers, and not those of the very same anonymization."""
        current, previous = self._values(name, number)
        both = current is not None and previous is not None
        return both and not (current == previous and self.beside.identical(name, self.earlier(name)))

    def _check_number(
        self, name: str, number: Number, loss: Loss | None, p_holm: float | None, bound: bool
    ) -> BaselineCheck:
        text, part = number
        (current, previous), earlier = self._values(name, number), self.earlier(name)
        target = f"{text}[{part}]" if part else text
        base = BaselineCheck(
            f"{target} against {earlier} of {self.beside.label}", False, "", text, part, earlier, self.margin
        )
        if current is None or previous is None:
            where = "here" if current is None else f"in {self.beside.label}"
            return replace(base, said=f"there is no number {where}, so it cannot pass")
        lost = previous - current if self.beside.run.record(text).better == "higher" else current - previous
        base = replace(base, value=current, earlier=previous, lost=lost)
        if loss is None:
            message = f"the very same anonymization as in {self.beside.label}"
            return replace(base, passed=True, said=message, most=0.0)
        passed, message = self._judge(lost, loss, p_holm, bound)
        return replace(base, passed=passed, said=message, most=loss.most, p=loss.p, p_holm=p_holm)

    def _judge(self, lost: float, loss: Loss, p_holm: float | None, bound: bool) -> tuple[bool, str]:
        beyond = f" by more than {self.margin:g}" if self.margin else ""
        if loss.p is None or p_holm is None:
            why = f"no test can show whether that is chance ({loss.fault or 'nothing varies'})"
            if lost > self.margin + _NONE:
                return False, f"worse by {format_value(lost, self.margin)}: {why}; --margin allows it"
            return not bound, f"its value is not worse{beyond}, but {why}"
        if p_holm <= SHOWN:
            p = "< 0.0001" if p_holm < 0.0001 else f"= {p_holm:.4f}"
            shown_to = f"shown to be more than {self.margin:g}" if self.margin else "which is hardly chance"
            return False, f"worse by {format_value(lost, self.margin)}, {shown_to} (p {p})"
        if loss.most is None:
            return not bound, f"not shown to be worse{beyond}; how much may be lost is not known"
        if loss.most <= self.margin:
            excluded = f"a loss of more than {upwards(loss.most, self.margin)}" if loss.most > 0 else "any loss"
            return True, f"shown not to be worse{beyond}: {excluded} is excluded"
        return not bound, f"not shown to be worse{beyond}; a loss of up to {upwards(loss.most)} cannot be excluded"

    def worse(self, name: str, failed: Sequence[BaselineCheck]) -> DocumentCounts:
        """In which documents more is wrong than before, by the first of the numbers that were lost that tells."""
        joined, earlier = self.beside.combined_run, self.beside.called[self.earlier(name)]
        for check in failed:
            record = next((record for record in joined.metrics if record.text == check.metric), None)
            if record is None or check.part or not record.counts:
                continue
            now, before = (np.asarray(wrongs(joined, record, which)) for which in (name, earlier))
            if more := DocumentCounts(joined.documents, now - before):
                return more
        return DocumentCounts((), ())
