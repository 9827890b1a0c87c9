"""Downloads a published corpus: refuses before the first request, and checks files before they are kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import msgspec

from showthrough.core.errors import InputError, OutputError, PlanError, join_names, quote_value
from showthrough.formats.datasets._archives import replace_folder, unpack
from showthrough.formats.datasets._downloads import PartialDownload, Watch
from showthrough.formats.datasets._web import Web
from showthrough.formats.datasets.entries import (
    Dataset,
    Kind,
    PublishedFile,
    check,
    compute_digests,
    find_dataset,
    sha256_of,
)
from showthrough.formats.datasets.store import (
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
from showthrough.storage.reading import exists
from showthrough.storage.writing import check_writable, remove_unfinished, report_os_errors, workshop

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
class ExpectedFile:
    """What a file is held to, and by whom."""

    file: PublishedFile
    digests: dict[Kind, str]
    vouched: str


@dataclass(frozen=True)
class FetchedCorpus:
    """A corpus that is there."""

    corpus: Dataset
    folder: Path
    files: list[KeptFile]
    came: list[str]  # names of those that were downloaded now

    @property
    def paths(self) -> list[Path]:
        """Where its files are; of an archive, the folder that it was unpacked into."""
        return [self.folder / file.local_name for file in self.corpus.files]


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
    file name; a file without a known digest is taken only with one of these or with `unverified`.
    """
    wish = Wish(force, sha256 or {}, unverified)
    return keep(find_dataset(name), Path(folder) if folder else None, wish).folder


def keep(
    corpus: Dataset,
    folder: Path | None = None,
    wish: Wish = _PLAIN,
    watch: Watch = lambda *_: None,
    about_to: Callable[[list[PublishedFile]], None] = lambda _: None,
    web: Web | None = None,
) -> FetchedCorpus:
    """The corpus in its folder; `about_to` hears which files will be downloaded, before any is."""
    if corpus.agreement:
        raise PlanError(f"is not given out freely: it takes {corpus.agreement}; see {corpus.home}", corpus.name)
    home = folder or corpora_folder() / corpus.name
    own = _user_digests(corpus, wish.sha256)
    _expect_files(corpus, manifest_of(corpus, home), own, wish)  # what is refused is refused before a folder is made
    with alone(home):
        remove_unfinished(home)
        manifest = manifest_of(corpus, home)
        expected = _expect_files(corpus, manifest, own, wish)
        present = (
            {}
            if wish.force
            else {
                expected_file.file.name: record
                for expected_file in expected
                if (record := _find_present(expected_file, manifest, home))
            }
        )
        missing = [expected_file for expected_file in expected if expected_file.file.name not in present]
        for expected_file in missing:
            _check_free(expected_file.file, manifest, home, wish)
        if missing:
            check_writable(home)
            about_to([expected_file.file for expected_file in missing])
        if any(manifest.files.get(name) != file for name, file in present.items()):
            manifest = _add_to_manifest(manifest, present, home)
        for expected_file in missing:
            manifest = _add_to_manifest(
                manifest, {expected_file.file.name: _download(expected_file, home, watch, web or WEB)}, home
            )
    files = [manifest.files[file.name] for file in corpus.files]
    return FetchedCorpus(corpus, home, files, [expected_file.file.name for expected_file in missing])


def _add_to_manifest(manifest: Manifest, files: Mapping[str, KeptFile], home: Path) -> Manifest:
    """The manifest with these files in it, on disk."""
    grown = msgspec.structs.replace(manifest, files={**manifest.files, **files})
    write_manifest(grown, home)
    return grown


def _user_digests(corpus: Dataset, digests: Mapping[str, str]) -> dict[str, str]:
    """The user's own digests by file. Raises PlanError for one of a file that the corpus does not have."""
    names = [file.name for file in corpus.files]
    own = {}
    for name, digest in digests.items():
        if not name and len(names) > 1:
            raise PlanError(
                f"found one digest for {len(names)} files; expected FILE=HEX, of {join_names(names)}", "--sha256"
            )
        if name and name not in names:
            raise PlanError(
                f"found {quote_value(name)}, which {corpus.name} does not have; it has {join_names(names)}", "--sha256"
            )
        own[name or names[0]] = sha256_of(digest, "--sha256")
    return own


