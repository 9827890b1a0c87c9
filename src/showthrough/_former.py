"""Modules, methods and properties under their names of 0.1: they work for one release, with a warning."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any
from warnings import warn

# The longest former name that a module's name begins with tells where it is now.
_MOVED = {
    "errors": "core.errors",
    "tables": "core.plugins",
    "tables.calls": "core.call_syntax",
    "files": "storage",
    "files.heads": "storage.file_heads",
    "columns": "storage.columns",
    "axis": "data.layout",
    "registry": "formats.datasets",
    "numerics": "statistics.numerics",
    "resources": "models",
    "detectors": "models.detectors",
    "attacks": "families.reidentification.attacks",
    "verifiers": "families.authorship.verifiers",
    "inference": "families.inference",
    "metrics.masking": "families.masking.recall",
    "metrics.precision": "families.masking.precision",
    "metrics.removal": "metrics.matching",
    "metrics.removal.removed": "families.masking.removed",
    "metrics.information": "families.information.preserved",
    "metrics.clustering": "families.information.clustering",
    "metrics.overlap": "families.information.overlap",
    "metrics.clinical": "families.clinical",
    "metrics.reidentification": "families.reidentification.metric",
    "metrics.inference": "families.inference",
    "metrics.authorship": "families.authorship",
    "metrics.residual": "families.unannotated.residual",
    "metrics.inconsistent": "families.unannotated.inconsistent",
    "metrics.disagreement": "families.unannotated.disagreement",
    "evaluation.reidentification": "families.reidentification.api",
    "data.kinds": "data.types",
    "evaluation.tae": "families.tae.configuration",
    "report.changes": "families.authorship.report_passages",
    "report.attacks": "families.reidentification.report_attacks",
    "report.authorship": "families.authorship.report_tables",
    "report.verification": "families.authorship.report_verification",
    "report.verifier_training": "families.authorship.report_training",
    "report.inference": "families.inference.report_tables",
    "report.inference_sentences": "families.inference.report_sentences",
    "report.vocabulary": "families.clinical.report_vocabulary",
    "report.clinical": "report.differences",
    "gate": "run.gate",
    "anonymizers": "systems",
    "anonymizers.table": "systems.base",
    "workbench": "systems.workbench",
    "workbench.working": "systems.workbench.runner",
    "analysis": "studies",
    "rating": "studies.rating",
    "demo": "cli.demo_corpus",
    "formats.background": "formats.people.background",
    "formats.population": "formats.people.population",
    "formats.inference_answers": "formats.people.inference_answers",
    "formats.ratings": "formats.authorship.ratings",
    "formats.verifier_answers": "formats.authorship.verifier_answers",
    "formats.phi": "formats.clinical.phi",
    "formats.i2b2": "formats.clinical.i2b2",
    "formats.tab": "formats.benchmarks.tab",
    "formats.tae": "formats.benchmarks.tae",
}
_ROOT = "showthrough."


def moved_to(name: str) -> str:
    """Where a module of a former name is now; empty where no module had it.

    >>> moved_to("showthrough.resources.lexicon"), moved_to("showthrough.data.masks")
    ('showthrough.models.lexicon', '')
    """
    parts = name.removeprefix(_ROOT).split(".")
    for length in range(len(parts), 0, -1):
        if home := _MOVED.get(".".join(parts[:length])):
            return _ROOT + ".".join([home, *parts[length:]])
    return ""


class FormerModules:
    """Asked when nobody else finds a module: gives one with all names of the module that took its place.

    It is a finder and a loader by its methods alone: to import the classes of `importlib.abc` takes too long.
    """

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(_ROOT) or not moved_to(name):
            return None
        return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]  # as it may be asked for modules below it

    def create_module(self, spec: ModuleSpec) -> None:
        """A module as usual."""

    def exec_module(self, module: ModuleType) -> None:
        home = moved_to(module.__name__)
        present = import_module(home)
        warn(f"{module.__name__} is now {home}; the former name goes with the next release", DeprecationWarning, 2)
        module.__getattr__ = lambda name: getattr(present, name)  # type: ignore[method-assign]


def register() -> None:
    if not any(isinstance(finder, FormerModules) for finder in sys.meta_path):
        sys.meta_path.append(FormerModules())


class FormerName:
    """A method or property under its name of 0.1: gives what took its place, and says so.

    >>> class Box:
    ...     size = 3
    ...     extent = FormerName("size")
    >>> from warnings import catch_warnings
    >>> with catch_warnings(record=True) as said:
    ...     Box().extent, str(said[0].message)
    (3, 'Box.extent is now size; the former name goes with the next release')
    """

    def __init__(self, present: str) -> None:
        self.present = present

    def __set_name__(self, owner: type, name: str) -> None:
        self.former = f"{owner.__name__}.{name}"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        warn(f"{self.former} is now {self.present}; the former name goes with the next release", DeprecationWarning, 2)
        return getattr(owner if instance is None else instance, self.present)
