"""That evaluation and reports name no metric and no family, and nobody outside a family names its inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from functools import cache
from pathlib import Path

import pytest

from showthrough.core.families import FAMILIES, family_fields, input_types
from showthrough.metrics import _CLASSES, METRICS

SOURCE = Path(__file__).parent.parent / "src/showthrough"
FREE = ("evaluation", "report")
_FAMILIES = "showthrough.families"
METRIC_NAMES = frozenset(METRICS.built_in)
FAMILY_NAMES = frozenset(FAMILIES.built_in)
# Metrics whose names are words of English: inside a longer text they name nothing.
ENGLISH = {
    "attributes", "clean", "disagreement", "hallucination", "inconsistent", "meaning", "perplexity", "policy",
    "precision", "readability", "recall", "removed", "residual", "safety", "sensibleness", "soundness",
}  # fmt: skip
CODES = METRIC_NAMES - ENGLISH
# Words that mean something else where they stand.
WORDS = {
    "report/annex/__init__.py": {"linkability"},  # one of three risks
    "report/agreement.py": {"masking"},  # what annotators decide
    "report/review.py": {"masking", "disagreement"},  # what reviewers correct; what they leave
}
INPUTS = frozenset(kind.name for kind in input_types())
# And their options, but `answers`: programs, attackers and language models answer as well.
INPUT_NAMES = sorted(INPUTS | {option.name for option in fields(family_fields("options"))} - {"answers"})
# A family is its package, the commands and studies that are about it alone, and what reads its inputs from files:
# formats come before families in the order of imports, so what they read into is a value of `data`.
HOMES = {
    "policy": r"families/|cli/check\.py",
    "background": r"families/|cli/attack\.py|data/background\.py|formats/people/background\.py",
    "ratings": r"families/|cli/rate\.py|studies/rating/|data/authorship\.py|formats/authorship/",
    "statements": r"families/|data/statements\.py|formats/people/(statements|inference_answers)\.py",
    "verifiers": r"families/|cli/verifier\w*\.py|studies/(attribution|verification)\.py|formats/authorship/",
    "verifier": r"families/|cli/verifier\w*\.py|studies/(attribution|verification)\.py|formats/authorship/",
}
# The public names, and modules of 0.1.
LISTED = {"__init__.py", "_former.py"}
# Files in which the word means something else, or that say to users what they can do.
OTHER_MEANINGS = {
    "background": {
        "report/charts/theme.py",  # a colour
        "report/notebook.py",
        "report/release/printing.py",  # a flag of browsers
        "report/review.py",
        "cli/demo.py",  # which attacks, as a user would
        "cli/demo_corpus/__init__.py",
        "studies/attribution.py",  # the known texts, to the attack that tells authors apart
        "systems/_repairing_attackers.py",
        "systems/repair.py",  # its own parameter: what the attack knows that shows it what to hide
        "studies/risk/sections.py",  # what to run where nobody tried to link documents to people
    },
    "policy": {  # of browsers, which pages set; when a question is asked again; a number of an insurance
        "models/chat/_client.py",
        "models/chat/model.py",
        "models/detectors/_more_expressions.py",
        "models/detectors/expressions.py",
        "report/annex/__init__.py",
        "report/html/_page.py",
        "report/html/sources.py",
        "report/site/pages.py",
        "report/release/page.py",
        "report/review.py",
        "report/sheets/page.py",
        "studies/rating/server.py",
    },
    "ratings": {
        "statistics/agreement.py",  # what raters say of items, to any coefficient of agreement
        "studies/agreement/_study.py",
        "studies/agreement/tallies.py",
    },
    "statements": {"formats/benchmarks/tab.py"},  # what marks say of people
    "verifiers": {"cli/listings.py"},  # plugins of that kind, which are listed
    "verifier": {  # the commands by that name, and what is trained and saved
        "cli/__init__.py",
        "cli/former.py",
        "cli/listings.py",
        "cli/train.py",
        "models/model_folders.py",
    },
}


def strings(tree: ast.AST) -> Iterator[str]:
    """All strings of a module but its docstrings, whose examples may name anything."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)]
    docstrings = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def metrics_and_families(source: str) -> set[str]:
    """What a module names: a metric or family as a whole string, a code inside one, an import of either."""
    tree = ast.parse(source)
    named = set()
    for text in strings(tree):
        named |= {text} & (METRIC_NAMES | FAMILY_NAMES)
        named |= CODES.intersection(re.findall(r"\w+", text))
        named |= {text} if text.startswith(_FAMILIES) else set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            modules = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            if isinstance(node, ast.ImportFrom):
                modules += [f"{node.module}.{alias.name}" for alias in node.names]
            named |= {module for module in modules if module.startswith(_FAMILIES)}
            named |= _CLASSES.keys() & {alias.name for alias in node.names}
    return named


