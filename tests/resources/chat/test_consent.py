"""Where models are, and whom text may be sent to."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from showthrough.core.errors import PlanError
from showthrough.models.chat.consent import Address, address_of, hosts_of


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_BASE_URL",
        "OPENAI_API_KEY",
        "HTTP_PROXY",
        "http_proxy",
        "HTTPS_PROXY",
        "https_proxy",
        "ALL_PROXY",
        "all_proxy",
    ):
        monkeypatch.delenv(name, raising=False)


def at(url: str) -> Address:
    return address_of(f"llm:m@{url}")


class TestAddresses:
    def test_the_name_says_it_then_the_environment_then_the_usual(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert address_of("llm:gpt-4.1-mini").url == "https://api.openai.com/v1"
        monkeypatch.setenv("OPENAI_BASE_URL", "http://gpu:8000/v1")
        assert (address_of("llm:m").host, address_of("llm:m").port) == ("gpu", 8000)
        assert at("http://localhost:1234/v1").url == "http://localhost:1234/v1"

    def test_models_have_odd_names(self) -> None:
        assert address_of("llm:@cf/meta/llama-3@https://x.org/v1").model == "@cf/meta/llama-3"
        assert address_of("llm:meta/llama:8b").model == "meta/llama:8b"
        assert address_of("llm:claude@20240229").model == "claude@20240229"

    @pytest.mark.parametrize(
        "name",
        [
            "llm:", "llm:m@localhost:8000", "llm:m@10.0.0.1", "llm:m@http://", "llm:m@http://a b/v1",
            "llm:m@http://x:port/v1", "llm:m@http://user:hunter2@host/v1", "llm:m@http://hunter2@host", "llm:m@http://h/v1?key=1",
            "llm:m@http://h/v1#x", "llm:m@http://[::1/v1", "llm:m@http://höst/v1",
        ],
    )  # fmt: skip
    def test_what_is_none_is_told_in_a_line(self, name: str) -> None:
        with pytest.raises(PlanError) as found:
            address_of(name)
        assert "expected" in str(found.value)
        assert "hunter2" not in str(found.value)


class TestAllowed:
    @pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.8.8.8", "[::1]", "LOCALHOST"])
    def test_this_machine_always(self, host: str) -> None:
        assert at(f"http://{host}:8000/v1").is_allowed(frozenset())

    @pytest.mark.parametrize(
        "host",
        [
            "api.openai.com", "0.0.0.0", "10.0.0.1", "localhost.example.org", "x.localhost", "127.1", "2130706433",  # noqa: S104
            "127.0.0.1.example.org", "[::2]", "localhost.",
        ],
    )  # fmt: skip
    def test_no_other_unless_it_was_named(self, host: str) -> None:
        found = at(f"https://{host}/v1")
        assert not found.is_allowed(frozenset())
        assert not found.is_allowed(hosts_of("openai.com,example.org"))
        assert found.is_allowed(hosts_of([host]))

    def test_a_port_may_be_named_too(self) -> None:
        assert at("http://gpu:8000/v1").is_allowed(hosts_of("gpu:8000"))
        assert not at("http://gpu:8001/v1").is_allowed(hosts_of("gpu:8000"))
        assert at("https://gpu/v1").is_allowed(hosts_of("GPU:443"))

    @pytest.mark.parametrize("host", ["https://api.openai.com", "*", "a b", "me@host"])
    def test_what_is_no_host_is_told(self, host: str) -> None:
        with pytest.raises(PlanError, match="expected a host"):
            hosts_of([host])

    def test_localhost_that_is_elsewhere_is_found_out_before_anything_is_sent(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def elsewhere(*_: Any) -> list[Any]:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("10.0.0.1", 80))]

        assert not at("http://localhost/v1").leads_elsewhere(frozenset())
        monkeypatch.setattr(socket, "getaddrinfo", elsewhere)
        assert at("http://localhost/v1").leads_elsewhere(frozenset())
        assert not at("http://localhost/v1").leads_elsewhere(hosts_of("localhost"))


class TestProxies:
    """Those of the environment hear nothing unless they were named as well."""

    def test_one_is_used_where_it_was_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTPS_PROXY", "http://proxy.example.org:3128")
        monkeypatch.setenv("HTTP_PROXY", "http://proxy.example.org:3128")
        there = at("https://api.openai.com/v1")
        assert there.proxy(hosts_of("api.openai.com")) is None
        assert there.proxy(hosts_of("api.openai.com,proxy.example.org")) == "http://proxy.example.org:3128"
        assert at("http://127.0.0.1:8000/v1").proxy(hosts_of("proxy.example.org")) is None


class TestKeys:
    def test_this_machine_needs_none(self) -> None:
        assert at("http://localhost:8000/v1").key_fault == ""
        fault = "there is no key for api.example.org; expected OPENAI_API_KEY to hold it"
        assert at("https://api.example.org/v1").key_fault == fault

    def test_what_is_around_a_key_is_none_of_it(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", "sk-1\n")
        assert (at("https://api.example.org/v1").key, at("https://api.example.org/v1").key_fault) == ("sk-1", "")

    @pytest.mark.parametrize("key", ["sk-é", "sk-1\r\nX-More: 1", "sk-1 # mine", "„sk-1“"])
    def test_what_no_header_can_hold_is_told_and_not_repeated(self, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
        monkeypatch.setenv("OPENAI_API_KEY", key)
        for url in ("http://localhost:8000/v1", "https://api.example.org/v1"):
            fault = at(url).key_fault
            assert fault.startswith("OPENAI_API_KEY holds no key: ")
            assert "sk-" not in fault
