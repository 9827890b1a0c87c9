"""Corpora of several files and of storages elsewhere, from the command line."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import pytest
import zstandard

from cli.conftest import DOCUMENT, Desk
from showthrough.run.run import Run

COUNT = 12
EVALUATE = ("-m", "er_di", "-m", "er_qi", "--resamples", "20", "-o", "run.json")


def documents() -> list[dict[str, Any]]:
    return [{**DOCUMENT, "doc_id": f"d{number}"} for number in range(COUNT)]


def masks() -> list[dict[str, Any]]:
    return [{"doc_id": f"d{number}", "masks": [[5, 13]] if number % 3 else []} for number in range(COUNT)]


def lines(values: list[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def shards() -> dict[str, bytes]:
    """Four files of the corpus, and of the masks three that lie otherwise."""
    cut = {f"corpus-{number}.jsonl.zst": documents()[number * 3 : number * 3 + 3] for number in range(4)}
    cut |= {f"masks-{number}.jsonl.zst": masks()[number::3] for number in range(3)}
    return {name: zstandard.compress(lines(values)) for name, values in cut.items()}


@pytest.fixture
def expected(desk: Desk, evaluated: Callable[..., None]) -> list[Any]:
    """The scores of one file."""
    desk.write({"one.jsonl": lines(documents()), "whole.jsonl": lines(masks())})
    evaluated("one.jsonl", "a=whole.jsonl", *EVALUATE[:-1], "one.json")
    return numbers(Run.load(desk.folder / "one.json"))


def numbers(run: Run) -> list[Any]:
    """All but signatures, which name the corpus."""
    return [(one.anonymization, one.metric, one.part, one.value, one.low, one.high) for one in run.scores]


def test_quoted_patterns(desk: Desk, expected: list[Any]) -> None:
    desk.write(shards())
    outcome = desk.cli("evaluate", "corpus-*.jsonl.zst", "a=masks-*.jsonl.zst", *EVALUATE)
    assert outcome.status == 0, outcome.err
    run = Run.load(desk.folder / "run.json")
    assert numbers(run) == expected
    assert (run.corpus.name, run.corpus.source) == ("corpus", "corpus-*.jsonl.zst")
    desk.refuses("evaluate", "corpus-*.jsonl.zst", "a=mosks-*.zst", *EVALUATE, "--force", starts="mosks-*.zst: no file")


def test_a_pattern_that_a_shell_has_expanded(desk: Desk, expected: list[Any]) -> None:
    desk.write(shards())
    corpus = [f"corpus-{number}.jsonl.zst" for number in range(4)]
    outcome = desk.cli("evaluate", *corpus, "a=masks-*.jsonl.zst", *EVALUATE)
    assert outcome.status == 0, outcome.err
    assert "note: 4 files are one corpus: corpus-*.jsonl.zst" in outcome.err
    assert numbers(Run.load(desk.folder / "run.json")) == expected


def test_other_arguments_are_anonymizations_as_ever(desk: Desk) -> None:
    desk.write(
        {"masks1.json": {"d1": []}, "masks2.json": {"d1": []}, "corpus1.json": [DOCUMENT], "corpus2.json": [DOCUMENT]}
    )
    both = desk.cli("evaluate", "corpus1.json", "masks1.json", "b=masks2.json", *EVALUATE)
    assert both.status == 0, both.err
    assert [one.name for one in Run.load(desk.folder / "run.json").anonymizations] == ["masks1", "b"]
    # Without an anonymization with its name, a second corpus would be one.
    alone = desk.cli("evaluate", "corpus1.json", "corpus2.json", *EVALUATE, "--force")
    assert "are one corpus" not in alone.err


def test_plans_name_patterns_and_lists(desk: Desk, expected: list[Any]) -> None:
    plan = """corpus = ["corpus-0.jsonl.zst", "corpus-[1-3].jsonl.zst"]