@cache  # asked for each input
def words_of(source: str) -> set[str]:
    """The words of a module's strings, identifiers and imports: `BackgroundInput` has two."""
    tree = ast.parse(source)
    attributes = ("id", "attr", "arg", "name", "asname", "module")
    identifiers = [getattr(node, attribute, None) for node in ast.walk(tree) for attribute in attributes]
    texts = [*strings(tree), *(word for word in identifiers if isinstance(word, str))]
    return {word.lower() for text in texts for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", text)}


def test_the_rule_finds_every_way_to_name_one() -> None:
    source = '''
"""A docstring may say trir."""
from showthrough.metrics import Recall
from showthrough.families.masking.recall import FScore
usual = ("recall", "clinical")
note = "removed_di counts that, and with precision"
from showthrough import families
import_module("showthrough.families.masking")
'''
    module = "showthrough.families.masking.recall"
    found = {"Recall", "FScore", module, f"{module}.FScore", "recall", "clinical", "removed_di"}
    assert metrics_and_families(source) == found | {"showthrough.families", "showthrough.families.masking"}


@pytest.mark.parametrize(
    "line",
    [
        "heard = plan.inputs['ratings']",
        "def f(ratings): ...",
        "fault = f'{name}: expected --ratings FILE'",
        "RATINGS_FILE = 1",
        "class RatingsInput: ...",
        "from showthrough.formats.authorship import ratings",
        "from showthrough.formats.authorship.ratings import Rating",
        "import showthrough.data as ratings",
    ],
)
def test_an_input_is_seen_however_it_is_named(line: str) -> None:
    assert "ratings" in words_of(line)
    assert "ratings" not in words_of(f'"""Says ratings."""\n{line.lower().replace("ratings", "rated")}')


@pytest.mark.parametrize("package", FREE)
def test_a_package_names_no_metric_and_no_family(package: str) -> None:
    """By their roles (`run.roles`) metrics are found, and by the registry families."""
    files = {file.relative_to(SOURCE).as_posix(): file for file in (SOURCE / package).rglob("*.py")}
    named = {name: metrics_and_families(file.read_text(encoding="utf-8")) for name, file in files.items()}
    allowed = {name: words for name, words in WORDS.items() if name in files}
    assert {name: words for name, words in named.items() if words} == allowed


def test_templates_name_no_metric() -> None:
    pages = {page.name: page.read_text(encoding="utf-8") for page in (SOURCE / "report").rglob("*.html")}
    named = {name: CODES.intersection(re.findall(r"\w+", page)) for name, page in pages.items()}
    assert {name: codes for name, codes in named.items() if codes} == {}


@pytest.mark.parametrize("name", INPUT_NAMES)
def test_an_input_is_named_in_its_family_alone(name: str) -> None:
    files = {file.relative_to(SOURCE).as_posix(): file for file in SOURCE.rglob("*.py")}
    named = {file for file, path in files.items() if name in words_of(path.read_text(encoding="utf-8"))}
    assert any(file.startswith("families/") for file in named)
    assert {file for file in named - LISTED if not re.match(HOMES[name], file)} == OTHER_MEANINGS[name]


def test_pages_name_no_input() -> None:
    """Scripts and templates of the report; colours have backgrounds, and browsers a policy."""
    pages = [*(SOURCE / "report").rglob("*.html"), *(SOURCE / "report").rglob("*.js")]
    named = {
        page.name: {*re.findall(r"\w+", page.read_text(encoding="utf-8"))} & {*INPUT_NAMES} - {"background", "policy"}
        for page in pages
    }
    assert {name: words for name, words in named.items() if words} == {}
