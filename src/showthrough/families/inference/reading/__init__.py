"""What can simply be read off a text by somebody who knows what to look for."""
