"""Figures of matplotlib as plain data, read while code draws them."""
