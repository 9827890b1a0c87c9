"""Anonymizers: a Document in, Masks out.

An anonymizer is anything with a name, a version and a method `masks`. Other packages add theirs through the
entry-point group `showthrough.anonymizers`:

    [project.entry-points."showthrough.anonymizers"]
    ours = "our_package.module:OurAnonymizer"
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Protocol, runtime_checkable

from showthrough.data.documents import Corpus, Document
from showthrough.data.masks import Anonymization, Mask
from showthrough.errors import PlanError, ResourceError, quoted

GROUP = "showthrough.anonymizers"

# Named here as well as in pyproject.toml, so that a source tree with stale metadata still has them.
_BUILT_IN = {"rules": EntryPoint("rules", "showthrough.anonymizers.rules:Rules", GROUP)}

# What importing a module that is missing, broken or written for another Python raises.
_LOADING_FAILURES = (ImportError, AttributeError, OSError, SyntaxError)


@runtime_checkable
class Anonymizer(Protocol):
    """Finds what to hide in one document. The version rises whenever a mask could change."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    def masks(self, document: Document) -> list[Mask]:
        """The masks of this document, in any order."""
        ...


def anonymize(corpus: Corpus, anonymizer: Anonymizer) -> Anonymization:
    """What the anonymizer makes of every document of the corpus.

    >>> from showthrough.anonymizers.rules import Rules
    >>> hidden = anonymize(Corpus([Document("a", "Seen by Dr Ona Rask.")]), Rules())
    >>> hidden.of("a")
    [Mask(start=8, end=19, replacement='PERSON')]
    """
    masks = {document.id: anonymizer.masks(document) for document in corpus}
    return Anonymization(masks, name=anonymizer.name)


def available() -> dict[str, EntryPoint]:
    """Every anonymizer by name, sorted; nothing is imported to find out.

    A built-in keeps its name whatever other packages declare, so that a name in a result means one thing.
    """
    found = {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.value)}
    found.update(_BUILT_IN)
    return dict(sorted(found.items()))


def anonymizer(name: str) -> Anonymizer:
    """The anonymizer of that name, made with its defaults."""
    known = available()
    if name not in known:
        raise PlanError(f"unknown anonymizer {quoted(name)}; there are: {', '.join(known)}")
    entry = known[name]
    rivals = {entry.value for entry in entry_points(group=GROUP, name=name)}
    if name not in _BUILT_IN and len(rivals) > 1:
        raise PlanError(f"anonymizer {name!r} is declared more than once: {', '.join(sorted(rivals))}")
    try:
        factory = entry.load()
    except _LOADING_FAILURES as error:
        raise ResourceError(
            f"anonymizer {name!r} ({entry.value}) cannot be imported: {type(error).__name__}: {error}; "
            "install what its package needs, or remove the package"
        ) from error
    made = factory() if callable(factory) else factory
    if not isinstance(made, Anonymizer):
        raise ResourceError(f"anonymizer {name!r} ({entry.value}) lacks a name, a version or masks(document)")
    return made
