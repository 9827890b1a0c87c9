"""What recognizers and cloud services answer."""
