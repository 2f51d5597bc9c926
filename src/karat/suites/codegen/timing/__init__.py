"""How long right code takes beside the reference, and how its time grows with the rows of its tables."""
