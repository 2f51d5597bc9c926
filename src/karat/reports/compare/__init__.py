"""Two or more runs side by side, for any writer."""
