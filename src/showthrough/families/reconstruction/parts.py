"""The names of columns and parts of reconstruction metrics, for reports that do not import the metrics."""

from __future__ import annotations

# Columns; of a type, an identifier or a way of replacing with its name behind a colon. Tables of parts show them.
ASKED, FIRST, FIVE = "masked", "recovered", "within five"
BEHIND, EXACT, ORDINARY = "control ", "exactly ", "ordinary "  # before them
UNANSWERED = "unanswered"
WORDS = "words"  # a part: how many ordinary words a guesser recovers
