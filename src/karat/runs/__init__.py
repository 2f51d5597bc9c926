"""The one runner: plan, call, score, store, resume."""
