"""Clinical de-identification: what PHI is called, how hard it is to tell, and surrogates that stand in for it."""
