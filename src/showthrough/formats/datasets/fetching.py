"""Fetching a published corpus: decided before anything is asked of the web, checked before anything is kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from showthrough.errors import InputError, OutputError, PlanError, quoted, some
from showthrough.files.reading import exists
from showthrough.files.writing import check_writable, remove_unfinished, told, workshop
from showthrough.registry.archives import replace_folder, unpack
from showthrough.registry.digests import Kind, check, measured, sha256_of
from showthrough.registry.downloads import Part, Watch
from showthrough.registry.entries import Published, PublishedFile, named
from showthrough.registry.keeping import (
    KeptFile,
    Manifest,
    Member,
    alone,
    corpora_folder,
    manifest_of,
    members_in,
    now,
    write_manifest,
)
from showthrough.registry.web import Web

WEB = Web()
_USER = "you"


@dataclass(frozen=True)
class Wish:
    """What is asked of a fetch, besides the corpus."""

    force: bool = False  # also what is there
    sha256: Mapping[str, str] = field(default_factory=dict)  # the user's own, by file; under "" of the only one
    unverified: bool = False  # also what nobody knows a digest of


_PLAIN = Wish()


@dataclass(frozen=True)
class Expected:
    """What a file is held to, and by whom."""

    file: PublishedFile
    digests: dict[Kind, str]
    vouched: str


@dataclass(frozen=True)
class Kept:
    """A corpus that is there."""

    corpus: Published
    folder: Path
    files: list[KeptFile]
    came: list[str]  # names of those that were downloaded now

    @property
    def paths(self) -> list[Path]:
        """Where its files are; of an archive, the folder that it was unpacked into."""
        return [self.folder / file.place for file in self.corpus.files]


def fetch(
    name: str,
    folder: str | Path | None = None,
    *,
    force: bool = False,
    sha256: Mapping[str, str] | None = None,
    unverified: bool = False,
) -> Path:
    """Downloads a published corpus, checks its digests and keeps it; gives its folder.

    What is there already is checked and not downloaded again, unless with `force`. `sha256` has your own digests by
    file name; a file of which none is known is taken only with one of these or with `unverified`.
    """
    wish = Wish(force, sha256 or {}, unverified)
    return keep(named(name), Path(folder) if folder else None, wish).folder


def keep(
    corpus: Published,
    folder: Path | None = None,
    wish: Wish = _PLAIN,
    watch: Watch = lambda *_: None,
    about_to: Callable[[list[PublishedFile]], None] = lambda _: None,
    web: Web | None = None,
) -> Kept:
    """The corpus in its folder; `about_to` hears which files will be downloaded, before any is."""
    if corpus.agreement:
        raise PlanError(f"is not given out freely: it takes {corpus.agreement}; see {corpus.home}", corpus.name)
    home = folder or corpora_folder() / corpus.name
    own = _own(corpus, wish.sha256)
    _expected(corpus, manifest_of(corpus, home), own, wish)  # what is refused is refused before a folder is made
    with alone(home):
        remove_unfinished(home)
        manifest = manifest_of(corpus, home)
        expected = _expected(corpus, manifest, own, wish)
        there = {} if wish.force else {one.file.name: kept for one in expected if (kept := _there(one, manifest, home))}
        missing = [one for one in expected if one.file.name not in there]
        for one in missing:
            _check_free(one.file, manifest, home, wish)
        if missing:
            check_writable(home)
            about_to([one.file for one in missing])
        if any(manifest.files.get(name) != file for name, file in there.items()):
            manifest = _written(manifest, there, home)
        for one in missing:
            manifest = _written(manifest, {one.file.name: _download(one, home, watch, web or WEB)}, home)
    files = [manifest.files[file.name] for file in corpus.files]
    return Kept(corpus, home, files, [one.file.name for one in missing])


def _written(manifest: Manifest, files: Mapping[str, KeptFile], home: Path) -> Manifest:
    """The manifest with these files in it, on disk."""
    grown = msgspec.structs.replace(manifest, files={**manifest.files, **files})
    write_manifest(grown, home)
    return grown


def _own(corpus: Published, given: Mapping[str, str]) -> dict[str, str]:
    """The user's own digests by file. Raises PlanError for one of a file that the corpus does not have."""
    names = [file.name for file in corpus.files]
    own = {}
    for name, digest in given.items():
        if not name and len(names) > 1:
            raise PlanError(f"found one digest for {len(names)} files; expected FILE=HEX, of {some(names)}", "--sha256")
        if name and name not in names:
            raise PlanError(
                f"found {quoted(name)}, which {corpus.name} does not have; it has {some(names)}", "--sha256"
            )
        own[name or names[0]] = sha256_of(digest, "--sha256")
    return own


