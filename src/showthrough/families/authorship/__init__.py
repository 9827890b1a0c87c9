"""Author masking: safety, soundness, sensibleness."""
