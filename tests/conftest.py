"""What tests of several rooms share."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import tarfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from browsing import BROWSERS, FLAGS
from showthrough import evaluate, read_anonymization, read_corpus
from showthrough.cli import demo_corpus as demo
from showthrough.data.documents import Annotation, Corpus, Document, Mention
from showthrough.run.run import Run

# No deadline: how long an example takes says more about what else the machine is doing than about the code. The same
# examples every time: a change is judged by what it changes. New ones are looked for by `make fuzz`.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("fuzz", deadline=None)
settings.load_profile("steady")

# Whoever starts tests in the background has them ignore Ctrl-C, and every program that they start; some send it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    with suppress(ValueError):  # not in the main thread
        signal.signal(signal.SIGINT, signal.default_int_handler)


SLOW = {"browser", "untrained", "wheel"}  # fixtures that are slow by nature, and with them whatever asks for one


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if SLOW.intersection(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What earlier tests left for the collector warns before a test in which warnings are errors, and not in it."""
    if any("error" in mark.args for mark in item.iter_markers("filterwarnings")):
        gc.collect()


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real corpora; tests that need it are skipped without it."""
    given = os.environ.get("SHOWTHROUGH_DATA")
    if not given:
        pytest.skip("SHOWTHROUGH_DATA is not set: it names the folder of real corpora (see the Makefile)")
    if not Path(given).is_dir():
        pytest.skip(f"SHOWTHROUGH_DATA names {given}, which is not a folder")
    return Path(given)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright; tests that need it are skipped without it."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        pytest.skip("no browser here: apt-get install chromium, or put one on the PATH")
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with playwright.sync_playwright() as driver:
        running = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield running
        running.close()


@pytest.fixture
def tiny() -> Corpus:
    """Three documents: two annotators who disagree, an astral character before a mention, a layer without mentions."""
    first = "Mr John Doe of Oslo left on 3 May."
    doe = Mention(0, 11, "PERSON", "DIRECT", "e1")
    oslo = Mention(15, 19, "LOC", "QUASI", "e2")
    date = Mention(28, 33, "DATETIME", "QUASI", "e3")
    second = "😀 Ann Lee (Oslo) knows 山田."
    ann = Mention(2, 9, "PERSON", "DIRECT", "e1")
    yamada = Mention(23, 25, "PERSON", "QUASI", "e2")
    return Corpus(
        [
            Document("d1", first, (Annotation("a", (doe, oslo)), Annotation("b", (doe, date)))),
            Document("d2", second, (Annotation("a", (ann, yamada)),)),
            Document("d3", "Nothing to see.", (Annotation("a"),)),
        ],
        name="tiny",
    )


@pytest.fixture(scope="session")
def demo_run() -> Run:
    corpus = read_corpus(demo.corpus_path(), name="demo")
    found = {name: read_anonymization(path, corpus, name=name) for name, path in demo.anonymization_paths().items()}
    return evaluate(corpus, found, resamples=100)


@pytest.fixture(scope="session")
def meddocan(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the records, unpacked."""
    folder = tmp_path_factory.mktemp("meddocan")
    with tarfile.open(data / "meddocan/train_dev.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(scope="session")
def records(meddocan: Path) -> Corpus:
    """The records, read from their XML."""
    return read_corpus(meddocan, format="i2b2")


@pytest.fixture(scope="session")
def pan(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folders of PAN's author masking and verification, unpacked, each named as its archive."""
    folder = tmp_path_factory.mktemp("pan")
    for name in ("masking_problems", "submission_A", "submission_B", "verification_train"):
        with tarfile.open(data / f"pan/{name}.tar.gz") as archive:
            archive.extractall(folder / name, filter="data")
    return folder


PEOPLE = (("Ann Lee", "Oslo"), ("Bob Ray", "Rome"), ("Cem Kaya", "Bonn"), ("Dee Fox", "Riga"))


def hearing(number: int) -> Document:
    """A case with a person and a place, each marked wherever it stands."""
    person, place = PEOPLE[number % len(PEOPLE)]
    text = (
        f"The case of {person} was heard in {place} on a cold day. The court found for {person} , who left {place} . "
    )
    text *= 2
    marks = [
        Mention(start, start + len(name), kind, level, name)
        for name, kind, level in ((person, "PERSON", "DIRECT"), (place, "LOC", "QUASI"))
        for start in range(len(text))
        if text.startswith(name, start)
    ]
    return Document(f"case {number}", text, (Annotation("annotator", tuple(marks)),))


@pytest.fixture(scope="session")
def hearings() -> Corpus:
    return Corpus([hearing(number) for number in range(4)], name="hearings")


@pytest.fixture(scope="session")
def untrained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny encoder with random weights that knows the words of the hearings."""
    torch: Any = pytest.importorskip("torch", reason="torch is not installed: pip install 'showthrough[models]'")
    transformers: Any = pytest.importorskip("transformers", reason="pip install 'showthrough[models]'")
    import tokenizers

    marks = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    words = sorted({word for number in range(4) for word in hearing(number).text.replace(".", " . ").split()})
    vocabulary = {word: place for place, word in enumerate([*marks, *words])}
    cutter = tokenizers.Tokenizer(tokenizers.models.WordPiece(vocabulary, unk_token=marks[1]))
    cutter.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    cutter.post_processor = tokenizers.processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    roles = dict(zip(["pad_token", "unk_token", "cls_token", "sep_token", "mask_token"], marks, strict=True))
    folder = tmp_path_factory.mktemp("untrained")
    transformers.PreTrainedTokenizerFast(tokenizer_object=cutter, **roles).save_pretrained(folder)
    torch.manual_seed(0)
    shape = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.BertConfig(vocab_size=len(vocabulary), max_position_embeddings=64, **shape)
    transformers.BertModel(config).save_pretrained(folder)
    return folder
