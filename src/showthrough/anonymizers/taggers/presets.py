"""The challenge's systems (Uzuner, Luo and Szolovits 2007, Table 6) as recipes, by team and run."""

from __future__ import annotations

from showthrough.anonymizers.taggers.features.settings import NONE
from showthrough.anonymizers.taggers.recipes import Recipe
from showthrough.errors import PlanError, meant, quoted

PRESETS: dict[str, Recipe] = {
    "aramaki1": Recipe(
        "crf",
        NONE.changed("+token,+length,+word_class,+orthography,+special,+templates,+sentence,+previous,+dictionaries"),
        unit="sentence",
        second_pass=True,
    ),
    "wellner1": Recipe("crf", NONE.changed("+token,window=2,+orthography,affixes=2,+special,+templates")),
    "wellner3": Recipe(
        "crf", NONE.changed("+token,window=3,+orthography,affixes=4,+special,+templates,+cues,+dictionaries")
    ),
}


def preset_named(name: str) -> Recipe:
    """A recipe by its name. Raises PlanError."""
    if name not in PRESETS:
        raise PlanError(f"unknown preset {quoted(name)}; {meant(name, PRESETS)}there are: {', '.join(PRESETS)}")
    return PRESETS[name]
