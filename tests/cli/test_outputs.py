"""Results where they belong: saved before anything is printed, never over what is read, and told in time if not."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from showthrough import Run
from showthrough.storage import writing as files

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="pipes, links and devices")
SLOW = pytest.mark.slow  # one more start of the program
EVALUATE = ("evaluate", "corpus.json", "a=masks.json", "--resamples", "0")
ATTACK = ("attack", "a=masks.json", "--background", "public.json", "--corpus", "corpus.json")
PUBLIC = {"d1": "John Doe lives in Oslo", "d2": "somebody else"}
GOLD = '<ROOT><RECORD ID="1"><TEXT>Dr <PHI TYPE="DOCTOR">Brown</PHI> saw a brown mole.</TEXT></RECORD></ROOT>'


@pytest.fixture
def here(desk: Any, evaluated: Callable[..., None]) -> Any:
    desk.write({"public.json": PUBLIC, "gold.xml": GOLD, "words.txt": "dr\nbrown\nsaw\n", "terms.txt": "mole\n"})
    evaluated(*EVALUATE[1:], "b=masks.json", "-o", "old.json")
    return desk


def program(*arguments: str, out: str) -> tuple[int, str]:
    """The real program with a standard output that takes nothing: its exit status and what it said."""
    command = [sys.executable, "-m", "showthrough", *arguments]
    if out == "closed":
        shell = ["/bin/sh", "-c", 'exec "$0" "$@" >&-', *command]
        found = subprocess.run(shell, stderr=subprocess.PIPE, text=True, check=False)
    elif out == "full":
        with Path("/dev/full").open("w") as full:
            found = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    else:
        reading, writing = os.pipe()
        os.close(reading)
        found = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writing)
    return found.returncode, found.stderr


SAID = {
    "broken": (0, ""),
    "full": (2, f"standard output: cannot be written: {os.strerror(errno.ENOSPC)}\n"),
    "closed": (2, f"standard output: cannot be written: {os.strerror(errno.EBADF)}\n"),
}


@POSIX
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("out", SAID)
def test_the_run_is_kept_whatever_becomes_of_the_output(out: str) -> None:
    assert program(*EVALUATE, "-o", "run.json", "--csv", "run.csv", out=out) == SAID[out]
    assert Run.load("run.json").complete
    assert Path("run.csv").read_text().startswith("anonymization,")


@POSIX
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("out", ["full", "closed"])
def test_an_attack_is_kept_whatever_becomes_of_the_output(out: str) -> None:
    assert program(*ATTACK, "-o", "run.json", out=out) == SAID[out]
    assert Run.load("run.json").complete


@POSIX
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(
    ("command", "made"),
    [
        ((*ATTACK, "-o", "out"), True),
        pytest.param(
            ("corpus", "--vocabulary", "gold.xml", "--dictionary", "words.txt", "--json", "out"), True, marks=SLOW
        ),
        (("report", "old.json", "--json", "out"), True),
        pytest.param(("report", "old.json"), False, marks=SLOW),
        pytest.param(("compare", "old.json"), False, marks=SLOW),
        pytest.param(("convert", "corpus.json", "--to", "tab", "-o", "out"), True, marks=SLOW),
        (("list", "metrics"), False),
    ],
)
def test_a_reader_who_leaves_ends_no_command(command: tuple[str, ...], made: bool) -> None:
    assert program(*command, out="broken") == (0, "")
    assert Path("out").exists() == made


@POSIX
@pytest.mark.usefixtures("here")
def test_nobody_to_tell() -> None:
    """Standard error closed as well: notes have nowhere to go, and the run is kept."""
    shell = ["/bin/sh", "-c", 'exec "$0" "$@" >&- 2>&-', sys.executable, "-m", "showthrough", *EVALUATE, "-o", "r.json"]
    assert subprocess.run(shell, check=False).returncode == 2
    assert Run.load("r.json").complete


def no_work(*arguments: Any, **options: Any) -> None:
    pytest.fail("work was done before it was known that nothing can be written")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that not even root can write into")
@pytest.mark.parametrize("option", ["-o", "--csv", "--html", "--plots"])
def test_a_folder_that_cannot_be_written_is_told_first(option: str, desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.evaluation.requests.read_corpus", no_work)
    desk.refuses(*EVALUATE, option, "/proc/out", starts="/proc/out: cannot be written: ")
    monkeypatch.setattr("showthrough.cli.convert.read_corpus", no_work)
    desk.refuses("convert", "corpus.json", "--to", "tab", "-o", "/proc/out", starts="/proc/out: cannot be written: ")


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that not even root can write into")
@pytest.mark.parametrize(
    ("command", "reads"),
    [
        ((*ATTACK, "-o"), "attack.read_corpus"),
        ((*ATTACK, "--json"), "attack.read_corpus"),
        (("corpus", "--vocabulary", "gold.xml", "--dictionary", "words.txt", "--json"), "outputs.write_file"),
        (("apply", "--replace", "surrogate", "gold.xml", "-o"), "surrogate.read_corpus"),
        (("anonymize", "corpus.json", "--with", "rules", "-o"), "anonymize.read_corpus"),
        (("demo", "--html"), "demo.read_corpus"),
        (("report", "old.json", "--html"), "outputs.write_file"),
        (("report", "old.json", "--plots"), "outputs.write_file"),
    ],
)  # fmt: skip
def test_every_command_tells_it_first(
    command: tuple[str, ...], reads: str, here: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"showthrough.cli.{reads}", no_work)
    here.refuses(*command, "/proc/out", starts="/proc/out: cannot be written: ")


@pytest.mark.parametrize("option", ["--json", "--junit", "--markdown"])
def test_a_name_too_long_for_a_file_is_told_first(option: str, here: Any) -> None:
    here.refuses("check", "old.json", option, "x" * 300, starts="xxx", says=("File name too long",))


@pytest.mark.parametrize(
    "command", [("apply", "corpus.json", "masks.json", "-o"), ("anonymize", "corpus.json", "--with", "rules", "-o")]
)
def test_folders_too(command: tuple[str, ...], desk: Any) -> None:
    desk.refuses(*command, "x" * 300, starts="xxx", says=("File name too long",))


@pytest.mark.parametrize("arguments", [("\udcff.json", "a=masks.json"), ("corpus.json", "\udcff=masks.json")])
def test_what_is_no_utf_8_is_told_first(arguments: tuple[str, ...], desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.evaluation.requests.read_corpus", no_work)
    desk.refuses("evaluate", *arguments, "-o", "run.json", starts="\\udcff", says=("is not UTF-8",))


def full(*arguments: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_leaves_the_old_file_and_prints_the_rest(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = Path("old.json").read_bytes()
    fill = files._fill

    def only_small(handle: int, content: bytes, *rest: Any) -> None:
        if content.startswith(b"{"):
            full()
        fill(handle, content, *rest)

    monkeypatch.setattr(files, "_fill", only_small)
    outcome = here.cli(*EVALUATE, "-o", "old.json", "--force", "--csv", "a.csv", "--json", "a.json")
    assert outcome.status == 2
    assert outcome.err == "".join(
        f"{name}: cannot be written: No space left on device\n" for name in ("old.json", "a.json")
    )
    assert "er_di" in outcome.out
    assert "written to a.csv" in outcome.out
    assert Path("old.json").read_bytes() == before
    assert not Path("a.json").exists()


@pytest.mark.parametrize(
    ("command", "target"),
    [
        (("corpus", "--vocabulary", "gold.xml", "a=other.xml", "--dictionary", "words.txt", "--json"), "words.txt"),
        (("corpus", "--vocabulary", "gold.xml", "a=other.xml", "--dictionary", "words.txt", "--json"), "other.xml"),
        (
            ("corpus", "--vocabulary", "gold.xml", "--medical", "terms.txt", "--dictionary", "words.txt", "--json"),
            "terms.txt",
        ),
        (("evaluate", "gold.xml", "a=other.xml", "-m", 'phi_oov(dictionary="words.txt")', "-o"), "words.txt"),
        (("evaluate", "gold.xml", "a=other.xml", "--csv"), "other.xml"),
        (("evaluate", "folder", "a=masks.json", "-o"), "folder/1.txt"),
        ((*ATTACK, "--json"), "public.json"),
        (("report", "old.json", "--csv"), "old.json"),
        (("anonymize", "corpus.json", "--with", "rules", "-o"), "corpus.json"),
        (("convert", "corpus.json", "--to", "tab", "-o"), "corpus.json"),
        (("apply", "--replace", "surrogate", "gold.xml", "-o"), "gold.xml"),
    ],
)
@pytest.mark.parametrize("by", ["name", "link", "hard link"])
@POSIX
def test_nothing_is_written_over_what_is_read(command: tuple[str, ...], target: str, by: str, here: Any) -> None:
    here.write({"other.xml": GOLD, "folder/1.txt": "Mr Doe"})
    name = target
    if by == "link":
        name = "link"
        Path(name).symlink_to(target)
    elif by == "hard link":
        name = "hard"
        os.link(target, name)
    here.refuses(*command, name, "--force", starts=f"{name}: is read by this command")


def test_what_may_not_be_looked_at_does_not_end_the_command(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among the files that are not to be replaced may be somebody else's, such as those of a process."""
    from showthrough.cli.outputs import inputs

    desk.write({"folder/1.txt": "Mr Doe", "folder/in/locked.txt": ""})
    look = Path.stat

    def refuse(self: Path, **options: Any) -> Any:
        if self.name == "locked.txt":
            raise PermissionError(errno.EACCES, "Permission denied")
        return look(self, **options)

    monkeypatch.setattr(Path, "stat", refuse)
    read = inputs([Path("folder")])
    assert Path("folder/1.txt") in read
    assert Path("folder/in/locked.txt") in read
    assert Path("folder/2.json") not in read


