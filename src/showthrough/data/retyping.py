"""Renames entity types, and sets which of them identify directly, for every metric.

It is said once, and holds for the mentions of a corpus and for what masks say they found. A corpus that is decoded
document by document is changed document by document. Digests stay those of what was given; a run's settings say the
rest.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

import msgspec
from msgspec import structs

from showthrough.core.errors import PlanError, Problem, join_names, quote_value, shorten
from showthrough.data.documents import TO_MASK, Annotation, Corpus, Document, Identifier, Mention, map_documents
from showthrough.data.labels import NO_TYPE, Labels, label_map
from showthrough.data.levels import GUESS, by_type, level_of
from showthrough.data.masks import Anonymization, DerivedMasks, Mask
from showthrough.data.survey import MentionCategory, Survey
from showthrough.data.types import fold_type

Names = str | Iterable[str]


@dataclass(frozen=True)
class Retyping:
    """What types are to be taken for.

    `map` renames types, all at once (`A=B,B=A` swaps two); a type that is mapped to nothing is left out. `direct`,
    `quasi`, `may` and `ignore` name types as they are then. Their mentions identify directly, or together with others,
    whatever the file says; or may be masked or stay; or count as if nobody had marked them. Among `may`, `NO_MASK`
    stands for all mentions that annotators marked so.
    """

    map: Mapping[str, str]
    direct: tuple[str, ...] = ()
    quasi: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    may: tuple[str, ...] = ()
    corpus: tuple[str, ...] = field(default=(), compare=False)  # the types of the corpus that it is said of

    @classmethod
    def of(
        cls,
        map: str | Mapping[str, str] = "",
        direct: Names = (),
        quasi: Names = (),
        ignore: Names = (),
        may: Names = (),
    ) -> Retyping:
        """Raises PlanError for what contradicts itself."""
        if map in ("", {}) and direct == quasi == ignore == may == ():
            return cls({})
        mapping = label_map(map) if isinstance(map, str) else map
        if not isinstance(mapping, Mapping) or not _is_text(name for pair in mapping.items() for name in pair):
            raise PlanError(f"found {quote_value(map)}; expected a mapping, or text such as LOCATION=LOC", "map")
        lists = {"direct": direct, "quasi": quasi, "ignore": ignore, "may": may}
        retyping = cls(dict(mapping), **{option: _type_names(option, names) for option, names in lists.items()})
        options: dict[str, str] = {}
        for option, name in retyping._option_pairs():
            earlier = options.setdefault(fold_type(name), option)
            if earlier != option:
                raise PlanError(
                    f"is named for {earlier} and for {option}; expected one of them", f"type {shorten(name)}"
                )
        left_out = {source for source, target in mapping.items() if not target}
        if both := sorted(left_out & set(mapping.values())):
            fault = f"{shorten(both[0])} is left out, and another type is mapped to it; expected one of them"
            raise PlanError(fault, "map")
        return retyping

    def __bool__(self) -> bool:
        return bool(self.map or any(getattr(self, option) for option in _OPTIONS))

    def __str__(self) -> str:
        """One line that says it all, for signatures; empty where nothing is said.

        >>> str(Retyping.of("CITY=LOC", direct="CODE,PER"))
        'map=CITY>LOC;direct=CODE,PER'
        """
        if not self:
            return ""
        parts = {
            "map": [f"{source}>{target}" for source, target in sorted(self.map.items())],
            **{option: sorted(getattr(self, option)) for option in _OPTIONS},
        }
        return ";".join(f"{option}={','.join(names)}" for option, names in parts.items() if names)

    def _option_pairs(self) -> Iterator[tuple[str, str]]:
        return ((option, name) for option in _OPTIONS for name in getattr(self, option))

    def over(self, other: Retyping) -> Retyping:
        """What this says, and of types that it does not name, what the other says."""
        named = {fold_type(name) for _, name in self._option_pairs()}
        rest = {
            option: [name for name in getattr(other, option) if fold_type(name) not in named] for option in _OPTIONS
        }
        lists = {option: (*getattr(self, option), *rest[option]) for option in _OPTIONS}
        return Retyping.of({**other.map, **self.map}, **lists)

    def rename(self, name: str) -> str:
        """What a type is called then: as the map says of the very name, else of one that differs in writing only."""
        if name in self.map:
            return self.map[name]
        return next((target for source, target in self.map.items() if fold_type(source) == fold_type(name)), name)

    def left_out(self, name: str) -> bool:
        """Whether instances of a type count neither for annotators nor for systems."""
        target = self.rename(name)
        return not target or fold_type(target) in map(fold_type, self.ignore)

    def left_out_too(self, name: str) -> bool:
        """The same of a system's type that may be taken for one of the corpus: with `EMAIL`, `EMAIL_ADDRESS` goes."""
        labels, gone = self._of_corpus
        return self.left_out(name) or labels.taken(self.rename(name) or name) in gone

    @cached_property
    def _of_corpus(self) -> tuple[Labels, set[str]]:
        """What the corpus's types are called then, and those of them that are left out under all their names."""
        gone = {self.rename(type_name) or type_name for type_name in self.corpus if self.left_out(type_name)}
        remaining = {self.rename(type_name) for type_name in self.corpus if not self.left_out(type_name)}
        remaining_labels = Labels(remaining)
        gone = {name for name in gone if name not in remaining_labels}
        return Labels(remaining | gone), gone

    def check_once(self) -> None:
        """Raises PlanError when to rename a name that has been renamed gives yet another."""
        for source, target in self.map.items():
            if target != source and self.rename(target) != target:
                raise PlanError(
                    f"{shorten(source)} becomes {shorten(target)} and that something else, which does not work for "
                    'types that are replacements; expected map="…" in the metric instead',
                    "map",
                )

    def rules(self, types: Iterable[str]) -> dict[str, TypeRule]:
        """What becomes of mentions of each of these types; nothing for those that stay as they are."""
        levels: dict[str, Identifier] = {}
        levels |= dict.fromkeys(map(fold_type, self.direct), "DIRECT")
        levels |= dict.fromkeys(map(fold_type, self.quasi), "QUASI")
        levels |= dict.fromkeys(map(fold_type, self.may), "MAY_MASK")
        spares: Identifier = "MAY_MASK" if _NO_MASK in map(fold_type, self.may) else "NO_MASK"
        rules = {}
        for type_name in types:
            target = self.rename(type_name or NO_TYPE)
            rule = TypeRule(
                "" if target == NO_TYPE else target,
                levels.get(fold_type(target)),
                not self.left_out(type_name or NO_TYPE),
                spares,
            )
            if rule != TypeRule(type_name):
                rules[type_name] = rule
        return rules

    def problems(self, corpus: Corpus, mask_types: Iterable[str]) -> list[Problem]:
        """One for each type that is named and occurs nowhere. `mask_types` are what masks say they found."""
        corpus_types = {type_name or NO_TYPE for type_name in corpus.survey.types}
        anywhere = sorted(corpus_types | set(mask_types))
        renamed_types = sorted(filter(None, map(self.rename, corpus_types)))
        checks = [("map", name, anywhere, "neither a mention nor a mask has this type") for name in self.map]
        if any(kind.identifier == "NO_MASK" for kind in corpus.survey.marked):
            renamed_types.append(NO_MASK)
        checks += [(option, name, renamed_types, "no mention has this type") for option, name in self._option_pairs()]
        return [
            Problem(
                corpus.source, f"{option} {shorten(name)}", f"{fault}; there are {join_names(dict.fromkeys(types))}"
            )
            for option, name, types, fault in checks
            if fold_type(name) not in map(fold_type, types)
        ]


