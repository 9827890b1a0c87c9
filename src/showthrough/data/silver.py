"""Annotations that programs made and nobody has looked through: silver, not gold. Their annotator's name says so.

A name is what formats keep of an annotator, so that is where it is written, with the programs and their versions:
`silver(rules.v1+presidio.v1)`, or `silver(2 of rules.v1+presidio.v1+spacy.v1)` where so many had to agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import PurePath

from showthrough.core.patterns import lazy_pattern

_SILVER = lazy_pattern(r"silver(?:\((?:\d+ of )?(.*)\))?", re.DOTALL)
_VERSION = lazy_pattern(r"\.v\d+$")
_WORDS = lazy_pattern(r"[^\s+(),=:/\\\"']+")
_PIPELINE = lazy_pattern(r"[a-z]{2}_(core|dep|ent|sent)_\w+")  # as spaCy's are called
_CARRIERS = {"cmd", "hf", "http", "trained"}  # what these carry is the program
_KIND = lazy_pattern(r"\w+")  # of a detector, before what it is told
# Presidio asks spaCy's pipelines for names and places; the detector `patterns` has the expressions of `rules`.
_AKIN = {"presidio": "spacy", "patterns": "rules"}


def silver_name(programs: Sequence[str], vote: int = 1) -> str:
    """The annotator that stands for these programs.

    >>> silver_name(["rules.v1", "presidio.v1"]), silver_name(["a.v1", "b.v2", "c.v1"], 2)
    ('silver(rules.v1+presidio.v1)', 'silver(2 of a.v1+b.v2+c.v1)')
    """
    return f"silver({f'{vote} of ' if vote > 1 else ''}{'+'.join(programs)})"


def is_silver(annotator: str) -> bool:
    return annotator.startswith("silver") and _SILVER.fullmatch(annotator) is not None


def programs_of(annotator: str) -> tuple[str, ...]:
    """The programs that a silver annotator names.

    >>> programs_of("silver(2 of a.v1+b.v2+c.v1)"), programs_of("silver"), programs_of("Ann")
    (('a.v1', 'b.v2', 'c.v1'), (), ())
    """
    named = _SILVER.fullmatch(annotator)
    return tuple(named[1].split("+")) if named and named[1] else ()


def families(marked_by: str) -> dict[str, str]:
    """The families of the programs that marked a corpus, and the program as it is named.

    Versions and settings of a program are one family; of a command, a service or a model, that which was run.

    >>> sorted(families("silver(rules.v1+hf.v1 deid-bert) and silver(en_core_web_sm) and others"))
    ['deid-bert', 'rules', 'spacy']
    """
    names = {}
    for annotator in marked_by.split(" and "):
        for program in programs_of(annotator):
            name, *settings = program.split() or [""]
            name = _VERSION.sub("", name)
            program_name = settings[0] if name in _CARRIERS and settings else name
            names[_family(program_name)] = program_name
    return {family: name for family, name in names.items() if family}


def _family(program: str) -> str:
    name = _VERSION.sub("", program).casefold()
    return "spacy" if _PIPELINE.fullmatch(name) else _AKIN.get(name, name)


def akin(marked_by: str, called: Iterable[str], anonymizer: str = "") -> str:
    """Which of the programs that marked a corpus is of one family with a system; empty where none is known to be.

    A system is known by what it and its file are called, and by the anonymizer that made it, as that is written.

    >>> akin("silver(rules.v1+presidio.v1)", ["Rules v2"]), akin("silver(presidio.v1)", ["ours"], "spacy+everywhere")
    ('rules', 'presidio')
    >>> akin("silver(rules.v1)", ["overrules"], "presidio")
    ''
    """
    by_family = families(marked_by)
    words = [word for word in _WORDS.findall(anonymizer) if _family(word) not in _CARRIERS]
    for name in called:
        stem = PurePath(name.replace("\\", "/")).name.partition(".")[0]
        words += [
            stem,
            re.split(r"[^a-zA-Z0-9]", stem)[0],
            *(candidate for candidate in [name] if _family(candidate) in by_family),
        ]
    return next((by_family[family] for family in map(_family, words) if family in by_family), "")


def same_detector(detector: str, called: Iterable[str], anonymizer: str = "") -> bool:
    """Whether a detector is of one family with a system, and so looks for what the system has hidden already.

    >>> same_detector("patterns", ["ours"], "rules+everywhere"), same_detector('spacy("x")', ["presidio.json"])
    (True, True)
    >>> same_detector("patterns", ["ner"])
    False
    """
    kind = _KIND.match(detector)
    return kind is not None and bool(akin(silver_name([kind[0]]), called, anonymizer))
