"""Configurations of the Text Anonymization Evaluator (TAE), read as they are."""
