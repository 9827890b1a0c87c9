"""The folders that metrics name, and how to leave them out: they tell of people and projects."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from showthrough.core.patterns import lazy_pattern
from showthrough.models.names import EMBEDDING, INFORMATION, LANGUAGE_MODEL, SIMILARITY, TERMS, is_path
from showthrough.run.origins import last_part
from showthrough.run.records import MetricRecord

Value = TypeVar("Value")

_ROLES = (INFORMATION, TERMS, SIMILARITY, EMBEDDING, LANGUAGE_MODEL)
_SOURCES = {role.parameter for role in _ROLES}  # where "a/b" is a folder
_FILES = {"dictionary", "vectors", "output_folder_path"}  # where it is, too
_NO_PATHS = {"map", "mask_marks"}  # types and marks may hold any character
_KIND = lazy_pattern(r"([a-z][a-z-]+):")
_TALKED_TO = lazy_pattern(r"""\bllm:([^\s,+()"'\\@]+)""")  # a language model, without the address of its server
_NESTED = lazy_pattern(r'(\w+)="((?:[^"\\]|\\.)*)"', re.DOTALL)  # the parameters of attacks in a metric's
# What a library said of a file: all folders but those of the example that our own messages give.
_FOLDERS = lazy_pattern(r"""(?<![\w:/.])(?!/path/to/it)(?:~|\.{1,2})?(?:/[^/\s'"]+)+/(?=[^/\s'"])""")


class PathNames:
    """The paths among the parameters of metrics, each with the last part of it, numbered where two would be alike.

    >>> record = MetricRecord("", "", 1, "", "privacy", "higher", {"dictionary": "/home/ann/words.txt"})
    >>> PathNames([record]).shorten('phi_oov(dictionary="/home/ann/words.txt")')
    'phi_oov(dictionary="words.txt")'
    """

    def __init__(self, records: Iterable[MetricRecord]) -> None:
        pairs = dict(pair for record in records for pair in _pairs(record.parameters.items()))
        self.names: dict[str, str] = {}
        used = {path for path, name in pairs.items() if path == name}
        for path, name in pairs.items():
            if path != name:
                numbered = (f"{name} ({number})" for number in range(2, len(pairs) + 2))
                self.names[path] = next(candidate for candidate in (name, *numbered) if candidate not in used)
                used.add(self.names[path])
        self._names = {form: name for path, name in self.names.items() for form in _forms(path)}
        listed = "|".join(map(re.escape, sorted(self._names, key=len, reverse=True)))
        self._pattern = re.compile(rf"(?<![\w/.~\\-])(?:{listed})(?![\w-])" if listed else r"(?!)")

    def shorten(self, content: Value) -> Value:
        """Text, or whatever holds some, with the names of these places."""
        result: object = content
        if isinstance(content, str):
            result = self._pattern.sub(lambda match: self._names[match[0]], content)
        elif isinstance(content, dict):
            result = {self.shorten(key): self.shorten(value) for key, value in content.items()}
        elif isinstance(content, list | tuple):
            result = type(content)(map(self.shorten, content))
        return result  # type: ignore[return-value]

    def shorten_reason(self, reason: str) -> str:
        """A reason may also quote a path in part, or that of a file in a folder."""
        return _FOLDERS.sub("", self.shorten(reason))

    def full(self, source: str) -> str:
        """The name of a source with its folders, of what `told` made of it."""
        path = _split_source(source)[1]
        return source.removesuffix(path) + next((full for full, name in self.names.items() if name == path), path)

    def named_in(self, columns: Iterable[str]) -> bool:
        """Whether a column is called by what names a place, as the columns of attacks are."""
        return any(f'{name}"' in column for column in columns for name in self.names.values())


def _pairs(parameters: Iterable[tuple[str, object]]) -> Iterator[tuple[str, str]]:
    """Every text among parameters with what is told of it: itself, or of a path the last part."""
    for key, value in parameters:
        if not isinstance(value, str) or key in _NO_PATHS:
            continue
        models = _TALKED_TO.findall(value)
        yield from ((model, f"./{last_part(model)}" if is_path(model) else model) for model in models)
        if nested := _NESTED.findall(value):
            yield from _pairs((name, re.sub(r"\\(.)", r"\1", inside)) for name, inside in nested)
            continue
        if models:
            continue
        kind, path = _split_source(value)
        bare = not kind and "/" in path and key in _SOURCES | _FILES
        if path.startswith("//") or not (last_part(path) and (bare or is_path(path))):
            yield path, path
        else:  # a bare word would be a source, or a name on the hub
            source = kind or key in _SOURCES or key == "base_model_name"
            yield path, f"./{last_part(path)}" if source else last_part(path)


def _split_source(source: str) -> tuple[str, str]:
    """`spacy` and `/home/ann/pipeline` of `spacy:/home/ann/pipeline`; a drive is no kind of source."""
    kind = _KIND.match(source)
    return (kind[1], source[kind.end() :]) if kind else ("", source)


def _forms(path: str) -> set[str]:
    """A path as it may be written: by a user, by a library, in a text form inside another, in a signature."""
    forms = {path, os.path.normpath(path), os.path.normpath(os.path.expanduser(path))}  # noqa: PTH111 (nobody's home)
    for _ in range(3):
        forms |= {form.replace("\\", "\\\\").replace('"', '\\"') for form in forms}
        forms |= {repr(form)[1:-1] for form in forms}
    return forms | {form.replace("|", "¦") for form in forms}
