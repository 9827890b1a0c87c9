"""Divides a corpus into parts to train on, to choose by and to test on (Pilán et al. 2022, section 4.3).

Documents that belong together stay together: groups, copies, documents about one person. Documents that several people
annotated, or that somebody reviewed, go into the later parts, which are to be scored on. Within that, each part gets
its share of every value of a field.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import numpy as np
from msgspec.structs import replace

from showthrough.core.errors import PlanError, join_names, quote_value
from showthrough.core.expected import expects
from showthrough.core.patterns import lazy_pattern
from showthrough.data.documents import Corpus, Document

_NAME = lazy_pattern(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,39}")
RECORD = "split"
_USUAL = {2: ("train", "test"), 3: ("train", "dev", "test")}
_EXPECTED = "expected shares such as 80/10/10, or with names: train=80,dev=10,test=10"
SHARES: Mapping[str, float] = {"train": 80, "dev": 10, "test": 10}


class SplitPart(msgspec.Struct, frozen=True):
    """One part of a corpus."""

    share: float  # as it was asked for, of all shares
    documents: list[str]  # ids, in the order of the corpus
    units: int  # of documents that belong together, or a document alone
    several_annotators: int  # documents that two or more people annotated
    reviewed: int  # documents whose annotations somebody reviewed
    values: dict[str, int]  # documents by value of the field


class SplitRecord(msgspec.Struct, frozen=True):
    """How a corpus was divided: the same corpus, shares, field and seed give the same parts."""

    corpus: str
    digest: str
    seed: int
    field: str | None
    parts: dict[str, SplitPart]
    notes: list[str]


@dataclass(frozen=True)
class CorpusSplit:
    """The parts by name, each a corpus whose documents say which part they are in, and the record."""

    parts: Mapping[str, Corpus]
    record: SplitRecord


def parse_shares(shares: str) -> dict[str, float]:
    """Shares as they are written.

    >>> parse_shares("80/20"), parse_shares("a=2,b=1,c=1,d=1")
    ({'train': 80.0, 'test': 20.0}, {'a': 2.0, 'b': 1.0, 'c': 1.0, 'd': 1.0})
    """
    named = "=" in shares
    pieces = [piece.strip() for piece in shares.split("," if named else "/")]
    names = [piece.partition("=")[0].strip() for piece in pieces] if named else _USUAL.get(len(pieces), ())
    numbers = [piece.partition("=")[2] if named else piece for piece in pieces]
    try:
        values = list(map(float, numbers))
    except ValueError:
        values = []
    if not values or len(names) != len(values) or len(set(names)) < len(names):
        raise PlanError(f"found {quote_value(shares)}; {_EXPECTED}", "shares")
    return check_shares(dict(zip(names, values, strict=True)))


def check_shares(shares: Mapping[str, float]) -> dict[str, float]:
    """The shares, if they can be; raises PlanError."""
    if len({name.casefold() for name in shares}) < len(shares):  # each is a file, and not all systems know capitals
        raise PlanError(f"found {join_names(shares)}; expected different names", "shares")
    if len(shares) < 2:
        raise PlanError(f"found {len(shares)}; expected two or more", "shares")
    for name, value in shares.items():
        if not _NAME.fullmatch(name):
            raise PlanError(f"found the name {quote_value(name)}; expected letters, digits, - and _", "shares")
        if name.casefold() == RECORD:
            raise PlanError(f"found the name {quote_value(name)}, which the record has; expected another", "shares")
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
            raise PlanError(f"{name} is {quote_value(value)}; expected a number above 0", "shares")
    return dict(shares)


@dataclass(frozen=True)
class _Unit:
    """Documents that stay together."""

    documents: list[int]
    values: Counter[str]
    checked: bool  # several people annotated one of them, or somebody reviewed it


@expects(corpus=Corpus)
def split_corpus(
    corpus: Corpus, shares: Mapping[str, float] | str = SHARES, *, by: str | None = None, seed: int = 0
) -> CorpusSplit:
    """Divides a corpus into parts by chance, in shares such as 80/10/10; the order of documents does not matter.

    Groups, near copies and documents about one person stay together. Documents of several annotators and reviewed ones
    go into the parts after the first, while there is room. `by` names a field, such as `year` or `meta.countries`: each
    part gets its share of every value.

    >>> from showthrough.data.documents import Annotation
    >>> both = (Annotation("ann"), Annotation("bob"))
    >>> names = {"a": "Oslo is cold.", "b": "Rome is hot.", "c": "She left Paris.", "d": "He likes tea."}
    >>> corpus = Corpus([Document(id, text, both if id == "c" else ()) for id, text in names.items()])
    >>> split = split_corpus(corpus, "75/25")
    >>> list(split.parts["test"].ids), len(split.parts["train"])  # c has two annotators
    (['c'], 3)
    """
    wanted = parse_shares(shares) if isinstance(shares, str) else check_shares(shares)
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise PlanError(f"found {quote_value(seed)}; expected a whole number, 0 or more", "seed")
    values, facts = _look_at(corpus, by)
    units = _units(corpus, values, facts)
    if len(units) < len(wanted):
        fault = f"{len(corpus)} documents make {len(units)} independent unit{'s' * (len(units) != 1)}"
        raise PlanError(f"{fault}; expected at least {len(wanted)}, one for each part", "corpus")
    part_of = _assign(units, wanted, seed, len(corpus))
    total = sum(wanted.values())
    parts, records = {}, {}
    for name, share in wanted.items():
        chosen = [unit for unit, part in zip(units, part_of, strict=True) if part == name]
        numbers = sorted(number for unit in chosen for number in unit.documents)
        documents = [replace(corpus.documents[number], split=name) for number in numbers]
        parts[name] = Corpus(documents, f"{corpus.name}-{name}", corpus.source, offsets=corpus.offsets)
        records[name] = SplitPart(
            share / total,
            [document.id for document in documents],
            len(chosen),
            sum(facts[number][0] for number in numbers),
            sum(facts[number][1] for number in numbers),
            dict(sorted(Counter(values[number] for number in numbers).items())) if by else {},
        )
    notes = list(_notes(corpus, units, records, wanted))
    return CorpusSplit(parts, SplitRecord(corpus.name, corpus.digest, seed, by, records, notes))


def _look_at(corpus: Corpus, by: str | None) -> tuple[list[str], list[tuple[bool, bool]]]:
    """Of each document the value of the field, and whether several people annotated it and somebody reviewed it."""
    values, facts = [], []
    names: set[str] = set()
    for document in corpus:
        values.append(", ".join(sorted(document.field_values(by))) if by else "")
        facts.append((len(document.readers) > 1, bool(document.reviewed)))
        names |= _field_names(document) if by else set()
    if by and not any(values):
        raise PlanError(
            f"no document has the field {quote_value(by)}; found the fields {join_names(sorted(names))}", "by"
        )
    return values, facts


def _field_names(document: Document) -> set[str]:
    inner = document.fields.get("meta")
    return {*document.fields, *(f"meta.{name}" for name in (inner if isinstance(inner, dict) else ()))}


def _units(corpus: Corpus, values: Sequence[str], facts: Sequence[tuple[bool, bool]]) -> list[_Unit]:
    """What stays together, in an order that is not that of the documents."""
    labels = corpus.units.labels
    members: dict[tuple[str, bool], list[int]] = defaultdict(list)
    ids = list(corpus.ids)
    for number, document_id in enumerate(ids):
        label = labels[number] if labels else ""
        members[(label, True) if label else (document_id, False)].append(number)
    units = [
        _Unit(numbers, Counter(values[number] for number in numbers), any(any(facts[number]) for number in numbers))
        for numbers in members.values()
    ]
    return sorted(units, key=lambda unit: min(ids[number] for number in unit.documents))


def _sizes(portion: Mapping[str, float], count: int) -> dict[str, int]:
    """How many of so many documents each part has: whole numbers, by largest remainders.

    >>> _sizes({"train": 0.8, "dev": 0.1, "test": 0.1}, 42)
    {'train': 34, 'dev': 4, 'test': 4}
    """
    exact = {name: round(share * count, 9) for name, share in portion.items()}
    sizes = {name: int(size) for name, size in exact.items()}
    most_cut = sorted(exact, key=lambda name: sizes[name] - exact[name])
    return sizes | {name: sizes[name] + 1 for name in most_cut[: count - sum(sizes.values())]}


def _assign(units: Sequence[_Unit], shares: Mapping[str, float], seed: int, count: int) -> list[str]:
    """The part of each unit: checked ones first, then large ones, then those of rare values, then by chance.

    A unit goes where its values are missing most, of the parts that have room for it (Sechidis et al. 2011); where none
    has, to any. No part stays empty.
    """
    names, total = list(shares), sum(shares.values())
    portion = {name: shares[name] / total for name in names}
    of_value: Counter[str] = sum((unit.values for unit in units), Counter())
    room = _sizes(portion, count)
    lacking = {name: {value: portion[name] * times for value, times in of_value.items()} for name in names}
    chance = np.random.default_rng(seed)
    drawn = chance.permutation(len(units)).tolist()
    ties = chance.random((len(units), len(names)))

    def rank(index: int) -> tuple[bool, int, int]:
        unit = units[index]
        return not unit.checked, -len(unit.documents), min(of_value[value] for value in unit.values)

    part_of = [""] * len(units)
    empty = dict.fromkeys(names)
    for position, index in enumerate(sorted(drawn, key=rank)):
        unit = units[index]
        roomy = [name for name in names if room[name] >= len(unit.documents)] or names
        held_out = [name for name in roomy if name != names[0]] if unit.checked else []
        free = list(empty) if len(units) - position <= len(empty) else held_out or roomy
        needs = {
            name: (
                round(sum(times * lacking[name][value] for value, times in unit.values.items()), 9),
                room[name],
                ties[index, names.index(name)],
            )
            for name in free
        }
        chosen = part_of[index] = max(free, key=needs.__getitem__)
        empty.pop(chosen, None)
        room[chosen] -= len(unit.documents)
        for value, times in unit.values.items():
            lacking[chosen][value] -= times
    return part_of


def _notes(
    corpus: Corpus, units: Sequence[_Unit], parts: Mapping[str, SplitPart], shares: Mapping[str, float]
) -> list[str]:
    """What a reader must know of the parts."""
    notes = list(corpus.units.notes)
    first = next(iter(shares))
    left = parts[first].several_annotators + parts[first].reviewed
    if left and any(unit.checked for unit in units):
        notes.append(
            f"documents of several annotators or reviewed ones are also in {first}: there was no room elsewhere"
        )
    uneven = [name for name, part in parts.items() if abs(len(part.documents) - part.share * len(corpus)) >= 1]
    if uneven:
        sizes = join_names(f"{name}: {len(parts[name].documents)}" for name in uneven)
        notes.append(f"documents that stay together make parts larger or smaller than asked ({sizes})")
    return notes
