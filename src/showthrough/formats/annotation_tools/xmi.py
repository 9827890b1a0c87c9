"""UIMA's XMI, which INCEpTION exports: one `.xmi` a document, and `TypeSystem.xml` beside it.

dkpro-cassis reads it, after the file was found safe: no entities, nothing from outside. Offsets count UTF-16 units,
which cassis turns into code points; one inside a character it would leave as it is, and that is an error here.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

from showthrough.core.errors import UnavailableError, at_document, shorten
from showthrough.data.documents import Annotation, Document
from showthrough.data.levels import level_of
from showthrough.formats.annotation_tools._uima_layers import (
    IDENTIFIER_TYPE,
    NAMED_ENTITY,
    LayerMark,
    LayerSurvey,
    Same,
    identify_file,
    linguistic,
    means_coreference,
    mentions,
    merge_documents,
    select_annotated,
    short,
    structural,
)
from showthrough.formats.base import Files, Fit, Format, Input, unwritable
from showthrough.formats.clinical.phi import masks_from, single_layer
from showthrough.storage.file_heads import Head
from showthrough.storage.limits import RECORD
from showthrough.storage.reading import collect_results, fail, files_in, is_folder, read_bytes
from showthrough.storage.safe_xml import escape_text, walk

_ANNOTATION = "uima.tcas.Annotation"
_CHAIN = "CoreferenceChain"
_FIRST_VIEW = "_InitialView"
_BASE = {"sofa", "begin", "end", "xmiID", "type"}
_ENDS = {"Governor", "Dependent"}  # of a relation in WebAnno and INCEpTION
_START = b"http://www.omg.org/XMI"


def _cassis() -> Any:
    try:
        return import_module("cassis")
    except ImportError:
        raise UnavailableError("files of the format xmi need dkpro-cassis: pip install 'showthrough[uima]'") from None


class _NullHandler:
    """Takes no notice of what a file holds: that it can be walked through is all there is to know."""

    def opens(self, element: str, attributes: dict[str, str], line: int) -> None: ...
    def closes(self, element: str, line: int) -> None: ...
    def says(self, text: str, written: str) -> None: ...


def _load(path: Path, description: str, load: Any) -> Any:
    """What cassis makes of a file; raises InputError for a file that is not safe, or that it cannot read."""
    walk(path, _NullHandler())
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)  # it warns of an offset that it cannot place, and goes on
            return load(BytesIO(read_bytes(path, RECORD)))
    except Exception as error:  # of somebody else's library, anything
        why = getattr(error, "message", None) or str(error) or type(error).__name__
        raise fail(path, f"is no {description} that can be read: {shorten(str(why), 160)}") from None


@lru_cache(maxsize=8)
def _type_system(path: Path, state: tuple[int, int]) -> Any:
    return _load(path, "type system", _cassis().load_typesystem)


@dataclass
class _TypeSystems:
    """The type systems of a folder's files. Every folder is looked into once, however many files it has."""

    top: Path
    _found_by_folder: dict[Path, Path | None] = field(default_factory=dict)  # by folder

    def of(self, file: Path) -> Any:
        """That of a file: beside it, or in a folder around it up to the one that is read."""
        home = file.parent
        while True:
            if home not in self._found_by_folder:
                self._found_by_folder[home] = _find_type_system(home)
            type_system = self._found_by_folder[home]
            if type_system is not None:
                status = type_system.stat()
                return _type_system(type_system, (status.st_size, status.st_mtime_ns))
            if home == self.top or not home.is_relative_to(self.top) or home == home.parent:
                raise fail(file, "has no TypeSystem.xml beside it; expected the one that was exported with it")
            home = home.parent


def _find_type_system(home: Path) -> Path | None:
    """The file in a folder that describes types, if there is one."""
    candidates = [path for path in files_in(home) if path.parent == home and path.suffix.lower() == ".xml"]
    candidates.sort(key=lambda path: path.name.lower() != "typesystem.xml")
    return next((path for path in candidates if b"<typeSystemDescription" in Head(path).start), None)


