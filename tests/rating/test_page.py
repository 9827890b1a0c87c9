"""The page of raters in a real browser: what people do, and what other pages try."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from browsing import Window
from showthrough import read_ratings
from showthrough.formats.authorship.rating_folder import answers_file, latest_answers, read_answers, read_items
from showthrough.studies.rating.server import RatingServer

Serving = Callable[..., RatingServer]
Visit = Callable[..., Window]


@pytest.fixture
def visit(browser: Any) -> Iterator[Visit]:
    """`visit(address)` opens a page in a browser of its own."""
    contexts = []

    def show(address: str, **options: Any) -> Window:
        contexts.append(browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | options)))
        return Window(contexts[-1]).open(address)

    yield show
    for context in contexts:
        context.close()


def answers(folder: Path, rater: str = "r1") -> dict[str, tuple[int | None, str]]:
    """By passage, as they are on disk."""
    _, items = read_items(folder)
    found = latest_answers(read_answers(answers_file(folder, rater), items))
    return {items[key].text.strip(): (one.value, one.comment) for key, one in found.items()}


def rated(view: Window, number: int) -> None:
    """Waits until so many are rated, as the page says."""
    view.until(lambda: view.text("#told").startswith(f"{number} of"))


def press(view: Window, *keys: str) -> None:
    for key in keys:
        view.tab.keyboard.press(key)


def test_keys_rate_and_everything_is_saved(serving: Serving, visit: Visit, folder: Path) -> None:
    server = serving("r1")
    view = visit(server.addresses["r1"])
    assert view.text("#who") == "You rate as r1."
    seen = []
    for key in "210120":
        seen.append(view.text("#passage").strip())
        press(view, key)
    view.tab.locator("#done").wait_for()
    rated(view, 6)
    view.until(lambda: len(answers(folder)) == 6)
    assert answers(folder) == {text: (int(key), "") for text, key in zip(seen, "210120", strict=True)}
    assert (view.errors, view.stopped()) == ([], [])
    assert all(one.startswith(f"http://127.0.0.1:{server.server_port}/") for one in view.requests)


def test_what_was_written_is_shown_as_text(serving: Serving, visit: Visit) -> None:
    view = visit(serving("r1").addresses["r1"])
    seen = set()
    for _ in range(6):
        seen.add(view.text("#passage").strip())
        press(view, "1")
    assert '<img src=x onerror="alert(1)"> 0 met <b>Bob</b> & me.' in seen
    assert view.tab.locator("main img, #passage *").count() == 0
    assert (view.errors, view.stopped()) == ([], [])
    told = view.tab.locator("body").inner_text()
    assert not any(word in told for word in ("plain", "odd", "d0"))  # neither system nor document


def test_undo_comment_and_skip(serving: Serving, visit: Visit, folder: Path) -> None:
    view = visit(serving("r1").addresses["r1"])
    assert view.tab.locator("#undo").is_disabled()
    first = view.text("#passage").strip()
    press(view, "c")
    view.tab.keyboard.type("2 of 10, u see: <odd>")  # no keys of the page, here
    press(view, "Escape", "1")
    second = view.text("#passage").strip()
    assert second != first
    assert view.tab.locator("#comment").input_value() == ""
    view.until(lambda: answers(folder) == {first: (1, "2 of 10, u see: <odd>")})
    press(view, "u")
    assert view.text("#passage").strip() == first
    assert view.tab.locator("#comment").input_value() == "2 of 10, u see: <odd>"
    assert view.tab.locator("[aria-pressed='true']").get_attribute("data-value") == "1"
    view.until(lambda: answers(folder) == {})
    view.tab.locator("[data-value='0']").click()
    view.until(lambda: answers(folder) == {first: (0, "2 of 10, u see: <odd>")})
    assert view.text("#passage").strip() == second
    press(view, "s")
    assert view.text("#passage").strip() != second
    press(view, "2", "2", "2", "2")
    assert view.text("#passage").strip() == second  # it comes back at the end
    assert view.tab.locator("#skip").is_disabled()
    press(view, "2")
    view.tab.locator("#done").wait_for()
    press(view, "u")
    assert view.text("#passage").strip() == second
    view.until(lambda: len(answers(folder)) == 5)


def test_it_resumes_after_a_reload_and_on_another_server(serving: Serving, visit: Visit, folder: Path) -> None:
    server = serving("r1")
    view = visit(server.addresses["r1"])
    press(view, "2", "1")
    rated(view, 2)
    third = view.text("#passage").strip()
    view.until(lambda: len(answers(folder)) == 2)
    view.tab.on("dialog", lambda dialog: dialog.accept())  # until the page knows that all is saved, it asks who leaves
    view.open(server.addresses["r1"])
    view.tab.reload()
    view.tab.locator("html[data-ready]").wait_for(state="attached")
    assert (view.text("#told"), view.text("#passage").strip()) == ("2 of 6 rated", third)
    server.close_journals()
    other = visit(serving("r1").addresses["r1"])
    assert (other.text("#told"), other.text("#passage").strip()) == ("2 of 6 rated", third)
    press(other, "u")  # also what was said before
    rated(other, 1)
    other.until(lambda: len(answers(folder)) == 1)


def test_two_browsers_of_one_rater_lose_nothing(serving: Serving, visit: Visit, folder: Path) -> None:
    server = serving("r1")
    one, two = (visit(server.addresses["r1"]) for _ in range(2))
    first = one.text("#passage").strip()
    assert two.text("#passage").strip() == first
    press(one, "2")
    one.until(lambda: len(answers(folder)) == 1)
    press(two, "0")  # of the same passage: the last one counts
    one.until(lambda: answers(folder) == {first: (0, "")})
    press(one, "1")
    one.until(lambda: len(answers(folder)) == 2)
    second = two.text("#passage").strip()
    press(two, "s", "1")
    rated(two, 3)  # with what the other page said
    one.until(lambda: len(answers(folder)) == 3)
    press(two, *"111")
    two.tab.locator("#done").wait_for()
    one.until(lambda: len(answers(folder)) == 6)
    assert answers(folder)[first] == (0, "")
    assert answers(folder)[second] == (1, "")


def test_two_raters_at_once(serving: Serving, visit: Visit, folder: Path) -> None:
    server = serving("r1", "r2")
    one, two = (visit(server.addresses[rater]) for rater in ("r1", "r2"))
    for _ in range(6):
        press(one, "2")
        press(two, "0")
    one.until(lambda: len(answers(folder, "r1")) == len(answers(folder, "r2")) == 6)
    ratings = read_ratings(str(folder), ["plain", "odd"])
    assert {(one.rater, one.value) for one in ratings.ratings} == {("r1", 2), ("r2", 0)}
    assert len(ratings) == 12


def serve(folder: Path, port: int = 0) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "showthrough", "rate", "serve", str(folder), "--rater", "r1", "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert process.stdout is not None
    return process, process.stdout.readline().split()[1]


def test_a_killed_server_loses_nothing_that_was_saved_and_the_page_keeps_the_rest(visit: Visit, folder: Path) -> None:
    process, address = serve(folder)
    try:
        view = visit(address)
        press(view, "2", "1")
        view.until(lambda: len(answers(folder)) == 2)
        process.send_signal(signal.SIGKILL)
        process.wait()
        press(view, "0")
        view.tab.locator("#notice:not([hidden])").wait_for()
        assert view.text("#notice").startswith("The server does not answer. 1 answer will be sent again")
        assert len(answers(folder)) == 2
        port = int(address.split(":")[2].split("/")[0])
        process, again = serve(folder, port)  # no stale lock keeps it from beginning
        view.until(lambda: "was started anew" in view.text("#notice"))
        other = visit(again)
        assert other.text("#told") == "2 of 6 rated"
        press(other, "0")
        other.until(lambda: len(answers(folder)) == 3)
        process.send_signal(signal.SIGTERM)
        assert process.communicate(timeout=20)[0].splitlines()[-1] == "r1 rated 3 of 6"
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()


def test_what_waits_is_sent_when_the_server_is_back(serving: Serving, visit: Visit, folder: Path) -> None:
    view = visit(serving("r1").addresses["r1"])
    first = view.text("#passage").strip()
    view.tab.context.set_offline(True)
    press(view, "2", "1")
    view.until(lambda: "2 answers will be sent again" in view.text("#notice"))
    assert answers(folder) == {}
    view.tab.context.set_offline(False)
    view.until(lambda: len(answers(folder)) == 2)
    assert answers(folder)[first] == (2, "")
    view.until(lambda: not view.tab.locator("#notice").is_visible())


def test_without_a_token_there_is_nothing_to_see(serving: Serving, visit: Visit) -> None:
    server = serving("r1")
    for fragment in ("", "#x"):
        view = visit(f"http://127.0.0.1:{server.server_port}/{fragment}")
        assert view.text("#notice").startswith("Nothing to show: found no token that is known")
        assert not view.tab.locator("#asking").is_visible()


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """A page of another origin."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<!doctype html><title>elsewhere</title><html data-ready>")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield f"http://localhost:{server.server_port}/"
    server.shutdown()
    thread.join()
    server.server_close()