def _expect_files(corpus: Dataset, manifest: Manifest, own: Mapping[str, str], wish: Wish) -> list[ExpectedFile]:
    """What every file is held to. Raises PlanError where nobody knows one, unless the user takes it as it comes."""
    expected_files = [_expect_file(file, manifest, own) for file in corpus.files]
    unknown = [expected_file.file.name for expected_file in expected_files if not expected_file.digests]
    if unknown and not wish.unverified:
        ways = f"give yours (--sha256 {unknown[0]}=HEX), or take what comes (--unverified)"
        raise PlanError(
            f"no digest is known of {join_names(unknown)}, so the download cannot be checked; {ways}", corpus.name
        )
    return expected_files


def _expect_file(file: PublishedFile, manifest: Manifest, own: Mapping[str, str]) -> ExpectedFile:
    digests = dict(file.digests)
    if file.name in own:
        if digests.setdefault("sha256", own[file.name]) != own[file.name]:
            fault = f"found {own[file.name]} for {file.name}, which is known by {digests['sha256']}"
            raise PlanError(f"{fault}; leave it out", "--sha256")
        return ExpectedFile(file, digests, _USER if not file.digests else f"{file.vouched}; {_USER}")
    if digests:
        return ExpectedFile(file, digests, file.vouched)
    record = manifest.files.get(file.name)
    if record and record.url == file.url:
        return ExpectedFile(file, {"sha256": record.sha256}, record.vouched)  # what came first is what must come
    return ExpectedFile(file, {}, "")


def _find_present(expected: ExpectedFile, manifest: Manifest, home: Path) -> KeptFile | None:
    """The file as it is kept. Raises InputError where somebody changed it."""
    record = manifest.files.get(expected.file.name)
    if record:
        record.check(home)
        if record.is_missing(home) or not record.meets(expected.digests):
            return None
        return msgspec.structs.replace(
            record, digests=expected.digests, vouched=expected.vouched
        )  # a digest may be known by now
    path = home / expected.file.name
    if expected.file.unpack or not expected.digests or not path.is_file():
        return None
    measured_digests = compute_digests(path, {"sha256", *expected.digests})  # a user's own copy of the very file
    if any(measured_digests[kind] != value for kind, value in expected.digests.items()):
        return None
    return _build_record(expected, path.stat().st_size, measured_digests, [])


def _check_free(file: PublishedFile, manifest: Manifest, home: Path, wish: Wish) -> None:
    """Raises OutputError where something would be lost that was not fetched."""
    target = home / file.local_name
    if not exists(target):
        return
    if record := manifest.files.get(file.name):
        if file.unpack and (strange := record.strangers(home, file.local_name)):
            raise OutputError(f"{strange[0]}: was not fetched, and its folder would be replaced; move it elsewhere")
        return
    if target.is_dir() or file.unpack:
        raise OutputError(f"{target}: exists already, and was not fetched; choose another folder with -o")
    if not wish.force:
        raise OutputError(
            f"{target}: exists already, and is another file; choose another folder with -o, or replace it with --force"
        )


def _download(expected: ExpectedFile, home: Path, watch: Watch, web: Web) -> KeptFile:
    part = PartialDownload(expected.file, home)
    part.complete(web, watch)
    measured_digests = compute_digests(part.path, {"sha256", *expected.digests})
    try:
        check(measured_digests, expected.digests, expected.file.url, "; what came is not kept")
    except InputError:
        part.discard()
        raise
    size = part.path.stat().st_size
    if not expected.file.unpack:
        part.move(home / expected.file.name)
        return _build_record(expected, size, measured_digests, [])
    with report_os_errors(home / expected.file.local_name), workshop(home) as bench:
        archive, unpacked = bench / expected.file.name, bench / "made"
        part.move(archive)
        unpacked.mkdir()
        folder = unpack(archive, unpacked, expected.file.name)
        members = members_in(folder, expected.file.local_name)
        replace_folder(folder, home / expected.file.local_name, bench)
    return _build_record(expected, size, measured_digests, members)


def _build_record(
    expected: ExpectedFile, size: int, measured_digests: Mapping[Kind, str], members: list[Member]
) -> KeptFile:
    return KeptFile(
        expected.file.name,
        expected.file.url,
        size,
        measured_digests["sha256"],
        expected.digests,
        expected.vouched,
        now(),
        members,
    )
