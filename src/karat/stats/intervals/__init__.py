"""Intervals of means and rates."""
