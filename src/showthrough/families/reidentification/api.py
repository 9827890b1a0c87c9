"""Texts and a background in, run out: the attacks alone, for anonymized texts whose originals nobody has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

import msgspec

from showthrough.core.errors import InputError, Interrupted, PlanError, Problem, ResourceError, shorten
from showthrough.data.background import Background
from showthrough.data.documents import Corpus, Document
from showthrough.data.pairing import Pairing
from showthrough.data.references import EVERYTHING, NOTHING
from showthrough.data.text_anonymizations import ReleasedTexts
from showthrough.evaluation.engine import Evaluation
from showthrough.evaluation.estimate import CallEstimate, check_asking, estimate_calls
from showthrough.evaluation.plan import Plan, name_problems
from showthrough.evaluation.release_checks import check_releases, release_notices, releases_of
from showthrough.evaluation.settings import Settings, settings_problems
from showthrough.families.reidentification.attacks import DEFAULT
from showthrough.metrics import ReIdentification
from showthrough.models.settings import AskingSettings, ModelSettings, Watch
from showthrough.run.records import Input
from showthrough.run.run import Run


def reidentify(
    background: Background | Mapping[str, str],
    anonymizations: Mapping[str, Mapping[str, str]],
    attacks: str = DEFAULT,
    *,
    k: int = 5,
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
    models: ModelSettings | None = None,
    watch: Watch | None = None,
    corpus: Corpus | None = None,
    references: bool = True,
    asking: AskingSettings | None = None,
    abstain: bool = False,
    pairing: Pairing = "check",
) -> Run:
    """Attacks anonymized texts, document id to text for each anonymization; no originals are needed.

    A document is about the individual of its own id. Anonymizations may have different documents: each is counted
    over its own. The run has the one metric `trir`. `corpus` are the originals, where there are any.
    With `references` the same attacks are made on texts of which nothing is left, and on the originals where they are
    known: what nobody can go below, and what there was to protect. `asking` says how language models are asked.
    With `abstain` the run also has what an attacker finds who names only those they are sure of. Texts that share more
    with another original than with their own are refused, unless `pairing` is "trust".

    >>> background = {"ann": "Ann is a surgeon", "bob": "Bob bakes bread"}
    >>> run = reidentify(background, {"names": {"ann": "PERSON, surgeon", "bob": "PERSON and his bread"}})
    >>> run["names", "trir"].value
    1.0
    """
    sampling = {"seed": seed, "resamples": resamples, "confidence": confidence}
    metric = ReIdentification(attacks, k, abstain=abstain)
    plan, ids = _build_plan(background, anonymizations, metric, {**sampling, "pairing": pairing}, models, asking)
    releases = {} if corpus is None else releases_of(corpus, plan.anonymizations)
    if corpus is not None and pairing == "check":
        check_releases(corpus, plan.anonymizations, releases)
    beside = tuple(_references(ids, corpus)) if references else ()
    check_asking(plan, beside)
    evaluation = Evaluation(plan, beside, watch)
    evaluation.run.corpus = _originals(ids, corpus)
    evaluation.run.several_annotators = None
    if corpus is not None:
        pairs = (
            (anonymization, releases[anonymization.name].unlike) for anonymization in evaluation.run.anonymizations
        )
        evaluation.run.anonymizations = [
            msgspec.structs.replace(anonymization, unlike=len(unlike)) for anonymization, unlike in pairs
        ]
    try:
        run = evaluation.carried_out()
    except Interrupted as stop:  # nothing of an attack can be resumed
        raise stop.__cause__ or KeyboardInterrupt from None
    if run.failures:
        raise ResourceError(run.failures[0].reason)
    run.provenance["attacks"] = evaluation.resources.seconds
    if corpus is not None:
        run.notes = [*_unchanged(corpus, anonymizations), *release_notices(corpus, releases, pairing), *run.notes]
    return run


def estimate_attacks(
    background: Background | Mapping[str, str],
    anonymizations: Mapping[str, Mapping[str, str]],
    attacks: str = DEFAULT,
    *,
    corpus: Corpus | None = None,
    references: bool = True,
    asking: AskingSettings | None = None,
) -> list[CallEstimate]:
    """What the same attacks would ask language models. Nothing is sent and nothing written."""
    plan, ids = _build_plan(background, anonymizations, ReIdentification(attacks), {}, None, asking)
    return estimate_calls(plan, tuple(_references(ids, corpus)) if references else ())


def _refuse_other_kinds(background: object, anonymizations: object) -> None:
    """Raises PlanError for what holds no texts by id, such as the name of a file."""
    if not isinstance(background, Background | Mapping):
        expected = "expected a Background: read_background reads a file"
        raise PlanError(f"found a value of type {type(background).__name__}; {expected}", "background")
    texts = anonymizations.values() if isinstance(anonymizations, Mapping) else [anonymizations]
    for value in texts:
        if not isinstance(value, Mapping):
            fault = f"found a value of type {type(value).__name__}; expected released texts by id, of each by name"
            raise PlanError(fault, "anonymizations")


def _build_plan(
    background: Background | Mapping[str, str],
    anonymizations: Mapping[str, Mapping[str, str]],
    metric: ReIdentification,
    sampling: Mapping[str, Any],
    models: ModelSettings | None,
    asking: AskingSettings | None,
) -> tuple[Plan, list[str]]:
    """What is attacked, and the ids of all documents. Raises InputError."""
    _refuse_other_kinds(background, anonymizations)
    attacker_background = Background(background) if isinstance(background, Mapping) else background
    ids = list(dict.fromkeys(key for texts in anonymizations.values() for key in texts))
    options = {**sampling, **asdict(models or ModelSettings()), **asdict(asking or AskingSettings())}
    plan = Plan(
        Corpus([Document(key, key) for key in ids], "texts"),  # their ids are all that is known of the originals
        tuple(ReleasedTexts(texts, name) for name, texts in anonymizations.items()),
        (metric,),
        Settings(**options),
        texts=False,
        inputs={"background": {"": attacker_background}},
    )
    if problems := _problems(plan, attacker_background, ids):
        raise InputError(problems)
    return plan, ids


def _problems(plan: Plan, background: Background, ids: list[str]) -> list[Problem]:
    problems = [
        *settings_problems(plan.settings),
        *name_problems([anonymization.name for anonymization in plan.anonymizations]),
    ]
    problems += [
        Problem("", f"anonymization {shorten(anonymization.name)}", "has no document; expected at least one")
        for anonymization in plan.anonymizations
        if not len(anonymization)
    ]
    if not plan.anonymizations:
        problems.append(Problem("", "anonymizations", "none was given; expected at least one"))
    from showthrough.families.reidentification.family import recorded_problems

    names = [anonymization.name for anonymization in plan.anonymizations]
    return [*problems, *background.problems(ids), *recorded_problems(plan.metrics, {"": background}, names, ids)]


def _unchanged(corpus: Corpus, anonymizations: Mapping[str, Mapping[str, str]]) -> list[str]:
    """Of each anonymization whose texts are the originals, as where the wrong column was named, that they are."""
    originals = {document.id: document.text for document in corpus}
    unmasked = "every text equals its original, so nothing is masked: the attacks find whom the originals name"
    remedy = "if one table holds both, name its columns with --original and --released"
    return [
        str(Problem("", name, f"{unmasked}; {remedy}"))
        for name, texts in anonymizations.items()
        if all(originals.get(key) == text for key, text in texts.items())
    ]


def _references(ids: list[str], corpus: Corpus | None) -> Iterator[ReleasedTexts]:
    originals = {} if corpus is None else {document.id: document.text for document in corpus}
    if nothing := {key: originals[key] for key in ids if key in originals}:
        yield ReleasedTexts(nothing, NOTHING)
    yield ReleasedTexts(dict.fromkeys(ids, ""), EVERYTHING)


def _originals(ids: list[str], corpus: Corpus | None) -> Input:
    if corpus is not None:
        return Input(corpus.name, corpus.digest, len(corpus), corpus.source)
    return Input("texts", ReleasedTexts(dict.fromkeys(ids, ""), "texts").digest, len(ids))
