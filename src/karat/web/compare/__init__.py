"""A run against a baseline, and runs side by side."""
