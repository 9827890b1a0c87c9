"""What tests of several rooms share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

from showthrough.data.documents import Annotation, Corpus, Document, Mention

# No deadline: how long an example takes says more about what else the machine is doing than about the code. The same
# examples every time: a change is judged by what it changes. New ones are looked for by `make fuzz`.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it are skipped without it."""
    given = os.environ.get("SHOWTHROUGH_DATA")
    if not given:
        pytest.skip("SHOWTHROUGH_DATA is not set: it names the folder of real corpora (see the Makefile)")
    if not Path(given).is_dir():
        pytest.skip(f"SHOWTHROUGH_DATA names {given}, which is not a folder")
    return Path(given)


@pytest.fixture
def tiny() -> Corpus:
    """Three documents: two annotators who disagree, an astral character before a mention, a layer without mentions."""
    first = "Mr John Doe of Oslo left on 3 May."
    doe = Mention(0, 11, "PERSON", "DIRECT", "e1")
    oslo = Mention(15, 19, "LOC", "QUASI", "e2")
    date = Mention(28, 33, "DATETIME", "QUASI", "e3")
    second = "😀 Ann Lee (Oslo) knows 山田."
    ann = Mention(2, 9, "PERSON", "DIRECT", "e1")
    yamada = Mention(23, 25, "PERSON", "QUASI", "e2")
    return Corpus(
        [
            Document("d1", first, (Annotation("a", (doe, oslo)), Annotation("b", (doe, date)))),
            Document("d2", second, (Annotation("a", (ann, yamada)),)),
            Document("d3", "Nothing to see.", (Annotation("a"),)),
        ],
        name="tiny",
    )
