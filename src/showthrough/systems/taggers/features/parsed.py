"""What a spaCy pipeline says of each token: its part of speech, the verb of its sentence, named entities, heads.

The tokens are the tagger's own. Each gets what the pipeline says of its first character.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

from showthrough.core.errors import PlanError, quote_value
from showthrough.models.pipeline import Pipeline
from showthrough.systems.taggers.features.settings import Features
from showthrough.systems.taggers.tokens import Tokens

PREFIX = "spacy:"
_KEPT = 2048  # texts whose reading is kept: training asks for each several times
_HAVE = "have"
Columns = list[tuple[str, ...]]


def pipeline_of(name: str) -> Pipeline:
    """The pipeline that `--pipeline spacy:NAME` names. Raises PlanError, and where it is missing UnavailableError."""
    if not name.startswith(PREFIX) or name == PREFIX:
        raise PlanError(f"found {quote_value(name)}; expected spacy:PIPELINE, such as spacy:en_core_web_sm", "pipeline")
    return _loaded(name.removeprefix(PREFIX))


def check_pipeline(name: str, features: Features) -> None:
    """Raises PlanError where no feature asks for a pipeline, or where it has no component for one that does."""
    groups = [group for group in ("word_class", *features.parsed) if getattr(features, group)]
    if not groups:
        raise PlanError("no feature uses it; expected +word_class or +entities among --features, or none", "pipeline")
    pipeline = pipeline_of(name)
    (read,) = pipeline.read(["It was so."], None)
    tags, tree = read.has_annotation("POS"), read.has_annotation("DEP")
    has = {"word_class": tags, "verbs": tags and tree, "heads": tree, "entities": pipeline.finds_entities}
    if lacking := [group for group in groups if not has[group]]:
        fault = f"{name} has no component for {lacking[0]}; expected another pipeline, or --features -{lacking[0]}"
        raise PlanError(fault, "pipeline")


@cache
def _loaded(name: str) -> Pipeline:
    return Pipeline(name, "a preset without --pipeline", exclude=())


class Parsed:
    """The columns of one text, each made when a feature asks for it."""

    def __init__(self, tokens: Tokens, words: list[Any]) -> None:
        self._tokens = tokens
        self._words = words  # the pipeline's token of each of ours; None between its tokens

    def _column(self, make: Any) -> Columns:
        return [make(word) if word is not None else () for word in self._words]

    def parts_of_speech(self) -> Columns:
        """The tag that all languages share, and the pipeline's own."""
        return self._column(lambda word: (f"c={word.pos_}", f"ct={word.tag_}"))

    def entities(self) -> Columns:
        """The type of the named entity, and whether it begins here."""
        return self._column(lambda word: (f"ne={word.ent_iob_}-{word.ent_type_}",) if word.ent_type_ else ("ne=",))

    def verbs(self) -> Columns:
        """Tense and modality of the verb that governs a token, by itself and with the verb: `live`, past."""
        by_sentence: dict[int, tuple[str, ...]] = {}

        def of(word: Any) -> tuple[str, ...]:
            verb = _governing(word)
            if verb is None:
                return ("v=none",)
            if verb.i not in by_sentence:
                form = f"{_tense(verb)}-{_modality(verb)}"
                by_sentence[verb.i] = (f"v={form}", f"vl={verb.lemma_.lower()}|{form}")
            return by_sentence[verb.i]

        return self._column(of)

    def heads(self) -> Columns:
        """The dependency of a token on its head, as words."""

        def of(word: Any) -> tuple[str, ...]:
            head = "" if word.head is word or word.head.i == word.i else word.head.lower_
            return (f"dp={head}>{word.dep_}>{word.lower_}",)

        return self._column(of)


def _governing(word: Any) -> Any:
    """The nearest verb above a token, or it itself."""
    for above in (word, *word.ancestors):
        if above.pos_ in ("VERB", "AUX") and above.dep_ not in ("aux", "auxpass"):
            return above
    return None


def _tense(verb: Any) -> str:
    """Past, present or none, of the verb or of what helps it."""
    for word in (*(child for child in verb.children if child.dep_ in ("aux", "auxpass")), verb):
        if tense := word.morph.get("Tense"):
            if tense[0] == "Pres" and word.lemma_ == _HAVE and word is not verb:
                return "perfect"
            return str(tense[0])
    return "none"


def _modality(verb: Any) -> str:
    """The modal verb that helps it: can, will …; `not` where it is denied."""
    modal = next((child.lower_ for child in verb.children if child.tag_ == "MD"), "")
    denied = "not" if any(child.dep_ == "neg" for child in verb.children) else ""
    return f"{modal}{denied}" or "plain"


@lru_cache(maxsize=_KEPT)
def _read(name: str, text: str) -> tuple[Any, ...]:
    """The pipeline's tokens of a text."""
    return tuple(next(iter(pipeline_of(name).read([text], None, "parts of speech"))))


def parse(name: str, tokens: Tokens) -> Parsed:
    """What a pipeline says of our tokens."""
    return Parsed(tokens, list(_aligned(tokens, _read(name, tokens.text))))


def _aligned(tokens: Tokens, words: tuple[Any, ...]) -> Iterator[Any]:
    """Of each of our tokens, the pipeline's token that its first character is in."""
    number = 0
    for start in tokens.starts:
        while number < len(words) and words[number].idx + len(words[number]) <= start:
            number += 1
        inside = number < len(words) and words[number].idx <= start
        yield words[number] if inside else None
