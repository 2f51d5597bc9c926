"""Scoring: while a run goes on, at its end, and again; and the figures made of it."""
