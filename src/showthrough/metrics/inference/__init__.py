"""What can be inferred about people from what is released."""
