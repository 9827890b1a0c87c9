"""Author masking: who wrote it, is its sense kept, does it make sense."""
