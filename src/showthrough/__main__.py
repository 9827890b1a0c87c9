"""The program: `showthrough`, and `python -m showthrough`."""

from __future__ import annotations

import gc
import os
import signal


def main() -> None:
    """Runs the command line. Whoever stops the program while it is still being loaded is told so in one line.

    Python would print where in a library's import it was, and some libraries take the interruption for a fault of
    theirs. There is nothing to clean up yet, so the process just ends.
    """
    # Threads of NumPy's sleep while there is nothing to do. Else each of them counts for a while first, which took a
    # sixth of a small evaluation.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    collecting = gc.isenabled()
    gc.disable()  # imports leave no garbage; `exit_on_signal` lets the collector work once a command is there
    try:
        usual = signal.getsignal(signal.SIGINT)
        if usual is signal.default_int_handler:
            signal.signal(signal.SIGINT, leave)
        from showthrough.cli import main as command

        signal.signal(signal.SIGINT, usual)
        command()
    finally:
        gc.freeze()  # the process ends, and nobody need look for cycles once more
        if collecting:
            gc.enable()


def leave(*_: object) -> None:
    """Handles a signal while something is being imported."""
    os.write(2, b"interrupted while starting; nothing was written\n")
    os._exit(130)


if __name__ == "__main__":
    main()
