"""What one more rule would win: strings, patterns and types that could be masked too, by their gain and their cost."""

from showthrough.studies.rules.greedy import rules_worth, with_rules
from showthrough.studies.rules.worth import Rule, Step, SystemScores, Weights, Worth

__all__ = ["Rule", "Step", "SystemScores", "Weights", "Worth", "rules_worth", "with_rules"]
