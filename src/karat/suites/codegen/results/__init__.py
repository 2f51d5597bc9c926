"""Comparing what code left behind with what was expected."""
