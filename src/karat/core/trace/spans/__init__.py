"""Spans of tracing tools: what they are, the calls in them, and what an answer came from."""
