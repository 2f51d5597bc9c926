"""Somebody else's files: read within bounds, and written so that nothing is half there."""
