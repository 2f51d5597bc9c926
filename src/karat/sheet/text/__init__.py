"""From the text of a sheet to its tree, and back."""
