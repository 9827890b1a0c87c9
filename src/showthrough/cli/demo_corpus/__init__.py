"""The demonstration corpus: fictional documents, annotations, background and five anonymizations.

The files are read with the same readers as anybody's files. Here is only where they lie.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

ANONYMIZATIONS = ("rules", "ner", "overmask", "replace", "annotator")
SYSTEMS = ("rules", "everywhere=everywhere(rules)")  # that the demo puts to work; the first gives what ships as `rules`


def folder() -> Path:
    """The folder of the shipped files."""
    return Path(str(files(__name__))) / "data"


def corpus_path() -> Path:
    """The documents with their annotations, in the format of the Text Anonymization Benchmark."""
    return folder() / "corpus.json"


def background_path() -> Path:
    """What the attacker knows: individual id to text."""
    return folder() / "background.json"


def anonymization_paths() -> dict[str, Path]:
    """The five anonymizations by name, in the order in which the documentation explains them."""
    return {name: folder() / f"{name}.json" for name in ANONYMIZATIONS}
