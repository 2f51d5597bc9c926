"""Secrets stay out of everything that is written down or shown."""
