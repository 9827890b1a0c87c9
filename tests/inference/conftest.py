"""What tests of attackers share."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

# In a folder on PYTHONPATH under this name Python runs it before anything else.
_BEFORE_ALL = """
import socket

def refused(*_, **__):
    raise AssertionError("a socket was opened")

socket.socket.__init__ = refused
socket.create_connection = socket.getaddrinfo = refused
"""


@pytest.fixture
def no_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever opens a socket in this process, or asks for an address, fails."""

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket.socket, "__init__", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    monkeypatch.setattr(socket, "getaddrinfo", refused)


@pytest.fixture
def without_sockets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the front of PYTHONPATH: no program of Python that is started with it can open a socket."""
    folder = tmp_path_factory.mktemp("no_sockets")
    (folder / "sitecustomize.py").write_text(_BEFORE_ALL)
    return folder
