"""Metrics of the selected series: combinations of terms."""
