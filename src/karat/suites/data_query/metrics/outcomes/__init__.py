"""Metrics of what a response does: answer, ask back, refuse."""
