"""Queries as text and as trees: dialects, choices in gold, marked differences."""
