"""Whether a run is good enough: thresholds, how surely they are met, and whether a baseline is kept."""
