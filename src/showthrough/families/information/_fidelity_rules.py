"""What is asked of surrogates, rule by rule: a surrogate is right or wrong, or nobody can judge it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Sequence
from datetime import date
from enum import IntEnum
from functools import cache, lru_cache
from itertools import pairwise

from showthrough.core.errors import ResourceError
from showthrough.core.patterns import lazy_pattern
from showthrough.data.reading_form import reading_form
from showthrough.families.information._surrogates import (
    Kind,
    SurrogatePair,
    contact_form,
    format_of,
    key_of,
    shown_kind,
    surnames,
)
from showthrough.metrics.matching._dates import complete_dates
from showthrough.metrics.matching.forms import (
    GIVEN_FORMS,
    INSTITUTION_FORMS,
    PARTICLE_FORMS,
    TITLE_FORMS,
    vocabulary_of,
)
from showthrough.models.check_digits import scheme_of
from showthrough.models.dictionary import WORDFREQ, dictionary_from
from showthrough.models.gazetteer import lies_in
from showthrough.models.person_names import Shown, is_famous, is_given_name, shown_by_name, shown_by_noun


class Verdict(IntEnum):
    """What a rule says of a surrogate."""

    NOT_ASKED = 0
    UNKNOWN = 1
    WRONG = 2
    RIGHT = 3


NOT_ASKED, UNKNOWN, WRONG, RIGHT = Verdict
RULES = {
    "type": "it is of the kind of what it replaces",
    "gender": "it shows the same gender",
    "number": "it is one person where that was one, and several where they were",
    "one": "the same person, place, number or date has the same surrogate",
    "two": "two have two",
    "relations": "people with one surname share one again, and places with one town",
    "order": "dates come in the same order",
    "distances": "dates are as many days apart",
    "format": "a number, a date or an address is written in the same form",
    "digits": "an identifier with check digits is valid",
    "plausible": "a name is neither unheard-of nor that of somebody famous",
    "new": "it is not somebody else's original",
}

# What else a surrogate of a kind may show: an address has numbers, a telephone number is a code and a contact.
_ALSO: dict[Kind, frozenset[Kind]] = {
    "person": frozenset({"contact"}), "place": frozenset({"number", "organization"}),
    "organization": frozenset({"place", "number"}), "date": frozenset({"number"}),
    "age": frozenset({"number"}), "code": frozenset({"number", "date", "quantity"}), "contact": frozenset({"number"}),
    "quantity": frozenset({"number"}), "number": frozenset({"date", "quantity"}),
    "word": frozenset({"person", "place", "organization"}),
}  # fmt: skip
_NAMES: tuple[Kind, ...] = ("person", "place", "organization")
_NUMBERED: tuple[Kind, ...] = ("code", "number", "date", "age", "quantity")
_LONG = 3  # letters of a word of a name that is looked up
_RARE = 1e-9  # a word that wordfreq has at all is more frequent
_LATIN = lazy_pattern(r"[A-Za-z]+")


def judge_alone(pair: SurrogatePair, dictionary: str) -> dict[str, Verdict]:
    """The verdicts of the rules that look at one surrogate alone."""
    return {
        "type": _type(pair),
        "gender": _gender(pair),
        "number": _number(pair),
        "format": _format(pair),
        "digits": _digits(pair),
        "plausible": plausibility(pair.written, pair.kind, dictionary),
    }


def _verdict_of(holds: bool) -> Verdict:
    return RIGHT if holds else WRONG


def _type(pair: SurrogatePair) -> Verdict:
    own, shown = pair.kind, shown_kind(pair.written)
    if not own:
        return UNKNOWN
    if own == "person" and shown == "place" and pair.new_key and is_given_name(pair.new_key[0]):
        return RIGHT  # Sofia, Florence
    if shown:
        if own == "person" and shown in ("place", "organization", "date") and _is_word(pair.hidden, pair.written):
            return UNKNOWN  # Park, Valencia and Marzo are surnames, too
        if own in ("place", "organization") and shown == "person":
            return UNKNOWN  # towns and houses are called after people
        alike = shown in (own, shown_kind(pair.hidden)) or shown in _ALSO.get(own, frozenset())
        lost = own in _NAMES and shown in ("date", "quantity", "number") and not _numbered(pair.hidden)
        return _verdict_of(alike and not lost)
    # Letters alone may be any name, but no number.
    return WRONG if _numbered(pair.hidden) and own in (*_NUMBERED, "contact") else UNKNOWN


def _is_word(*names: str) -> bool:
    """Whether each is one word, titles aside."""
    return all(len(key_of(name, "person")) == 1 and not _numbered(name) for name in names)


def _numbered(text: str) -> bool:
    return any(map(str.isdigit, text)) or "@" in text


def _shown(text: str, kind: Kind, before: str = "") -> Shown:
    """What the language shows of people in a text of a kind."""
    if kind == "person":
        return shown_by_name(text, before)
    return shown_by_noun(text) if kind in ("word", "") else Shown()


def _gender(pair: SurrogatePair) -> Verdict:
    """Where the original, or the title before it, shows a gender; a surrogate that may be either stays open."""
    before = _shown(pair.hidden, pair.kind, pair.before).gender
    after = _shown(pair.written, pair.kind).gender
    return NOT_ASKED if not before else _verdict_of(before == after) if after else UNKNOWN


def _number(pair: SurrogatePair) -> Verdict:
    """Of names, where one of the two shows several people: a name without a sign of it is one person's."""
    before, after = (_shown(text, pair.kind).number for text in (pair.hidden, pair.written))
    if not before or (pair.kind == "person" and "many" not in (before, after)):
        return NOT_ASKED
    return _verdict_of(before == after) if after else UNKNOWN


