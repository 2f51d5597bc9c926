"""Metrics of how long right code takes."""
