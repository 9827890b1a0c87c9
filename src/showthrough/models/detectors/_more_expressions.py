"""What the detector looks for beyond the rows of `expressions`: other writings, other countries, other courts.

A detector is not a mask: what it finds in vain costs a look, what it misses is taken for hidden. So these rows are
wider than those that rules hides by. Every repetition is bounded, and time grows with the length of the text alone.

Forms of case numbers follow what courts publish of them: the European Court of Human Rights (36110/97), the Court of
Justice of the EU (C-131/12), ECLI (Council conclusions 2011/C 127/01), neutral citations of the United Kingdom and of
Commonwealth courts ([2011] EWHC 123 (Admin)), docket numbers of US federal courts (2:19-cv-01234-ABC), file numbers
of German courts (1 BvR 16/13) and French ones (n° 10-12.345).
"""

from __future__ import annotations

import re
from functools import cache

from showthrough.models.detectors.expressions import NAME

_ENGLISH = "January|February|March|April|May|June|July|August|September|October|November|December"
_SHORT = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
# German, French, Spanish, Italian, Portuguese, Dutch and the Scandinavian languages, each name once.
_OTHER = (
    "Januar|Jänner|janvier|enero|gennaio|janeiro|januari|Februar|février|fevrier|febrero|febbraio|fevereiro|februari|"
    "März|Maerz|mars|marzo|março|maart|marts|avril|abril|aprile|Mai|mai|mayo|maggio|maio|mei|maj|Juni|juin|junio|"
    "giugno|junho|juni|Juli|juillet|julio|luglio|julho|juli|août|aout|agosto|augustus|augusti|septembre|septiembre|"
    "setiembre|settembre|setembro|Oktober|oktober|octobre|octubre|ottobre|outubro|novembre|noviembre|novembro|"
    "Dezember|décembre|decembre|diciembre|dicembre|dezembro|december|desember"
)
_MONTH = rf"(?:(?i:{_ENGLISH}|{_OTHER})\b|(?i:{_SHORT})\b\.?)"
_EITHER = "|".join(
    dict.fromkeys(spelling for name in _OTHER.split("|") for spelling in (name, name[0].upper() + name[1:]))
)
_NAMED = rf"(?:(?:{_ENGLISH}|{_EITHER})\b|(?:{_SHORT})\b\.?)"  # as names are written: "may" is none
_WEEKDAY = (
    r"(?i:(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?|montag|dienstag|mittwoch|donnerstag|freitag|"
    r"samstag|sonnabend|sonntag|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|lunes|martes|miércoles|jueves|"
    r"viernes|sábado|domingo)\b\.?"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_NTH = rf"{_DAY}(?i:st|nd|rd|th|er|º|\.)?"
_LAST = rf"{_DAY}(?i:st|nd|rd|th)?"  # where a date may end: the stop is the sentence's
_YEAR = r"(?:1[5-9]|20)\d\d"
_SHORT_YEAR = rf"(?:{_YEAR}|['’]?\d\d)"
_SPACE = r"[ \t\u00a0\u202f]"
_GAP = rf"(?:{_SPACE}{{1,2}}|{_SPACE}?\r?\n{_SPACE}?)"  # a line may end inside a date
_OF = rf"(?:(?:day{_GAP})?(?i:of|de|del|di)\b{_GAP})?"
_LEAD = rf"(?:{_WEEKDAY},?{_GAP})?(?:(?i:the|den|le|el|il){_GAP})?"
_DASH = r"[-–—]"
_RANGE = rf"(?:{_SPACE}?(?:{_DASH}|(?i:to|and|until|bis)){_SPACE}?{_LAST})?"
_ORDINAL = (
    "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|"
    "eigh|nine)teenth|twentieth|thirtieth|"
    "(?:twenty|thirty)[- ](?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
)
_FEAST = (
    r"(?:Christmas(?:[ ](?:Eve|Day))?|Easter|New[ ]Year(?:['’]s[ ](?:Eve|Day))?|Thanksgiving|Ramadan|Hanukkah|Diwali)"
)
_START, _END = r"(?<![\w/-])(?<!\d[.,])", r"(?![\w/]|[.,-]\d)"

_DATES = (
    rf"{_START}{_LEAD}{_NTH}{_RANGE}{_GAP}{_OF}{_MONTH},?{_GAP}(?:(?i:of|de|del){_GAP})?{_SHORT_YEAR}{_END}",
    rf"{_START}{_LEAD}{_NTH}{_RANGE}{_GAP}{_OF}{_NAMED}(?![\w-])",
    rf"{_START}{_DAY}(?P<gap>[-./ ]?){_MONTH}(?P=gap){_SHORT_YEAR}{_END}",
    rf"{_START}{_LEAD}{_NAMED}{_GAP}(?:the{_GAP})?{_LAST}{_RANGE}(?:,?{_GAP}{_SHORT_YEAR})?(?![\w%]|[.,]\d)",
    rf"{_START}{_MONTH}(?P<gap>[-./ ]){_NTH}(?:(?P=gap)|,{_GAP}?){_SHORT_YEAR}{_END}",
    rf"{_START}{_NAMED},?{_GAP}(?:(?i:of|de|del){_GAP})?(?:{_YEAR}|['’]\d\d){_END}",
    # From one month to another; months in Roman numerals; weeks.
    rf"{_START}{_NTH}{_GAP}{_NAMED}{_SPACE}?[-–—]{_SPACE}?{_NTH}{_GAP}{_MONTH}(?:,?{_GAP}{_SHORT_YEAR})?{_END}",
    rf"{_START}{_DAY}(?P<gap>[-./ ])(?:XI{{0,2}}|IX|IV|VI{{0,3}}|I{{1,3}})(?P=gap){_YEAR}{_END}",
    rf"(?<!\w)(?i:week){_SPACE}\d{{1,2}}(?:{_SPACE}of|,)?{_SPACE}{_YEAR}{_END}",
    # The year first, in one line, and no year behind it: in a list of dates it belongs to the one before.
    rf"{_START}{_YEAR}(?:,?{_SPACE}{{1,2}}|[-./]){_MONTH}(?:{_GAP}|[-./]){_LAST}{_END}(?!,?{_GAP}{_YEAR})",
    rf"{_START}{_YEAR},?{_SPACE}{{1,2}}{_NTH}{_GAP}{_OF}{_MONTH}{_END}(?!,?{_GAP}{_YEAR})",
    # Numbers alone, with any sign between, also with spaces around it.
    rf"{_START}{_DAY}(?P<gap>[-./–‑]){_SPACE}?{_DAY}(?P=gap){_SPACE}?{_SHORT_YEAR}{_END}",
    rf"{_START}{_DAY}{_SPACE}(?P<gap>[-./–]){_SPACE}{_DAY}{_SPACE}(?P=gap){_SPACE}{_YEAR}{_END}",
    rf"{_START}{_DAY}{_SPACE}{_DAY}{_SPACE}{_YEAR}{_END}",
    rf"{_START}{_YEAR}(?P<gap>[-./–‑ ]){_DAY}(?P=gap){_DAY}(?:[T ]\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:?\d\d)?)?{_END}",
    r"(?<![\w./,-])(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:T\d{4,6}Z?)?(?![\w/-]|[.,]\d)",
    rf"{_START}(?:0?[1-9]|1[0-2])/{_YEAR}{_END}",
    rf"(?<!\w)(?i:on|dated|since|until|till|from|by|dob|born|am|vom|bis){_SPACE}:?{_SPACE}?"
    r"(?P<span>(?:0?[1-9]|1[0-2])/(?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])/(?:0?[1-9]|1[0-2])|"
    rf"(?:0?[1-9]|[12]\d|3[01])\.(?:0?[1-9]|1[0-2])\.){_END}",
    rf"{_START}{_WEEKDAY},?{_GAP}(?:the{_GAP})?{_DAY}(?i:st|nd|rd|th)(?!\w)",
    r"\d{4}年\d{1,2}月(?:\d{1,2}日)?",
    rf"{_START}(?:(?i:the){_GAP})?(?i:{_ORDINAL}){_GAP}(?:day{_GAP})?(?i:of){_GAP}{_NAMED}(?:,?{_GAP}{_YEAR})?{_END}",
    rf"{_START}(?:{_FEAST}|[QH][1-4]),?{_GAP}(?:(?i:of|in){_GAP})?{_YEAR}{_END}",
    rf"{_START}(?:0[1-9]|1[0-2])\.{_YEAR}{_END}",
    rf"{_START}{_NAMED}[-/ ]['’]?\d\d{_END}",
    rf"(?<!\w)(?i:en|año|desde|hasta|entre|depuis|seit|anno|nel|im[ ]jahre?|l['’]année){_GAP}"
    rf"(?P<span>{_YEAR}){_END}",
    rf"(?:(?<=\d{{4}},[ ])|(?<=\d{{4}}[ ]and[ ])){_YEAR}(?![\w/]|[.,]\d)",  # born in 1975, 1981 and 1984
)

_CUED = (
    r"(?<!\w)(?i:(?:application|appeal|petition|claim|complaint|case|cause|matter|file|docket|record|chart|patient|"
    r"hospital|medical[ ]record|policy|passport|licen[cs]e|account|acct|reference|our[ ]ref|your[ ]ref|ref|invoice|"
    r"insurance|registration|member|customer|card|judgment|decision|ticket|order|contract|employee|student|tax|"
    r"MRN|MR|NHS|SSN|ID|DOB[ ]ID|Aktenzeichen|Az|Gesch\.?-?[ZN]|Rs|dossier|pourvoi|requête|expediente|exp|sentencia|"
    r"rollo|autos|procedimiento|folio|zaak|zaaknummer|rolnummer|sag|mål|R\.?G)\b\.?s?|\b(?:nos?|nr|nrs|num)\.|№|n[°º])"
    r"[ \u00a0:#.\-]{0,4}(?:(?i:nos?|nr|num|number|numbers|id|ref|file|code)\b\.?|№|n[°º]){0,1}[ \u00a0:#.]{0,4}"
)
# At least four characters, among them three digits, or two and a sign: "Protocol No. 1" and "Rule 47" name no case.
_CODE = (
    r"(?P<span>(?=(?:[A-Za-z/.:-]{0,12}\d){3}|(?:[A-Za-z]{0,8}\d){1,2}[/-])"
    r"[A-Za-z0-9](?:[A-Za-z0-9]|[/.:_–-](?=[A-Za-z0-9])){3,40}|\d{2,4}(?:[ -]\d{2,5}){1,3})(?!\w)"
)
_COURT = r"(?:UK|EW|NI|CS|HC|SC|NZ|AU|HK|IE|ZA|SG|ON|BC|AB|QC|FC|Q|N|V|W)[A-Z]{1,6}"
_CODES = (
    rf"{_CUED}{_CODE}",
    r"(?<![\w/.-])(?:\d{4,6}/\d{2}|\d{1,6}/(?:19|20)\d\d)(?![\w/]|-\d)",  # 148/86 is a blood pressure
    r"(?<![\w/-])[CTFE][-‑–]\d{1,4}/\d{2}(?:[ ](?:P|PPU|RX|DEP)\b)?(?![\w/-])",
    r"(?<![\w/-])\d{1,2}:\d{2,4}[-‑ ]?(?i:cv|cr|mc|md|bk|mj|ap|po|sw|misc|civ|crim)[-‑ ]?\d{2,6}"
    r"(?:[-‑][A-Za-z]{1,5}){0,4}(?!\w)",
    r"(?<![\w/-])\d{2,4}[-‑ ]?(?i:cv|cr|mc|md|bk|mj|civ|crim|cf|dr|fa)[-‑ ]?\d{2,7}(?:[-‑][A-Za-z]{1,5}){0,4}(?!\w)",
    r"(?<![\w/-])(?i:cv|cr|civ|crim|mc|fa|cf|dr|bk)[-‑ ]\d{2,4}[-‑]\d{2,7}(?:[-‑][A-Za-z]{1,5}){0,3}(?!\w)",
    r"\[(?:1[89]|20)\d\d\][ ](?:\d{1,2}[ ])?[A-Z][A-Za-z]{1,6}(?:[ ](?:Civ|Crim|Fam|App|CR|LR))?[ ]\d{1,5}"
    r"(?:[ ]\([A-Z][A-Za-z&]{1,12}\))?",
    rf"(?<!\w)(?:19|20)\d\d[ ](?:{_COURT}|SCC|BCCA|ONCA|FCA|CSIH|CSOH)[ ]\d{{1,5}}(?!\w)",
    r"(?<!\w)ECLI:[A-Z]{2}:[A-Z0-9]{1,7}:\d{4}:[A-Z0-9.]{1,25}[A-Z0-9]",
    r"(?<![\w/-])(?:\d{1,3}|[IVX]{1,5})(?:[ ]?[a-z])?[ ](?:[A-Z][A-Za-z]{0,3}[ ]?\(?[A-Za-z]{0,5}\)?[ ])"
    r"\d{1,5}/\d{2}(?:\d\d)?(?![\w/])",
    r"(?<![\w/.-])\d{2}[-‑]\d{2}\.\d{3}(?![\w/-])",
    r"(?<![\w/-])[A-Z]{1,5}[-/ ]?(?:19|20)?\d{2}[-/]\d{3,7}(?:[-/][A-Z0-9]{1,6}){0,2}(?![\w/])",
    r"(?<![\w/-])[A-Z]{1,6}/\d{1,7}/\d{2,6}(?:/[A-Z0-9]{1,6}){0,2}(?![\w/])",
    r"(?<![\w/-])\d{1,4}/[A-Z]{1,5}/\d{2,6}(?:/\d{2,4})?(?![\w/])",
    r"(?<![\w/.-])(?:19|20)\d\d/\d{3,6}(?![\w/]|-\d)",  # the year first; 2003/86/EC is a law
    r"(?<![\w/-])[A-Z]{1,4}[-‑]\d{2,6}[-‑](?:19|20)?\d\d(?![\w/-])",
    rf"{_CUED}(?P<span>\d{{1,6}}[ ](?:of|de)[ ](?:19|20)\d\d)(?!\w)",
    r"(?<![\w/-])(?=[A-Z]{0,4}\d)(?=\d{0,8}[A-Z])[A-Z0-9]{7,14}(?![\w/-])(?<!XXX)",  # plates, policies, identity cards
)

_AT = r"(?:[ ]?[\[({<][ ]?(?i:at)[ ]?[\])}>][ ]?|[ ](?:AT)[ ])"
_DOT = r"(?:\.|[ ]?[\[({<][ ]?(?i:dot)[ ]?[\])}>][ ]?|[ ](?i:dot)[ ])"
_LOCAL = r"(?<![\w.+%!#$&'*=?^`{|}~-])[\w.+%!#$&'*/=?^`{|}~-]{1,64}"
_LABEL = r"[\w-]{1,63}"
_EMAILS = (
    rf"{_LOCAL}[@＠]{_LABEL}(?:[.。]{_LABEL}){{0,8}}",
    rf"(?<![\w.+%-])[\w.+%-]{{1,64}}{_AT}{_LABEL}(?:{_DOT}{_LABEL}){{1,6}}",
    rf"(?<![\w.+%-])[\w.+%-]{{1,64}}[ ](?i:at)[ ]{_LABEL}(?:[ ](?i:dot)[ ]{_LABEL}){{1,6}}",
    r"\"[^\"@\n]{1,64}\"@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
)
_URLS = (
    r"(?<![\w@.-])(?:[a-z0-9-]{1,63}\.){1,4}(?:com|org|net|edu|gov|info|co\.uk|de|fr|es|it|nl|no|se|dk|eu|uk|ch|at|io)"
    r"(?:/[^\s<>\"]{0,500}[^\s<>\".,;:!?)\]}'’”])?(?![\w@-])",
)
_PLACES = (
    rf"(?<!\w)(?i:rue|avenue|av\.|boulevard|bd|place|calle|c/|avenida|avda\.?|plaza|paseo|via|viale|piazza|rua|"
    rf"travessa)[ ](?:(?i:de|del|della|du|des|la|le|las|los|el|da|do|l')[ ]?){{0,3}}{NAME}(?:[ ]{NAME}){{0,3}},?[ ]"
    r"(?:(?i:n[°º]|nº|no\.?|núm\.?)[ ]?)?\d{1,4}(?!\w|[.,/]\d)",
    rf"(?<![\w.,/-])\d{{1,4}}(?:[ ]?(?i:bis|ter|[a-c]))?,?[ ](?i:rue|avenue|boulevard|bd|place|chemin|impasse|quai)[ ]"
    rf"(?:(?i:de|du|des|la|le|l['’])[ ]?){{0,3}}{NAME}(?:[ -]{NAME}){{0,3}}(?!\w)",
)
_POSTCODES = (
    r"(?<!\w)[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}(?!\w)",
    r"(?<!\w)[A-Z]\d[A-Z][ -]?\d[A-Z]\d(?!\w)",
    r"(?<!\w)[A-Z]{2}[ ]\d{5}(?:-\d{4})?(?!\w)",
    r"(?<!\w)(?:[A-Z]{1,2}-)?\d{4,5}[ ](?=[A-Z]{2}[ ,.;\n])[A-Z]{2}(?!\w)",
    rf"(?<!\w)[A-Z]{{1,2}}-\d{{4,6}}[ ]{NAME}",
)
_AGES = (r"(?<![\w.,/-])\d{1,3}[ -]?(?i:y/?o|y\.o\.|yrs?|jährige[rsn]?|ans|años)(?!\w)",)

_FIGURE = r"(?:\d{1,3}(?:[,. \u00a0]\d{3}){1,5}(?:[.,]\d{1,2})?|\d{1,15}(?:[.,]\d{1,2})?)"
_SIGN = (
    r"(?:[€£$¥₤₹₽₺₴₩]|(?:EUR|GBP|USD|CHF|SEK|NOK|DKK|PLN|JPY|CAD|AUD|NZD|TRL|TRY|RUB|RUR|UAH|HUF|CZK|SKK|RON|ROL|BGN|HRK|"
    r"RSD|ITL|FRF|DEM|ESP|ATS|BEF|NLG|PTE|FIM|GRD|CNY|INR|BRL|ZAR|MXN|KRW|ISK)(?![A-Za-z]))"
)
_UNIT = (
    r"(?i:(?:[A-Z][a-z]{2,12}[ ])?(?:euros?|eur|dollars?|pounds?|liras?|lire|rou?bles?|forints?|hryvnias?|rupees?|yen|"
    r"yuan|zlotys?|złotych|koruna?s?|crowns?|kron(?:er|or|a|ur)|francs?|marks?|pesetas?|drachmas?|escudos?|schillings?|"
    r"leva|lei|reais|pesos?))\b"
)
_MONEY = (
    rf"(?<![\w.,]){_SIGN}[ \u00a0]?{_FIGURE}(?:[ ](?:thousand|million|billion|bn|k|m)\b)?(?!\d)",
    rf"(?<![\w.,]){_FIGURE}(?:[ ](?:thousand|million|billion|bn))?[ \u00a0]?(?:{_SIGN}|{_UNIT})",
)

_PATTERNS = {
    "EMAIL": _EMAILS, "URL": _URLS, "DATE": _DATES, "CODE": _CODES, "ADDRESS": _PLACES, "POSTCODE": _POSTCODES,
    "AGE": _AGES, "MONEY": _MONEY,
}  # fmt: skip


@cache
def wider_expressions() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The expressions with their labels, compiled when they are first used."""
    return tuple((label, re.compile(pattern)) for label, patterns in _PATTERNS.items() for pattern in patterns)