def _format(pair: SurrogatePair) -> Verdict:
    if pair.kind in (*_NUMBERED, "contact") and (form := contact_form(pair.hidden)):  # some type it as a code
        return _verdict_of(contact_form(pair.written) == form)
    if pair.kind not in (*_NUMBERED, "contact") or not any(map(str.isdigit, pair.hidden)):
        return NOT_ASKED
    kind: Kind = "code" if pair.kind == "contact" else pair.kind
    if pair.kind == "date" and complete_dates(pair.hidden) and not complete_dates(pair.written):
        return WRONG  # no day of the calendar
    return _verdict_of(format_of(pair.hidden, kind) == format_of(pair.written, kind))


def _digits(pair: SurrogatePair) -> Verdict:
    surface = f"{pair.entity_type} {pair.before}"
    scheme = scheme_of(pair.hidden, surface) if any(map(str.isdigit, pair.hidden)) else ""
    return _verdict_of(scheme_of(pair.written, surface) == scheme) if scheme else NOT_ASKED


@lru_cache(maxsize=1 << 16)
def plausibility(name: str, kind: Kind, dictionary: str) -> Verdict:
    """Whether a name of a person or a place may be somebody's: people write its words, and it is nobody famous's.

    >>> [plausibility(name, "person", "wordfreq:en").name for name in ("Mary Osborne", "Tarno Brell", "Angela Merkel")]
    ['RIGHT', 'WRONG', 'WRONG']
    """
    if kind not in ("person", "place"):
        return NOT_ASKED
    small = TITLE_FORMS | PARTICLE_FORMS
    words = [word for word in key_of(name, kind) if len(word) >= _LONG and word not in small and not word.isdigit()]
    if kind == "person" and is_famous(name):
        return WRONG
    if not words or any(not _LATIN.fullmatch(word) for word in words):
        return UNKNOWN
    written = [word for part in name.split() for word in part.casefold().replace("-", " ").split()]
    unheard = [word for word in words if not _is_heard(word, written, dictionary)]
    if not unheard:
        return RIGHT
    return WRONG if _has_rare_words(dictionary) else UNKNOWN


def _is_heard(word: str, written: Sequence[str], dictionary: str) -> bool:
    """Whether a list has a word, in reading form or as the surrogate writes it, in the language or in English."""
    if word in GIVEN_FORMS or word in INSTITUTION_FORMS or is_given_name(word) or lies_in(word):
        return True
    spellings = {word, *(part.strip(".,;'’()") for part in written if reading_form(part).strip() == word)}
    return any(_frequency(spelling, dictionary) > _RARE for spelling in spellings)


