"""How it was measured, in a paragraph for a paper and in full."""

from __future__ import annotations

import re

from showthrough.report.significance import ALPHA, is_tested, shuffles
from showthrough.report.wording import join_names
from showthrough.run.records import MetricRecord
from showthrough.run.run import Run

_NAME = r"(?:van |von |de )?[A-ZÀ-Þ][\w’'-]+"
_CITATION = re.compile(rf"{_NAME}(?:, {_NAME})*(?: (?:and|&) {_NAME}| et al\.)? \(?\d{{4}}\)?")


def paragraph(run: Run) -> str:
    """What a methods section has to say, in plain text."""
    settings = run.settings
    version = run.provenance.get("showthrough", "")
    sentences = [
        f"We scored {_count_words(len(run.names), 'anonymization')} ({join_names(run.names)}) of the corpus "
        f"{run.corpus.name} ({_count_words(len(run.documents), 'document')}, digest {run.corpus.digest[:8]}) "
        f"with Showthrough {version}.",
        f"The metrics were {join_names([_metric(record) for record in run.metrics if record.text in run.rows])}.",
    ]
    if run.corpus.silver:
        sentences.append(
            f"Its annotations were made by programs ({run.corpus.silver}): scores show agreement with these "
            f"programs, not what identifies people."
        )
    if run.references:
        ends = join_names([reference.name.removesuffix(" masked") for reference in run.references])
        sentences.append(f"For reference, the same documents were scored with {ends} masked.")
    if settings.resamples:
        sentences.append(
            f"Intervals are {settings.confidence * 100:g} % binomial intervals (Korn and Graubard 1998) with the "
            f"variance of a bootstrap over {run.sample} ({settings.resamples:,} resamples, seed {settings.seed})."
        )
    if is_tested(run):
        sentences.append(
            f"Differences were tested by studentized paired randomization (Chung and Romano 2013) over {run.sample} "
            f"({shuffles(run):,} shuffles) with Holm's correction within each metric, at a level of {ALPHA:g}."
        )
    if run.failures:
        sentences.append(f"Not computed: {join_names([failure.metric for failure in run.failures])}.")
    # Names come from files: what turns the direction of writing must not turn the whole paragraph.
    return "".join(
        character if character.isprintable() else ascii(character)[1:-1] for character in " ".join(sentences)
    )


def _metric(record: MetricRecord) -> str:
    """A metric as a paper names it: title, text form, version, source."""
    source = citation(record.explanation)
    return f"{record.title.lower()} ({record.text}, version {record.version}{f'; {source}' if source else ''})"


def citation(explanation: str) -> str:
    """The first work that an explanation cites.

    >>> citation("Share of entities. Pilán et al. 2022, equations 1 and 2: the share whose every mention is covered.")
    'Pilán et al. 2022'
    """
    match = _CITATION.search(explanation)
    return match.group().replace("(", "").replace(")", "") if match else ""


def _count_words(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def provenance(run: Run) -> list[tuple[str, str]]:
    """Where a run came from, as pairs of what and which."""
    record = run.provenance
    packages, models = (record.get(key, {}).items() for key in ("packages", "models"))
    return [
        ("Showthrough", str(record.get("showthrough", ""))),
        ("Python", str(record.get("python", ""))),
        ("Packages", ", ".join(f"{name} {version}" for name, version in packages)),
        ("Models", ", ".join(f"{name} {revision}".strip() for name, revision in models)),
        ("Platform", str(record.get("platform", ""))),
        ("Finished", str(record.get("time", "")).replace("T", " ").replace("+00:00", " UTC")),
        ("Took", f"{record['seconds']:g} s" if "seconds" in record else ""),
        ("Seed", str(run.settings.seed)),
        ("Resamples", f"{run.settings.resamples:,}"),
        ("Missing documents", run.settings.missing),
    ]
