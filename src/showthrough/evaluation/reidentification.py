"""Texts and a background in, run out: the attacks alone, for anonymized texts whose originals nobody has."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from showthrough.attacks import DEFAULT, approaches
from showthrough.data.background import Background
from showthrough.data.documents import Corpus
from showthrough.data.references import EVERYTHING, NOTHING
from showthrough.errors import InputError, Problem, shown
from showthrough.evaluation.plan import reserved_problems
from showthrough.evaluation.scoring import reference_scores, scored
from showthrough.evaluation.settings import settings_problems
from showthrough.metrics import ReIdentification, metric_text
from showthrough.resources import Resources
from showthrough.resources.settings import ModelSettings, Watch
from showthrough.run.provenance import background_input, metric_record, provenance
from showthrough.run.run import Evidence, Input, Recorded, Run, columns_of

if TYPE_CHECKING:
    from showthrough.attacks.suite import Texts


def reidentify(
    background: Background | Mapping[str, str],
    anonymizations: Mapping[str, Texts],
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
) -> Run:
    """Attacks anonymized texts, document id to text for each anonymization; no originals are needed.

    A document is about the individual of its own id. Anonymizations may have different documents: each is counted
    over its own. The run has the one metric `trir`. `corpus` are the originals, where there are any, for its signature.
    With `references` the same attacks are made on texts of which nothing is left, and on the originals where they are
    known: what nobody can go below, and what there was to protect.

    >>> known = {"ann": "Ann is a surgeon", "bob": "Bob bakes bread"}
    >>> run = reidentify(known, {"names": {"ann": "PERSON, surgeon", "bob": "PERSON and his bread"}})
    >>> run["names", "trir"].value
    1.0
    """
    from showthrough.attacks.suite import Suite  # here: attacks are imported when they are made

    known = Background(background) if isinstance(background, Mapping) else background
    metric = ReIdentification(attacks, k)
    settings = Recorded(seed=seed, resamples=resamples, confidence=confidence)
    documents = list(dict.fromkeys(key for texts in anonymizations.values() for key in texts))
    _check(known, anonymizations, documents, settings)
    text = metric_text(metric)
    run = Run(
        corpus=_documents(documents, corpus),
        anonymizations=[Input(name, _digest(texts), len(texts)) for name, texts in anonymizations.items()],
        metrics=[metric_record(metric)],
        settings=settings,
        documents=documents,
        scores=[],
        rows={text: {}},
        failures=[],
        provenance=provenance(),
        background=background_input(known),
    )
    beside = _references(documents, corpus) if references else {}
    run.references = [Input(name, _digest(texts), len(texts)) for name, texts in beside.items()]
    started = time.perf_counter()
    resources = Resources(models, watch, known)
    run.provenance["models"] = resources.revisions(metric.models)
    suite = Suite(approaches(metric.attacks), known, resources, anonymizations)
    times: dict[str, Any] = {"learning": suite.fit_seconds, "attacking": {}}
    for name, texts in (*anonymizations.items(), *beside.items()):
        outcome = suite.attack(texts, k)
        rows = metric.rows(documents, outcome)
        run.rows[text][name] = columns_of(rows)
        if name not in beside:
            run.evidence.setdefault(text, {})[name] = msgspec.convert(dict(rows.evidence), dict[str, Evidence])
        times["attacking"][name] = outcome.seconds
    run.scores = [*scored(run, [metric], settings), *reference_scores(run, [metric], settings)]
    run.provenance |= {"attacks": times, "seconds": round(time.perf_counter() - started, 3)}
    return run


def _check(
    background: Background, anonymizations: Mapping[str, Texts], documents: list[str], settings: Recorded
) -> None:
    problems = [*settings_problems(settings), *reserved_problems(anonymizations)]
    problems += [
        Problem("", f"anonymization {shown(name)}", "has no document; expected at least one")
        for name, texts in anonymizations.items()
        if not texts
    ]
    if not anonymizations:
        problems.append(Problem("", "anonymizations", "none was given; expected at least one"))
    problems += background.problems(documents)
    if problems:
        raise InputError(problems)


def _references(documents: list[str], corpus: Corpus | None) -> dict[str, Texts]:
    everything: Texts = dict.fromkeys(documents, "")
    originals = {} if corpus is None else {document.id: document.text for document in corpus}
    nothing: Texts = {key: originals[key] for key in documents if key in originals}
    return {NOTHING: nothing, EVERYTHING: everything} if nothing else {EVERYTHING: everything}


def _documents(ids: list[str], corpus: Corpus | None) -> Input:
    if corpus is not None:
        return Input(corpus.name, corpus.digest, len(corpus), corpus.source)
    return Input("texts", _digest(dict.fromkeys(ids, "")), len(ids))


def _digest(texts: Texts) -> str:
    total = hashlib.blake2b(digest_size=16)
    for key in sorted(texts):
        total.update(msgspec.json.encode((key, texts[key])))
    return total.hexdigest()
