"""One query: checked before it runs, bounded while it runs, kept afterwards."""
