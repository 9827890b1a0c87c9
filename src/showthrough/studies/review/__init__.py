"""A second reader's look at annotations: copies with what was marked hidden, sheets to fill in, and back."""
