"""Whole files in and out: read within limits, written privately, all of it or nothing."""
