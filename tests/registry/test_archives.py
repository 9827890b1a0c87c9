"""Archives: unpacked inside their folder, or not at all."""

from __future__ import annotations

import io
import json
import os
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from registry.site import Page, Site, kept
from showthrough.core.errors import InputError, OutputError
from showthrough.formats.datasets import _archives
from showthrough.formats.datasets._archives import UNPACKED
from showthrough.formats.datasets.store import MANIFEST

FILES = {"x/a.txt": b"Oslo", "x/sub/b.txt": "山田".encode(), "x/sub/c.ann": b""}


def zipped(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)  # without the time of day: the same files have one digest
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return made.getvalue()


def tarred(files: dict[str, bytes], *others: tarfile.TarInfo, mode: str = "w:gz") -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode=mode) as archive:  # type: ignore[call-overload]
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for other in others:
            archive.addfile(other)
    return made.getvalue()


def odd(kind: bytes, name: str = "x/odd", to: str = "") -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.type, member.linkname = kind, to
    return member


def zip_link() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        entry = zipfile.ZipInfo("x/odd")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return made.getvalue()


def fetched(site: Site, folder: Path, content: bytes, name: str = "x.zip", **wish: bool) -> list[str]:
    return kept(folder, site.file(name, Page(content), unpack=True), **wish).came


def _named(value: object) -> str:
    """What a case is called: archives hold the time, and processes that share tests must call them alike."""
    return "archive" if isinstance(value, bytes) else str(value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("x.zip", zipped(FILES)),
        ("x.tar.gz", tarred(FILES)),
        ("x.tar", tarred(FILES, mode="w")),
        ("x.tar.xz", tarred(FILES, mode="w:xz")),
    ],
    ids=_named,
)
def test_archives_are_unpacked(name: str, content: bytes, site: Site, tmp_path: Path) -> None:
    """Into a folder of their name, without the one that everything in them is in; the archive itself is gone."""
    fetched(site, tmp_path, content, name)
    assert {path.name for path in tmp_path.iterdir()} == {"x", MANIFEST}
    found = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in (tmp_path / "x").rglob("*.*")}
    assert found == FILES
    if os.name == "posix":
        assert (tmp_path / "x").stat().st_mode & 0o400
    assert fetched(site, tmp_path, content, name) == []
    assert len(site.asked) == 1


def test_files_without_a_folder_get_one(site: Site, tmp_path: Path) -> None:
    fetched(site, tmp_path, zipped({"a.txt": b"1", "sub/b.txt": b"2"}))
    assert (tmp_path / "x/a.txt").read_bytes() == b"1"
    assert (tmp_path / "x/sub/b.txt").read_bytes() == b"2"


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (zipped({"../evil.txt": b"x"}), "'../evil.txt', which leads out"),
        (zipped({"x/../../evil.txt": b"x"}), "leads out"),
        (zipped({"/evil.txt": b"x"}), "leads out"),
        (zipped({"x\\..\\..\\evil.txt": b"x"}), "leads out"),
        (zipped({"C:/evil.txt": b"x"}), "leads out"),
        (zip_link(), "'x/odd', which is a link"),
        (tarred({"../evil.txt": b"x"}), "evil.txt"),
        (tarred({"/evil.txt": b"x"}), "evil.txt"),
        (tarred({}, odd(tarfile.SYMTYPE, to="../..")), "a link or a device"),
        (tarred({}, odd(tarfile.LNKTYPE, to="/etc/passwd")), "a link or a device"),
        (tarred({}, odd(tarfile.FIFOTYPE)), "a link or a device"),
        (tarred({}, odd(tarfile.CHRTYPE)), "a link or a device"),
        (zipped(FILES)[:-30], "cannot be unpacked"),
        (tarred(FILES)[:-30], "cannot be unpacked"),
        (b"no archive at all", "cannot be unpacked"),
        (zipped({}), "holds no files"),
        (zipped({"x": b"1", "x/y": b"2"}), "x"),
    ],
    ids=_named,
)
def test_bad_archives_are_refused_whole(content: bytes, says: str, site: Site, tmp_path: Path) -> None:
    before = {*tmp_path.iterdir()}
    with pytest.raises((InputError, OutputError)) as caught:
        fetched(site, tmp_path / "home", content)
    line = str(caught.value)
    assert says in line
    assert "\n" not in line
    assert {*tmp_path.iterdir()} == before
    assert not Path("/evil.txt").exists()


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("packing", ["zip", "tar"])
@pytest.mark.parametrize(
    "second",
    ["x/a\u00e9.txt", "x/A\u00c9.TXT", "x/ae\u0301.txt", "./x/a\u00e9.txt", "x//./a\u00e9.txt", "x/a\u00e9.txt/b", "x"],
)
def test_a_name_twice_is_refused(packing: str, second: str, site: Site, tmp_path: Path) -> None:
    made, first = io.BytesIO(), "x/a\u00e9.txt"
    if packing == "zip":
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr(first, "one")
            archive.writestr(second, "two")
    else:
        with tarfile.open(fileobj=made, mode="w") as packed:
            for name in (first, second):
                packed.addfile(tarfile.TarInfo(name))
    with pytest.raises(InputError) as caught:
        fetched(site, tmp_path / "c", made.getvalue())
    assert f"holds {second!r} twice, or a file and a folder of one name; nothing of it is kept" in str(caught.value)