_OPTIONS = ("direct", "quasi", "ignore", "may")
NO_MASK = "NO_MASK"  # among types that may be masked: whatever annotators marked so
_NO_MASK = fold_type(NO_MASK)


def left_out_types(text: str) -> list[str]:
    """The types that count for nobody, from the line that says it all (`str` of a retyping).

    >>> left_out_types(str(Retyping.of("TITLE=,CITY=LOC", direct="CODE", ignore="PER,AGE")))
    ['TITLE', 'AGE', 'PER']
    """
    if not text:
        return []
    renamed = [pair.rpartition(">") for pair in types_named(text, "map")]
    return [source for source, _, target in renamed if not target] + types_named(text, "ignore")


def types_named(text: str, option: str) -> list[str]:
    """The types that one option names, from the same line.

    >>> types_named(str(Retyping.of(quasi="PER", ignore="AGE")), "quasi")
    ['PER']
    """
    parts = dict(part.partition("=")[::2] for part in text.split(";") if part)
    return [name for name in parts.get(option, "").split(",") if name]


def _type_names(option: str, names: Names) -> tuple[str, ...]:
    """The names of types that are given for an option. Raises PlanError for what is none."""
    entries = [names] if isinstance(names, str) or not isinstance(names, Iterable) else list(names)
    if not _is_text(entries):
        value = entries if isinstance(names, Iterable) else names
        raise PlanError(f"found {quote_value(value)}; expected names of types", option)
    return split_names(entries)


