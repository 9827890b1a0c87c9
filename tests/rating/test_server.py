"""The server of raters: what it saves, and whom it answers."""

from __future__ import annotations

import http.client
import json
import socket
import stat
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from showthrough import InputError, OutputError, PlanError, read_ratings
from showthrough.formats.authorship.rating_folder import TITLE, answers_file, read_answers, read_items
from showthrough.studies.rating.server import MOST_BYTES, RatingServer, order_of

Serving = Callable[..., RatingServer]
JSON = {"Content-Type": "application/json"}

PAGE = ("<p>", "default-src 'none'")


def token_of(server: RatingServer, rater: str = "r1") -> str:
    return server.addresses[rater].partition("#")[2]


def asked(
    server: RatingServer, method: str, path: str, headers: Mapping[str, str] | None = None, body: object = None
) -> tuple[int, Any]:
    """The status and what was answered; with the token of r1 unless another is given."""
    given = {"Authorization": f"Bearer {token_of(server)}", **(JSON if body is not None else {}), **(headers or {})}
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
    connection.request(method, path, content, {key: value for key, value in given.items() if value})
    answer = connection.getresponse()
    found = answer.read()
    connection.close()
    return answer.status, json.loads(found) if answer.headers["Content-Type"] == "application/json" else found.decode()


def said(folder: Path, rater: str = "r1") -> list[tuple[str, int | None]]:
    _, items = read_items(folder)
    return [(one.item, one.value) for one in read_answers(answers_file(folder, rater), items)]


def test_raters_see_passages_and_nothing_else(serving: Serving, folder: Path) -> None:
    server = serving("r1", "r2")
    status, found = asked(server, "GET", "/items")
    assert status == 200
    assert found["rater"] == "r1"
    assert [set(item) for item in found["items"]] == [{"id", "text"}] * 6
    other = asked(server, "GET", "/items", {"Authorization": f"Bearer {token_of(server, 'r2')}"})[1]
    assert other["rater"] == "r2"
    assert sorted(one["id"] for one in other["items"]) == sorted(one["id"] for one in found["items"])
    sample, items = read_items(folder)
    assert [one["id"] for one in found["items"]] == order_of(sample, list(items), "r1")
    assert order_of(sample, list(items), "r1") != order_of(sample, list(items), "r2")


def test_answers_are_on_disk_when_they_are_answered(serving: Serving, folder: Path) -> None:
    server = serving("r1")
    assert asked(server, "POST", "/answers", body={"item": "1", "value": 2}) == (200, {"answered": ["1"]})
    assert asked(server, "POST", "/answers", body={"item": "3", "value": 0, "comment": "odd"})[0] == 200
    assert asked(server, "POST", "/answers", body={"item": "1", "value": 1}) == (200, {"answered": ["1", "3"]})
    assert asked(server, "POST", "/answers", body={"item": "3", "value": None}) == (200, {"answered": ["1"]})
    assert said(folder) == [("1", 2), ("3", 0), ("1", 1), ("3", None)]
    (rating,) = read_ratings(str(folder), ["plain", "odd"]).ratings
    assert (rating.rater, rating.value) == ("r1", 1)
    assert stat.S_IMODE(answers_file(folder, "r1").stat().st_mode) == 0o600


def test_many_at_once_lose_nothing(serving: Serving, folder: Path) -> None:
    server = serving("r1", "r2")
    tokens = [token_of(server, rater) for rater in ("r1", "r2")]
    answers = [(token, f"{item}", value) for value in (0, 1, 2) for item in range(1, 7) for token in tokens]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(
            lambda one: asked(
                server, "POST", "/answers", {"Authorization": f"Bearer {one[0]}"}, {"item": one[1], "value": one[2]}
            )[0],
            answers,
        )
        assert set(found) == {200}
    for rater in ("r1", "r2"):
        assert sorted(said(folder, rater)) == sorted((item, value) for _, item, value in answers[::2])


def test_it_goes_on_where_it_was_also_after_half_an_answer(serving: Serving, folder: Path) -> None:
    server = serving("r1")
    asked(server, "POST", "/answers", body={"item": "2", "value": 2, "comment": "fine"})
    server.close_journals()
    file = answers_file(folder, "r1")
    file.write_bytes(file.read_bytes() + b'0000abcd {"item":"3","val')
    again = serving("r1")
    assert asked(again, "GET", "/items")[1]["answers"] == [{"item": "2", "value": 2, "comment": "fine"}]
    asked(again, "POST", "/answers", body={"item": "3", "value": 1})
    assert said(folder) == [("2", 2), ("3", 1)]


def test_one_server_alone_asks_a_rater(serving: Serving, folder: Path) -> None:
    serving("r1")
    with pytest.raises(OutputError, match="another rate serve asks this rater"):
        RatingServer(folder, ["r2", "r1"], PAGE)
    serving("r2")  # which the one before let go


