"""People: subjects, their attributes, populations, and what an attacker knows or answers."""
