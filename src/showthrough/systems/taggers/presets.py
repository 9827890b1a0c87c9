"""The challenge's systems (Uzuner, Luo and Szolovits 2007, Table 6) as recipes, by team and run."""

from __future__ import annotations

from dataclasses import replace

from showthrough.core.errors import PlanError, quote_value, suggest_name
from showthrough.systems.taggers.features.settings import NONE
from showthrough.systems.taggers.recipes import Recipe

_ARAMAKI = "+token,+length,+word_class,+orthography,+special,+templates,+sentence,+previous,+dictionaries,window=2"
_GUILLEN = "+section,cues=1,+special,+templates,+orthography"
_GUO = "+root,+length,+word_class,+orthography,affixes=4,+special,window=2,context=1"
_HARA = "+section,+token,+root,+word_class,+orthography,+templates,window=2"
_SZARVAS = (
    "cues=3,+token,+enclosed,+orthography,+length,+special,+templates,+frequency,+dictionaries,window=3,context=1"
)
_WELLNER = "+token,window=2,+orthography,affixes=2,+special,+templates"
_FORMS = ("date", "date-in-words", "phone", "long-number", "number-of", "code", "fraction")  # dates, phones, ids
_RULED = {"of": "svm", "forms": list(_FORMS)}
_SENTENCED = {**_RULED, "of": "sentenced"}

PRESETS: dict[str, Recipe] = {
    "aramaki1": Recipe("crf", NONE.with_changes(_ARAMAKI), unit="sentence", second_pass=True),
    "guillen1": Recipe("rules", NONE.with_changes(_GUILLEN)),
    "guo1": Recipe("svm", NONE.with_changes(_GUO)),
    "guo2": Recipe("svm", NONE.with_changes(f"{_GUO},cues=3,+dictionaries,+templates,window=6")),
    "hara1": Recipe("ruled", NONE.with_changes(_HARA), unit="sentence", settings=_SENTENCED),
    "hara2": Recipe(
        "ruled", NONE.with_changes(_HARA), unit="sentence", settings={**_SENTENCED, "settings": {"pairs": True}}
    ),
    "hara3": Recipe("ruled", NONE.with_changes(_HARA), unit="sentence", settings=_RULED),
    "szarvas1": Recipe("boosted", NONE.with_changes(_SZARVAS), propagate=True),
    "szarvas2": Recipe("voted", NONE.with_changes(_SZARVAS), propagate=True),
    "szarvas3": Recipe("boosted", NONE.with_changes(f"{_SZARVAS},+trusted,+section"), second_pass=True, propagate=True),
    "wellner1": Recipe("crf", NONE.with_changes(_WELLNER)),
    "wellner2": Recipe("hmm", NONE.with_changes(_WELLNER)),
    "wellner3": Recipe("crf", NONE.with_changes(f"{_WELLNER},affixes=4,window=3,cues=3,+dictionaries")),
}

# A team alone is its best run.
BEST = {
    "aramaki": "aramaki1",
    "guillen": "guillen1",
    "guo": "guo2",
    "hara": "hara3",
    "szarvas": "szarvas2",
    "wellner": "wellner3",
}


def preset_named(name: str) -> Recipe:
    """A recipe by its name: a run, or a team. Raises PlanError."""
    run = BEST.get(name, name)
    if run not in PRESETS:
        raise PlanError(
            f"unknown preset {quote_value(name)}; {suggest_name(name, PRESETS)}there are: {', '.join(PRESETS)}"
        )
    return replace(PRESETS[run], settings=dict(PRESETS[run].settings))