TRIES = """async ({ there, token, body }) => {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const attempt = async (work) => { try { return await work(); } catch (error) { return "stopped"; } };
  const said = [
    await attempt(async () => (await fetch(`${there}items`, { headers })).text()),
    await attempt(async () => (await fetch(`${there}answers`, { method: "POST", headers, body })).text()),
  ];
  for (const kind of ["text/plain", "application/x-www-form-urlencoded"]) {
    const simple = { method: "POST", mode: "no-cors", headers: { "Content-Type": kind }, body };
    await attempt(() => fetch(`${there}answers`, simple));
  }
  navigator.sendBeacon(`${there}answers`, new Blob([body], { type: "text/plain" }));
  said.push(await new Promise((done) => {
    const image = new Image();
    image.onload = () => done("loaded");
    image.onerror = () => done("stopped");
    image.src = `${there}items`;
  }));
  const frame = document.createElement("iframe");
  frame.name = "there";
  document.body.append(frame);
  const form = document.createElement("form");
  Object.assign(form, { method: "post", action: `${there}answers`, enctype: "text/plain", target: "there" });
  const field = document.createElement("input");
  Object.assign(field, { name: body.slice(0, -1) + ', "x":"', value: '"}' });
  form.append(field);
  document.body.append(form);
  const loaded = new Promise((done) => frame.addEventListener("load", done, { once: true }));
  form.submit();
  await loaded;
  return said;
}"""