def records(*ids: str) -> list[dict[str, Any]]:
    mentions = [{"start_offset": 4, "end_offset": 7, "entity_type": "DOCTOR", "identifier_type": "DIRECT"}]
    layers = {"a": {"entity_mentions": mentions}}
    return [{"doc_id": name, "text": "Dr. Lee left.", "annotations": layers} for name in ids]


WRITING = pytest.mark.parametrize("command", [("convert",), ("apply", "--replace", "surrogate")])


@WRITING
def test_a_refused_folder_leaves_nothing(command: tuple[str, ...], desk: Any) -> None:
    desk.write({"records.json": records("1", "../2")})
    desk.refuses(
        *command, "records.json", "--to", "brat", "-o", "out", starts="document ../2: this id cannot be the name"
    )
    desk.write({"records.json": records("1", "2" * 300)})
    desk.refuses(
        *command, "records.json", "--to", "brat", "-o", "a/out", starts="a/out: cannot be written: File name too"
    )


def test_a_folder_on_a_full_disk_is_as_it_was(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.write({"records.json": records("1", "2", "3"), "out/1.txt": "mine", "out/other": "mine"})
    count = iter(range(12))
    fill = files._fill

    def third_fails(*arguments: Any) -> None:
        if next(count) == 8:  # the six that are read back first, and two in their place
            full()
        fill(*arguments)

    monkeypatch.setattr(files, "_fill", third_fails)
    outcome = desk.cli("convert", "records.json", "--to", "brat", "-o", "out", "--force")
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == "out: cannot be written: No space left on device\n"
    assert {path.name: path.read_text() for path in Path("out").iterdir()} == {"1.txt": "mine", "other": "mine"}


def test_a_folder_does_not_take_the_place_of_what_is_read(desk: Any) -> None:
    desk.write({"out/1.txt": "Dr. O\nLee B-DOCTOR\n"})  # a CoNLL file in the place of brat's text
    command = ("convert", "out/1.txt", "--format", "conll", "--to", "brat", "-o", "out", "--force")
    desk.refuses(*command, starts="out/1.txt: is read by this command, or would be the next time; choose another")


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (("convert", "folder", "--to", "tab", "-o", "folder/new.txt"), "folder/new.txt"),
        (("convert", "folder", "--to", "folder", "-o", "folder/sub"), "folder/sub/1.txt"),
        (("convert", "folder", "--to", "brat", "-o", "link/sub", "--force"), "link/sub/1.txt"),
        (("evaluate", "folder", "a=same", "-m", "phi_oov", "--csv", "same/scores.txt"), "same/scores.txt"),
    ],
)
@POSIX
def test_no_result_becomes_a_document_of_what_was_read(command: tuple[str, ...], place: str, desk: Any) -> None:
    """The next command would read it."""
    desk.write({"folder/1.txt": "Mr Doe", "same/1.txt": "Mr Doe"})
    Path("link").symlink_to("folder")
    desk.refuses(*command, starts=f"{place}: is read by this command, or would be the next time")


