"""What types are called: in maps that rename them, in the text that stands for what was masked, and by whom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from showthrough.core.errors import PlanError, quote_value, shorten
from showthrough.core.patterns import lazy_pattern
from showthrough.data.masks import Mask
from showthrough.data.types import fold_type, kind_of, nearest, path_of

NO_TYPE = "(no type)"
_SEPARATORS = lazy_pattern(r"[-_\s]+")
_BARE = lazy_pattern(r"^[\W_]+|[\W_]*\d*[\W_]*$")


def label_map(text: str) -> dict[str, str]:
    """Which type is to be taken as which: `LOCATION=LOC,CITY=LOC`; `AGE=` leaves a type out.

    >>> label_map("LOCATION=LOC, CITY=LOC")
    {'LOCATION': 'LOC', 'CITY': 'LOC'}
    """
    targets: dict[str, str] = {}
    for entry in filter(None, map(str.strip, text.split(","))):
        source, sign, target = (part.strip() for part in entry.partition("="))
        if not sign or not source:
            raise PlanError(f"found {quote_value(entry)}; expected FROM=TO, such as LOCATION=LOC", "map")
        if targets.setdefault(source, target) != target:
            both = f"{quote_value(targets[source])} and {quote_value(target)}"
            raise PlanError(f"{shorten(source)} is mapped to both {both}; expected one", "map")
    return targets


def label_of(replacement: str | None) -> str:
    """The type that a replacement spells out, without brackets and numbers.

    >>> label_of("[PERSON_1]"), label_of("<LOC>"), label_of("***")
    ('PERSON', 'LOC', '')
    """
    return _BARE.sub("", replacement or "")


class Labels:
    """What the types of systems are taken for, given those of a corpus.

    A name is taken for the corpus's own name of the same kind (`EMAIL_ADDRESS` for `EMAIL`), else for the nearest type
    of the corpus that it lies below in the tree of kinds (`CITY` for `LOC`). What the corpus tells apart stays apart:
    where it has both, a `CITY` is no `LOC`. Of several names that the corpus has for one kind, the kind's own
    stands for all of them, else the first.

    >>> labels = Labels(["EMAIL", "LOC", "PATIENT"])
    >>> [labels.taken(name) for name in ("email address", "CITY", "PERSON", "TATTOO")]
    ['EMAIL', 'LOC', None, None]
    """

    def __init__(self, types: Iterable[str]) -> None:
        self._types: dict[str, str] = {}
        for name in sorted(filter(None, types), key=lambda name: (name != kind_of(name), name)):
            self._types.setdefault(_key(name), name)

    def __contains__(self, name: str) -> bool:
        """Whether the corpus has a type of the same kind."""
        return _key(name) in self._types

    def taken(self, name: str) -> str | None:
        """The type of the corpus that a name is taken for; `None`: it is coarser than all of them, or not known."""
        if (key := _key(name)) in self._types:
            return self._types[key]
        kind = nearest(name)
        above = reversed(path_of(kind)) if kind else ()
        return next((self._types[ancestor] for ancestor in above if ancestor in self._types), None)

    def title(self, name: str) -> str:
        """One name for all that mean the same: the corpus's, else the tree's, else as it is, in capitals.

        >>> labels = Labels(["EMAIL"])
        >>> labels.title("EMAIL_ADDRESS"), labels.title("PER"), labels.title("blood-group")
        ('EMAIL', 'PERSON', 'BLOOD_GROUP')
        """
        if not name or name == NO_TYPE:
            return name
        return self.taken(name) or kind_of(name) or _SEPARATORS.sub("_", name).upper()

    def number_titles(self, names: Iterable[str]) -> tuple[list[str], list[int]]:
        """The titles of names, each once, and of every name the number of its title."""
        numbers: dict[str, int] = {}
        title_numbers = [numbers.setdefault(self.title(name), len(numbers)) for name in names]
        return list(numbers), title_numbers


def _key(name: str) -> str:
    return kind_of(name) or fold_type(name)  # kinds are in capitals, folded names are not


class TypeResolver:
    """What a type counts as, for mentions and masks alike: by a map, then as a type of the corpus; empty: left out.

    `types` are those of the corpus. With `exact`, names count as they are.

    >>> meaning = TypeResolver({"ORT": "CITY", "AGE": ""}, ["LOC", "AGE"])
    >>> [meaning(name) for name in ("ORT", "GPE", "EDAD_SUJETO_ASISTENCIA", "")]
    ['LOC', 'LOC', '', '(no type)']
    """

    def __init__(self, mapping: Mapping[str, str], types: Iterable[str], *, exact: bool = False) -> None:
        self._mapping = mapping
        self._exact = exact
        self.types = {mapping.get(name, name) for name in types} - {""}
        labels = Labels(self.types)  # what is left out under one name may be asked for under another
        self._left_out = {source for source, target in mapping.items() if not target and source not in labels}
        self._labels = Labels(self.types | self._left_out)

    def __call__(self, name: str) -> str:
        target = self._mapping.get(name, name or NO_TYPE)
        if self._exact or not target:
            return target
        title = self._labels.title(target)
        return "" if title in self._left_out else title

    def knows(self, name: str) -> bool:
        """Whether the corpus has a type that a name counts as, or the map leaves it out."""
        target = self._mapping.get(name, name)
        return not target or target in self.types or (not self._exact and self._labels.taken(target) is not None)


_WORD = lazy_pattern(r"[^\W_]+")
_LABEL = lazy_pattern(r"[^\W\d_]+(?:[-_/][^\W_]+)*")


def type_of(mask: Mask, text: str) -> str:
    """What a mask of a text says that it hides: its type, or else the label that it writes; empty where there is none.

    A label is one word in capitals that does not stand in what is masked: `Roe` for `Doe` is a surrogate and no type.
    The name of a known kind is one all the same: `AGE` for `ten years of age`.

    >>> type_of(Mask(3, 6, "[PERSON_1]"), "Mr Doe"), type_of(Mask(3, 6, "Roe"), "Mr Doe"), type_of(Mask(3, 6), "Mr Doe")
    ('PERSON', '', '')
    """
    if mask.entity_type:
        return mask.entity_type
    label = label_of(mask.replacement)
    is_label = label.isupper() and _LABEL.fullmatch(label)
    if not is_label or (kind_of(label) is None and repeats(label, text[mask.start : mask.end])):
        return ""
    return label


def repeats(label: str, masked: str) -> bool:
    """Whether a label has a word of what is masked, in whatever case.

    >>> repeats("JOHN_DOE", "Mr Doe"), repeats("AGE", "the manager")
    (True, False)
    """
    words = ({word.casefold() for word in _WORD.findall(text)} for text in (label, masked))
    return not next(words).isdisjoint(next(words))
