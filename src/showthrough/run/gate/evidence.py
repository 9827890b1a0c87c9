"""What a run lacks without which its numbers show nothing, and the direct identifiers that can be read.

These are checks of the gate beside thresholds: a number can reach its limit because nobody marked anything, because
nothing but marked places was searched, or because the attacker finds nobody anyway.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from showthrough.core.errors import join_names, shorten
from showthrough.core.families import families
from showthrough.core.plugins import describe_error, is_plugin
from showthrough.data.levels import level_of
from showthrough.data.references import NOTHING
from showthrough.data.retyping import left_out_types, types_named
from showthrough.data.types import fold_type
from showthrough.metrics import Role
from showthrough.metrics.matching.entities import NEARLY
from showthrough.run.gate.accepted import Accepted, ReadableIdentifiers, readable_identifiers
from showthrough.run.gate.checks import EvidenceCheck, Lack, ReadableCheck
from showthrough.run.gate.grading import UNJUDGED, input_of, is_judged, is_unlike, reads_marks
from showthrough.run.records import MetricRecord
from showthrough.run.roles import ATTACKS, choose_metric, count_by_kind, find_metrics, goes_first, in_all
from showthrough.run.run import Run
from showthrough.run.weak_systems import HiddenShare, almost_nothing

_ASKED: dict[Lack, str] = {
    "annotations": "direct identifiers that people marked",
    "release": "a search of the whole release",
    "nearly": "no direct identifier that can nearly be read",
    "masks": "more than almost no masks",
    "judged": "a number about the release",
    "silver": "annotations by people",
    "training": "documents that the system was not trained on",
    "unlike": "releases of these documents",
    "others": "no direct identifier of another document that nobody marked",
    "attacker": "an attacker who finds people in the originals",
    "originals": "the attack on the originals",
    "sample": "enough documents with annotations",
}
_MOST = 0.5  # of the documents: with marks in fewer, most of a release was perhaps not looked at
# What metrics with these roles count, in words.
IDENTIFIERS_OF: dict[Role, str] = {
    "direct identifiers": "direct identifiers",
    "quasi-identifiers": "indirect identifiers",
}
_ALL = "no readable direct identifier that nobody accepted"


def check_readable(run: Run, name: str, accepted: Accepted | None, *, passes: bool) -> ReadableCheck | None:
    """Whether every direct identifier that can be read was accepted; `None` where nobody counted them."""
    counts = readable_identifiers(run, name, accepted)
    if counts is None:
        return None
    return ReadableCheck(
        _ALL,
        passes or not counts.left,
        _readable_words(counts),
        counts.metric,
        counts.readable,
        counts.accepted,
        counts.marked,
        counts.documents,
        list(counts.unused),
    )


def _readable_words(counts: ReadableIdentifiers) -> str:
    if not counts.readable:
        return f"none of {counts.marked:,} can be read"
    among = f"; {counts.accepted:,} of them accepted" if counts.accepted else ""
    return f"{counts.readable:,} of {counts.marked:,} can be read{among}"


def lacking(run: Run, name: str, documents: int, *, counted: bool, passes: bool) -> list[EvidenceCheck]:
    """What no number of an anonymization makes up for; `counted` are direct identifiers, where somebody did."""
    return [
        EvidenceCheck(_ASKED[about], passes and not grave, sentence, about, grave)
        for about, sentence, grave in _lacks(run, name, documents, counted=counted)
    ]


def _lacks(run: Run, name: str, documents: int, *, counted: bool) -> Iterator[tuple[Lack, str, bool]]:
    if hiding := almost_nothing(run, name):
        yield "masks", _scant(hiding), hiding.by in ("words", "identifiers")
    marks = [record.text for record in run.metrics if record.text in run.rows and reads_marks(record.text)]
    if not counted:
        unmarked = not marks and (run.texts is None or not count_annotated(run, name))
        sentence = "Nobody marked what identifies people, so missed identifiers cannot be counted."
        yield "annotations", sentence if unmarked else "Nobody counted which direct identifiers can be read.", False
    elif not any(map(goes_first, find_metrics(run, "direct identifiers"))):
        yield "release", "Only the places that were marked were searched: the same words may stand elsewhere.", False
    if nearly := _count_nearly(run, name):
        many = f"{nearly:,} direct identifier{'' if nearly == 1 else 's'}"
        yield "nearly", f"{many} can nearly be read: misspelt, cut short, or as a word that may be the name.", False
    if not is_judged(run, name):
        yield "judged", f"{UNJUDGED[0].upper()}{UNJUDGED[1:]}.", False
    if run.corpus.silver:
        yield "silver", "Programs made the annotations, and nobody corrected them.", False
    elif marks:
        annotated = count_annotated(run, name)
        many = f"{annotated:,} of {len(run.documents):,} documents"
        if annotated < min(documents, len(run.documents)):
            yield "sample", f"Only {many} have annotations; {documents:,} are needed.", False
        elif annotated < _MOST * len(run.documents):
            yield "sample", f"Only {many} have annotations: nothing shows what is left in the others.", False
        elif unread := _count_unread(run):
            where = f"{unread:,} of {len(run.documents):,} documents"
            yield "sample", f"Nobody annotated {where}: nothing shows what is left there.", False
    if ignored := _left_out(run):
        sentence = f"Nobody looked at {join_names(ignored)}: these marks were left out of the evaluation."
        yield "annotations", sentence, False
    if (lowered := lowered_types(run)) and not _lowered_are_hidden(run, name, lowered):
        yield "annotations", say_lowered(run, name, lowered), False
    if seen := run.trained_on(name):
        yield "training", f"The system was trained on {seen:,} of these {len(run.documents):,} documents.", False
    if unlike := is_unlike(run, name):
        yield "unlike", f"{unlike:,} of {len(run.documents):,} released documents are unlike their originals.", False
    if others := input_of(run, name).of_others:
        where = f"{others:,} of {len(run.documents):,} documents"
        yield (
            "others",
            f"Direct identifiers of other documents can be read in {where}, where nobody marked them.",
            False,
        )
    attacks = [record for role in ATTACKS for record in find_metrics(run, role)]
    if any(NOTHING not in run.rows[record.text] for record in attacks):
        yield "originals", "Nobody tried the attack on the originals, so it may find nobody anywhere.", False
    for doubt in _doubts(run):
        yield "attacker", doubt, False


def _scant(hiding: HiddenShare) -> str:
    if hiding.by == "text":
        return f"Almost nothing is masked: {100 * hiding.share:.1f} % of the text."
    things = {"words": "words that were marked", "identifiers": "identifiers that were marked"}
    of = things.get(hiding.by, "places that look like an identifier")
    return f"Almost nothing is hidden: {round(hiding.hidden):,} of {round(hiding.whole):,} {of}."


def _count_nearly(run: Run, name: str) -> int:
    """Direct identifiers that a search of the release does not count as readable, and a reader may still guess."""
    searches = [record for record in find_metrics(run, "direct identifiers") if goes_first(record)]
    return round(max((in_all(run.rows[record.text].get(name, {}).get(NEARLY, ())) for record in searches), default=0))


def _left_out(run: Run) -> list[str]:
    """Types of direct identifiers whose marks count for nobody; of an older run, as far as their names tell."""
    named = [kind for kind in left_out_types(run.settings.types) if level_of(kind) == "DIRECT"]
    return list({fold_type(kind): kind for kind in (*named, *run.corpus.left_out)}.values())


def lowered_types(run: Run) -> dict[str, str]:
    """Types of direct identifiers that were taken for indirect ones, with what each is called since."""
    named = [kind for kind in types_named(run.settings.types, "quasi") if level_of(kind) == "DIRECT"]
    every = {fold_type(kind): (kind, now) for kind, now in (*zip(named, named, strict=True), *run.corpus.lowered)}
    return dict(every.values())


def _lowered_are_hidden(run: Run, name: str, lowered: Mapping[str, str]) -> bool:
    """Whether a search of the whole release finds none of them, by the numbers of their types."""
    searches = [record for record in find_metrics(run, "quasi-identifiers") if goes_first(record)]
    parts = [run.parts(name, record.text).get(now) for record in searches for now in lowered.values()]
    return bool(parts) and all(part is not None and part.value is not None and part.value >= 1 for part in parts)


def say_lowered(run: Run, name: str, lowered: Iterable[str]) -> str:
    """That direct identifiers were taken for indirect ones, and how many of all these can be read."""
    record = choose_metric(run, "quasi-identifiers")
    counted = say_readable(run, name, record) if record else ""
    how_many = f"; {counted}" if counted else "."
    return f"The evaluation took {join_names(lowered)} for indirect identifiers{how_many}"


def say_readable(run: Run, name: str, record: MetricRecord) -> str:
    """`214 of 428 indirect identifiers can still be read.`; nothing of what is not counted in identifiers."""
    kind = next((words for role, words in IDENTIFIERS_OF.items() if role in record.roles), "")
    if not kind or not {"right", "all"} <= set(record.counts.values()):
        return ""
    right, every = (round(in_all(count_by_kind(run, record, name, which))) for which in ("right", "all"))
    return f"{every - right:,} of {every:,} {kind} can still be read."


def count_annotated(run: Run, name: str) -> int:
    """How many documents have annotations; of a run without text, at most those in which something was counted."""
    if run.texts is not None and run.texts.chosen == "all":
        return sum(any(layer.mentions for layer in document.annotations) for document in run.texts.documents)
    counted = np.zeros(len(run.documents), dtype=bool)
    for record in run.metrics:
        if record.text in run.rows and "all" in record.counts.values() and reads_marks(record.text):
            counted |= np.asarray(count_by_kind(run, record, name, "all")) > 0
    return int(counted.sum())


def _count_unread(run: Run) -> int:
    """How many documents nobody annotated; an empty annotation is one. An older run tells where it has them all."""
    if run.corpus.annotated is not None:
        return len(run.documents) - run.corpus.annotated
    if run.texts is None or run.texts.chosen != "all":
        return 0
    return sum(not document.annotations for document in run.texts.documents)


def _doubts(run: Run) -> Iterator[str]:
    """What families say against their own numbers; a package that cannot say has something against it."""
    for family in families():
        try:
            yield from list(family.doubts(run))
        except Exception as error:
            if not is_plugin(family):
                raise
            name = shorten(family.name)
            yield f"The family {name} cannot tell whether its numbers show anything: {describe_error(error)}."
