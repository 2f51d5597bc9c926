"""Metrics of the selected terms."""
