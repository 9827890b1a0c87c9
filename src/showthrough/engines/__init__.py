"""Who does the work: processes of this machine, or a Ray cluster. Whoever has work to share knows neither."""