def test_a_result_of_another_kind_may_stand_beside_the_documents(desk: Any) -> None:
    desk.write({"folder/1.txt": "Mr Doe"})
    assert desk.cli("convert", "folder", "--to", "tab", "-o", "folder/new.json").status == 0


def test_figures_are_all_there_or_none(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_fill", full)
    here.refuses("report", "old.json", "--plots", "a/figures", starts="a/figures: cannot be written: No space left")


def test_python_tells_half_characters_first(tiny: Any) -> None:
    from showthrough import Anonymization, InputError, evaluate

    tiny.source = "\udcff.json"
    with pytest.raises(InputError, match="is not UTF-8"):
        evaluate(tiny, Anonymization(dict.fromkeys(tiny.ids, ()), "a"))


def test_output_that_is_a_pipe_to_a_program_that_is_gone(cli: Callable[..., Any], desk: Any) -> None:
    if sys.platform == "win32":
        pytest.skip("no such files")
    reading, writing = os.pipe()
    os.close(reading)
    outcome = desk.cli(*EVALUATE, "--csv", f"/dev/fd/{writing}", "-o", "run.json")
    os.close(writing)
    assert outcome.status == 2
    assert outcome.err == f"/dev/fd/{writing}: cannot be written: Broken pipe\n"
    assert Run.load("run.json").complete


@POSIX
def test_a_link_to_a_folder_that_is_not_there_is_told_first(desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("showthrough.evaluation.requests.read_corpus", no_work)
    Path("run.json").symlink_to("nowhere/run.json")
    outcome = desk.cli(*EVALUATE, "-o", "run.json")
    assert outcome.status == 2
    assert outcome.err == f"run.json: the folder {Path('nowhere').resolve()} does not exist\n"


# --- a disk that is really full, of which a limit on the size of files is the nearest -------------------------------


def cramped(desk: Any, *arguments: str, most: int = 1000) -> Any:
    """A command where no file may have more than a few bytes."""
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        return desk.cli(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def contents(desk: Any) -> dict[str, bytes]:
    """What is there; the time of a folder that something was tried in is another."""
    return {name: content for name, (_, content) in desk.snapshot().items()}


@POSIX
@pytest.mark.parametrize("target", ["page.html", "scores.json", "figures"])
def test_a_report_that_the_disk_cannot_take(target: str, here: Any) -> None:
    option = {"page.html": "--html", "scores.json": "--json", "figures": "--plots"}[target]
    here.write({"page.html": "mine", "scores.json": "mine", "figures/scores.svg": "mine"})
    before = contents(here)
    done = cramped(here, "report", "old.json", option, target, "--force")
    assert (done.status, done.err) == (2, f"{target}: cannot be written: File too large\n")
    assert contents(here) == before


@POSIX
@pytest.mark.parametrize("there", [True, False])
@WRITING
def test_a_folder_that_the_disk_cannot_take(command: tuple[str, ...], there: bool, desk: Any) -> None:
    long = records("1", "2")
    long[1]["text"] += " And came back." * 100
    desk.write({"records.json": long, **({"out/1.txt": "mine", "out/other": "mine"} if there else {})})
    before = contents(desk)
    done = cramped(desk, *command, "records.json", "--to", "brat", "-o", "out", *(["--force"] if there else []))
    assert (done.status, done.out) == (2, "")
    assert done.err == "out: cannot be written: File too large\n"
    assert contents(desk) == before


@POSIX
@pytest.mark.parametrize("option", ["-o", "--csv", "--html"])
def test_a_device_that_is_full(option: str, desk: Any) -> None:
    """What else was asked for is written and shown."""
    outcome = desk.cli(*EVALUATE, option, "/dev/full", "--json", "scores.json")
    assert outcome.status == 2
    assert outcome.err == "/dev/full: cannot be written: No space left on device\n"
    assert "er_di" in outcome.out
    assert Path("scores.json").exists()


@POSIX
@pytest.mark.parametrize("place", ["/proc/none", "/dev/full", "masks.json", "full"])
def test_a_cache_that_cannot_be_written(place: str, desk: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Answers of models are not kept, which is said in a line; the run is."""
    spacy = pytest.importorskip("spacy")
    spacy.blank("en").to_disk("pipe")
    monkeypatch.setenv("SHOWTHROUGH_CACHE", place)
    command = (*EVALUATE, "-m", 'recall(function_words="spacy:./pipe")', "-o", "run.json")
    if place == "full":
        monkeypatch.setattr("showthrough.models.cache.write_atomically", lambda *arguments, **options: full())
    done = desk.cli(*command)
    assert done.status == 0
    assert len(done.err.splitlines()) <= 1
    assert Run.load("run.json").complete
    assert not list(Path().rglob(".showthrough-*"))


def test_a_run_to_resume_whose_name_no_system_takes(desk: Any) -> None:
    name = "x" * 300
    desk.refuses("evaluate", "corpus.json", "a=masks.json", "-o", name, "--resume", starts=f"{name}: cannot be written")
