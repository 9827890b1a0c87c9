"""Reads files within limits, and writes them privately, completely or not at all."""
