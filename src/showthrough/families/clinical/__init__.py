"""PHI counted as the clinical challenges count it: by token, by instance, by span."""
