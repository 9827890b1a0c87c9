"""A process that starts Ray on this machine, waits until the program ends, and then ends all of Ray.

Some processes of Ray outlive a program that is killed, and so do its files. What Ray starts stays in the session of
this process, and nothing else is in it: by that it is found, since processes of Ray write over their names and their
environment. Signals to the group of the program do not reach that session. It is apart, since that process imports it
alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

_PATIENCE = 60.0  # seconds: what cannot be ended by then is left
_PAUSE = 0.05
_QUIET = 3  # looks in a row that find nothing: a process may start another between two of them


def main(folder: Path, *command: str) -> None:
    starter = subprocess.Popen(command, stdin=subprocess.PIPE)  # noqa: S603 (this very interpreter)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # who reads there hears that one alone
    sys.stdin.read()  # it ends when the program does, however that comes: the system sees to it
    starter.kill()
    starter.wait()
    quiet, deadline = 0, time.monotonic() + _PATIENCE
    while quiet < _QUIET and time.monotonic() < deadline:
        processes = _session_processes()
        for process in processes:
            with suppress(OSError):  # it ended meanwhile
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
        quiet = 0 if processes or folder.exists() else quiet + 1
        time.sleep(_PAUSE)


def _session_processes() -> list[int]:
    """Processes of this session. Where there is no /proc, Ray itself sees to it that it ends with who started it."""
    processes = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it ended meanwhile
            state, _, _, session = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()[:4]
            if int(session) == os.getpid() != int(folder.name) and state != "Z":
                processes.append(int(folder.name))
    return processes


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
