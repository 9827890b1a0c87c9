"""Clinical records with marked health information."""
