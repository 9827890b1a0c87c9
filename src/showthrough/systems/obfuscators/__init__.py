"""Author obfuscators: systems that write a text anew so that its style tells less of who wrote it."""
