"""Sheets as cases, and as the system that answers them."""
