"""What can be inferred about people from a text: attackers who answer, and judges who say whether they are right."""
