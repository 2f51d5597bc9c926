"""Metrics of the datasets that an answer uses."""
