"""What the attack keeps in its output folder: pretreated texts, models, checkpoints, results; all for the owner alone.

Everything that is kept says what it was made from, by content. It is used again only where that is what would be made
now; otherwise it is told what differs, and made anew. JSON and safetensors only: nothing here can carry code.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from showthrough.errors import OutputError, ResourceError
from showthrough.files.writing import remove_unfinished, workshop

Origin = Mapping[str, Any]  # what something was made from: settings and digests, by name

PRETREATED = "Pretreated_Data.json"
PRETRAINED = "Pretrained_Model"
CLASSIFIER = "TRI_Pipeline"
RESULTS = "Results.csv"
PRETRAINING = "Pretraining"
FINETUNING = "Finetuning"
FORMAT = 1  # of the records; rises when an old reader could misread one
RECORD = "showthrough.json"  # beside a model: what it was made from, and how that went
_CHECKPOINT = "checkpoint.safetensors"

log = logging.getLogger("showthrough")


def digest(*parts: Any) -> str:
    """Tells one content from any other.

    >>> digest(["ab", "c"]) == digest(["a", "bc"])
    False
    >>> digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})  # the order of a mapping says nothing
    True
    """
    plain = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(plain.encode(), digest_size=16).hexdigest()


class Store:
    """An output folder; without one nothing is kept and nothing found."""

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder).expanduser() if folder else None

    def record(self, name: str, origin: Origin, needs: Sequence[str] = ()) -> dict[str, Any] | None:
        """A record of this name that was made from the same; it has to have what is needed of it."""
        if self.folder is None:
            return None
        path = self.folder / name
        try:
            record = json.loads(path.read_bytes())
        except FileNotFoundError:
            return None
        except OSError as error:
            raise ResourceError(f"{path}: cannot be read: {error.strerror}") from error
        except ValueError:
            record = None
        usable = isinstance(record, dict) and record.get("format") == FORMAT and isinstance(record.get("origin"), dict)
        if not usable or any(need not in record for need in needs):
            log.warning("%s: this is no record that can be used again; making it anew", path)
            return None
        return record if _same(path, record["origin"], origin) else None

    def keep_record(self, name: str, origin: Origin, content: Mapping[str, Any]) -> None:
        self.keep_text(name, _record_text(origin, content))

    def keep_text(self, name: str, text: str) -> None:
        if self.folder is not None:
            with _replacing(self.folder / name) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="")

    def model(self, name: str, origin: Origin, needs: Sequence[str] = ()) -> tuple[Path, dict[str, Any]] | None:
        """The folder of a model that was made from the same, and its record."""
        record = self.record(f"{name}/{RECORD}", origin, needs)
        return None if record is None or self.folder is None else (self.folder / name, record)

    def keep_model(self, name: str, origin: Origin, content: Mapping[str, Any], save: Callable[[Path], object]) -> None:
        """Keeps what `save` writes into a folder, as a whole or not at all."""
        if self.folder is None:
            return
        with _replacing(self.folder / name, folder=True) as temporary, _tensors_fit(self.folder / name):
            save(temporary)
            (temporary / RECORD).write_text(_record_text(origin, content), encoding="utf-8")

    def checkpoint(self, stage: str, origin: Origin, *, load: bool, save: bool) -> Checkpoint:
        if self.folder is None:
            return Checkpoint(Path(), origin, load=False, save=False)
        return Checkpoint(self.folder / stage / _CHECKPOINT, origin, load, save)


@dataclass(frozen=True)
class Checkpoint:
    """Where a stage of training stood: parameters, the optimizer's memory, the best parameters so far; one file."""

    path: Path
    origin: Origin
    load: bool
    save: bool

    def read(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The tensors by name, and the state that goes with them."""
        if not self.load or not self.path.is_file():
            return None
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, framework="pt") as file:
                head = json.loads((file.metadata() or {}).get("showthrough", "{}"))
                if head.get("format") != FORMAT or not _same(self.path, head["origin"], self.origin):
                    return None
                return {name: file.get_tensor(name) for name in file.keys()}, head["state"]  # noqa: SIM118 (no mapping)
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            message = f"this checkpoint is damaged ({error}); remove it to start afresh"
            raise ResourceError(f"{self.path}: {message}") from error

    def write(self, tensors: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        if not self.save:
            return
        from safetensors.torch import save_file

        head = {"format": FORMAT, "origin": dict(self.origin), "state": dict(state)}
        with _replacing(self.path) as temporary, _tensors_fit(self.path):
            save_file(dict(tensors), temporary, metadata={"showthrough": json.dumps(head)})

    def remove(self) -> None:
        """The stage is over, and what came of it is kept: a checkpoint of it has no further use."""
        if self.save and self.path.parent.is_dir():
            self.path.unlink(missing_ok=True)
            if not any(os.scandir(self.path.parent)):
                self.path.parent.rmdir()


def _record_text(origin: Origin, content: Mapping[str, Any]) -> str:
    return json.dumps({"format": FORMAT, "origin": dict(origin), **content}, ensure_ascii=False, indent=1)


@contextmanager
def _replacing(target: Path, *, folder: bool = False) -> Iterator[Path]:
    """A place to write to that then becomes the target: a reader sees the old one or the new one."""
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_unfinished(target.parent)
        with workshop(target.parent) as bench:
            made = bench / target.name
            if folder:
                made.mkdir(mode=0o700)
            yield made
            for path in [made, *made.rglob("*")]:
                path.chmod(0o700 if path.is_dir() else 0o600)
            if folder and target.exists():
                target.rename(bench / "before")
            made.replace(target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error


@contextmanager
def _tensors_fit(path: Path) -> Iterator[None]:
    """A full disk shows in safetensors' own error."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        raise OutputError(f"{path}: cannot be written: {error}") from error


def _same(path: Path, kept: Origin, wanted: Origin) -> bool:
    plain = json.loads(json.dumps(dict(wanted)))
    if kept == plain:
        return True
    differing = sorted(name for name in {*kept, *plain} if kept.get(name) != plain.get(name))
    log.warning("%s: was made from something else (%s); it is not used, but made anew", path, ", ".join(differing))
    return False
