"""What the layers of UIMA, WebAnno and INCEpTION mean: which are marks, and what their features say of a mark.

Layers and their features are made by those who annotate, so names alone tell: tokens, parts of speech and the like are
DKPro's, and whatever else spans text is a mark. A file is a document's own, or an annotator's in the document's folder.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec

from showthrough.core.errors import InputError, Problem, at_document, join_names, shorten
from showthrough.data.documents import Document, Identifier, Mention
from showthrough.data.levels import by_type
from showthrough.data.types import fold_type
from showthrough.formats.base import Input
from showthrough.formats.clinical.phi import ANNOTATOR
from showthrough.storage.reading import fail, stem

NAMED_ENTITY = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
IDENTIFIER_TYPE = "identifier_type"
_OTHERS = re.compile(r"uima\.|de\.tudarmstadt\.ukp\.(dkpro\.core\.api\.(?!ner\.)|clarin\.webanno\.api\.|inception\.)")
_STRUCTURE = re.compile(r"\w*Token|Sentence|Paragraph|Segment|Chunk|Lemma|Stem|POS|Document\w*|\w*Metadata")
_LEVELS = frozenset(get_args(Identifier))
_LEVEL_NAMES = frozenset(map(fold_type, (IDENTIFIER_TYPE, "identifier", "identifying")))
_ENTITY_NAMES = tuple(map(fold_type, ("entity_id", "identifier")))
_KIND_NAMES = tuple(map(fold_type, ("value", "label", "entity_type", "type", "category", "kind", "class", "tag")))
_COREFERENCE = re.compile(r"coref|same|identit", re.IGNORECASE)


class LayerMark(NamedTuple):
    """A span of a layer and its features; one that has no value is `None`."""

    layer: str
    start: int
    end: int
    features: Mapping[str, str | None]
    chain: str = ""  # what it is the same entity as others by


@lru_cache(maxsize=1024)
def linguistic(layer: str) -> bool:
    """Whether a layer is of tokens, parts of speech and the like, which nobody hides for their own sake."""
    return _OTHERS.match(layer) is not None


@lru_cache(maxsize=1024)
def structural(layer: str) -> bool:
    """The same of other people's layers, as far as their names tell, which is less sure."""
    return _STRUCTURE.fullmatch(short(layer)) is not None


def means_coreference(layer: str) -> bool:
    return _COREFERENCE.search(short(layer)) is not None


def short(layer: str) -> str:
    return layer.rpartition(".")[2]


class Same:
    """Which marks are of one entity, as relations say it."""

    def __init__(self) -> None:
        self._towards: dict[Hashable, Hashable] = {}

    def join(self, mark: Hashable, other_mark: Hashable) -> None:
        first, second = self._root(mark), self._root(other_mark)
        if first != second:
            self._towards[second] = first

    def _root(self, name: Hashable) -> Hashable:
        while name in self._towards:
            further = self._towards[name]
            self._towards[name] = self._towards.get(further, further)  # the way is shorter the next time
            name = further
        return name

    def names(self) -> dict[Hashable, str]:
        """A name for the entity of each mark that is joined to another."""
        numbers: dict[Hashable, int] = {}
        members = dict.fromkeys([*self._towards.values(), *self._towards])
        return {member: f"same-{numbers.setdefault(self._root(member), len(numbers) + 1)}" for member in members}


class _Roles(NamedTuple):
    """Which features say what a mark is, how it identifies and of which entity; empty: none does."""

    kind: str
    level: str
    entity: str


