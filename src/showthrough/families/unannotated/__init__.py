"""Metrics that need no annotations."""
