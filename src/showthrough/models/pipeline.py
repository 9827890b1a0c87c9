"""spaCy pipelines: found by name or folder, run with only the components that are needed, told apart by content.

Which are needed cannot be told from their names alone: the attribute ruler corrects tags by what the parser found, and
named entities end where the parser ends a sentence. So a component is left out only where nothing that comes after it
could tell. A tagger finds function words by such a pipeline.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from showthrough.core.arrays import Bools
from showthrough.core.errors import ResourceError, UnavailableError
from showthrough.data.layout.span_layout import SpanLayout
from showthrough.models.cache import Arrays, Cache, question
from showthrough.models.files import folder_digest, guard_errors
from showthrough.models.lexicon import ALWAYS, is_punctuation
from showthrough.models.names import at_home, folder_exists, is_path
from showthrough.models.settings import Watch

TOKENS: frozenset[str] = frozenset()
# spaCy's own components (by factory) that set neither parts of speech nor lemmas, and those that set no part of speech.
NO_LEMMAS = frozenset({
    "ner", "beam_ner", "entity_linker", "entity_ruler", "span_ruler", "spancat", "spancat_singlelabel", "span_finder",
    "senter", "sentencizer", "textcat", "textcat_multilabel",
})  # fmt: skip
NO_TAGS = NO_LEMMAS | {"lemmatizer", "trainable_lemmatizer"}
_NO_ENTITIES = frozenset({
    "tok2vec", "transformer", "tagger", "morphologizer", "parser", "attribute_ruler", "lemmatizer",
    "trainable_lemmatizer", "spancat", "spancat_singlelabel", "span_finder", "senter", "sentencizer", "textcat",
    "textcat_multilabel",
})  # fmt: skip
SENTENCES = frozenset({"tok2vec", "transformer", "parser", "senter", "sentencizer"})
CHUNKING = None  # all of them: entities may come from a component of any name
_CONFIG = "config.cfg"
_TOGETHER = 8  # texts that go through each component together; whole documents are long enough to fill it


class Pipeline:
    """A spaCy pipeline by package name or folder.

    `instead` is the parameter that would do without it, and `written` how a user writes its name: `presidio:{}`.
    """

    def __init__(
        self,
        name: str,
        instead: str,
        exclude: Collection[str] = ("lemmatizer",),
        watch: Watch | None = None,
        written: str = "spacy:{}",
    ) -> None:
        self.name = name
        self.written = written
        self.watch = watch
        self.instead = instead
        self.exclude = exclude  # components that are never loaded

    @cached_property
    def revision(self) -> str:
        """Changes with the pipeline's content and with spaCy itself, whose rules it runs by."""
        from importlib.metadata import PackageNotFoundError, version

        try:
            return f"{folder_digest(self.folder)} spacy {version('spacy')}"
        except PackageNotFoundError as error:
            raise self._without_spacy() from error
        except OSError as error:
            raise self._useless(f"cannot be read: {error.strerror}") from error

    @cached_property
    def folder(self) -> Path:
        """Where its files are. Raises ResourceError where there are none."""
        if is_path(self.name):
            if not folder_exists(self.name):
                nothing = f"there is no folder {self.name!r} with a spaCy pipeline"
                raise UnavailableError(f"{nothing}; or choose {self.instead}")
            folder = at_home(self.name)
            if not (folder / _CONFIG).is_file():  # before anything is read: the folder may be anything, and large
                raise self._useless(f"cannot be loaded: there is no {_CONFIG} in the folder")
            return folder
        if find_spec("spacy") is None:
            raise self._without_spacy()
        try:
            spec = find_spec(self.name)
        except (ImportError, ValueError):
            spec = None
        locations = spec.submodule_search_locations if spec else None
        if not locations:
            download = f"python -m spacy download {self.name}"
            installed = _list_installed()
            hint = ""
            if installed:
                are = "is" if len(installed) == 1 else "are"
                hint = f"; installed {are} {', '.join(installed)}: name {self.written.format(installed[0])} instead"
            missing = f"is not installed: {download}{hint}; or name the folder that holds it; or choose {self.instead}"
            raise UnavailableError(f"the spaCy pipeline {self.name!r} {missing}")
        return Path(next(iter(locations)))

    @property
    def components(self) -> list[str]:
        return list(self._spacy_pipeline.pipe_names)

    @property
    def vocabulary(self) -> Any:
        return self._spacy_pipeline.vocab

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The types of named entities that its components say they know."""
        labels = [label for kind in ("ner", "entity_ruler") for label in self._spacy_pipeline.pipe_labels.get(kind, ())]
        return tuple(dict.fromkeys(labels))

    @property
    def finds_entities(self) -> bool:
        """Whether some component may find named entities: others than spaCy's own may do anything."""
        return any(self._spacy_pipeline.get_pipe_meta(name).factory not in _NO_ENTITIES for name in self.components)

    def until_last(self, without: Collection[str]) -> list[str]:
        """All components but those at the end that are `without` a say in what is asked for."""
        needed = self.components
        while needed and self._spacy_pipeline.get_pipe_meta(needed[-1]).factory in without:
            needed.pop()
        return needed

    def read(self, texts: Sequence[str], components: Collection[str] | None, task: str = "texts") -> Iterator[Any]:
        """The texts as spaCy reads them, with these components at work; `None`: all that were not excluded."""
        pipeline = self._spacy_pipeline
        pipeline.max_length = max(pipeline.max_length, max(map(len, texts), default=0) + 1)
        disabled = [pipe for pipe in pipeline.pipe_names if components is not None and pipe not in components]
        with guard_errors(lambda reason: self._useless(f"failed: {reason}")), pipeline.select_pipes(disable=disabled):
            for number, read in enumerate(pipeline.pipe(texts, batch_size=_TOGETHER), start=1):
                if self.watch:
                    self.watch(task, number, len(texts))
                yield read

    @cached_property
    def _spacy_pipeline(self) -> Any:
        try:
            import spacy
        except ImportError as error:
            raise self._without_spacy() from error
        source = self.folder if is_path(self.name) else self.name
        with guard_errors(lambda reason: self._useless(f"cannot be loaded: {reason}")):
            return spacy.load(source, exclude=list(self.exclude))

    def _useless(self, why: str) -> ResourceError:
        return ResourceError(f"the spaCy pipeline {self.name!r} {why}; or choose {self.instead}")

    def _without_spacy(self) -> UnavailableError:
        return UnavailableError(
            f"spacy:{self.name} needs spaCy: pip install 'showthrough[spacy]'; or choose {self.instead}"
        )


