"""`showthrough fetch`: what is listed, told before a download, kept and refused."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from registry.site import CONTENT, WEB, Page, Site, corpus_of, reached
from showthrough import fetch
from showthrough.cli import fetch as command
from showthrough.core.errors import PlanError
from showthrough.formats.datasets import fetching
from showthrough.formats.datasets.entries import Dataset, Licence
from showthrough.formats.datasets.store import PLACE, corpora_folder

from .conftest import Desk, Outcome

SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(PLACE, str(tmp_path / "shelf"))
    return tmp_path / "shelf"


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    with reached(monkeypatch) as made:
        yield made


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Callable[[Dataset], None]:
    """Puts one corpus in the place of the table, on a site of this machine."""

    def put(corpus: Dataset) -> None:
        monkeypatch.setattr(command, "find_dataset", {corpus.name: corpus}.__getitem__)
        monkeypatch.setattr(fetching, "WEB", WEB)

    return put


def test_all_are_listed(cli: Callable[..., Outcome], shelf: Path) -> None:
    found = cli("fetch")
    assert found.status == 0
    rows = {line.split()[0]: line for line in found.out.splitlines() if line[:1].isalpha()}
    assert {"tab", "meddocan", "spia", "synthpai", "dab", "i2b2"} <= rows.keys()
    assert "MIT" in rows["tab"]
    assert "not known" in rows["dab"]
    assert "ask for it" in rows["i2b2"]
    assert max(map(len, found.out.splitlines()[:-1])) <= 100  # but for the folder, which can be copied
    assert str(shelf) in found.out
    assert not shelf.exists()


def test_about_downloads_nothing(cli: Callable[..., Outcome], shelf: Path) -> None:
    found = cli("fetch", "ai4privacy", "--about")
    assert (found.status, found.err) == (0, "")
    assert "\nthe licence does not allow without further permission: commercial use, redistribution, " in found.out
    assert "sha256 known from two projects that pin the same revision" in found.out
    assert "\ncite: Ai4Privacy (2024)" in found.out
    assert "data use agreement" in cli("fetch", "i2b2", "--about").out
    assert not shelf.exists()


@pytest.mark.usefixtures("shelf")
@pytest.mark.parametrize(
    ("words", "starts", "says"),
    [
        (["tap"], "corpus 'tap': ", "did you mean tab?"),
        (["i2b2"], "i2b2: is not given out freely", "https://portal.dbmi.hms.harvard.edu"),
        (["i2b2", "--unverified", "--force"], "i2b2: is not given out freely", "agreement"),
        (["dab"], "dab: no digest is known of DAB_annotated_dataset.json", "--unverified"),
        (["dab", "--sha256", "12"], "--sha256: found '12'", "64 hexadecimal digits"),
        (["tab", "--sha256", "echr.json=12"], "--sha256: found 'echr.json'", "echr_train.json"),
        (["tab", "-o", "corpus.json"], "corpus.json: is a file; expected the name of a folder", ""),
    ],
)
def test_what_is_refused(words: list[str], starts: str, says: str, desk: Desk) -> None:
    desk.refuses("fetch", *words, starts=starts, says=(says,))


def test_before_and_after_a_download(
    site: Site, offer: Callable[[Dataset], None], cli: Callable[..., Outcome], shelf: Path
) -> None:
    licence = Licence("CC BY-NC 4.0", "https://example.org/nc", ("commercial use",))
    offer(corpus_of(site.file(), licence=licence, next="corpus {a.json}"))
    found = cli("fetch", "ours")
    assert (found.status, found.err) == (0, "")
    told = found.out.splitlines()
    assert told[0] == "ours: A corpus (Danish)"
    assert told[2:4] == [
        "licence: CC BY-NC 4.0 (https://example.org/nc)",
        "the licence does not allow without further permission: commercial use",
    ]
    assert told[5] == f"file: a.json, size not known, sha256 known from the test, from {site.address}/a.json"
    assert told[6].startswith(f"{shelf}/ours/a.json: 512.0 kB, sha256 checked, fetched 20")
    assert told[7] == f"next: showthrough corpus {shelf}/ours/a.json"
    again = cli("fetch", "ours")
    assert again.status == 0
    assert "it was there already, as it was fetched; nothing was downloaded" in again.out
    assert len(site.asked) == 1
    cli("fetch", "ours", "--force")
    assert len(site.asked) == 2


def test_another_folder(
    site: Site, offer: Callable[[Dataset], None], cli: Callable[..., Outcome], shelf: Path, tmp_path: Path
) -> None:
    offer(corpus_of(site.file()))
    assert cli("fetch", "ours", "-o", tmp_path / "mine").status == 0
    assert (tmp_path / "mine/a.json").read_bytes() == CONTENT
    assert not shelf.exists()


@pytest.mark.usefixtures("shelf")
def test_what_nobody_vouches_for_is_told_every_time(
    site: Site, offer: Callable[[Dataset], None], cli: Callable[..., Outcome]
) -> None:
    offer(corpus_of(site.file(digests={}, vouched="")))
    for words in (["--unverified"], [], ["--force"]):
        found = cli("fetch", "ours", *words)
        assert found.status == 0
        assert f"note: a.json: nobody vouches for it; its sha256 is {SHA256}" in found.err
    site.pages["/a.json"] = Page(b"another", '"two"')
    found = cli("fetch", "ours", "--force", "--unverified")
    assert found.status == 2
    assert f"expected {SHA256}" in found.err


@pytest.mark.usefixtures("shelf")
def test_ones_own_digest(site: Site, offer: Callable[[Dataset], None], cli: Callable[..., Outcome]) -> None:
    offer(corpus_of(site.file(digests={}, vouched="")))
    wrong = cli("fetch", "ours", "--sha256", "0" * 64)
    assert wrong.status == 2
    assert wrong.err.splitlines() == [
        f"{site.address}/a.json: is another file: found sha256 {SHA256}, expected {'0' * 64}; what came is not kept"
    ]
    assert cli("fetch", "ours", "--sha256", f"a.json={SHA256}").err == ""


@pytest.mark.usefixtures("shelf")
def test_md5_alone_is_little(site: Site, offer: Callable[[Dataset], None], cli: Callable[..., Outcome]) -> None:
    digest = hashlib.md5(CONTENT, usedforsecurity=False).hexdigest()
    offer(corpus_of(site.file(digests={"md5": digest})))
    found = cli("fetch", "ours")
    assert "note: a.json: md5 guards against accidents alone" in found.err
    assert "md5 checked" in found.out


def test_a_stopped_fetch_says_that_it_goes_on(
    site: Site, offer: Callable[[Dataset], None], cli: Callable[..., Outcome], shelf: Path, monkeypatch: Any
) -> None:
    offer(corpus_of(site.file()))

    def stop(self: object, name: str, done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("showthrough.cli.progress.Heartbeat.watch", stop)
        found = cli("fetch", "ours")
    assert (found.status, found.err) == (
        130,
        "note: interrupted; what came so far is kept, and the same command goes on from there\n",
    )
    came = (shelf / "ours/a.json.part").stat().st_size
    assert cli("fetch", "ours").status == 0
    assert site.asked[-1] == ("/a.json", f"bytes={came}-")


def test_from_python(site: Site, shelf: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fetching, "find_dataset", {"ours": corpus_of(site.file())}.__getitem__)
    monkeypatch.setattr(fetching, "WEB", WEB)
    assert fetch("ours") == shelf / "ours"
    assert (fetch("ours", tmp_path / "x") / "a.json").read_bytes() == CONTENT
    monkeypatch.undo()
    with pytest.raises(PlanError, match="no such corpus"):
        fetch("theirs")


def test_where_corpora_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in (PLACE, "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert corpora_folder() == tmp_path / ".local/share/showthrough/corpora"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert corpora_folder() == tmp_path / "data/showthrough/corpora"
    monkeypatch.setenv(PLACE, "~/mine")
    assert corpora_folder() == tmp_path / "mine"
