"""Programs that were written for other tools find what they import here."""