@pytest.mark.parametrize("content", [zipped({"x/a": bytes(10**6)}), tarred({"x/a": bytes(10**6)})], ids=_named)
def test_what_unpacks_to_too_much(content: bytes, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(content) < 10_000
    monkeypatch.setenv(UNPACKED.variable, "999K")
    with pytest.raises(InputError, match=f"unpacks to more than 999 KB.*{UNPACKED.variable}"):
        fetched(site, tmp_path / "c", content)
    monkeypatch.setenv(UNPACKED.variable, "1M")
    fetched(site, tmp_path / "c", content)


def test_an_archive_that_says_less_than_it_holds(site: Site, tmp_path: Path) -> None:
    """The size that stands before every file of a zip, and once more at its end, made smaller."""
    content = zipped({"x/a": b"y" * 70_000})
    lying = content.replace((70_000).to_bytes(4, "little"), (7).to_bytes(4, "little"))
    assert lying != content
    with pytest.raises(InputError, match="cannot be unpacked"):
        fetched(site, tmp_path / "c", lying)


def test_too_many_files(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_archives, "MOST_FILES", 2)
    with pytest.raises(InputError, match="holds more than 2 files"):
        fetched(site, tmp_path / "c", zipped(FILES))


def test_a_changed_file_of_an_archive_is_named(site: Site, tmp_path: Path) -> None:
    """Also where another one is gone, which alone would be fetched again."""
    fetched(site, tmp_path, zipped(FILES))
    (tmp_path / "x/sub/b.txt").write_text("changed")
    for gone in (False, True):
        (tmp_path / "x/a.txt").unlink() if gone else None
        with pytest.raises(InputError, match=r"x/sub/b\.txt: is another file.*--force"):
            fetched(site, tmp_path, zipped(FILES))
    (tmp_path / "x/sub/b.txt").unlink()
    assert fetched(site, tmp_path, zipped(FILES)) == ["x.zip"]
    assert (tmp_path / "x/sub/b.txt").read_bytes() == FILES["x/sub/b.txt"]
    members = json.loads((tmp_path / MANIFEST).read_bytes())["files"]["x.zip"]["members"]
    assert [path for path, _ in members] == list(FILES)


def test_what_a_user_put_beside_them_is_not_lost(site: Site, tmp_path: Path) -> None:
    fetched(site, tmp_path, zipped(FILES))
    (tmp_path / "x/mine.txt").write_text("mine")
    assert fetched(site, tmp_path, zipped(FILES)) == []
    with pytest.raises(OutputError, match=r"x/mine\.txt: was not fetched"):
        fetched(site, tmp_path, zipped(FILES), force=True)
    assert (tmp_path / "x/mine.txt").read_text() == "mine"


def test_a_users_own_folder_is_never_replaced(site: Site, tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/mine.txt").write_text("mine")
    for force in (False, True):
        with pytest.raises(OutputError, match="x: exists already, and was not fetched"):
            fetched(site, tmp_path, zipped(FILES), force=force)
    assert (tmp_path / "x/mine.txt").read_text() == "mine"
    assert site.asked == []
