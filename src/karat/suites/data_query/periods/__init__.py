"""Periods in targets, answers and filters."""
