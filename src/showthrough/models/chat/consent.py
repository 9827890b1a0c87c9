"""Where a language model is, whether text may be sent there, and what that costs."""

from __future__ import annotations

import ipaddress
import math
import os
import re
import socket
import tomllib
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import urlsplit

from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.data.retyping import split_names

LOCAL = "localhost"
USUAL = "https://api.openai.com/v1"
BASE_URL, KEY = "OPENAI_BASE_URL", "OPENAI_API_KEY"  # variables of the environment
_WRITTEN = lazy_pattern(r"llm:(?P<model>.+?)(?:@(?P<url>https?://.*))?", re.DOTALL | re.IGNORECASE)
_SCHEMELESS = lazy_pattern(r"@(localhost\b|[\w.-]+:\d+|\d+\.\d+\.\d+\.\d+)")
_EXPECTED = "expected llm:MODEL or llm:MODEL@URL, such as llm:qwen3@http://localhost:8000/v1"
_PORTS = {"http": 80, "https": 443}
_NO_KEY = "no-key"  # for servers on this machine, which need none: the client insists on some


@dataclass(frozen=True)
class Address:
    """A model, and the server that has it."""

    name: str
    model: str
    url: str

    @property
    def host(self) -> str:
        return urlsplit(self.url).hostname or ""

    @property
    def port(self) -> int:
        parts = urlsplit(self.url)
        return parts.port or _PORTS[parts.scheme]

    @property
    def is_local(self) -> bool:
        """Whether it is this machine, by its name; nothing is looked up."""
        try:
            return self.host == LOCAL or ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    @property
    def key(self) -> str:
        return os.environ.get(KEY, "").strip() or (_NO_KEY if self.is_local else "")

    @property
    def key_fault(self) -> str:
        """Why nobody could be asked with the key that there is; it is not repeated."""
        if not self.key:
            return f"there is no key for {self.host}; expected {KEY} to hold it"
        sendable = self.key.isascii() and self.key.isprintable() and " " not in self.key
        return "" if sendable else f"{KEY} holds no key: it has a space, a line end or a letter beyond ASCII in it"

    def is_allowed(self, hosts: Collection[str]) -> bool:
        """Whether text may be sent there: to this machine always, to another where somebody named it."""
        return self.is_local or self.host in hosts or f"{self.host}:{self.port}" in hosts

    def leads_elsewhere(self, hosts: Collection[str]) -> bool:
        """Whether the system takes `localhost` for another machine, which nobody named."""
        if self.host != LOCAL or self.host in hosts:
            return False
        try:
            addresses = {str(address[4][0]).partition("%")[0] for address in socket.getaddrinfo(self.host, self.port)}
        except OSError:
            return True
        return not all(ipaddress.ip_address(address).is_loopback for address in addresses)

    def proxy(self, hosts: Collection[str]) -> str | None:
        """What the environment would have all go through: used where it was named too, and never on this machine."""
        from urllib.request import getproxies, proxy_bypass  # here: it takes a moment to import

        scheme = urlsplit(self.url).scheme
        proxy_url = getproxies().get(scheme) or getproxies().get("all")
        if not proxy_url or self.is_local or proxy_bypass(self.host):
            return None
        parts = urlsplit(proxy_url if "://" in proxy_url else f"http://{proxy_url}")
        return parts.geturl() if (parts.hostname or "") in hosts else None


def address_of(name: str) -> Address:
    """Where the model of a name is. Raises PlanError for what is no address; nothing is looked up."""
    written = _WRITTEN.fullmatch(name)
    if written is None or _SCHEMELESS.search(written["model"]):
        raise PlanError(f"found {quote_value(name)}; {_EXPECTED}", "language model")
    url, location = written["url"], f"language model llm:{shorten(written['model'])}"  # no more: a URL may hold a key
    if url is None:
        url, location = os.environ.get(BASE_URL) or USUAL, BASE_URL
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise PlanError(f"found {quote_value(url)}: {error}; {_EXPECTED}", location) from None
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise PlanError(f"has a user or a password in it; expected {KEY} to hold the key", location)
    if parts.scheme not in _PORTS or not host or not url.isascii() or not url.isprintable() or " " in url:
        raise PlanError(f"found {quote_value(url)}; {_EXPECTED}", location)
    if parts.query or parts.fragment:
        raise PlanError("has a question or a mark in it; expected a URL with a path at most", location)
    return Address(name, written["model"], url)


def hosts_of(send_text_to: str | Collection[str]) -> frozenset[str]:
    """The hosts that may hear of documents. Raises PlanError for what is no host."""
    hosts = frozenset(host.strip().lower().removeprefix("[").replace("]", "") for host in split_names(send_text_to))
    for host in sorted(hosts):
        if not host or re.search(r"[/@\s*?]", host):
            expected = "expected a host, such as api.openai.com or gpu.example.org:8000"
            raise PlanError(f"found {quote_value(host)}; {expected}", "send_text_to")
    return hosts


# Tokens cost what somebody says, what was listed once, or nothing on one's own machine.

_MILLION = 1_000_000
_SNAPSHOT = lazy_pattern(r"-\d{4}-\d{2}-\d{2}\Z")  # a model of a day has the price of its name


class Price(NamedTuple):
    """Of a million tokens that are sent, and that are answered; and who says so."""

    sent: float
    answered: float
    said: str

    def of(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.sent + tokens_out * self.answered) / _MILLION


def price_of(address: Address, price: str | None) -> Price | None:
    """What a model costs; None where nobody knows. Raises PlanError for what is no price."""
    if price is not None:
        return _parse_price(price)
    if address.is_local:
        return Price(0.0, 0.0, "it is on this machine")
    return _read_prices().get((address.host, _SNAPSHOT.sub("", address.model)))


def _parse_price(text: str) -> Price:
    try:
        sent, answered = (float(number) for number in text.split(","))
    except ValueError:
        sent = answered = math.nan
    if not (math.isfinite(sent) and math.isfinite(answered) and min(sent, answered) >= 0):
        expected = "expected what a million tokens cost that are sent and answered, such as 0.40,1.60"
        raise PlanError(f"found {quote_value(text)}; {expected}", "price")
    return Price(sent, answered, "as --price says")


@lru_cache(maxsize=1)
def _read_prices() -> dict[tuple[str, str], Price]:
    table = tomllib.loads(files(__package__).joinpath("prices.toml").read_text(encoding="utf-8"))
    return {
        (host, model): Price(sent, answered, f"as it was listed in {group['seen']}")
        for host, groups in table.items()
        for group in groups
        for model, (sent, answered) in group["models"].items()
    }
