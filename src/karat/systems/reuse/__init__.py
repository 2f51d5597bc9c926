"""Answers that later runs can reuse: what an answer depends on, and the file that keeps it."""
