"""The package where modules of POSIX are missing, as on Windows: it is imported, and its own ways there work.

A process takes itself for Windows: `sys.platform` says so, and the modules and functions that Windows lacks are gone.
Paths stay those of this system, so this shows that no name is missing, and not how another system treats files.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[1] / "src/showthrough"

pytestmark = [
    pytest.mark.slow,  # each imports the whole package in a process of its own
    pytest.mark.skipif(sys.platform == "win32", reason="is there what the others pretend to be"),
]

WINDOWS = """
import importlib, os, signal, sys
from importlib.util import find_spec
from pkgutil import walk_packages

OF_OTHERS = {"showthrough.integrations.inspect_ai": "inspect_ai"}  # another program imports it, where that is installed

def load():
    import showthrough

    names = [module.name for module in walk_packages(showthrough.__path__, "showthrough.")]
    names = [name for name in names if name not in OF_OTHERS or find_spec(OF_OTHERS[name])]
    return [importlib.import_module(name) for name in names if not name.endswith("__main__")]

load()  # first as it is, so that no other library is asked for on a system that is not its own
for name in [name for name in sys.modules if name.partition(".")[0] == "showthrough"]:
    del sys.modules[name]
for name in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "readline"):
    sys.modules[name] = None
for name in ("O_TMPFILE", "O_NOFOLLOW", "O_NONBLOCK", "fchmod", "killpg", "getuid", "fork", "setsid", "sysconf"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGALRM", "SIGUSR1", "alarm", "pthread_sigmask"):
    if hasattr(signal, name):
        delattr(signal, name)
os.O_BINARY = 0
sys.platform = "win32"
"""


def as_windows(code: str, folder: Path, before: str = "") -> None:
    """Runs a program that takes itself for one on Windows; `before` still knows where it is."""
    found = subprocess.run([sys.executable, "-c", before + WINDOWS + code], cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr[-2000:]


def test_every_module_is_imported(tmp_path: Path) -> None:
    as_windows("assert len(load()) > 300", tmp_path)


def test_the_missing_modules_are_noticed(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="fcntl"):
        as_windows("import fcntl", tmp_path)


def test_files_are_written_whole_and_grow(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from showthrough.storage.append_log import GrowingFile, is_written
from showthrough.storage.writing import ScratchFolder, remove_unfinished, workshop, write_atomically

write_atomically(Path("a"), b"1")
write_atomically(Path("a"), b"2")
assert Path("a").read_bytes() == b"2"
with workshop(Path()) as folder:
    assert folder.is_dir()
assert not folder.exists()
file = GrowingFile(Path("b"), b"title")
file.begin(b"one")
file.add(b"two")
file.close()
assert GrowingFile(Path("b"), b"title").go_on() == [b"one", b"two"]
assert not is_written(Path("b"))
left = Path(".showthrough-0123456789abcdef")
left.touch()
remove_unfinished(Path())
assert left.exists()  # nothing tells there whether somebody still writes it
bench = ScratchFolder(Path())
folder = bench.path
bench.new().touch()
del bench
assert not folder.exists()
assert {path.name for path in Path().iterdir()} == {"a", "b", left.name}
"""
    as_windows(code, tmp_path)


def test_a_rater_is_asked(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from showthrough.studies.rating.server import RatingJournal

journal = RatingJournal(Path(), "ann", {})
assert journal.current_answers == {}
journal.close()
"""
    as_windows(code, tmp_path)


def test_a_program_is_asked_and_what_it_takes_is_not_told(tmp_path: Path) -> None:
    code = """
import types
from pathlib import Path
from showthrough.systems import _batches as batches
from showthrough.systems.outside import program
from showthrough.data.documents import Document

nt = types.SimpleNamespace(**{**vars(os), "name": "nt"})
program.os = nt
assert program.Program(r"python C:\\\\mine.py").arguments == ["python", r"C:\\\\mine.py"]
asked = program.Conversation("mine", [sys.executable, "-c", "print(input())"], 60)
[answer] = asked.answers([Document("a", "Oslo")], last=True)
assert b"Oslo" in answer
asked.close()
batches._STATUS = Path("nowhere")
assert batches.peak_memory() is None
"""
    as_windows(code, tmp_path)


def test_a_run_is_made_and_shown(tmp_path: Path) -> None:
    code = """
import os, sys
from showthrough import demo
from showthrough.__main__ import main

folder = demo.folder()
sys.argv = ["showthrough", "evaluate", str(folder / "corpus.json"), str(folder / "rules.json"), "-m", "er_di"]
sys.argv += ["--resamples", "100", "--force", "-o", "run.json", "--html", "run.html"]
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
os.rename("run.html", sys.platform + ".html")
"""
    as_windows(code, tmp_path, before=code)  # first as it is, since other libraries are imported on the way
    assert (tmp_path / "win32.html").stat().st_size > 100_000
    assert (tmp_path / "run.json").is_file()


def test_modules_of_posix_are_imported_behind_a_question() -> None:
    """Type checkers follow `sys.platform`, and nothing else: so do we."""
    missing = {"fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"}
    found = [
        str(file.relative_to(SOURCE))
        for file in SOURCE.rglob("*.py")
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.Import) and {alias.name for alias in node.names} & missing
    ]
    assert found == []


def test_nothing_is_checked_by_asserting() -> None:
    """An assert is gone under `python -O`, and tells a user nothing."""
    found = [
        f"{file.relative_to(SOURCE)}:{node.lineno}"
        for file in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Assert)
    ]
    assert found == []
