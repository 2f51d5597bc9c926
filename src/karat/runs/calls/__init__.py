"""Calling the system: prompts, follow-ups, reused and stored answers, stopping."""