def read(file: Input) -> list[Document]:
    """One document a file; of a folder of documents' folders, one layer of marks an annotator."""
    cassis = _cassis()
    files = select_annotated(file.head.files((".xmi",)), file)
    if not files:
        raise fail(file.path, "holds no .xmi file")
    top = file.path if is_folder(file.path) else file.path.parent
    seen, systems = LayerSurvey(file), _TypeSystems(top)

    def views(xmi_path: Path) -> list[tuple[str, str, str, list[LayerMark]]]:
        types = systems.of(xmi_path)

        def load(content: BytesIO) -> Any:
            return cassis.load_cas_from_xmi(content, typesystem=types, trusted=True)

        return list(_split_views(xmi_path, _load(xmi_path, "XMI", load), *identify_file(xmi_path, file.path), seen))

    views_found = [view for views_ in collect_results(files, views) for view in views_]
    for _, _, _, marks in views_found:
        for mark in marks:
            seen.see(mark.layer, mark.features, [mark])
    roles = seen.roles()
    seen.note()
    documents = [
        Document(name, text, (Annotation(annotator, tuple(mentions(marks, roles))),))
        for name, annotator, text, marks in views_found
    ]
    return merge_documents(documents, file)


def _split_views(
    path: Path, cas: Any, name: str, annotator: str, seen: LayerSurvey
) -> Iterator[tuple[str, str, str, list[LayerMark]]]:
    """Id, annotator, text and marks of every view with a text. Views of one text are layers, of others documents."""
    views = {view.sofa.sofaID: cas.get_view(view.sofa.sofaID) for view in cas.views if view.sofa.sofaString}
    if not views:
        raise fail(path, "has no text; expected a view with a sofaString", at_document(name))
    texts = {view.sofa_string for view in views.values()}
    marked = [
        (view_name, view.sofa_string, _collect_marks(path, name, view, seen)) for view_name, view in views.items()
    ]
    if len(texts) == 1:
        marked = [view for view in marked if view[2]] or marked[:1]
    for view_name, text, marks in marked:
        first = view_name == _FIRST_VIEW or len(marked) == 1
        if len(texts) == 1:
            yield name, annotator if first else view_name, text, marks
        else:
            yield name if first else f"{name}-{view_name}", annotator, text, marks


def _collect_marks(path: Path, name: str, view: Any, seen: LayerSurvey) -> list[LayerMark]:
    """The marks of a view, by code points."""
    text = view.sofa_string
    types = view.typesystem
    same = Same()
    marks: dict[Hashable, LayerMark] = {}
    chains: dict[tuple[int, int], str] = {}
    structures = view.select_all_fs() if hasattr(view, "select_all_fs") else view.select_all()  # so called before 0.12
    for fs in structures:
        layer = fs.type.name
        values = _feature_values(fs)
        if short(layer) == _CHAIN:
            chains |= _chain_spans(fs, str(fs.xmiID))
        if not types.is_instance_of(layer, _ANNOTATION):
            continue
        if values.keys() >= _ENDS:
            if not linguistic(layer):
                _join_related(fs, values, same, seen)
        elif linguistic(layer):
            continue
        elif structural(layer):
            seen.aside[f"the layer {shorten(short(layer))}"] += 1
        elif fs.begin == fs.end:
            seen.aside["marks of no length"] += 1
        elif fs.begin is None or fs.end is None or not 0 <= fs.begin < fs.end <= len(text):
            fault = f"{shorten(short(layer))} {fs.xmiID}: begin {fs.begin} and end {fs.end} are no span of the text"
            raise fail(path, f"{fault} ({len(text)} characters)", at_document(name))
        else:
            marks[fs.xmiID] = LayerMark(layer, fs.begin, fs.end, _plain_features(values))
    names = same.names()
    spans = {(mark.start, mark.end) for mark in marks.values()}
    if lone := sum(span not in spans for span in chains):
        seen.aside["links of chains where nothing is marked"] += lone
    return [
        mark._replace(chain=chains.get((mark.start, mark.end)) or names.get(key, "")) for key, mark in marks.items()
    ]


def _feature_values(fs: Any) -> dict[str, Any]:
    return {feature.name: fs[feature.name] for feature in fs.type.all_features if feature.name not in _BASE}