def test_a_page_of_another_origin_can_neither_read_nor_post(
    serving: Serving, visit: Visit, folder: Path, elsewhere: str
) -> None:
    """Even one that knew the token."""
    server = serving("r1")
    token = server.addresses["r1"].partition("#")[2]
    view = visit(elsewhere)
    asked: list[tuple[str, str]] = []
    view.tab.on("request", lambda request: asked.append((request.method, request.url.rpartition("/")[2])))
    there = f"http://127.0.0.1:{server.server_port}/"
    given = {"there": there, "token": token, "body": json.dumps({"item": "1", "value": 2})}
    assert view.tab.evaluate(TRIES, given) == ["stopped"] * 3
    assert asked.count(("POST", "answers")) >= 4  # they were sent, and nothing came of them
    assert answers(folder) == {}
    assert server.answered == {"r1": 0}


def test_a_name_that_leads_here_is_refused(browser: Any, serving: Serving) -> None:
    """A page whose name was made to mean this machine has its own origin, and the browser sends its name."""
    server = serving("r1")
    context = browser.new_context()
    tab = context.new_page()
    try:
        found = tab.goto(f"http://evil.localhost:{server.server_port}/")  # which browsers take for this machine
        assert found.status == 403
        assert "another Host" in found.text()
    finally:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_it_fits_and_can_be_used_by_everybody(serving: Serving, visit: Visit, width: int, scheme: str) -> None:
    view = visit(serving("r1").addresses["r1"], viewport={"width": width, "height": 844}, color_scheme=scheme)
    assert view.cut() == []
    assert view.violations() == []
    assert view.tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
    press(view, *"222222")
    view.tab.locator("#done").wait_for()
    assert view.violations() == []
