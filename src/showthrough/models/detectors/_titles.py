"""Names behind a title or in a field."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from showthrough.models.detectors.base import Find, is_placeholder
from showthrough.models.detectors.expressions import FIELD, NAME, NOT_NAMES, UP

_TITLES = (
    "Mrs?|Ms|Mx|Miss|Messrs|Mister|Mstr|Drs?(?:\\.[ ]?(?:med|phil|jur|iur|rer|nat))+|Dr\\.ssa|Drs?|"
    "Dra|Doctor|Prof|Professor|Sir|Dame|Lord|Lady|Madam|Judge|Justice|Magistrate|"
    "Rev|Revd|Reverend|Father|Fr|Sister|Brother|Pastor|Bishop|Rabbi|Imam|Sheikh|Nurse|Capt|Captain|Cpt|Sgt|Sergeant|"
    "Cpl|Corporal|Inspector|Insp|Detective|Det|Constable|Superintendent|Supt|Officer|Lt|Lieutenant|Col|Colonel|Maj|"
    "Major|Gen|Adm|Admiral|Cmdr|Commander|Senator|Sen|Ambassador|Attorney|Atty|Adv|Barrister|Baron|Baroness|Countess|"
    "Prince|Princess|Hon|Uncle|Aunt|Herrn?|Frau|Fräulein|Dipl\\.-Ing|Monsieur|Madame|Mme|Mlle|Mademoiselle|Maître|"
    "Señora?|Señorita|Sr|Sra|Srta|Don|Doña|Signora?|Sig|Dott|Avv|Dhr|Mevr|Mevrouw|Meneer|Hr|Fru|Senhora?|Pan|Pani|"
    "Councill?or|Cllr|Congress(?:wo)?man|Archbishop|President|Chancellor|Governor|Mayor|Coroner|Midwife|Paramedic|PC"
)
_TITLE = rf"(?:{_TITLES}|(?:MRS?|MS|MISS|DR|PROF|SIR|JUDGE|JUSTICE|REV|HERR|FRAU|MME)(?=[. \u00a0]))\b\.?"
_PARTICLE = (
    r"(?:(?i:van|von|vom|de|der|den|del|della|di|da|dos|das|do|du|des|la|le|lo|af|av|al|el|bin|ben|bint|ibn|abu|ter|"
    r"ten|te|zu|zum|zur|und|y|e|st\.)[ \u00a0]|(?i:d|l|al|el|ad|as|an|ul)['’-]|(?:van[ ])?['’][tT][ ])"
)
_INITIALS = rf"[{UP}]\.(?:[- ]?[{UP}]\.){{0,3}}"
_WORD = rf"(?:{_INITIALS}|(?:{_PARTICLE}){{0,3}}{NAME})"
# What an anonymizer writes: in brackets of any kind, or signs. A name may be left behind it.
_HOLE = r"(?:\[[^\]\n]{1,40}\]|<[^>\n]{1,40}>|\{[^}\n]{1,40}\}|\([A-Z_ ]{3,30}\)|[*_#█▇■•.…-]{2,40}+|(?i:x{2,40}+)\b)"
_TITLED = re.compile(
    rf"(?<![\w'’])(?P<title>(?:{_TITLE}(?:(?<=\.)\s{{0,3}}|\s{{1,3}})(?:(?:and|or|&|und|et|y)\s{{1,3}})?){{1,4}})"
    rf"(?:{_HOLE}[ \u00a0]?){{0,2}}"
    rf"(?P<names>{_WORD}(?:(?:[ \u00a0]|(?<=\.)){_WORD}|[ \u00a0]{_HOLE}[ \u00a0]{_WORD}){{0,5}})(?!\w)"
)
# Fields of other languages than English, whose fields the rules know.
_OTHER_FIELD = re.compile(
    r"(?<!\w)(?i:nombre|apellidos?|paciente|médic[oa]|remitido por|nom|prénom|médecin|nome|cognome|sobrenome|naam|"
    r"voornaam|achternaam|vorname|nachname|patientin|arzt|ärztin|navn|fornavn|etternavn|imię|nazwisko)"
    rf"[ ]?:[ \u00a0]{{1,3}}(?:{_TITLE}[ ])?(?P<names>{_WORD}(?:[ \u00a0]{_WORD}){{0,5}})(?!\w)"
)
_LEADING = re.compile(rf"(?:(?:{_TITLE}|(?i:the|an?|in|on|of|about|some|last|early|late))\s{{1,3}}){{1,4}}")
_PIECE = re.compile(rf"{_HOLE}|[\w.'’-]+")

_OFFICES = frozenset({
    "Rapporteur", "Rapporteurs", "Chancellor", "Secretary", "President", "Department", "Minister", "Ministry",
    "Advocate", "Registrar", "General", "Court", "Courts", "Office", "Committee", "Commission", "Council", "House",
    "Act", "Chamber", "Bench", "Advocates", "Chief", "Justice", "Justices", "System", "Clerk", "Provost", "Mayor",
    "Lords", "Ladies", "Privy", "Commissioner", "Ombudsman", "Attorney", "Prosecutor", "Inquiry",
})  # fmt: skip
# Behind Mr or Dr most of these are surnames; these are not.
_ADDRESSED = frozenset(
    {"President", "Secretary", "Minister", "Registrar", "Chairman", "Speaker", "Justice", "Advocate"}
)
_PLAIN = re.compile(r"(?i:mrs?|ms|mx|miss|drs?|prof)\b")
# Titles that are surnames too.
_SURNAME = re.compile(
    r"(?:Mrs?|Ms|Mx|Miss|Drs?|Prof)\b\.?\s{1,3}"
    r"(Major|Baron|Prince|Bishop|Constable|Sergeant|Judge|Pastor|Pan|Lord|Don|Mayor|Chancellor|Governor)\b\.?\s{0,3}\Z"
)
# Less those that are surnames and initials as well: here a title stands before them.
_OPENERS = NOT_NAMES - {"A", "I", "Young", "Old", "Still", "More", "Much", "Friday"}


def trim_title(text: str, start: int, end: int) -> tuple[int, int] | None:
    """What tells in a find of a tool that takes a title or an article along; nothing where that is all of it.

    >>> trim_title("the Dr. Rask", 0, 12), trim_title("Rask", 0, 4)
    ((8, 12), None)
    """
    lead = _LEADING.match(text, start, end)
    return (lead.end(), end) if lead and lead.end() < end else None


def find_titled(text: str) -> Iterator[Find]:
    """Names behind titles, and in fields that are for names; `core` is the name."""
    for match in _TITLED.finditer(text):
        offices = _ADDRESSED if _PLAIN.match(match["title"]) else _OFFICES
        core = _name(text, *match.span("names"), offices)
        if core is None and (surname := _SURNAME.search(text, *match.span("title"))):
            core = surname.span(1)  # a sentence begins behind Mr Major
        if core:
            yield Find(match.start(), core[1], "PERSON", core=core)
    for match in (*FIELD.finditer(text), *_OTHER_FIELD.finditer(text)):
        if core := _name(text, *match.span("names")):
            yield Find(*core, "PERSON")


def _name(text: str, start: int, end: int, offices: Collection[str] = ()) -> tuple[int, int] | None:
    """From the first to the last word that is somebody's name; nothing where there is none, or one letter alone.

    Courts write X and Y for people whom they do not name, so a single letter is none.
    """
    pieces: list[re.Match[str]] = []
    for match in _PIECE.finditer(text, start, end):
        word = match[0].rstrip(".")
        if word in _OPENERS or (word in offices and not pieces):
            break  # a sentence begins, or it was an office and no title
        if not is_placeholder(match[0]):
            pieces.append(match)
    letters = sum(character.isalpha() for piece in pieces for character in piece[0])
    if letters < 2 or not any(piece[0][:1].isupper() or "’" in piece[0] or "'" in piece[0] for piece in pieces):
        return None
    return pieces[0].start(), pieces[-1].end()
