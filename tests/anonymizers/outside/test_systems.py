"""The examples of systems: a program, a service and a function that find the same."""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import sys
from pathlib import Path

import showthrough as st
from showthrough.cli import demo_corpus as demo
from showthrough.data.masks import ScoredMask

EXAMPLES = Path(__file__).resolve().parents[3] / "examples/systems"


def test_all_of_them_find_the_same() -> None:
    corpus = st.read_corpus(demo.corpus_path())
    spec = importlib.util.spec_from_file_location("example", EXAMPLES / "function.py")
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    found = st.anonymize(corpus, example.codes)
    assert any(map(len, found.masks.values()))
    assert all(isinstance(mask, ScoredMask) for masks in found.masks.values() for mask in masks)
    program = shlex.join([sys.executable, str(EXAMPLES / "program.py")])
    assert st.anonymize(corpus, f"cmd:{program}").digest == found.digest
    with subprocess.Popen([sys.executable, EXAMPLES / "service.py", "0"], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        try:
            assert st.anonymize(corpus, running.stdout.readline().strip()).digest == found.digest
        finally:
            running.terminate()
