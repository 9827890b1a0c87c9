"""What can be inferred about people from what was released."""
