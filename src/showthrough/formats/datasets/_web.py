"""Asking addresses: over https alone, with limits, and every way to fail told in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from showthrough.storage.reading import fail
from showthrough.version import __version__

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector

NO_SUCH_RANGE = 416


class RangeRefused(Exception):  # noqa: N818 (the answer to a question, and no error)
    """The server does not give the rest of a file from where it was asked to."""


@dataclass(frozen=True)
class Web:
    """How addresses are asked. Only a program that trusts its own network has another scheme than https."""

    schemes: frozenset[str] = frozenset({"https"})
    timeout: float = 30.0  # seconds without a byte

    @contextmanager
    def open(self, url: str, headers: Mapping[str, str]) -> Iterator[HTTPResponse]:
        """The answer to a question. Raises InputError for what is none, RangeRefused for a range that is none."""
        from urllib.error import HTTPError  # slow to import, and needed by one command
        from urllib.request import Request

        self._check(url, url)
        agent = {"User-Agent": f"showthrough/{__version__}", "Accept-Encoding": "identity"}
        with self.report_errors(url):
            try:
                answer = self._opener(url).open(Request(url, headers=agent | dict(headers)), timeout=self.timeout)  # noqa: S310 (its scheme is checked)
            except HTTPError as error:
                error.close()
                if error.code == NO_SUCH_RANGE and "Range" in headers:
                    raise RangeRefused from error
                reason = " ".join(str(error.reason).split())  # of a redirection it has several lines
                raise fail(url, f"cannot be fetched: the server answered {error.code} {reason}") from error
        with answer:
            yield answer

    @contextmanager
    def report_errors(self, url: str) -> Iterator[None]:
        """What a network does instead of answering, as one line that names the address."""
        from http.client import HTTPException
        from urllib.error import URLError

        try:
            yield
        except TimeoutError as error:
            raise fail(url, self._late) from error
        except URLError as error:
            cause = error.reason
            if isinstance(cause, TimeoutError):
                raise fail(url, self._late) from error
            raise fail(url, f"cannot be reached: {getattr(cause, 'strerror', None) or cause}") from error
        except HTTPException as error:
            broken = f"the connection broke off or the answer is no HTTP ({type(error).__name__})"
            raise fail(url, f"cannot be fetched: {broken}") from error
        except OSError as error:
            raise fail(url, f"cannot be fetched: {error.strerror or error}") from error

    @property
    def _late(self) -> str:
        return f"cannot be fetched: nothing came for {self.timeout:g} seconds"

    def _check(self, url: str, original_url: str) -> None:
        if urlsplit(url).scheme not in self.schemes:
            way = "" if url == original_url else f"leads to {url}, which "
            raise fail(original_url, f"{way}is not {' or '.join(sorted(self.schemes))}; nothing was fetched")

    def _opener(self, original_url: str) -> OpenerDirector:
        """Proxies are taken from the environment, as everywhere; where a server sends on to is looked at first."""
        from urllib.request import HTTPRedirectHandler, build_opener

        check: Callable[[str, str], None] = self._check

        class Redirects(HTTPRedirectHandler):
            def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Any:
                check(newurl, original_url)
                return super().redirect_request(req, fp, code, msg, headers, newurl)

        return build_opener(Redirects)
