"""Makes the demonstration corpus from a seed: people, documents, annotators, anonymizations. It is not shipped."""
