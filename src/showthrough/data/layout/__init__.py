"""Texts laid end to end on one line of characters, and what is covered there."""