def _is_text(values: Iterable[object]) -> bool:
    return all(isinstance(value, str) for value in values)


def split_names(names: Names) -> tuple[str, ...]:
    """Names of types, one by one or with commas between, each once.

    >>> split_names(["PER, LOC", "PER"])
    ('PER', 'LOC')
    """
    entries = [names] if isinstance(names, str) else names
    return tuple(dict.fromkeys(name.strip() for entry in entries for name in entry.split(",") if name.strip()))


class TypeRule(msgspec.Struct, frozen=True):
    """What becomes of mentions of one type."""

    entity_type: str
    identifier: Identifier | None = None  # where it is settled
    is_kept: bool = True
    spares: Identifier = "NO_MASK"  # what NO_MASK is taken for

    def retype_kind(self, kind: MentionCategory) -> MentionCategory:
        """What such mentions are then."""
        if self.identifier:
            return MentionCategory(self.entity_type, self.identifier, True)
        if kind.stated:
            return MentionCategory(self.entity_type, self._level(kind.identifier), True)
        return MentionCategory(self.entity_type, level_of(self.entity_type) or GUESS, False)

    def _level(self, identifier: Identifier) -> Identifier:
        """How a mention identifies of which somebody said it."""
        return self.spares if identifier == "NO_MASK" else identifier

    def mention(self, mention: Mention) -> Mention:
        level = self.identifier or (self._level(mention.identifier) if mention.stated else None)
        start, end, _, _, *rest = structs.astuple(mention)
        if level is None:
            return by_type(start, end, self.entity_type, *rest)
        return Mention(start, end, self.entity_type, level, *rest)


def _retype_document(rules: Mapping[str, TypeRule], document: Document) -> Document:
    def mentions(layer: Annotation) -> Iterator[Mention]:
        for mention in layer.mentions:
            rule = rules.get(mention.entity_type)
            if rule is None:
                yield mention
            elif rule.is_kept:
                yield rule.mention(mention)

    layers = tuple(Annotation(layer.annotator, tuple(mentions(layer))) for layer in document.annotations)
    return structs.replace(document, annotations=layers)


def retype_corpus(corpus: Corpus, retyping: Retyping) -> Corpus:
    """The same documents with what the mentions in them are taken for; they are not surveyed again."""
    rules = retyping.rules(corpus.survey.types)
    if not rules:
        return corpus
    details = corpus.name, corpus.source, corpus.notes, corpus.offsets
    changed = Corpus(map_documents(corpus.documents, partial(_retype_document, rules)), *details)
    changed.survey = _retype_survey(corpus.survey, rules)
    changed.traces = corpus.traces  # what belongs together does not depend on what a user wants counted
    return changed


def _retype_survey(survey: Survey, rules: Mapping[str, TypeRule]) -> Survey:
    marked: Counter[MentionCategory] = Counter()
    left_out, lowered = {*survey.left_out}, {*survey.lowered}
    for kind, count in survey.marked.items():
        rule = rules.get(kind.entity_type)
        now = kind if rule is None else rule.retype_kind(kind) if rule.is_kept else None
        if now is not None:
            marked[now] += count
        if kind.identifier == "DIRECT" and (now is None or now.identifier not in TO_MASK):
            left_out.add(kind.entity_type or NO_TYPE)
        elif kind.identifier == "DIRECT" and now is not None and now.identifier != "DIRECT":
            lowered.add((kind.entity_type or NO_TYPE, now.entity_type))
    return replace(survey, marked=dict(marked), left_out=tuple(sorted(left_out)), lowered=tuple(sorted(lowered)))


def _rename_types(names: Mapping[str, str], masks: Sequence[Mask]) -> list[Mask]:
    pairs = ((mask, names.get(mask.entity_type)) for mask in masks)
    return [mask if name is None else structs.replace(mask, entity_type=name) for mask, name in pairs]


def retyped_masks(anonymization: Anonymization, retyping: Retyping) -> Anonymization:
    """The same masks with what they say they found; of a type that is left out they say it still."""
    names = {
        type_name: target
        for type_name in anonymization.types
        if (target := retyping.rename(type_name)) not in ("", type_name)
    }
    if not names:
        return anonymization

    # Those of a large file are still encoded.
    masks: Mapping[str, Sequence[Mask]] = DerivedMasks(anonymization.masks, partial(_rename_types, names))
    if isinstance(anonymization.masks, dict):
        masks = dict(masks)
    original = anonymization
    changed = Anonymization(
        masks, original.name, original.source, original.notes, original.provenance, original.offsets
    )
    changed.digest = anonymization.digest
    return changed
