"""Figures of plotly, read into the one form of a plot."""
