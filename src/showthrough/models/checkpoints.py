"""Where a training stood, in one file of safetensors that says what it was made from: nothing in it can carry code."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from showthrough.core.errors import OutputError, ResourceError
from showthrough.storage.writing import remove_unfinished, workshop

Origin = Mapping[str, Any]  # what something was made from: settings and digests, by name

FORMAT = 1  # of what is kept; rises when an old reader could misread it

log = logging.getLogger("showthrough")


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
        with self._open() as (file, head):
            if head.get("format") != FORMAT or not same(self.path, head["origin"], self.origin):
                return None
            return {name: file.get_tensor(name) for name in file.keys()}, head["state"]  # noqa: SIM118 (no mapping)

    def differences(self) -> list[str]:
        """What it was made from that is not what is asked for now, by name; nothing where there is none."""
        if not self.path.is_file():
            return []
        with self._open() as (_, head):
            return find_differences(head["origin"], self.origin) if head.get("format") == FORMAT else ["format"]

    @contextmanager
    def _open(self) -> Iterator[tuple[Any, dict[str, Any]]]:
        """The file and its head."""
        from safetensors import SafetensorError, safe_open

        try:
            with safe_open(self.path, framework="pt") as file:
                head = json.loads((file.metadata() or {}).get("showthrough", "{}"))
                if not isinstance(head, dict) or not isinstance(head.get("origin", {}), dict):
                    raise ValueError("it does not say what it was made from")
                yield file, head
        except (OSError, ValueError, KeyError, SafetensorError) as error:
            raise self.damage_error(error) from error

    def damage_error(self, why: object) -> ResourceError:
        return ResourceError(f"{self.path}: this checkpoint is damaged ({why}); remove it to start afresh")

    def write(self, tensors: Mapping[str, Any], state: Mapping[str, Any]) -> None:
        if not self.save:
            return
        from safetensors.torch import save_file

        head = {"format": FORMAT, "origin": dict(self.origin), "state": dict(state)}
        with replace_atomically(self.path) as temporary, tensors_fit(self.path):
            save_file(dict(tensors), temporary, metadata={"showthrough": json.dumps(head)})

    def remove(self) -> None:
        """The stage is over, and what came of it is kept: a checkpoint of it has no further use."""
        if self.save and self.path.parent.is_dir():
            self.path.unlink(missing_ok=True)
            if not any(os.scandir(self.path.parent)):
                self.path.parent.rmdir()


@contextmanager
def replace_atomically(target: Path, *, folder: bool = False) -> Iterator[Path]:
    """A place to write to that then becomes the target: a reader sees the old one or the new one."""
    try:
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        remove_unfinished(target.parent)
        with workshop(target.parent) as bench:
            draft = bench / target.name
            if folder:
                draft.mkdir(mode=0o700)
            yield draft
            for path in [draft, *draft.rglob("*")]:
                path.chmod(0o700 if path.is_dir() else 0o600)
            if folder and target.exists():
                target.rename(bench / "before")
            draft.replace(target)
    except OSError as error:
        raise OutputError(f"{target}: cannot be written: {error.strerror or error}") from error


@contextmanager
def tensors_fit(path: Path) -> Iterator[None]:
    """A full disk shows in safetensors' own error."""
    from safetensors import SafetensorError

    try:
        yield
    except SafetensorError as error:
        raise OutputError(f"{path}: cannot be written: {error}") from error


def find_differences(old_origin: Origin, new_origin: Origin) -> list[str]:
    """What two things were not both made from, by name."""
    plain = json.loads(json.dumps(dict(new_origin)))
    return sorted(name for name in {*old_origin, *plain} if old_origin.get(name) != plain.get(name))


def same(path: Path, old_origin: Origin, new_origin: Origin) -> bool:
    names = find_differences(old_origin, new_origin)
    if not names:
        return True
    log.warning("%s: was made from something else (%s); it is not used, but made anew", path, ", ".join(names))
    return False
