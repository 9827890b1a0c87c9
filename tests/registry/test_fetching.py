"""Files from a web site on this machine: whole and checked, or not there."""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from pathlib import Path

import pytest

from registry.site import CONTENT, WEB, Page, Site, corpus_of, kept
from showthrough.core.errors import InputError, OutputError, PlanError, ShowthroughError
from showthrough.formats.datasets._downloads import MOST
from showthrough.formats.datasets._web import Web
from showthrough.formats.datasets.entries import PublishedFile
from showthrough.formats.datasets.fetching import Wish, keep
from showthrough.formats.datasets.store import MANIFEST

SHA256 = hashlib.sha256(CONTENT).hexdigest()


def there(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def fails(folder: Path, site: Site, page: Page, *says: str, web: Web = WEB, **about: object) -> None:
    """One line that names the address, and no file."""
    file = site.file(page=page, **about)
    with pytest.raises(InputError) as caught:
        kept(folder, file, web=web)
    line = str(caught.value)
    assert line.startswith(file.url)
    assert "\n" not in line
    assert [word for word in says if word not in line] == []
    assert "a.json" not in there(folder)


def test_a_file_comes_whole(site: Site, tmp_path: Path) -> None:
    found = kept(tmp_path / "new" / "c", site.file(), site.file("b.json", Page(b"[]")))
    assert (tmp_path / "new/c/a.json").read_bytes() == CONTENT
    assert found.came == ["a.json", "b.json"]
    assert there(found.folder) == {"a.json", "b.json", MANIFEST}
    written = json.loads((found.folder / MANIFEST).read_bytes())
    assert written["licence"]["name"] == "MIT"
    assert written["files"]["a.json"]["url"] == f"{site.address}/a.json"
    assert written["files"]["a.json"]["sha256"] == SHA256
    assert written["files"]["a.json"]["fetched"].endswith("+00:00")


def test_what_is_there_is_not_asked_for(site: Site, tmp_path: Path) -> None:
    """Also without a network, and in a folder that cannot be written."""
    file = site.file()
    kept(tmp_path, file)
    asked = list(site.asked)
    site.close()
    found = kept(tmp_path, file)
    assert (found.came, site.asked) == ([], asked)


def test_what_is_gone_is_fetched_again(site: Site, tmp_path: Path) -> None:
    files = site.file(), site.file("b.json", Page(b"[]"))
    kept(tmp_path, *files)
    (tmp_path / "b.json").unlink()
    assert kept(tmp_path, *files).came == ["b.json"]


def test_what_somebody_changed_is_told_and_left(site: Site, tmp_path: Path) -> None:
    file = site.file()
    kept(tmp_path, file)
    (tmp_path / "a.json").write_bytes(b"mine")
    with pytest.raises(InputError, match=f"changed after.*--force|{SHA256}") as caught:
        kept(tmp_path, file)
    assert hashlib.sha256(b"mine").hexdigest() in str(caught.value)
    assert (tmp_path / "a.json").read_bytes() == b"mine"
    assert kept(tmp_path, file, force=True).came == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == CONTENT


def test_another_version_in_the_table_replaces_the_old_one(site: Site, tmp_path: Path) -> None:
    kept(tmp_path, site.file())
    newer = site.file(page=Page(b"newer"))
    assert kept(tmp_path, newer).came == ["a.json"]
    assert (tmp_path / "a.json").read_bytes() == b"newer"


# What was begun.


def begun(site: Site, folder: Path, page: Page, cut: int = 200_000) -> str:
    """Fetches the beginning of a page, whose connection is cut, and gives what is told."""
    page.cut = cut
    file = site.file(page=page)
    with pytest.raises(InputError) as caught:
        kept(folder, file)
    page.cut = None
    assert (folder / "a.json.part").stat().st_size == cut
    return str(caught.value)


def test_a_cut_connection_goes_on_where_it_was(site: Site, tmp_path: Path) -> None:
    page = Page()
    assert "200,000 of 512,000 bytes" in begun(site, tmp_path, page)
    assert kept(tmp_path, site.file(page=page)).came == ["a.json"]
    assert site.asked[-1] == ("/a.json", "bytes=200000-")
    assert (tmp_path / "a.json").read_bytes() == CONTENT
    assert there(tmp_path) == {"a.json", MANIFEST}


@pytest.mark.parametrize("tags", [{"etag": 'W/"weak"'}, {"etag": "", "changed": "Mon, 01 Jan 2024 00:00:00 GMT"}])
def test_other_tags_serve_as_well(tags: dict[str, str], site: Site, tmp_path: Path) -> None:
    page = Page(**tags)
    begun(site, tmp_path, page)
    kept(tmp_path, site.file(page=page))
    assert [ranges for _, ranges in site.asked] == ["", "bytes=200000-"]
    assert (tmp_path / "a.json").read_bytes() == CONTENT


def test_without_a_tag_nobody_knows_whose_beginning_it_is(site: Site, tmp_path: Path) -> None:
    page = Page(etag="")
    begun(site, tmp_path, page)
    kept(tmp_path, site.file(page=page))
    assert [ranges for _, ranges in site.asked] == ["", ""]


def test_a_server_without_ranges_begins_again(site: Site, tmp_path: Path) -> None:
    page = Page(ranges=False)
    begun(site, tmp_path, page)
    kept(tmp_path, site.file(page=page))
    assert (tmp_path / "a.json").read_bytes() == CONTENT


@pytest.mark.parametrize("if_range", [True, False])
@pytest.mark.parametrize("length", [1_000, 300_000, 600_000])
def test_a_file_that_changed_begins_again(length: int, if_range: bool, site: Site, tmp_path: Path) -> None:
    """Whether the server heeds If-Range or not, and whether the new one is shorter than what came of the old one."""
    begun(site, tmp_path, Page())
    new = Page(b"n" * length, '"two"', if_range=if_range)
    kept(tmp_path, site.file(page=new))
    assert (tmp_path / "a.json").read_bytes() == new.content


def test_a_file_that_came_whole_and_was_not_yet_checked(site: Site, tmp_path: Path) -> None:
    page = Page()
    begun(site, tmp_path, page)
    (tmp_path / "a.json.part").write_bytes(CONTENT)
    kept(tmp_path, site.file(page=page))
    assert len(site.asked) == 1
    assert (tmp_path / "a.json").read_bytes() == CONTENT


def test_a_stopped_download_keeps_what_came(site: Site, tmp_path: Path) -> None:
    file = site.file()

    def stop(_: str, done: int, total: int) -> None:
        if done > 100_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        keep(corpus_of(file), tmp_path, watch=stop, web=WEB)
    came = (tmp_path / "a.json.part").stat().st_size
    assert came > 100_000
    kept(tmp_path, file)
    assert site.asked[-1] == ("/a.json", f"bytes={came}-")
    assert (tmp_path / "a.json").read_bytes() == CONTENT


# What is refused.


@pytest.mark.parametrize("kind", ["sha256", "md5", "git-blob-sha1"])
def test_a_wrong_digest_is_refused_and_not_kept(kind: str, site: Site, tmp_path: Path) -> None:
    """Nor is what came before: the next call would end at the same."""
    wrong = "0" * (64 if kind == "sha256" else 32 if kind == "md5" else 40)
    fails(tmp_path / "c", site, Page(), f"found {kind} ", f"expected {wrong}", digests={kind: wrong})
    assert there(tmp_path / "c") == set()


def test_a_beginning_of_another_file_is_found_out(site: Site, tmp_path: Path) -> None:
    page = Page()
    begun(site, tmp_path, page)
    (tmp_path / "a.json.part").write_bytes(b"x" * 200_000)
    with pytest.raises(InputError, match="is another file"):
        kept(tmp_path, site.file(page=page))
    kept(tmp_path, site.file(page=page))
    assert (tmp_path / "a.json").read_bytes() == CONTENT


@pytest.mark.parametrize(("status", "reason"), [(404, "Not Found"), (500, "Internal Server Error"), (403, "Forbidden")])
def test_a_server_that_refuses(status: int, reason: str, site: Site, tmp_path: Path) -> None:
    fails(tmp_path / "c", site, Page(status=status), f"answered {status} {reason}")
    assert not (tmp_path / "c").exists()


def test_a_server_that_says_nothing(site: Site, tmp_path: Path) -> None:
    fails(tmp_path, site, Page(wait=1.5), "nothing came for 0.2 seconds", web=Web(frozenset({"http"}), 0.2))


def test_a_server_that_stops_in_the_middle(tmp_path: Path) -> None:
    """It keeps the connection and sends no more."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            connection.recv(4096)
            connection.sendall(b'HTTP/1.1 200 OK\r\nETag: "x"\r\nContent-Length: 100\r\n\r\n0123456789')
            stopped.wait(10)
            connection.close()

        stopped = threading.Event()
        threading.Thread(target=serve, daemon=True).start()
        file = PublishedFile(f"http://127.0.0.1:{server.getsockname()[1]}/a.json", digests={"sha256": SHA256})
        with pytest.raises(InputError, match=r"nothing came for 0\.2 seconds"):
            kept(tmp_path, file, web=Web(frozenset({"http"}), 0.2))
        stopped.set()
    assert (tmp_path / "a.json.part").read_bytes() == b"0123456789"


def test_what_is_no_http(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            connection.recv(4096)
            connection.sendall(b"SSH-2.0-nothing\r\n")
            connection.close()

        threading.Thread(target=serve, daemon=True).start()
        file = PublishedFile(f"http://127.0.0.1:{server.getsockname()[1]}/a.json", digests={"sha256": SHA256})
        with pytest.raises(InputError, match="no HTTP"):
            kept(tmp_path, file)


def test_nobody_there(site: Site, tmp_path: Path) -> None:
    file = site.file()
    site.close()
    with pytest.raises(InputError, match="cannot be reached: Connection refused"):
        kept(tmp_path / "c", file)
    nowhere = PublishedFile("http://nowhere.invalid/a.json", digests=file.digests)
    with pytest.raises(InputError, match=r"nowhere\.invalid/a\.json: cannot be reached"):
        kept(tmp_path / "c", nowhere)
    assert not (tmp_path / "c").exists()


def test_only_https_is_asked(site: Site, tmp_path: Path) -> None:
    for url in (f"{site.address}/a.json", (tmp_path / "x").as_uri(), "ftp://x.org/a", "data:,x/a.json"):
        file = PublishedFile(url, digests={"sha256": SHA256}, saved_as="a.json")
        with pytest.raises(InputError, match="is not https; nothing was fetched"):
            keep(corpus_of(file), tmp_path / "c")
    assert site.asked == []


def test_a_redirection_is_followed(site: Site, tmp_path: Path) -> None:
    site.file("b.json")
    file = site.file(page=Page(status=302, location="/b.json"))
    kept(tmp_path, file)
    assert (tmp_path / "a.json").read_bytes() == CONTENT


@pytest.mark.parametrize("elsewhere", ["ftp://x.org/a.json", "https://x.org/a.json"])
def test_a_redirection_to_another_scheme_is_not(elsewhere: str, site: Site, tmp_path: Path) -> None:
    """As from https to http; here the other way, since the site has no certificate."""
    fails(tmp_path / "c", site, Page(status=302, location=elsewhere), f"leads to {elsewhere}, which is not http")


def test_a_redirection_to_a_file_of_this_machine_is_not(site: Site, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(CONTENT)
    page = Page(status=302, location=(tmp_path / "secret").as_uri())
    fails(tmp_path / "c", site, page, "answered 302")


def test_redirections_in_a_circle(site: Site, tmp_path: Path) -> None:
    fails(tmp_path, site, Page(status=302, location="/a.json"), "answered 302")


def test_a_proxy_is_used(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://nowhere.invalid/a.json"
    site.pages[url] = Page()
    monkeypatch.setenv("http_proxy", site.address)
    kept(tmp_path, PublishedFile(url, digests={"sha256": SHA256}, vouched="us"))
    assert site.asked == [(url, "")]


def test_a_file_of_another_size_is_not_waited_for(site: Site, tmp_path: Path) -> None:
    fails(tmp_path / "c", site, Page(), "found 512,000 bytes, expected 511,999", size=511_999)
    assert there(tmp_path / "c") == set()


@pytest.mark.parametrize(("size", "says"), [(511_999, "more than 511,999"), (512_001, "found 512,000 bytes")])
def test_nor_one_whose_size_the_server_does_not_say(size: int, says: str, site: Site, tmp_path: Path) -> None:
    fails(tmp_path / "c", site, Page(says_length=False), says, size=size)
    assert there(tmp_path / "c") == set()


@pytest.mark.parametrize("says_length", [True, False])
def test_a_file_without_end(says_length: bool, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MOST.variable, "400K")
    page = Page(says_length=says_length)
    fails(tmp_path / "c", site, page, f"{MOST.variable}=800K")
    assert there(tmp_path / "c") == set()


def test_a_packed_answer_is_not_taken_for_the_file(site: Site, tmp_path: Path) -> None:
    fails(tmp_path, site, Page(headers={"Content-Encoding": "gzip"}), "packs it (gzip)")


def test_a_full_disk(site: Site, tmp_path: Path) -> None:
    """/dev/full takes the part's place."""
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    (tmp_path / "a.json.part").symlink_to("/dev/full")
    with pytest.raises(OutputError, match="cannot be written: No space left on device"):
        kept(tmp_path, site.file())
    assert "a.json" not in there(tmp_path)


def test_a_file_where_the_folder_should_be(site: Site, tmp_path: Path) -> None:
    (tmp_path / "c").write_text("mine")
    with pytest.raises(ShowthroughError, match=r"c: cannot be written|Not a directory"):
        kept(tmp_path / "c", site.file())
    assert site.asked == []


def test_a_folder_that_cannot_be_written_is_told_before_anything_is_asked(site: Site) -> None:
    if not Path("/proc/self").is_dir():
        pytest.skip("no /proc here")
    with pytest.raises(OutputError, match="/proc/self: cannot be written"):  # a link, too
        kept(Path("/proc/self"), site.file())
    assert site.asked == []


def test_a_link_to_a_folder_is_one(site: Site, tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "near").symlink_to("far")
    kept(tmp_path / "near", site.file())
    assert there(tmp_path / "far") == {"a.json", MANIFEST}


def test_a_users_empty_folder_stays(site: Site, tmp_path: Path) -> None:
    fails(tmp_path, site, Page(status=404), "404")
    assert tmp_path.exists()


def test_the_folder_of_another_corpus(site: Site, tmp_path: Path) -> None:
    kept(tmp_path, site.file())
    with pytest.raises(OutputError, match="holds the corpus ours; choose another folder for theirs"):
        keep(corpus_of(site.file(), name="theirs"), tmp_path, web=WEB)


def test_a_broken_manifest_is_told(site: Site, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"corpus": 3}')
    with pytest.raises(InputError, match=MANIFEST):
        kept(tmp_path, site.file())


# What stands there already.


def test_a_users_own_copy_is_taken_for_what_it_is(site: Site, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(CONTENT)
    assert kept(tmp_path, site.file()).came == []
    assert site.asked == []
    assert kept(tmp_path, site.file()).files[0].sha256 == SHA256


def test_a_users_other_file_is_not_replaced(site: Site, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"a\.json: exists already, and is another file"):
        kept(tmp_path, site.file())
    assert site.asked == []
    kept(tmp_path, site.file(), force=True)
    assert (tmp_path / "a.json").read_bytes() == CONTENT


# Files that nobody knows.


def test_a_file_without_a_digest_is_refused(site: Site, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"no digest is known of a\.json.*--sha256 a\.json=HEX.*--unverified"):
        kept(tmp_path / "c", site.file(digests={}, vouched=""))
    assert site.asked == []
    assert not (tmp_path / "c").exists()


def test_taken_as_it_comes_it_must_come_again(site: Site, tmp_path: Path) -> None:
    file = site.file(digests={}, vouched="")
    first = kept(tmp_path, file, unverified=True).files[0]
    assert (first.sha256, first.digests, first.vouched) == (SHA256, {}, "")
    assert kept(tmp_path, file).came == []
    site.pages["/a.json"] = Page(b"another", '"two"')
    for unverified in (False, True):
        with pytest.raises(InputError, match=f"expected {SHA256}"):
            kept(tmp_path, file, force=True, unverified=unverified)
    assert (tmp_path / "a.json").read_bytes() == CONTENT
    assert kept(tmp_path, file).files[0].vouched == ""


def test_a_digest_that_is_known_by_now_vouches_for_what_is_there(site: Site, tmp_path: Path) -> None:
    kept(tmp_path, site.file(digests={}, vouched=""), unverified=True)
    for _ in range(2):
        found = kept(tmp_path, site.file())
        assert (found.came, found.files[0].vouched) == ([], "the test")
    written = json.loads((tmp_path / MANIFEST).read_bytes())["files"]["a.json"]
    assert (written["vouched"], written["digests"]) == ("the test", {"sha256": SHA256})


def test_a_users_digest_is_held_to(site: Site, tmp_path: Path) -> None:
    file = site.file(digests={}, vouched="")
    with pytest.raises(InputError, match=f"found sha256 {SHA256}, expected {'0' * 64}"):
        kept(tmp_path / "c", file, sha256={"": "0" * 64})
    found = kept(tmp_path / "c", file, sha256={"a.json": SHA256.upper()}).files[0]
    assert (found.digests, found.vouched) == ({"sha256": SHA256}, "you")


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"": "abc"}, "found 'abc'; expected the 64 hexadecimal digits"),
        ({"x.json": "0" * 64}, "found 'x.json', which ours does not have; it has a.json"),
        ({"a.json": "0" * 64}, f"which is known by {SHA256}"),
    ],
)
def test_digests_that_cannot_be(given: dict[str, str], says: str, site: Site, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=says):
        kept(tmp_path, site.file(), sha256=given)
    assert site.asked == []


