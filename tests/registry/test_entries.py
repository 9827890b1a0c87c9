"""The table of published corpora."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path
from typing import get_args
from urllib.parse import urlsplit

import pytest
from typer.main import get_command

from showthrough.cli import app
from showthrough.core.errors import PlanError
from showthrough.formats import FORMATS
from showthrough.formats.datasets.entries import Kind, PublishedFile, compute_digests, find_dataset, load_datasets

LENGTHS = {"sha256": 64, "md5": 32, "git-blob-sha1": 40}
FILES = [(name, file) for name, corpus in load_datasets().items() for file in corpus.files]


@pytest.mark.parametrize("name", load_datasets())
def test_every_entry_says_all_that_a_user_must_know(name: str) -> None:
    corpus = load_datasets()[name]
    assert all((corpus.title, corpus.about, corpus.language, corpus.citation, corpus.licence.name))
    assert corpus.home.startswith("https://")
    assert corpus.licence.url.startswith("https://")
    assert not corpus.format or corpus.format in FORMATS
    assert bool(corpus.files) != bool(corpus.agreement)  # one that takes an agreement has nothing to download
    assert len({file.local_name for file in corpus.files}) == len(corpus.files)


@pytest.mark.parametrize(("name", "file"), FILES)
def test_every_file_is_one_version_for_ever(name: str, file: PublishedFile) -> None:
    """A commit, a revision or a record with a number, over https; and digests that could be some."""
    assert urlsplit(file.url).scheme == "https"
    assert re.search(r"/[0-9a-f]{40}/|/records/\d+/", file.url)
    assert re.fullmatch(r"[\w.-]+", file.name)
    assert bool(file.digests) == bool(file.vouched)  # a digest of which nobody says whence it is
    for kind, value in file.digests.items():
        assert re.fullmatch(rf"[0-9a-f]{{{LENGTHS[kind]}}}", value)
        assert len(set(value)) > 8


@pytest.mark.parametrize("name", [name for name, corpus in load_datasets().items() if corpus.next])
def test_what_to_type_next_can_be_typed(name: str) -> None:
    corpus = load_datasets()[name]
    words = corpus.command(Path("a folder")).split()
    group = get_command(app)
    assert words[0] == "showthrough"
    assert words[1] in group.commands  # type: ignore[attr-defined]
    places = re.findall(r"\{(.*?)\}", corpus.next)
    assert places
    assert {place.split("/")[0] for place in places} <= {file.local_name for file in corpus.files}
    assert all(f"'a folder/{place}'" in corpus.command(Path("a folder")) for place in places)


def test_the_page_has_every_corpus_and_says_of_which_no_digest_is_known() -> None:
    page = (Path(__file__).parents[2] / "docs/corpora.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `([\w-]+)` \|.*\| ([^|]+) \|$", page, re.MULTILINE))
    assert list(rows) == list(load_datasets())
    for name, corpus in load_datasets().items():
        assert rows[name].startswith("ask for it") == bool(corpus.agreement)
        assert (rows[name] == "not known") == (not corpus.has_digests)


def test_no_digest_stands_twice() -> None:
    found = [value for _, file in FILES for value in file.digests.values()]
    assert len(set(found)) == len(found)


def test_names() -> None:
    assert {"tab", "meddocan", "spia", "synthpai"} <= load_datasets().keys()
    assert find_dataset("tab").name == "tab"
    with pytest.raises(PlanError, match="corpus 'tap': no such corpus; did you mean tab"):
        find_dataset("tap")


def test_names_in_addresses() -> None:
    assert PublishedFile("https://x.org/a%20b.json?download=1").name == "a b.json"
    assert PublishedFile("https://x.org/content", saved_as="x.tar.gz", unpack=True).local_name == "x"


@pytest.mark.parametrize("content", [b"", b"Oslo\n", bytes(3_000_000)])
def test_digests(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    found = compute_digests(path, get_args(Kind))
    assert found["sha256"] == hashlib.sha256(content).hexdigest()
    assert found["md5"] == hashlib.md5(content, usedforsecurity=False).hexdigest()
    git = subprocess.run(["git", "hash-object", str(path)], capture_output=True, text=True, check=False)
    if git.returncode == 0:
        assert found["git-blob-sha1"] == git.stdout.strip()
    assert compute_digests(path) == {"sha256": found["sha256"]}


def test_the_digest_that_was_measured_here(data: Path) -> None:
    """Of the one file whose digests nobody else gives."""
    file = find_dataset("wiki-actors").files[0]
    path = data / "wiki_actors" / file.name
    assert compute_digests(path, file.digests) == file.digests
    assert path.stat().st_size == file.size
