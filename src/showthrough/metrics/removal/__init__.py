"""What a reader of the release can still read: forms of what was marked, looked for in the released text."""
