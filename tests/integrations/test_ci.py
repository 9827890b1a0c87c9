"""The GitHub Action, the GitLab template and the image: their steps are run as they are written, in a shell."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from showthrough import Corpus, evaluate

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step.get("name"): step for step in ACTION["runs"]["steps"]}
GATE = "<!-- showthrough check -->"
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))

pytestmark = pytest.mark.skipif(not shutil.which("bash"), reason="the steps are for bash")


def program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Forty documents, and nothing can be read: enough for a limit of 0.9, and not for 0.99."""
    texts = {f"d{number}": f"Dr Rask{number} left." for number in range(40)}
    spans = [
        {"id": key, "start": 3, "end": text.index(" left"), "entity_type": "PERSON"} for key, text in texts.items()
    ]
    corpus = Corpus.from_frame([{"id": key, "text": text} for key, text in texts.items()], spans=spans)
    masks = {span["id"]: [(span["start"], span["end"])] for span in spans}
    path = tmp_path_factory.mktemp("run") / "run.json"
    evaluate(corpus, {"rules": masks}, ["removed_di"], resamples=50, references=False, texts=False).save(path)
    return path


@pytest.fixture
def workspace(tmp_path: Path, run_file: Path) -> Path:
    """What a runner has: a checkout with a run, `showthrough` where the action installs it, and a stand-in of gh."""
    shutil.copy(run_file, tmp_path / "run.json")
    program(tmp_path / "temp/showthrough/bin/showthrough", f'#!/bin/sh\nexec "{sys.executable}" -m showthrough "$@"\n')
    # It writes down how it is called, and tells the id of an earlier comment if there is one.
    program(
        tmp_path / "bin/gh",
        '#!/bin/sh\necho "$@" >> calls\ncase "$*" in *--jq*) cat earlier 2>/dev/null || true;; esac\n',
    )
    return tmp_path


def call(workspace: Path, step: str, **inputs: str) -> int:
    """The exit status of a step, with the inputs of the action and the event of a pull request."""
    given = {name: str(entry.get("default", "")) for name, entry in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    values = {f"inputs.{name}": value for name, value in given.items()}
    outputs = dict(line.split("=", 1) for line in _read(workspace / "output").splitlines())
    values |= {f"steps.check.outputs.{name}": value for name, value in outputs.items()}
    values |= {"github.token": "t", "github.repository": "a/b", "github.event.pull_request.number": "7"}
    own = {
        name: re.sub(r"\$\{\{ (.+?) \}\}", lambda found: values[found[1]], str(text))
        for name, text in STEPS[step].get("env", {}).items()
    }
    environment = {
        **os.environ, **own, "PATH": f"{workspace / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(SOURCE), "RUNNER_TEMP": str(workspace / "temp"),
        "GITHUB_OUTPUT": str(workspace / "output"), "GITHUB_STEP_SUMMARY": str(workspace / "summary.md"),
    }  # fmt: skip
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]]
    return subprocess.run(command, cwd=workspace, env=environment, capture_output=True).returncode


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


@pytest.mark.parametrize(
    ("options", "allow", "status", "decided"),
    [
        ("--min=removed_di=0.9\n", "false", "0", 0),
        ("--min=removed_di=0.99\n\n--only", "false", "3", 3),
        ("--min=removed_di=0.99\n--only", "true", "3", 0),
        ("--min=er_di=0.9", "true", "2", 2),
    ],
)
def test_the_action_decides_as_check_does(workspace: Path, options: str, allow: str, status: str, decided: int) -> None:
    assert call(workspace, "Check", options=options) == 0
    assert _read(workspace / "output") == f"status={status}\n"
    assert _read(workspace / "summary.md").startswith(GATE) == (status != "2")
    assert call(workspace, "Decide", allow_unsure=allow) == decided


def test_options_of_strangers_are_words_and_no_commands(workspace: Path) -> None:
    assert call(workspace, "Check", options="--min=$(touch stolen)\n; touch stolen", run="run.json; touch stolen") == 0
    assert not (workspace / "stolen").exists()
    for step in STEPS.values():  # what a stranger may write comes by variables alone
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("earlier", ["", "91"])
def test_there_is_one_comment_without_text(workspace: Path, earlier: str) -> None:
    (workspace / "earlier").write_text(earlier)
    assert call(workspace, "Check", options="--min=removed_di=0.9") == 0
    assert call(workspace, "Comment") == 0
    look, write = _read(workspace / "calls").splitlines()
    assert look.startswith("api repos/a/b/issues/7/comments?per_page=100 --jq")
    assert GATE in look
    expected = "PATCH repos/a/b/issues/comments/91" if earlier else "POST repos/a/b/issues/7/comments"
    assert write == f"api --method {expected} -F body=@{workspace}/temp/gate.md --silent"
    assert "Rask" not in _read(workspace / "temp/gate.md")


