"""Plan in, run out: settings, plans, and the one engine that carries them out."""
