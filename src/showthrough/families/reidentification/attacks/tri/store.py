"""What the attack keeps in its output folder: pretreated texts, models, checkpoints, results; all for the owner alone.

Everything that is kept says what it was made from, by content. It is used again only where that is what would be made
now; otherwise it is told what differs, and made anew. JSON and safetensors only: nothing here can carry code.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from showthrough.core.errors import ResourceError
from showthrough.models.checkpoints import FORMAT, Checkpoint, Origin, replace_atomically, same, tensors_fit

PRETREATED = "Pretreated_Data.json"
PRETRAINED = "Pretrained_Model"
CLASSIFIER = "TRI_Pipeline"
RESULTS = "Results.csv"
PRETRAINING = "Pretraining"
FINETUNING = "Finetuning"
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


class FitStore:
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
        return record if same(path, record["origin"], origin) else None

    def keep_record(self, name: str, origin: Origin, content: Mapping[str, Any]) -> None:
        self.keep_text(name, _record_text(origin, content))

    def keep_text(self, name: str, text: str) -> None:
        if self.folder is not None:
            with replace_atomically(self.folder / name) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="")

    def model(self, name: str, origin: Origin, needs: Sequence[str] = ()) -> tuple[Path, dict[str, Any]] | None:
        """The folder of a model that was made from the same, and its record."""
        record = self.record(f"{name}/{RECORD}", origin, needs)
        return None if record is None or self.folder is None else (self.folder / name, record)

    def keep_model(self, name: str, origin: Origin, content: Mapping[str, Any], save: Callable[[Path], object]) -> None:
        """Keeps what `save` writes into a folder, as a whole or not at all."""
        if self.folder is None:
            return
        with replace_atomically(self.folder / name, folder=True) as temporary, tensors_fit(self.folder / name):
            save(temporary)
            (temporary / RECORD).write_text(_record_text(origin, content), encoding="utf-8")

    def checkpoint(self, stage: str, origin: Origin, *, load: bool, save: bool) -> Checkpoint:
        if self.folder is None:
            return Checkpoint(Path(), origin, load=False, save=False)
        return Checkpoint(self.folder / stage / _CHECKPOINT, origin, load, save)


def _record_text(origin: Origin, content: Mapping[str, Any]) -> str:
    return json.dumps({"format": FORMAT, "origin": dict(origin), **content}, ensure_ascii=False, indent=1)
