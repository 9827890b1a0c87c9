"""Reconstruction in reports: what a guesser recovers, beside what it reaches without the release."""

from __future__ import annotations

from collections.abc import Iterator

from showthrough.core.errors import shorten
from showthrough.families.reconstruction.family import WORDS
from showthrough.metrics import Role
from showthrough.report.evidence import Evidence, evaluation
from showthrough.report.section import Section
from showthrough.report.wording import Clause, percent
from showthrough.run.records import MetricRecord
from showthrough.run.roles import find_metrics, headline
from showthrough.run.run import Run

_ROLE: Role = "reconstruction"
_TITLE, _NOTION = "Reconstruction", "reconstruction"
_ABLE = 0.2  # of ordinary words, which a guesser recovers that reads text
_LONGEST = 60  # characters of a guesser's name in a sentence


class _Reconstruction(Section):
    def clauses(self, run: Run, name: str) -> Iterator[Clause]:
        """What the guesser that recovers most finds out."""
        scores = [(score, record) for record in find_metrics(run, _ROLE) if (score := headline(run, name, record))]
        if not scores:
            return
        score, record = max(scores, key=lambda pair: pair[0].value or 0.0)
        control = run.parts(name, record.text).get("control")
        compared = f" ({percent(control.value)} without the release)" if control and control.value is not None else ""
        share = percent(score.value or 0.0)
        yield Clause(
            f"lets the guesser {_guesser(record)} recover ", share, f" of what stood under its masks{compared}"
        )

    def limits(self, run: Run) -> Iterator[str]:
        if find_metrics(run, _ROLE):
            yield "another guesser may recover more of what stood under masks"

    def cautions(self, run: Run) -> Iterator[str]:
        for record in find_metrics(run, _ROLE):
            able = [
                score.value
                for name in run.names
                if (score := run.parts(name, record.text).get(WORDS)) and score.value is not None
            ]
            if able and max(able) < _ABLE:
                yield (
                    f"The guesser {_guesser(record)} recovers only {percent(max(able))} of ordinary words: if it "
                    f"recovers little, that says nothing about any anonymization."
                )

    def evidence(self, run: Run, name: str) -> Iterator[Evidence]:
        records = [record for record in find_metrics(run, _ROLE) if headline(run, name, record)]
        weak = [*self.cautions(run)]
        reading = evaluation(run, "--metric", 'recover(guesser="masked-lm:MODEL")')
        if weak:
            yield Evidence(_TITLE, "weak", "too weak: it recovers hardly any ordinary word", reading, _NOTION)
        elif reads := [record for record in records if WORDS in _numbers(run, name, record)]:
            guessers = ", ".join(dict.fromkeys(map(_guesser, reads)))
            yield Evidence(_TITLE, "tested", f"{guessers} guessed what stood under masks", notion=_NOTION)
        elif records:
            yield Evidence(_TITLE, "weak", "no guesser read the text around masks", reading, _NOTION)
        else:
            command = evaluation(run, "--metric", "recover")
            yield Evidence(_TITLE, "absent", "nobody tried to guess what stood under masks", command, _NOTION)


def _numbers(run: Run, name: str, record: MetricRecord) -> set[str]:
    """The parts that have a value."""
    return {part for part, score in run.parts(name, record.text).items() if score.value is not None}


def _guesser(record: MetricRecord) -> str:
    return shorten(str(record.parameters.get("guesser", record.name)), _LONGEST)


SECTION = _Reconstruction()
