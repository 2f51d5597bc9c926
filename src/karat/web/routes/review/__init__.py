"""Pages on which people review cases, and what their reviews come to."""
