"""What is left of the information in a text."""
