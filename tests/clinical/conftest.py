"""The 750 records of MEDDOCAN."""

from __future__ import annotations

import tarfile
from pathlib import Path

import pytest

from showthrough import Corpus, read_corpus


@pytest.fixture(scope="session")
def meddocan(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the records, unpacked."""
    folder = tmp_path_factory.mktemp("meddocan")
    with tarfile.open(data / "meddocan/train_dev.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def records(meddocan: Path) -> Corpus:
    """The records, read from their XML."""
    return read_corpus(meddocan, format="i2b2")