@lru_cache(maxsize=1 << 16)
def _frequency(word: str, dictionary: str) -> float:
    if not dictionary.startswith(WORDFREQ):
        return float(word in dictionary_from(dictionary))
    from wordfreq import word_frequency  # here: its lists take a second to load

    try:
        return max(float(word_frequency(word, language)) for language in {dictionary.removeprefix(WORDFREQ), "en"})
    except ImportError as error:
        needs = f'dictionary="{dictionary}" needs a package that cuts words: pip install "wordfreq[cjk]"'
        raise ResourceError(needs) from error


@cache
def _has_rare_words(dictionary: str) -> bool:
    """Whether a list has rare words, too: of languages with a small list, most surnames are on none."""
    if not dictionary.startswith(WORDFREQ):
        return True
    from wordfreq import available_languages

    return dictionary.removeprefix(WORDFREQ) in available_languages("large")


def judge_identity(pairs: Sequence[SurrogatePair]) -> dict[str, list[Verdict]]:
    """`one` and `two` of surrogates in their order, which belong to one text or to several that are read together.

    A shorter form of one name, as the Doe of John Doe, is the same person; one that fits two names cannot be judged.
    """
    one, two = [NOT_ASKED] * len(pairs), [NOT_ASKED] * len(pairs)
    first: dict[tuple[Kind, tuple[str, ...]], tuple[str, ...]] = {}
    taken: dict[tuple[Kind, tuple[str, ...]], list[tuple[str, ...]]] = defaultdict(list)
    people = {pair.key: pair.new_key for pair in reversed(pairs) if pair.kind == "person" and pair.key}
    longer = _longer_names(list(people))
    kinds: set[Kind] = set()
    for number, pair in enumerate(pairs):
        if not pair.key:
            continue
        identity = (pair.kind, pair.key)
        if identity in first:
            one[number] = _verdict_of(pair.new_key == first[identity])
            continue
        first[identity] = pair.new_key
        whole = longer.get(pair.key, []) if pair.kind == "person" else []
        if whole:
            same = len(whole) == 1 and set(pair.new_key) <= set(people[whole[0]])
            one[number] = UNKNOWN if len(whole) > 1 else _verdict_of(same)
        if pair.kind in (*_NAMES, "code", "contact"):
            others = taken[pair.kind, pair.new_key]
            if pair.kind in kinds:
                two[number] = (
                    _verdict_of(all(_same_person(pair, other) for other in others)) if pair.new_key else UNKNOWN
                )
            others.append(pair.key)
            kinds.add(pair.kind)
    return {"one": one, "two": two}


def _same_person(pair: SurrogatePair, other: tuple[str, ...]) -> bool:
    own = set(pair.key)
    return pair.kind == "person" and (own <= set(other) or own >= set(other))


def _longer_names(names: Sequence[tuple[str, ...]]) -> dict[tuple[str, ...], list[tuple[str, ...]]]:
    """By name, the longest names that have all of its words."""
    by_word: dict[str, list[tuple[str, ...]]] = defaultdict(list)
    for name in names:
        for word in set(name):
            by_word[word].append(name)
    longer = {
        name: [other for other in min((by_word[word] for word in name), key=len) if set(name) < set(other)]
        for name in names
    }
    return {name: [other for other in others if not longer[other]] for name, others in longer.items()}


