"""The result of an evaluation: scores, rows, comparison, provenance, signature, kept documents."""
