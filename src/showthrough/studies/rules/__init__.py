"""What one more rule would win: strings, patterns and types that could be masked too, by their gain and their cost."""

from showthrough.studies.rules.greedy import rules_worth, with_rules
from showthrough.studies.rules.worth import Numbers, Rule, Step, Weights, Worth

__all__ = ["Numbers", "Rule", "Step", "Weights", "Worth", "rules_worth", "with_rules"]