def test_what_cannot_be_saved_is_told_and_does_not_count(serving: Serving, folder: Path) -> None:
    server = serving("r1")
    answers_file(folder, "r1").unlink()
    status, why = asked(server, "POST", "/answers", body={"item": "1", "value": 2})
    assert status == 503
    assert "was removed or replaced" in why["error"]
    assert server.answered == {"r1": 0}


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 403),
        ({"Host": "evil.example:80"}, 403),
        ({"Host": "127.0.0.1"}, 403),
        ({"Host": "127.0.0.1:1"}, 403),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
        ({"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 403),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer "}, 401),
        ({"Authorization": "Bearer x"}, 401),
        ({"Authorization": "Bearer \xe9"}, 401),
        ({"Authorization": "Basic eDp4"}, 401),
    ],
)
@pytest.mark.parametrize(("method", "path"), [("GET", "/items"), ("POST", "/answers")])
def test_nobody_else_is_answered(
    serving: Serving, folder: Path, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    server = serving("r1")
    body = {"item": "1", "value": 2} if method == "POST" else None
    found, answer = asked(server, method, path, headers, body)
    assert (found, set(answer)) == (status, {"error"})
    assert said(folder) == []


def test_the_empty_page_may_be_followed_to_and_not_be_framed(serving: Serving) -> None:
    server = serving("r1")
    navigating = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    status, page = asked(server, "GET", "/", {**navigating, "Sec-Fetch-Dest": "document", "Authorization": ""})
    assert status == 200
    assert token_of(server) not in page
    assert "Somebody" not in page
    assert asked(server, "GET", "/", {**navigating, "Sec-Fetch-Dest": "iframe"})[0] == 403
    assert asked(server, "GET", "/", {"Host": f"localhost:{server.server_port}"})[0] == 200
    assert asked(server, "GET", "/", {"Host": f"evil.example:{server.server_port}"})[0] == 403
    assert asked(server, "GET", "/etc/passwd")[0] == 404
    assert asked(server, "POST", "/items", body={})[0] == 404


@pytest.mark.parametrize(
    ("headers", "body", "status"),
    [
        ({"Content-Type": "text/plain"}, b'{"item":"1","value":2}', 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, b"item=1&value=2", 415),
        ({"Content-Type": ""}, b'{"item":"1","value":2}', 415),
        ({}, b"{", 400),
        ({}, b"\xff\xfe", 400),
        ({}, {"item": "1", "value": 3}, 400),
        ({}, {"item": "1", "value": -1}, 400),
        ({}, {"item": "1", "value": "2"}, 400),
        ({}, {"item": "1", "value": 1.5}, 400),
        ({}, {"item": "1", "value": True}, 400),
        ({}, {"item": "9", "value": 1}, 400),
        ({}, {"item": "1"}, 400),
        ({}, {"item": "1", "value": 1, "rater": "r2"}, 400),
        ({}, {"item": "1", "value": 1, "comment": "x" * 2_001}, 400),
        ({}, {"item": "1", "value": 1, "comment": "x" * MOST_BYTES}, 413),
        ({"Content-Length": "x"}, b"", 411),
        ({"Content-Length": "-1"}, b"", 411),
        ({"Content-Length": "9" * 5_000}, b"", 413),
    ],
)
def test_what_is_no_answer_is_not_saved(
    serving: Serving, folder: Path, headers: dict[str, str], body: object, status: int
) -> None:
    server = serving("r1")
    found, answer = asked(server, "POST", "/answers", headers, body)
    assert (found, set(answer)) == (status, {"error"})
    assert said(folder) == []
    assert asked(server, "GET", "/items")[0] == 200


def test_this_machine_alone_reaches_it(serving: Serving) -> None:
    server = serving("r1")
    assert server.server_address[0] == "127.0.0.1"
    others = {str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing: asks which address would be used
        others.add(probe.getsockname()[0])
    others = {one for one in others if not one.startswith("127.")}
    if not others:
        pytest.skip("this machine has no other address")
    for address in others:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as door:
            door.settimeout(5)
            assert door.connect_ex((address, server.server_port)) != 0


def test_every_answer_says_that_nothing_may_be_kept_or_framed(serving: Serving) -> None:
    server = serving("r1")
    for path in ("/", "/items", "/none"):
        connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
        connection.request("GET", path)
        headers = connection.getresponse().headers
        connection.close()
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "Access-Control-Allow-Origin" not in headers


@pytest.mark.parametrize(
    ("raters", "says"),
    [
        ([], "none was named"),
        (["a", "A"], "named twice"),
        (["../a"], "expected letters"),
        ([""], "expected letters"),
        (["a" * 41], "expected letters"),
        ([".a"], "expected letters"),
    ],
)
def test_raters_have_names_of_files(folder: Path, raters: list[str], says: str) -> None:
    with pytest.raises(PlanError, match=says):
        RatingServer(folder, raters, PAGE)
    assert not (folder / "answers").exists()


def test_a_port_that_is_taken_is_told(serving: Serving, folder: Path) -> None:
    server = serving("r1")
    with pytest.raises(PlanError, match=f"port: found {server.server_port}, which cannot be listened on"):
        RatingServer(folder, ["r2"], PAGE, server.server_port)
    RatingServer(folder, ["r2"], PAGE).close()  # nothing of it is left


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"something else\n", "found another beginning"),
        (TITLE + b'\n00000000 {"item":"1","value":2}\n00000000 x\n00000000 y\n', "is damaged"),
    ],
)
def test_a_damaged_file_of_answers_is_told_and_left_alone(folder: Path, content: bytes, says: str) -> None:
    file = answers_file(folder, "r1")
    file.parent.mkdir()
    file.write_bytes(content)
    with pytest.raises(InputError, match=says):
        RatingServer(folder, ["r1"], PAGE)
    assert file.read_bytes() == content
