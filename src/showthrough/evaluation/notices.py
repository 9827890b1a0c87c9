"""What a reader must know before believing the numbers: guesses that were made, and slips in what was given.

Nothing here keeps an evaluation from going on. Each notice is one sentence; `validate` and `evaluate` print them, and a
run keeps them for its reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from showthrough.core.errors import Problem, join_names, shorten, suggest_name
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Corpus
from showthrough.data.labels import NO_TYPE, Labels
from showthrough.data.levels import level_of
from showthrough.data.masks import Anonymization
from showthrough.data.offsets import offset_notes
from showthrough.data.provenance import describe_counts, repairing_attackers
from showthrough.data.silver import akin, programs_of, same_detector
from showthrough.data.types import NAMES, fold_type, nearest
from showthrough.evaluation._mask_notices import MaskNoticeCounts, mask_counts, mask_notices
from showthrough.metrics import HEADLINE, Metric, metric_name, metric_text
from showthrough.metrics.language import unlike_its_language
from showthrough.models.published import may_have_trained_on, models_in
from showthrough.run.roles import RESIDUAL, as_many_even
from showthrough.run.run import Run
from showthrough.statistics import FEW

_PUBLISHED = lazy_pattern(r"\b(hf|gliner)[:(]")  # a model with labels of its own
Notice = Callable[[Corpus, Sequence[Anonymization], Sequence[Metric]], list[str]]


def type_level_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """What types were taken for where nobody said how mentions identify, and where that was a guess.

    It is nothing to metrics that compare spans and types alone.
    """
    if metrics and all(metric.spans_and_types or "gold" not in metric.needs for metric in metrics):
        return []
    types_by_level: dict[str | None, list[str]] = {}
    for kind in corpus.survey.marked:
        if not kind.stated:
            types_by_level.setdefault(level_of(kind.entity_type), []).append(kind.entity_type)
    guessed = types_by_level.pop(None, [])
    lines = []
    if types_by_level:
        levels = (
            f"{level.lower()}: {_names(types_by_level[level])}"
            for level in ("DIRECT", "QUASI")
            if level in types_by_level
        )
        lines.append(
            "the file does not say which marks are direct or quasi identifiers, so the tool derives it from the types: "
            f"{'; '.join(levels)} (--direct and --quasi change it)"
        )
    if guessed:
        example = _names([min(guessed)])
        several = len(guessed) > 1
        verbs = (
            "are not known and were taken as quasi-identifiers"
            if several
            else "is not known and was taken as a quasi-identifier"
        )
        settled = f"say --direct {example}, --quasi {example} or --ignore {example}"
        lines.append(f"the type{'s' * several} {_names(guessed)} {verbs}: a guess; {settled}")
    return lines


def types_merged(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """Which types of systems count as types of the corpus with other names; another writing goes without saying."""
    lines = []
    for anonymization in anonymizations:
        type_map = {
            name: kind
            for metric in metrics
            for name, kind in metric.infer_types(corpus.survey.types, anonymization).items()
        }
        if other := [f"{name} as {kind}" for name, kind in type_map.items() if fold_type(name) != fold_type(kind)]:
            lines.append(
                str(Problem("", anonymization.name, f"these count as types of the corpus: {join_names(other)}"))
            )
    return lines


def missing_document_notes(
    corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]
) -> list[str]:
    """How many documents an anonymization lacks, where that is allowed: a forgotten file looks the same."""
    return [
        str(
            Problem(
                "",
                anonymization.name,
                f"{lacking:,} of {len(corpus):,} documents are not in it and count as not masked",
            )
        )
        for anonymization in anonymizations
        if (lacking := len(corpus) - len(anonymization)) > 0
    ]


def nobody_marked(corpus: Corpus, metrics: Sequence[Metric]) -> list[str]:
    """What no number can know where no document has annotations."""
    if corpus.survey.annotated or all("subjects" in metric.needs for metric in metrics):
        return []  # or somebody says what is true of people, and all is about that
    topics = list(dict.fromkeys(metric.tells for metric in metrics if metric.tells))
    shown = f". They show {', '.join(topics[:-1])}{' and ' if topics[1:] else ''}{topics[-1]}" if topics else ""
    return [f"no annotations were read, so these numbers cannot show whether an identifier was missed{shown}"]


def not_annotated(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """That some documents have no annotations: what is masked or missed there counts nowhere."""
    if metrics and all("gold" not in metric.needs for metric in metrics):
        return []
    lacking = len(corpus) - corpus.survey.annotated
    if not 0 < lacking < len(corpus):
        return []
    verb = "has" if lacking == 1 else "have"
    return [f"{lacking} of {len(corpus)} documents {verb} no annotations: metrics that need them leave those out"]


def silver_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """That annotations are silver, and who is scored against itself, as far as names tell."""
    survey = corpus.survey
    if not survey.silver or (metrics and all("gold" not in metric.needs for metric in metrics)):
        return []
    programs = dict.fromkeys(program for annotator in survey.silver for program in programs_of(annotator))
    marked_by = " and ".join(survey.silver)
    themselves = [
        anonymization.name
        for anonymization in anonymizations
        if akin(
            marked_by,
            [anonymization.name, anonymization.source],
            anonymization.provenance.anonymizer if anonymization.provenance else "",
        )
    ]
    silver = sum(survey.silver.values())
    which = "the annotations" if silver == survey.annotators else f"{silver} of {survey.annotators} annotation layers"
    by = f"programs ({join_names(programs)})" if programs else "programs"
    line = f"{which} were made by {by}: scores show agreement with them, not what identifies people"
    if themselves:
        verb = (
            "is one of them, or of their family, and is scored against itself"
            if len(themselves) == 1
            else "are among them, or of their family, and score themselves"
        )
        return [f"{line}. {join_names(themselves)} {verb}"]
    return [f"{line}. A system under test that is one of them is scored against itself"]


def detector_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """Which systems hide what a detector looks for: that it finds nothing then says little."""
    lines = []
    for metric in metrics:
        detector = str(metric.parameters.get("detector", "")) if RESIDUAL in metric.roles else ""
        themselves = [
            anonymization.name
            for anonymization in anonymizations
            if same_detector(
                detector,
                [anonymization.name, anonymization.source],
                anonymization.provenance.anonymizer if anonymization.provenance else "",
            )
        ]
        if themselves:
            who = f"{join_names(themselves)} {'is' if len(themselves) == 1 else 'are'} not independent of the detector"
            lines.append(
                f"{metric_name(metric)}: {who} {shorten(detector)}, which is a part of what masked. "
                "A low number says nothing about other identifiers, and no such system counts as best"
            )
    return lines


def _names(types: Sequence[str]) -> str:
    """`AGE, DATE`, the first of them where there are many."""
    return join_names(kind or NO_TYPE for kind in sorted(types))


def file_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """What there was to say of the files when they were read. Their folders are nothing for a run without text."""
    sources = [
        (Path(corpus.source).name or corpus.name, corpus.notes),
        *((anonymization.name, anonymization.notes) for anonymization in anonymizations),
    ]
    return [f"{shorten(name)}: {note}" for name, notes in sources for note in notes]


def training_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """Whose model had seen documents that it is tested on."""
    seen = [
        (anonymization.name, anonymization.provenance.seen)
        for anonymization in anonymizations
        if anonymization.provenance and anonymization.provenance.seen
    ]
    verbs = "was trained on {} of these {} documents: its numbers are too good, and say little about others"
    return [f"{shorten(name)} {verbs.format(count, len(corpus))}" for name, count in seen]


def leak_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """Whose published model may have learned from this very corpus, as far as names and types show."""
    lines = []
    for anonymization in anonymizations:
        written = anonymization.provenance.anonymizer if anonymization.provenance else ""
        for name, model in models_in(written):
            if may_have_trained_on(model, [corpus.name, corpus.source], corpus.survey.types):
                source = f" ({model.source})" if model.source else ""
                lines.append(
                    f"{shorten(anonymization.name)}: {shorten(name, 100)} may have been trained on this corpus, or one "
                    f"like it: it learned from {model.trained_on}{source}. Then its numbers are too good"
                )
    return lines


def unknown_labels(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """Labels of published models that the label tree does not know, each with the nearest that it does."""
    lines = []
    names = [name for spellings in NAMES.values() for name in spellings]
    labels = Labels(corpus.survey.types)
    for anonymization in anonymizations:
        written = anonymization.provenance.anonymizer if anonymization.provenance else ""
        if not _PUBLISHED.search(written):
            continue
        unknown = [
            name for name in sorted(anonymization.types) if name and not nearest(name) and labels.taken(name) is None
        ]
        if unknown:
            near = (
                f"{shorten(name)} ({suggest_name(name.upper(), names).strip() or 'no name is near'})"
                for name in unknown
            )
            lines.append(
                f"{shorten(anonymization.name)}: the label tree does not know {join_names(near, 300)}. "
                "Metrics that compare types count them as types of their own; labels=FROM=TO of the system renames them"
            )
    return lines


def answer_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """What a language model that anonymized did not answer, and what it quoted that nobody wrote."""
    described = {
        anonymization.name: describe_counts(anonymization.provenance.counts)
        for anonymization in anonymizations
        if anonymization.provenance
    }
    return [f"{shorten(name)}: {line}" for name, line in described.items() if line]


def repair_notes(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """Whose masks were made against an attacker that judges them now, and who knew what is true of the people."""
    lines = []
    for anonymization in anonymizations:
        provenance = anonymization.provenance
        repaired = [name.partition("@")[0] for name in repairing_attackers(provenance)] if provenance else []
        judged = {
            attacker.partition("@")[0]: metric_text(metric)
            for metric in reversed(metrics)
            for attacker in (*metric.attackers, *metric.asks)
        }
        lines += [
            f"{shorten(anonymization.name)} was repaired with the attacker {shorten(name)}, which judges it too "
            f"({shorten(judged[name])}): this says how well it was repaired, and not what others infer"
            for name in repaired
            if name in judged
        ]
        if provenance and repaired and any(key.endswith("people") for key in provenance.pinned):
            lines.append(
                f"{shorten(anonymization.name)} was repaired with knowledge of what is true of the people: a system "
                "that is given texts alone cannot do as well"
            )
    return lines


def offsets_doubted(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """That a few marks look as if their offsets counted something else than characters."""
    return offset_notes(corpus, anonymizations)


def not_independent(corpus: Corpus, anonymizations: Sequence[Anonymization], metrics: Sequence[Metric]) -> list[str]:
    """Which documents belong together, so that they are no evidence each by itself."""
    return list(corpus.units.notes)


NOTICES: tuple[Notice, ...] = (
    not_independent,
    training_notes,
    leak_notes,
    answer_notes,
    repair_notes,
    silver_notes,
    detector_notes,
    file_notes,
    offsets_doubted,
    missing_document_notes,
    type_level_notes,
    types_merged,
    unknown_labels,
    not_annotated,
    unlike_its_language,
)


def notices(
    corpus: Corpus,
    anonymizations: Sequence[Anonymization],
    metrics: Sequence[Metric] = (),
    masks: Mapping[str, MaskNoticeCounts] | None = None,
) -> list[str]:
    """All of them, each once. What the masks do is counted here unless somebody has counted it already."""
    lines = [line for notice in NOTICES for line in notice(corpus, anonymizations, metrics)]
    lines += mask_notices(mask_counts(corpus, anonymizations, metrics) if masks is None else masks, metrics)
    return list(dict.fromkeys(lines))


def carried_by_few(run: Run) -> list[str]:
    """Numbers that a few heavy documents carry, or groups of them, though there are more."""
    if run.unit_count < FEW:
        return []
    weights = []
    for text in run.rows:
        sizes = [as_many_even(run, name, text) for name in run.names if HEADLINE in run.parts(name, text)]
        even = min((size for size in sizes if size is not None), default=FEW)
        if even < FEW:
            weights.append(f"{text} ({even:.1f})")
    lead = f"a few {run.unit}s weigh most, as if there were only so many"
    return [f"{lead}: {join_names(weights)}"] if weights else []