def _plain_features(values: Mapping[str, Any]) -> dict[str, str | None]:
    """The features that are texts or numbers; others refer to something else."""
    plain = {key: value for key, value in values.items() if value is None or isinstance(value, str | int | float)}
    return {key: None if value in (None, "") else str(value) for key, value in plain.items()}


def _chain_spans(head: Any, name: str) -> dict[tuple[int, int], str]:
    """The spans of the links of a chain; a circle of links ends where it began."""
    spans: dict[tuple[int, int], str] = {}
    link, visited = getattr(head, "first", None), set()
    while link is not None and link.xmiID not in visited:
        visited.add(link.xmiID)
        spans[link.begin, link.end] = name
        link = getattr(link, "next", None)
    return spans


def _join_related(fs: Any, values: Mapping[str, Any], same: Same, seen: LayerSurvey) -> None:
    ends = [values[end] for end in sorted(_ENDS)]
    if means_coreference(fs.type.name) and None not in ends:
        same.join(ends[0].xmiID, ends[1].xmiID)
    else:
        seen.aside[f"relations of {shorten(short(fs.type.name))}"] += 1


def write(documents: Iterable[Document]) -> Files:
    """One file a document with its marks as named entities, and their type system."""
    cassis = _cassis()
    types = cassis.TypeSystem()
    entity = types.create_type(NAMED_ENTITY, supertypeName=_ANNOTATION)
    for feature in ("value", "identifier", IDENTIFIER_TYPE):
        types.create_feature(entity, feature, rangeType="uima.cas.String")
    files: Files = {"TypeSystem.xml": _bytes(types.to_xml())}
    for document in documents:
        for content in (document.text, *(f"{mark.entity_type}{mark.entity_id}" for mark in single_layer(document))):
            escape_text(content, at_document(document.id))  # raises for what XML cannot hold
        if not document.annotations:
            raise unwritable(document, "is not annotated, which this format cannot say; choose tab")
        cas = cassis.Cas(typesystem=types)
        cas.sofa_string = document.text
        cas.sofa_mime = "text/plain"
        for mark in single_layer(document):
            explicit = mark.stated and mark.identifier != level_of(mark.entity_type)
            level = {IDENTIFIER_TYPE: mark.identifier} if explicit else {}
            cas.add(
                entity(
                    begin=mark.start,
                    end=mark.end,
                    value=mark.entity_type or None,
                    identifier=mark.entity_id or None,
                    **level,
                )
            )
        files[f"{document.id}.xmi"] = _bytes(cas.to_xmi())
    return files


def _bytes(content: str | bytes) -> bytes:
    return content.encode() if isinstance(content, str) else content


def _recognise(head: Head) -> Fit:
    if head.folder:
        return Fit.SURE if ".xmi" in head.endings else Fit.NO
    if _START in head.start[:4096] and b"<xmi:XMI" in head.start[:4096]:
        return Fit.SURE
    return Fit.LIKELY if head.suffix == ".xmi" else Fit.NO


_SAMPLE = {
    "TypeSystem.xml": f"""\
<?xml version="1.0" encoding="UTF-8"?>
<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types><typeDescription>
  <name>{NAMED_ENTITY}</name>
  <supertypeName>uima.tcas.Annotation</supertypeName>
  <features><featureDescription>
    <name>value</name><rangeTypeName>uima.cas.String</rangeTypeName>
  </featureDescription></features>
</typeDescription></types></typeSystemDescription>
""",
    "case-1.xmi": """\
<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmi:version="2.0"
  xmlns:type="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore">
  <cas:NULL xmi:id="0"/>
  <type:NamedEntity xmi:id="2" sofa="1" begin="3" end="11" value="PERSON"/>
  <type:NamedEntity xmi:id="3" sofa="1" begin="15" end="19" value="LOC"/>
  <cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" sofaString="Mr John Doe of Oslo left."/>
  <cas:View sofa="1" members="2 3"/>
</xmi:XMI>
""",
}
FORMAT = Format(
    "UIMA XMI, which INCEpTION exports: .xmi with TypeSystem.xml beside; a file or a folder",
    *((".xmi",), _recognise, read, masks_from(read), write),
    in_folders=True,
    sample=_SAMPLE,
)