metrics = ["er_di", "er_qi"]
resamples = 20
output = "run.json"
[anonymizations]
a = "masks-*.jsonl.zst"
"""
    desk.write({f"here/{name}": content for name, content in {**shards(), "plan.toml": plan}.items()})
    outcome = desk.cli("evaluate", "here/plan.toml")
    assert outcome.status == 0, outcome.err
    run = Run.load(desk.folder / "here" / "run.json")
    assert numbers(run) == expected
    assert run.corpus.source == "here/corpus-*.jsonl.zst"


@pytest.mark.parametrize("output", ["corpus-2.jsonl", "corpus-run.jsonl"])
def test_what_is_read_now_or_the_next_time_is_not_written(desk: Desk, output: str) -> None:
    desk.write({f"corpus-{number}.jsonl": lines(documents()[number::3]) for number in range(3)})
    desk.write({"whole.jsonl": lines(masks())})
    before = desk.snapshot()
    outcome = desk.cli("evaluate", "corpus-*.jsonl", "a=whole.jsonl", "-o", output, "--force")
    assert (outcome.status, desk.snapshot()) == (2, before)
    assert f"{output}: is read by this command, or would be the next time" in outcome.err


def _parquet(rows: list[dict[str, Any]]) -> bytes:
    import io

    import pyarrow
    import pyarrow.parquet

    content = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(rows), content)
    return content.getvalue()


@pytest.mark.parametrize(
    ("ending", "pack", "says"),
    [
        (".jsonl", bytes, "line 3: is not valid JSON"),
        (".jsonl.gz", gzip.compress, "cannot be read: damaged or not a gzip file"),
        (".jsonl.zst", zstandard.compress, "cannot be read: damaged or not a Zstandard file (it ends too early)"),
        (".parquet", None, "is not sound Parquet"),
    ],
)
@pytest.mark.parametrize("broken", ["c", "m"])
def test_one_file_of_many_is_cut_off(desk: Desk, ending: str, pack: Any, says: str, broken: str) -> None:
    for name, values in (("c", documents()), ("m", masks())):
        for number in range(4):
            part = values[number * 3 : number * 3 + 3]
            part = part if pack else [{"doc_id": one["doc_id"], "text": "Mr John Doe of Oslo left."} for one in part]
            content = pack(lines(part)) if pack else _parquet(part)
            cut = (name, number) == (broken, 2)
            desk.write({f"{name}-{number}{ending}": content[:-12] if cut else content})
    starts = f"{broken}-2{ending}: "
    desk.refuses("evaluate", f"c-*{ending}", f"a=m-*{ending}", *EVALUATE, starts=starts, says=(says,))


def test_one_document_in_two_files(desk: Desk) -> None:
    desk.write({f"c-{number}.jsonl": lines(documents()[number * 3 : number * 3 + 4]) for number in range(2)})
    desk.write({"whole.jsonl": lines(masks())})
    says = ("this id occurs in c-0.jsonl as well; expected unique ids",)
    desk.refuses("evaluate", "c-*.jsonl", "a=whole.jsonl", *EVALUATE, starts="c-1.jsonl: document d3: ", says=says)


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """A server of its own on this machine, with the files in a bucket."""
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def bucket(s3: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    import boto3

    known = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "word", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**known, "AWS_ENDPOINT_URL": s3, "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)
    storage = fsspec.get_filesystem_class("s3")
    storage.clear_instance_cache()
    client = boto3.client("s3")
    client.create_bucket(Bucket="notes")
    for name, content in shards().items():
        client.put_object(Bucket="notes", Key=f"in/{name}", Body=content)
    yield "s3://notes/in"
    storage.clear_instance_cache()


def test_s3(desk: Desk, expected: list[Any], bucket: str) -> None:
    outcome = desk.cli("evaluate", f"{bucket}/corpus-*.jsonl.zst", f"a={bucket}/masks-*.jsonl.zst", *EVALUATE)
    assert outcome.status == 0, outcome.err
    run = Run.load(desk.folder / "run.json")
    assert numbers(run) == expected
    assert run.corpus.source == f"{bucket}/corpus-*.jsonl.zst"
    command = ("evaluate", f"{bucket}/corpus-*.jsonl.zst", f"a={bucket}/masks-0.jsonl.zst", *EVALUATE[:-1], "b.json")
    assert desk.cli(*command, "--missing", "unmasked").status == 0
    assert desk.cli("validate", f"{bucket}/corpus-1.jsonl.zst").status == 0


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("s3://notes/in/none.jsonl", "no such file"),
        ("s3://no-such-bucket/x.jsonl", "no such file"),
        ("s3://notes/in/none-*.jsonl", "no file matches"),
        ("s3://notes/in", "is a folder of a storage; expected a file, or a pattern such as s3://notes/in/*.jsonl"),
    ],
)
def test_what_s3_has_not(desk: Desk, bucket: str, name: str, says: str) -> None:
    desk.refuses("evaluate", name, "a=masks.json", *EVALUATE, starts=f"{name}: ", says=(says,))
    desk.refuses("evaluate", "corpus.json", f"a={name}", *EVALUATE, starts=f"{name}: ", says=(says,))


def test_nobody_answers(desk: Desk, bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    for name in ("s3://notes/x.jsonl", "s3://notes/x-*.jsonl"):
        says = ("cannot be read: Could not connect to the endpoint URL",)
        desk.refuses("evaluate", name, "a=masks.json", *EVALUATE, starts=f"{name}: ", says=says)


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing on the console."""


@pytest.fixture
def web(tmp_path: Path) -> Iterator[str]:
    """Files over HTTP, from a server that gives no blocks of them."""
    (tmp_path / "web").mkdir()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=tmp_path / "web"))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_http(desk: Desk, expected: list[Any], web: str) -> None:
    files = {"corpus.jsonl": lines(documents()), "masks.jsonl.gz": gzip.compress(lines(masks()))}
    desk.write({f"web/{name}": content for name, content in files.items()})
    outcome = desk.cli("evaluate", f"{web}/corpus.jsonl?token=secret", f"a={web}/masks.jsonl.gz", *EVALUATE)
    assert outcome.status == 0, outcome.err
    assert numbers(Run.load(desk.folder / "run.json")) == expected
    assert "secret" not in (desk.folder / "run.json").read_text() + outcome.err + outcome.out
    desk.refuses("evaluate", f"{web}/x.jsonl", "a=masks.json", "-o", "x.json", starts=f"{web}/x.jsonl: no such file")
    gone = "http://user:secret@127.0.0.1:9/x.jsonl?token=secret"
    desk.refuses("validate", gone, starts="http://127.0.0.1:9/x.jsonl: cannot be read: ")
    assert "secret" not in desk.cli("validate", gone).err


def test_http_that_gives_no_blocks_is_read_from_its_start(desk: Desk, web: str) -> None:
    """A file of several blocks, back and forth."""
    from showthrough.storage.paths import as_path

    content = bytes(range(256)) * 40_000
    desk.write({"web/x.bin": content})
    with as_path(f"{web}/x.bin").open() as file:
        for start in (0, 9_000_000, 5_000_000, 10_239_990, 17):
            file.seek(start)
            assert file.read(1000) == content[start : start + 1000]
