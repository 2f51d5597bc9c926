"""Intervals, and the gates that use them."""
