"""Masking metrics: what annotators marked, and what is hidden or still readable of it."""
