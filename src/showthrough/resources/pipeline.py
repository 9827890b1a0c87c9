"""spaCy pipelines: found by name or folder, loaded with only the components that are needed, told apart by content."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from showthrough.errors import ResourceError
from showthrough.resources.files import folder_digest
from showthrough.resources.names import is_path

TOKENS: frozenset[str] = frozenset()
TAGGING = frozenset({"tok2vec", "transformer", "tagger", "morphologizer", "attribute_ruler"})
SENTENCES = frozenset({"tok2vec", "transformer", "parser", "senter", "sentencizer"})
CHUNKING = None  # all of them: entities may come from a component of any name


class Pipeline:
    """A spaCy pipeline by package name or folder. `instead` is the parameter that would do without it."""

    def __init__(self, name: str, instead: str, exclude: Collection[str] = ("lemmatizer",)) -> None:
        self.name = name
        self.instead = instead
        self.exclude = exclude  # components that are never loaded
        self._loaded: Any = None

    @cached_property
    def revision(self) -> str:
        """Changes with the pipeline's content and with spaCy itself, whose rules it runs by."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return f"{folder_digest(self._folder())} spacy {version('spacy')}"
        except PackageNotFoundError as error:
            raise self._without_spacy() from error

    def _folder(self) -> Path:
        if (folder := Path(self.name).expanduser()).is_dir():
            return folder
        try:
            spec = find_spec(self.name)
        except (ImportError, ValueError):
            spec = None
        places = spec.submodule_search_locations if spec else None
        if not places:
            raise ResourceError(
                f"the spaCy pipeline {self.name!r} is not installed: python -m spacy download {self.name}; "
                f"or name the folder that holds it; or choose {self.instead}"
            )
        return Path(next(iter(places)))

    @property
    def components(self) -> list[str]:
        return list(self._load().pipe_names)

    def read(self, texts: Sequence[str], components: Collection[str] | None) -> Iterator[Any]:
        """The texts as spaCy reads them, with these components at work; `None`: all that were not excluded."""
        pipeline = self._load()
        pipeline.max_length = max(pipeline.max_length, max(map(len, texts), default=0) + 1)
        others = [pipe for pipe in pipeline.pipe_names if components is not None and pipe not in components]
        with pipeline.select_pipes(disable=others):
            yield from pipeline.pipe(texts)

    def _load(self) -> Any:
        if self._loaded is None:
            try:
                import spacy
            except ImportError as error:
                raise self._without_spacy() from error
            place = self._folder() if is_path(self.name) else self.name
            try:
                self._loaded = spacy.load(place, exclude=list(self.exclude))
            except (OSError, ValueError) as error:
                raise ResourceError(f"the spaCy pipeline {self.name!r} cannot be loaded: {error}") from error
        return self._loaded

    def _without_spacy(self) -> ResourceError:
        return ResourceError(
            f"spacy:{self.name} needs spaCy: pip install 'showthrough[spacy]'; or choose {self.instead}"
        )
