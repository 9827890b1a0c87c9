"""Names of sources: `wordfreq`, `hf:google-bert/bert-base-uncased@revision`, `spacy:en_core_web_md`, a folder.

A name says what answers, never what happens to be installed: a number must not depend on the environment.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import msgspec

from showthrough.core.errors import PlanError, ResourceError, UnavailableError


@dataclass(frozen=True)
class Role:
    """What a source is asked for: the parameter that names it, the sources there are, and those without a model."""

    what: str  # as a message calls it
    parameter: str
    kinds: tuple[str, ...]  # those that name a model after a colon; the first is what a bare folder means
    alone: tuple[str, ...]  # those that need no model
    spoken: tuple[str, ...] = ()  # those of them that may name a language after a colon
    instead: str = ""  # what needs no model, where no source of this role does

    def parse(self, name: str) -> SourceName:
        """Raises PlanError unless the name is one that this role knows."""
        if not isinstance(name, str):
            raise PlanError(f"{self.parameter}={name!r} is no text; expected a name such as {self._example!r}")
        if name in self.alone:
            return SourceName(name, "")
        kind, colon, location = name.partition(":")
        if colon and location and kind in (*self.kinds, *self.spoken):
            model, _, revision = (location, "", "") if is_path(location) else location.partition("@")
            return SourceName(kind, model, revision)
        if is_path(name) or "/" in name:  # without the kind before it, it can only be a path
            return SourceName(self.kinds[0], name if is_path(name) else f"./{name}")
        spoken = (f"{kind}:<language>" for kind in self.spoken)
        expected = ", ".join((*self.alone, *spoken, *(f"{kind}:<name>" for kind in self.kinds)))
        hint = f' (of the folder that is here: "./{name}")' if folder_exists(name) else ""
        raise PlanError(f"{self.parameter}={name!r} is not known; expected {expected} or the path of a folder{hint}")

    def models(self, name: str) -> dict[str, str]:
        """The name under this role's parameter if it is a model's; nothing if it is not."""
        return {self.parameter: name} if self.parse(name).kind in self.kinds else {}

    def missing_error(self, reason: str, install: str) -> UnavailableError:
        """Why there is no answer, and the ways out."""
        light = f'{self.parameter}="{self.alone[0]}"' if self.alone else self.instead
        return UnavailableError(
            f"{self.what}: {reason.rstrip('.')}. Either {install}; or name a folder that holds it, "
            f'{self.parameter}="/path/to/it"; or choose {light}, which needs no model'
        )

    @property
    def _example(self) -> str:
        return self.alone[0] if self.alone else f"{self.kinds[0]}:<name>"

    def failure_error(self, reason: str) -> ResourceError:
        return ResourceError(f"{self.what}: the model failed: {reason}")


class SourceName(msgspec.Struct, frozen=True):
    """A name in its parts.

    >>> INFORMATION.parse("hf:google-bert/bert-base-uncased@86b5e09")
    SourceName(kind='hf', location='google-bert/bert-base-uncased', revision='86b5e09')
    """

    kind: str
    location: str
    revision: str = ""

    @property
    def folder(self) -> Path | None:
        """The folder that is meant, where a path is."""
        return at_home(self.location) if is_path(self.location) else None


def is_path(location: str) -> bool:
    """Whether a place is a path rather than a name on a hub, which has at most one slash and starts with a letter."""
    return location.startswith(("/", ".", "~", "\\")) or location.count("/") > 1 or "\\" in location


def at_home(location: str) -> Path:
    """A path with `~` for somebody's home; `./~` is a folder of that name, which a Path would no longer tell."""
    return Path(location).expanduser() if location.startswith("~") else Path(location)


def folder_exists(location: str) -> bool:
    """Whether there is a folder of a name, which may be longer than any."""
    try:
        return at_home(location).is_dir()
    except (OSError, ValueError, RuntimeError):  # RuntimeError: nobody's home
        return False


def local_or_hub(name: str, kind: str) -> str:
    """A model as transformers takes it, a folder or else a name on the hub, as a source's name."""
    if folder_exists(name):
        return name if is_path(name) else f"./{name}"
    return f"{kind}:{name}"


INFORMATION = Role("information content", "ic", ("hf", "causal"), ("wordfreq", "uniform", "corpus"), ("wordfreq",))
TERMS = Role("terms", "chunking", ("spacy", "spacy-tokens"), ("none", "auto"))
SIMILARITY = Role("similarity", "similarity", ("st", "spacy"), ("ngrams",))
STS = Role("soundness", "similarity", ("st", "tokens", "nli"), ("overlap",))
EMBEDDING = Role("embedding", "embedding", ("st",), ("lsa",))
LANGUAGE_MODEL = Role("perplexity", "lm", ("hf",), (), instead="the metric readable")
GAPS = Role("masked words", "masked-lm", ("hf",), (), instead="the guesser frequency")
TEXT_CLASSIFIER = Role("the learner of a task", "encoder", ("hf",), (), instead='learner="words"')
ENTAILMENT = Role("entailment", "judge", ("nli",), (), instead='judge="rules"')
