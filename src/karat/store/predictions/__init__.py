"""Answers of systems, in and out of the store."""
