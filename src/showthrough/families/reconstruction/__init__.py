"""Reconstruction: what somebody guesses of what stood under a mask."""
