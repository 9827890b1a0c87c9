"""The table of published corpora: what each is, where its files are, what they are known by, and on which terms."""

from __future__ import annotations

import hashlib
import re
import shlex
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path, PurePosixPath
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

import msgspec

from showthrough.core.errors import PlanError, join_names, quote_value, suggest_name
from showthrough.storage.reading import fail, reading

_PLACE = re.compile(r"\{([^}]*)\}")
Kind = Literal["sha256", "md5", "git-blob-sha1"]
_BLOCK = 1 << 20
_ACCIDENTS = "guards against accidents alone, and not against somebody who wants to deceive"
_SHA256 = re.compile(r"[0-9a-f]{64}")


class Licence(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """On which terms a corpus is to be had."""

    name: str
    url: str = ""
    forbids: tuple[str, ...] = ()  # without further leave

    def __str__(self) -> str:
        return f"{self.name} ({self.url})" if self.url else self.name


class PublishedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file of a corpus, where it is published."""

    url: str
    saved_as: str = ""  # where the address does not end in a name
    size: int | None = None  # bytes
    digests: dict[Kind, str] = msgspec.field(default_factory=dict)
    vouched: str = ""  # by whom the digests are
    unpack: bool = False  # an archive, of which only what is in it is kept

    @property
    def name(self) -> str:
        return self.saved_as or PurePosixPath(unquote(urlsplit(self.url).path)).name

    @property
    def local_name(self) -> str:
        """What it is in the folder of its corpus: its name, or the folder that an archive is unpacked into."""
        return self.name.partition(".")[0] if self.unpack else self.name


class Dataset(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published corpus."""

    title: str
    about: str
    language: str
    licence: Licence
    citation: str
    home: str  # its page
    name: str = ""
    format: str = ""  # that it is read in; empty where it is no corpus by itself
    next: str = ""  # a command, with paths inside its folder in braces
    files: tuple[PublishedFile, ...] = ()
    agreement: str = ""  # what its owners want first: then it has no files here

    @property
    def has_digests(self) -> bool:
        """Whether a digest of every file is known."""
        return all(file.digests for file in self.files)

    def command(self, folder: Path) -> str:
        """What to type when it is there."""
        return "showthrough " + _PLACE.sub(lambda match: shlex.quote(str(folder / match[1])), self.next)


@cache
def load_datasets() -> Mapping[str, Dataset]:
    """All of them, by name."""
    content = files(__package__).joinpath("corpora.toml").read_bytes()
    table = msgspec.toml.decode(content, type=dict[str, Dataset])
    return {name: msgspec.structs.replace(entry, name=name) for name, entry in table.items()}


def find_dataset(name: str) -> Dataset:
    """Raises PlanError for a name that is not in the table."""
    corpora = load_datasets()
    if name not in corpora:
        message = f"no such corpus; {suggest_name(name, corpora)}expected one of {join_names(corpora)}"
        raise PlanError(message, f"corpus {quote_value(name)}")
    return corpora[name]


def sha256_of(text: str, location: str) -> str:
    """A digest that somebody typed. Raises PlanError for what is none."""
    typed = text.strip().lower()
    if not _SHA256.fullmatch(typed):
        raise PlanError(f"found {quote_value(text)}; expected the 64 hexadecimal digits of a sha256", location)
    return typed


def compute_digests(path: Path, kinds: Iterable[Kind] = ("sha256",)) -> dict[Kind, str]:
    """The digests of a file, read once."""
    with reading(path), path.open("rb") as file:
        makers = {kind: _new_hasher(kind, path) for kind in kinds}
        while block := file.read(_BLOCK):
            for maker in makers.values():
                maker.update(block)
    return {kind: maker.hexdigest() for kind, maker in makers.items()}


def _new_hasher(kind: Kind, path: Path) -> Any:
    if kind == "sha256":
        return hashlib.sha256()
    if kind == "md5":
        return hashlib.md5(usedforsecurity=False)
    # Git names a file by its content with the length before it.
    return hashlib.sha1(b"blob %d\0" % path.stat().st_size, usedforsecurity=False)


def check(actual: Mapping[Kind, str], expected: Mapping[Kind, str], file: Path | str, then: str = "") -> None:
    """Raises InputError for a digest that is another than it must be."""
    for kind, value in expected.items():
        if actual[kind] != value:
            raise fail(file, f"is another file: found {kind} {actual[kind]}, expected {value}{then}")


def weakness(kinds: Collection[Kind]) -> str:
    """What a file that has these digests may still be; empty where that need not be said.

    >>> weakness(["sha256", "md5"]), weakness(["md5"])
    ('', 'md5 guards against accidents alone, and not against somebody who wants to deceive')
    """
    return f"md5 {_ACCIDENTS}" if set(kinds) == {"md5"} else ""
