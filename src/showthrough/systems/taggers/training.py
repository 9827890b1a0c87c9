"""Training a tagger: examples, the threshold, the labeller, and what it reaches on other documents."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from showthrough.core.errors import PlanError, quote_value, shorten, suggest_name
from showthrough.core.expected import expects
from showthrough.data.documents import Corpus
from showthrough.evaluation.api import evaluate
from showthrough.models.languages import another_language, sample_of
from showthrough.models.model_folders import TrainingRecord, TrainingTexts, training_on
from showthrough.systems.anonymizing import anonymize
from showthrough.systems.taggers import _thresholds
from showthrough.systems.taggers._examples import EACH, Example, examples_of
from showthrough.systems.taggers._labeller import Labeller, Recipe, fit_labeller
from showthrough.systems.taggers.features.parsed import check_pipeline, pipeline_of
from showthrough.systems.taggers.features.settings import NONE
from showthrough.systems.taggers.labels import HIDDEN, type_of
from showthrough.systems.taggers.learners.base import learner_class
from showthrough.systems.taggers.tagger import Tagger

# Presets are the challenge's systems as recipes, by team and run (Uzuner, Luo and Szolovits 2007, Table 6).

_ARAMAKI = "+token,+length,+word_class,+orthography,+special,+templates,+sentence,+previous,+dictionaries,window=2"
_GUILLEN = "+section,cues=1,+special,+templates,+orthography"
_GUO = "+root,+length,+word_class,+orthography,affixes=4,+special,window=2,context=1"
_HARA = "+section,+token,+root,+word_class,+orthography,+templates,window=2"
_SZARVAS = (
    "cues=3,+token,+enclosed,+orthography,+length,+special,+templates,+frequency,+dictionaries,window=3,context=1"
)
_WELLNER = "+token,window=2,+orthography,affixes=2,+special,+templates"
_FORMS = ("date", "date-in-words", "phone", "long-number", "number-of", "code", "fraction")  # dates, phones, ids
_RULED = {"of": "svm", "forms": list(_FORMS)}
_SENTENCED = {**_RULED, "of": "sentenced"}

PRESETS: dict[str, Recipe] = {
    "aramaki1": Recipe("crf", NONE.with_changes(_ARAMAKI), unit="sentence", second_pass=True),
    "guillen1": Recipe("rules", NONE.with_changes(_GUILLEN)),
    "guo1": Recipe("svm", NONE.with_changes(_GUO)),
    "guo2": Recipe("svm", NONE.with_changes(f"{_GUO},cues=3,+dictionaries,+templates,window=6")),
    "hara1": Recipe("ruled", NONE.with_changes(_HARA), unit="sentence", settings=_SENTENCED),
    "hara2": Recipe(
        "ruled", NONE.with_changes(_HARA), unit="sentence", settings={**_SENTENCED, "settings": {"pairs": True}}
    ),
    "hara3": Recipe("ruled", NONE.with_changes(_HARA), unit="sentence", settings=_RULED),
    "szarvas1": Recipe("boosted", NONE.with_changes(_SZARVAS), propagate=True),
    "szarvas2": Recipe("voted", NONE.with_changes(_SZARVAS), propagate=True),
    "szarvas3": Recipe("boosted", NONE.with_changes(f"{_SZARVAS},+trusted,+section"), second_pass=True, propagate=True),
    "wellner1": Recipe("crf", NONE.with_changes(_WELLNER)),
    "wellner2": Recipe("hmm", NONE.with_changes(_WELLNER)),
    "wellner3": Recipe("crf", NONE.with_changes(f"{_WELLNER},affixes=4,window=3,cues=3,+dictionaries")),
}

# What presets have beside these where a pipeline is given: Table 6 again.
WITH_PIPELINE = {"guillen1": "+verbs", "guo2": "+entities", "hara2": "+heads"}
_VERBS = {"forms": ["t", "h", "cue", "x-", "v", "vl"]}  # of what rules are made then

# A team alone is its best run.
BEST = {
    "aramaki": "aramaki1",
    "guillen": "guillen1",
    "guo": "guo2",
    "hara": "hara3",
    "szarvas": "szarvas2",
    "wellner": "wellner3",
}


def preset_named(name: str) -> Recipe:
    """A recipe by its name: a run, or a team. Raises PlanError."""
    run = BEST.get(name, name)
    if run not in PRESETS:
        raise PlanError(
            f"unknown preset {quote_value(name)}; {suggest_name(name, PRESETS)}there are: {', '.join(PRESETS)}"
        )
    return replace(PRESETS[run], settings=dict(PRESETS[run].settings))


BETA = 2.0
SCORES = ("er_di", "er_qi", "recall", "precision")
Watch = Callable[[str, int, int], None]


@expects(corpus=Corpus, dev=Corpus)
def train_tagger(
    corpus: Corpus,
    learner: str = "",
    *,
    preset: str = "",
    features: str = "",
    pipeline: str = "",
    recipe: Recipe | None = None,
    annotators: str = EACH,
    binary: bool = False,
    beta: float = BETA,
    threshold: float | None = None,
    dev: Corpus | None = None,
    seed: int = 0,
    jobs: int = 1,
    watch: Watch | None = None,
) -> Tagger:
    """Trains a tagger on the mentions of a corpus that are to be masked. Raises PlanError where it cannot.

    `learner` is crf, svm, boosted or hmm; `preset` one of the challenge's systems; `features` switches groups, as in
    `+cues,-trusted,window=2`. `pipeline` is `spacy:NAME`: parts of speech are then its own, and presets also use verbs,
    named entities or dependencies where the challenge's systems did. Every annotator's layer is a training copy of its
    own, or `annotators` is `union` or the name of one. `binary` learns what to mask without types. A token is masked
    from a probability on (`threshold`) that is chosen by cross-validation on training documents: where F is highest
    with recall `beta` times as important as precision. `dev` are other documents, on which it is scored.
    """
    final_recipe = recipe or build_recipe(learner, preset, features, pipeline)
    learner_class(final_recipe.learner)
    _check(beta, threshold)
    examples = examples_of(corpus, annotators, binary)
    training = training_on(corpus)
    if dev is not None:
        _check_dev(dev, training)
    started = time.perf_counter()
    language = language_of(corpus)
    rounds = 1 + (_thresholds.FOLDS if threshold is None else 0)
    advance = _rounds(watch, rounds)
    points: _thresholds.Curve = []
    if threshold is None:
        points = _thresholds.curve(examples, final_recipe, language, beta, seed, jobs, advance)
    chosen = _thresholds.best(points) if threshold is None else threshold
    labeller = fit_labeller(final_recipe, examples, language, seed)
    advance()
    tagger = _tagger(labeller, chosen, training, examples)
    tagger.settings = {"preset": preset, "annotators": annotators, "binary": binary, "beta": beta, "seed": seed}
    tagger.figures |= {"seconds": round(time.perf_counter() - started, 3), "thresholds": points}
    if dev is not None:
        tagger.figures["dev"] = scores(tagger, dev, jobs)
    return tagger


def build_recipe(learner: str = "", preset: str = "", features: str = "", pipeline: str = "") -> Recipe:
    """A recipe by what was said of it. Raises PlanError for what there is not."""
    recipe = preset_named(preset) if preset else Recipe(learner or "crf")
    if pipeline:
        recipe = _with_pipeline(recipe, BEST.get(preset, preset), pipeline)
    if learner and learner != recipe.learner:
        recipe = replace(recipe, learner=learner, settings={})
    recipe = replace(recipe, features=recipe.features.with_changes(features))
    if recipe.features.parsed and not pipeline:
        raise PlanError(f"{recipe.features.parsed[0]} needs a pipeline; expected --pipeline spacy:NAME", "features")
    if pipeline:
        check_pipeline(pipeline, recipe.features)
    return recipe


def _with_pipeline(recipe: Recipe, preset: str, pipeline: str) -> Recipe:
    """The recipe with what a pipeline adds to it; without a preset, parts of speech and named entities."""
    _ = pipeline_of(pipeline).folder  # raises for what there is not
    added = WITH_PIPELINE.get(preset, "" if preset else "+word_class,+entities")
    settings = {**recipe.settings, **(_VERBS if preset == "guillen1" else {})}
    return replace(recipe, features=recipe.features.with_changes(added), settings=settings, pipeline=pipeline)


def language_of(corpus: Corpus) -> str:
    """The language whose word frequencies are used: English unless the texts clearly look like another; or none."""
    other = another_language(sample_of(corpus), "en")
    return "en" if other is None else other[0] if other else ""


def scores(tagger: Tagger, dev: Corpus, jobs: int = 1) -> dict[str, float | None]:
    """What it reaches on documents that it was not trained on."""
    metrics = (*SCORES, "phi_span" if tagger.types == (HIDDEN,) else "phi_strict")
    run = evaluate(dev, {"tagger": anonymize(dev, tagger)}, metrics, references=False, resamples=0, jobs=jobs)
    return {name: run["tagger", name].value for name in metrics}


def _tagger(labeller: Labeller, threshold: float, training: TrainingRecord, examples: list[Example]) -> Tagger:
    labels = [label for example in examples for label in example.labels]
    types = tuple(sorted({type_of(label) for label in labels} - {""}))
    figures: dict[str, Any] = {
        "documents": len({id(example.tokens) for example in examples}),
        "layers": len(examples),
        "silver": sum(example.silver for example in examples),
        "tokens": len(labels),
        "mentions": sum(label.startswith("B-") for label in labels),
        "labels": len(set(labels)),
    }
    return Tagger(labeller, threshold, training, types, figures=figures)


def _rounds(watch: Watch | None, rounds: int) -> Callable[[], None]:
    """Tells of each round that is done."""
    count = 0

    def done() -> None:
        nonlocal count
        count += 1
        if watch:
            watch("training", count, rounds)

    if watch:
        watch("training", 0, rounds)
    return done


def _check(beta: float, threshold: float | None) -> None:
    if not beta > 0:
        raise PlanError(f"found {quote_value(beta)}; expected a number above 0", "beta")
    if threshold is not None and not 0 <= threshold <= 1:
        raise PlanError(f"found {quote_value(threshold)}; expected a number from 0 to 1", "threshold")


def _check_dev(dev: Corpus, training: TrainingRecord) -> None:
    location = f"corpus {shorten(dev.name)}"
    if not dev.survey.annotated:
        raise PlanError("has no annotations; expected documents to score on", location)
    learned = TrainingTexts(training)
    both = sum(learned.has(document.text) for document in dev)
    if both:
        raise PlanError(f"has {both} documents that are trained on too; expected others to score on", location)
