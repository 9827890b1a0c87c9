"""What a policy asks of each type, and how it is read from a file.

A policy is a list of rules. A rule names types of the label tree and covers what lies below them; the rule that names
the nearest type decides. It says whether mentions must be masked, may be masked or have to stay, in which ways they may
be replaced, and what of them may still be read.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import msgspec
from msgspec import structs

from showthrough.core.errors import InputError, Problem, join_names, shorten
from showthrough.data.documents import TO_MASK, Annotation, Corpus, Document, Identifier, Mention, map_documents
from showthrough.data.labels import NO_TYPE
from showthrough.data.levels import GUESS, level_of
from showthrough.data.survey import Survey
from showthrough.data.types import ROOT, kind_of, nearest, path_of
from showthrough.storage.reading import decode_json, decoder_of, read_bytes, text_of

if TYPE_CHECKING:
    from showthrough.families.policies.leaving import Leaving

Way = Literal["suppress", "label", "generalize", "surrogate"]
Leave = Literal["year", "age-89", "zip-3", "state"]
Tier = Literal["must", "may", "keep"]
WAYS: tuple[Way, ...] = get_args(Way)
_SHIPPED = ("hipaa-safe-harbor", "i2b2-2014", "tab")
_NAME = re.compile(r"[\w.-]+")
_ID = re.compile(r"[^\s:|\[\]]+")  # it stands in the names of parts
_FAULT = 100  # characters of what a reader of TOML says


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"exclude": "except"}):
    """What is asked of some types."""

    id: str
    title: str
    types: tuple[str, ...]
    exclude: tuple[str, ...] = ()  # types below them that the rule is not about
    tier: Tier = "must"
    identifiers: tuple[Literal["DIRECT", "QUASI"], ...] = ()  # only mentions that annotators marked so; empty: all
    leave: tuple[Leave, ...] = ()  # what may still be read of a mention that must be masked
    ways: tuple[Way, ...] = WAYS
    not_judged: str = ""  # what of it no text shows

    @property
    def label(self) -> str:
        """What tables call it."""
        return f"{self.id} {self.title}"

    def leavings(self, entity_type: str) -> list[Leaving]:
        """What may still be read of mentions of a type: a year of a date, but not of a number."""
        if not self.leave:
            return []
        from showthrough.families.policies.leaving import LEAVES  # here: who calls evaluate may have no policy

        path = _path(entity_type)
        return [LEAVES[name] for name in self.leave if LEAVES[name].about in path]

    def leaves(self, text: str, entity_type: str) -> bool:
        """Whether a mention of a type says no more than may still be read."""
        return any(leaving.alone(text, _path(entity_type)) for leaving in self.leavings(entity_type))


class Policy(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """Rules with a name and a source. Types that no rule is about are as `others` says: as they were marked, or may or
    have to stay.
    """

    name: str
    title: str
    source: str
    rules: tuple[Rule, ...]
    others: Literal["may", "keep", "marked"] = "marked"
    not_covered: tuple[str, ...] = ()  # what the source asks for and no rule here judges
    file: str = ""

    @cached_property
    def digest(self) -> str:
        """Changes with anything that the rules say."""
        return hashlib.blake2b(msgspec.json.encode(structs.replace(self, file="")), digest_size=16).hexdigest()

    @cached_property
    def _by_kind(self) -> Mapping[str, tuple[Rule, ...]]:
        every = [(_kind(name) or name, rule) for rule in self.rules for name in rule.types]
        return {kind: tuple(rule for named, rule in every if named == kind) for kind, _ in every}

    @cached_property
    def _excluded(self) -> frozenset[str]:
        return frozenset(_kind(name) or name for rule in self.rules for name in rule.exclude)

    def rule_of(self, entity_type: str, identifier: Identifier) -> Rule | None:
        """The rule about mentions of a type; `None` where there is none."""
        for kind in reversed(_path(entity_type)):
            for rule in self._by_kind.get(kind, ()):
                if not rule.identifiers or identifier in rule.identifiers:
                    return rule
            if kind in self._excluded:
                return None
        return None

    def identifier_of(self, mention: Mention, text: str) -> Identifier:
        """How a mention of a text counts under the policy."""
        rule = self.rule_of(mention.entity_type, mention.identifier)
        if rule is None:
            others: dict[str, Identifier] = {"may": "MAY_MASK", "keep": "NO_MASK"}
            return others.get(self.others, mention.identifier)
        if rule.tier != "must":
            return "MAY_MASK" if rule.tier == "may" else "NO_MASK"
        if rule.leaves(text[mention.start : mention.end], mention.entity_type):
            return "MAY_MASK"
        return mention.identifier if mention.identifier in TO_MASK else level_of(mention.entity_type) or GUESS

    def __call__(self, document: Document) -> Document:
        """A document as the policy takes it; mentions that it does not change stay as they are."""

        def taken(mention: Mention) -> Mention:
            now = self.identifier_of(mention, document.text)
            if now == mention.identifier:
                return mention
            start, end, entity_type, _, *rest = structs.astuple(mention)
            return Mention(start, end, entity_type, now, *rest)

        layers = (Annotation(layer.annotator, tuple(map(taken, layer.mentions))) for layer in document.annotations)
        return structs.replace(document, annotations=tuple(layers))

    def applied_to(self, corpus: Corpus) -> Corpus:
        """The corpus as the policy takes it. Digest and traces stay those of what was given."""
        details = corpus.name, corpus.source, corpus.notes, corpus.offsets
        changed = Corpus(map_documents(corpus.documents, self), *details)
        before, now = corpus.survey, changed.survey
        left_out = {*before.left_out, *(_direct(before) - _direct(now))}
        changed.survey = replace(now, digests=before.digests, left_out=tuple(sorted(left_out)), lowered=before.lowered)
        changed.traces = corpus.traces
        return changed

    def faults(self) -> Iterator[tuple[str, str]]:
        """What is wrong with it, as field and message."""
        if not _NAME.fullmatch(self.name):
            yield "name", f"found {shorten(self.name)}; expected letters, digits, points and hyphens"
        for field in ("title", "source"):
            if not getattr(self, field).strip():
                yield field, "is empty; expected text"
        if not self.rules:
            yield "rules", "none was given; expected at least one"
        ids = [rule.id for rule in self.rules]
        owners: dict[tuple[str, str], str] = {}
        for number, rule in enumerate(self.rules):
            where = f"rules[{number}]"
            if not _ID.fullmatch(rule.id):
                yield f"{where}.id", f"found {shorten(rule.id)}; expected text without spaces, colons and brackets"
            elif ids.index(rule.id) < number:
                yield f"{where}.id", f"{shorten(rule.id)} is another rule's; expected unique ids"
            if not rule.title.strip() or re.search(r"[:|\[\]]", rule.title):
                yield f"{where}.title", f"found {shorten(rule.title)}; expected text without colons and brackets"
            for name in (*rule.types, *rule.exclude):
                if _kind(name) is None:
                    yield f"{where}: type {shorten(name)}", "is not in the tree of types; see showthrough list labels"
            if not rule.types:
                yield f"{where}.types", "none was given; expected at least one"
            for field in ("identifiers", "leave", "ways"):
                if rule.tier != "must" and getattr(rule, field) != (WAYS if field == "ways" else ()):
                    yield f"{where}.{field}", f"is for types that must be masked; found the tier {rule.tier}"
            if not rule.ways:
                yield f"{where}.ways", f"none was given; expected some of {join_names(WAYS)}"
            for name in rule.types:
                for identifier in rule.identifiers or ("",):
                    owner = owners.setdefault((_kind(name) or name, identifier), rule.id)
                    if owner != rule.id:
                        yield f"{where}: type {shorten(name)}", f"is in the rule {shorten(owner)} too; expected one"


def _path(entity_type: str) -> tuple[str, ...]:
    """The type of the tree that is nearest, with all above it."""
    return path_of(nearest(entity_type) or ROOT)


def _kind(name: str) -> str | None:
    return ROOT if name == ROOT else kind_of(name)


def _direct(survey: Survey) -> Counter[str]:
    """Mentions that identify directly, by type."""
    kinds = ((kind.entity_type or NO_TYPE, times) for kind, times in survey.marked.items() if kind[1] == "DIRECT")
    counts: Counter[str] = Counter()
    for entity_type, times in kinds:
        counts[entity_type] += times
    return counts


def shipped() -> tuple[str, ...]:
    """The policies that ship."""
    return _SHIPPED


def read_policy(name: str) -> Policy:
    """A policy that ships, by its name, or one in a TOML file; raises InputError with all that is wrong."""
    is_shipped = name in _SHIPPED
    path = Path(__file__).with_name(f"{name}.toml") if is_shipped else Path(name)
    if not is_shipped and not path.suffix and not path.exists():
        expected = f"expected {', '.join(_SHIPPED)}, or a TOML file"
        raise InputError(Problem("", f"policy {shorten(name)}", f"is not known; {expected}"))
    try:
        content = tomllib.loads(text_of(path, read_bytes(path)))
    except tomllib.TOMLDecodeError as error:
        raise InputError(Problem(str(path), "", f"is not valid TOML: {shorten(str(error), _FAULT)}")) from error
    except ValueError:
        raise InputError(Problem(str(path), "", "has a number of thousands of digits; expected none")) from None
    except RecursionError:
        raise InputError(Problem(str(path), "", "is nested too deeply; expected a few levels")) from None
    if "file" in content:
        raise InputError(Problem(str(path), "file", "unknown key"))
    policy = decode_json(msgspec.json.encode(content, enc_hook=str), decoder_of(Policy), path)
    policy = structs.replace(policy, file="" if is_shipped else str(path))
    if problems := [Problem(str(path), field, fault) for field, fault in policy.faults()]:
        raise InputError(problems)
    return policy
