"""Which features a tagger uses: one switch a group, as the challenge's paper groups them."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from showthrough.core.call_syntax import descriptions, parameter
from showthrough.core.errors import PlanError, quote_value


@dataclass(frozen=True)
class Features:
    """The groups of features. Numbers are widths: 0 switches the group off."""

    token: bool = parameter(True, "the word as it is written, and in small letters")
    root: bool = parameter(True, "its root form: small letters without a common ending, digits as 0")
    shape: bool = parameter(True, "its shape: capitals, small letters, digits and signs, in full and in short")
    affixes: int = parameter(4, "its first and last 2 up to so many letters")
    orthography: bool = parameter(True, "how it is written: capitalised, in capitals, mixed, digits")
    length: bool = parameter(True, "how many characters it has")
    special: bool = parameter(True, "signs: which one it is, and which touch the word")
    templates: bool = parameter(True, "parts of dates, times, phones, ids, ages, numbers, e-mails, addresses, codes")
    cues: int = parameter(0, "words that announce a type, learned from training, within so many words")
    dictionaries: bool = parameter(
        True, "lists of names, places, calendar, hospitals; phrases of other training records"
    )
    word_class: bool = parameter(False, "closed classes of words, such as prepositions, in place of parts of speech")
    sentence: bool = parameter(True, "its position in the sentence, and how long that is")
    section: bool = parameter(True, "the nearest heading before it, and whether it is in the header or the footer")
    trusted: bool = parameter(True, "the heading under which the record's own fields have the same word")
    frequency: bool = parameter(True, "how frequent it is in its language and in the record, and how often in capitals")
    window: int = parameter(3, "the words so far to either side")
    context: int = parameter(1, "shapes, templates and dictionaries of so many words to either side")
    previous: bool = parameter(False, "the last words of the sentence before")
    enclosed: bool = parameter(True, "whether it is in quotes or brackets")
    verbs: bool = parameter(False, "tense and modality of its verb, with `--pipeline`")
    entities: bool = parameter(False, "the type of named entity that it is in, with `--pipeline`")
    heads: bool = parameter(False, "the dependency on its head, with `--pipeline`")

    @property
    def parsed(self) -> list[str]:
        """The groups that only a pipeline can fill."""
        return [name for name in PARSED if getattr(self, name)]

    def with_changes(self, text: str) -> Features:
        """With groups switched: `+cues,-trusted,window=2`; a number follows =, else + takes the usual width.

        >>> Features().with_changes("-affixes,window=2").affixes
        0
        """
        changes: dict[str, Any] = {}
        for part in filter(None, (entry.strip() for entry in text.split(","))):
            name, equals, number = part.lstrip("+-").partition("=")
            if name not in GROUPS:
                raise PlanError(
                    f"unknown feature group {quote_value(name)}; there are: {', '.join(GROUPS)}", "features"
                )
            usual = getattr(USUAL, name)
            if isinstance(usual, bool):
                changes[name] = not part.startswith("-")
            elif equals and number.isdecimal() and int(number) <= _WIDEST:
                changes[name] = int(number)
            elif equals:
                raise PlanError(f"{name}={number} is no width; expected a number from 0 to {_WIDEST}", "features")
            else:
                changes[name] = 0 if part.startswith("-") else max(usual, _WIDTHS.get(name, 1))
        return replace(self, **changes)


PARSED = ("verbs", "entities", "heads")
_WIDEST = 9
_WIDTHS = {"cues": 3}  # of groups that are usually off
USUAL = Features()
GROUPS: dict[str, str] = {field.name: descriptions(USUAL)[field.name] for field in fields(Features)}
NONE = replace(USUAL, **{field.name: type(getattr(USUAL, field.name))(0) for field in fields(Features)})
