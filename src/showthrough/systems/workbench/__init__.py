"""Systems put to work on one corpus, and scored side by side: what `showthrough evaluate --with` does."""
