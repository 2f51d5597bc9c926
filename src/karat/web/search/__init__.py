"""Which cases are shown: filters, and searching in answers."""
