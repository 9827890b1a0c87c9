"""The page of the papers: every command, option, metric, system and preset that it names is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import pytest

from pages import commands, commands_in_text, options_of, prose, text_of, unknown_words
from showthrough.core.errors import PlanError
from showthrough.families.authorship.verifiers.table import LEARNERS as VERIFIER_LEARNERS
from showthrough.metrics import METRICS, PRESETS, metrics_of
from showthrough.studies.generalization import learner_and_preset
from showthrough.systems.base import ANONYMIZERS
from showthrough.systems.spec import named_anonymizer
from showthrough.systems.taggers.learners.base import LEARNERS
from showthrough.systems.taggers.training import PRESETS as RUNS

PAGE = "docs/papers.md"
PAPERS = ("Text Anonymization Benchmark", "i2b2 2006", "TAE", "PAN 2016")
_NAME = re.compile(r"`([a-z]\w*)`")
_SHORT = re.compile(r"`((\w+)\s[^`]+)`")  # a command without the program's name
_OPTION = re.compile(r"`(--[\w-]+)[^`]*`")  # an option by itself
KNOWN = {*METRICS, *PRESETS, *ANONYMIZERS, *RUNS, *LEARNERS, *VERIFIER_LEARNERS, *commands()}

NAMES = {  # by option, and whether the command trains a tagger or a verifier
    ("--preset", False, False): PRESETS,
    ("--preset", True, False): RUNS,
    ("--learner", True, False): LEARNERS,
    ("--learner", False, True): VERIFIER_LEARNERS,
}


def faults(text: str) -> Iterator[str]:
    """What a text names in backticks and Showthrough does not have."""
    known = commands()
    for words in commands_in_text(
        _SHORT.sub(lambda code: f"`showthrough {code[1]}`" if code[2] in known else code[0], text)
    ):
        yield from unknown_words(words)
        for option, value in pairwise(words):
            try:
                check(words[1:3], option, value)
            except PlanError as error:
                yield str(error)
    options = set().union(*map(options_of, all_of(known.values())))
    yield from (option for option in _OPTION.findall(text) if option not in options)
    yield from (name for name in _NAME.findall(text) if name not in KNOWN)


def all_of(several: Iterable[Any]) -> Iterator[Any]:
    """Commands, and those below them."""
    for command in several:
        yield command
        yield from all_of(getattr(command, "commands", {}).values())


def check(command: list[str], option: str, value: str) -> None:
    """Raises PlanError where the value of an option is the name of nothing."""
    if option == "--metric":
        metrics_of(value)
    elif option == "--with" and "--across" in command:
        learner_and_preset(value)
    elif option == "--with" and not value.endswith("/"):  # a folder of the reader's
        named_anonymizer(value)
    elif option in ("--preset", "--learner"):
        names = NAMES[option, "tagger" in command, "verifier" in command]
        if value not in names:
            raise PlanError(f"found {value}; expected {', '.join(names)}", option)


def test_what_the_page_names_is_there() -> None:
    assert list(faults(prose(PAGE))) == []


@pytest.mark.parametrize(
    "planted",
    [
        "`showthrough agreement corpus.json --vocabulary`",
        "`showthrough evaluate corpus.json --matrix`",
        "`showthrough train tagger corpus.json\n--sweep -o tagger/`",
        "`corpus --vocabularies`",
        "`train transformers`",
        "`--backgrounds FILE`",
        "`showthrough train tagger corpus.json --preset wrenn1 -o tagger/`",
        "`showthrough train tagger corpus.json --learner glad -o tagger/`",
        "`showthrough attribute problems/`",
        "`showthrough rate show ratings/ --rating r1`",
        "`showthrough evaluate corpus.json --metric er_dj`",
        "`showthrough evaluate corpus.json --preset tap`",
        "`showthrough anonymize corpus.json --with longformer -o masks.json`",
        "`wellner4`",
    ],
)
def test_a_wrong_name_is_noticed(planted: str) -> None:
    assert list(faults(f"{prose(PAGE)}\n{planted}\n"))


def test_each_paper_has_its_tables() -> None:
    """What is here with a command in every row, and what is not here with a reason in every row."""
    sections = re.split(r"^## ", text_of(PAGE), flags=re.MULTILINE)[1:]
    assert len(sections) == len(PAPERS)
    for paper, section in zip(PAPERS, sections, strict=True):
        assert section.startswith(paper)
        here, missing = section.split("\n### Not here\n")
        assert all("`showthrough " in row for row in rows(here)), paper
        assert all(cells(row)[1] for row in rows(missing)), paper
        assert rows(here), paper
        assert rows(missing), paper


def rows(section: str) -> list[str]:
    """The rows of a table below its head."""
    return re.findall(r"^\| (?!in the paper|---).+ \|$", section, re.MULTILINE)


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("| ").split(" | ")]


def test_the_presets_of_the_papers_are_named() -> None:
    presets = {words[words.index("--preset") + 1] for words in commands_in_text(text_of(PAGE)) if "--preset" in words}
    assert {"tab", "i2b2", "tae", "pan"} <= presets
    assert {run for run in RUNS if f"`{run}`" not in text_of(PAGE)} == set()