@dataclass
class LayerSurvey:
    """What was seen of the marks of a file or folder."""

    file: Input
    _values: dict[str, dict[str, set[str]]] = field(default_factory=dict)  # by layer and feature
    aside: Counter[str] = field(default_factory=Counter)  # what is not read, and how many of it

    def see(self, layer: str, features: Iterable[str], marks: Iterable[LayerMark] = ()) -> None:
        values = self._values.setdefault(layer, {})
        for feature in features:
            values.setdefault(feature, set())
        for mark in marks:
            for feature, value in mark.features.items():
                if value is not None:
                    values.setdefault(feature, set()).add(value)

    def roles(self) -> dict[str, _Roles]:
        """Of every layer; raises InputError where a layer has several features and none is known by its name."""
        return {layer: self._roles_of_layer(layer, values) for layer, values in self._values.items()}

    def _roles_of_layer(self, layer: str, values: Mapping[str, set[str]]) -> _Roles:
        names_left = (
            [name for name in values if not _is_named(name, ("comment", "note"))] if len(values) > 1 else list(values)
        )
        level = next(
            (name for name in names_left if _is_named(name, _LEVEL_NAMES) and values[name] and values[name] <= _LEVELS),
            next((name for name in names_left if fold_type(name) == fold_type(IDENTIFIER_TYPE)), ""),
        )
        names_left = [name for name in names_left if name != level]
        type_feature = next(
            (name for known_name in _KIND_NAMES for name in names_left if fold_type(name) == known_name), ""
        )
        if not type_feature and len(names_left) == 1 and not (level and _is_named(names_left[0], _ENTITY_NAMES)):
            type_feature = names_left[0]
        names_left = [name for name in names_left if name != type_feature]
        entity = next(
            (name for known_name in _ENTITY_NAMES for name in names_left if fold_type(name) == known_name), ""
        )
        names_left = [name for name in names_left if name != entity]
        if names_left and not type_feature:
            names = join_names(values)
            fault = f"has the features {names}; expected one, or one called value, that says what is marked"
            raise fail(self.file.path, fault, f"layer {shorten(short(layer))}")
        for name in names_left:
            if values[name]:
                self.aside[f"the feature {shorten(name)}"] += len(values[name])
        return _Roles(type_feature, level, entity)

    def note(self) -> None:
        """Says what was left aside, and of which layers marks are where there are several."""
        marked = [short(layer) for layer, values in self._values.items() if any(values.values()) or not values]
        if len(marked) > 1:
            self.file.remarks.others.append(f"its marks are of several layers: {join_names(marked)}")
        if self.aside:
            notes = "; ".join(f"{description} ({count})" for description, count in self.aside.items())
            self.file.remarks.others.append(f"left aside: {notes}")


def _is_named(name: str, names: Iterable[str]) -> bool:
    return fold_type(name) in names


def mentions(marks: Sequence[LayerMark], roles: Mapping[str, _Roles]) -> list[Mention]:
    """Marks as mentions, in the order of the text."""
    result = []
    for mark in sorted(marks, key=lambda item: (item.start, item.end)):
        role = roles[mark.layer]
        entity_type = (mark.features.get(role.kind) or "") if role.kind else short(mark.layer)
        entity = mark.chain or mark.features.get(role.entity) or ""
        level = mark.features.get(role.level)
        if level in _LEVELS:
            result.append(Mention(mark.start, mark.end, entity_type, level, entity))  # type: ignore[arg-type]
        else:
            result.append(by_type(mark.start, mark.end, entity_type, entity))
    return result


_UNTOUCHED = "INITIAL_CAS"  # a document as it was before anybody annotated it


def identify_file(file: Path, top: Path) -> tuple[str, str]:
    """The id of the document and the name of the annotator, of a file that was given or is in the folder that was.

    INCEpTION's folders are called as the documents are, ending included, and have a file for each annotator.

    >>> identify_file(Path("all/letter.txt/ann.tsv"), Path("all")), identify_file(Path("all/letter.tsv"), Path("all"))
    (('letter', 'ann'), ('letter', 'gold'))
    """
    home = file.parent
    inside = home != top and home.is_relative_to(top)
    return (stem(home), stem(file)) if inside and home.suffix else (stem(file), ANNOTATOR)


def select_annotated(files: Sequence[Path], file: Input) -> list[Path]:
    """The files that an annotator worked on; says how many others there are."""
    annotated_files = [path for path in files if not (file.head.folder and stem(path) == _UNTOUCHED)]
    if len(annotated_files) < len(files):
        file.remarks.others.append(
            f"left aside, since nobody annotated them ({_UNTOUCHED}): {len(files) - len(annotated_files)}"
        )
    return annotated_files


def merge_documents(documents: Sequence[Document], file: Input) -> list[Document]:
    """Documents of one id as one document with the layers of all; raises InputError where their texts differ."""
    whole: dict[str, Document] = {}
    problems = []
    for document in documents:
        first = whole.setdefault(document.id, document)
        if first is document:
            continue
        annotators = {annotation.annotator for annotation in first.annotations}
        if first.text != document.text:
            problems.append(Problem(str(file.path), at_document(document.id), "annotators have different texts of it"))
        elif annotators & {annotation.annotator for annotation in document.annotations} or not document.annotations:
            problems.append(Problem(str(file.path), at_document(document.id), "occurs twice; expected it once"))
        layers = first.annotations + document.annotations
        whole[document.id] = msgspec.structs.replace(first, annotations=layers)
    if problems:
        raise InputError(problems)
    return list(whole.values())