def test_actions_are_pinned_and_inputs_are_those_of_the_example() -> None:
    used = [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step]
    assert [use for use in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", use)] == []
    example = yaml.safe_load((ROOT / "examples/github-action.yml").read_text(encoding="utf-8"))
    [step] = [step for step in example["jobs"]["gate"]["steps"] if "with" in step]
    assert step["with"].keys() <= ACTION["inputs"].keys()
    assert example["permissions"] == {"contents": "read", "pull-requests": "write"}


@pytest.mark.skipif(not shutil.which("actionlint"), reason="actionlint is not installed")
def test_the_workflow_is_sound() -> None:
    examples = [ROOT / "examples" / name for name in ("github-action.yml", "github-workflow.yml")]
    for path in (*examples, *WORKFLOWS):
        found = subprocess.run(["actionlint", str(path)], capture_output=True, text=True)
        assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_our_workflows_run_what_was_looked_at(path: Path) -> None:
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    steps = [step for job in content["jobs"].values() for step in job["steps"]]
    used = [step["uses"] for step in steps if "uses" in step]
    assert [use for use in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", use)] == []
    assert [step["run"] for step in steps if "${{" in step.get("run", "")] == []
    assert content["permissions"] == {"contents": "read"}


def test_only_a_tag_publishes_and_only_packages() -> None:
    content = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    assert content[True] == {"push": {"tags": ["v*"]}, "workflow_dispatch": None}  # `on` is a boolean to YAML 1.1
    build, publish = content["jobs"]["build"], content["jobs"]["publish"]
    assert (publish["if"], publish["needs"]) == ("github.event_name == 'push'", "build")
    assert (publish["permissions"], "permissions" in build) == ({"id-token": "write"}, False)
    download, upload = publish["steps"]
    assert upload["uses"].startswith("pypa/gh-action-pypi-publish@")
    [packages] = [step for step in build["steps"] if step.get("with", {}).get("name") == download["with"]["name"]]
    assert packages["with"]["path"].split() == ["dist/*.whl", "dist/*.tar.gz"]


@pytest.mark.parametrize(("tag", "passes"), [("v{}", True), ("v{}.1", False), ("{}", True), ("v9", False)])
def test_a_tag_is_the_version(tag: str, passes: bool, tmp_path: Path) -> None:
    content = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    [check] = [step["run"] for step in content["jobs"]["build"]["steps"] if "the changes" in step.get("name", "")]
    (tmp_path / "src/showthrough").mkdir(parents=True)
    (tmp_path / "src/showthrough/version.py").write_text('__version__ = "1.0.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("## [1.0.0] - 2026-12-01\n")
    environment = {**os.environ, "GITHUB_REF_NAME": tag.format("1.0.0")}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check]
    assert (subprocess.run(command, cwd=tmp_path, env=environment).returncode == 0) == passes


def test_the_gitlab_template_runs(workspace: Path) -> None:
    job = yaml.safe_load((ROOT / "examples/gitlab-ci.yml").read_text(encoding="utf-8"))["anonymization"]
    install, evaluation, check = job["script"]
    assert install.startswith("python -m pip install")
    assert evaluation.startswith("showthrough evaluate plan.toml --without-text")
    path = f"{workspace}/temp/showthrough/bin{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(SOURCE)}
    status = subprocess.run(["sh", "-ec", check], cwd=workspace, env=environment, capture_output=True).returncode
    assert status == job["allow_failure"]["exit_codes"] == 3  # 40 documents are too few for the usual limits
    for name in (*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]):
        assert (workspace / name).is_file()


# The image.


DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def instructions() -> list[tuple[str, str]]:
    joined = re.sub(r"\\\n\s*", "", DOCKERFILE)
    return [tuple(line.split(" ", 1)) for line in joined.splitlines() if line and not line.startswith("#")]  # type: ignore[misc]


def test_the_image_runs_without_rights_and_knows_how_it_is() -> None:
    final = instructions()[[name for name, _ in instructions()].index("FROM", 1) :]
    assert [text for name, text in final if name == "USER"] == ["10001"]
    assert [text for name, text in final if name == "ENTRYPOINT"] == ['["showthrough"]']
    assert any(name == "HEALTHCHECK" and "--version" in text for name, text in final)
    assert "--read-only" in DOCKERFILE
    ignored = _read(ROOT / ".dockerignore").splitlines()
    copied = [
        word for name, text in instructions() if name == "COPY" and "--from" not in text for word in text.split()[:-1]
    ]
    assert ignored[0] == "*"
    assert {f"!{word}" for word in copied} <= set(ignored)
    assert all((ROOT / word).exists() for word in copied)


@pytest.mark.skipif(not shutil.which("hadolint"), reason="hadolint is not installed")
def test_the_image_is_sound() -> None:
    found = subprocess.run(["hadolint", str(ROOT / "Dockerfile")], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


@pytest.mark.slow
def test_the_steps_of_the_image_work(tmp_path: Path) -> None:
    """Its first stage in a folder of its own. With the variables of the second, its program writes nothing there."""
    build, opt = tmp_path / "build", tmp_path / "opt"
    build.mkdir()
    values: dict[str, Any] = {}
    for name, text in instructions():
        if name == "COPY" and "--from" not in text:
            *sources, target = text.split()
            for source in sources:
                if (ROOT / source).is_dir():
                    shutil.copytree(ROOT / source, build / target, ignore=shutil.ignore_patterns("__pycache__"))
                else:
                    shutil.copy(ROOT / source, build)
        elif name == "RUN" and "useradd" not in text:
            command = text.replace("/opt/", f"{opt}/").replace("python -m", f"{sys.executable} -m")
            made = subprocess.run(["sh", "-ec", command], cwd=build, capture_output=True, text=True)
            if "No matching distribution" in made.stderr:
                pytest.skip("no package index can be reached")
            assert made.returncode == 0, made.stderr
        elif name == "ENV":
            values |= dict(
                pair.split("=", 1) for pair in text.replace("/opt/", f"{opt}/").replace("/tmp", f"{tmp_path}/t").split()
            )
    values["PATH"] = values["PATH"].replace("$PATH", os.environ["PATH"])
    before = {path: path.stat().st_mtime_ns for path in opt.rglob("*")}
    program_path = opt / "showthrough/bin/showthrough"
    for words in (["--version"], ["--help"], ["demo", "--html", str(tmp_path / "page.html")]):
        done = subprocess.run([program_path, *words], cwd=tmp_path, env=values, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    assert {path: path.stat().st_mtime_ns for path in opt.rglob("*")} == before
    assert not (opt / "showthrough/bin/pip").exists()
