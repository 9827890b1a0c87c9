"""That evaluation and reports name no metric and no family, and nobody outside a family names its inputs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from showthrough.core.families import FAMILIES, input_types
from showthrough.metrics import _CLASSES, METRICS

SOURCE = Path(__file__).parent.parent / "src/showthrough"
FREE = ("evaluation", "report")
METRIC_NAMES = frozenset(METRICS.built_in)
FAMILY_NAMES = frozenset(FAMILIES.built_in)
# Metrics whose names are words of English: inside a longer text they name nothing.
ENGLISH = {
    "attributes", "clean", "disagreement", "hallucination", "inconsistent", "meaning", "perplexity", "precision",
    "readability", "recall", "removed", "residual", "safety", "sensibleness", "soundness",
}  # fmt: skip
CODES = METRIC_NAMES - ENGLISH
# Words that mean something else where they stand.
WORDS = {
    "report/agreement.py": {"masking"},  # what annotators decide
    "report/review.py": {"masking", "disagreement"},  # what reviewers correct; what they leave
}
INPUTS = frozenset(kind.name for kind in input_types())
# A family is its package, the commands and studies that are about it alone, and what reads its inputs from files:
# formats come before families in the order of imports, so what they read into is a value of `data`.
HOMES = {
    "background": r"families/|cli/attack\.py|data/background\.py|formats/people/background\.py",
    "ratings": r"families/|cli/rate\.py|studies/rating/|data/authorship\.py|formats/authorship/",
    "verifiers": r"families/|cli/verifier\w*\.py|studies/verification\.py|formats/authorship/",
}
# Files in which the word means something else.
OTHER_MEANINGS = {
    "background": {"report/charts/theme.py"},  # a colour
    "ratings": {
        "statistics/agreement.py",  # what raters say of items, to any coefficient of agreement
        "studies/agreement/_study.py",
        "studies/agreement/tallies.py",
    },
    "verifiers": {"_former.py", "cli/listings.py"},  # modules of 0.1; plugins of that kind, which are listed
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
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom | ast.Import):
            modules = [getattr(node, "module", None) or "", *(alias.name for alias in node.names)]
            named |= {module for module in modules if module.startswith("showthrough.families")}
            named |= _CLASSES.keys() & {alias.name for alias in node.names}
    return named


@cache  # asked for each input
def words_of(source: str) -> set[str]:
    """Strings and identifiers of a module."""
    tree = ast.parse(source)
    fields = ("id", "attr", "arg", "name")
    identifiers = {getattr(node, field, None) for node in ast.walk(tree) for field in fields}
    return {*strings(tree), *(word for word in identifiers if isinstance(word, str))}


def test_the_rule_finds_every_way_to_name_one() -> None:
    source = '''
"""A docstring may say trir."""
from showthrough.metrics import Recall
from showthrough.families.masking.recall import FScore
usual = ("recall", "clinical")
note = "removed_di counts that, and with precision"
'''
    found = {"Recall", "FScore", "showthrough.families.masking.recall", "recall", "clinical", "removed_di"}
    assert metrics_and_families(source) == found


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


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_an_input_is_named_in_its_family_alone(name: str) -> None:
    files = {file.relative_to(SOURCE).as_posix(): file for file in SOURCE.rglob("*.py")}
    named = {file for file, path in files.items() if name in words_of(path.read_text(encoding="utf-8"))}
    assert any(file.startswith("families/") for file in named)
    assert {file for file in named if not re.match(HOMES[name], file)} == OTHER_MEANINGS[name]
