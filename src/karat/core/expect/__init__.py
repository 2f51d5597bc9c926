"""Assertions on the way to an answer: which tools were called, which tables and sources were used, at what cost."""
