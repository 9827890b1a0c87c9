"""What was fetched and is kept: where, what is written down of it, and whether it is still as it came."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from showthrough.core.errors import OutputError
from showthrough.formats.datasets.entries import Dataset, Kind, Licence, check, compute_digests
from showthrough.storage.reading import decode_json, exists, files_in, read_bytes
from showthrough.storage.writing import hold_lock, report_os_errors, write_atomically

PLACE = "SHOWTHROUGH_CORPORA"  # environment variable: the folder of all corpora
MANIFEST = "fetched.manifest"  # an ending that no format has: it is never taken for a document


class Member(msgspec.Struct, frozen=True, array_like=True):
    """A file that came out of an archive, by its path in the folder of the corpus."""

    path: str
    sha256: str


class KeptFile(msgspec.Struct, frozen=True):
    """A file as it came."""

    name: str
    url: str
    size: int
    sha256: str
    digests: dict[Kind, str]  # what it was held to
    vouched: str  # by whom these are; empty where it was taken as it came
    fetched: str  # when
    members: list[Member] = []  # of an archive, which itself is not kept

    def meets(self, expected: Mapping[Kind, str]) -> bool:
        digests = {**self.digests, "sha256": self.sha256}
        return all(digests.get(kind) == value for kind, value in expected.items())

    def is_missing(self, folder: Path) -> bool:
        return not all(exists(folder / member.path) for member in self._all_members)

    def check(self, folder: Path) -> None:
        """Raises InputError for a file that somebody changed; one that is gone is not."""
        for member in self._all_members:
            path, then = folder / member.path, "; it was changed after it was fetched: --force fetches it again"
            if exists(path):
                check(compute_digests(path), {"sha256": member.sha256}, path, then)

    def strangers(self, folder: Path, subfolder: str) -> list[Path]:
        """Files in the folder of an archive that did not come out of it."""
        ours = {folder / member.path for member in self.members}
        return [path for path in files_in(folder / subfolder) if not path.is_dir() and path not in ours]

    @property
    def _all_members(self) -> list[Member]:
        return self.members or [Member(self.name, self.sha256)]


class Manifest(msgspec.Struct, frozen=True):
    """What is written down of a corpus beside its files."""

    corpus: str
    title: str
    home: str
    licence: Licence
    citation: str
    files: dict[str, KeptFile] = {}  # by name


def corpora_folder() -> Path:
    """Where corpora are kept: `SHOWTHROUGH_CORPORA`, or `showthrough/corpora` in the user's data folder."""
    if override := os.environ.get(PLACE):
        return Path(override).expanduser()
    home = os.environ.get("XDG_DATA_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(home) if home else Path.home() / ".local" / "share") / "showthrough" / "corpora"


def manifest_of(corpus: Dataset, folder: Path) -> Manifest:
    """What was written down; a new one where nothing was. Raises OutputError in the folder of another corpus."""
    path = folder / MANIFEST
    new = Manifest(corpus.name, corpus.title, corpus.home, corpus.licence, corpus.citation)
    if not exists(path):
        return new
    manifest = decode_json(read_bytes(path), msgspec.json.Decoder(Manifest), path)
    if manifest.corpus != corpus.name:
        raise OutputError(f"{folder}: holds the corpus {manifest.corpus}; choose another folder for {corpus.name}")
    return msgspec.structs.replace(new, files=manifest.files)


def write_manifest(manifest: Manifest, folder: Path) -> None:
    path = folder / MANIFEST
    with report_os_errors(path):
        write_atomically(path, msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n", private=False)


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def members_in(folder: Path, prefix: str) -> list[Member]:
    """What was unpacked, by the paths that it will have."""
    paths = [path for path in files_in(folder) if path.is_file()]
    return [
        Member(f"{prefix}/{path.relative_to(folder).as_posix()}", compute_digests(path)["sha256"]) for path in paths
    ]


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Makes the folder and waits until nobody else fetches into it; one that it made is not left empty."""
    has_lock = False
    while not has_lock:
        with ExitStack() as stack:
            with report_os_errors(folder):
                ours = not folder.exists()
                folder.mkdir(parents=True, exist_ok=True)
                has_lock = stack.enter_context(hold_lock(Path(os.path.realpath(folder))))
            if has_lock:
                try:
                    yield
                finally:
                    if ours:
                        with suppress(OSError):  # it is not empty
                            folder.rmdir()