def _list_installed() -> list[str]:
    """Pipelines that are installed as packages, as they say themselves."""
    from importlib.metadata import entry_points  # slow to import

    return sorted({entry.name for entry in entry_points(group="spacy_models")})


# Part-of-speech tags of a spaCy pipeline say which words are function words.

FREE_TAGS = frozenset({"ADP", "PART", "CCONJ", "DET"})
VERSION = 2  # of the answers


class SpacyTagger(Pipeline):
    """A spaCy pipeline, by package name or folder. Its tags are those that the whole pipeline gives.

    The words that TAB's script takes beside the tags ("Mr", "no") are English, and so free in English alone.
    """

    def __init__(self, name: str, cache: Cache | None = None, watch: Watch | None = None) -> None:
        super().__init__(name, 'a word list, function_words="lexicon-en.1"', exclude=(), watch=watch)
        self.cache = cache or Cache(None)

    def ignorable(self, axis: SpanLayout) -> Bools:
        texts = [document.text for document in axis.documents]
        names = [question("function words", VERSION, self.revision, text) for text in texts]

        def answer(indices: list[int]) -> Iterator[Arrays]:
            needed = self.until_last(NO_TAGS)
            for tagged in self.read([texts[index] for index in indices], needed, "function words"):
                always = ALWAYS if tagged.lang_ == "en" else frozenset()
                spans = [
                    (token.idx, token.idx + len(token))
                    for token in tagged
                    if token.pos_ in FREE_TAGS or token.lower_ in always
                ]
                yield {"spans": np.array(spans, dtype=np.int32).reshape(-1, 2)}

        ignorable = axis.table(is_punctuation).view(np.bool_)
        entries = self.cache.through(names, answer)
        for base, entry in zip(axis.bounds.tolist(), entries, strict=False):
            for start, end in entry["spans"].tolist():
                ignorable[base + start : base + end] = True
        return ignorable
