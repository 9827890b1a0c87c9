"""Pretreated texts, kept in `Pretreated_Data.json` so that spaCy reads each only once."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from showthrough.core.errors import InputError, Problem
from showthrough.families.reidentification.attacks.tri.pretreatment import Copies, Passages, Pretreatment
from showthrough.families.reidentification.attacks.tri.settings import TriSettings
from showthrough.families.reidentification.attacks.tri.store import PRETREATED, FitStore, digest

log = logging.getLogger("showthrough")


class PretreatedTexts:
    """An attacker's background, pretreated, and every document that has been asked for so far."""

    def __init__(
        self, background: Mapping[str, str], settings: TriSettings, store: FitStore, pretreatment: Pretreatment
    ) -> None:
        self.settings = settings
        self.store = store
        self.pretreatment = pretreatment
        origin = {"reader": pretreatment.revision, "background": digest(dict(background))}
        self.origin: dict[str, Any] = {**origin, **settings.of_pretreatment()}
        self._documents: dict[str, Passages] = {}
        load, needs = settings.load_saved_pretreatment, ("background", "documents")
        saved = store.record(PRETREATED, self.origin, needs) if load else None
        self.loaded = saved is not None
        if saved is None:
            self.background = pretreatment.background(background)
            self._keep()
        else:
            self.background = msgspec.convert(saved["background"], dict[str, Copies])
            self._documents = msgspec.convert(saved["documents"], dict[str, Passages])

    def documents(self, texts: Sequence[str]) -> list[Passages]:
        """Documents as the model gets them; those that are new are pretreated and kept too."""
        names = [digest(text) for text in texts]
        new = {name: text for name, text in zip(names, texts, strict=True) if name not in self._documents}
        if new and self.loaded and not self.settings.add_non_saved_anonymizations:
            message = f"it lacks {len(new)} of {len(texts)} documents; expected add_non_saved_anonymizations=True"
            raise InputError(Problem(str(self.store.folder), PRETREATED, message))
        if new:
            self._documents |= zip(new, self.pretreatment.documents(list(new.values())), strict=True)
            self._keep()
        return [self._documents[name] for name in names]

    def _keep(self) -> None:
        if self.settings.save_pretreatment:
            content = {"background": self.background, "documents": self._documents}
            self.store.keep_record(PRETREATED, self.origin, content)
