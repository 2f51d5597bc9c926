"""What a snippet leaves, as plain data: its result and its files."""
