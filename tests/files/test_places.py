"""Where a file is: here, or elsewhere by a URL whose secrets nobody reads."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest

from showthrough.core.errors import InputError
from showthrough.storage.file_heads import Head
from showthrough.storage.paths import Remote, as_path, file_state
from showthrough.storage.reading import open_file, read_bytes, stem, suffix
from showthrough.storage.shards import Shards, name_of, numbered_alike, shards_of


@pytest.mark.parametrize(
    "url", ["s3://bucket/a/b-1.jsonl.zst", "gs://b/k.json", "hdfs://node:8020/notes.json", "http://host:80/x.json"]
)
def test_a_url_that_a_command_line_made_a_path_of_is_one_again(url: str) -> None:
    for given in (url, Path(url), Remote.at(url)):
        place = as_path(given)
        assert isinstance(place, Remote)
        assert (str(place), place.url, f"{place}") == (url, url, url)


@pytest.mark.parametrize("name", ["corpus.json", "C:/x.json", "a:b.json", "x/s3:/y", "/s3:/y", "s3:"])
def test_all_else_is_here(name: str) -> None:
    assert not isinstance(as_path(name), Remote)
    assert as_path(name) == Path(name)
    assert as_path("file:///tmp/x.json") == Path("/tmp/x.json")


def test_a_folder_that_is_called_like_a_storage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s3:").mkdir()
    (tmp_path / "s3:" / "x.json").write_bytes(b"{}")
    assert read_bytes(as_path(Path("s3://x.json"))) == b"{}"


def test_what_opens_a_file_is_in_no_name() -> None:
    place = as_path("https://user:secret@host/notes/x.jsonl.gz?X-Amz-Signature=secret&a=/b#c")
    assert isinstance(place, Remote)
    assert str(place) == "https://host/notes/x.jsonl.gz"
    assert "secret" not in f"{place!r}{place.parent}{place.with_suffix('')}"
    assert (suffix(place), stem(place), place.name) == (".jsonl", "x", "x.jsonl.gz")
    again = pickle.loads(pickle.dumps(place))  # noqa: S301
    assert (again, again.url) == (place, place.url)


@pytest.fixture
def memory() -> Iterator[fsspec.AbstractFileSystem]:
    storage = fsspec.filesystem("memory")
    storage.store.clear()
    yield storage
    storage.store.clear()


def test_a_file_elsewhere_reads_like_one_here(memory: fsspec.AbstractFileSystem) -> None:
    content = bytes(range(256)) * 10_000
    memory.pipe("/notes/x.bin", content)
    place = as_path("memory://notes/x.bin")
    assert place.exists()
    assert not as_path("memory://notes/y.bin").exists()
    assert place.stat().st_size == len(content)
    with open_file(place) as file:
        assert file.read(10) == content[:10]
        file.seek(1_000_000)
        assert file.read(10) == content[1_000_000:1_000_010]
        assert file_state(file) == file_state(place)
        before = file_state(file)
    memory.pipe("/notes/x.bin", content[:-1])
    with open_file(as_path("memory://notes/x.bin")) as file:
        assert file_state(file) != before


def test_patterns(memory: fsspec.AbstractFileSystem, tmp_path: Path) -> None:
    for name in ("c-10.json", "c-2.json", "d.json", "c-[1].json"):
        memory.pipe(f"/notes/{name}", b"{}")
        (tmp_path / name).write_bytes(b"{}")
    for home in ("memory://notes", str(tmp_path)):
        found = shards_of(f"{home}/c-?*.json")
        assert found is not None
        assert [path.name for path in found.paths] == ["c-10.json", "c-2.json", "c-[1].json"]
        assert shards_of(f"{home}/d.json") is None
        assert shards_of(f"{home}/c-[1].json") is None  # a name that is there means that
        with pytest.raises(InputError) as caught:
            shards_of(f"{home}/e-*.json")
        assert str(caught.value).startswith(f"{home}/e-*.json: no file matches")
    head = Head(tmp_path / "c-*.json")
    assert (head.path.name, Path(head).name) == ("c-10.json", "c-*.json")


def test_lists(tmp_path: Path) -> None:
    paths = [tmp_path / f"part-{number:02}.json" for number in (9, 10, 11)]
    for path in paths:
        path.write_bytes(b"{}")
    shards = Shards.from_paths(paths)
    assert (list(shards.paths), shards.pattern, shards.name) == (paths, tmp_path / "part-*.json", "part")
    assert Shards.from_paths([paths[0], tmp_path / "part-1*.json"]).paths == tuple(paths)
    with pytest.raises(InputError, match="is named twice"):
        Shards.from_paths([*paths, paths[0]])
    with pytest.raises(InputError, match="empty list"):
        Shards.from_paths([])
    (tmp_path / "part-3").mkdir()
    (tmp_path / "part-4").mkdir()
    with pytest.raises(InputError, match="no file matches"):
        shards_of(tmp_path / "part-?")


@pytest.mark.parametrize(
    ("pattern", "name"),
    [("a/c-*.jsonl.zst", "c"), ("a/*.json", "a"), ("*", "corpus"), ("c_part_[0-9].csv", "c_part"), ("x.json", "x")],
)
def test_names(pattern: str, name: str) -> None:
    assert name_of(Path(pattern)) == name


@pytest.mark.parametrize(
    ("first", "other", "alike"),
    [
        ("c/p-1.json", "c/p-20.json", True),
        ("c/p-1.json", "d/p-1.json", False),
        ("c/p-1.json", "c/p-1.json", False),
        ("c/p-1.json", "c/p.json", False),
        ("2019/a-1.csv", "2020/a-1.csv", True),
    ],
)
def test_names_that_differ_in_digits_alone(first: str, other: str, alike: bool) -> None:
    assert numbered_alike(Path(first), Path(other)) is alike


def test_storages_that_nobody_has(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match=r"foo://b/x: cannot be read: no storage is known by foo://"):
        read_bytes(as_path("foo://b/x"))
    monkeypatch.setitem(__import__("sys").modules, "paramiko", None)
    lacking = r"ssh://b/x: ssh:// needs a package that is not installed: .*paramiko.*; or copy the file to this machine"
    with pytest.raises(InputError, match=lacking):
        read_bytes(as_path("ssh://b/x"))
    monkeypatch.setitem(__import__("sys").modules, "fsspec.core", None)
    lacking = r"s3:// needs a package that is not installed: pip install 'showthrough\[remote\]'"
    with pytest.raises(InputError, match=lacking):
        read_bytes(as_path("s3://b/x"))