def _expected(corpus: Published, manifest: Manifest, own: Mapping[str, str], wish: Wish) -> list[Expected]:
    """What every file is held to. Raises PlanError where nobody knows one, unless the user takes it as it comes."""
    found = [_known(file, manifest, own) for file in corpus.files]
    unknown = [one.file.name for one in found if not one.digests]
    if unknown and not wish.unverified:
        ways = f"give yours (--sha256 {unknown[0]}=HEX), or take what comes (--unverified)"
        raise PlanError(f"no digest is known of {some(unknown)}, so nobody can tell what comes; {ways}", corpus.name)
    return found


def _known(file: PublishedFile, manifest: Manifest, own: Mapping[str, str]) -> Expected:
    digests = dict(file.digests)
    if file.name in own:
        if digests.setdefault("sha256", own[file.name]) != own[file.name]:
            found = f"found {own[file.name]} for {file.name}, which is known by {digests['sha256']}"
            raise PlanError(f"{found}; leave it out", "--sha256")
        return Expected(file, digests, _USER if not file.digests else f"{file.vouched}; {_USER}")
    if digests:
        return Expected(file, digests, file.vouched)
    kept = manifest.files.get(file.name)
    if kept and kept.url == file.url:
        return Expected(file, {"sha256": kept.sha256}, kept.vouched)  # what came first is what must come
    return Expected(file, {}, "")


def _there(one: Expected, manifest: Manifest, home: Path) -> KeptFile | None:
    """The file as it is kept. Raises InputError where somebody changed it."""
    kept = manifest.files.get(one.file.name)
    if kept:
        kept.check(home)
        if kept.missing(home) or not kept.meets(one.digests):
            return None
        return msgspec.structs.replace(kept, digests=one.digests, vouched=one.vouched)  # a digest may be known by now
    path = home / one.file.name
    if one.file.unpack or not one.digests or not path.is_file():
        return None
    found = measured(path, {"sha256", *one.digests})  # a user's own copy of the very file
    if any(found[kind] != value for kind, value in one.digests.items()):
        return None
    return _record(one, path.stat().st_size, found, [])


def _check_free(file: PublishedFile, manifest: Manifest, home: Path, wish: Wish) -> None:
    """Raises OutputError where something would be lost that was not fetched."""
    target = home / file.place
    if not exists(target):
        return
    if kept := manifest.files.get(file.name):
        if file.unpack and (strange := kept.strangers(home, file.place)):
            raise OutputError(f"{strange[0]}: was not fetched, and its folder would be replaced; move it elsewhere")
        return
    if target.is_dir() or file.unpack:
        raise OutputError(f"{target}: exists already, and was not fetched; choose another folder with -o")
    if not wish.force:
        raise OutputError(
            f"{target}: exists already, and is another file; choose another folder with -o, or say --force"
        )


def _download(one: Expected, home: Path, watch: Watch, web: Web) -> KeptFile:
    part = Part(one.file, home)
    part.complete(web, watch)
    found = measured(part.path, {"sha256", *one.digests})
    try:
        check(found, one.digests, one.file.url, "; what came is not kept")
    except InputError:
        part.discard()
        raise
    size = part.path.stat().st_size
    if not one.file.unpack:
        part.move(home / one.file.name)
        return _record(one, size, found, [])
    with told(home / one.file.place), workshop(home) as bench:
        archive, made = bench / one.file.name, bench / "made"
        part.move(archive)
        made.mkdir()
        whole = unpack(archive, made, one.file.name)
        members = members_in(whole, one.file.place)
        replace_folder(whole, home / one.file.place, bench)
    return _record(one, size, found, members)


def _record(one: Expected, size: int, found: Mapping[Kind, str], members: list[Member]) -> KeptFile:
    return KeptFile(one.file.name, one.file.url, size, found["sha256"], one.digests, one.vouched, now(), members)
