"""Plots without pixels: what a figure shows as data, and how it compares with what a task expects."""
