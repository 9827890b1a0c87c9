"""Policies: which types a rule wants masked, how they may be replaced, and which rule each leak breaks."""