def test_one_digest_for_two_files(site: Site, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"one digest for 2 files; expected FILE=HEX, of a\.json, b\.json"):
        kept(tmp_path, site.file(), site.file("b.json"), sha256={"": SHA256})


def test_a_corpus_that_takes_an_agreement_is_never_fetched(site: Site, tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"ours: is not given out freely: it takes a form; see https://x\.org"):
        keep(corpus_of(agreement="a form"), tmp_path, Wish(force=True, unverified=True), web=WEB)


# Several at once.


def test_two_fetches_at_once_download_once(site: Site, tmp_path: Path) -> None:
    file = site.file(page=Page(wait=0.2))
    found = []
    threads = [threading.Thread(target=lambda: found.append(kept(tmp_path, file))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(len(one.came) for one in found) == [0, 0, 0, 1]
    assert len(site.asked) == 1
    assert (tmp_path / "a.json").read_bytes() == CONTENT


def test_after_a_failure_the_next_one_in_line_goes_on(site: Site, tmp_path: Path) -> None:
    """The first removes its empty folder, which the second already waits for."""
    bad = site.file("bad.json", Page(wait=0.3, status=404))
    good = site.file()
    refused: list[InputError] = []

    def fail() -> None:
        try:
            kept(tmp_path / "c", bad)
        except InputError as error:
            refused.append(error)

    first = threading.Thread(target=fail)
    first.start()
    while not site.asked:
        time.sleep(0.01)
    assert kept(tmp_path / "c", good).came == ["a.json"]
    first.join()
    assert len(refused) == 1
