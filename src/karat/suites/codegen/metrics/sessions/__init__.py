"""Metrics of sessions: tasks of several steps."""