def judge_relations(pairs: Sequence[SurrogatePair], dictionary: str) -> list[Verdict]:
    """Of each new name: whether it belongs together with the same earlier names as its original did.

    Names belong together by a surname or a town. So surrogates of two that do must share a word, and surrogates that
    share a surname or a town need originals that share a word.
    """
    verdicts = [NOT_ASKED] * len(pairs)
    seen: set[tuple[str, tuple[str, ...]]] = set()
    before, after = _Names(), _Names()
    houses = [pair for pair in pairs if pair.kind in ("place", "organization")]
    towns, new_towns = (
        frozenset(key[0] for key in keys if len(key) == 1)
        for keys in ([pair.key for pair in houses], [pair.new_key for pair in houses])
    )
    for number, pair in enumerate(pairs):
        group = "person" if pair.kind == "person" else "place"
        if pair.kind not in _NAMES or (group, pair.key) in seen:
            continue
        seen.add((group, pair.key))
        own, new = (
            _ties(pair.hidden, pair.kind, dictionary, towns),
            _ties(pair.written, pair.kind, dictionary, new_towns),
        )
        if group == "person" and not own:
            continue  # a surname alone
        tied, alike = before.add(group, number, own, pair.key)
        tied_after, alike_after = after.add(group, number, new, pair.new_key)
        same = {other for other in alike | alike_after if _same_person(pair, pairs[other].key)}
        if (tied | tied_after) - same:
            holds = tied - same <= alike_after and tied_after - same <= alike
            verdicts[number] = UNKNOWN if group == "person" and not new else _verdict_of(holds)
    return verdicts


class _Names:
    """Names so far, by the words by which they belong together and by all of their words."""

    def __init__(self) -> None:
        self._tied: dict[tuple[str, str], set[int]] = defaultdict(set)
        self._alike: dict[tuple[str, str], set[int]] = defaultdict(set)

    def add(self, group: str, number: int, ties: Iterable[str], words: Iterable[str]) -> tuple[set[int], set[int]]:
        """The earlier names that share a tie with one, and those that share any word; then it is one of them."""
        sides = (self._tied, ties), (self._alike, words)
        tied, alike = (set[int]().union(*(table[group, word] for word in own)) for table, own in sides)
        for table, own in sides:
            for word in own:
                table[group, word].add(number)
        return tied, alike


@lru_cache(maxsize=1 << 16)
def _ties(text: str, kind: Kind, dictionary: str, towns: frozenset[str]) -> frozenset[str]:
    """The words by which names belong together: surnames; of places and houses, towns and words that are not ordinary.

    `towns` are words that are a name by themselves.
    """
    if kind == "person":
        return surnames(text)
    ordinary = vocabulary_of(dictionary).ordinary
    words = [word for word in reading_form(text).split() if len(word) >= _LONG and word.isalpha()]
    generic = INSTITUTION_FORMS | PARTICLE_FORMS
    return frozenset(
        word for word in words if word not in generic and (word in towns or lies_in(word) or word not in ordinary)
    )


def judge_dates(pairs: Sequence[SurrogatePair], day_first: bool | None) -> dict[str, list[Verdict]]:
    """`order` and `distances`: of each date but the earliest, how it follows the one before it.

    A date counts once in a document. Dates that do not say one day cannot be judged.
    """
    order, distances = [NOT_ASKED] * len(pairs), [NOT_ASKED] * len(pairs)
    distinct = {pair.key: number for number, pair in reversed(list(enumerate(pairs))) if pair.kind == "date"}
    days: dict[date, tuple[date, int]] = {}
    open_: list[int] = []
    for number in sorted(distinct.values()):
        hidden, written = (pairs[number].day(which, day_first) for which in (False, True))
        if hidden is None or written is None:
            open_.append(number)
        else:
            days.setdefault(hidden, (written, number))
    for number in open_ if days else open_[1:]:
        order[number] = distances[number] = UNKNOWN
    chain = sorted(days.items())
    for (earlier, (new_earlier, _)), (later, (new_later, number)) in pairwise(chain):
        order[number] = _verdict_of(new_earlier < new_later)
        distances[number] = _verdict_of(new_later - new_earlier == later - earlier)
    return {"order": order, "distances": distances}


def judge_new(pair: SurrogatePair, originals: Container[tuple[Kind, tuple[str, ...]]]) -> Verdict:
    """Whether a person, a code or an address is somebody's original; one common name alone is nobody's."""
    if pair.kind not in ("person", "code", "contact"):
        return NOT_ASKED
    if not pair.new_key or (len(pair.new_key) == 1 and is_given_name(pair.new_key[0])):
        return UNKNOWN
    return _verdict_of(pair.new_key == pair.key or (pair.kind, pair.new_key) not in originals)
