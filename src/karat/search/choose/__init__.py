"""Choosing n and model for each field under a token budget."""
